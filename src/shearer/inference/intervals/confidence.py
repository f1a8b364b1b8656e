"""Confidence intervals for the value that a measure has in the population."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shearer._threads import single_threaded_blas
from shearer._validate import check_option, describe, value_error
from shearer.data import read
from shearer.inference.intervals.row_influences import RowInfluences, rare_cells, row_influences
from shearer.kernels import Kernel
from shearer.measures import Dependence
from shearer.measures.measurable import Measurable
from shearer.measures.registry import by_name
from shearer.spectrum import Request

Floats = NDArray[np.float64]

METHODS = ("influence", "jackknife", "subsampling")
# Groups left out in turn, or pairs of halves: enough for a variance with some twenty degrees of freedom.
_GROUPS = 20
_HALVES = 20
# The bias falls as n^-1 where the spectrum of the kernel decays fast, as about n^-0.6 for Student's t with 3 degrees of
# freedom (rows so far out that none is near them hold a share of n^-0.6). A rate between serves both, and the part of
# the bias that a wrong rate leaves or takes too much counts as an error.
_RATE = 0.8
_DOUBT = 0.4
# Biases of entropies nearly cancel in some measures, as in O-information; what a wrong rate leaves of them need not.
# This part of their sizes, added up, counts as an error too.
_DOUBT_OF_PARTS = 0.05
FEWEST_ROWS = 20
# Rows expected in the rarest cell of the labels if they were independent: below, coverage was measured to fall.
FEWEST_EXPECTED = 10.0
# Degrees of freedom of the spread, at least: below, quantiles say nothing any more.
_FEWEST_DEGREES = 3.0


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Its ends.
    estimate : float
        The measure of all rows with its bias removed: the center.
    value : float
        The measure of all rows as it is.
    standard_error : float
        Of the estimate.
    confidence_level : float
        Share of samples whose interval holds the population value.
    method : str
        How it was found.
    note : str
        Why it may hold the population value less often than stated; empty if nothing is known against it.
    rarest : float
        Rows expected in the rarest cell of the labels if they were independent; infinity without labels.
    """

    low: float
    high: float
    estimate: float
    value: float
    standard_error: float
    confidence_level: float
    method: str
    note: str = ""
    rarest: float = math.inf

    @property
    def reliable(self) -> bool:
        """True if nothing is known against it."""
        return not self.note

    def __str__(self) -> str:
        """One line."""
        words = f"{self.confidence_level:.0%}, {self.method}" + (f"; {self.note}" if self.note else "")
        return f"{self.estimate:.4g} [{self.low:.4g}, {self.high:.4g}] ({words})"


@single_threaded_blas()
def confidence_interval(
    *data: Any,
    measure: str = "mutual_information",
    normalize: bool | str = True,
    confidence_level: float = 0.95,
    method: str = "influence",
    given: Any = None,
    alpha: float = 1.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    memory: str | float | None = None,
    rng: np.random.Generator | int | None = 0,
) -> Interval:
    """Interval for the value of a measure in the population, with the widths of this sample.

    A measure of n rows lies above its population value (n to infinity, same kernel, same width) by an amount that falls
    about as fast as 1/n. Every method estimates and removes it. Rows must be independent of each other.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        The variables; see `Dependence`. At least 20 rows.
    measure : str, default "mutual_information"
        Any of `shearer.Dependence.measure`, such as "total_correlation" or "entropy".
    normalize : bool or str, default True
        As in the function of that name; True is bits where there are only bits.
    confidence_level : float, default 0.95
        Between 0 and 1.
    method : {"influence", "jackknife", "subsampling"}
        "influence": each row is left out in turn, all of them by one decomposition of each entropy; bias and spread of
        the entropies give those of the measure. The quickest, and no random choice up to 20,000 rows. "jackknife":
        each of 20 random groups of rows is left out in turn; quantiles of Student's t. "subsampling": 20 random halves
        of the rows, with their complements; normal quantiles. Somewhat too narrow.
    given, alpha, kernel, groups, missing, memory
        As in `Dependence`. At alpha = 0, where an entropy is the logarithm of a rank and no row has an influence,
        "influence" takes groups as "jackknife" does.
    rng : int, Generator or None
        Source of the groups, and of the rows that stand for all where there are more than 20,000.

    Returns
    -------
    Interval
        With ends that are not cut off at 0 or 1. Its `note` says if cells of labels are too rare for it.

    Notes
    -----
    For independent variables the population value is 0, the edge of what is possible at alpha = 1. There the measure
    varies by 1/n instead of 1/sqrt(n) and the bias is most of it: the interval is wider than it needs to be, covers 0
    more often than stated, and its lower end is mostly negative. To decide if there is dependence, use a test.
    With heavy tails the bias falls more slowly than 1/n; the error allows for that, but at 100 rows some of it remains.
    Coverage is measured in ``experiments/coverage.py`` and tabulated in the documentation.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.inference.intervals.confidence import confidence_interval
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=100)
    >>> found = confidence_interval(x, x + rng.normal(size=100))
    >>> 0 < found.low < found.estimate < found.high < 0.5, found.estimate < found.value
    (True, True)
    >>> found.method, found.reliable
    ('influence of 100 rows', True)
    >>> rare = confidence_interval(np.arange(100) < 4, np.arange(100) % 20 == 0)
    >>> rare.note
    'rare cells: 0.2 rows expected in the rarest, fewer than 10'
    """
    check_option("measure", measure, by_name())
    request = Request.checked(alpha, memory, None, rng)
    table = read(*data, given=given, groups=groups, missing=missing, vector=measure == "entropy")
    whole = Dependence.of_table(table, request, kernel)
    return interval_of(whole, measure, normalize, confidence_level, method, request.seed)


