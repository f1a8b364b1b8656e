"""The divisions of `measures.normalize`, for whole arrays of entropies at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.measures.combination import _no_entropy

Floats = NDArray[Any]


def no_entropy(rows: Any, dtype: np.dtype[Any]) -> Any:
    """Bits below which an entropy of that many rows is round-off: as in the measures, more in single precision."""
    return np.maximum(_no_entropy(rows), 0.0 if dtype == np.float64 else 2.0**-18)


def quotient(top: Floats, bottom: Floats, floor: Any) -> Floats:
    """Top / bottom; 0 where there is no entropy to share, nan where the denominator is negative.

    Examples
    --------
    >>> import numpy as np
    >>> quotient(np.array([1.0, 0.0, 1.0]), np.array([2.0, 0.0, -1.0]), 1e-15)
    array([0.5, 0. , nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Floats = top / bottom
    small = bottom <= floor
    if small.any():
        ratio[small & ~np.isnan(top)] = 0.0
        ratio[bottom < -floor] = np.nan
    return ratio


def mutual_information(first: Floats, second: Floats, joint: Floats, form: bool | str, floor: Any) -> Floats:
    """I in bits (False), over the larger entropy (True, "max"), the smaller, the joint, or a mean of the two."""
    raw: Floats = first + second - joint
    if form is False:
        return raw
    if form == "sqrt":
        # either entropy may be the one that is 0
        return quotient(raw, np.where(np.minimum(first, second) <= floor, 0.0, _root(first * second)), floor)
    if form == "joint":
        return quotient(raw, joint, floor)
    if form == "mean":
        return quotient(raw, (first + second) / 2, floor)
    pick = np.minimum if form == "min" else np.maximum
    return quotient(raw, pick(first, second), floor)


def total_correlation(marginals: Floats, joint: Floats, floor: float) -> Floats:
    """T*: T over the sum of all entropies but the largest (paper Eq. NTC_renyi); one column for each variable."""
    total = marginals.sum(axis=1)
    return quotient(total - joint, total - marginals.max(axis=1), floor)


def dual_total_correlation(rests: Floats, joint: Floats, floor: float) -> Floats:
    """D*: D over the joint entropy (paper Eq. NDTC_renyi); one column for each joint without one variable."""
    count = rests.shape[1]
    return quotient(rests.sum(axis=1) - (count - 1) * joint, joint, floor)


def _root(x: Floats) -> Floats:
    return np.sqrt(np.maximum(x, 0.0))
