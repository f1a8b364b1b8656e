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
        Of its null law; nan where that was not needed.
    weight : float
        What it counts for among the others.
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
