"""The test in the hands of others, and graphs that a table contradicts."""

import networkx
import numpy as np
import pytest

import shearer as sh
from shearer.tools import PvalueGiven, check_graph, pgmpy_test, register_causal_learn


@pytest.fixture
def chain(rng):
    """a -> b -> c, and a label of the sign of c."""
    a = rng.normal(size=250)
    b = np.sin(2 * a) + a + 0.4 * rng.normal(size=250)
    c = b + 0.8 * rng.normal(size=250)
    return {"a": a, "b": b, "c": c, "sign": np.where(c + 0.3 * rng.normal(size=250) > 0, "plus", "minus")}


def test_plain_callable(chain):
    pvalue = PvalueGiven(chain)
    assert pvalue("a", "c") == pytest.approx(sh.independence_test(chain["a"], chain["c"]).pvalue, rel=1e-9)
    expected = sh.independence_test(chain["a"], chain["c"], given=chain["b"]).pvalue
    assert pvalue("a", "c", ["b"]) == pytest.approx(expected, rel=1e-9)
    assert pvalue("a", "c", ["b"]) > 0.05
    assert pvalue(0, np.int64(3)) < 1e-6
    assert pvalue("a", "sign", ["c"]) > 0.01
    assert pvalue("a", "c", ["b", "sign"]) == pytest.approx(pvalue("c", "a", ["sign", "b"]), rel=1e-9)


def test_labels_missing_values_and_bad_columns(rng):
    codes = rng.integers(3, size=80)
    table = np.column_stack([rng.normal(size=80), codes, (codes - 1.0) ** 2 + 0.1 * rng.normal(size=80)])
    assert PvalueGiven(table, labels=[1])(1, 2) < 1e-6
    table[:5, 0] = np.nan
    assert 0 < PvalueGiven(table, labels=[1])(0, 2, [1]) <= 1
    pvalue = PvalueGiven(table)
    for bad, message in (((0, 0), "different columns"), ((0, 7), "a position from 0 to 2"), ((0, "y"), "column: ")):
        with pytest.raises(ValueError, match=message):
            pvalue(*bad)
    with pytest.raises(TypeError, match="a name or a position"):
        pvalue(0, 1.5)


@pytest.mark.needs("causallearn")
def test_causal_learn(chain):
    from causallearn.search.ConstraintBased.FCI import fci
    from causallearn.search.ConstraintBased.PC import pc

    data = np.column_stack([chain["a"], chain["b"], chain["c"], chain["sign"] == "plus"]).astype(float)
    name = register_causal_learn()
    found = pc(data, 0.01, name, labels=[3], show_progress=False).G.graph
    adjacent = {(i, j) for i in range(4) for j in range(i) if found[i, j]}
    assert adjacent == {(1, 0), (2, 1), (3, 2)}
    graph, _ = fci(data, name, alpha=0.01, labels=[3], show_progress=False, verbose=False)
    assert {(i, j) for i in range(4) for j in range(i) if graph.graph[i, j]} == adjacent


@pytest.mark.needs("pgmpy")
def test_pgmpy(chain):
    import pandas as pd
    from pgmpy.causal_discovery import PC

    frame = pd.DataFrame(chain)
    test = pgmpy_test(frame)
    assert test("a", "c", ["b"], significance_level=0.01)
    assert not test("a", "c", significance_level=0.01)
    found = PC(ci_test=test, significance_level=0.01, show_progress=False, return_type="pdag").fit(frame)
    edges = {tuple(sorted(edge)) for edge in found.causal_graph_.edges()}
    assert edges == {("a", "b"), ("b", "c"), ("c", "sign")}


def test_missing_packages_are_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "causallearn.utils.cit", None)
    with pytest.raises(ImportError, match=r"shearer\[causal\]"):
        register_causal_learn()


def test_graph_that_holds_and_one_that_does_not(chain):
    arrows = [("a", "b"), ("b", "c"), ("c", "sign")]
    found = check_graph(chain, arrows)
    assert len(found.missing) == 3
    assert found.contradicted == []
    assert found.unsupported == []
    wrong = check_graph(chain, networkx.DiGraph([("b", "a"), ("c", "sign"), ("a", "sign")]))
    assert ("b", "c", ()) in wrong.contradicted
    assert wrong.unsupported == [("a", "sign")]
    assert "b and c depend given nothing" in str(wrong)
    assert wrong.to_frame().columns == ["first", "second", "given", "pvalue", "qvalue"]
    assert len(check_graph(chain, [("a", "b")]).to_frame()) == 0


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ([("a", "b"), ("b", "a")], "graph: expected no cycles"),
        ([("a", "q")], "graph: .*'q'"),
        (5, "graph: expected a networkx.DiGraph or pairs of names"),
    ],
)
def test_bad_graphs(chain, graph, message):
    with pytest.raises((ValueError, TypeError), match=message):
        check_graph(chain, graph)
