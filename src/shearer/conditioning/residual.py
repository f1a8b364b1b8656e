"""What conditions leave of a variable, as features.

With m(z) the regression of x on the conditions z, the pair (x, z) and the pair (x - m(z), z) tell the same. So that not
x but what is left of it is turned into features: in models with additive noise these depend on the conditions hardly at
all, and the second regression, of each feature, has little to find. Features of x itself would depend on them in
complicated ways.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer.conditioning import constants
from shearer.conditioning.designs import Conditions, gaussian_grams, leading, split_blocks, standardized
from shearer.conditioning.ridge import Fit, Smoother
from shearer.data.variables import Variable
from shearer.kernels.delta import DeltaGram
from shearer.pairs.features import LevelFeatures, fit
from shearer.pairs.rungs import sample_rows

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_LIKE = np.empty(0)


@dataclass(frozen=True, eq=False)
class Parts:
    """A variable as it is tested: numbers, and codes of a label.

    Attributes
    ----------
    numbers : array (n, d)
        Standardised coordinates; none where they take few values.
    codes : array (n,) or None
        Of labels, and of numbers that take few values.
    """

    numbers: Floats
    codes: Indices | None

    @classmethod
    def of(cls, variable: Variable) -> "Parts":
        """From a variable in numpy."""
        numbers, labels = split_blocks([variable])
        if numbers.shape[1]:
            few = _few_values(numbers)
            if few is not None:
                labels.append(few)
                numbers = numbers[:, :0]
        codes = None
        if labels:
            codes = np.unique(np.column_stack(labels), axis=0, return_inverse=True)[1].reshape(-1)
        return cls(leading(numbers, constants.MOST_COORDINATES), codes)

    @property
    def is_constant(self) -> bool:
        """Whether nothing varies."""
        return int(self.numbers.shape[1]) == 0 and self.codes is None

    @property
    def levels(self) -> Floats:
        """One column for each of the most frequent levels but the last."""
        if self.codes is None:
            return np.empty((len(self.numbers), 0))
        features = LevelFeatures.fit(DeltaGram(self.codes, _LIKE))
        order = np.argsort(-features.offset, kind="stable")[: constants.MOST_TESTED_LEVELS]
        order = order[: features.rank - 1] if len(order) == features.rank else order
        return standardized(features.of(slice(0, len(self.codes)))[:, order])

    def features(self, left: Floats) -> tuple[Floats, Floats]:
        """Linear and further features of what is left of the numbers."""
        if not self.numbers.shape[1]:
            return left, left[:, :0]
        left = standardized(left)
        fixed = None if self.codes is None else DeltaGram(self.codes, _LIKE)
        gram = gaussian_grams(left, (constants.COMPONENT_BITS,), fixed)[0]
        found = fit(gram, sample_rows(left, constants.SAMPLE_ROWS), constants.LEFT_OUT)
        n = len(left)
        count = constants.MORE_COMPONENTS if n >= constants.MORE_ROWS else constants.FEW_COMPONENTS
        columns = np.concatenate([found.of(slice(k, k + 65536))[:, -count:] for k in range(0, n, 65536)])
        return leading(left, constants.MOST_LINEAR), standardized(columns)


def _few_values(numbers: Floats) -> Indices | None:
    """Codes of numbers that take few values."""
    some = np.unique(numbers[:1000], axis=0)
    if len(some) > constants.FEW_VALUES:
        return None
    values, codes = np.unique(numbers, axis=0, return_inverse=True)
    return codes.reshape(-1) if len(values) <= constants.FEW_VALUES else None


def _spread(left: Floats, leverages: Floats, base: Floats, smoothers: Sequence[Smoother]) -> Floats:
    """How large residuals are at each row's conditions, as a regression of their sizes says; 1 where it says little.

    Residuals over their spread tell the same, given the conditions; a few rows of large spread no longer drown the
    others, and in models of location and scale what is then left does not depend on the conditions at all. A row that
    draws the fit to itself has a residual that is too small for its spread, which is made good. Where the smoothest
    of the good fits is taken a link is not lost in the noise of the spread.

    Parameters
    ----------
    left, leverages : array (n, d)
        Residuals of each coordinate, and how far each row draws the fit at itself.
    base : array (n, u)
        What is fitted without a penalty.
    smoothers : sequence of Smoother
        Regressions to choose from.
    """
    sizes = np.abs(left) / np.sqrt(np.maximum(1.0 - leverages, constants.LEAST_LEFT_AT_ROW))
    sizes /= sizes.mean(axis=0)
    start = Fit.start(sizes, np.ones((len(left), 1)) / np.sqrt(len(left)))
    found = Fit.start(sizes, base).further(smoothers, slack=0.0, most=constants.SPREAD_SHARE)
    clear = found.criterion() < (1.0 - constants.LEAST_SPREAD_SHARE) * start.criterion()
    spread = np.maximum(sizes - found.residuals, constants.SMALLEST_SPREAD)
    return np.where(clear, spread, 1.0)


@dataclass(frozen=True, eq=False)
class Residual:
    """Features of what conditions leave of a variable.

    Attributes
    ----------
    features : array (n, r)
        Of mean 0 and variance 1; the linear ones first.
    linear : int
        How many are linear.
    precision : array (n,)
        One over the spread of the residuals at each row's conditions, in the mean over coordinates; 1 where it is the
        same everywhere.
    freedom : float
        Degrees of freedom that the regression of the variable spent.
    explained : float
        Share of its variance that the conditions explain, by cross-validation.
    score : float
        How alike its residuals are among rows of nearly the same conditions, in standard deviations.
    left_out : float
        Share of a similarity of the conditions that the features of the chosen regression leave out.
    """

    features: Floats
    linear: int
    precision: Floats
    freedom: float
    explained: float
    score: float
    left_out: float

    @property
    def is_determined(self) -> bool:
        """Whether the conditions leave nothing."""
        return int(self.features.shape[1]) == 0

    @classmethod
    def of(cls, parts: Parts, conditions: Conditions) -> "Residual":
        """Regress a variable, then the features of what is left."""
        columns = np.column_stack([parts.numbers, parts.levels])
        start = Fit.start(columns, conditions.base)
        linear = columns - start.residuals
        found = start.further(conditions.smoothers, fine=True)
        score = conditions.neighbors.score(found)
        left_out = max((c.smoother.left_out for c in found.choices if c.smoother is not None), default=0.0)
        own = []
        if conditions.several:
            fitted = columns - found.residuals
            same = found.choices[0].smoother is None  # what was fitted to the first is linear already
            own = list(conditions.of_index(np.column_stack([linear[:, :1], fitted[:, int(same) : 2]])))
            found = found.further(own)
        explained = float(np.clip(1.0 - np.mean(found.criterion()), 0.0, 1.0))
        kept, precision = np.mean(found.residuals**2, axis=0) > constants.SMALLEST_LEFT, np.ones(len(columns))
        if not kept.any():
            return cls(np.empty((len(columns), 0)), 0, precision, float(found.freedom.max()), 1.0, 0.0, left_out)
        count = parts.numbers.shape[1]
        direct, levels = found.residuals[:, :count][:, kept[:count]], found.residuals[:, count:][:, kept[count:]]
        freedom = float(found.freedom.max())
        if direct.shape[1]:
            smoothers = [*conditions.smoothers, *own]
            spread = _spread(direct, found.leverages()[:, :count][:, kept[:count]], conditions.base, smoothers)
            precision = 1.0 / spread.mean(axis=1)
            direct, further = parts.features(direct / spread)
            further = Fit.start(further, conditions.base).further(smoothers).residuals
            further = further[:, np.mean(further**2, axis=0) > constants.SMALLEST_LEFT]
        else:
            further = direct
        first = standardized(np.column_stack([direct, levels]))
        rest = standardized(further)
        return cls(np.column_stack([first, rest]), first.shape[1], precision, freedom, explained, score, left_out)
