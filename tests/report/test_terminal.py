"""The view of a scan in the terminal: fits, plain where it must be, deaf to what names say."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from report.hostile_documents import HOSTILE, document
from shearer.report import summary_sentences
from shearer.report.terminal import ScanView, strongest
from shearer.report.verdict import VerdictView, verdict


def shown(given, width=80, limit=20, encoding="utf-8", **options):
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, errors="strict" if encoding == "utf-8" else "backslashreplace")
    console = Console(file=file, width=width, highlight=False, **options)
    console.print(ScanView(given, summary_sentences(given), limit))
    file.flush()
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
@pytest.mark.parametrize("lags", [False, True])
def test_fits_any_width(width, lags):
    names = (*HOSTILE[:19], "an_ordinary_name")
    lines = shown(document(names, lags=lags), width).splitlines()
    assert max(map(cell_len, lines)) <= width


def test_eighty_columns_hold_what_matters():
    text = shown(document())
    for words in (
        "bill_length_mm",
        "strength",
        "interval",
        "q",
        "rows",
        "synergistic",
        "Notes",
        "every value differs",
    ):
        assert words in text
    assert "…" not in shown(document(triples=False))


@pytest.mark.parametrize("width", [60, 80, 100])
def test_names_that_differ_look_different(width):
    """Cut in the middle to the room that there is, these would all be the same: they go on in the next line."""
    names = [f"measurement_{middle}_of_the_day" for middle in ("first", "third", "fifth", "sixth")]
    lines = shown(document(names), width).splitlines()
    assert max(map(cell_len, lines)) <= width
    (start,) = (place for place, line in enumerate(lines) if line.startswith("triple"))
    assert "…" not in "".join(lines[start:])


def test_pairs_come_as_in_the_document_and_the_rest_is_counted():
    given = document()
    reported = [pair for pair in given["pairs"] if pair["reported"]]
    assert strongest(given, "pairs") == reported
    assert f"and {len(reported) - 3} more pairs" in shown(given, limit=3)
    assert "more pairs" not in shown(given, limit=len(reported))


def test_interval_sign_and_what_determines_what():
    given = document()
    text = shown(given, width=120)
    for pair in strongest(given, "pairs"):
        line = next(line for line in text.splitlines() if line.split()[:2] == pair["variables"])
        assert f"{pair['strength']:.2f}".replace("-0.00", "0.00") in line
        assert f"{pair['strength_low']:.2f}–{pair['strength_high']:.2f}" in line
        assert ({"first": "→", "second": "←", "both": "↔"}.get(pair["determines"], " ")) in line
    for triple in given["triples"]:
        triple["measured"] = None
    assert "T* at 2" in shown(given)


def test_sentences_and_notes_alone(planted):
    text = shown(planted, limit=0)
    assert "Three of the 55 pairs" in text
    assert "Notes" in text
    assert "interval" not in text
    assert "more pairs" not in text


def test_direct_links_are_shown_where_there_is_room(planted):
    pairs = [pair | {"direct": pair["variables"] != ["ring_x", "ring_y"]} for pair in planted["pairs"]]
    text = shown(planted | {"pairs": pairs}, 100)
    heading, first, second = (line for line in text.splitlines() if line.startswith(("pair", "dose ", "ring_x ")))
    assert " direct " in heading
    assert " yes " in first
    assert " no " in second
    assert " direct " not in shown(planted, 100)


def test_hostile_names_command_nothing():
    text = shown(document(HOSTILE), width=120, limit=200, force_terminal=True, color_system="truecolor")
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)  # colours of our own
    assert all(line.isprintable() for line in text.splitlines())
    assert "[bold]markup[/bold]" in text
    assert r"\x1b[31mred\x1b[0m" in text


def test_colours_are_used_where_there_are_some(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in shown(document(), force_terminal=True, color_system="truecolor")
    assert "\x1b[" not in shown(document(), color_system=None)


def test_no_color_and_dumb_terminals(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    text = shown(document(), force_terminal=True)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", text)


def test_plain_characters_where_the_terminal_has_no_others():
    text = shown(document(), width=60, encoding="ascii")
    assert text.isascii()
    assert "###" in text
    assert "~" in text


def test_nothing_found():
    given = document()
    for entry in (*given["pairs"], *given["triples"]):
        entry["reported"] = False
    assert "strength  " not in shown(given)
    assert "Nothing passes" in shown(given)


def test_numbers_that_are_none():
    given = document()
    for pair in given["pairs"]:
        pair |= {"strength": None, "strength_low": float("nan"), "qvalue": None, "n": None, "reported": True}
    assert "nan" not in shown(given)


def answer(pvalue, **more):
    component = {"name": "product at \x1b[31m", "statistic": float("nan"), "pvalue": pvalue, "skewness": 0.0}
    settings = {"shearer": "0", "source": "t.csv", "level": 0.05, "rows": 100}
    found = {
        "version": 2,
        "settings": settings,
        "variables": ["a\n", "b"],
        "given": [],
        "statistic": 3.2,
        "pvalue": pvalue,
    }
    return found | {"method": "moments", "n": 90, "components": [component] * 20, "interaction": None} | more


def test_verdicts():
    assert verdict(answer(0.01)) == r"a\n and b are dependent (p = 0.01, level 0.05)."
    assert "that does not prove independence" in verdict(answer(0.06))
    assert verdict(answer(0.05, given=["z"])).startswith(r"a\n and b are dependent, given z")


def test_view_of_a_verdict():
    interaction = {"statistic": 1.0, "pvalue": 0.2, "split_pvalue": 0.01, "kind": "redundant", "components": []}
    interaction |= {"o_information": 0.1, "o_information_error": 0.02, "added": 0.003, "added_error": 0.01}
    console = Console(file=io.StringIO(), width=80, color_system=None)
    console.print(VerdictView(answer(0.01, interaction=interaction)))
    text = console.file.getvalue()
    for words in (
        "90 rows (10 with missing values left out)",
        "and 8 more",
        "Nothing is found that no model of pairs explains",
        "\\x1b[31m",
    ):
        assert words in text
