"""Ridge regression of many columns at once on the features of conditions, by sums over rows.

Kernel and penalty are chosen for each column by generalised cross-validation (Golub, Heath and Wahba 1979).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shearer.conditioning import constants
from shearer.kernels.gram import Index

Floats = NDArray[np.float64]
#: Rows -> features of these rows.
Source = Callable[[Index], Floats]

_PENALTIES = np.geomspace(constants.LEAST_PENALTY, constants.LARGEST_PENALTY, constants.PENALTIES) / 10


def runs(n: int) -> Iterator[slice]:
    """Runs of rows."""
    step = constants.CHUNK_ROWS
    yield from (slice(start, min(start + step, n)) for start in range(0, n, step))


@dataclass(frozen=True, eq=False)
class Smoother:
    """Features of conditions, less what is fitted without a penalty, in orthonormal directions.

    Attributes
    ----------
    base : array (n, u)
        Orthonormal columns that are fitted without a penalty.
    values : array (k,)
        Sums of squares of the features along each direction.
    left_out : float
        Share of the similarity that the features leave out.
    finer : callable, optional
        Makes the same smoother with more features.
    """

    base: Floats
    values: Floats
    left_out: float
    finer: "Callable[[], Smoother | None] | None"
    _source: Source = field(repr=False)
    _cross: Floats = field(repr=False)
    _turn: Floats = field(repr=False)
    _kept: list[Floats] = field(repr=False)

    @classmethod
    def of(
        cls, base: Floats, source: Source, left_out: float = 0.0, finer: "Callable[[], Smoother | None] | None" = None
    ) -> "Smoother | None":
        """From the features of all rows; None where nothing of them is left beyond `base`."""
        n, width = len(base), source(slice(0, 1)).shape[1]
        squares, cross = np.zeros((width, width)), np.zeros((base.shape[1], width))
        for rows in runs(n):
            block = source(rows)
            squares += block.T @ block
            cross += base[rows].T @ block
        squares -= cross.T @ cross
        values, turn = np.linalg.eigh(squares)
        kept = values > constants.SMALLEST_DIRECTION * max(float(values[-1]), 1e-300)
        kept &= values > 1e-13 * n
        if not kept.any():
            return None
        values = values[kept]
        turn = turn[:, kept] / np.sqrt(values)
        room = [] if 8 * n * len(values) > constants.ROOM else [np.empty(0)]
        return cls(base, values, left_out, finer, source, cross, turn, room)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Runs of rows with their orthonormal features, which are kept where there is room."""
        n = len(self.base)
        if not self._kept:
            yield from ((rows, self.at(rows)) for rows in runs(n))
            return
        if not self._kept[0].size:
            self._kept[0] = np.concatenate([self.at(rows) for rows in runs(n)])
        yield slice(0, n), self._kept[0]

    def at(self, rows: Index) -> Floats:
        """Orthonormal features of some rows."""
        if self._kept and self._kept[0].size:
            return self._kept[0][rows]
        found: Floats = (self._source(rows) - self.base[rows] @ self._cross) @ self._turn
        return found

    def products(self, columns: Floats) -> Floats:
        """Sums over rows of the products of features and columns."""
        total = np.zeros((len(self.values), columns.shape[1]))
        for rows, block in self.blocks():
            total += block.T @ columns[rows]
        return total

    def shrinkage(self) -> Floats:
        """What is kept of each direction, for each penalty, shape (directions, penalties)."""
        values = self.values[:, None]
        found: Floats = values / (values + _PENALTIES * self.values.sum())
        return found


@dataclass(frozen=True, eq=False)
class Choice:
    """The regression that was chosen for a column: nothing, or a smoother with its shrinkage."""

    smoother: Smoother | None = None
    shrinkage: Floats = field(default_factory=lambda: np.empty(0))
    coefficients: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def freedom(self) -> float:
        """Degrees of freedom."""
        return float(self.shrinkage.sum())


@dataclass(frozen=True, eq=False)
class Fit:
    """Columns and what the conditions leave of them.

    Attributes
    ----------
    residuals : array (n, c)
        What is left.
    freedom : array (c,)
        Degrees of freedom that were spent.
    choices : tuple of Choice
        The last regression of each column.
    base : array (n, u)
        What was fitted without a penalty.
    """

    residuals: Floats
    freedom: Floats
    choices: tuple[Choice, ...]
    base: Floats

    @classmethod
    def start(cls, columns: Floats, base: Floats) -> "Fit":
        """Less what is fitted without a penalty."""
        left = columns - base @ (base.T @ columns)
        count = columns.shape[1]
        return cls(left, np.full(count, float(base.shape[1])), (Choice(),) * count, base)

    def criterion(self) -> Floats:
        """Generalised cross-validation: an estimate of the mean squared error of prediction."""
        n = len(self.residuals)
        found: Floats = np.mean(self.residuals**2, axis=0) / (1 - self.freedom / n) ** 2
        return found

    def further(self, smoothers: Sequence[Smoother], *, fine: bool = False) -> "Fit":
        """The same columns after the best regression among some, or none, for each.

        Parameters
        ----------
        smoothers : sequence of Smoother
            What there is to choose from.
        fine : bool
            Whether a smoother that was chosen is tried with more features.
        """
        best, choices = self.criterion(), [Choice()] * len(self.freedom)
        for smoother in smoothers:
            best = self._improve(smoother, best, choices)
        for smoother in _distinct(choices) if fine else ():
            finer = smoother.finer() if smoother.finer is not None else None
            if finer is not None:
                best = self._improve(finer, best, choices)
        return self._applied(choices)

    def _improve(self, smoother: Smoother, best: Floats, choices: list[Choice]) -> Floats:
        """Put a smoother in the place of the choices that it is better than; returns the criterion of the choices."""
        n = len(self.residuals)
        products = smoother.products(self.residuals)
        shrinkage = smoother.shrinkage()
        total = np.sum(self.residuals**2, axis=0)
        spent = self.freedom + shrinkage.sum(axis=0)[:, None]  # (penalties, columns)
        left = np.maximum(total - (1 - (1 - shrinkage) ** 2).T @ products**2, 0.0)
        allowed = spent < constants.LARGEST_SHARE * n
        found = np.where(allowed, left / n / (1 - np.minimum(spent / n, constants.LARGEST_SHARE)) ** 2, np.inf)
        least = found.min(axis=0)
        for column in np.flatnonzero(least < best * (1 - 1e-12)):
            close = found[:, column] <= least[column] * (1 + constants.SLACK / n)
            place = int(np.argmax(close))  # penalties ascend
            choices[column] = Choice(smoother, shrinkage[:, place], products[:, column])
        improved: Floats = np.minimum(best, least)
        return improved

    def _applied(self, choices: Sequence[Choice]) -> "Fit":
        left, freedom = self.residuals.copy(), self.freedom.copy()
        for smoother in _distinct(choices):
            own = [k for k, choice in enumerate(choices) if choice.smoother is smoother]
            weights = np.column_stack([choices[k].shrinkage * choices[k].coefficients for k in own])
            for rows, block in smoother.blocks():
                left[rows, own] -= block @ weights
            freedom[own] += [choices[k].freedom for k in own]
        return Fit(left, freedom, tuple(choices), self.base)


def _distinct(choices: Sequence[Choice]) -> list[Smoother]:
    """The smoothers that occur."""
    return list({id(choice.smoother): choice.smoother for choice in choices if choice.smoother is not None}.values())
