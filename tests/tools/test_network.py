"""The network: what it finds, keeps, refuses, and hands on."""

import networkx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

import shearer as sh
from shearer.datasets import planted_network, planted_table
from shearer.tools import DependenceNetwork


@pytest.fixture
def table() -> np.ndarray:
    return planted_network(200, 8, links=4, rng=1).data.to_numpy(writable=True)


@pytest.fixture
def chain() -> np.ndarray:
    """a -> b -> c: a and c depend through b alone."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    b = a + 0.5 * rng.normal(size=300)
    c = b + 0.5 * rng.normal(size=300)
    return np.stack([a, b, c], axis=1)


def links(network: DependenceNetwork) -> set[tuple[str, str]]:
    return set(network.to_networkx().edges)


@pytest.mark.parametrize("indirect", ["dpi", "conditional"])
def test_the_planted_network_is_found_and_little_else(indirect):
    direct, false, false_before = 0, 0, 0
    for seed in range(3):
        planted = planted_network(200, 10, links=5, rng=seed)
        names = planted.names
        true = {(names[i], names[j]) for i, j in zip(*np.nonzero(np.triu(planted.undirected)), strict=True)}
        found = links(DependenceNetwork(indirect=indirect, n_resamples=39).fit(planted.data))
        direct += len(found & true)
        false += len(found - true)
        false_before += len(links(DependenceNetwork().fit(planted.data)) - true)
    assert direct == 15
    assert false_before > 10
    assert false <= false_before / 3


@pytest.mark.parametrize("indirect", ["dpi", "conditional", "pc"])
def test_the_indirect_link_of_a_chain_goes(chain, indirect):
    assert links(DependenceNetwork().fit(chain)) == {("x1", "x2"), ("x2", "x3"), ("x1", "x3")}
    network = DependenceNetwork(indirect=indirect).fit(chain)
    assert links(network) == {("x1", "x2"), ("x2", "x3")}
    assert network.weights_[0, 2] == network.weights_[2, 0] == 0
    assert network.weights_[0, 1] > 0


def test_a_tolerance_of_one_keeps_every_link(chain):
    assert len(DependenceNetwork(indirect="dpi", tolerance=1.0).fit(chain).edges_) == 3


def test_weights_are_those_of_pairwise(table):
    m = sh.pairwise(table)
    network = DependenceNetwork(weight="value", fdr=None).fit(table)
    expected = m.value.copy()
    np.fill_diagonal(expected, 0)
    assert np.allclose(network.weights_, expected, atol=1e-14)
    adjusted = DependenceNetwork(weight="adjusted").fit(table)
    off = ~np.eye(8, dtype=bool)
    assert np.allclose(adjusted.weights_[off], m.adjusted[off])
    single = sh.pairwise(table, kernel=sh.kernels.Gaussian())
    assert np.allclose(adjusted.pvalues_, single.pvalue)
    assert np.allclose(adjusted.qvalues_, single.qvalue)
    logarithm = DependenceNetwork(weight="pvalue").fit(table)
    assert np.allclose(logarithm.weights_[off], -np.log10(single.pvalue[off]))


@pytest.mark.parametrize("options", [{}, {"weight": "adjusted"}, {"weight": "pvalue"}, {"indirect": "clr"}])
def test_weights_are_symmetric_with_an_empty_diagonal(table, options):
    weights = DependenceNetwork(**options).fit(table).weights_
    assert np.allclose(weights, weights.T, atol=0)
    assert np.all(weights.diagonal() == 0)
    assert np.isfinite(weights).all()


def test_a_tiny_pvalue_has_a_finite_weight():
    x = np.random.default_rng(0).normal(size=(1000, 2))
    x[:, 1] = x[:, 0]
    network = DependenceNetwork(weight="pvalue").fit(x)
    assert 290 < network.weights_[0, 1] <= 300


def test_other_orders_and_normalisations(table):
    small = table[:60, :4]
    network = DependenceNetwork(alpha=1.01, normalize="joint", kernel=sh.kernels.Gaussian("authors-demo")).fit(small)
    pair = sh.mutual_information(
        small[:, 0], small[:, 1], alpha=1.01, normalize="joint", kernel=sh.kernels.Gaussian("authors-demo")
    )
    assert network.weights_[0, 1] == pytest.approx(pair)
    # the test of a pair does not depend on the order of its weight
    assert np.allclose(network.pvalues_, sh.pairwise(small, kernel=sh.kernels.Gaussian("authors-demo")).pvalue)


def test_pvalues_at_one_width_and_over_a_ladder(table):
    for test in ("moments", "aggregated"):
        network = DependenceNetwork(test=test).fit(table)
        expected = sh.independence_test(table[:, 0], table[:, 3], method=test).pvalue
        assert network.pvalues_[0, 3] == pytest.approx(expected, rel=1e-6)
    wide = sh.kernels.Gaussian(5.0)
    stated = [DependenceNetwork(test=test, kernel=wide).fit(table).pvalues_ for test in ("moments", "aggregated")]
    assert np.array_equal(*stated)
    some = DependenceNetwork(kernel={"b": wide}).fit(pl.DataFrame(table[:, :3], schema=list("abc")))
    expected = sh.independence_test(
        {"a": table[:, 0], "b": table[:, 1]}, kernel={"a": sh.kernels.Gaussian(), "b": wide}
    ).pvalue
    assert some.pvalues_[0, 1] == pytest.approx(expected, rel=1e-6)


def test_thresholds_join(table):
    everything = DependenceNetwork(weight="value", fdr=None).fit(table).edges_
    assert len(everything) == 28
    weights = everything["weight"].to_numpy()
    assert np.all(np.diff(weights) <= 0)
    assert len(DependenceNetwork(weight="value", fdr=None, top_k=3).fit(table).edges_) == 3
    cut = float(weights[5])
    assert len(DependenceNetwork(weight="value", fdr=None, threshold=cut).fit(table).edges_) == 6
    both = DependenceNetwork(weight="value", fdr=None, threshold=cut, top_k=4).fit(table).edges_
    assert both["weight"].to_list() == weights[:4].tolist()
    significant = DependenceNetwork(weight="value", fdr=0.05).fit(table).edges_
    assert (significant["qvalue"] <= 0.05).all()
    assert len(DependenceNetwork(weight="value", fdr=0.05, top_k=28).fit(table).edges_) == len(significant)


def test_pvalues_are_left_out_where_nothing_asks_for_them(table):
    network = DependenceNetwork(fdr=None).fit(table)
    assert network.pvalues_ is None
    assert network.qvalues_ is None
    assert network.edges_["pvalue"].is_nan().all()
    assert next(iter(network.to_networkx().edges(data=True)))[2].keys() == {"weight"}


def test_few_false_links_among_independent_columns():
    found = [
        len(DependenceNetwork().fit(np.random.default_rng(seed).normal(size=(80, 20))).edges_) for seed in range(20)
    ]
    assert np.mean(np.array(found) > 0) <= 0.2  # 5 % expected of 20; above 4 has probability 0.003


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_names_and_libraries_are_kept(make):
    columns = planted_table(200).columns
    frame = make(columns)
    network = DependenceNetwork().fit(frame)
    assert type(network.edges_) is type(frame)
    assert list(network.feature_names_in_) == list(columns) == list(network.names_)
    assert {tuple(row) for row in np.array(network.edges_[["source", "target"]])} >= {
        ("dose", "response"),
        ("species", "weight"),
    }
    assert type(network.to_arboreto()) is type(frame)


def test_arrays_have_the_names_of_pairwise(table):
    network = DependenceNetwork().fit(table)
    assert network.names_ == sh.pairwise(table).names == tuple(f"x{k}" for k in range(1, 9))
    assert not hasattr(network, "feature_names_in_")


def test_adjusted_weights_of_too_few_rows_are_refused():
    with pytest.raises(ValueError, match='X: expected at least 6 rows with weight="adjusted", got 5'):
        DependenceNetwork(weight="adjusted").fit(np.random.default_rng(0).normal(size=(5, 2)))


def test_labels_and_missing_values_of_a_table():
    columns = planted_table(150).columns
    frame = pl.DataFrame(columns).with_row_index().with_columns(
        pl.when(pl.col("index") < 12).then(None).otherwise(pl.col("response")).alias("response")
    )  # fmt: skip
    frame = frame.drop("index")
    with pytest.raises(ValueError, match="missing values in 12 of 150 rows"):
        DependenceNetwork().fit(frame)
    dropped = DependenceNetwork(missing="drop").fit(frame)
    pairwise = DependenceNetwork(missing="pairwise", indirect="conditional", n_resamples=19).fit(frame)
    assert ("dose", "response") in links(dropped) & links(pairwise)
    i, j = frame.columns.index("species"), frame.columns.index("weight")
    expected = sh.independence_test(columns["species"], columns["weight"], method="moments").pvalue
    assert pairwise.pvalues_[i, j] == pytest.approx(expected, rel=1e-6)
    i, j = frame.columns.index("dose"), frame.columns.index("response")
    expected = sh.independence_test(columns["dose"][12:], columns["response"][12:], method="moments").pvalue
    assert pairwise.pvalues_[i, j] == pytest.approx(expected, rel=1e-6)
    assert np.array_equal(dropped.weights_, DependenceNetwork().fit(frame.drop_nulls()).weights_)


def test_a_kernel_for_one_column(table):
    frame = pl.DataFrame(table, schema=list("abcdefgh"))
    wide = {"a": sh.kernels.Gaussian(50.0)}
    network = DependenceNetwork(kernel=wide, indirect="conditional", n_resamples=19, fdr=None).fit(frame[:, :3])
    assert network.weights_[0, 1] != DependenceNetwork(fdr=None).fit(frame[:, :3]).weights_[0, 1]
    with pytest.raises(ValueError, match="kernel: expected names among"):
        DependenceNetwork(kernel={"z": sh.kernels.Gaussian()}).fit(frame)


def test_many_rows_are_tested_one_pair_at_a_time():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5001, 3))
    x[:, 1] += x[:, 0]
    network = DependenceNetwork().fit(x)
    assert links(network) == {("x1", "x2")}


@pytest.mark.parametrize("rows", [2, 3, 5])
def test_few_rows_give_valid_pvalues(rows):
    network = DependenceNetwork().fit(np.random.default_rng(0).normal(size=(rows, 3)))
    assert len(network.edges_) == 0
    assert ((network.pvalues_ > 0) & (network.pvalues_ <= 1)).all()


def test_constant_columns_are_linked_to_nothing(table):
    table[:, 3] = 7.0
    network = DependenceNetwork().fit(table)
    assert np.allclose(network.weights_[3], 0, atol=1e-12)
    assert np.all(network.pvalues_[3] == 1)
    assert np.allclose(DependenceNetwork(weight="adjusted").fit(table).weights_[3], 0, atol=1e-12)
    assert len(DependenceNetwork().fit(np.ones((10, 3))).edges_) == 0


def test_copies_and_extreme_values():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    network = DependenceNetwork(indirect="dpi").fit(np.stack([x, x, 1e300 * x, 1e-300 * x], axis=1))
    assert len(network.edges_) == 6  # equal weights: none is weaker than another


def test_links_that_two_variables_together_explain():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 300))
    x, y = a + b + 0.5 * rng.normal(size=(2, 300))
    found = links(DependenceNetwork(indirect="pc").fit(pl.DataFrame({"a": a, "b": b, "x": x, "y": y})))
    assert found == {("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")}
    one = links(DependenceNetwork(indirect="conditional").fit(pl.DataFrame({"a": a, "b": b, "x": x, "y": y})))
    assert ("x", "y") in one  # neither explains it alone


def test_seeds(chain):
    noisy = chain + np.random.default_rng(1).normal(size=chain.shape)
    fits = [
        DependenceNetwork(indirect="conditional", n_resamples=19, level=0.5, random_state=seed).fit(noisy).weights_
        for seed in (1, 1)
    ]
    assert np.array_equal(*fits)
    from shearer.data import read
    from shearer.kernels import Gaussian
    from shearer.tools.networks.pair_tests import GivenOthers

    independent = read(np.random.default_rng(1).normal(size=(60, 3)))
    given = [GivenOthers(independent, Gaussian(), 199, seed, None)(0, 1, 2) for seed in (1, 1, 2)]
    assert given[0] == given[1] != given[2]
    assert GivenOthers(independent, None, 1, 1, None)(0, 1, 2) == GivenOthers(independent, None, 1, 2, None)(0, 1, 2)


def test_graph_and_files(table, tmp_path):
    network = DependenceNetwork(fdr=None, top_k=2, weight="pvalue").fit(table)
    graph = network.to_networkx()
    assert set(graph.nodes) == set(network.names_)
    assert graph.number_of_edges() == 2
    path = tmp_path / "network.graphml"
    network.to_graphml(path)
    again = networkx.read_graphml(path)
    assert set(again.nodes) == set(graph.nodes)
    for source, target, values in graph.edges(data=True):
        assert again.edges[source, target] == pytest.approx(values)


def test_arboreto_shape(table):
    network = DependenceNetwork(fdr=None, top_k=3).fit(table)
    both = network.to_arboreto()
    assert both.columns == ["TF", "target", "importance"]
    assert len(both) == 6
    assert both["importance"].is_sorted(descending=True)
    source = network.edges_["source"][0]
    some = network.to_arboreto(tf_names=[source])
    assert set(some["TF"]) == {source}
    assert len(some) == sum(source in pair for pair in network.edges_.select("source", "target").rows())
    assert network.to_arboreto(tf_names=[]).shape == (0, 3)
    with pytest.raises(ValueError, match="tf_names: expected names among"):
        network.to_arboreto(tf_names=["nobody"])
    with pytest.raises(TypeError, match="tf_names: expected a collection of names"):
        network.to_arboreto(tf_names="x1")


def test_pipeline_and_clone(table):
    pipeline = make_pipeline(QuantileTransformer(n_quantiles=50), DependenceNetwork(weight="pvalue")).fit(table)
    assert pipeline[-1].weights_.shape == (8, 8)
    assert clone(DependenceNetwork(alpha=3, kernel=sh.kernels.Gaussian("scott"))).get_params()["alpha"] == 3


def test_fitting_leaves_the_parameters_and_the_data_alone(table):
    before = table.copy()
    network = DependenceNetwork(indirect="clr", top_k=2)
    parameters = network.get_params()
    network.fit(table)
    assert np.array_equal(table, before)
    assert network.get_params() == parameters


@pytest.mark.parametrize("method", ["to_networkx", "to_arboreto"])
def test_nothing_is_handed_on_before_fitting(method):
    with pytest.raises(NotFittedError):
        getattr(DependenceNetwork(), method)()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"preset": "genes"}, ValueError, "preset: expected one of 'general', 'expression', 'paper'"),
        ({"regulators": "x1"}, TypeError, "regulators: expected a collection of names"),
        ({"regulators": ["nobody"]}, ValueError, "regulators: expected names among"),
        ({"regulators": []}, ValueError, "regulators: expected at least one name, or None"),
        ({"regulators": [1]}, TypeError, "regulators: expected names among"),
        ({"stability": -1}, ValueError, "stability"),
        ({"stability": 1.5}, TypeError, "stability"),
        ({"alpha": -1}, ValueError, "alpha: expected a number from 0 to infinity"),
        ({"alpha": "2"}, TypeError, "alpha"),
        ({"weight": "pvalues"}, ValueError, "Did you mean 'pvalue'"),
        ({"weight": "adjusted", "alpha": 1}, ValueError, "weight: expected alpha=2"),
        ({"fdr": 0}, ValueError, "fdr: expected a number above 0 and up to 1, or None, got 0"),
        ({"fdr": 1.5}, ValueError, "fdr"),
        ({"fdr": "0.05"}, TypeError, "fdr"),
        ({"threshold": float("nan")}, ValueError, "threshold: expected a finite number or None"),
        ({"threshold": "high"}, TypeError, "threshold"),
        ({"top_k": 0}, ValueError, "top_k: expected a whole number of 1 or more"),
        ({"top_k": 2.5}, TypeError, "top_k"),
        (
            {"indirect": "aracne"},
            ValueError,
            "indirect: expected one of 'preset', None, 'dpi', 'clr', 'clr-rank', 'conditional', 'pc'",
        ),
        ({"tolerance": -0.1}, ValueError, "tolerance: expected a number from 0 to 1"),
        ({"level": 0}, ValueError, "level: expected a number above 0"),
        ({"n_resamples": 0}, ValueError, "n_resamples"),
        ({"test": "permutation"}, ValueError, "test: expected one of 'moments', 'aggregated'"),
        ({"missing": "keep"}, ValueError, "missing: expected one of"),
        ({"memory": "1kB"}, MemoryError, "a network of 8 variables, which needs"),
        ({"memory": "lots"}, ValueError, "memory"),
        ({"kernel": "gaussian"}, TypeError, "kernel"),
        ({"normalize": "half"}, ValueError, "normalize"),
        ({"n_jobs": 0, "alpha": 1}, ValueError, "n_jobs"),
    ],
)
def test_bad_parameters_are_refused_when_fitting(table, options, error, message):
    network = DependenceNetwork(**options)
    with pytest.raises(error) as caught:
        network.fit(table)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (np.array([[1.0, np.nan], [1, 2], [3, 4]]), ValueError, "NaN"),
        (np.array([[1.0, np.inf], [1, 2], [3, 4]]), ValueError, "infinity"),
        (np.ones((5, 1)), ValueError, "1 feature(s)"),
        (np.ones((1, 5)), ValueError, "1 sample(s)"),
        (np.ones(5), ValueError, "2D array"),
        (pl.DataFrame({"a": [1.0, 2.0, 3.0]}), ValueError, "at least 2 variables"),
        (pd.DataFrame(np.ones((3, 2)), columns=["a", "a"]), ValueError, "distinct column names, got 'a' twice"),
        (pl.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}).lazy(), TypeError, "Call .collect()"),
        ({"a": [1.0, 2.0], "b": [2.0, 3.0]}, TypeError, "Make a table of it"),
        (pl.DataFrame({"a": [], "b": []}), ValueError, "rows"),
        (None, ValueError, "2D array"),
    ],
)
def test_bad_data_is_refused(data, error, message):
    with pytest.raises(error) as caught:
        DependenceNetwork().fit(data)
    assert message in str(caught.value)


def test_links_that_are_none_can_be_written(tmp_path):
    found = DependenceNetwork().fit(np.random.default_rng(0).normal(size=(30, 3)))
    assert found.edges_.height == 0
    found.edges_.write_csv(tmp_path / "links.csv")
    assert (tmp_path / "links.csv").read_text() == "source,target,weight,pvalue,qvalue\n"


@pytest.mark.parametrize("indirect", ["conditional", "pc"])
def test_links_that_could_not_be_tested_are_told(indirect, rng):
    z = rng.normal(size=16)
    few = np.stack([z, z + 0.01 * rng.normal(size=16), z + 0.01 * rng.normal(size=16)], axis=1)
    with pytest.warns(UserWarning, match=r"nothing from (\d+) of \1 \(16 rows are too few") as warned:
        network = DependenceNetwork(indirect=indirect).fit(few)
    assert {one.filename for one in warned} == {__file__}  # the caller's own line
    assert len(network.edges_) == 3