def interval_of(
    whole: Dependence, measure: str, normalize: bool | str, confidence_level: float, method: str, seed: int
) -> Interval:
    """The interval of a measure of variables that were read already; see `confidence_interval`."""
    check_option("method", method, METHODS)
    level = _check_level(confidence_level)
    if whole.rows < FEWEST_ROWS:
        hint = "Fewer leave too little to estimate the spread from."
        raise value_error("data", f"at least {FEWEST_ROWS} rows", f"{whole.rows}", hint)

    def value(noun: Measurable) -> float:
        return float(noun.measure(measure, normalize=normalize))

    expected = rare_cells(whole)
    generator = np.random.default_rng(seed)
    if method == "influence" and whole.alpha > 0:
        found = row_influences(whole, value, generator)
        estimate, error, degrees = _by_influence(found)
        quantile, full, words = float(special.stdtrit(degrees, (1 + level) / 2)), found.value(), found.words
    elif method == "subsampling":
        full = value(whole)
        estimate, error = _subsampling(whole, full, value, generator)
        quantile, words = float(special.ndtri((1 + level) / 2)), f"subsampling of {2 * _HALVES} halves"
    else:
        full = value(whole)
        estimate, error = _jackknife(whole, full, value, generator)
        quantile, words = float(special.stdtrit(_GROUPS - 1, (1 + level) / 2)), f"jackknife of {_GROUPS} groups"
    reach = quantile * error
    return Interval(
        estimate - reach, estimate + reach, estimate, full, error, level, words, note_on(expected), expected
    )


def note_on(rarest: float) -> str:
    """What is to be said of an interval where so many rows are expected in the rarest cell of the labels.

    Examples
    --------
    >>> note_on(0.4)
    'rare cells: 0.4 rows expected in the rarest, fewer than 10'
    >>> note_on(25.0)
    ''
    """
    if rarest >= FEWEST_EXPECTED:
        return ""
    return f"rare cells: {rarest:.2g} rows expected in the rarest, fewer than {FEWEST_EXPECTED:g}"


def _by_influence(found: RowInfluences) -> tuple[float, float, float]:
    """The measure of entropies without their bias, its standard error, and the degrees of freedom of that.

    The variance of a variance from n values of kurtosis k is that of one with 2n/(k - 1) degrees of freedom.
    """
    bias = found.bias(_RATE)
    full, estimate = found.value(), found.value(-bias)
    parts = sum(abs(full - found.value(-bias * same)) for same in found.alike())
    spread, kurtosis = found.spread()
    degrees = max(_FEWEST_DEGREES, 2.0 * len(found.changes) / max(kurtosis - 1.0, 1.0))
    return estimate, math.hypot(spread, _DOUBT * (full - estimate), _DOUBT_OF_PARTS * parts), degrees


def _jackknife(
    whole: Dependence, full: float, value: Callable[[Measurable], float], rng: np.random.Generator
) -> tuple[float, float]:
    """Leave one group out at a time (Quenouille 1956, Tukey 1958)."""
    groups = np.array_split(rng.permutation(whole.rows), _GROUPS)
    parts = np.array([value(whole.on_rows(_without(whole.rows, group))) for group in groups])
    kept = float(np.mean([whole.rows - len(group) for group in groups]))
    variance = (_GROUPS - 1) / _GROUPS * float(np.sum((parts - parts.mean()) ** 2))
    return _corrected(full, float(parts.mean()), whole.rows / kept, variance)


def _subsampling(
    whole: Dependence, full: float, value: Callable[[Measurable], float], rng: np.random.Generator
) -> tuple[float, float]:
    """Halves and their complements (Politis, Romano and Wolf 1999)."""
    n, half = whole.rows, whole.rows // 2
    orders = [rng.permutation(n) for _ in range(_HALVES)]
    parts = np.array([value(whole.on_rows(rows)) for order in orders for rows in (order[:half], order[half:])])
    # Drawn without replacement, a half varies by 1/half - 1/n = 1/n in units of one row: as much as all rows do.
    return _corrected(full, float(parts.mean()), 2.0, float(np.mean((parts - parts.mean()) ** 2)))


def _corrected(full: float, part: float, ratio: float, variance: float) -> tuple[float, float]:
    """The measure without its bias, from its mean over parts with `ratio` times fewer rows; and its standard error.

    A bias of c n^-rate makes part - full = full's bias times (ratio^rate - 1).
    """
    bias = (part - full) / (ratio**_RATE - 1.0)
    return full - bias, math.hypot(math.sqrt(variance), _DOUBT * bias)


def _without(n: int, group: NDArray[np.intp]) -> NDArray[np.intp]:
    kept = np.ones(n, dtype=bool)
    kept[group] = False
    return np.flatnonzero(kept)


def _check_level(level: Any) -> float:
    if isinstance(level, bool) or not isinstance(level, int | float | np.floating) or not 0 < level < 1:
        raise value_error("confidence_level", "a number between 0 and 1", describe(level))
    return float(level)
