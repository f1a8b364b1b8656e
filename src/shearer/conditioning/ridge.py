"""Ridge regression of many columns at once on the features of conditions, by sums over rows.

Kernel and penalty are chosen for each column by generalised cross-validation (Golub, Heath and Wahba 1979).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
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
    _beyond: Source = field(repr=False)
    _turn: Floats = field(repr=False)
    _runs: list[slice] = field(repr=False)

    @classmethod
    def of(
        cls, base: Floats, source: Source, left_out: float = 0.0, finer: "Callable[[], Smoother | None] | None" = None
    ) -> "Smoother | None":
        """From the features of all rows; None where nothing of them is left beyond `base`."""
        n, width = len(base), source(slice(0, 1)).shape[1]
        if 8 * n * width <= constants.ROOM:
            beyond, squares = _kept(base, source, width)
            chunks = [slice(0, n)]
        else:
            beyond, squares = _formed(base, source, width)
            chunks = list(runs(n))
        values, turn = np.linalg.eigh(squares)
        kept = values > constants.SMALLEST_DIRECTION * max(float(values[-1]), 1e-300)
        kept &= values > 1e-13 * n
        if not kept.any():
            return None
        values = values[kept]
        return cls(base, values, left_out, finer, beyond, turn[:, kept] / np.sqrt(values), chunks)

    def at(self, rows: Index) -> Floats:
        """Orthonormal features of some rows."""
        found: Floats = self._beyond(rows) @ self._turn
        return found

    def products(self, columns: Floats) -> Floats:
        """Sums over rows of the products of orthonormal features and columns."""
        total: Floats = self._turn.T @ sum(self._beyond(rows).T @ columns[rows] for rows in self._runs)
        return total

    def take_off(self, columns: Floats, which: Sequence[int], weights: Floats) -> None:
        """Subtract the features times weights from some of the columns, in place."""
        weights = self._turn @ weights
        for rows in self._runs:
            columns[rows, which] -= self._beyond(rows) @ weights

    @cached_property
    def shrinkage(self) -> Floats:
        """What is kept of each direction, for each penalty, shape (directions, penalties)."""
        values = self.values[:, None]
        found: Floats = values / (values + _PENALTIES * self.values.sum())
        return found

    @cached_property
    def gain(self) -> Floats:
        """Share of the squared product along each direction that a fit takes off, shape (penalties, directions)."""
        found: Floats = 1 - (1 - self.shrinkage.T) ** 2
        return found

    @cached_property
    def freedom(self) -> Floats:
        """Degrees of freedom at each penalty."""
        found: Floats = self.shrinkage.sum(axis=0)
        return found


def _kept(base: Floats, source: Source, width: int) -> tuple[Source, Floats]:
    """Features less what `base` fits, which are kept, and their squares."""
    found = np.empty((len(base), width))
    for rows in runs(len(base)):
        found[rows] = source(rows)
    found -= base @ (base.T @ found)
    return lambda rows: found[rows], found.T @ found


def _formed(base: Floats, source: Source, width: int) -> tuple[Source, Floats]:
    """The same where there is no room for them: they are formed whenever they are needed."""
    squares, cross = np.zeros((width, width)), np.zeros((base.shape[1], width))
    for rows in runs(len(base)):
        block = source(rows)
        squares += block.T @ block
        cross += base[rows].T @ block
    return lambda rows: source(rows) - base[rows] @ cross, squares - cross.T @ cross


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
        total = np.sum(self.residuals**2, axis=0)
        spent = self.freedom + smoother.freedom[:, None]  # (penalties, columns)
        left = np.maximum(total - smoother.gain @ products**2, 0.0)
        allowed = spent < constants.LARGEST_SHARE * n
        found = np.where(allowed, left / n / (1 - np.minimum(spent / n, constants.LARGEST_SHARE)) ** 2, np.inf)
        least = found.min(axis=0)
        for column in np.flatnonzero(least < best * (1 - 1e-12)):
            close = found[:, column] <= least[column] * (1 + constants.SLACK / n)
            place = int(np.argmax(close))  # penalties ascend
            choices[column] = Choice(smoother, smoother.shrinkage[:, place], products[:, column])
        improved: Floats = np.minimum(best, least)
        return improved

    def _applied(self, choices: Sequence[Choice]) -> "Fit":
        left, freedom = self.residuals.copy(), self.freedom.copy()
        for smoother in _distinct(choices):
            own = [k for k, choice in enumerate(choices) if choice.smoother is smoother]
            weights = np.column_stack([choices[k].shrinkage * choices[k].coefficients for k in own])
            smoother.take_off(left, own, weights)
            freedom[own] += [choices[k].freedom for k in own]
        return Fit(left, freedom, tuple(choices), self.base)


def _distinct(choices: Sequence[Choice]) -> list[Smoother]:
    """The smoothers that occur."""
    return list({id(choice.smoother): choice.smoother for choice in choices if choice.smoother is not None}.values())
