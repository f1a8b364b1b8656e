"""Triples beyond their pairs: formulas against refits, level, what is found, what is refused."""

import json
from itertools import product

import numpy as np
import polars as pl
import pytest

import shearer as sh
from shearer.comparing import profile_of
from shearer.comparing.compared_groups import CLASSES, rank_classes
from shearer.comparing.label_pairs import odds_pvalue
from shearer.comparing.pairwise_excess import label_axis, number_axis, pairwise_excess
from shearer.comparing.read_groups import read_groups
from shearer.comparing.tested_triples import triple_test
from shearer.inference.threeway.contingency import fit_margins
from shearer.report.comparison_schema import COMPARISON_FIELDS
from shearer.report.comparison_words import comparison_sentences
from shearer.report.schema import departures


def chain(rng, rows, correlation):
    a, e, f = rng.normal(size=(3, rows))
    other = np.sqrt(1 - correlation**2)
    b = correlation * a + other * e
    return {"a": a, "b": b, "c": correlation * b + other * f}


def multiplied(rng, rows, slope=1.0):
    a, b, e = rng.normal(size=(3, rows))
    return {"a": a, "b": b, "c": slope * a * b + e}


def counts_of(columns, classes):
    codes = [np.argsort(np.argsort(own)) * classes // len(own) for own in columns]
    shape = (classes,) * 3
    found = np.bincount(np.ravel_multi_index(codes, shape), minlength=classes**3)
    return found.reshape(shape).astype(float)


def of_columns(*columns, classes=6):
    counts = counts_of(columns, classes)
    return pairwise_excess(counts, [number_axis(np.full(classes, 1 / classes))] * 3, 2)


def triple_pvalue(*tables):
    read = read_groups(
        tables, by=None, every=None, names=None, kinds=None, keep=(), cluster=None, paired=False, memory=None
    )
    return triple_test(read, tuple(read.kinds), 0).pvalue


def test_the_covariance_is_that_of_further_draws():
    means, variances = [], []
    for seed in range(100):
        a, b, c = multiplied(np.random.default_rng(seed), 500).values()
        found = of_columns(a, b, c + 0.5 * a)
        means.append(found.means)
        variances.append(np.diag(found.covariance))
    ratios = np.var(means, axis=0, ddof=1) / np.mean(variances, axis=0)
    assert np.mean(means, axis=0)[0] > 0.3
    assert 0.85 < ratios.mean() < 1.2
    assert 0.6 < ratios.min() <= ratios.max() < 1.6


def test_of_labels_the_excess_is_that_over_the_fit_of_all_margins():
    rng = np.random.default_rng(1)
    counts = rng.integers(20, 60, size=(2, 3, 2)).astype(float)
    axes = [label_axis(counts.sum(axis=others) / counts.sum()) for others in ((1, 2), (0, 2), (0, 1))]
    own = pairwise_excess(counts, axes, 1).means
    excess = (counts - fit_margins(counts[None])[0]) / counts.sum()
    known = [
        np.einsum("abc,a,b,c->", excess, *chosen, optimize=True)
        for chosen in product(*(axis.tested.T for axis in axes))
    ]
    np.testing.assert_allclose(own, known, atol=2e-3)


def test_functions_of_classes_are_orthonormal():
    shares = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    for axis in (number_axis(shares), label_axis(shares)):
        whole = np.column_stack([np.ones(5), axis.basis])
        np.testing.assert_allclose(whole.T * shares @ whole, np.eye(5), atol=1e-9)
        assert np.abs(axis.tested).max() < 4


def test_classes_of_ranks():
    found = rank_classes(np.ones(2000, dtype=np.int64))
    assert found.min() == 0
    assert found.max() == CLASSES - 1
    np.testing.assert_array_equal(found, CLASSES - 1 - found[::-1])


@pytest.mark.parametrize("slope", [0.0, 1.0])
def test_level_whatever_happens_to_columns(slope):
    found = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        one, other = multiplied(rng, 200, slope), multiplied(rng, 400, slope)
        found.append(triple_pvalue(one, {"a": np.exp(other["a"]), "b": other["b"], "c": other["c"] ** 3}))
    assert np.mean(np.array(found) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


def test_pairs_that_change_are_no_change_of_the_triple():
    found = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        found.append(triple_pvalue(chain(rng, 400, 0.0), chain(rng, 400, 0.8)))
    assert np.mean(np.array(found) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


def test_three_labels_are_compared_by_odds_ratios_whatever_their_shares():
    rng = np.random.default_rng(2)
    law = rng.dirichlet(np.ones(8)).reshape(2, 2, 2) + 0.05
    other = law * np.array([3.0, 1.0]) * np.array([[1.0], [2.0]])
    tables = []
    for own in (law, other):
        cells = np.unravel_index(rng.choice(8, 600, p=own.ravel() / own.sum()), own.shape)
        tables.append({name: np.array(["u", "v"])[code] for name, code in zip("abc", cells, strict=True)})
    counts = np.array([[(sum(table[n] == x for n, x in zip("abc", cell, strict=True)) == 3).sum()
                        for cell in product("uv", repeat=3)] for table in tables])  # fmt: skip
    assert triple_pvalue(*tables) == pytest.approx(odds_pvalue(counts.reshape(2, 2, 2, 2).astype(float)))


def test_what_appears_beyond_pairs_is_found_and_told(tmp_path):
    rng = np.random.default_rng(3)
    tables = []
    for slope in (0.0, 1.0):
        columns = multiplied(rng, 400, slope)
        tables.append(columns | {"l": np.where(columns["c"] + rng.normal(size=400) > 0, "x", "y")})
    found = sh.compare(*map(pl.DataFrame, tables), names=["May", "June"], triples=True)
    first = found.document["triples"][0]
    assert first["variables"] == ["a", "b", "c"]
    assert first["reported"]
    assert first["excess"][0] < 0.2 < first["excess"][1]
    assert found.document["settings"]["triples_tested"] == 4
    assert "triples differ)" in repr(found)
    assert departures(json.loads(found.to_json()), COMPARISON_FIELDS) == []
    assert found.triples.height == 4
    said = "".join("".join(sentence) for sentence in comparison_sentences(found.document))
    assert "a, b and c: what they have beyond their pairs differs" in said
    found.to_csv(tmp_path / "out.csv")
    assert (tmp_path / "out-triples.csv").read_text().startswith("first,second,third,excess (May)")
    assert found.changed
    assert not sh.compare(tables[0], tables[0], triples=True).changed


def test_few_rows_rare_labels_and_gaps_are_said():
    rng = np.random.default_rng(4)
    few = sh.compare(multiplied(rng, 150), multiplied(rng, 150), triples=True).document["triples"][0]
    assert few["pvalue"] is None
    assert few["excess"] == [None, None]
    assert "fewer than 200" in few["notes"][0]
    tables = [multiplied(rng, 500) | {"l": rng.choice(list("uuuuuvvvw"), 500)} for _ in range(2)]
    tables[1]["a"][:200] = np.nan
    tables[1]["l"][:] = rng.choice(["u", "v", "x"], 500)
    found = {tuple(one["variables"]): one for one in sh.compare(*tables, triples=True).document["triples"]}
    assert found["a", "b", "c"]["n"] == [500, 300]
    assert "labels that are rare" in found["a", "b", "l"]["notes"][0]
    assert found["a", "b", "l"]["pvalue"] is not None


def test_what_triples_refuse():
    rng = np.random.default_rng(5)
    one, other = multiplied(rng, 250), multiplied(rng, 250)
    for options in ({"paired": True}, {"cluster": "a"}):
        with pytest.raises(ValueError, match="neither cluster nor paired"):
            sh.compare(one, other, triples=True, **options)
    with pytest.raises(ValueError, match="profile"):
        sh.compare(profile_of(one), other, triples=True)
    with pytest.raises(ValueError, match="True or False"):
        sh.compare(one, other, triples="all")
    wide = {f"c{k}": rng.normal(size=30) for k in range(60)}
    with pytest.raises(ValueError, match="fewer columns"):
        sh.compare(wide, wide, triples=True)


def test_that_none_could_be_tested_is_said_with_the_reason(rng):
    groups = [{name: rng.normal(size=120) for name in columns} for columns in ("abc", "abc")]
    words = "".join("".join(sentence) for sentence in comparison_sentences(sh.compare(*groups, triples=True).document))
    assert "No triple was tested: fewer than 200 common rows in a group" in words
    assert "0 triples" not in words
    pairs = [{name: own[name] for name in "ab"} for own in groups]
    words = "".join("".join(sentence) for sentence in comparison_sentences(sh.compare(*pairs, triples=True).document))
    assert "No triple was tested: fewer than three columns." in words
