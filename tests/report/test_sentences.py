"""The findings in words: what they say must be what the document holds."""

import re

import pytest

from report import documents
from shearer.report import summary_sentences
from shearer.report.relations import read_relations
from shearer.report.sentences import found_triples, pictured_pairs, strongest_pairs, summary, triple_sentence
from shearer.report.wording import Name


def test_planted(planted):
    text = " ".join(summary_sentences(planted))
    assert text.startswith("planted.csv has 180 rows and 11 columns: 7 of numbers and 4 of labels.")
    found = sum(pair["reported"] for pair in planted["pairs"])
    assert found == 3
    assert "Three of the 55 pairs of columns are dependent beyond what chance explains." in text
    assert "The strongest are dose with response (" in text
    assert "1 is synergistic (the three together tell what no two of them do) and none redundant" in text
    assert "Synergistic: switch_a, switch_b and lamp." in text
    assert "no more than 5 in 100 are expected to be false alarms (a false discovery rate of 0.05)" in text
    assert "To depend is not to cause" in text


def test_strengths_are_those_of_the_document(planted):
    text = " ".join(summary_sentences(planted))
    for pair in planted["pairs"][:3]:
        assert f"{' with '.join(pair['variables'])} ({pair['strength']:.2f})" in text


def test_names_are_parts_of_their_own(planted):
    names = {part for sentence in summary(planted) for part in sentence if isinstance(part, Name)}
    assert {"dose", "response", "switch_a", "lamp"} <= names
    assert not any(" with " in name for name in names)


def test_nothing_found():
    document, _ = documents.example("noise")
    text = " ".join(summary_sentences(document))
    assert "None of the 10 pairs of columns is dependent beyond what chance explains." in text
    assert "none is found that holds more than a model of its pairs explains" in text
    assert "does not prove independence: in 40 rows" in text
    assert "false alarms (a false" not in text


def test_triples_below_the_floor_are_not_denied():
    """A group that no model of its pairs explains is said to be there, also where it is too little to be reported."""
    document, _ = documents.example("noise")
    below = [triple | {"qvalue": 1e-9, "pvalue": 1e-10, "added": 0.05} for triple in document["triples"][:2]]
    words = "more than a model of {} pairs explains, but too little to be reported (that takes 0.1 bits)."
    one = " ".join(summary_sentences(document | {"triples": [below[0], *document["triples"][1:]]}))
    assert f"groups of three columns, 1 holds {words.format('its')}" in one
    two = " ".join(summary_sentences(document | {"triples": [*below, *document["triples"][2:]]}))
    assert f"groups of three columns, 2 hold {words.format('their')}" in two
    settings = document["settings"] | {"quadruples_screened": 5, "quadruples_possible": 5}
    four = {"variables": ["a", "b", "c", "d"], "qvalue": 1e-9, "reported": False}
    fours = " ".join(summary_sentences(document | {"settings": settings, "quadruples": [four]}))
    assert "Of 5 groups of four columns, 1 holds more than a model of its triples explains, but too little" in fours


def test_pictures_begin_with_what_is_not_trivial(planted):
    """A pair of which one column decides the other is drawn last, as the summary does not name it."""
    pairs, _ = relations(planted)
    first, *rest = strongest_pairs(pairs)
    known = [{"kind": "determines", "columns": planted["pairs"][first]["variables"], "how": []}]
    assert pictured_pairs(planted, pairs) == [first, *rest]
    assert pictured_pairs(planted | {"known": known}, pairs) == [*rest, first]


def test_gaps():
    text = " ".join(summary_sentences(documents.scan(documents.penguins(60), order=2)))
    assert "2 values are missing, in 1 column; every pair is judged by the rows that have both." in text


def test_two_columns():
    columns = dict(list(documents.planted(80).items())[:2])
    text = " ".join(summary_sentences(documents.scan(columns, order=2)))
    assert "2 columns, both of numbers." in text
    assert "The one pair of columns is dependent beyond" in text
    assert "dose with response has a strength of" in text
    assert "three" not in text


def test_target(planted):
    text = " ".join(summary_sentences(documents.with_target(planted, "weight")))
    assert "One of the 10 pairs with weight is dependent beyond what chance explains." in text


def test_lags():
    document, _ = documents.example("lagged")
    text = " ".join(summary_sentences(document))
    assert "of 30 tests of two columns and a delay find dependence" in text
    assert "driver with after 2 rows later (" in text
    assert "driver with next 1 row later (" in text


def test_of_several_lags_the_strongest():
    document, _ = documents.example("lagged")
    again = [pair | {"lag": 0, "strength": pair["strength"] / 2} for pair in document["pairs"] if pair["reported"]]
    pairs = read_relations(document | {"pairs": [*again, *document["pairs"]]}, "pairs")
    rows = strongest_pairs(pairs)
    assert len(rows) == 3
    assert min(rows) >= len(again)


def test_a_part_of_the_triples(planted):
    settings = planted["settings"] | {"triples_possible": 4_455_100}
    assert "Of 165 groups of three columns of the 4,455,100 possible" in " ".join(
        summary_sentences(planted | {"settings": settings})
    )


@pytest.mark.parametrize(("rate", "words"), [(0.1, "10 in 100"), (0.01, "1 in 100"), (0.001, "1 in 1,000")])
def test_false_alarms(planted, rate, words):
    document = planted | {"settings": planted["settings"] | {"fdr": rate}}
    assert f"no more than {words} are expected" in " ".join(summary_sentences(document))


def test_every_sentence_is_one_line_of_plain_text():
    document, _ = documents.example("hostile")
    for sentence in summary_sentences(document):
        assert sentence.isprintable()
        assert len(sentence) < 700
        assert re.search(r"[.)]$", sentence)


def relations(document):
    return read_relations(document, "pairs"), read_relations(document, "triples")


def test_words_of_a_triple(planted):
    pairs, triples = relations(planted)
    (row,) = found_triples(triples, "synergistic")
    assert "".join(triple_sentence(planted, pairs, triples, row)).startswith(
        "No pair shows it, the three together do: switch_a and switch_b tell about lamp only"
    )


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([("switch_a", "lamp")], "switch_a with lamp is dependent already"),
        (
            [("switch_a", "lamp"), ("switch_a", "switch_b")],
            "switch_a with switch_b and switch_a with lamp are dependent",
        ),
        ([("switch_a", "lamp"), ("switch_a", "switch_b"), ("switch_b", "lamp")], "Each two of them depend"),
    ],
)
def test_words_of_a_triple_with_dependent_pairs(planted, found, words):
    wanted = [set(names) for names in found]
    pairs = [pair | {"reported": set(pair["variables"]) in wanted} for pair in planted["pairs"]]
    document = planted | {"pairs": pairs}
    read = relations(document)
    (row,) = found_triples(read[1], "synergistic")
    assert words in "".join(triple_sentence(document, *read, row))


def test_words_of_a_redundant_triple(planted):
    document = planted | {"triples": [triple | {"kind": "redundant"} for triple in planted["triples"]]}
    read = relations(document)
    assert "more than once" in "".join(triple_sentence(document, *read, 0))
