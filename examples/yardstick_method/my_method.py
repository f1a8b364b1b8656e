"""Kendall's tau as an entry of the yardstick: put your own method in its place."""

from typing import Any

from scipy.stats import kendalltau

from shearer.yardstick import Method


def pvalue(x: Any, y: Any) -> float:
    """The probability of so large a tau if x and y are independent."""
    return float(kendalltau(x, y).pvalue)


def value(x: Any, y: Any) -> float:
    """How strongly x and y depend, from 0 to 1."""
    return abs(float(kendalltau(x, y).statistic))


TAKES = {"labels": "refused", "vectors": False, "source": "scipy.stats.kendalltau at its defaults"}
kendall = Method("Kendall", pvalue, ("independence",), **TAKES)
kendall_value = Method("|Kendall|", value, ("strength",), **TAKES)
