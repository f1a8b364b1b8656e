"""Ridge regression of many columns at once on the features of conditions, by sums over rows.

Kernel and penalty are chosen for each column by generalised cross-validation (Golub, Heath and Wahba 1979).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from shearer._cached import cached_property
from shearer.conditioning import constants
from shearer.kernels.gram import Index

Floats = NDArray[np.float64]
#: Rows -> features of these rows, in an array that the caller may change.
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
    missing : float
        What the features leave out of the similarities of all rows with themselves.
    finer : callable, optional
        Makes the same smoother with more features.
    """

    base: Floats
    values: Floats
    left_out: float
    missing: float
    finer: "Callable[[], Smoother | None] | None"
    _beyond: Source = field(repr=False)
    _turn: Floats = field(repr=False)
    _runs: list[slice] = field(repr=False)

    @classmethod
    def of(
        cls, base: Floats, source: Source, left_out: float = 0.0, finer: "Callable[[], Smoother | None] | None" = None
    ) -> "Smoother | None":
        """From the features of all rows; None where nothing of them is left beyond `base`."""
        n, features = len(base), formed(source, len(base))
        if features is not None:
            total = float(np.vdot(features, features))
            beyond, squares = _kept(base, features)
            chunks = [slice(0, n)]
        else:
            beyond, squares, total = _formed(base, source)
            chunks = list(runs(n))
        values, turn = np.linalg.eigh(squares)  # of its lower triangle
        kept = values > constants.SMALLEST_DIRECTION * max(float(values[-1]), 1e-300)
        kept &= values > 1e-13 * n
        if not kept.any():
            return None
        values = values[kept]
        missing = max(0.0, n - total) if left_out else 0.0
        return cls(base, values, left_out, missing, finer, beyond, turn[:, kept] / np.sqrt(values), chunks)

    def at(self, rows: Index, weights: Floats) -> Floats:
        """Orthonormal features of some rows, times weights."""
        found: Floats = self._beyond(rows) @ (self._turn * weights)
        return found

    def products(self, columns: Floats) -> Floats:
        """Sums over rows of the products of orthonormal features and columns."""
        total = reduce(np.add, [columns[rows].T @ self._beyond(rows) for rows in self._runs])
        found: Floats = (total @ self._turn).T
        return found

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
        """Share of the squared product along each direction that a fit takes off, shape (directions, penalties)."""
        found: Floats = self.shrinkage * (2 - self.shrinkage)
        return found

    @cached_property
    def freedom(self) -> Floats:
        """Degrees of freedom at each penalty."""
        found: Floats = self.shrinkage.sum(axis=0)
        return found


def formed(source: Source, n: int) -> Floats | None:
    """Features of all rows, where there is room for them."""
    if n <= constants.CHUNK_ROWS:
        return source(slice(0, n))
    width = source(slice(0, 1)).shape[1]
    if 8 * n * width > constants.ROOM:
        return None
    found = np.empty((n, width))
    for rows in runs(n):
        found[rows] = source(rows)
    return found


def _kept(base: Floats, features: Floats) -> tuple[Source, Floats]:
    """Features less what `base` fits, which are kept, and their squares: the lower triangle."""
    cross = base.T @ features
    found = blas.dgemm(-1.0, cross.T, base.T, beta=1.0, c=features.T, overwrite_c=1).T
    return lambda rows: found[rows], blas.dsyrk(1.0, found.T, lower=1)


