"""The stepwise search: what it tests, what it finds together, what it never takes."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom, chi2

from shearer.data import read
from shearer.tools import DependenceSelector
from shearer.tools.selection import product_terms
from shearer.tools.selection.stepwise import StepwiseSearch, forward_qvalues
from shearer.tools.selection.target_features import FeatureStack, orthonormal


def normal(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, columns))


def stack_of(X: np.ndarray, y: np.ndarray) -> FeatureStack:
    return FeatureStack(read(X, target={"target": y}))


def trace(features: np.ndarray, target: np.ndarray, basis: np.ndarray) -> float:
    """Pillai's trace of two sets of columns given others, by plain regressions."""
    n = len(target)
    given = np.column_stack([np.ones(n), basis])
    parts = [part - given @ np.linalg.lstsq(given, part, rcond=None)[0] for part in (features, target)]
    q, r = (np.linalg.qr(part)[0] for part in parts)
    return float(((q.T @ r) ** 2).sum())


def test_a_step_is_the_test_of_a_regression():
    X = normal(120, 5)
    X[:, 1] += X[:, 0]
    y = X[:, 0] + 0.6 * X[:, 3] + normal(120, 1, 1)[:, 0]
    selector = DependenceSelector(together=1, level=1.0).fit(X, y)
    stack = stack_of(X, y)
    first, second = selector.order_[:2]
    basis = np.empty((120, 0))
    for count, feature in ((5, first), (4, second)):
        statistic = (120 - basis.shape[1] - 1) * trace(stack.values[:, feature], stack.target, basis)
        pvalue = min(1.0, count * chi2.sf(statistic, 3 * 2))
        assert selector.pvalues_[list(selector.order_).index(feature)] == pytest.approx(pvalue, rel=1e-6)
        basis = np.column_stack([basis, stack.values[:, feature]])
    given = np.column_stack([np.ones(120), stack.values[:, first]])
    left = stack.target - given @ np.linalg.lstsq(given, stack.target, rcond=None)[0]
    assert selector.scores_[0] == pytest.approx(1 - (left**2).sum() / (stack.target**2).sum())
    assert np.all(np.diff(selector.scores_) >= -1e-12)


def test_pairs_and_triples_by_loops():
    X = normal(90, 6)
    stack = stack_of(X, X[:, 0] + normal(90, 1, 1)[:, 0])
    residual = stack.target
    found = {}
    for i in range(6):
        for j in range(i + 1, 6):
            total = 0.0
            for a in range(2):
                for b in range(2):
                    for column in residual.T:
                        product = stack.values[:, i, a] * stack.values[:, j, b] * column
                        total += product.mean() ** 2 / max(product.var(), 1.0)
            found[i, j] = 80 * total
    best = max(found, key=found.get)
    term = product_terms.best_pair(stack.values, residual, 80)
    assert term.features == best
    assert term.log_pvalue == pytest.approx(min(0.0, chi2.logsf(found[best], 8) + np.log(15)))
    triples = {}
    for i in range(6):
        for j in range(i + 1, 6):
            for k in range(j + 1, 6):
                product = np.prod(stack.values[:, [i, j, k], 0], axis=1)[:, None] * residual
                triples[i, j, k] = 80 * (product.mean(axis=0) ** 2 / np.maximum(product.var(axis=0), 1)).sum()
    term = product_terms.best_triple(stack.values, residual, 80)
    assert term.features == max(triples, key=triples.get)


@pytest.mark.parametrize("seed", range(3))
def test_what_tells_only_together_is_found_by_default(seed):
    X = normal(300, 20, seed)
    flips = np.random.default_rng(seed).uniform(size=300) < 0.05
    xor = DependenceSelector().fit(X, (X[:, 3] * X[:, 11] > 0) ^ flips)
    assert {3, 11} <= set(xor.order_.tolist())
    assert xor.n_features_ <= 3
    assert (xor.pvalues_[:2] < 1e-6).all()
    assert sorted(DependenceSelector(2).fit(X, (X[:, 3] * X[:, 11] > 0) ^ flips).order_) == [3, 11]
    product = DependenceSelector(3).fit(X, X[:, 2] * X[:, 7] + X[:, 5] + 0.5 * normal(300, 1, seed + 9)[:, 0])
    assert sorted(product.order_.tolist()) == [2, 5, 7]
    X = normal(500, 10, seed)
    parity = DependenceSelector(3).fit(X, X[:, 1] * X[:, 4] * X[:, 8] > 0)
    assert sorted(parity.order_.tolist()) == [1, 4, 8]
    assert DependenceSelector(together=2).fit(X, X[:, 1] * X[:, 4] * X[:, 8] > 0).pvalues_[0] != parity.pvalues_[0]


