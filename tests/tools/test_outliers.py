"""Outliers in subspaces, the paper's scheme: planted ones come first; scores are those of the detectors themselves."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pyod.models.knn import KNN
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, scale
from sklearn.svm import OneClassSVM

from shearer.datasets import planted_subspace
from shearer.tools import FeatureBagging, SubspaceOutlierDetector, SubspaceSearch


@pytest.fixture(scope="module")
def planted():
    return planted_subspace(300, sizes=(3,), noise=12, outliers=6, rng=1)


@pytest.fixture(name="X")
def table(rng):
    return rng.normal(size=(80, 5))


def first_rows(scores, count):
    return set(np.argsort(-scores)[:count].tolist())


def area(detector, X, y):
    return roc_auc_score(y, -detector.score_samples(X))


@pytest.mark.parametrize("kind", ["visible", "hidden"])
def test_planted_outliers_come_first_and_are_explained(kind):
    planted = planted_subspace(400, sizes=(3,), noise=50, outliers=6, kind=kind, rng=2)
    outliers = np.flatnonzero(planted.y)
    columns = planted.subspaces[0]
    search = SubspaceSearch(exhaustive_triples=kind == "hidden")
    found = SubspaceOutlierDetector(search, n_subspaces=1).fit(planted.X)
    assert first_rows(found.decision_scores_, 6) == set(outliers.tolist())
    # no column alone tells them apart, and neither does the full space
    assert roc_auc_score(planted.y, SubspaceOutlierDetector([range(53)]).fit(planted.X).decision_scores_) < 0.8
    several = SubspaceOutlierDetector(search, combination="max").fit(planted.X)
    lines = several.explain(planted.X[outliers])
    best = lines.filter(pl.col("contribution") > 0)
    assert all({f"x{column}" for column in columns} <= set(text.split(", ")) for text in best["subspace"])
    by_column = several.explain(planted.X[outliers], by="column")
    for row in range(6):
        named = by_column.filter(pl.col("row") == row)["column"].to_list()[:3]
        if kind == "hidden":  # all three are needed to see it
            assert set(named) == {f"x{column}" for column in columns}
        assert named[0] in {f"x{column}" for column in columns}


def test_one_subspace_of_all_columns_is_the_local_outlier_factor(X):
    found = SubspaceOutlierDetector([range(5)], n_neighbors=7).fit(X)
    plain = LocalOutlierFactor(n_neighbors=7).fit(scale(X))
    np.testing.assert_allclose(found.decision_scores_, -plain.negative_outlier_factor_, atol=1e-12)
    new = np.random.default_rng(5).normal(size=(20, 5))
    novelty = LocalOutlierFactor(n_neighbors=7, novelty=True).fit(scale(X))
    expected = novelty.score_samples((new - X.mean(axis=0)) / X.std(axis=0))
    np.testing.assert_allclose(found.score_samples(new), expected, atol=1e-12)


def test_scores_are_joined_over_the_subspaces(X):
    sets = [(0, 1), (2, 3, 4), (1, 4)]
    alone = np.stack([-LocalOutlierFactor().fit(scale(X)[:, columns]).negative_outlier_factor_ for columns in sets], 1)
    places = (alone[:, None, :] > alone[None, :, :]).sum(axis=1) + 0.5
    joined = {"mean": alone.mean(axis=1), "max": alone.max(axis=1), "rank": places.mean(axis=1) / len(X)}
    for combination, expected in joined.items():
        found = SubspaceOutlierDetector(sets, combination=combination).fit(X)
        np.testing.assert_allclose(found.decision_scores_, expected, atol=1e-12)


def test_signs_of_scikit_learn_in_methods_and_of_pyod_in_attributes(planted):
    found = SubspaceOutlierDetector(scheme="paper", n_subspaces=1, contamination=0.02).fit(planted.X)
    np.testing.assert_array_equal(found.score_samples(planted.X), -found.decision_scores_)
    np.testing.assert_array_equal(found.decision_function(planted.X), -found.decision_scores_ - found.offset_)
    np.testing.assert_array_equal(found.predict(planted.X), np.where(found.labels_ == 1, -1, 1))
    np.testing.assert_array_equal(found.fit_predict(planted.X), np.where(found.labels_ == 1, -1, 1))
    np.testing.assert_array_equal(found.labels_, found.decision_scores_ > found.threshold_)
    assert found.labels_.sum() == 6
    np.testing.assert_array_equal(found.labels_, planted.y)
    assert found.decision_scores_[planted.y == 1].mean() > found.decision_scores_[planted.y == 0].mean()


def test_new_rows_are_scored(planted):
    fresh = planted_subspace(300, sizes=(3,), noise=12, outliers=20, rng=1)
    assert planted.subspaces == fresh.subspaces
    for combination in ("mean", "max", "rank", "breadth_first"):
        found = SubspaceOutlierDetector(scheme="paper", n_subspaces=1, combination=combination).fit(planted.X)
        new = np.r_[fresh.X[fresh.y == 1], planted_subspace(200, sizes=(3,), noise=12, outliers=0, rng=1).X]
        y = np.r_[np.ones(20), np.zeros(200)]
        assert area(found, new, y) > 0.95


def test_training_rows_keep_their_scores_among_new_ones(rng):
    X = rng.integers(0, 3, size=(60, 4)).astype(float)  # with many rows that are the same
    found = SubspaceOutlierDetector([(0, 1), (2, 3)], n_neighbors=5).fit(X)
    order = rng.permutation(60)
    mixed = np.r_[rng.normal(size=(5, 4)), X[order]]
    np.testing.assert_array_equal(found.score_samples(mixed)[5:], -found.decision_scores_[order])
    twins = [row for row in range(60) if X[row].tolist() == X[0].tolist()]
    assert len(set(found.decision_scores_[twins].tolist())) == 1


DETECTORS = [KNN(n_neighbors=5), IsolationForest(random_state=0), OneClassSVM(), LocalOutlierFactor(n_neighbors=10)]


@pytest.mark.parametrize("detector", DETECTORS, ids=lambda detector: type(detector).__name__)
def test_any_detector_serves(detector, planted):
    found = SubspaceOutlierDetector([planted.subspaces[0]], detector, combination="rank").fit(planted.X)
    assert area(found, planted.X, planted.y) > 0.85
    new = np.random.default_rng(0).uniform(size=(4, 15))
    assert np.isfinite(found.score_samples(new)).all()
    assert detector.get_params() == clone(detector).get_params()  # the user's object stays as it was
    assert not hasattr(detector, "n_features_in_")


def test_the_sense_of_pyod_is_kept(X):
    outlying = np.r_[X, [[9.0] * 5]]
    found = SubspaceOutlierDetector([range(5)], KNN(n_neighbors=5)).fit(outlying)
    expected = KNN(n_neighbors=5).fit(scale(outlying))
    np.testing.assert_allclose(found.decision_scores_, expected.decision_scores_, atol=1e-12)
    assert np.argmax(found.decision_scores_) == 80
    far, near = found.score_samples([[30.0] * 5, [0.0] * 5])
    assert far < near


@pytest.mark.parametrize("combination", ["mean", "max", "rank", "breadth_first"])
@pytest.mark.parametrize("by", ["subspace", "column"])
def test_contributions_add_up_to_the_score(combination, by, X):
    found = SubspaceOutlierDetector([(0, 1), (2, 3, 4), (1,)], combination=combination).fit(X)
    rows = np.r_[X[:4], np.random.default_rng(0).normal(size=(3, 5))]
    lines = found.explain(rows, by=by)
    totals = lines.group_by("row").agg(pl.col("contribution").sum()).sort("row")["contribution"].to_numpy()
    np.testing.assert_allclose(totals, -found.score_samples(rows), atol=1e-12)
    for row in range(7):
        own = lines.filter(pl.col("row") == row)["contribution"].to_numpy()
        assert np.all(np.diff(own) <= 0)


def test_columns_are_blamed_for_what_they_do(rng):
    X = rng.normal(size=(200, 4))
    X[0, 2] = 8.0  # out of place in one column alone
    found = SubspaceOutlierDetector([(0, 1), (1, 2), (2, 3)]).fit(X)
    blamed = found.explain(X[:1], by="column")
    assert blamed["column"][0] == "x2"
    assert blamed["contribution"][0] > 0.6 * blamed["contribution"].sum()
    lines = found.explain(X[:1])
    assert set(lines["subspace"][:2]) == {"x1, x2", "x2, x3"}
    assert lines["quantile"].to_list()[:2] == [1 - 0.5 / 200] * 2


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_frames_in_names_out(library, rng):
    values = rng.normal(size=(60, 3))
    values[:, 2] += values[:, 0]
    frame = library({"height": values[:, 0], "noise": values[:, 1], "weight": values[:, 2]})
    found = SubspaceOutlierDetector(scheme="paper", n_subspaces=1).fit(frame)
    assert found.names_ == [("height", "weight")]
    lines = found.explain(frame[:2])
    assert isinstance(lines, library)
    assert lines["subspace"].to_list() == ["height, weight"] * 2
    assert set(found.explain(frame[:1], by="column")["column"].to_list()) == {"height", "weight"}
    named = SubspaceOutlierDetector([("weight", "height")]).fit(frame)
    assert named.subspaces_ == [(0, 2)]
    np.testing.assert_array_equal(named.decision_scores_, found.decision_scores_)


def test_a_fitted_search_is_used_as_it_is(planted):
    search = SubspaceSearch(n_subspaces=4).fit(planted.X)
    found = SubspaceOutlierDetector(FrozenEstimator(search), n_subspaces=3).fit(planted.X[:100])
    assert found.subspaces_ == search.subspaces_[:3]
    again = SubspaceOutlierDetector(search, n_subspaces=7).fit(planted.X[:100])
    assert len(again.subspaces_) == 7
    assert len(search.subspaces_) == 4
    with pytest.raises(ValueError, match="columns in the search too"):
        SubspaceOutlierDetector(FrozenEstimator(search)).fit(planted.X[:, :5])


def test_pipelines_parameter_searches_and_copies(planted):
    pipeline = make_pipeline(RobustScaler(), SubspaceOutlierDetector(SubspaceSearch(max_rows=100), n_subspaces=2))
    assert area(pipeline.fit(planted.X), planted.X, planted.y) > 0.9
    grid = {"search__measure": ["total_correlation", "adjusted"], "n_neighbors": [5, 20]}
    folds = StratifiedKFold(3)
    search = GridSearchCV(SubspaceOutlierDetector(SubspaceSearch(), n_subspaces=2), grid, scoring=area, cv=folds)
    search.fit(planted.X, planted.y)
    assert search.best_score_ > 0.9
    found = search.best_estimator_
    copied = pickle.loads(pickle.dumps(found))
    new = np.random.default_rng(3).uniform(size=(5, 15))
    np.testing.assert_array_equal(copied.score_samples(new), found.score_samples(new))
    np.testing.assert_array_equal(clone(found).fit(planted.X).decision_scores_, found.decision_scores_)


def test_threads_change_nothing(planted):
    one, two = (SubspaceOutlierDetector(scheme="paper", n_jobs=jobs).fit(planted.X) for jobs in (1, 2))
    np.testing.assert_array_equal(one.decision_scores_, two.decision_scores_)


def test_the_seed_reaches_the_search(rng):
    X = rng.normal(size=(1500, 6))
    one, again, other = (
        SubspaceOutlierDetector(scheme="paper", n_subspaces=2, random_state=seed).fit(X) for seed in (0, 0, 5)
    )
    np.testing.assert_array_equal(one.decision_scores_, again.decision_scores_)
    assert not np.array_equal(one.search_.scores_, other.search_.scores_)


def test_scale(X):
    wide = X * [1.0, 1e6, 1.0, 1.0, 1.0]
    raw = SubspaceOutlierDetector([(0, 1)], scale=False).fit(wide)
    expected = LocalOutlierFactor().fit(wide[:, :2])
    np.testing.assert_allclose(raw.decision_scores_, -expected.negative_outlier_factor_, atol=1e-9)
    scaled = SubspaceOutlierDetector([(0, 1)]).fit(wide)
    np.testing.assert_allclose(scaled.decision_scores_, SubspaceOutlierDetector([(0, 1)]).fit(X).decision_scores_)
    huge = SubspaceOutlierDetector([(0, 1)]).fit(X * 1e300)
    np.testing.assert_allclose(huge.decision_scores_, scaled.decision_scores_)


def test_fewer_rows_than_neighbors(rng):
    X = rng.normal(size=(8, 3))
    said = "n_neighbors: expected fewer than the rows, got 20 with 8 rows. 7 are used"
    with pytest.warns(UserWarning, match=said) as warned:
        found = SubspaceOutlierDetector([(0, 1)]).fit(X)
    assert {one.filename for one in warned} == {__file__}  # the caller's own line
    found.explain(X, by="column")  # says it no second time
    expected = LocalOutlierFactor(n_neighbors=7).fit(scale(X)[:, :2])
    np.testing.assert_allclose(found.decision_scores_, -expected.negative_outlier_factor_, atol=1e-9)


def test_constant_columns(rng):
    X = np.c_[rng.normal(size=(40, 2)), np.full(40, 3.0)]
    found = SubspaceOutlierDetector(scheme="paper").fit(X)
    assert found.subspaces_ == [(0, 1)]
    assert np.isfinite(SubspaceOutlierDetector([(0, 2)]).fit(X).decision_scores_).all()


def test_one_column_needs_no_search(rng):
    X = np.r_[rng.normal(size=(50, 1)), [[9.0]]]
    assert np.argmax(SubspaceOutlierDetector([(0,)]).fit(X).decision_scores_) == 50
    with pytest.raises(ValueError, match=r"1 feature\(s\)"):
        SubspaceOutlierDetector().fit(X)


BAD = [
    ({"search": "T*"}, TypeError, "search: expected a SubspaceSearch"),
    ({"search": 5}, TypeError, "search: expected a SubspaceSearch"),
    ({"search": SubspaceSearch}, TypeError, "search"),
    ({"search": RobustScaler()}, TypeError, "search"),
    ({"search": []}, ValueError, "search: expected at least one set of columns"),
    ({"search": [()]}, ValueError, "search: expected at least one column"),
    ({"search": [(0, 7)]}, ValueError, "positions from 0 to 4, got 7"),
    ({"search": [(-1, 2)]}, ValueError, "positions from 0 to 4, got -1"),
    ({"search": [("x0", "nobody")]}, ValueError, "search: expected names among"),
    ({"search": [0, 1]}, TypeError, "one set of two columns"),
    ({"search": SubspaceSearch(alpha=-1)}, ValueError, "alpha"),
    ({"detector": "LOF"}, TypeError, "detector: expected an outlier detector"),
    ({"detector": KNN}, TypeError, "Make an instance"),
    ({"detector": RobustScaler()}, TypeError, "detector"),
    ({"n_subspaces": 0}, ValueError, "n_subspaces"),
    ({"n_neighbors": 0}, ValueError, "n_neighbors"),
    ({"n_neighbors": 2.5}, TypeError, "n_neighbors"),
    ({"combination": "median"}, ValueError, "combination: expected one of"),
    ({"scale": "z"}, ValueError, "scale"),
    ({"contamination": 0.7}, ValueError, "contamination: expected a share of the rows"),
    ({"contamination": 0}, ValueError, "contamination"),
    ({"contamination": "auto"}, TypeError, "contamination"),
    ({"n_jobs": 0}, ValueError, "n_jobs"),
]


@pytest.mark.parametrize(("options", "error", "words"), BAD, ids=[str(options) for options, _, _ in BAD])
def test_bad_parameters_are_refused_in_fit(options, error, words, X):
    detector = SubspaceOutlierDetector(**options)
    with pytest.raises(error, match=words):
        detector.fit(X)


def test_bad_tables_are_refused(X):
    found = SubspaceOutlierDetector([(0, 1)]).fit(X)
    gaps = X.copy()
    gaps[3, 1] = np.nan
    for call in (SubspaceOutlierDetector().fit, found.predict, found.explain):
        with pytest.raises(ValueError, match="NaN"):
            call(gaps)
    with pytest.raises(ValueError, match="5 features"):
        found.predict(X[:, :3])
    with pytest.raises(ValueError, match="by: expected one of 'subspace', 'column', got 'row'"):
        found.explain(X, by="row")
    with pytest.raises(NotFittedError):
        SubspaceOutlierDetector().explain(X)
    for library in (pd.DataFrame, pl.DataFrame):
        frame = library({"a": [1.0, 2.0, 3.0], "species": ["x", "y", "x"], "c": [1.0, 5.0, 2.0]})
        with pytest.raises(TypeError, match="X: expected numbers in every column, got other values in 'species'"):
            SubspaceOutlierDetector([(0, 2)]).fit(frame)


def test_bagging_draws_half_to_all_but_one(X):
    found = FeatureBagging(n_estimators=200, detector=KNN()).fit(X[:20])
    sizes = {len(columns) for columns in found.subspaces_}
    assert sizes == {2, 3, 4}
    assert all(len(set(columns)) == len(columns) for columns in found.subspaces_)
    again, other = (FeatureBagging(n_estimators=200, detector=KNN(), random_state=s).fit(X[:20]) for s in (0, 1))
    assert again.subspaces_ == found.subspaces_ != other.subspaces_
    assert FeatureBagging(n_estimators=2).fit(X[:, :1]).subspaces_ == [(0,), (0,)]
    with pytest.raises(ValueError, match="n_estimators"):
        FeatureBagging(n_estimators=0).fit(X)


def test_breadth_first_reads_the_lists_in_turn(X):
    found = FeatureBagging(n_estimators=4, combination="breadth_first").fit(X)
    alone = [LocalOutlierFactor().fit(scale(X)[:, columns]) for columns in found.subspaces_]
    lists = [np.argsort(one.negative_outlier_factor_).tolist() for one in alone]
    order = list(dict.fromkeys(row for rows in zip(*lists, strict=True) for row in rows))
    assert np.argsort(-found.decision_scores_, kind="stable").tolist() == order


def test_bagging_is_the_mean_over_its_subsets(X):
    found = FeatureBagging(n_neighbors=9).fit(X)
    alone = [LocalOutlierFactor(n_neighbors=9).fit(scale(X)[:, columns]) for columns in found.subspaces_]
    expected = np.mean([-one.negative_outlier_factor_ for one in alone], axis=0)
    np.testing.assert_allclose(found.decision_scores_, expected, atol=1e-12)
