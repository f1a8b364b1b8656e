"""What a source of rows is: parts that can be gone over again and again, folded into sums or a sample."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from shearer._validate import value_error
from shearer.pairs.limits import SPACED_ROWS
from shearer.pairs.rungs import spaced_rows

R = TypeVar("R")


class Sums(Protocol):
    """What rows are added to: a `Sketch`, or any other sums that merge."""

    def update(self, *chunk: Any) -> None:
        """Add rows."""

    def merge(self, other: Self) -> None:
        """Add the rows of another."""

    def empty(self) -> Self:
        """The same without rows."""


S = TypeVar("S", bound=Sums)


class RowSource(ABC):
    """Rows in parts that can be gone over again and again, each part on its own."""

    #: What it is called in reports.
    name: str

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of its rows should know."""
        return ()

    @abstractmethod
    def fold(
        self,
        function: Callable[[Iterator[Any], int], R],
        merge: Callable[[list[R]], R],
        n_jobs: int | None,
        progress: bool | None,
    ) -> R:
        """function(chunks of a part, its number) of every part, merged."""

    def add_to(self, sums: S, n_jobs: int | None = None, progress: bool | None = None) -> S:
        """Sums like these with all rows in them."""
        return self.fold(partial(_added, sums), _merged, n_jobs, progress)

    def sample(self, rows: int, seed: int, n_jobs: int | None = None, progress: bool | None = None) -> Any:
        """So many rows drawn at random without replacement, or all if there are fewer; takes a pass over all."""
        return self.counted(rows, seed, n_jobs, progress)[0]

    def counted(
        self, rows: int, seed: int, n_jobs: int | None = None, progress: bool | None = None
    ) -> tuple[Any, dict[int, int]]:
        """Such a sample, and how many rows each part has, by its number, from the same pass."""
        found = self.fold(partial(_drawn, rows, seed), partial(_fewest, rows), n_jobs, progress)
        return found.chunk, found.counts

    def spaced(
        self, counts: dict[int, int], most: int = SPACED_ROWS, n_jobs: int | None = None, progress: bool | None = None
    ) -> Any:
        """All rows, or so many evenly spread ones, those that a table in memory would take; a pass over all.

        Parameters
        ----------
        counts : dict
            Rows of each part, from `counted`.
        most : int
            How many rows.
        n_jobs, progress
            As in the other passes.
        """
        numbers = sorted(counts)
        ends = np.cumsum([counts[number] for number in numbers]).tolist()
        starts = dict(zip(numbers, [0, *ends], strict=False))
        wanted = spaced_rows(ends[-1], most)
        return self.fold(partial(_picked, wanted, starts), partial(_fewest, len(wanted)), n_jobs, progress).chunk


def _added(sums: S, chunks: Iterator[Any], number: int) -> S:  # noqa: ARG001 - every part is treated alike
    own = sums.empty()
    for chunk in chunks:
        own.update(chunk)
    return own


def _merged(parts: list[S]) -> S:
    total = parts[0].empty()
    for part in parts:
        total.merge(part)
    return total


@dataclass(frozen=True)
class _Drawn:
    """Rows with the smallest of some keys, and how many rows were looked at, by the number of the part."""

    keys: Any
    chunk: Any
    counts: dict[int, int]


def _drawn(rows: int, seed: int, chunks: Iterator[Any], number: int) -> _Drawn:
    rng = np.random.default_rng([seed, number])
    found: list[_Drawn] = []
    for chunk in chunks:
        keys = rng.uniform(size=len(chunk))
        best = np.sort(np.argsort(keys)[:rows])
        found = [_fewest(rows, [*found, _Drawn(keys[best], _take(chunk, best), {number: len(chunk)})])]
    if not found:
        raise value_error("data", "at least one chunk of rows in every part", "none")
    return found[0]


def _fewest(rows: int, parts: list[_Drawn]) -> _Drawn:
    keys = np.concatenate([part.keys for part in parts])
    chunk = _stack([part.chunk for part in parts])
    best = np.sort(np.argsort(keys, kind="stable")[:rows])
    counts: dict[int, int] = {}
    for part in parts:
        counts |= {number: counts.get(number, 0) + count for number, count in part.counts.items()}
    return _Drawn(keys[best], _take(chunk, best), counts)


def _picked(wanted: NDArray[np.intp], starts: dict[int, int], chunks: Iterator[Any], number: int) -> _Drawn:
    """The wanted rows among those of a part, which follow each other from its start."""
    found: list[_Drawn] = []
    first = starts[number]
    for chunk in chunks:
        here = wanted[slice(*np.searchsorted(wanted, (first, first + len(chunk))))]
        if len(here) or not found:
            found.append(_Drawn(here, _take(chunk, here - first), {}))
        first += len(chunk)
    return _fewest(len(wanted), found)


def _take(chunk: Any, rows: Any) -> Any:
    return chunk.iloc[rows] if hasattr(chunk, "iloc") else chunk[rows]


def _stack(chunks: list[Any]) -> Any:
    if isinstance(chunks[0], np.ndarray):
        return np.concatenate(chunks)
    import narwhals.stable.v2 as nw

    return nw.concat([nw.from_native(chunk) for chunk in chunks]).to_native()
