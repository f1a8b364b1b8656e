"""Rows that the page draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shearer as sh
from report.test_packing import unpack
from shearer.report.page.sample import pack_sample

MISSING = 65535


def one(column, *, rows=None, **options):
    rows = len(column.get("values") or column.get("codes")) if rows is None else rows
    packed = pack_sample({"rows": rows, "columns": {"x": column}}, [{"name": "x"}], consecutive=False, **options)
    return packed["columns"][0]


def numbers(column):
    steps = unpack(column["steps"])
    values = column["low"] + steps * (column["high"] / 65534 - column["low"] / 65534)
    return np.where(steps == MISSING, np.nan, values)


@given(st.lists(st.floats(-1e6, 1e6) | st.none(), min_size=1, max_size=50))
def test_numbers_within_a_step(values):
    column = one({"values": values})
    known = np.array(values, dtype=float)
    inside = (known >= column["low"]) & (known <= column["high"])
    span = column["high"] - column["low"]
    assert np.array_equal(np.isnan(numbers(column)), np.isnan(known))
    assert np.abs(numbers(column) - known)[inside].max(initial=0) <= span / 65534
    assert column["outside"] == (~inside & ~np.isnan(known)).sum()


def test_extreme_numbers():
    column = one({"values": [-1.7e308, 0.0, 1.7e308, None]})
    assert unpack(column["steps"]).tolist() == [0, 32767, 65534, MISSING]
    constant = one({"values": [3.0, 3.0]})
    assert numbers(constant) == pytest.approx([3.0, 3.0], abs=1e-4)
    assert one({"values": [float("inf"), 1.0, 2.0]})["high"] == 2.0
    assert unpack(one({"values": [None, None]})["steps"]).tolist() == [MISSING, MISSING]


def test_a_far_out_number_does_not_flatten_the_rest(rng):
    values = [*rng.normal(size=999).tolist(), 1e9]
    column = one({"values": values})
    assert column["high"] < 30
    assert column["outside"] == 1
    assert unpack(column["steps"])[-1] == 65534


def test_labels():
    column = one({"codes": [1, None, 0, 1], "levels": ["no", "yes", "never"], "label": "answer"})
    assert column["levels"] == ["no", "yes"]
    assert column["label"] == "answer"
    assert unpack(column["steps"]).tolist() == [1, MISSING, 0, 1]


def test_rare_labels_are_joined():
    codes = [0, 0, 0, *range(30)]
    column = one({"codes": codes, "levels": [f"level {k}" for k in range(30)]})
    assert len(column["levels"]) == 11
    assert column["levels"][0] == "level 0"
    assert column["levels"][-1] == "20 others"
    assert unpack(column["steps"])[-1] == 10


def test_rare_labels_of_a_scan_are_joined_once():
    """The rows that a scan keeps have all labels, so that no picture has two of "others"."""
    codes = np.repeat(np.arange(40), np.arange(41, 1, -1))
    table = {"label": [f"level {k}" for k in codes], "x": np.sin(codes)}
    sample = sh.scan(table, order=2, top=0).sample()
    (column, _) = pack_sample(sample, [{"name": "label"}, {"name": "x"}], consecutive=False)["columns"]
    assert [level for level in column["levels"] if "others" in level] == ["30 others"]


def test_thinning():
    sample = {"rows": 5000, "columns": {"x": {"values": np.tile([0.0, 1.0], 2500).tolist()}}}
    packed = pack_sample(sample, [{"name": "x"}], consecutive=False)
    assert packed["rows"] == 1000
    assert packed["total"] == 5000
    # Rows that alternate must not all fall on one side, as every fifth or tenth of them would.
    assert 0.4 < (unpack(packed["columns"][0]["steps"]) > 0).mean() < 0.6
    assert packed == pack_sample(sample, [{"name": "x"}], consecutive=False)
    in_a_row = pack_sample(sample, [{"name": "x"}], consecutive=True)
    assert (np.diff(unpack(in_a_row["columns"][0]["steps"]).astype(int)) != 0).all()


def test_columns_without_rows():
    packed = pack_sample(
        {"rows": 1, "columns": {"x": {"values": [1.0]}}}, [{"name": "a"}, {"name": "x"}], consecutive=False
    )
    assert packed["columns"][0] is None
    assert pack_sample(None, [], consecutive=False) is None


@pytest.mark.parametrize(
    ("sample", "error", "text"),
    [
        ([1.0], TypeError, 'sample: expected a mapping with "rows" and "columns"'),
        ({"rows": 1, "columns": {"y": {"values": [1.0]}}}, ValueError, "sample: expected names among 'x'"),
        ({"rows": 2, "columns": {"x": {"values": [1.0]}}}, ValueError, "sample: expected 2 entries in 'x', got 1"),
        ({"rows": 1, "columns": {"x": {"codes": [3], "levels": ["a"]}}}, ValueError, "codes from 0 to 0"),
        ({"rows": 1, "columns": {"x": {"codes": [-1], "levels": ["a"]}}}, ValueError, "codes from 0 to 0"),
    ],
)
def test_refusals(sample, error, text):
    with pytest.raises(error, match=text):
        pack_sample(sample, [{"name": "x"}], consecutive=False)
