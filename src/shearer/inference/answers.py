"""What a test answers."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

# Of a constant, or of labels of which every row has one of its own.
UNTESTABLE = "no similarity varies, or too few rows are alike"


@dataclass(frozen=True)
class Component:
    """One statistic within a test.

    Attributes
    ----------
    name : str
        What it looks at.
    statistic : float
        Its value.
    pvalue : float
        Its own p-value.
    skewness : float
        Of its null distribution; nan where that was not needed.
    weight : float
        What it counts for among the others.

    Examples
    --------
    >>> import shearer as sh
    >>> x = list(range(20))
    >>> parts = sh.independence_test(x, x).components
    >>> len(parts), round(sum(part.weight for part in parts), 6)
    (9, 0.95)
    """

    name: str
    statistic: float
    pvalue: float
    skewness: float = float("nan")
    weight: float = 1.0


@dataclass(frozen=True)
class TestResult:
    """The answer of a test of independence.

    Attributes
    ----------
    statistic : float
        The statistic; larger is more dependent. nan: there was nothing to test, as of a constant.
    pvalue : float
        Chance of a statistic at least as large if the variables are independent; 1 where there was nothing to test.
    method : str
        How the p-value was found.
    components : tuple of Component
        The statistics that were joined, where there are several.
    null_distribution : array or None
        Values of the statistic under permutation, where permutations were drawn.
    rows : int
        Observations used.
    names : tuple of str
        The variables.
    residual : float
        Largest share of a similarity that features left out of the test, where it was made of features: that costs
        power and no validity. Next to 0 up to 256 rows.

    Examples
    --------
    >>> import shearer as sh
    >>> result = sh.independence_test(list(range(20)), list(range(20)))
    >>> result.pvalue < 0.001, result.method, result.rows
    (True, 'aggregated', 20)
    """

    __test__ = False  # not a test for pytest to collect

    statistic: float
    pvalue: float
    method: str
    components: tuple[Component, ...] = ()
    null_distribution: NDArray[np.float64] | None = field(default=None, repr=False)
    rows: int = 0
    names: tuple[str, ...] = ()
    residual: float = 0.0

    def __str__(self) -> str:
        """One line."""
        if math.isnan(self.statistic):
            return f"{', '.join(self.names)}: not tested, {UNTESTABLE} ({self.rows} rows)"
        found = f"statistic {self.statistic:.4g}, p = {self.pvalue:.3g}"
        return f"{', '.join(self.names)}: {found} ({self.method}, {self.rows} rows)"


@dataclass(frozen=True)
class ConditionalResult(TestResult):
    """The answer of a test given conditions.

    Attributes
    ----------
    given : tuple of str
        The conditions.
    explained : tuple of float
        Share of the variance of each of the two variables that the conditions explain, by cross-validation.
    scores : tuple of float
        How alike what is left of each variable still is among rows of nearly the same conditions, in standard
        deviations: well above 2, a regression missed something. 0 with labels alone.
    warning : str
        Why a small p-value may not be trusted, or nothing.
    reason : str
        Why nothing can be said: the p-value is then nan, or 1 where a variable is constant.
    left : tuple of array (n, d)
        What the conditions leave of each of the two variables, a column for each coordinate or level, of mean 0 and
        variance 1 and divided by its spread where this changes with the conditions: to be looked at. Empty where
        nothing can be said.

    Notes
    -----
    `residual` is here the share of a similarity of the conditions that features leave out of the chosen regressions.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> z, noise = np.random.default_rng(0).normal(size=(2, 100))
    >>> result = sh.independence_test(z + noise, z - noise, given=z)
    >>> result.pvalue < 1e-6, result.warning, [0.3 < share < 0.7 for share in result.explained]
    (True, '', [True, True])
    """

    given: tuple[str, ...] = ()
    explained: tuple[float, float] = (math.nan, math.nan)
    scores: tuple[float, float] = (0.0, 0.0)
    warning: str = ""
    reason: str = ""
    left: tuple[NDArray[np.float64], ...] = field(default=(), repr=False, compare=False)

    def __str__(self) -> str:
        """One line, and another for a warning."""
        names, given = ", ".join(self.names), ", ".join(self.given)
        if self.reason:
            return f"{names} given {given}: not tested, {self.reason} ({self.rows} rows)"
        shares = " and ".join(f"{share:.0%}" for share in self.explained)
        found = f"p = {self.pvalue:.3g}, {given} explaining {shares} ({self.method}, {self.rows} rows)"
        return f"{names} given {given}: {found}" + (f"\nwarning: {self.warning}" if self.warning else "")
