"""Covers: what is refused, what equals what."""

from itertools import combinations

import numpy as np
import pytest

import shearer as sh


@pytest.fixture
def table(rng):
    common = rng.normal(size=30)
    return {name: common + rng.normal(size=30) for name in "abcd"}


def test_names_and_positions_are_the_same(table):
    by_name = sh.shearer_gap(table, cover=[["a", "b"], ["c", "d"]])
    assert by_name == sh.shearer_gap(*table.values(), cover=[[0, 1], [2, 3]])


def test_size_is_the_cover_of_all_subsets(table):
    for size in (1, 2, 3):
        for normalize in (False, "marginal", "joint"):
            subsets = list(combinations("abcd", size))
            expected = sh.shearer_gap(table, size=size, normalize=normalize)
            assert sh.shearer_gap(table, cover=subsets, normalize=normalize) == pytest.approx(expected, abs=1e-13)


def test_a_partition_is_the_mutual_information_of_its_parts(table):
    gap = sh.shearer_gap(table, cover=[["a", "b"], ["c", "d"]], normalize=False)
    d = sh.Dependence(table)
    assert gap == pytest.approx(d.entropy("a", "b").value + d.entropy("c", "d").value - d.entropy().value, abs=1e-12)


def test_weights_scale_out_and_repeats_add_up(table):
    cover = [["a", "b"], ["b", "c", "d"], ["a", "d"], ["c"]]
    weights = [1.0, 0.5, 0.25, 2.0]
    value = sh.shearer_gap(table, cover=cover, weights=weights)
    assert sh.shearer_gap(table, cover=cover, weights=[8 * w for w in weights]) == pytest.approx(value, abs=1e-12)
    doubled = sh.shearer_gap(table, cover=[*cover, cover[0]], weights=[0.5, 0.5, 0.25, 2.0, 0.5])
    assert doubled == pytest.approx(value, abs=1e-12)


def test_fractional_cover_at_one_is_not_negative(table, rng):
    subsets = [list(subset) for size in (1, 2, 3) for subset in combinations("abcd", size)]
    for _ in range(20):
        assert (
            sh.shearer_gap(table, cover=subsets, weights=rng.uniform(0.01, 1, size=len(subsets)), normalize=False) >= 0
        )
        assert 0 <= sh.shearer_gap(table, cover=subsets, weights=rng.uniform(0.01, 1, size=len(subsets))) <= 1


def test_the_whole_as_its_own_cover_has_no_gap(table):
    for normalize in (True, False, "joint"):
        assert sh.shearer_gap(table, cover=[list("abcd")], normalize=normalize) == 0


def test_given(table):
    d = sh.Dependence(table, given="d")
    assert d.shearer_gap(size=1).value == pytest.approx(d.total_correlation().value)
    assert d.shearer_gap(size=2, normalize="joint").value == pytest.approx(d.dual_total_correlation().value)


def test_a_subset_of_the_variables(table):
    d = sh.Dependence(table)
    value = d.shearer_gap("a", "b", "c", cover=[["a", "b"], ["c"]]).value
    assert value == pytest.approx(sh.shearer_gap({name: table[name] for name in "abc"}, cover=[[0, 1], [2]]))


BAD = [
    ({"size": 0}, ValueError, "size: expected a whole number from 1 to 3, got 0"),
    ({"size": 4}, ValueError, "size: expected a whole number from 1 to 3, got 4"),
    ({"size": 1.5}, TypeError, "size: expected a whole number"),
    ({"size": True}, TypeError, "size: expected a whole number"),
    ({}, ValueError, "size, cover: expected one of the two, got neither"),
    ({"size": 1, "cover": [["a"]]}, ValueError, "size, cover: expected one of the two, got both"),
    ({"cover": [["a", "b"]]}, ValueError, "cover: expected subsets that cover every variable, got none with 'c'"),
    ({"cover": [["a", "b", "c", "d"], []]}, ValueError, "cover: expected subsets with at least one variable"),
    ({"cover": [["a", "b", "c", "e"]]}, ValueError, "cover: expected names among .* got 'e'"),
    ({"cover": [["a", "a"], ["b", "c", "d"]]}, ValueError, "cover: expected each variable once"),
    ({"cover": [[0, 1], [2, 4]]}, ValueError, "cover: expected positions from 0 to 3, got 4"),
    ({"cover": "abcd"}, TypeError, "cover: expected a list of subsets"),
    ({"cover": 3}, TypeError, "cover: expected a list of subsets"),
    ({"cover": [["a", "b", "c", "d"]], "weights": [1, 2]}, ValueError, "weights: expected one for each of the 1"),
    ({"cover": [["a", "b", "c", "d"]], "weights": [-1]}, ValueError, "weights: expected a positive finite number"),
    ({"cover": [["a", "b", "c", "d"]], "weights": [np.nan]}, ValueError, "weights: expected a positive finite number"),
    ({"size": 1, "weights": [1]}, ValueError, "weights: expected weights together with cover="),
    ({"size": 1, "normalize": "max"}, ValueError, "normalize: expected one of"),
]


@pytest.mark.parametrize(("options", "kind", "message"), BAD)
def test_bad_covers(table, options, kind, message):
    with pytest.raises(kind, match=message):
        sh.shearer_gap(table, **options)


def test_too_many(rng):
    wide = rng.normal(size=(12, 40))
    with pytest.raises(ValueError, match="size: expected at most 100000 subsets"):
        sh.shearer_gap(wide, size=20)
    with pytest.raises(ValueError, match="data: expected at most 16 variables"):
        sh.co_information(wide)


def test_a_negative_ceiling_is_nan():
    """At alpha = 2 the average of a cover can fall below one of its own entropies: no quotient is meant then."""
    a, b, c = [False, False, True, False], [False, False, False, True], [False] * 4
    assert np.isnan(sh.shearer_gap(a, b, c, size=2, alpha=2))
    assert sh.shearer_gap(a, b, c, size=2, alpha=2, normalize=False) < 0
    assert 0 <= sh.shearer_gap(a, b, c, size=2) <= 1 + 1e-12
