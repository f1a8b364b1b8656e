"""Pairs that are shown before a scan is done."""

import io
import sys

import pytest

import shearer as sh
from shearer.cli import early_pairs
from shearer.report.schema import departures


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(scope="module")
def document():
    shown = []
    found = sh.scan(sh.datasets.planted_table(80, rng=0).columns, top=2, on_pairs=shown.append)
    (first,) = shown
    return first, found.document


def test_pairs_come_before_the_rest(document):
    """The same pairs in the same order, with the same strengths; no triples, intervals or details yet."""
    first, whole = document
    assert first["triples"] == []
    assert all(pair["strength_low"] is None and pair["details"] is None for pair in first["pairs"])
    strengths = [{tuple(pair["variables"]): pair["strength"] for pair in one["pairs"]} for one in document]
    assert strengths[0] == strengths[1]
    assert [text for text in departures(first | {"settings": whole["settings"]}) if "details" not in text] == []


def shown(monkeypatch, document, stream, **options):
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(early_pairs, "PATIENCE_SECONDS", 0.0)
    with early_pairs.EarlyPairs(5, **options) as early:
        early.show(document)
        if early._timer is not None:
            early._timer.join()
    return stream.getvalue()


def test_a_terminal_shows_them(monkeypatch, document):
    text = shown(monkeypatch, document[0], Terminal(), quiet=False)
    assert "First results" in text
    assert "dose" in text
    nothing = document[0] | {"pairs": []}
    assert "No pair is found so far" in shown(monkeypatch, nothing, Terminal(), quiet=False)


@pytest.mark.parametrize(("stream", "quiet"), [(io.StringIO(), False), (Terminal(), True)])
def test_files_and_the_quiet_do_not(monkeypatch, document, stream, quiet):
    assert shown(monkeypatch, document[0], stream, quiet=quiet) == ""


def test_a_scan_that_is_done_in_time_shows_them_once(monkeypatch, document):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(early_pairs, "PATIENCE_SECONDS", 3600.0)
    with early_pairs.EarlyPairs(5, quiet=False) as early:
        early.show(document[0])
    assert sys.stderr.getvalue() == ""
