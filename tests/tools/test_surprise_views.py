"""The default outlier scheme: what it finds, in which unit, and what it says of it."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import special
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors

import shearer as sh
from shearer.datasets import planted_subspace
from shearer.tools import SubspaceOutlierDetector
from shearer.tools.outliers.column_cells import PRIOR, WIDTHS, Cells, Surprise
from shearer.tools.outliers.near_rows import NearRows
from shearer.tools.outliers.related_pairs import RelatedPair, aligned, alignments, spanning_pairs
from shearer.tools.outliers.tail_bits import TailBits, TailLine
from tests.pairs.test_strength import u_centered


@pytest.fixture(name="people", scope="module")
def people_fixture():
    """Height, weight and sex of 400; the first row breaks a relation of numbers, the second one with a label."""
    rng = np.random.default_rng(3)
    sex = rng.choice(["f", "m"], 400)
    height = 165 + 14 * (sex == "m") + rng.normal(0, 4, 400)
    weight = height - 105 + rng.normal(0, 3, 400)
    height[0], weight[0], sex[0] = 160.0, 76.0, "f"
    height[1], weight[1], sex[1] = 180.0, 75.0, "f"
    return pl.DataFrame({"height": height, "weight": weight, "sex": sex, "noise": rng.normal(size=400)})


def test_pointwise_dependence_is_a_ratio_of_weighted_counts(rng):
    x = rng.normal(size=50)
    y = x + rng.normal(size=50)
    cells = [Cells.fit(x, False), Cells.fit(y, False)]
    codes = np.stack([cells[0].of(x), cells[1].of(y)], axis=1)
    scores = [special.ndtri((rankdata(own) - 0.5) / 50) for own in (x, y)]
    for pair, factor in zip(RelatedPair.fit((0, 1), codes, cells), WIDTHS, strict=True):
        width = factor * 50 ** (-1 / 6)
        alike = [np.exp(-0.5 * ((own[:, None] - own) / width) ** 2) * (1 - np.eye(50)) for own in scores]
        seen = (alike[0] * alike[1]).sum(axis=1)
        expected = alike[0].sum(axis=1) * alike[1].sum(axis=1) / 49
        by_hand = np.log2((seen + PRIOR) / (expected + PRIOR))
        np.testing.assert_allclose(pair.bits(codes, trained=True), by_hand, atol=1e-6)
        assert pair.usual == pytest.approx(by_hand.mean(), abs=1e-6)


def test_pointwise_dependence_of_labels_is_that_of_their_counts():
    one, other = np.repeat([0.0, 0.0, 1.0, 1.0], [40, 10, 20, 30]), np.repeat([0.0, 1.0, 0.0, 1.0], [40, 10, 20, 30])
    cells = [Cells.fit(one, True), Cells.fit(other, True)]
    codes = np.stack([cells[0].of(one), cells[1].of(other)], axis=1)
    pair = RelatedPair.fit((0, 1), codes, cells)[0]
    expected = np.log2((40 + PRIOR) / (50 * 60 / 100 + PRIOR))
    assert pair.bits(codes[:1], trained=False)[0] == pytest.approx(expected)


def test_surprise_is_that_of_a_kernel_density_of_the_other_rows(rng):
    values = rng.normal(size=300)
    own = Surprise.fit(values, Cells.fit(values, False))
    first, lower, upper, last = np.percentile(values, [1, 25, 75, 99])
    width = min(np.clip(values, first, last).std(), (upper - lower) / 1.349) * 300**-0.2
    seen = np.exp(-0.5 * ((values[:, None] - values) / width) ** 2).sum(axis=1) - 1.0
    by_hand = np.log2((300 + PRIOR) / (seen + PRIOR))
    np.testing.assert_allclose(own.of(values, trained=True), by_hand, atol=0.05)
    near, far = own.of(np.array([20.0, 2000.0]), trained=False)
    assert by_hand.max() < near < far


def test_alignments_are_those_of_whole_similarities(rng):
    x, e = rng.normal(size=(2, 300))
    features = [np.c_[x, x**2], np.c_[x + e, e], np.c_[np.sin(x), e**2, rng.normal(size=300)]]
    centered = [part - part.mean(axis=0) for part in features]
    whole = [u_centered(part @ part.T) for part in centered]
    products = np.array([[np.vdot(one, other) for other in whole] for one in whole])
    norms = np.sqrt(np.diag(products))
    np.testing.assert_allclose(aligned(centered), products / norms / norms[:, None], atol=0.01)


def test_related_pairs_are_those_of_strength(rng):
    x, e = rng.normal(size=(2, 400))
    label = rng.choice([0.0, 1.0, 2.0], 400)
    table = np.c_[x, x**2 + 0.3 * e, e, label, label + 0.5 * rng.normal(size=400)]
    found = alignments(table, np.array([False, False, False, True, False]), np.random.RandomState(0))
    columns = {f"x{k}": column for k, column in enumerate(table.T)} | {"x3": np.char.add("v", label.astype(str))}
    strong = (sh.pairwise(columns).strength > 0.25) & ~np.eye(5, dtype=bool)
    np.testing.assert_array_equal(found > 0.05, strong)
    assert spanning_pairs(found, 400)[0] == (3, 4)
    assert (0, 1) in spanning_pairs(found, 400)


def test_distances_are_those_of_nearest_neighbors(rng):
    values = rng.normal(size=(60, 3))
    cells = [Cells.fit(column, False) for column in values.T]
    near = NearRows.fit(values, cells, 5, np.random.RandomState(0))
    scaled = (values - values.mean(axis=0)) / values.std(axis=0)
    expected = NearestNeighbors(n_neighbors=5).fit(scaled).kneighbors()[0].mean(axis=1)
    np.testing.assert_allclose(near.distances(values, trained=True), expected)
    np.testing.assert_allclose(near.shares(values).sum(axis=1), 1.0)


def test_labels_that_differ_are_as_far_apart_as_numbers_are(rng):
    label = rng.integers(0, 3, 500).astype(float)
    values = np.c_[label, rng.normal(size=500)]
    cells = [Cells.fit(label, True), Cells.fit(values[:, 1], False)]
    near = NearRows.fit(values, cells, 5, np.random.RandomState(0))
    points = near.place(values)
    squares = ((points[:250] - points[250:]) ** 2)[:, near.owners == 0].sum(axis=1)
    assert squares.mean() == pytest.approx(2.0, abs=0.3)


def test_bits_of_tails():
    training = np.arange(1024.0)
    bits = TailBits.fit(training)
    assert bits.of(np.array([512.0]))[0] == pytest.approx(1.0, abs=0.01)
    assert bits.of(np.array([1023.0]))[0] == pytest.approx(11.0)
    assert bits.of(np.array([5000.0]))[0] > 11.0
    assert TailBits.fit(np.zeros(10)).of(np.zeros(3)).tolist() == [1.0] * 3
    assert TailLine.fit(np.zeros(10)).of(np.ones(3)).tolist() == [0.0] * 3


@pytest.mark.parametrize("noise", [5, 40])
def test_rows_that_break_a_relation_come_first(noise):
    planted = planted_subspace(600, sizes=(2, 3), noise=noise, outliers=8, rng=4)
    found = SubspaceOutlierDetector().fit(planted.X)
    assert roc_auc_score(planted.y, found.decision_scores_) > 0.98
    for reasons, broken in zip(found.reasons(planted.X[planted.y == 1]), planted.broken[planted.y == 1], strict=True):
        if reasons[0]["bits"] < 0 and len(reasons[0]["columns"]) == 2:
            assert {int(name[1:]) for name in reasons[0]["columns"]} <= set(planted.subspaces[broken])
    names = {frozenset(pair) for pair in found.subspaces_}
    assert frozenset(planted.subspaces[0]) in names
    assert np.all(np.diff(found.strengths_) <= 0)


def test_rows_far_out_come_first(rng):
    X = rng.normal(size=(300, 5))
    X[:3] += 6.0
    assert set(np.argsort(-SubspaceOutlierDetector().fit(X).decision_scores_)[:3].tolist()) == {0, 1, 2}


def test_words_name_the_columns_the_values_and_what_is_usual(people):
    found = SubspaceOutlierDetector().fit(people)
    assert {0, 1} <= set(np.argsort(-found.decision_scores_)[:4].tolist())
    first, second = (reasons[0] for reasons in found.reasons(people[:2]))
    assert set(first["columns"]) == {"height", "weight"}
    named = first["words"].startswith("weight = 76 with height = 160: ")
    odd, other = ("weight", "height") if named else ("height", "weight")
    assert f"of rows with {other} like this 90 in 100 have " in first["words"]
    low, high = (float(word) for word in first["words"].split(" have ")[1].split(" to "))
    assert high < 70 if odd == "weight" else low > 165
    assert "sex" in second["columns"]
    assert "sex = f" in second["words"]


@pytest.mark.parametrize("by", ["subspace", "column"])
def test_contributions_add_up_to_the_score(people, by):
    found = SubspaceOutlierDetector().fit(people)
    new = people[:3].with_columns(height=pl.lit(150.0))
    rows = pl.concat([people[:20], new, people[5:6].with_columns(sex=pl.lit("x"))])
    lines = found.explain(rows, by=by)
    totals = lines.group_by("row").agg(pl.col("contribution").sum()).sort("row")["contribution"].to_numpy()
    np.testing.assert_allclose(totals, -found.score_samples(rows), atol=1e-9)
    assert lines["contribution"].min() >= 0
    if by == "subspace":
        assert set(lines["view"].unique()) == {"value", "relation", "distance"}


def test_training_rows_keep_their_scores(people):
    found = SubspaceOutlierDetector().fit(people)
    np.testing.assert_array_equal(found.score_samples(people[40:60]), -found.decision_scores_[40:60])
    np.testing.assert_array_equal(found.predict(people), np.where(found.labels_ == 1, -1, 1))
    twins = pl.concat([people, people[:1]])
    again = SubspaceOutlierDetector().fit(twins)
    assert again.decision_scores_[0] == again.decision_scores_[-1]


def test_units_copies_and_seeds(people, rng):
    X = np.c_[people["height"], people["weight"], people["noise"]]
    found = SubspaceOutlierDetector().fit(X)
    np.testing.assert_allclose(SubspaceOutlierDetector().fit(X * [1e-3, 1e300, 1e-300]).decision_scores_,
                               found.decision_scores_, atol=1e-6)  # fmt: skip
    new = rng.normal(170, 30, size=(5, 3))
    copied = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(copied.score_samples(new), found.score_samples(new))
    np.testing.assert_array_equal(clone(found).fit(X).decision_scores_, found.decision_scores_)
    long = rng.normal(size=(1500, 4))
    one, other = (SubspaceOutlierDetector(random_state=seed).fit(long).decision_scores_ for seed in (0, 1))
    assert not np.array_equal(one, other)
    assert np.corrcoef(one, other)[0, 1] > 0.95


def test_frames_of_any_library(people):
    by_polars = SubspaceOutlierDetector().fit(people)
    frame = people.to_pandas()
    by_pandas = SubspaceOutlierDetector().fit(frame)
    np.testing.assert_allclose(by_pandas.decision_scores_, by_polars.decision_scores_)
    assert isinstance(by_pandas.explain(frame[:2]), pd.DataFrame)
    assert by_pandas.n_features_in_ == 4
    categories = SubspaceOutlierDetector().fit(people.with_columns(pl.col("sex").cast(pl.Categorical)))
    np.testing.assert_allclose(categories.decision_scores_, by_polars.decision_scores_)


def test_pictures_mark_the_row(people):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    found = SubspaceOutlierDetector().fit(people)
    ax = found.plot(people[:1])
    assert {ax.get_xlabel(), ax.get_ylabel()} == {"height", "weight"}
    others, own = ax.get_lines()
    assert (len(others.get_xdata()), len(own.get_xdata())) == (400, 1)
    assert " with " in ax.get_title()
    assert {float(own.get_xdata()[0]), float(own.get_ydata()[0])} == {160.0, 76.0}
    labelled = found.plot(people, row=1)
    assert "sex" in (labelled.get_xlabel(), labelled.get_ylabel())
    alone = people[5:6].with_columns(noise=pl.lit(50.0))
    assert found.plot(alone).get_xlabel() == "noise"
    with pytest.raises(ValueError, match="row: expected a position from 0 to 0"):
        found.plot(alone, row=1)
    pyplot.close("all")


def test_odd_tables(rng):
    constant = np.c_[rng.normal(size=(40, 2)), np.full(40, 3.0)]
    assert np.isfinite(SubspaceOutlierDetector().fit(constant).decision_scores_).all()
    few = SubspaceOutlierDetector().fit(rng.normal(size=(3, 2)))
    with pytest.warns(UserWarning, match="n_neighbors"):
        SubspaceOutlierDetector(n_neighbors=5).fit(rng.normal(size=(3, 2)))
    assert np.isfinite(few.score_samples([[1e9, -1e9]])).all()
    ties = SubspaceOutlierDetector().fit(np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]], 10, axis=0))
    assert ties.labels_.sum() == 0
    nobody = pl.DataFrame({"id": [f"n{k}" for k in range(50)], "x": rng.normal(size=50), "sex": ["f", None] * 25})
    assert np.isfinite(SubspaceOutlierDetector().fit(nobody).decision_scores_).all()


def test_bad_calls_are_refused(people, rng):
    found = SubspaceOutlierDetector().fit(people)
    with pytest.raises(ValueError, match="scheme: expected one of"):
        SubspaceOutlierDetector(scheme="tree").fit(people)
    with pytest.raises(ValueError, match="scheme: expected 'paper' or none"):
        SubspaceOutlierDetector([(0, 1)], scheme="relations").fit(people)
    with pytest.raises(ValueError, match="NaN"):
        found.predict(people.with_columns(height=pl.lit(float("nan"))))
    with pytest.raises(TypeError, match="numbers in 'height'"):
        found.predict(people.with_columns(height=pl.lit("tall")))
    with pytest.raises(TypeError, match="some of which are labels"):
        found.predict(rng.normal(size=(3, 4)))
    with pytest.raises(ValueError, match="most"):
        found.reasons(people, most=0)
    with pytest.raises(ValueError, match="for reasons"):
        SubspaceOutlierDetector([(0, 1)]).fit(rng.normal(size=(30, 2))).reasons(rng.normal(size=(3, 2)))
    with pytest.raises(ValueError, match="by: expected"):
        found.explain(people, by="row")
    with pytest.raises(ValueError, match="2 or more columns"):
        SubspaceOutlierDetector().fit(people.select("sex"))
