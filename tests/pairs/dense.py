"""Tests of pairs by whole centered matrices, as the definitions say: what the engine is compared with."""

import numpy as np

from shearer.pairs import limits
from shearer.pairs.null_law.combined_pvalue import half_cauchy
from shearer.pairs.null_law.moments import PAIRS, TRIPLES, falling, form_of, sums_of
from shearer.pairs.null_law.pearson3 import upper_tail

SUMS = ("S", "B", "c", "rr", "qr", "rrr", "rxr", "T")


def raw(matrix):
    """M / mean - 1 off the diagonal."""
    n = len(matrix)
    off = matrix - np.diag(np.diag(matrix))
    found = off / (off.sum() / (n * (n - 1))) - 1.0
    np.fill_diagonal(found, 0.0)
    return found


def centered(matrix):
    """U-centered: zero row sums, zero diagonal."""
    n = len(matrix)
    off = matrix - np.diag(np.diag(matrix))
    rows = off.sum(axis=1)
    found = off - (rows[:, None] + rows[None, :]) / (n - 2) + rows.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(found, 0.0)
    return found


def form(matrix):
    """Means over the ways in which edges meet, of a centered matrix."""
    sums = sums_of(matrix)
    return form_of(len(matrix), {name: getattr(sums, name) for name in SUMS})


def additive(matrix):
    """The part g of M / mean - 1 = u / mean + g_i + g_j, from the row sums."""
    n = len(matrix)
    return raw(matrix).sum(axis=1) / (n - 2)


def covariance(first, second):
    """Two-sided tail of the sum of products of two vectors by its exact moments; None where it cannot vary."""
    n = len(first)
    variance = (first @ first) * (second @ second) / (n - 1)
    if min(first @ first, second @ second) <= n * 1e-18:
        return None
    z = first @ second / np.sqrt(variance)
    skewness = n * np.sum(first**3) * np.sum(second**3) / ((n - 1) * (n - 2) * variance**1.5)
    if abs(skewness) > 3:
        return None
    return min(1.0, 2 * min(float(upper_tail(z, skewness)), float(upper_tail(-z, -skewness))))


def component(first, second):
    """Upper tail of the sum of products of two centered matrices, by its exact moments; None where it cannot vary."""
    n = len(first)
    left, right = form(first), form(second)
    ways = (*PAIRS.values(), *TRIPLES.values())
    terms = [falling(n, way[0]) * way[1] for way in ways]
    second_moment = np.sum(left.second * right.second * terms[:3])
    third = np.sum(left.third * right.third * terms[3:])
    if min(left.spread, right.spread) <= 1e-9 or second_moment <= 0:
        return None
    skewness = third / second_moment**1.5
    if abs(skewness) > 3:
        return None
    return float(upper_tail(np.vdot(first, second) / 2 / np.sqrt(second_moment), skewness))


def saturated(matrix):
    n = len(matrix)
    total = matrix.sum() - np.trace(matrix) + n
    return np.log2(n**2 / total) > 0.85 * np.log2(n)


def components(first, second):
    """Of two ladders of similarity matrices: p-values and weights, of both forms at the rungs that have a weight.

    No two matrices meet twice: a ladder of fewer rungs has its last at every further height.
    """
    found, met = [], set()
    highest = max(len(first), len(second)) - 1
    weighted = dict.fromkeys([*limits.CENTERED_WEIGHTS, *limits.ADDITIVE_WEIGHTS])
    for heights in sorted(weighted, key=lambda one: (max(one), one[0] != one[1])):
        places = tuple(min(height, len(ladder) - 1) for height, ladder in zip(heights, (first, second), strict=True))
        if max(heights) > highest or places in met:
            continue
        met.add(places)
        pair = [ladder[place] for ladder, place in zip((first, second), places, strict=True)]
        if not any(saturated(matrix) for matrix in pair):
            found.append((component(*(centered(matrix) for matrix in pair)), limits.CENTERED_WEIGHTS[heights]))
            if heights in limits.ADDITIVE_WEIGHTS:
                found.append((covariance(*(additive(matrix) for matrix in pair)), limits.ADDITIVE_WEIGHTS[heights]))
    return [(p, weight) for p, weight in found if p is not None]


def pvalue(first, second):
    found = components(first, second)
    if not found:
        return 1.0
    pvalues, weights = zip(*found, strict=True)
    return float(half_cauchy(pvalues, weights))
