"""Rows that come in clusters: levels where plain tests fail, power, and every door."""

import math
from enum import Enum

import numpy as np
import polars as pl
import pytest

import shearer as sh
from shearer.data import read
from shearer.inference.permutation.rearrangements import Clusters
from shearer.pairs.clusters import ClusterTests, _chi_squares, cluster_codes
from shearer.pairs.sides import Ladders


def repeated(rng, sizes, between=1.0):
    """A normal variable whose rows of one cluster are alike, and the clusters."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return math.sqrt(between) * rng.normal(size=len(sizes))[codes] + math.sqrt(1 - between) * rng.normal(
        size=len(codes)
    ), codes


@pytest.mark.parametrize("sizes", [[6] * 25, [1, 2, 3, 9, 15] * 6], ids=["equal", "unequal"])
@pytest.mark.parametrize("between", [0.5, 1.0])
def test_level_where_rows_of_a_cluster_are_alike(sizes, between, rng):
    found = []
    for _ in range(80):
        (x, codes), (y, _) = repeated(rng, sizes, between), repeated(rng, sizes, between)
        found.append(sh.independence_test(x, y, cluster=codes).pvalue)
    assert np.mean(np.array(found) <= 0.05) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 80)
    assert sh.independence_test(*(repeated(rng, sizes)[0] for _ in range(2))).pvalue < 1e-6  # as if rows were many


def test_one_row_each_is_much_like_the_plain_test(rng):
    x = rng.normal(size=300)
    y = 0.25 * x + rng.normal(size=300)
    plain, clustered = (sh.independence_test(x, y, cluster=c).pvalue for c in (None, np.arange(300)))
    assert clustered == pytest.approx(plain, rel=5)
    assert clustered < 0.01


def test_found_within_and_between_clusters(rng):
    codes = np.repeat(np.arange(40), 5)
    x = rng.normal(size=200)
    within = x**2 + 0.5 * rng.normal(size=200)
    assert sh.independence_test(x, within, cluster=codes).pvalue < 1e-3
    level = rng.normal(size=40)[codes]
    label = np.where(level > 0, "high", "low")
    assert sh.independence_test(level, label, cluster=codes).pvalue < 1e-3


def test_permutations_move_whole_clusters(rng):
    (x, codes), (y, _) = repeated(rng, [4] * 20), repeated(rng, [4] * 20)
    found = sh.permutation_test(x, y, statistic="mutual_information", alpha=2, cluster=codes, n_resamples=99)
    assert found.pvalue > 0.01
    assert "99 random permutations of 20 clusters" in found.method
    scheme = Clusters((np.array([0, 1]), np.array([2, 3]), np.array([4])))
    for seed in range(20):
        assert scheme.draw(np.random.default_rng(seed)).tolist() in ([0, 1, 2, 3, 4], [2, 3, 0, 1, 4])
    assert scheme.log_count() == pytest.approx(math.log(scheme.count()))
    with pytest.raises(ValueError, match="cluster: expected enough clusters of the same size"):
        sh.permutation_test(np.arange(36.0), np.arange(36.0) % 5, cluster=np.repeat(np.arange(8), np.arange(1, 9)))


def test_the_same_from_every_door(rng, tmp_path):
    (x, codes), (y, _) = repeated(rng, [5] * 30), repeated(rng, [5] * 30)
    frame = pl.DataFrame({"x": x, "y": y, "z": x + rng.normal(size=150), "patient": [f"p{code}" for code in codes]})
    one = sh.independence_test(x, y, cluster=codes).pvalue
    for cluster in ("patient", frame["patient"]):
        data = frame if isinstance(cluster, str) else frame.drop("patient")
        found = sh.pairwise(data, cluster=cluster)
        assert found.names == ("x", "y", "z")
        assert found.pvalue[0, 1] == pytest.approx(one, rel=1e-9)
        assert np.array_equal(found.pvalue, found.pvalue.T)
        assert (np.diag(found.pvalue) == 1).all()
        scanned = sh.scan(data, cluster=cluster)
        pairs = {tuple(pair["variables"]): pair["pvalue"] for pair in scanned.document["pairs"]}
        assert pairs["x", "y"] == pytest.approx(one, rel=1e-9)
        assert not scanned.document["triples"]
        assert any("30 clusters" in note for note in scanned.document["notes"])
    assert sh.pairwise(frame, target="z", cluster="patient").pvalue.shape == (2,)


def test_missing_values(rng):
    (x, codes), (y, _) = repeated(rng, [5] * 30), repeated(rng, [5] * 30)
    x[:20] = np.nan
    table = read(x, y, missing="pairwise", pairwise=True)
    found = ClusterTests(Ladders.of(table), codes).pvalues(slice(0, 1), slice(1, 2))[0, 0]
    assert 0 < found <= 1
    x[:] = np.nan
    x[:30] = rng.normal(size=30)  # of six clusters
    table = read(x, y, missing="pairwise", pairwise=True)
    assert np.isnan(ClusterTests(Ladders.of(table), codes).pvalues(slice(0, 1), slice(1, 2))[0, 0])


@pytest.mark.parametrize(
    ("cluster", "words"),
    [
        ([1, 2], "one label for each of 40 rows"),
        ([None, *range(39)], "a label for every row"),
        ([0.5, float("nan")] * 20, "a label for every row"),
        (list("ab") * 20, "at least 8 clusters"),
    ],
)
def test_clusters_that_are_none(cluster, words, rng):
    x, y = rng.normal(size=(2, 40))
    with pytest.raises(ValueError, match=f"cluster: expected {words}"):
        sh.independence_test(x, y, cluster=cluster)


def test_what_clusters_do_not_go_with(rng):
    x, y, z = rng.normal(size=(3, 40))
    codes = np.arange(40) % 10
    with pytest.raises(ValueError, match="two variables without permutations"):
        sh.independence_test(x, y, z, cluster=codes)
    with pytest.raises(ValueError, match="neither blocks nor rows to drop"):
        sh.permutation_test(x, y, cluster=codes, blocks=5)
    with pytest.raises(ValueError, match="cluster: expected none with lags"):
        sh.scan(pl.DataFrame({"x": x, "y": y}), cluster=codes, lags=[0])
    with pytest.raises(ValueError, match=r"cluster"):
        sh.scan(pl.DataFrame({"x": x, "y": y}), cluster="patient")


def test_codes_of_mixed_labels():
    codes = cluster_codes(np.array(["a", 1, "a", *range(2, 9)], dtype=object), 10)
    assert codes[0] == codes[2] != codes[1]


def test_labels_of_a_kind_that_has_no_order():
    sites = list(Enum("Site", list("abcdefgh")))
    labels = np.array(sites + sites[::-1], dtype=object)
    assert cluster_codes(labels, 16).tolist() == [*range(8), *range(7, -1, -1)]


def test_the_method_says_how_many_clusters(rng):
    x, y = rng.normal(size=(2, 40))
    assert sh.independence_test(x, y, cluster=np.arange(40) % 10).method == "aggregated over 10 clusters"


@pytest.mark.parametrize("count", [2, 3, 12])
@pytest.mark.parametrize("width", [1, 4, 20])
def test_the_sum_of_clusters_has_the_covariance_of_a_sample(count, width):
    """Mean and spread of the squared norm of a sum: from the unbiased covariance, times the number of clusters."""
    sums = np.random.default_rng(count).normal(size=(count, width)) + 0.5
    covariance = count * np.atleast_2d(np.cov(sums.T, ddof=1))
    total = sums.sum(axis=0)
    z, skewness = _chi_squares(sums)
    weights = np.linalg.eigvalsh(covariance)
    assert z == pytest.approx((total @ total - weights.sum()) / np.sqrt(2 * np.sum(weights**2)))
    assert skewness == pytest.approx(np.sqrt(8) * np.sum(weights**3) / np.sum(weights**2) ** 1.5)
