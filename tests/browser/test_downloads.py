"""Files made in the browser."""

import csv
import io
import json
from pathlib import Path

import pytest

from report import documents

pytestmark = pytest.mark.needs("chromium")


def download(page, name):
    with page.expect_download() as caught:
        page.get_by_role("button", name=name, exact=True).click()
    return caught.value.suggested_filename, Path(caught.value.path()).read_bytes().decode("utf-8")


def parse(text):
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_json(open_page):
    page = open_page("planted")
    name, text = download(page, "Download JSON")
    document = documents.example("planted")[0]
    saved = json.loads(text)
    assert name == "planted_shown.json"
    for part in ("version", "settings", "columns", "notes"):
        assert saved[part] == document[part]
    assert len(saved["triples"]) == 165
    for given, got in zip(document["pairs"], saved["pairs"], strict=True):
        assert got["variables"] == given["variables"]
        assert got["reported"] == given["reported"]
        assert got["details"] == given["details"]
        assert got["strength"] == pytest.approx(given["strength"], abs=1e-6)
        assert got["pvalue"] == pytest.approx(given["pvalue"], rel=1e-3)
    assert saved["triples"][0]["kind"] == "synergistic"
    assert saved["triples"][1]["kind"] is None


def test_csv_of_what_is_shown(open_page):
    page = open_page("planted")
    page.get_by_label("Search").last.fill("dose")
    page.locator("#pairs-table").get_by_role("button", name="strength").click()
    name, text = download(page, "Pairs as CSV")
    rows = list(csv.DictReader(text.splitlines()))
    assert name == "planted_pairs.csv"
    assert len(rows) == 10
    assert all("dose" in (row["first"], row["second"]) for row in rows)
    values = [float(row["strength"]) for row in rows]
    assert values == sorted(values, reverse=True)
    assert {row["reported"] for row in rows} == {"true", "false"}
    _, text = download(page, "Triples as CSV")
    first = next(csv.DictReader(text.splitlines()))
    assert [first[key] for key in ("first", "second", "third", "kind")] == [
        "switch_a",
        "switch_b",
        "lamp",
        "synergistic",
    ]


def test_csv_is_no_program(open_page):
    page = open_page("hostile")
    name, text = download(page, "Pairs as CSV")
    assert name.isascii()
    assert not set(name) & set('<>:"/\\|?*')
    rows = parse(text)
    names = {cell for row in rows[1:] for cell in row[:2]}
    assert len(names) == len(documents.HOSTILE)
    assert not [name for name in names if name.lstrip()[:1] in ("=", "+", "-", "@")]
    assert "'" + documents.HOSTILE[2] in names


@pytest.fixture
def csv_text(open_page):
    page = open_page("planted")
    return lambda text: page.evaluate("(text) => Shearer.csvText(text)", text)


def test_text_that_a_spreadsheet_would_run(csv_text):
    for start in ("=", "+", "-", "@", "\t", "\r", "\n", " =", "\uff1d", "\t@"):
        ((cell,),) = parse(csv_text(start + "1+1"))
        assert cell == "'" + start + "1+1"


def test_harmless_text_stays(csv_text):
    for text in ("dose", "a-b", "x=1", 'say "hi"', "one, two", "two\nlines"):
        assert parse(csv_text(text)) == [[text]]


def test_probabilities_below_the_smallest_double(open_page):
    page = open_page("planted")
    assert page.evaluate("[-400.3, -Infinity, NaN, 0, -1.30103].map(Shearer.exactProbability)") == [
        "5.0119e-401",
        "0",
        "",
        "1e0",
        "5e-2",
    ]
    assert page.evaluate("[-400.3, -Infinity, NaN, 0, -1.30103, -3.02].map(Shearer.probability)") == [
        "5\u00a0×\u00a010⁻⁴⁰¹",
        "0",
        "–",
        "1.000",
        "0.050",
        "1\u00a0×\u00a010⁻³",
    ]


def test_lags_are_saved(open_page):
    page = open_page("lagged")
    _, text = download(page, "Pairs as CSV")
    rows = list(csv.DictReader(text.splitlines()))
    given = documents.example("lagged")[0]["pairs"]
    assert [int(row["lag"]) for row in rows] == [pair["lag"] for pair in given]
