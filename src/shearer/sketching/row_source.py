"""What a source of rows is: parts that can be gone over again and again, folded into sums or a sample."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from shearer._validate import value_error

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
        found = self.fold(partial(_drawn, rows, seed), partial(_fewest, rows), n_jobs, progress)
        return found.chunk


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
    """Rows with the smallest of random keys."""

    keys: Any
    chunk: Any


def _drawn(rows: int, seed: int, chunks: Iterator[Any], number: int) -> _Drawn:
    rng = np.random.default_rng([seed, number])
    found: list[_Drawn] = []
    for chunk in chunks:
        keys = rng.uniform(size=len(chunk))
        best = np.sort(np.argsort(keys)[:rows])
        found = [_fewest(rows, [*found, _Drawn(keys[best], _take(chunk, best))])]
    if not found:
        raise value_error("data", "at least one chunk of rows in every part", "none")
    return found[0]


def _fewest(rows: int, parts: list[_Drawn]) -> _Drawn:
    keys = np.concatenate([part.keys for part in parts])
    chunk = _stack([part.chunk for part in parts])
    best = np.sort(np.argsort(keys, kind="stable")[:rows])
    return _Drawn(keys[best], _take(chunk, best))


def _take(chunk: Any, rows: Any) -> Any:
    return chunk.iloc[rows] if hasattr(chunk, "iloc") else chunk[rows]


def _stack(chunks: list[Any]) -> Any:
    if isinstance(chunks[0], np.ndarray):
        return np.concatenate(chunks)
    import narwhals.stable.v2 as nw

    return nw.concat([nw.from_native(chunk) for chunk in chunks]).to_native()
