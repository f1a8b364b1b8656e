"""`compare`: what it finds, what it does not, what it refuses."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shearer as sh
from comparing.laws import labelled, normal_pair, two_labels
from shearer.comparing import Profile, profile_of
from shearer.comparing.read_groups import read_groups
from shearer.comparing.tested_pairs import pair_test
from shearer.report.comparison_schema import COMPARISON_FIELDS
from shearer.report.schema import departures


def pair_of(found, *names):
    return next(pair for pair in found.document["pairs"] if {*pair["variables"]} == {*names})


def pair_pvalue(*tables, cluster=None):
    """The test of x and y alone, without strengths."""
    read = read_groups(
        tables,
        by=None,
        every=None,
        names=None,
        kinds=None,
        keep=(),
        cluster=cluster,
        paired=False,
        memory=None,
    )
    return pair_test(read, "x", "y", 0).pvalue


def pvalues(trials, draw):
    found = []
    for seed in range(trials):
        one, other = draw(np.random.default_rng(seed))
        found.append(pair_pvalue({"x": one[0], "y": one[1]}, {"x": other[0], "y": other[1]}))
    return np.array(found)


@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_level_of_numbers_with_columns_that_change(correlation):
    def draw(rng):
        (x, y), (v, w) = normal_pair(rng, 100, correlation), normal_pair(rng, 800, correlation)
        return (x, y), (np.exp(v), 3 - 2 * np.exp(-w))

    assert np.mean(pvalues(150, draw) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_level_of_a_number_and_a_label_with_other_shares():
    def draw(rng):
        one, (label, number) = labelled(rng, 150, [0.5, 0.5], [0, 1]), labelled(rng, 600, [0.85, 0.15], [0, 1])
        return one, (label, np.exp(number))

    assert np.mean(pvalues(150, draw) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_level_of_labels_with_other_shares_and_the_same_odds_ratios():
    law = np.array([[0.3, 0.1], [0.2, 0.4]])
    other = law * np.array([[3.0], [1.0]]) * np.array([1.0, 2.0])

    def draw(rng):
        return two_labels(rng, 200, law), two_labels(rng, 600, other / other.sum())

    assert np.mean(pvalues(150, draw) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_a_parabola_that_turns_around_and_a_ring():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 300))
    found = sh.compare({"x": x, "y": x**2 + noise}, {"x": x, "y": -(x**2) + noise})
    assert found.document["pairs"][0]["pvalue"] < 1e-6
    angle = rng.uniform(0, 2 * np.pi, 300)
    ring = {"x": np.cos(angle) + 0.1 * x, "y": np.sin(angle) + 0.1 * noise}
    found = sh.compare(ring, {"x": x, "y": noise})
    assert found.document["pairs"][0]["change"] == "vanishes"


def test_kinds_of_change():
    rng = np.random.default_rng(1)
    cases = {"weakens": (0.9, 0.4), "strengthens": (0.4, 0.9), "appears": (0.0, 0.8), "vanishes": (0.8, 0.0)}
    cases["sign"] = (0.7, -0.7)
    for kind, correlations in cases.items():
        one, other = (dict(zip("xy", normal_pair(rng, 300, own), strict=True)) for own in correlations)
        pair = sh.compare(one, other).document["pairs"][0]
        assert pair["change"] == kind
        assert pair["difference_low"] <= pair["difference"] <= pair["difference_high"]


def test_odds_ratios_and_laws_within_levels_that_differ_are_found():
    rng = np.random.default_rng(2)
    law = np.array([[0.3, 0.1], [0.1, 0.5]])
    one, other = two_labels(rng, 300, law), two_labels(rng, 300, law[::-1])
    assert sh.compare(*({"x": a, "y": b} for a, b in (one, other))).changed
    one, other = labelled(rng, 300, [0.5, 0.5], [0, 1]), labelled(rng, 300, [0.5, 0.5], [1, 0])
    assert sh.compare(*({"x": a, "y": b} for a, b in (one, other))).document["pairs"][0]["reported"]


def test_more_than_two_groups_and_groups_that_are_too_small():
    rng = np.random.default_rng(3)
    parts = [normal_pair(rng, 150, own) for own in (0.2, 0.2, 0.9)]
    table = pl.DataFrame(
        {
            "group": np.repeat(["one", "two", "three"], 150).tolist() + ["four"] * 5 + [None],
            "x": np.concatenate([own[0] for own in parts] + [np.zeros(6)]),
            "y": np.concatenate([own[1] for own in parts] + [np.zeros(6)]),
        }
    )
    found = sh.compare(table, by="group")
    assert [group["name"] for group in found.document["settings"]["groups"]] == ["one", "three", "two"]
    assert found.document["pairs"][0]["change"] == "strength"
    assert any("four" in note for note in found.document["notes"])
    assert any("1 row without" in note for note in found.document["notes"])


def test_windows_of_time():
    rng = np.random.default_rng(4)
    days = pd.date_range("2024-01-01", periods=180)
    table = pd.DataFrame({"day": days, "x": rng.normal(size=180), "y": rng.normal(size=180)})
    found = sh.compare(table, by="day", every="quarter")
    assert [group["name"] for group in found.document["settings"]["groups"]] == ["2024-01", "2024-04"]
    assert isinstance(found.pairs, pd.DataFrame)
    with pytest.raises(TypeError, match="dates"):
        sh.compare(table, by="x", every="month")
    with pytest.raises(ValueError, match="every"):
        sh.compare(table, by="day")


def test_matched_rows_hold_the_level_and_clusters_of_copies_count_once():
    def draws(seed, cluster):
        rng = np.random.default_rng(seed)
        tables = []
        for first in (0, 100):
            x, y = normal_pair(rng, 40, 0.5)
            units = np.repeat(first + np.arange(40), 10)
            tables.append({"x": np.repeat(x, 10), "y": np.repeat(y, 10), "unit": units})
        return pair_pvalue(*tables, cluster=cluster)

    with_units = [draws(seed, "unit") for seed in range(100)]
    without = [draws(seed, None) for seed in range(20)]
    assert np.mean(np.array(with_units) < 0.05) < 0.15
    assert np.mean(np.array(without) < 0.05) > 0.3


def test_paired_rows_find_what_independent_ones_do_not():
    rng = np.random.default_rng(5)
    x, y = normal_pair(rng, 200, 0.8)
    before, after = {"x": x, "y": y}, {"x": x, "y": y + 0.4 * rng.normal(size=200)}
    matched = sh.compare(before, after, paired=True).document["pairs"][0]["pvalue"]
    assert matched < 0.2 * sh.compare(before, after).document["pairs"][0]["pvalue"]
    with pytest.raises(ValueError, match="same number of rows"):
        sh.compare(before, {"x": x[:50], "y": y[:50]}, paired=True)


def test_clusters_of_labels_and_of_mixed_pairs():
    rng = np.random.default_rng(6)
    tables = []
    for _ in range(2):
        label, number = labelled(rng, 200, [0.5, 0.5], [0, 1])
        other = np.where(rng.random(200) < 0.3, "a", "b")
        tables.append({"label": label, "number": number, "other": other, "unit": np.arange(200) % 50})
    found = sh.compare(*tables, cluster="unit")
    assert found.document["settings"]["pairs_tested"] == 3
    assert not found.changed
    tables[1]["other"] = np.where(tables[1]["label"] == "u", "a", "b")
    assert pair_of(sh.compare(*tables, cluster="unit"), "label", "other")["reported"]


def test_gaps_columns_of_one_table_and_kinds_that_do_not_fit():
    rng = np.random.default_rng(7)
    x, y = normal_pair(rng, 300, 0.7)
    holes = np.where(rng.random(300) < 0.4, np.nan, x)
    one = pl.DataFrame({"x": x, "y": y, "only": x, "kind": x, "id": np.arange(300)})
    other = pl.DataFrame({"x": holes, "y": y, "kind": ["u", "v", "w"] * 100, "id": np.arange(300)})
    found = sh.compare(one, other, names=["old", "new"])
    record = {column["name"]: column for column in found.document["columns"]}
    assert record["x"]["reported"]
    assert record["x"]["missing"] == [0, int(np.isnan(holes).sum())]
    assert "only in old" in record["only"]["notes"][0]
    assert "numbers in old, labels in new" in record["kind"]["notes"][0]
    assert "counts the rows" in record["id"]["notes"][0]
    assert not pair_of(found, "x", "y")["reported"]
    assert pair_of(found, "x", "y")["n"] == [300, int(np.isfinite(holes).sum())]


def test_labels_that_come_and_go_and_constants():
    rng = np.random.default_rng(8)
    one = {"l": rng.choice(["a", "b", "c"], 200), "x": rng.normal(size=200), "c": np.ones(200)}
    other = {"l": rng.choice(["a", "b", "d"], 200), "x": rng.normal(size=200), "c": np.ones(200)}
    found = sh.compare(one, other)
    record = next(column for column in found.document["columns"] if column["name"] == "l")
    assert (record["appeared"], record["vanished"], record["reported"]) == (["d"], ["c"], True)
    assert "rows left out" in pair_of(found, "l", "x")["notes"][0]
    assert pair_of(found, "c", "x")["pvalue"] is None


def test_many_rows_in_bins_are_as_few_rows():
    rng = np.random.default_rng(9)
    one, other = normal_pair(rng, 20000, 0.6), normal_pair(rng, 5000, 0.6)
    found = sh.compare(*({"x": a, "y": b} for a, b in (one, other)))
    assert found.document["pairs"][0]["pvalue"] > 0.01
    assert found.document["pairs"][0]["correlation"] == pytest.approx([0.6, 0.6], abs=0.03)


def test_a_profile_stands_for_its_table(tmp_path):
    rng = np.random.default_rng(10)

    def table(rows, correlation):
        x, y = normal_pair(rng, rows, correlation)
        label, number = labelled(rng, rows, [0.4, 0.6], [0, 1])
        return {"x": x, "y": y, "label": label, "number": number, "few": rng.integers(0, 4, rows).astype(float)}

    old, new = table(400, 0.8), table(300, 0.2)
    profile_of(old, name="old").save(tmp_path / "old.shearer")
    profile = Profile.load(tmp_path / "old.shearer")
    by_rows, by_profile = sh.compare(old, new, names=["old", "new"]), sh.compare(profile, new, names=["old", "new"])
    for pair in by_rows.document["pairs"]:
        other = pair_of(by_profile, *pair["variables"])
        assert other["pvalue"] == pytest.approx(pair["pvalue"], rel=1e-6, abs=1e-12)
        assert other["strength"] == pytest.approx(pair["strength"])
    assert by_profile.document["columns"][0]["pvalue"] is not None
    both = sh.compare(profile, profile_of(new, name="new"))
    assert both.document["settings"]["pairs_tested"] == by_rows.document["settings"]["pairs_tested"]
    for pair in by_rows.document["pairs"]:
        assert pair_of(both, *pair["variables"])["pvalue"] == pytest.approx(pair["pvalue"], rel=1e-6, abs=1e-12)
    assert (tmp_path / "old.shearer").stat().st_size < 200_000


def test_a_profile_that_was_altered_is_refused(tmp_path):
    path = tmp_path / "a.shearer"
    profile_of({"x": np.arange(50.0) % 17, "y": np.arange(50.0) % 13}).save(path)
    whole = path.read_bytes()
    for place in range(200, len(whole), 997):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(bytes(changed))
        try:
            Profile.load(path)
        except ValueError:
            continue
        # What stands between the members of an archive is nobody's data.
        assert Profile.load(path).rows == 50
    for contents in (b"", whole[:100], b"PK\x03\x04 nonsense"):
        path.write_bytes(contents)
        with pytest.raises(ValueError, match="profile"):
            Profile.load(path)
    with pytest.raises(FileNotFoundError):
        Profile.load(tmp_path / "none.shearer")


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((), {}, "at least two tables"),
        (({"x": range(30)},), {}, "at least two tables"),
        (({"x": range(30)}, {"y": range(30)}), {}, "none that can be compared"),
        (({"x": range(5)}, {"x": range(5)}), {}, "at least 20 rows"),
        (({"x": range(30), "g": ["a"] * 30},), {"by": "g"}, "at least two groups"),
        (({"x": range(30), "g": ["a"] * 30},), {"by": "h"}, "names among"),
        (({"x": [1.5, 2.5] * 20}, {"x": [1.5, 2.5] * 20}), {"fdr": 2}, "between 0 and 1"),
        (({"x": [1.5, 2.5] * 20}, {"x": [1.5, 2.5] * 20}), {"names": ["a", "a"]}, "different names"),
        (({"x": [1.5, 2.5] * 20}, {"x": [1.5, 2.5] * 20}), {"cluster": "u"}, "names among"),
        (({"x": [1.5, 2.5] * 20}, {"x": [1.5, 2.5] * 20}), {"every": "month"}, "every"),
        (({"x": [1.5, 2.5] * 20}, {"x": [1.5, 2.5] * 20}), {"kinds": {"q": "label"}}, "names among"),
        (({"x": [1.5, 2.5] * 20}, {"x": [1.5, 2.5] * 20}), {"rng": -1}, "whole number"),
    ],
)
def test_what_is_refused(arguments, options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        sh.compare(*arguments, **options)


def test_the_document_is_plain_and_versioned():
    rng = np.random.default_rng(11)
    one, other = ({"x": rng.normal(size=60), "l": rng.choice(["a", "b"], 60)} for _ in range(2))
    found = sh.compare(one, other)
    document = json.loads(found.to_json())
    assert departures(document, COMPARISON_FIELDS) == []
    three = sh.compare(one, other, one | {"only": one["x"]})
    assert departures(json.loads(three.to_json()), COMPARISON_FIELDS) == []
    assert document["version"] == 1
    assert document["triples"] == []
    assert document["settings"]["triples_tested"] is None
    assert document["settings"]["groups"] == [{"name": "a", "rows": 60}, {"name": "b", "rows": 60}]
    assert found.pairs.height == 1
    assert found.columns.height == 2
    assert "Comparison(a: 60 rows" in repr(found)
