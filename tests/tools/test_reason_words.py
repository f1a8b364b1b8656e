"""Sentences on outliers: each is true of the table, and what it calls usual is not so of the row."""

import re

import numpy as np
import polars as pl
import pytest

from shearer.tools import SubspaceOutlierDetector
from shearer.tools.outliers.reason_words import ComparedRows


def words(table, row, columns, *, most=20):
    """The sentence on some columns of a row."""
    found = SubspaceOutlierDetector().fit(table)
    reasons = found.reasons(table[row : row + 1], most=most)[0]
    return next(reason["words"] for reason in reasons if set(reason["columns"]) == set(columns))


def test_a_range_is_that_of_rows_as_alike_as_the_relation_allows(rng):
    x = rng.normal(size=1000)
    y = x + 0.1 * rng.normal(size=1000)
    y[0], x[0] = 1.0, -1.0
    said = words(pl.DataFrame({"x": x, "y": y}), 0, "xy")
    low, high = map(float, re.search(r"90 in 100 have (\S+) to (\S+)$", said).groups())
    assert "like this" in said
    assert high - low < 1.0  # of all that are as far away as a wide kernel reaches it is more than 2


def test_ranges_leave_out_the_value(rng):
    x = rng.normal(size=400)
    table = pl.DataFrame({"x": x, "y": x + rng.normal(size=400), "z": rng.normal(size=400) ** 3})
    found = SubspaceOutlierDetector(contamination=0.2).fit(table)
    told = [reason for own in found.reasons(table.filter(found.labels_ == 1)) for reason in own]
    ranges = 0
    for reason in told:
        if match := re.match(r"\w = (\S+?):? .*90 in 100 have (\S+) to (\S+)$", reason["words"]):
            value, low, high = (float(text) for text in match.groups())
            assert not low < value < high, reason["words"]
            ranges += 1
    assert ranges > 20


def test_a_value_in_a_gap(rng):
    table = pl.DataFrame({"x": [*([0.0] * 150), *([10.0] * 150), 4.0], "y": rng.normal(size=301)})
    assert words(table, 300, "x") == "x = 4: 3 in 1,000 rows have a value near it"


def test_labels_are_told_by_how_many_rows_have_them(rng):
    kind = np.where(np.arange(300) < 6, "rare", np.where(np.arange(300) < 200, "usual", "other"))
    table = pl.DataFrame({"kind": kind, "x": rng.normal(size=300)})
    assert words(table, 0, ["kind"]) == "kind = rare: of all rows 2 in 100 have this, 65 in 100 usual"
    gaps = table.with_columns(kind=pl.when(pl.col("kind") != "rare").then("kind"))
    assert words(gaps, 0, ["kind"]).startswith("kind = (missing): of all rows 2 in 100 have this")


def test_rows_with_the_same_label_are_called_so(rng):
    kind = rng.choice(["a", "b"], 400)
    x = 5.0 * (kind == "b") + rng.normal(size=400)
    kind[0], x[0] = "a", 5.0
    said = words(pl.DataFrame({"kind": kind, "x": x}), 0, ["kind", "x"])
    assert re.match(r"x = 5 with kind = a: of rows with this kind 90 in 100 have \S+ to \S+$", said) or re.match(
        r"kind = a with x = 5: of rows with x like this \d+ in 100 have this, \d+ in 100 b$", said
    )


def test_far_along_is_said_of_numbers_far_out_only(rng):
    x = rng.normal(size=500)
    year = rng.integers(2007, 2010, 500)
    table = pl.DataFrame(
        {"x": x, "y": x + 0.3 * rng.normal(size=500), "year": year, "w": year - 2008 + rng.normal(size=500)}
    )
    found = SubspaceOutlierDetector(contamination=0.3).fit(table)
    told = [reason for own in found.reasons(table.filter(found.labels_ == 1), most=9) for reason in own]
    far = [reason["columns"] for reason in told if "both far along" in reason["words"]]
    together = [reason["columns"] for reason in told if "more closely than most" in reason["words"]]
    assert any(set(columns) == {"x", "y"} for columns in far)
    assert not any("year" in columns for columns in far)
    assert together


def test_pairs_of_ordinary_values_are_counted(rng):
    x = np.repeat([0.0, 1.0], 200)
    y = np.where(rng.random(400) < 0.9, x, 1 - x)
    table = pl.DataFrame({"x": x, "y": y, "z": rng.normal(size=400)})
    odd = int(np.flatnonzero(x != y)[0])
    seen = int(((x == x[odd]) & (y == y[odd])).sum()) - 1
    said = words(table, odd, "xy")
    assert f"in some {seen} other rows like this one; unrelated columns would have " in said
    expected = float(said.rsplit(" ", 1)[1])
    assert expected == pytest.approx((x == x[odd]).sum() * (y == y[odd]).sum() / 400, rel=0.05)


def test_a_weighted_range_by_hand(rng):
    values = rng.normal(size=(50, 2))
    weights = rng.integers(0, 4, 50).astype(float)
    repeated = np.sort(np.repeat(values[:, 1], weights.astype(int)))
    compared = ComparedRows(values, [])
    places = [int(np.ceil(share * len(repeated))) - 1 for share in (0.05, 0.95)]
    assert compared.usual(1, weights) == pytest.approx(tuple(repeated[places]))
    assert compared.usual(1) == compared.usual(1, np.ones(50))


def test_labels_of_rows_that_were_not_seen(rng):
    table = pl.DataFrame({"kind": rng.choice(["a", "b"], 200), "x": rng.normal(size=200)})
    found = SubspaceOutlierDetector().fit(table)
    new = pl.DataFrame({"kind": ["c"], "x": [0.0]})
    assert found.reasons(new)[0][0]["words"].startswith("kind = (a new label): of all rows hardly any have this, ")
