"""All pairs of variables given the same conditions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._progress import track
from shearer._threads import single_threaded_blas
from shearer._validate import value_error
from shearer.conditioning.pair import PairsGiven
from shearer.data import read
from shearer.inference.pvalue import adjusted_pvalues
from shearer.screening.frames import make_frame, pick_names

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairwiseGiven:
    """Independence of all pairs of variables given the same conditions.

    Attributes
    ----------
    pvalue, qvalue : array (p, p)
        Of independence of each pair given the conditions, and the same for a false discovery rate; nan where nothing
        can be said, 1 on the diagonal.
    warned : array of bool (p, p)
        Where a small p-value may not be trusted.
    explained : array (p,)
        Share of the variance of each variable that the conditions explain; nan of a constant.
    names, given : tuple of str
        The variables and the conditions.
    rows : int
        Observations used.
    library : str
        Whose tables `to_frame` makes.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> z, e, f = np.random.default_rng(0).normal(size=(3, 60))
    >>> found = sh.pairwise({"z": z, "a": z + e, "b": z + f}, given="z")
    >>> found.names, found.pvalue.shape
    (('a', 'b'), (2, 2))
    """

    pvalue: Floats
    qvalue: Floats
    warned: NDArray[np.bool_]
    explained: Floats
    names: tuple[str, ...]
    given: tuple[str, ...]
    rows: int
    library: str

    def to_frame(self) -> Any:
        """One row for each pair, the smallest p-values first: first, second, pvalue, qvalue, warned."""
        first, second = np.triu_indices(len(self.names), 1)
        order = np.argsort(self.pvalue[first, second], kind="stable")  # nan last
        first, second = first[order], second[order]
        columns = {
            "first": pick_names(self.names, first),
            "second": pick_names(self.names, second),
            "pvalue": self.pvalue[first, second],
            "qvalue": self.qvalue[first, second],
            "warned": self.warned[first, second],
        }
        return make_frame(columns, self.library)


@single_threaded_blas()
def pairs_given(
    *data: Any, given: Any, groups: Mapping[str, Iterable[str]] | None, missing: str, progress: bool | None
) -> PairwiseGiven:
    """All pairs of the variables of a table given some of its columns; options as in `pairwise`."""
    table = read(*data, given=given, groups=groups, missing=missing).as_numpy()
    count = table.free
    if count < 2:
        raise value_error("data", "at least 2 variables besides given", f"{count}")
    tests = PairsGiven(table.variables[:count], table.variables[count:])
    pvalue, warned = np.ones((count, count)), np.zeros((count, count), dtype=bool)
    explained = np.full(count, np.nan)
    pairs = [(int(i), int(j)) for i, j in zip(*np.triu_indices(count, 1), strict=True)]
    for i, j in track(pairs, len(pairs), "pairs given others", progress):
        answer = tests.answer(i, j)
        pvalue[i, j] = pvalue[j, i] = answer.pvalue
        warned[i, j] = warned[j, i] = bool(answer.warning)
        explained[[i, j]] = np.fmax(explained[[i, j]], answer.explained)
    upper = np.triu_indices(count, 1)
    found = pvalue[upper]
    known = np.isfinite(found)
    adjusted = np.full(found.shape, np.nan)
    adjusted[known] = adjusted_pvalues(found[known]) if known.any() else found[known]
    qvalue = np.ones((count, count))
    qvalue[upper] = adjusted
    qvalue.T[upper] = adjusted
    names = table.names[:count]
    return PairwiseGiven(pvalue, qvalue, warned, explained, names, table.given, table.rows, table.library)
