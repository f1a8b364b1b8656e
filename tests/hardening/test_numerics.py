"""Ill-conditioned tables, answers that stay the same, and no warnings: some cases of `make numerics`."""

import numpy as np
import pytest

import shearer as sh
from experiments.reliability import hostile_columns, ill_conditioned, same_answers
from shearer import comparators, comparing, tools
from shearer.pairs.limits import EXACT_ROWS


@pytest.mark.parametrize(
    "name",
    [
        "rows that differ by the last digit",
        "scales 1e-150, 1 and 1e150",
        "offset 1e12",
        "two clusters 1e8 apart",
        "width 1e6",
        "two constants",
    ],
)
def test_ill_conditioned_tables_against_250_digits(name):
    found = ill_conditioned.study(name)
    assert not found["outside"]
    assert not found["far"]
    assert found["values"] > 250


def test_the_order_of_rows_and_the_size_of_chunks_change_nothing():
    rows = 60
    assert rows < EXACT_ROWS  # what is beyond is drawn, of which less is promised
    table = same_answers.table_of(rows)
    both = same_answers.answers(table), same_answers.answers(same_answers.permuted(table))
    found = same_answers.compared("order of rows", rows, both)
    assert not found["beyond"], found
    streams = [same_answers.streamed(table, parts, size) for parts, size in ((1, rows), (3, 17))]
    found = same_answers.compared("sizes of chunks", rows, tuple(streams))
    assert not found["beyond"], found


@pytest.mark.parametrize(
    ("name", "one", "other", "expected"),
    [
        ("x, p", [1e-300], [1.1e-300], np.log(1.1) / (300 / 20)),
        ("x, p", [0.5], [0.5 * np.exp(1e-3)], 1e-3),
        ("x, p", [0.0], [0.1], np.inf),
        ("x", [1e6], [1e6 + 1], 1e-6),
        ("x", [1e-6], [2e-6], 1e-6),
        ("x", [None], [1.0], np.inf),
        ("x", [None, 2.0], [None, 2.0], 0.0),
    ],
)
def test_deviations(name, one, other, expected):
    assert same_answers.deviation(name, one, other) == pytest.approx(expected, rel=1e-6)


LARGEST = ("nearly the largest", "largest range", "scale 1e160")


@pytest.mark.parametrize("name", ["idd", "kendall", "mac", "mic"])
@pytest.mark.parametrize("kind", LARGEST)
def test_comparators_of_columns_whose_range_is_no_float(name, kind):
    """They know ranks only: the answer is that of the column at another scale."""
    column, other = hostile_columns.columns()[kind], np.random.default_rng(0).normal(size=hostile_columns.ROWS)
    measure = getattr(comparators, name)
    assert measure(column, other) == pytest.approx(measure(column * 2.0**-600, other), rel=1e-9)


@pytest.mark.parametrize("kind", LARGEST)
def test_columns_whose_range_is_no_float_are_compared(kind):
    column = hostile_columns.columns()[kind]
    tables = [{"x": scale * column, "y": np.arange(len(column)) % 7.0} for scale in (1.0, 2.0**-600)]
    large, small = (sh.compare(table, {**table, "x": table["x"][::-1]}).document for table in tables)
    for key in ("shift_pvalue", "spread_pvalue", "law_pvalue"):
        assert large["columns"][0][key] == pytest.approx(small["columns"][0][key])
    assert np.isfinite(large["columns"][0]["range"]).all()
    assert comparing.profile_of(tables[0])


def test_whole_numbers_whose_range_is_no_float_count_nothing():
    """And those that count rows are still told."""
    x = np.random.default_rng(0).normal(size=30)
    notes = sh.scan({"x": x, "y": x**2, "number": 2.0 * np.arange(30)}).document["notes"]
    assert "counts the rows, 0 to 58 in steps of 2" in " ".join(notes)
    large = hostile_columns.columns()["largest range"]
    assert sh.scan({"x": x[:24], "large": large}).document["pairs"][0]["variables"] == ["x", "large"]


def test_columns_that_differ_in_last_digits_are_told_to_be_scaled():
    """A line through such numbers is no badly conditioned one."""
    x = 1.0 + 2.0**-52 * np.random.default_rng(0).permutation(40)
    known = sh.scan({"x": x, "half": 0.5 * x, "y": np.arange(40) % 7}).document["known"]
    assert [entry["columns"] for entry in known if "scaled" in entry["how"]] == [["x", "half"]]


def test_outliers_beside_constants():
    """A constant such as 0.1 has a standard deviation of round-off; it tells of no row that it is odd."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    x[7] = 9.0
    with_constant = np.column_stack([x, np.full(60, 0.1)])
    for table in (x, with_constant):
        scores = tools.SubspaceOutlierDetector().fit(table).decision_scores_
        assert np.isfinite(scores).all()
        assert np.argmax(scores) == 7
    rare = np.full((200, 2), 0.1)
    rare[3] = 1.0
    assert np.argmax(tools.SubspaceOutlierDetector().fit(rare).decision_scores_) == 3


@pytest.mark.parametrize("kind", LARGEST)
def test_outliers_of_the_largest_numbers(kind):
    column = hostile_columns.columns()[kind]
    table = np.column_stack([column, np.random.default_rng(0).normal(size=len(column))])
    assert np.isfinite(tools.SubspaceOutlierDetector(n_neighbors=5).fit(table).decision_scores_).all()


@pytest.mark.parametrize("name", ["scan", "compare", "pairwise", "SubspaceOutlierDetector", "confidence_interval"])
def test_no_warning_over_hostile_columns(name):
    for kind in ("largest range", "last digits", "denormal"):
        table = hostile_columns.tables()[f"{kind}, noise, and its line"]
        assert hostile_columns.end_of(name, table, 0) == "answer", kind
