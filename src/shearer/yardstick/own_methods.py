"""Shearer's own tests and values, as a caller would get them."""

from collections.abc import Callable
from typing import Any

import numpy as np

import shearer as sh


def own_pvalue(method: str = "auto", measure: str | None = None, alpha: float | None = None) -> Callable[..., float]:
    """`shearer.independence_test` by one of its methods."""
    resamples = 199 if measure or method == "thorough" else 999

    def pvalue(*variables: Any, given: Any = None, rng: int = 0) -> float:
        found = sh.independence_test(
            *variables, given=given, method=method, measure=measure, alpha=alpha, n_resamples=resamples, rng=rng
        )
        return float(found.pvalue)

    return pvalue


def interaction_pvalue(a: Any, b: Any, c: Any) -> float:
    """`shearer.interaction_test`: does a model of pairs explain three variables?"""
    return float(sh.interaction_test(a, b, c).pvalue)


def change_pvalue(x: Any, y: Any, groups: Any) -> float:
    """`shearer.compare` of two groups: the p-value of the one pair."""
    tables = [{"x": x[groups == own], "y": y[groups == own]} for own in np.unique(groups)]
    (pair,) = sh.compare(*tables, progress=False).document["pairs"]
    return float("nan") if pair["pvalue"] is None else float(pair["pvalue"])


def strength(x: Any, y: Any) -> float:
    """`shearer.pairwise(...).strength`."""
    return float(sh.pairwise({"x": x, "y": y}).strength[0, 1])


def adjusted(x: Any, y: Any) -> float:
    """`shearer.pairwise(...).adjusted`: normalised mutual information of order 2 less its mean by chance."""
    return float(sh.pairwise({"x": x, "y": y}).adjusted[0, 1])


def information(x: Any, y: Any) -> float:
    """`shearer.mutual_information` as it is: normalised, order 1."""
    return float(sh.mutual_information(x, y))
