"""How one number goes along with another: as a line, a bent curve, a step, up and down.

Means of one column along the other are fitted by several models, each judged by rows that its fit did not see. A word
needs that the others fit clearly worse: where two words could be meant, none is given.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from shearer._cached import cached_property

Floats = NDArray[np.float64]

# Cosines of ranks that a smooth curve may have: the number that predicts best is taken.
_SMOOTH = (2, 3, 4, 6, 9)
# Waves that are looked for, over the range of the column; folds in which a split is judged.
_WAVES, _FOLDS = np.arange(1.0, 12.01, 0.25), 5
# Share of the variance that a model must explain.
_EXPLAINED = 0.15
# Standard errors by which the others must be worse; and of the slope of every arm of a curve that turns.
_ERRORS, _ARM_ERRORS = 3.0, 4.0
# A line leaves no more than so much of what is explained to any other model, errors included.
_LEFT_BY_LINE = 0.02
# Arms of a curve that are less of its range are none.
_ARM = 0.2
# Rows that an arm, or a side of a split, has at least, of all; and an arm in any case; places at which turns are looked
# for.
_SIDE, _ARM_ROWS, _PLACES = 0.05, 8, 100
_TINY = np.finfo(float).tiny


@dataclass(frozen=True, eq=False)
class Curve:
    """One column of numbers along another, both without gaps and of several values.

    Attributes
    ----------
    x, y : array (n,)
        The column that is gone along, and the other.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, e = rng.uniform(-1, 1, 600), rng.normal(size=600)
    >>> [Curve(x, y + 0.1 * e).word for y in (x, np.exp(3 * x) / 5, np.sign(x), x**2, -(x**2), np.sin(9 * x))]
    ['line', 'curve', 'step', 'U', 'inverted U', 'wave']
    >>> Curve(x, e).word
    """

    x: Floats
    y: Floats

    @cached_property
    def _ranks(self) -> Floats:
        return np.asarray((rankdata(self.x) - 0.5) / len(self.x))

    @cached_property
    def _none(self) -> Floats:
        """Squared errors of the mean, of rows left out."""
        n = len(self.y)
        return np.asarray(((self.y - self.y.mean()) * n / (n - 1)) ** 2)

    @cached_property
    def line(self) -> Floats:
        """Squared errors of a line, of rows left out."""
        return _left_out(self.x[:, None], self.y)

    @cached_property
    def _smooth(self) -> tuple[Floats, Floats]:
        """Fit and squared errors of rows left out of a smooth curve, as bent as predicts best."""
        most = min(len(np.unique(self.x)) - 2, max(_SMOOTH))
        terms = np.stack([self.x, *(np.cos(k * np.pi * self._ranks) for k in range(1, most + 1))], axis=1)
        # Each term is what those before it leave: the fits of all sizes are partial sums.
        base = _base(terms)
        fits = np.cumsum(base * (self.y @ base), axis=1)
        leverage = np.minimum(np.cumsum(base**2, axis=1), 0.99)
        errors = ((self.y[:, None] - fits) / (1.0 - leverage)) ** 2
        sizes = [1 + k for k in _SMOOTH if k <= most and 1 + k < base.shape[1]]
        best = min(sizes, key=lambda size: float(errors[:, size].mean()))
        return fits[:, best], errors[:, best]

    @property
    def smooth(self) -> Floats:
        """Squared errors of a smooth curve, of rows left out."""
        return self._smooth[1]

    @cached_property
    def step(self) -> Floats:
        """Squared errors of two means, parted where it fits best, in folds that the parting did not see."""
        errors = np.empty(len(self.y))
        order = np.argsort(self.x, kind="stable")
        fold = np.empty(len(self.y), dtype=np.intp)
        fold[order] = np.arange(len(self.y)) % _FOLDS
        for k in range(_FOLDS):
            seen = order[fold[order] != k]
            place, left, right = _best_split(self.x[seen], self.y[seen])
            own = fold == k
            errors[own] = (self.y[own] - np.where(self.x[own] <= place, left, right)) ** 2
        return errors

    @cached_property
    def wave(self) -> Floats:
        """Squared errors of a line with the sine that fits best, of rows left out."""
        low, high = np.quantile(self.x, [0.01, 0.99])
        phase = 2 * np.pi * np.outer(_WAVES, (self.x - low) / (high - low or 1.0))
        sines, cosines = (part - part.mean(axis=1, keepdims=True) for part in (np.sin(phase), np.cos(phase)))
        left = self.y - np.polyval(np.polyfit(self.x, self.y, 1), self.x)
        a, b = sines @ left, cosines @ left
        aa, bb, ab = (np.sum(p * q, axis=1) for p, q in ((sines, sines), (cosines, cosines), (sines, cosines)))
        # What two terms that are not orthogonal explain together.
        gain = (a * a * bb - 2 * a * b * ab + b * b * aa) / np.maximum(aa * bb - ab * ab, 1e-9 * aa * bb + _TINY)
        best = int(np.argmax(gain))
        return _left_out(np.stack([self.x, sines[best], cosines[best]], axis=1), self.y)

    @cached_property
    def explained(self) -> float:
        """Share of the variance that the best of the models explains in rows that it did not see."""
        least = min(float(errors.mean()) for errors in (self.line, self.smooth, self.step, self.wave))
        return 1.0 - least / float(self._none.mean())

    @cached_property
    def residual(self) -> Floats:
        """What the better of a line and a smooth curve leaves."""
        if self.line.mean() <= self.smooth.mean():
            return self.y - np.polyval(np.polyfit(self.x, self.y, 1), self.x)
        return self.y - self._smooth[0]

    @cached_property
    def bent(self) -> bool:
        """Whether something else fits clearly better than a line."""
        return any(_worse(self.line, other) for other in (self.smooth, self.step, self.wave))

    @cached_property
    def word(self) -> str | None:
        """The shape of the means; None where none is clear."""
        if self.explained < _EXPLAINED:
            return None
        if self._is_line():
            return "line"
        if not self.bent:
            return None
        if all(_worse(other, self.step) for other in (self.line, self.smooth, self.wave)):
            return "step"
        turns = self._arms()
        if turns is not None and len(turns) == 1:
            return "curve" if _worse(self.step, self.smooth) else None
        if _worse(self.smooth, self.wave, _ARM_ERRORS):
            return "wave"
        if turns is None:
            return None
        if len(turns) == 2:
            return "U" if turns[0] < 0 else "inverted U"
        return "wave"

    def _is_line(self) -> bool:
        """Whether no other model can explain much more, the error of that included."""
        room = _LEFT_BY_LINE * float((self._none - self.line).mean())
        for other in (self.smooth, self.step, self.wave):
            gain = self.line - other
            if gain.mean() + 2.0 * gain.std() / np.sqrt(len(gain)) > room:
                return False
        return True

    def _arms(self) -> list[int] | None:
        """Directions of the stretches in which the smooth curve rises or falls; None if one of them is in doubt."""
        order = np.argsort(self.x, kind="stable")
        places = np.linspace(0.02 * len(order), 0.98 * (len(order) - 1), _PLACES).astype(np.intp)
        fit = self._smooth[0][order[places]]
        turns = places[_turning_points(fit, _ARM * float(np.ptp(fit)))]
        ends = [0, *turns.tolist(), len(order)]
        directions = []
        for start, stop in pairwise(ends):
            if stop - start < max(_ARM_ROWS, _SIDE * len(order)):
                return None
            ranks, values = self._ranks[order[start:stop]], self.y[order[start:stop]]
            slope, error = _slope(ranks, values)
            if abs(slope) < _ARM_ERRORS * error:
                return None
            directions.append(int(np.sign(slope)))
        return directions if all(a != b for a, b in pairwise(directions)) else None


def _left_out(terms: Floats, y: Floats) -> Floats:
    """Squared errors of a linear model with a constant, of rows that are left out in turn."""
    base = _base(terms)
    leverage = np.minimum(np.sum(base**2, axis=1), 0.99)
    return np.asarray(((y - base @ (y @ base)) / (1.0 - leverage)) ** 2)


def _base(terms: Floats) -> Floats:
    """Orthonormal columns: a constant, and of each term what is new in it."""
    spread = terms.std(axis=0)
    design = np.column_stack([np.ones(len(terms)), (terms - terms.mean(axis=0)) / np.where(spread > 0, spread, 1.0)])
    base, triangle = np.linalg.qr(design)
    return base[:, np.abs(np.diagonal(triangle)) > 1e-6 * np.sqrt(len(terms))]


def _best_split(x: Floats, y: Floats) -> tuple[float, float, float]:
    """Where to part rows sorted by x into two of the least squared error, and their means."""
    n = len(y)
    sums = np.cumsum(y)[:-1]
    counts = np.arange(1, n)
    gain = (sums - counts * (sums[-1] + y[-1]) / n) ** 2 / (counts * (n - counts))
    gain[(x[1:] <= x[:-1]) | (np.minimum(counts, n - counts) < _SIDE * n)] = -1.0
    place = int(np.argmax(gain))
    return float(x[place]), float(y[: place + 1].mean()), float(y[place + 1 :].mean())


def _worse(one: Floats, other: Floats, errors: float = _ERRORS) -> bool:
    """Whether the errors of one model are clearly larger than those of another."""
    gain = one - other
    return bool(gain.mean() > errors * gain.std() / np.sqrt(len(gain)))


def _turning_points(fit: Floats, least: float) -> list[int]:
    """Places at which a curve turns, by turns of at least so much."""
    found: list[int] = []
    low = high = 0
    direction = 0
    for place, value in enumerate(fit):
        low, high = (place if value < fit[low] else low), (place if value > fit[high] else high)
        if direction >= 0 and fit[high] - value >= least:
            found += [high] if direction > 0 else []
            direction, low = -1, place
        elif direction <= 0 and value - fit[low] >= least:
            found += [low] if direction < 0 else []
            direction, high = 1, place
        if direction > 0:
            low = place
        elif direction < 0:
            high = place
    return found


def _slope(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope of a line and its standard error."""
    centred = x - x.mean()
    inner = float(centred @ centred)
    if inner == 0:
        return 0.0, 1.0
    slope = float(centred @ y) / inner
    rest = y - y.mean() - slope * centred
    return slope, float(np.sqrt(rest @ rest / max(len(y) - 2, 1) / inner))
