"""Links of nine known networks ranked by ways of ours and by rivals: what the choice of defaults rests on.

usage: python -m experiments.network_rivals [--quick] [--only NAME ...]

DREAM4 networks of 10 genes (five, all 136 rows) and of 100 genes (three, 100 rows), proteins of Sachs et al. (853
observational rows, the 20 links of the consensus); the gold standards without directions. Needs SHEARER_DATA. Writes
experiments/results/network_rivals.json after every case (network/family), and goes on where it stopped.

Rivals: correlations; GENIE3 (Huynh-Thu et al. 2010: 1000 trees for each gene, 200 where there are 100 genes, the square
root of the genes at each split, reduction of variance of the standardised gene, the larger of both directions);
graphical lasso with its penalty by cross-validation, and the penalty at which a link enters, on standardised values and
on normal scores; partial correlations of a shrunken covariance (Ledoit and Wolf); MRNET (Meyer et al. 2007) on normal
information.
"""

import sys
from collections.abc import Callable

import numpy as np
from sklearn.covariance import GraphicalLassoCV, LedoitWolf, graphical_lasso
from sklearn.ensemble import RandomForestRegressor

import shearer as sh
from experiments import network_scores, records
from experiments.network_scores import Floats, Scores, normal_scores, rank_quality
from shearer.data import read
from shearer.datasets import load_dream4, load_sachs
from shearer.tools import DependenceNetwork
from shearer.tools.networks.indirect import context_likelihood, mean_ranks
from shearer.tools.networks.pair_information import PairInformation

NETWORKS = [*(f"10-{k}" for k in range(1, 6)), *(f"100-{k}" for k in range(1, 4)), "sachs"]
# Correlations of two normal variables, whose shares of information are the least that count.
FLOORS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
_QUANTILE_ROWS = 200


def load(name: str) -> tuple[Floats, np.ndarray]:
    size, _, number = name.partition("-")
    known = load_sachs() if name == "sachs" else load_dream4(int(size), int(number))
    return known.data.to_numpy(), known.undirected


def floor_share(correlation: float) -> float:
    """Share of information of two normal variables, by the rows of a grid of quantiles."""
    if correlation == 0:
        return 0.0
    grid = normal_scores(np.arange(_QUANTILE_ROWS, dtype=float)[:, None])[:, 0]
    x, e = (part.ravel() for part in np.meshgrid(grid, grid))
    pair = np.stack([x, correlation * x + np.sqrt(1 - correlation**2) * e], axis=1)
    return float(PairInformation(read(pair), least=0.0).all_pairs()[0, 1])


def in_context(name: str, weights: Floats) -> Scores:
    """Weights as they are, by how far they stand out, and the mean of both ranks."""
    off = np.nan_to_num(weights)
    np.fill_diagonal(off, 0.0)
    yield name, off
    yield f"{name}, clr", context_likelihood(off)
    yield f"{name}, clr-rank", mean_ranks(off, ~np.eye(len(off), dtype=bool))


def information(X: Floats) -> Scores:
    shares = PairInformation(read(X), least=0.0).all_pairs()
    for floor in FLOORS:
        yield from in_context(f"information above {floor:g}", np.where(shares >= floor_share(floor), shares, 0.0))


def strength(X: Floats) -> Scores:
    yield from in_context("strength", sh.pairwise(X).strength)


def order_two(X: Floats) -> Scores:
    found = sh.pairwise(X, kernel=sh.kernels.Gaussian())
    yield from in_context("I*, alpha 2", found.value)
    yield from in_context("I adjusted", found.adjusted)
    yield from in_context("-log p", -np.log10(np.maximum(found.pvalue, 1e-300)))


def paper(X: Floats) -> Scores:
    if len(X) > 500:
        return  # eigenvalues of 853 rows for each pair; experiments.sachs has them with bounds
    yield "preset paper", DependenceNetwork(preset="paper", fdr=None).fit(X).weights_


def correlations(X: Floats) -> Scores:
    for name, matrix in network_scores.correlations(X):
        if name != "Pearson, signed":
            yield from in_context(name, matrix)


