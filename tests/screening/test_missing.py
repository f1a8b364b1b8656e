"""missing="pairwise": each pair as if it were alone, with widths from all rows that a variable has."""

import numpy as np
import pytest

import shearer as sh
from screening.tables import mixed
from shearer.screening import all_pairs, pairwise
from shearer.screening.entropies import low_rank


def gappy(rows=40, seed=5):
    """A table with gaps of several kinds, and each variable's width from the rows that it has."""
    rng = np.random.default_rng(seed)
    table = {name: mixed(rows)[name] for name in ("x", "noisy", "label", "ties", "plane", "flag")}
    lacking = {name: np.sort(rng.choice(rows, 5, replace=False)) for name in ("noisy", "label", "plane")}
    lacking["ties"] = lacking["noisy"]
    for name, places in lacking.items():
        values = np.array(table[name], dtype=object if name == "label" else float)
        values[places] = None if name == "label" else np.nan
        table[name] = values
    return table, lacking


def by_hand(table, lacking, alpha, normalize):
    names = list(table)
    present = {name: np.setdiff1d(np.arange(40), lacking.get(name, [])) for name in names}
    kernels = {}
    for name in names:
        if name not in ("label", "flag"):
            own = np.asarray(table[name], dtype=float)[present[name]]
            kernels[name] = sh.kernels.Gaussian(sh.kernels.bandwidth.resolve("median", own.reshape(len(own), -1)))
    for i, first in enumerate(names):
        for j, second in enumerate(names):
            if i != j:
                rows = np.intersect1d(present[first], present[second])
                pair = {name: np.asarray(table[name])[rows] for name in (first, second)}
                own = {name: kernels[name] for name in (first, second) if name in kernels}
                value = sh.mutual_information(pair, kernel=own or None, alpha=alpha, normalize=normalize)
                yield i, j, len(rows), value


@pytest.mark.parametrize("alpha", [1, 2])
@pytest.mark.parametrize("normalize", [True, False, "joint", "sqrt"])
def test_equals_every_pair_by_hand(alpha, normalize):
    table, lacking = gappy()
    m = pairwise(table, missing="pairwise", alpha=alpha, normalize=normalize)
    for i, j, rows, value in by_hand(table, lacking, alpha, normalize):
        assert m.rows[i, j] == rows
        assert m.value[i, j] == pytest.approx(value, abs=1e-11)
    assert np.array_equal(m.value, m.value.T)
    assert np.isfinite(m.value).all()
    assert np.diag(m.rows).tolist() == [40, 35, 35, 35, 35, 40]


def test_entropies_are_of_all_rows_that_a_variable_has():
    table, _ = gappy()
    m = pairwise(table, missing="pairwise")
    own = np.asarray(table["noisy"])[~np.isnan(table["noisy"])]
    assert m.entropy[1] == pytest.approx(sh.entropy(own, alpha=2), abs=1e-12)


def test_single_precision():
    table, lacking = gappy()
    m = pairwise(table, missing="pairwise", dtype="float32")
    for i, j, _, value in by_hand(table, lacking, 2, True):
        assert m.value[i, j] == pytest.approx(value, abs=1e-5)


def test_factors(monkeypatch):
    table, lacking = gappy()
    monkeypatch.setattr(all_pairs, "_TALL", 10)
    monkeypatch.setattr(low_rank, "_ENTRY", 10**6)
    monkeypatch.setattr(low_rank.LowRank, "_most_rank", 200)
    m = pairwise(table, missing="pairwise", normalize=False)
    assert m.route == "low rank"
    for i, j, _, value in by_hand(table, lacking, 2, False):
        assert m.value[i, j] == pytest.approx(value, abs=m.error + 1e-10)


@pytest.mark.parametrize("alpha", [1, 2])
def test_target(alpha):
    table, _ = gappy()
    whole = pairwise(table, missing="pairwise", alpha=alpha)
    m = pairwise(table, missing="pairwise", alpha=alpha, target="noisy")
    assert np.allclose(m.value, np.delete(whole.value[:, 1], 1), atol=1e-12)
    assert m.rows.tolist() == np.delete(whole.rows[:, 1], 1).tolist()


@pytest.mark.parametrize("alpha", [1, 2])
def test_no_gaps_is_the_plain_result(alpha):
    table = mixed()
    m = pairwise(table, missing="pairwise", alpha=alpha)
    assert np.allclose(m.value, pairwise(table, alpha=alpha).value, atol=1e-12)
    assert (m.rows == 40).all()


@pytest.mark.parametrize("route", ["triangles", "low rank", "spectra"])
def test_nothing_in_common_is_nan(rng, monkeypatch, route):
    alpha = 1 if route == "spectra" else 2
    if route == "low rank":
        monkeypatch.setattr(all_pairs, "_TALL", 10)
        monkeypatch.setattr(low_rank, "_ENTRY", 10**6)
    x = rng.normal(size=(3, 12))
    x[0, :6] = x[1, 6:] = np.nan
    x[2, 7:] = np.nan  # one row in common with the first
    m = pairwise(x.T, missing="pairwise", alpha=alpha)
    assert m.route == route
    assert m.rows[0].tolist() == [6, 0, 1]
    assert np.isnan(m.value[[0, 1, 0, 2], [1, 0, 2, 0]]).all()
    assert np.isfinite(m.value[1, 2])
    assert np.isfinite(np.diag(m.value)).all()


def test_groups(rng):
    x = rng.normal(size=(20, 3))
    x[0, 0] = x[3, 1] = np.nan
    m = pairwise({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]}, groups={"ab": ["a", "b"]}, missing="pairwise")
    assert m.names == ("ab", "c")
    assert m.rows.tolist() == [[18, 18], [18, 20]]


def test_variable_without_values():
    with pytest.raises(ValueError, match=r"at least 2 rows with a value in every variable, got 1 of 3 in 'b'"):
        pairwise({"a": [1.0, 2.0, 3.0], "b": [None, None, 2.0]}, missing="pairwise")


def test_missing_values_are_an_error_by_default(rng):
    x = rng.normal(size=(9, 2))
    x[1, 1] = np.nan
    with pytest.raises(ValueError, match='Or missing="pairwise", for each pair'):
        pairwise(x)