def _formed(base: Floats, source: Source) -> tuple[Source, Floats, float]:
    """The same where there is no room for them, formed whenever they are needed; and the sum of all their squares."""
    width = source(slice(0, 1)).shape[1]
    squares, cross = np.zeros((width, width)), np.zeros((base.shape[1], width))
    for rows in runs(len(base)):
        block = source(rows)
        squares += block.T @ block
        cross += base[rows].T @ block
    return lambda rows: source(rows) - base[rows] @ cross, squares - cross.T @ cross, float(np.trace(squares))


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

    @property
    def finer(self) -> "Callable[[], Smoother | None] | None":
        """Makes the smoother with more features, where at this penalty these could spend clearly more."""
        if self.smoother is None or self.smoother.finer is None:
            return None
        penalty = float(self.smoother.values[0] * (1 / self.shrinkage[0] - 1))
        could_spend = self.smoother.missing / max(penalty, 1e-300)
        return self.smoother.finer if could_spend > constants.FINER_SHARE * self.freedom else None


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
    before : Fit, optional
        The fit that the last regression went on from.
    """

    residuals: Floats
    freedom: Floats
    choices: tuple[Choice, ...]
    base: Floats
    before: "Fit | None" = None

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

    def leverages(self) -> Floats:
        """How far each row draws the fit of each column at itself, shape (n, c)."""
        n, count = self.residuals.shape
        if self.before is None:
            own = np.einsum("ij,ij->i", self.base, self.base)
            return np.repeat(own[:, None], count, axis=1)
        found = self.before.leverages()
        for smoother in _distinct(self.choices):
            which = [k for k, choice in enumerate(self.choices) if choice.smoother is smoother]
            shrinkage = np.column_stack([self.choices[k].shrinkage for k in which])
            for rows in runs(n):
                found[rows, which] += smoother.at(rows, np.ones(len(smoother.values))) ** 2 @ shrinkage
        return found

    def further(
        self,
        smoothers: Sequence[Smoother],
        *,
        fine: bool = False,
        slack: float = constants.SLACK,
        most: float = constants.LARGEST_SHARE,
    ) -> "Fit":
        """The same columns after the best regression among some, or none, for each.

        Parameters
        ----------
        smoothers : sequence of Smoother
            What there is to choose from.
        fine : bool
            Whether a smoother that was chosen is tried with more features.
        slack : float
            How many n-ths above the best the criterion of a smaller penalty may be.
        most : float
            Largest share of the rows that may be spent.
        """
        best, choices = self.criterion(), [Choice()] * len(self.freedom)
        limits = slack, most
        best = self._improve(smoothers, best, choices, limits)
        if fine:
            makers = {id(choice.smoother): choice.finer for choice in choices if choice.finer is not None}
            finer = [make() for make in makers.values()]
            self._improve([one for one in finer if one is not None], best, choices, limits)
        return self._applied(choices)

    def _improve(
        self, smoothers: Sequence[Smoother], best: Floats, choices: list[Choice], limits: tuple[float, float]
    ) -> Floats:
        """Put smoothers in the place of the choices that they are better than; returns the criterion of the choices."""
        if not smoothers:
            return best
        n, (slack, most) = len(self.residuals), limits
        products = [one.products(self.residuals) for one in smoothers]
        gains = np.stack([one.gain.T @ own**2 for one, own in zip(smoothers, products, strict=True)])
        left = np.maximum(np.sum(self.residuals**2, axis=0) - gains, 0.0)  # (smoothers, penalties, columns)
        spent = self.freedom + np.stack([one.freedom for one in smoothers])[:, :, None]
        allowed = spent < most * n
        found = np.where(allowed, left / n / (1 - np.minimum(spent / n, most)) ** 2, np.inf)
        least, best = found.min(axis=1), best.copy()
        for place, column in np.argwhere(least < best * (1 - 1e-12)):
            if least[place, column] < best[column] * (1 - 1e-12):
                best[column] = least[place, column]
                close = found[place, :, column] <= best[column] * (1 + slack / n)
                shrinkage = smoothers[place].shrinkage[:, int(np.argmax(close))]  # penalties ascend
                choices[column] = Choice(smoothers[place], shrinkage, products[place][:, column])
        return best

    def _applied(self, choices: Sequence[Choice]) -> "Fit":
        left, freedom = self.residuals.copy(), self.freedom.copy()
        for smoother in _distinct(choices):
            own = [k for k, choice in enumerate(choices) if choice.smoother is smoother]
            weights = np.column_stack([choices[k].shrinkage * choices[k].coefficients for k in own])
            smoother.take_off(left, own, weights)
            freedom[own] += [choices[k].freedom for k in own]
        return Fit(left, freedom, tuple(choices), self.base, self)


def _distinct(choices: Sequence[Choice]) -> list[Smoother]:
    """The smoothers that occur."""
    return list({id(choice.smoother): choice.smoother for choice in choices if choice.smoother is not None}.values())
