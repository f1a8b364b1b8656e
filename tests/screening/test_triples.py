"""A screened triple has the values that the measures give it alone."""

from itertools import combinations

import numpy as np
import pytest

import shearer as sh
from screening.tables import mixed
from shearer._memory import MemoryBudgetError
from shearer.screening import Triples, all_triples, triples

MEASURES = ("total_correlation", "dual_total_correlation", "o_information")


def check(found, table, tolerance, **options):
    noun = sh.Dependence(table, **options)
    for position, index in enumerate(found.index):
        names = [found.names[k] for k in index]
        for measure in MEASURES:
            expected = getattr(noun, measure)(*names).value
            assert getattr(found, measure)[position] == pytest.approx(expected, abs=tolerance)
        assert found.joint[position] == pytest.approx(noun.entropy(*names).value, abs=tolerance)


@pytest.mark.parametrize("alpha", [1, 2])
def test_equals_the_measures(alpha):
    table = mixed(30)
    t = triples(table, alpha=alpha)
    assert isinstance(t, Triples)
    assert t.index.tolist() == [list(index) for index in combinations(range(9), 3)]
    assert t.names == tuple(table)
    assert len(t) == 84
    assert np.allclose(t.entropy, [sh.entropy(x, alpha=alpha) for x in table.values()], atol=1e-11)
    check(t, table, 1e-10, alpha=alpha)


def test_single_precision():
    t = triples(mixed(30), dtype="float32")
    assert t.total_correlation.dtype == np.float32
    check(t, mixed(30), 2e-5, alpha=2)


def test_tiles_of_odd_sizes(monkeypatch):
    whole = triples(mixed(30))
    monkeypatch.setattr(all_triples, "_FEWEST", 7)
    monkeypatch.setattr(all_triples, "_ENTRIES", 1)
    parts = triples(mixed(30))
    for measure in MEASURES:
        assert np.allclose(getattr(parts, measure), getattr(whole, measure), atol=1e-12)


@pytest.mark.parametrize("kernel", [sh.kernels.Laplacian(), {"x": sh.kernels.Gaussian(0.3)}])
def test_kernels(kernel):
    check(triples(mixed(25), kernel=kernel), mixed(25), 1e-10, alpha=2, kernel=kernel)


def test_columns():
    table = mixed(30)
    t = triples(table, columns=["ties", "x", "plane", "flag"], kernel={"x": sh.kernels.Laplacian(), "many": None})
    assert t.names == ("ties", "x", "plane", "flag")
    assert len(t) == 4
    check(t, table, 1e-11, alpha=2, kernel={"x": sh.kernels.Laplacian()})
    with pytest.raises(ValueError, match="columns: expected names among"):
        triples(table, columns=["x", "label", "z"])
    with pytest.raises(ValueError, match="columns: expected at least 3 names, got 2"):
        triples(table, columns=["x", "label", "x"])
    with pytest.raises(ValueError, match="kernel: expected names among"):
        triples(table, columns=["x", "label", "ties"], kernel={"z": sh.kernels.Laplacian()})


def test_groups_and_missing_rows(rng):
    data = {name: rng.normal(size=20) for name in "abcd"}
    data["b"][3] = np.nan
    t = triples(data, groups={"ab": ["a", "b"]}, missing="drop")
    assert t.names == ("ab", "c", "d")
    assert t.rows == 19
    check(t, data, 1e-11, alpha=2, groups={"ab": ["a", "b"]}, missing="drop")


def test_top(rng):
    t = triples(rng.normal(size=(30, 6)))
    best = t.top(3)
    assert best.total_correlation.tolist() == sorted(t.total_correlation, reverse=True)[:3]
    assert best.names == t.names
    lowest = t.top(2, by="o_information", ascending=True)
    assert lowest.o_information.tolist() == sorted(t.o_information)[:2]
    assert lowest.joint[0] == t.joint[(t.index == lowest.index[0]).all(axis=1)][0]
    assert len(t.top(1000)) == 20
    assert lowest.to_frame().height == 2
    for bad, error in ((0, ValueError), (1.5, ValueError), ("two", TypeError)):
        with pytest.raises(error, match="k: expected"):
            t.top(bad)
    with pytest.raises(ValueError, match="by: expected one of"):
        t.top(1, by="synergy")


def test_frame():
    t = triples(mixed(20))
    frame = t.to_frame()
    assert frame.columns == ["first", "second", "third", *MEASURES]
    assert frame.row(0)[:3] == ("x", "noisy", "label")
    assert frame["o_information"].to_list() == t.o_information.tolist()
    assert repr(t) == "Triples(84 triples of 9 variables, 20 rows, alpha=2)"


def test_two_rows_and_constants():
    t = triples([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]])
    assert t.total_correlation.tolist() == t.dual_total_correlation.tolist() == t.o_information.tolist() == [0.0]


def test_refusals(rng):
    with pytest.raises(ValueError, match="data: expected at least 3 variables, got 2"):
        triples(rng.normal(size=(9, 2)))
    with pytest.raises(ValueError, match="missing: expected one of 'error', 'drop'"):
        triples(rng.normal(size=(9, 3)), missing="pairwise")
    with pytest.raises(MemoryBudgetError, match="columns=, to look at fewer variables"):
        triples(rng.normal(size=(20, 300)), memory="100MB")
    with pytest.raises(ValueError, match="a larger memory="):
        triples(rng.normal(size=(300, 3)), memory="100kB", alpha=1)


def test_threads_change_nothing():
    one, two = (triples(mixed(20), alpha=1, n_jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one.total_correlation, two.total_correlation)
