"""Information of all pairs from few features: against whole matrices, with gaps, labels, and the links that follow."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.metrics import mutual_info_score

import shearer as sh
from shearer.data import read
from shearer.datasets import planted_network
from shearer.tools import DependenceNetwork
from shearer.tools.networks import network as network_module
from shearer.tools.networks import pair_information
from shearer.tools.networks.indirect import context_likelihood, mean_ranks
from shearer.tools.networks.pair_information import LEAST_SHARE, NUMBER_FREEDOM, PairInformation
from shearer.tools.networks.score_features import WIDTH, normal_scores, score_features
from shearer.tools.networks.strongest_links import strongest_links


def entropy(kernel: np.ndarray) -> float:
    """Of order 1, from all eigenvalues of a kernel matrix of all rows."""
    values = np.linalg.eigvalsh(kernel / len(kernel))
    values = values[values > 1e-15]
    return float(-(values * np.log2(values)).sum())


def share(first: np.ndarray, second: np.ndarray) -> float:
    """What `PairInformation` gives of two numbers, from matrices of all rows."""
    kernels = []
    for values in (first, second):
        features = score_features(normal_scores(values))
        kernels.append(features @ features.T)
    a, b = kernels
    bits = entropy(a) + entropy(b) - entropy(a * b)
    return bits / min(2 * entropy(k) - entropy(k * k) for k in kernels)


@pytest.fixture
def table() -> np.ndarray:
    return planted_network(120, 9, links=5, rng=2).data.to_numpy(writable=True)


def test_shares_are_those_of_whole_matrices(table):
    table[:, 1] = np.round(table[:, 1])  # ties
    table[:, 2] = table[:, 2] > 0.5
    found = PairInformation(read(table)).all_pairs()
    assert np.array_equal(found, found.T)
    for i, j in ((0, 3), (1, 4), (2, 5), (1, 2)):
        expected = share(table[:, i], table[:, j])
        assert found[i, j] == pytest.approx(expected if expected >= LEAST_SHARE else 0.0, abs=1e-9)


def test_the_kernel_is_the_wide_gaussian_where_scores_are():
    scores = np.linspace(-2, 2, 41)
    features = score_features(scores)
    gaussian = np.exp(-((scores[:, None] - scores) ** 2) / (2 * WIDTH**2))
    assert np.abs(features @ features.T - gaussian).max() < 0.03
    assert np.allclose(np.linalg.norm(score_features(np.array([-30.0, 30.0])), axis=1), 1)


def test_rows_in_parts_give_the_same(table, monkeypatch):
    columns = {f"x{k}": table[:, k] for k in range(5)} | {"l": [f"v{k % 3}" for k in range(120)]}
    expected = PairInformation(read(columns)).all_pairs()
    monkeypatch.setattr(pair_information, "_ENTRIES", 1)
    monkeypatch.setattr(pair_information, "_FEWEST_ROWS", 50)
    assert np.allclose(PairInformation(read(columns)).all_pairs(), expected, atol=1e-10)


def test_only_ranks_count(table):
    bent = table.copy()
    bent[:, 0] = np.exp(table[:, 0])
    bent[:, 1] = -1e300 * table[:, 1]
    bent[:, 2] = 1e16 + 1e4 * table[:, 2]
    found, again = (PairInformation(read(data)).all_pairs() for data in (table, bent))
    assert np.allclose(found, again)


def test_gaps_count_the_rows_that_both_have(table):
    gappy = table.copy()
    gappy[:40, 0], gappy[30:70, 1] = np.nan, np.nan
    gappy[:116, 2] = np.nan
    found = PairInformation(read(gappy, missing="pairwise", pairwise=True)).all_pairs()
    assert np.isnan(found[2, [0, 1, 3]]).all()
    features = [np.zeros((120, 4)) for _ in range(2)]
    for k in (0, 1):
        there = ~np.isnan(gappy[:, k])
        features[k][there] = score_features(normal_scores(gappy[there, k]))
    own = [2 * entropy(f @ f.T) - entropy((f @ f.T) ** 2) for f in (f[np.any(f != 0, axis=1)] for f in features)]
    both = [f[~np.isnan(gappy[:, :2]).any(axis=1)] for f in features]
    a, b = (f @ f.T for f in both)
    expected = (entropy(a) + entropy(b) - entropy(a * b)) / min(own)
    assert found[0, 1] == pytest.approx(expected if expected >= LEAST_SHARE else 0.0, abs=1e-9)
    assert found[3, 4] == pytest.approx(PairInformation(read(table)).all_pairs()[3, 4], abs=1e-12)


def test_labels_by_their_counts():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 300)
    b = np.where(rng.uniform(size=300) < 0.6, a, rng.integers(0, 3, 300))
    x = a + rng.normal(size=300)
    letters = np.array(list("uvwxyz"))
    found = PairInformation(read({"a": letters[a], "b": letters[b], "x": x})).all_pairs()
    shares = np.bincount(a) / 300, np.bincount(b) / 300
    most = min(-(s * np.log2(s)).sum() for s in shares)
    chance = (2 * 2 - NUMBER_FREEDOM**2) / (2 * 300 * np.log(2))
    assert found[0, 1] == pytest.approx((mutual_info_score(a, b) / np.log(2) - chance) / most)
    features = score_features(normal_scores(x))
    kernels = (a[:, None] == a).astype(float), features @ features.T
    bits = entropy(kernels[0]) + entropy(kernels[1]) - entropy(kernels[0] * kernels[1])
    chance = (2 * NUMBER_FREEDOM - NUMBER_FREEDOM**2) / (2 * 300 * np.log(2))
    own = 2 * entropy(kernels[1]) - entropy(kernels[1] ** 2)
    assert found[0, 2] == pytest.approx((bits - chance) / own)
    assert np.array_equal(found, found.T)


def test_many_levels_do_not_look_like_dependence():
    rng = np.random.default_rng(1)
    columns = {f"c{k}": [f"level {v}" for v in rng.integers(0, 30, 200)] for k in range(6)}
    found = PairInformation(read(columns | {"x": rng.normal(size=200)})).all_pairs()
    assert found.max() < 0.08  # not taken off, chance alone were 0.08 with the number on average


def test_what_numbers_share_by_chance():
    x = np.random.default_rng(0).normal(size=(500, 40))
    information = PairInformation(read(x))
    places = np.arange(40)
    bits = information._bits(places, places, False, False)[np.triu_indices(40, 1)]
    assert np.sqrt(bits.mean() * 2 * 500 * np.log(2)) == pytest.approx(NUMBER_FREEDOM, rel=0.05)


def test_a_correlation_of_015_is_the_least_that_counts():
    rng = np.random.default_rng(0)
    x, e = rng.normal(size=(2, 20000))
    table = {f"r{r}": r / 100 * x + np.sqrt(1 - (r / 100) ** 2) * e for r in (13, 17, 50)}
    found = PairInformation(read({"x": x} | table)).all_pairs()[0]
    assert found[1] == 0 < found[2] < 0.03
    assert found[3] == pytest.approx(0.17, abs=0.01)  # as the documentation says


@pytest.mark.parametrize("rows", [2, 5, 6])
def test_few_rows(rows):
    found = PairInformation(read(np.random.default_rng(0).normal(size=(rows, 3)))).all_pairs()
    assert np.isnan(found[0, 1]) == (rows < 6)


def test_constants_tell_nothing():
    x = np.random.default_rng(0).normal(size=(50, 3))
    x[:, 1] = 4.0
    found = PairInformation(read({"x": x[:, 0], "c": x[:, 1], "l": ["a"] * 50, "y": x[:, 0]})).all_pairs()
    assert found[0].tolist() == [0, 0, 0, pytest.approx(1)]
    assert not found[1:3].any()


def test_ranks_and_context_among_the_pairs_that_count(table):
    weights = PairInformation(read(table)).all_pairs()
    everything = ~np.eye(9, dtype=bool)
    assert np.allclose(context_likelihood(weights), context_likelihood(weights, everything))
    counted = np.zeros((9, 9), dtype=bool)
    counted[0] = counted[:, 0] = True
    counted[0, 0] = False
    some = context_likelihood(weights, counted)
    z = (weights[0, 1:] - weights[0, 1:].mean()) / weights[0, 1:].std()
    assert np.allclose(some[0, 1:], np.maximum(z, 0))  # the others have one pair each, which stands out nowhere
    ranks = mean_ranks(weights, counted)
    assert ranks[1:, 1:].max() == 0 < ranks[0].max() < 1


@pytest.mark.parametrize("indirect", [None, "clr", "clr-rank"])
@pytest.mark.parametrize("regulators", [None, [1, 4, 70]])
def test_links_alone_are_those_of_the_matrices(monkeypatch, indirect, regulators):
    data = planted_network(60, 80, links=60, rng=3).data
    names = None if regulators is None else [data.columns[k] for k in regulators]
    options = {"indirect": indirect, "fdr": None, "top_k": 25, "regulators": names}
    whole = DependenceNetwork(**options).fit(data)
    monkeypatch.setattr(network_module, "MOST_IN_MATRICES", 10)
    alone = DependenceNetwork(**options).fit(data)
    assert alone.weights_ is None
    assert alone.edges_["weight"].to_numpy() == pytest.approx(whole.edges_["weight"].to_numpy(), abs=2e-3)
    found, expected = ({frozenset(pair) for pair in n.edges_.select("source", "target").rows()} for n in (alone, whole))
    assert len(found & expected) >= 24  # ranks are counted to three digits
    if names is not None:
        assert set(alone.edges_["source"]) <= set(names)


def test_equal_weights_are_taken_in_order():
    x = np.random.default_rng(0).normal(size=40)
    information = PairInformation(read(np.stack([x] * 6, axis=1)))
    links = strongest_links(information, np.arange(6), 4, None)
    assert list(zip(links.first, links.second, strict=True)) == [(0, 1), (0, 2), (0, 3), (0, 4)]


def test_regulators(table):
    frame = pl.DataFrame(table, schema=list("abcdefghi"))
    network = DependenceNetwork(regulators=["h", "c"], fdr=None).fit(frame)
    everything = DependenceNetwork(fdr=None).fit(frame)
    others = [k for k, name in enumerate("abcdefghi") if name not in "hc"]
    assert not network.weights_[np.ix_(others, others)].any()
    assert np.array_equal(network.weights_[2], everything.weights_[2])
    assert set(network.edges_["source"]) <= {"c", "h"}
    importance = network.to_arboreto()
    assert set(importance["TF"]) <= {"c", "h"}
    both = network.edges_.filter(pl.col("source").is_in(["c", "h"]) & pl.col("target").is_in(["c", "h"]))
    assert len(importance) == len(network.edges_) + len(both)  # listed both ways
    tested = DependenceNetwork(regulators=["c"]).fit(frame)
    assert np.all(tested.qvalues_[np.ix_(others, others)] == 1)
    upper = tested.qvalues_[2, others]
    assert np.all(upper <= DependenceNetwork().fit(frame).qvalues_[2, others] + 1e-12)  # fewer pairs to adjust for


def test_sparse_matrices_and_annotated_ones(table):
    counts = np.where(table > 0.6, np.round(10 * table), 0.0)
    expected = DependenceNetwork(preset="expression").fit(counts).weights_
    for matrix in (sparse.csr_array(counts), sparse.csc_matrix(counts)):
        assert np.array_equal(DependenceNetwork(preset="expression").fit(matrix).weights_, expected)
    names = [f"gene {k}" for k in range(9)]
    cells = SimpleNamespace(X=sparse.csr_matrix(counts), var_names=pd.Index(names), obs_names=range(120))
    network = DependenceNetwork(preset="expression").fit(cells)
    assert np.array_equal(network.weights_, expected)
    assert network.names_ == tuple(names)
    assert isinstance(network.edges_, pd.DataFrame)
    with pytest.raises(MemoryError, match="a sparse matrix of 120 x 9"):
        DependenceNetwork(memory="1kB").fit(sparse.csr_array(counts))
    cells.var_names = ["same"] * 9
    with pytest.raises(ValueError, match="distinct names of variables, got 'same' twice"):
        DependenceNetwork().fit(cells)


def test_stability(table):
    network = DependenceNetwork(stability=20, fdr=0.01).fit(table)
    assert network.edges_.columns == ["source", "target", "weight", "pvalue", "qvalue", "stability"]
    shares = network.edges_["stability"].to_numpy()
    assert ((shares >= 0) & (shares <= 1)).all()
    assert shares[0] == 1
    again = DependenceNetwork(stability=20, fdr=0.01).fit(table).edges_["stability"].to_numpy()
    assert np.array_equal(shares, again)
    noise = np.random.default_rng(0).normal(size=(60, 12))
    loose = DependenceNetwork(stability=20, fdr=None, top_k=3).fit(noise).edges_["stability"].to_numpy()
    assert loose.max() < 0.9
    assert DependenceNetwork(stability=3).fit(np.ones((20, 3))).edges_.height == 0
    for weight in ("pvalue", "value"):
        assert "stability" in DependenceNetwork(weight=weight, stability=2).fit(table[:, :4]).edges_.columns


def test_presets(table):
    small = table[:60, :4]
    paper = DependenceNetwork(preset="paper", fdr=None).fit(small)
    stated = DependenceNetwork(alpha=1.01, kernel=sh.kernels.Gaussian("authors-demo"), fdr=None).fit(small)
    assert np.array_equal(paper.weights_, stated.weights_)
    general, expression = (DependenceNetwork(preset=name, fdr=None).fit(table) for name in ("general", "expression"))
    assert np.array_equal(expression.weights_, mean_ranks(general.weights_, ~np.eye(9, dtype=bool)))
    plain = DependenceNetwork(preset="expression", indirect=None, fdr=None).fit(table)
    assert np.array_equal(plain.weights_, general.weights_)
