"""p-values and chance-adjusted values of all pairs, from joint entropies at alpha = 2 and sums of each variable.

The permutation moments of a pair are bilinear in sums of the two variables (`shearer.inference.moments`), so all pairs
take a few outer products beyond the matrix product that gave their entropies.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer.inference.aggregated import LARGEST_SATURATION, SMALLEST_SPREAD
from shearer.inference.centring import LARGEST_SKEWNESS
from shearer.inference.moments import PAIRS, TRIPLES, Sums, falling
from shearer.inference.pvalue import half_cauchy, pearson3_tail
from shearer.inference.similarity import Rung
from shearer.kernels.gram import Gram

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Marginals:
    """What all pairs need of the variables, one entry each.

    Attributes
    ----------
    mean : array (p,)
        Mean similarity M = K o K off the diagonal.
    row_sums : array (p, n)
        Sums of the rows of M.
    usable : array (p,)
        False where nearly all rows are unlike, or all alike: tails fail, or nothing varies.
    raw, centered : dict of name -> array (p,)
        Means over the ways in which two or three edges meet, of the two centred forms.
    """

    mean: Floats
    row_sums: Floats
    usable: NDArray[np.bool_]
    raw: dict[str, Floats]
    centered: dict[str, Floats]


def marginals(similarities: Sequence[Gram]) -> Marginals:
    """The sums of every variable, from the operators of M = K o K; one symmetric product each."""
    raw, centered, sums, usable = [], [], [], []
    for operator in similarities:
        matrix = np.array(operator.dense(), dtype=np.float64)
        np.fill_diagonal(matrix, 0.0)
        rung = Rung(matrix)
        sums.append(matrix.sum(axis=1))
        forms = (rung.raw.sums, rung.centered.sums) if rung.known is None else (rung.known.raw, rung.known.centered)
        raw.append(forms[0].means())
        centered.append(forms[1].means())
        usable.append(_varies(forms[1]) and rung.saturation <= LARGEST_SATURATION)
    n = similarities[0].n
    rows = np.array(sums)
    columns = [{name: np.array([item[name] for item in form]) for name in form[0]} for form in (raw, centered)]
    return Marginals(rows.sum(axis=1) / (n * (n - 1)), rows, np.array(usable), *columns)


def pair_pvalues(left: Marginals, right: Marginals, joint: Floats) -> Floats:
    """p-value of every pair: the raw and the centred statistic, joined; 1 where nothing can be said."""
    n = left.row_sums.shape[1]
    products = (n**2 * np.exp2(-np.asarray(joint, dtype=np.float64)) - n) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = products / np.multiply.outer(left.mean, right.mean) - n * (n - 1) / 2
    totals = np.multiply.outer(left.row_sums.sum(axis=1), right.row_sums.sum(axis=1))
    centered = products - left.row_sums @ right.row_sums.T / (n - 2) + totals / (2 * (n - 1) * (n - 2))
    forms = ((raw, left.raw, right.raw), (centered, left.centered, right.centered))
    usable = np.logical_and.outer(left.usable, right.usable)
    if left is right:  # symmetric, and the diagonal is no test: half of the tails will do
        usable = np.triu(usable, 1)
    tails = np.stack([_tails(*form, n, usable) for form in forms], axis=-1)
    valid = np.isfinite(tails)
    filled = np.where(valid, tails, 1.0)
    pvalue = np.ones(usable.shape)
    pvalue[usable] = np.where(valid.all(axis=-1), half_cauchy(filled), filled.min(axis=-1))
    return np.minimum(pvalue, pvalue.T) if left is right else pvalue


def pair_adjusted(left: Marginals, right: Marginals, information: Floats, own: tuple[Floats, Floats]) -> Floats:
    """Chance-adjusted I: 0 in expectation under independence, 1 for copies up to scale and shift.

    Parameters
    ----------
    left, right : Marginals
        Sums of the variables.
    information : array
        I in bits at alpha = 2 of every pair.
    own : pair of arrays
        I of each variable with itself.
    """
    n = left.row_sums.shape[1]
    scale = np.multiply.outer(left.mean, right.mean)
    expected = n + scale * n * (n - 1)
    variance = scale**2 * _second(left.raw, right.raw, n)
    entropies = [-np.log2((1 + (n - 1) * side.mean) / n) for side in (left, right)]
    chance = np.add.outer(*entropies) + np.log2(expected / n**2) - 2 * variance / (expected**2 * math.log(2))
    room = np.add.outer(*own) / 2 - chance
    with np.errstate(divide="ignore", invalid="ignore"):
        adjusted: Floats = np.where(room > 1e-12, (information - chance) / room, 0.0)
    return adjusted


def own_information(similarities: Sequence[Gram]) -> Floats:
    """I of every variable with itself, at alpha = 2."""
    found = []
    for operator in similarities:
        matrix = np.asarray(operator.dense(), dtype=np.float64)
        found.append(np.log2(np.sum(matrix * matrix) * matrix.size / np.sum(matrix) ** 2))
    return np.array(found)


def _tails(
    statistic: Floats, left: dict[str, Floats], right: dict[str, Floats], n: int, wanted: NDArray[np.bool_]
) -> Floats:
    """Upper tails of the wanted pairs, flat; nan where the law does not vary or is too skewed."""
    second = _second(left, right, n)
    third = np.zeros_like(second)
    for name, (vertices, share, _) in TRIPLES.items():
        third += falling(n, vertices) * share * np.multiply.outer(left[name], right[name])
    statistic, second, third = statistic[wanted], second[wanted], third[wanted]
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(second)
        skewness = third / deviation**3
        tail = pearson3_tail(statistic / deviation, skewness)
    tails: Floats = np.where((second > 0) & (np.abs(skewness) <= LARGEST_SKEWNESS), tail, np.nan)
    return tails


def _second(left: dict[str, Floats], right: dict[str, Floats], n: int) -> Floats:
    """Variance of the statistic of every pair."""
    total = np.zeros((len(left["B"]), len(right["B"])))
    for name, (vertices, share) in PAIRS.items():
        total += falling(n, vertices) * share * np.multiply.outer(left[name], right[name])
    return total


def _varies(form: Sums) -> bool:
    return SMALLEST_SPREAD**2 * form.n * (form.n - 1) < form.B
