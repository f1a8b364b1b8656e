"""The selector and the score function: what they choose, and that their sums are the measures."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import binom
from sklearn.datasets import make_friedman1
from sklearn.feature_selection import SelectFdr, SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import shearer as sh
from shearer.data import read
from shearer.inference.adjust import expected_by_chance
from shearer.tools import DependenceSelector, dependence_score
from shearer.tools.selection.targets import read_target
from shearer.tools.subspaces.row_pairs import RowPairs


@pytest.fixture
def noise() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(150, 8))


def chosen(selector, X, y) -> list[int]:
    return sorted(selector.fit(X, y).order_.tolist())


def test_scores_are_joint_information_above_chance(noise):
    y = noise[:, 1] + noise[:, 4] ** 2
    selector = DependenceSelector(3, method="joint").fit(noise, y)
    n, target = len(y), sh.entropy(y, alpha=2)
    for count, score in enumerate(selector.scores_, start=1):
        # each column has its own kernel: the joint of several variables, not a vector
        features = [noise[:, feature] for feature in selector.order_[:count]]
        own = sh.entropy(*features, alpha=2)
        information = own + target - sh.entropy(*features, y, alpha=2)
        off_diagonal = [n**2 * 2**-entropy - n for entropy in (own, target)]
        expected_sum = n + np.prod(off_diagonal) / (n * (n - 1))
        assert score == pytest.approx(information - (own + target - np.log2(n**2 / expected_sum)), abs=1e-10)


def test_chance_is_what_permutations_give(noise):
    x, y = noise[:, 0], noise[:, 1] + noise[:, 0]
    (score,), _ = dependence_score(x[:, None], y, target="continuous")
    information = sh.mutual_information(x, y, alpha=2, normalize=False)
    assert information - score == pytest.approx(expected_by_chance(x, y, measure="mutual_information"), abs=0.0034)
    drawn = expected_by_chance(x, y, measure="mutual_information", n_resamples=300)
    assert information - score == pytest.approx(drawn, abs=0.006)


def test_mrmr_is_relevance_less_mean_redundancy(noise):
    X = noise.copy()
    X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
    y = X[:, 0] + 0.8 * X[:, 2]
    selector = DependenceSelector(3, method="mrmr").fit(X, y)
    relevance, _ = dependence_score(X, y)
    order = selector.order_.tolist()
    assert selector.scores_[0] == pytest.approx(relevance[order[0]])
    assert order[0] in (0, 1)
    assert order[1] == 2  # the twin of the first is relevant, and redundant
    for count in (1, 2):
        shared = [dependence_score(X[:, [order[count]]], X[:, earlier])[0][0] for earlier in order[:count]]
        assert selector.scores_[count] == pytest.approx(relevance[order[count]] - np.mean(shared))


@pytest.mark.parametrize("method", ["stepwise", "joint"])
def test_friedman_finds_all_five(method):
    X, y = make_friedman1(300, 30, noise=0.5, random_state=0)
    assert chosen(DependenceSelector(5, method=method), X, y) == [0, 1, 2, 3, 4]


def test_what_tells_only_together_needs_a_pair_to_begin_with(noise):
    y = noise[:, 2] * noise[:, 5] > 0
    assert chosen(DependenceSelector(start=2), noise, y) == [2, 5]
    assert chosen(DependenceSelector(2, start=2), noise, y) == [2, 5]


def test_a_pair_is_not_taken_where_one_is_wanted_or_enough(noise):
    assert chosen(DependenceSelector(1, start=2), noise, noise[:, 3]) == [3]
    assert chosen(DependenceSelector(start=2), noise, noise[:, 3]) == [3]
    assert chosen(DependenceSelector(start=2), noise[:, :1], noise[:, 0]) == [0]


@pytest.mark.parametrize("method", ["stepwise", "joint", "mrmr"])
def test_auto_adds_noise_at_its_level_only(method):
    added = 0
    for seed in range(30):
        X = np.random.default_rng(seed).normal(size=(60, 6))
        added += DependenceSelector(method=method, n_resamples=19).fit(X, X[:, 0]).n_features_ > 1
    assert added <= binom.ppf(0.999, 30, 0.05)


@pytest.mark.parametrize("method", ["stepwise", "joint", "mrmr"])
def test_auto_goes_on_while_there_is_something_new(method, noise):
    y = noise[:, 1] + noise[:, 4] + 0.3 * noise[:, 0]
    assert set(chosen(DependenceSelector(method=method), noise, y)) >= {1, 4}


def test_classes_and_numbers(noise):
    y = (noise[:, 3] > 0).astype(int) + 2 * (noise[:, 6] > 0)
    expected = [3, 6]
    for target in (y, y.astype(float), y.astype(str), np.array([f"class {k}" for k in y], dtype=object), pd.Series(y)):
        assert chosen(DependenceSelector(2), noise, target) == expected
    numbers = read_target(noise, y, "continuous")
    assert numbers.dtype == np.float64
    assert read_target(noise, y, "auto").dtype.kind == "U"
    assert read_target(noise, np.arange(150), "auto").dtype == np.float64
    assert read_target(noise, np.arange(150), "categorical").dtype.kind == "U"
    assert read_target(noise, y > 1, "auto").dtype.kind == "U"
    assert read_target(noise[:16], np.arange(16), "auto").dtype == np.float64  # no class has two rows
    months = np.datetime64("2020-01") + np.arange(150) % 12
    np.testing.assert_array_equal(read_target(noise, months, "auto"), 600.0 + np.arange(150) % 12)
    assert read_target(noise, months, "categorical").dtype.kind == "U"


def test_labels_among_the_features_and_missing_values():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, size=120)
    frame = pl.DataFrame(
        {"noise": rng.normal(size=120), "kind": np.array(["a", "b", "c"])[kind], "target": rng.normal(size=120)}
    )
    y = kind + 0.1 * rng.normal(size=120)
    selector = DependenceSelector(1).fit(frame, y)
    assert selector.get_feature_names_out().tolist() == ["kind"]
    gappy = frame.with_columns(pl.when(pl.int_range(120) < 5).then(None).otherwise(pl.col("noise")).alias("noise"))
    with pytest.raises(ValueError, match="missing values in 5 of 120 rows"):
        DependenceSelector().fit(gappy, y)
    dropped = DependenceSelector(2, missing="drop").fit(gappy, y)
    whole = DependenceSelector(2).fit(frame[5:], y[5:])
    assert dropped.order_.tolist() == whole.order_.tolist()
    assert np.allclose(dropped.scores_, whole.scores_)
    matrix = np.where(np.arange(120)[:, None] < 5, np.nan, rng.normal(size=(120, 3)))
    assert DependenceSelector(1, missing="drop").fit(matrix, y).transform(matrix).shape == (120, 1)
    scores, _ = dependence_score(matrix, y, missing="drop")
    assert np.allclose(scores, dependence_score(matrix[5:], y[5:])[0])


def test_names_out_of_both_libraries(noise):
    frame = pd.DataFrame(noise, columns=list("abcdefgh"))
    selector = DependenceSelector(2).set_output(transform="pandas").fit(frame, noise[:, 2] + noise[:, 5])
    assert list(selector.transform(frame).columns) == ["c", "f"]
    assert selector.set_output(transform="polars").transform(frame).columns == ["c", "f"]
    polars = DependenceSelector(2).set_output(transform="polars").fit(pl.from_pandas(frame), noise[:, 2] + noise[:, 5])
    assert polars.transform(pl.from_pandas(frame)).columns == ["c", "f"]
    assert polars.feature_names_in_.tolist() == list("abcdefgh")
    assert polars.inverse_transform(noise[:, [2, 5]]).shape == noise.shape


def test_grid_search_and_pipeline(noise):
    y = (noise[:, 1] * noise[:, 2] > 0).astype(int)
    pipeline = make_pipeline(StandardScaler(), DependenceSelector(start=2), KNeighborsClassifier())
    search = GridSearchCV(pipeline, {"dependenceselector__n_features_to_select": [1, 2, 8]}, cv=3).fit(noise, y)
    assert search.best_params_ == {"dependenceselector__n_features_to_select": 2}
    assert search.best_score_ > 0.75


def test_score_function_in_filters(noise):
    y = noise[:, 4] ** 2
    assert SelectKBest(dependence_score, k=1).fit(noise, y).get_support(indices=True).tolist() == [4]
    assert SelectFdr(dependence_score).fit(noise, y).get_support(indices=True).tolist() == [4]
    scores, pvalues = dependence_score(noise, y)
    m = sh.pairwise(noise, target=y, kernel=sh.kernels.Gaussian())
    assert np.allclose(pvalues, m.pvalue)
    assert np.argmax(scores) == 4


def test_scores_of_few_and_of_many_rows():
    rng = np.random.default_rng(0)
    scores, pvalues = dependence_score(rng.normal(size=(5, 3)), rng.normal(size=5))
    assert scores.shape == (3,)
    assert ((pvalues > 0) & (pvalues <= 1)).all()
    X = rng.normal(size=(5001, 2))
    scores, pvalues = dependence_score(X, X[:, 0] ** 2 + rng.normal(size=5001))
    assert pvalues[0] < 1e-6 < pvalues[1]


def test_constant_features_and_targets_tell_nothing(noise):
    noise[:, 0] = 3.0
    scores, pvalues = dependence_score(noise, noise[:, 1])
    assert (scores[0], pvalues[0]) == (pytest.approx(0, abs=1e-12), 1)
    assert np.allclose(dependence_score(noise, np.ones(150))[0], 0)
    for method in ("stepwise", "joint"):
        assert DependenceSelector(method=method).fit(noise, np.ones(150)).n_features_ == 1
    assert DependenceSelector(method="joint").fit(np.ones((20, 3)), np.arange(20.0)).n_features_ == 1


def test_similarities_made_anew_give_the_same():
    table = read(np.random.default_rng(0).normal(size=(150, 40)))
    kept = RowPairs(table, None, 10**9)
    anew = RowPairs(table, None, 6_500_000)
    assert kept._kept is not None
    assert anew._kept is None
    weights = np.random.default_rng(0).uniform(size=(kept.size, 2))
    assert np.allclose(kept.sums(weights), anew.sums(weights))
    assert np.allclose(kept.products(weights[:, 0]), anew.products(weights[:, 0]))
    assert np.array_equal(kept.column(3), anew.column(3))


def test_rearranged_weights_are_those_of_rearranged_rows(noise):
    order = np.random.default_rng(1).permutation(150)
    pairs = RowPairs(read(noise), None, 10**9)
    moved = RowPairs(read(noise[order]), None, 10**9)
    weights = np.stack([pairs.column(0), pairs.column(1)], axis=1)
    assert np.allclose(pairs.rearranged(weights, order), np.stack([moved.column(0), moved.column(1)], axis=1))


def test_seeds():
    X = np.random.default_rng(3).normal(size=(40, 5))
    y = X[:, 0] > 0

    def counts() -> list[int]:
        options = {"method": "joint", "n_resamples": 5, "level": 0.4}
        selectors = [DependenceSelector(random_state=seed, **options) for seed in range(30)]
        return [selector.fit(X, y).n_features_ for selector in selectors]

    assert counts() == counts()
    assert len(set(counts())) > 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_features_to_select": 9}, ValueError, "n_features_to_select: expected at most n_features=8, got 9"),
        ({"n_features_to_select": 0}, ValueError, "n_features_to_select: expected a whole number of 1 or more"),
        ({"n_features_to_select": 1.5}, ValueError, "a share above 0 and up to 1"),
        ({"n_features_to_select": "all"}, ValueError, "expected one of 'auto'"),
        ({"n_features_to_select": None}, TypeError, "n_features_to_select"),
        ({"method": "mRMR"}, ValueError, "method: expected one of None, 'stepwise', 'joint', 'mrmr'"),
        ({"start": 3}, ValueError, "start: expected one of None, 1, 2"),
        ({"level": 0}, ValueError, "level"),
        ({"n_resamples": 0}, ValueError, "n_resamples"),
        ({"target": "number"}, ValueError, "target: expected one of"),
        ({"missing": "pairwise"}, ValueError, "missing: expected one of 'error', 'drop'"),
        ({"together": 4}, ValueError, "together: expected one of 1, 2, 3"),
        ({"memory": "1kB"}, MemoryError, "features of 8 columns"),
        ({"memory": "1kB", "method": "joint"}, MemoryError, "pairs of 150 rows"),
        ({"kernel": {"z": sh.kernels.Gaussian()}}, ValueError, "kernel: expected names among"),
    ],
)
def test_bad_parameters_are_refused_when_fitting(noise, options, error, message):
    selector = DependenceSelector(**options)
    with pytest.raises(error) as caught:
        selector.fit(noise, noise[:, 0])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (np.ones(149), ValueError, "inconsistent numbers of samples"),
        (np.full(150, np.nan), ValueError, "Input y contains NaN"),
        (np.full(150, np.inf), ValueError, "Input y contains infinity"),
        (None, ValueError, "requires y to be passed"),
        (np.ones((150, 2)), ValueError, "1d array"),
        (np.ones(150) * 1j, ValueError, "Complex data not supported"),
        (
            np.full(150, "NaT", dtype="datetime64[D]"),
            ValueError,
            "Input y contains NaN",
        ),
        (np.zeros(150, dtype="V4"), ValueError, "y: expected numbers or labels, got dtype"),
    ],
)
def test_bad_targets_are_refused(noise, y, error, message):
    for call in (DependenceSelector().fit, dependence_score):
        with pytest.raises(error) as caught:
            call(noise, y)
        assert message in str(caught.value)


def test_labels_that_are_missing(noise):
    labels = np.array(["a", "b"] * 75, dtype=object)
    labels[3] = None
    with pytest.raises(ValueError, match="y: expected a label in every row, got missing ones"):
        DependenceSelector().fit(noise, labels)


def test_labels_are_no_numbers(noise):
    with pytest.raises(ValueError, match='expected numbers with target="continuous", got labels'):
        DependenceSelector(target="continuous").fit(noise, np.repeat("a", 150))
