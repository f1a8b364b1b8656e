"""The exact measures of what a scan found: I*, T*, D* and O-information with intervals and adjusted values."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.data.table import Table
from shearer.inference.adjusted_scale import Chance
from shearer.inference.intervals.confidence import FEWEST_ROWS, interval_of
from shearer.inference.threeway.interaction import excess_o_information
from shearer.kernels import Kernel, grams, kernels_among
from shearer.measures import Dependence
from shearer.scanning.details import PairDetails, details_of
from shearer.spectrum import Request, ToleranceError

# Rows beyond which a sample is measured: a spectrum of each joint, and its eigenvectors for the interval.
MOST_ROWS_PAIR, MOST_ROWS_TRIPLE = 2000, 1000
# Certified width of every entropy, in bits: beyond what intervals show, and far cheaper than exact.
TOLERANCE = 1e-4
# The same where round-off forbids that, as at orders below 1/2: what two decimals show. Beyond, a measure is not known.
COARSE_TOLERANCE = 1e-2
# Numbers of the measures, in the order in which a store keeps them; nan where there is none.
PAIR_MEASURES = ("mutual_information", "total_correlation", "dual_total_correlation")
PAIR_FIELDS = (*PAIR_MEASURES, "low", "high", "rarest", *PairDetails._fields)
TRIPLE_FIELDS = ("total_correlation", "dual_total_correlation", "o_information", "adjusted", "low", "high", "rarest")


def measure_pair(
    table: Table,
    positions: tuple[int, ...],
    strength: float,
    request: Request,
    kernel: Kernel | Mapping[str, Kernel] | None,
) -> NDArray[np.float64]:
    """The `PAIR_FIELDS` of a pair."""
    common = table.common(positions)
    sample = common.sample(MOST_ROWS_PAIR, request.seed)
    measures, interval = _measures(sample, PAIR_MEASURES, request, kernels_among(kernel, sample.names))
    return np.array([*measures, *interval, *details_of(common, strength)])


def measure_triple(
    table: Table, positions: tuple[int, ...], request: Request, kernel: Kernel | Mapping[str, Kernel] | None
) -> NDArray[np.float64]:
    """The `TRIPLE_FIELDS` of a triple."""
    sample = table.common(positions).sample(MOST_ROWS_TRIPLE, request.seed)
    own = kernels_among(kernel, sample.names)
    measures, interval = _measures(sample, TRIPLE_FIELDS[:3], request, own)
    adjusted = Chance(grams(sample, own), "total_correlation", replace(request, alpha=2.0)).adjusted(None, None)
    return np.array([*measures, adjusted, *interval])


def measure_kind(
    table: Table, positions: tuple[int, ...], request: Request, kernel: Kernel | Mapping[str, Kernel] | None
) -> NDArray[np.float64]:
    """O-information of a triple at alpha = 1 less its bias, and the error of that."""
    sample = table.common(positions).sample(MOST_ROWS_TRIPLE, request.seed)
    return np.array(excess_o_information(sample, kernels_among(kernel, sample.names), request))


def _measures(
    table: Table, names: tuple[str, ...], request: Request, kernel: Any
) -> tuple[list[float], tuple[float, float, float]]:
    """Measure a table's variables: the measures, the interval of the first, and the rows of the rarest cell of labels.

    nan where round-off leaves nothing of them.
    """
    for tol in (request.tol, COARSE_TOLERANCE):
        noun = Dependence.of_table(table, replace(request, tol=tol), kernel)
        try:
            return [float(getattr(noun, name)()) for name in names], _interval(noun, names[0], request)
        except ToleranceError:
            continue
    return [np.nan] * len(names), (np.nan, np.nan, np.nan)


def _interval(noun: Dependence, measure: str, request: Request) -> tuple[float, float, float]:
    if noun.rows < FEWEST_ROWS:
        return np.nan, np.nan, np.nan
    found = interval_of(noun, measure, True, 0.95, "influence", request.seed)
    return found.low, found.high, found.rarest
