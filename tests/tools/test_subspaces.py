"""The search: planted sets are found, options do what they say, bad input is refused in words."""

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

import shearer as sh
from shearer.datasets import planted_subspace
from shearer.tools import SubspaceSearch

MEASURES = ("total_correlation", "dual_total_correlation", "adjusted")


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_planted_triple_among_fifty_noise_columns_is_found(measure, seed):
    planted = planted_subspace(250, sizes=(3,), noise=50, outliers=5, rng=seed)
    found = SubspaceSearch(measure).fit(planted.X)
    # of three columns along one line each pair depends as much: on the adjusted scale one of them may come first
    assert planted.subspaces[0] in found.subspaces_[: 2 if measure == "adjusted" else 1]
    assert set(found.subspaces_[0]) <= set(planted.subspaces[0])


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_hidden_triple_needs_all_triples(measure, seed):
    planted = planted_subspace(400, sizes=(3,), noise=25, outliers=5, kind="hidden", rng=seed)
    found = SubspaceSearch(measure, exhaustive_triples=True).fit(planted.X)
    assert found.subspaces_[0] == planted.subspaces[0]
    assert found.scores_[0] > 5 * found.scores_[1]
    assert planted.subspaces[0] not in SubspaceSearch(measure, beam=50).fit(planted.X).subspaces_


def test_two_planted_sets_come_before_what_mixes_them():
    planted = planted_subspace(400, sizes=(2, 3), noise=8, rng=3)
    assert set(SubspaceSearch(n_subspaces=2).fit(planted.X).subspaces_) == set(planted.subspaces)


@pytest.mark.parametrize("alpha", [1.0, 2.0])
def test_a_wide_beam_finds_what_trying_all_sets_finds(rng, alpha):
    X = rng.normal(size=(40, 5))
    X[:, 3] += X[:, 0]
    X[:, 4] = np.round(X[:, 1] * X[:, 2])
    every = [columns for size in (2, 3, 4) for columns in combinations(range(5), size)]
    scores = {columns: sh.total_correlation(X[:, columns], alpha=alpha) for columns in every}
    best = sorted(every, key=lambda columns: -scores[columns])
    options = {"alpha": alpha, "max_size": 4, "beam": 100, "n_subspaces": 100}
    found = SubspaceSearch(prune=False, **options).fit(X)
    assert found.subspaces_ == best
    np.testing.assert_allclose(found.scores_, [scores[columns] for columns in best], atol=1e-9)
    pruned = SubspaceSearch(**options).fit(X)
    kept = [a for a in best if not any(set(a) < set(b) and scores[b] > scores[a] for b in best)]
    assert pruned.subspaces_ == kept
    assert len(kept) < len(best)


def test_any_function_of_columns_scores(rng):
    X = rng.normal(size=(80, 6))
    X[:, 5] = X[:, 2] + 0.1 * X[:, 5]

    def correlation(*columns):
        return np.mean(np.abs(np.corrcoef(columns)[np.triu_indices(len(columns), 1)]))

    found = SubspaceSearch(correlation, n_jobs=2).fit(X)
    assert found.subspaces_[0] == (2, 5)
    assert found.scores_[0] == pytest.approx(abs(np.corrcoef(X[:, 2], X[:, 5])[0, 1]))


def test_rows_are_drawn_by_the_seed(rng):
    X = rng.normal(size=(300, 4))
    one, again, other = (SubspaceSearch(max_rows=50, random_state=seed).fit(X).scores_ for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)
    whole = SubspaceSearch(max_rows=None).fit(X)
    np.testing.assert_array_equal(whole.scores_, SubspaceSearch(max_rows=300).fit(X).scores_)
    first = sh.total_correlation(X[:, whole.subspaces_[0]], alpha=2)
    assert whole.scores_[0] == pytest.approx(first, abs=1e-9)


def test_many_rows_take_tiles_and_low_rank(rng):
    X = rng.normal(size=(2500, 3))
    X[:, 2] += X[:, 0] * X[:, 1]
    found = SubspaceSearch(max_rows=None, exhaustive_triples=True, prune=False).fit(X)
    at = found.subspaces_.index((0, 1, 2))
    assert found.scores_[at] == pytest.approx(sh.total_correlation(X, alpha=2), abs=1e-6)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_names_of_a_frame_come_back(library, rng):
    x = rng.normal(size=50)
    frame = library({"a": rng.normal(size=50), "b": x, "c": x + 0.1 * rng.normal(size=50), "d": rng.normal(size=50)})
    found = SubspaceSearch(n_subspaces=2, max_size=2).fit(frame)
    assert found.names_[0] == ("b", "c")
    assert found.subspaces_[0] == (1, 2)
    table = found.to_frame()
    assert isinstance(table, library)
    assert table["subspace"].to_list()[0] == "b, c"
    assert table["size"].to_list() == [2, 2]
    assert SubspaceSearch(n_subspaces=1, max_size=2).fit(frame.to_numpy()).names_ == [("x1", "x2")]


def test_kernels_by_name(rng):
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc")).assign(constant=1.0)
    kernel = {"a": sh.kernels.Gaussian(0.2), "constant": sh.kernels.Laplacian()}
    found = SubspaceSearch(kernel=kernel, n_subspaces=20, max_size=2).fit(frame)
    expected = sh.total_correlation(frame[["a", "b"]], alpha=2, kernel={"a": sh.kernels.Gaussian(0.2)})
    assert found.scores_[found.names_.index(("a", "b"))] == pytest.approx(expected, abs=1e-9)
    with pytest.raises(ValueError, match="kernel"):
        SubspaceSearch(kernel={"nobody": sh.kernels.Gaussian()}).fit(frame)