def test_wide_tables_are_searched_for_single_features_alone(monkeypatch):
    monkeypatch.setattr(product_terms, "MOST_FOR_PAIRS", 5)
    X = normal(300, 6)
    assert DependenceSelector().fit(X, X[:, 3] * X[:, 4] > 0).n_features_ == 1
    assert np.isnan(DependenceSelector().fit(X, X[:, 3] * X[:, 4] > 0).pvalues_).all()


def test_features_that_tell_nothing_are_taken_at_the_level():
    false = sum(not np.isnan(DependenceSelector().fit(normal(150, 10, s), normal(150, 1, 999 + s)[:, 0]).pvalues_[0])
                for s in range(60))  # fmt: skip
    assert false <= binom.ppf(0.999, 60, 0.05)


def test_constants_are_never_chosen():
    X = normal(100, 5)
    X[:, [0, 3]] = 2.0
    selector = DependenceSelector(5).fit(X, X[:, 1])
    assert sorted(selector.order_.tolist()) == [1, 2, 4]
    assert DependenceSelector().fit(np.ones((20, 3)), np.arange(20.0)).n_features_ == 0
    frame = pl.DataFrame({"a": ["x"] * 100, "b": X[:, 1]})
    assert DependenceSelector(2).fit(frame, X[:, 1]).order_.tolist() == [1]


def test_a_number_is_filled_up_by_what_is_relevant_and_not_redundant():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    X[:, 4] = X[:, 0] + 1e-9 * rng.normal(size=200)
    selector = DependenceSelector(6).fit(X, X[:, 0])
    assert sorted(selector.order_.tolist()) == list(range(6))
    assert set(selector.order_[:1]) <= {0, 4}
    assert np.isnan(selector.pvalues_[-1])
    assert np.array_equal(np.isnan(selector.qvalues_), np.isnan(selector.pvalues_))


def test_many_classes_rare_levels_and_few_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8))
    classes = np.array([f"c{v}" for v in np.digitize(X[:, 2] + 0.1 * X[:, 5], np.linspace(-2, 2, 40))])
    assert 2 in DependenceSelector().fit(X, classes).order_
    codes = np.array([f"id {k}" for k in range(400)])
    frame = pl.DataFrame({"id": codes, "x": X[:, 0], "y": X[:, 1]})
    selector = DependenceSelector().fit(frame, X[:, 0] + 0.1 * X[:, 3])
    assert selector.order_.tolist() == [1]
    for rows in (2, 3, 8):
        few = DependenceSelector(2).fit(X[:rows], X[:rows, 0])
        assert few.n_features_ == 2


def test_only_ranks_count():
    X = normal(150, 6)
    y = X[:, 1] + X[:, 4] ** 2 + 0.3 * normal(150, 1, 2)[:, 0]
    bent = np.column_stack([np.exp(X[:, :3]), -1e200 * X[:, 3:]])
    plain, other = DependenceSelector(4).fit(X, y), DependenceSelector(4).fit(bent, np.exp(y))
    assert plain.order_.tolist() == other.order_.tolist()
    assert plain.scores_ == pytest.approx(other.scores_)


def test_many_columns():
    X = normal(120, 1200)
    y = X[:, 17] + X[:, 1100] + 0.3 * normal(120, 1, 3)[:, 0]
    assert {17, 1100} <= set(DependenceSelector(3).fit(X, y).order_.tolist())


def test_pieces():
    x = np.arange(10.0)
    both = orthonormal(np.stack([x, x**2, x], axis=1))
    assert both.shape == (10, 2)
    assert np.allclose(both.T @ both / 10, np.eye(2))
    assert np.allclose(both.mean(axis=0), 0)
    assert np.isnan(forward_qvalues(np.array([np.nan]))).all()
    assert (np.diff(forward_qvalues(np.array([0.5, 0.001, 0.2]))) >= 0).all()
    search = StepwiseSearch(stack_of(normal(50, 3), normal(50, 1, 4)[:, 0]), 1)
    assert len(search.run(3, 1e-9, fill=True)) == 3
