"""Reading a document, and refusing what is none."""

import numpy as np
import pytest

from report import documents
from shearer.report import render_page, summary_sentences
from shearer.report.relations import read_relations


@pytest.mark.parametrize("reader", [render_page, summary_sentences])
@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda document: None, TypeError, "document: expected the mapping that a scan makes, got None"),
        (lambda document: document | {"version": 1}, ValueError, "document: expected version 2, got 1"),
        (lambda document: {"version": 2}, ValueError, "none called settings, columns"),
        (lambda document: document | {"settings": {}}, ValueError, "rows, fdr"),
        (lambda document: document | {"settings": 3}, TypeError, "rows, fdr"),
        (
            lambda document: document | {"columns": [{"name": "a"}]},
            ValueError,
            "columns: expected mappings with name, kind",
        ),
        (lambda document: document | {"columns": [{"name": "a", "kind": "text"}]}, ValueError, "kind: expected one of"),
        (lambda document: document | {"columns": document["columns"][1:]}, ValueError, "pairs: expected names among"),
        (lambda document: document | {"pairs": [{}]}, ValueError, "pairs: expected mappings with variables, reported"),
        (
            lambda document: document | {"triples": [{"variables": ["dose", "lamp"], "reported": True}]},
            ValueError,
            "triples: expected 3 variables each",
        ),
    ],
)
def test_refusals(planted, reader, change, error, text):
    with pytest.raises(error, match=text):
        reader(change(planted))


def test_numbers_that_are_not_known(planted):
    pairs = [pair | {"strength": None, "pvalue": None} for pair in planted["pairs"][:2]] + planted["pairs"][2:]
    read = read_relations(planted | {"pairs": pairs}, "pairs")
    assert np.isnan(read.strength[:2]).all()
    assert read.strength[2] == pairs[2]["strength"]


def test_strength_of_what_was_found(planted):
    pairs = read_relations(planted, "pairs")
    strength = pairs.found_strength(11)
    assert np.array_equal(strength, strength.T)
    assert (strength > 0).sum() == 2 * 3
    assert strength.max() == max(pair["strength"] for pair in planted["pairs"])


def test_strength_of_the_strongest_lag():
    document, _ = documents.example("lagged")
    strength = read_relations(document, "pairs").found_strength(4)
    best = max(pair["strength"] for pair in document["pairs"] if set(pair["variables"]) == {"driver", "next"})
    assert strength[0, 1] == strength[1, 0] == best


def test_found_below_zero_still_counts(planted):
    pairs = [pair | {"strength": -0.01} if pair["reported"] else pair for pair in planted["pairs"]]
    strength = read_relations(planted | {"pairs": pairs}, "pairs").found_strength(11)
    assert (strength > 0).sum() == 6