def test_constant_columns_are_in_no_set_and_copies_only_on_request(rng):
    X = rng.normal(size=(60, 6))
    X[:, 1] = 4.0
    X[:, 4] = 2 - 3 * X[:, 0]
    X[:, 5] += X[:, 2]
    found = SubspaceSearch(n_subspaces=50).fit(X)
    assert found.subspaces_[0] == (2, 5)
    assert {column for columns in found.subspaces_ for column in columns} == {0, 2, 3, 5}
    assert SubspaceSearch(keep_copies=True).fit(X).subspaces_[0] == (0, 4)


def test_fewer_sets_than_asked_for(rng):
    found = SubspaceSearch(n_subspaces=1000, prune=False, max_size=None).fit(rng.normal(size=(30, 3)))
    assert len(found.subspaces_) == len(found.scores_) == 4
    assert np.all(np.diff(found.scores_) <= 0)


def test_beam_limits_what_is_kept(rng):
    found = SubspaceSearch(beam=2, max_size=2, n_subspaces=100).fit(rng.normal(size=(30, 8)))
    assert len(found.subspaces_) == 2


BAD = [
    ({"measure": "correlation"}, ValueError, "measure: expected one of"),
    ({"alpha": -1}, ValueError, "alpha"),
    ({"alpha": "two"}, TypeError, "alpha"),
    ({"n_subspaces": 0}, ValueError, "n_subspaces: expected a whole number of 1 or more"),
    ({"n_subspaces": 2.5}, TypeError, "n_subspaces"),
    ({"beam": 0}, ValueError, "beam"),
    ({"max_size": 1}, ValueError, "max_size: expected a whole number of 2 or more"),
    ({"max_rows": 1}, ValueError, "max_rows"),
    ({"prune": "yes"}, ValueError, "prune"),
    ({"exhaustive_triples": 1}, ValueError, "exhaustive_triples"),
    ({"exhaustive_triples": True, "max_size": 2}, ValueError, "max_size: expected 3 or more"),
    ({"keep_copies": None}, ValueError, "keep_copies"),
    ({"memory": "much"}, ValueError, "memory"),
    ({"memory": 100}, sh.MemoryBudgetError, "memory"),
    ({"n_jobs": "all"}, TypeError, "n_jobs"),
    ({"kernel": "gaussian"}, TypeError, "kernel"),
    ({"random_state": "seed", "max_rows": 10}, ValueError, "seed"),
]


@pytest.mark.parametrize(("options", "error", "words"), BAD, ids=[str(options) for options, _, _ in BAD])
def test_bad_parameters_are_refused_in_fit(options, error, words, rng):
    search = SubspaceSearch(**options)
    with pytest.raises(error, match=words):
        search.fit(rng.normal(size=(20, 4)))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1.0, np.nan], [2.0, 3.0]], "NaN"),
        ([[1.0, np.inf], [2.0, 3.0]], "infinity"),
        ([[1.0], [2.0]], r"1 feature\(s\)"),
        ([[1.0, 2.0]], r"1 sample\(s\)"),
        ([["a", "b"], ["c", "d"]], "could not convert|must be"),
        (np.ones((5, 3)), "X: expected at least 2 columns that vary and differ, got 0 of 3"),
        (np.arange(10.0).reshape(5, 2), "keep_copies=True"),
    ],
)
def test_bad_tables_are_refused(X, words):
    with pytest.raises(ValueError, match=words):
        SubspaceSearch().fit(X)


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_values_of_any_size(rng, size):
    X = rng.normal(size=(40, 4))
    expected = SubspaceSearch().fit(X)
    found = SubspaceSearch().fit(X * size)
    assert found.subspaces_ == expected.subspaces_
    np.testing.assert_allclose(found.scores_, expected.scores_, atol=1e-9)


def test_nothing_before_fit():
    with pytest.raises(NotFittedError):
        SubspaceSearch().to_frame()


def test_a_bar_only_where_asked(rng, capsys):
    SubspaceSearch(progress=True).fit(rng.normal(size=(30, 4)))
    assert capsys.readouterr().err == ""  # it took less than two seconds


def test_a_function_of_three_columns_only(rng):
    X = rng.normal(size=(60, 4))
    X[:, 3] = X[:, 0] * X[:, 1]

    def three(*columns):
        return sh.total_correlation(*columns, alpha=2) if len(columns) == 3 else np.nan

    assert SubspaceSearch(three, exhaustive_triples=True, n_subspaces=1).fit(X).subspaces_ == [(0, 1, 3)]
    with pytest.raises(ValueError, match="measure: expected a number for some set of columns, got nan for all"):
        SubspaceSearch(lambda *columns: np.nan).fit(X)


def test_labels_and_dates_of_a_table_take_part(rng):
    label = rng.integers(0, 3, size=80)
    day = rng.integers(0, 1000, size=80)
    frame = pl.DataFrame(
        {
            "species": np.array(["finch", "gull", "heron"])[label],
            "renamed": np.array(["u", "w", "v"])[label],
            "weight": label + 0.2 * rng.normal(size=80),
            "day": np.datetime64("2020-01-01") + day,
            "growth": day + 30 * rng.normal(size=80),
            "noise": rng.normal(size=80),
        }
    )
    found = SubspaceSearch(max_size=2, n_subspaces=2).fit(frame)
    assert set(found.names_) == {("species", "weight"), ("day", "growth")}
    expected = sh.total_correlation(frame[["species", "weight"]], alpha=2)
    assert found.scores_[found.names_.index(("species", "weight"))] == pytest.approx(expected, abs=1e-9)
    assert SubspaceSearch(keep_copies=True).fit(frame).names_[0] == ("species", "renamed")
    with pytest.raises(ValueError, match="missing"):
        SubspaceSearch().fit(frame.with_columns(pl.lit(None).alias("empty")))