def genie3(X: Floats) -> Scores:
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    count = X.shape[1]
    trees = 1000 if count <= 20 else 200
    importance = np.zeros((count, count))
    for k in range(count):
        others = np.flatnonzero(np.arange(count) != k)
        forest = RandomForestRegressor(trees, max_features="sqrt", random_state=k).fit(
            standard[:, others], standard[:, k]
        )
        importance[others, k] = np.mean(
            [tree.tree_.compute_feature_importances(normalize=False) for tree in forest.estimators_], axis=0
        )
    yield "GENIE3", np.maximum(importance, importance.T)


def lasso(X: Floats) -> Scores:
    for form, values in (("", (X - X.mean(axis=0)) / X.std(axis=0)), ("normal scores, ", normal_scores(X))):
        values = values / values.std(axis=0)
        fitted = GraphicalLassoCV(n_refinements=2, cv=3, max_iter=200).fit(values)
        yield f"{form}graphical lasso", _partial(fitted.precision_)
        yield f"{form}graphical lasso, path", _path(values)
        yield f"{form}shrunken partial correlation", _partial(np.linalg.inv(LedoitWolf().fit(values).covariance_))


def _partial(precision: Floats) -> Floats:
    scale = np.sqrt(np.diag(precision))
    found = np.abs(precision / np.outer(scale, scale))
    np.fill_diagonal(found, 0.0)
    return found


def _path(values: Floats) -> Floats:
    """The largest penalty at which a link is there, and the partial correlation at the smallest one for the rest."""
    covariance = np.cov(values.T, bias=True)
    penalties = np.geomspace(np.abs(covariance - np.diag(np.diag(covariance))).max(), 0.15, 8)
    entered = np.zeros_like(covariance)
    last = entered
    for penalty in penalties:
        try:
            _, precision = graphical_lasso(covariance, alpha=penalty, max_iter=200)
        except FloatingPointError:  # not solvable in doubles: the path ends here
            break
        last = _partial(precision)
        entered = np.where((entered == 0) & (last > 1e-8), penalty, entered)
    return entered + 1e-3 * last


def mrnet(X: Floats) -> Scores:
    """Relevance less mean redundancy of a gene when it is chosen for another; the larger of both directions."""
    for name, matrix in network_scores.correlations(X):
        if name in ("Spearman", "normal scores, Pearson"):
            squares = np.minimum(matrix**2, 1 - 1e-12)
            np.fill_diagonal(squares, 0.0)
            yield f"MRNET, {name}", _mrnet(-0.5 * np.log(1 - squares))


def _mrnet(bits: Floats) -> Floats:
    count = len(bits)
    found = np.zeros_like(bits)
    for target in range(count):
        left = np.array([k for k in range(count) if k != target])
        redundancy = np.zeros(len(left))
        for chosen in range(len(left)):
            score = bits[left, target] - (redundancy / chosen if chosen else 0.0)
            best = int(np.argmax(score))
            found[left[best], target] = score[best]
            redundancy = np.delete(redundancy + bits[left, left[best]], best)
            left = np.delete(left, best)
    return np.maximum(found, found.T)


FAMILIES: dict[str, Callable[[Floats], Scores]] = {
    "information": information,
    "strength": strength,
    "order 2": order_two,
    "paper": paper,
    "correlations": correlations,
    "MRNET": mrnet,
    "graphical lasso": lasso,
    "GENIE3": genie3,
}


def study(case: str, quick: bool) -> dict[str, dict[str, float]]:
    network, family = case.split("/")
    X, linked = load(network)
    columns = slice(0, 6 if quick else None)
    return {
        name: rank_quality(matrix, linked[columns, columns])
        for name, matrix in FAMILIES[family](X[:200, columns] if quick else X[:, columns])
    }


if __name__ == "__main__":
    sys.exit(records.run("network_rivals", __doc__, [f"{n}/{f}" for f in FAMILIES for n in NETWORKS], study))
