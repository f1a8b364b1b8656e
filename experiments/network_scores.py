"""Scores of all pairs of variables by many methods, and how well they rank known links.

A family is a function from a matrix (rows, variables) to named symmetric matrices of scores. Families of comparators
join where `shearer.comparators` has them.
"""

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.feature_selection import mutual_info_regression
from sklearn.metrics import average_precision_score, mutual_info_score, roc_auc_score

import shearer as sh
from shearer.data import read
from shearer.kernels import Gaussian, bandwidth
from shearer.pairs.engine import PairTests
from shearer.tools.networks.indirect import context_likelihood

Floats = NDArray[np.float64]
Scores = Iterator[tuple[str, Floats]]

# The order of the authors' demo, and the one at which all pairs are a matrix product.
PAPER_ORDER = 1.01
NORMALISATIONS = ("max", "min", "joint", "mean", "sqrt")
MULTIPLES = (0.5, 2.0, 3.0, 5.0, 10.0)
# MINE trains a network for each pair, and the others of `shearer.comparators` are the same as these or slower.
COMPARATORS = {
    "MIC": "mic",
    "dCor": "distance_correlation",
    "HSIC": "hsic",
    "RDC": "rdc",
    "xi": "chatterjee_xi",
}
_SMALLEST = 1e-300


def widths() -> dict[str, str | bandwidth.Rule]:
    """Every rule by name, and multiples of the median distance."""
    rules: dict[str, str | bandwidth.Rule] = {name: name for name in bandwidth.RULES}
    return rules | {f"{factor:g} median": _scaled_median(factor) for factor in MULTIPLES}


def _scaled_median(factor: float) -> bandwidth.Rule:
    return lambda values: factor * bandwidth.median(values)


def as_they_are(X: Floats) -> Floats:
    return X


def normal_scores(X: Floats) -> Floats:
    """Each column as the normal quantiles of its ranks."""
    return ndtri((rankdata(X, axis=0) - 0.5) / len(X))


FORMS: dict[str, Callable[[Floats], Floats]] = {"": as_they_are, "normal scores, ": normal_scores}


def correlations(X: Floats) -> Scores:
    yield "Pearson, signed", np.corrcoef(X.T)
    yield "Pearson", np.abs(np.corrcoef(X.T))
    yield "Spearman", np.abs(np.corrcoef(rankdata(X, axis=0).T))
    yield "normal scores, Pearson", np.abs(np.corrcoef(normal_scores(X).T))


def bins(X: Floats) -> Scores:
    """Plug-in mutual information of equally wide bins; the paper does not say how many."""
    for count in (5, 10, 20):
        codes = [np.digitize(x, np.linspace(x.min(), x.max(), count + 1)[1:-1]) for x in X.T]
        yield (
            f"MI bin ({count})",
            _all_pairs(X.shape[1], lambda i, j, codes=codes: mutual_info_score(codes[i], codes[j])),
        )


def neighbours(X: Floats) -> Scores:
    """Kraskov, Stögbauer and Grassberger as in scikit-learn, the mean of both directions."""
    for k in (3, 10):
        one_way = np.array([mutual_info_regression(X, x, n_neighbors=k, random_state=0) for x in X.T])
        yield f"MI KSG ({k})", (one_way + one_way.T) / 2


def paper_order(X: Floats) -> Scores:
    """I* at alpha = 1.01: every normalisation at the demo's width, every width at the default normalisation."""
    for form, transform in FORMS.items():
        for norm in NORMALISATIONS:
            kernel = Gaussian("authors-demo")
            found = sh.pairwise(transform(X), alpha=PAPER_ORDER, kernel=kernel, normalize=norm)
            yield f"{form}I*, alpha 1.01, authors-demo, {norm}", found.value
        for name, rule in widths().items():
            if name != "authors-demo":
                found = sh.pairwise(transform(X), alpha=PAPER_ORDER, kernel=Gaussian(rule))
                yield f"{form}I*, alpha 1.01, {name}, max", found.value


def order_two(X: Floats) -> Scores:
    """I*, adjusted I and -log p at alpha = 2, for every width."""
    for form, transform in FORMS.items():
        for name, rule in widths().items():
            found = sh.pairwise(transform(X), kernel=Gaussian(rule))
            yield f"{form}I*, alpha 2, {name}, max", found.value
            yield f"{form}I adjusted, {name}", found.adjusted
            yield f"{form}-log p, {name}", -np.log10(np.maximum(found.pvalue, _SMALLEST))


def aggregated(X: Floats) -> Scores:
    """-log p of the aggregated test, over a ladder of widths."""
    for form, transform in FORMS.items():
        pvalues = PairTests.of(read(transform(X))).pvalues(slice(None), slice(None))
        yield f"{form}-log p, aggregated", -np.log10(np.maximum(pvalues, _SMALLEST))


def _comparator(name: str, attribute: str) -> Callable[[Floats], Scores]:
    def family(X: Floats) -> Scores:
        measure = getattr(sh.comparators, attribute)
        yield name, _all_pairs(X.shape[1], lambda i, j: float(measure(X[:, i], X[:, j])))

    return family


def families() -> dict[str, Callable[[Floats], Scores]]:
    """All families there are here."""
    own = {
        "correlations": correlations,
        "bins": bins,
        "neighbours": neighbours,
        "order 1.01": paper_order,
        "order 2": order_two,
        "aggregated": aggregated,
    }
    known = {name: attribute for name, attribute in COMPARATORS.items() if attribute in sh.comparators.__all__}
    return own | {name: _comparator(name, attribute) for name, attribute in known.items()}


def with_context(scores: Scores) -> Scores:
    """Every score, and how far it stands out among those of either variable (CLR)."""
    for name, matrix in scores:
        found = np.nan_to_num(matrix)
        np.fill_diagonal(found, 0.0)
        yield name, found
        yield f"{name}, CLR", context_likelihood(found)


def rank_quality(scores: Floats, linked: NDArray[np.bool_]) -> dict[str, float]:
    """Area under the ROC curve and average precision of all pairs."""
    upper = np.triu_indices(len(scores), 1)
    truth, score = linked[upper], scores[upper]
    return {
        "auc": round(float(roc_auc_score(truth, score)), 4),
        "aupr": round(float(average_precision_score(truth, score)), 4),
    }


def _all_pairs(count: int, score: Callable[[int, int], float]) -> Floats:
    matrix = np.zeros((count, count))
    for i, j in combinations(range(count), 2):
        matrix[i, j] = matrix[j, i] = score(i, j)
    return matrix
