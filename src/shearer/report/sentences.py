"""The findings of a scan in plain words, for the page and for the terminal."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from shearer.report.pair_sentences import pair_sentences
from shearer.report.relations import FLOOR, KINDS, Relations, check_document, read_relations
from shearer.report.remedies import about_dependent_rows
from shearer.report.trivia import about_trivia, computed_sentence, trivial_pairs
from shearer.report.wording import Sentence, count, enumeration, in_words, plain_name

_MOST_NAMED = 3
_LONGEST_REASON = 200
_KINDS = ("synergistic", "redundant", "unclear")


def summary_sentences(document: Mapping[str, Any]) -> list[str]:
    """What a scan found, a sentence each, without a word that is not explained.

    Parameters
    ----------
    document : mapping
        What a scan found, as plain numbers and texts.

    Returns
    -------
    list of str
        How many pairs could not be tested, if any; how rows depend on each other, if they do; the table, what is
        trivial, the pairs, the strongest of them, the triples, what "found" means, what to beware of. Names are cut to
        a readable length and freed of control marks.

    Examples
    --------
    >>> from shearer.report import summary_sentences
    >>> columns = [{"name": name, "kind": "continuous", "n": 50, "missing": 0} for name in ("dose", "response")]
    >>> pair = {"variables": ["dose", "response"], "strength": 0.64, "pvalue": 1e-9, "qvalue": 1e-9}
    >>> settings = {"source": "trial.csv", "rows": 50, "order": 2, "fdr": 0.05, "target": None, "lags": None}
    >>> for sentence in summary_sentences({"version": 2, "settings": settings, "columns": columns, "triples": [],
    ...                                    "pairs": [pair | {"n": 50, "reported": True}], "notes": []}):
    ...     print(sentence)
    trial.csv has 50 rows and 2 columns, both of numbers.
    The one pair of columns is dependent beyond what chance explains.
    dose with response has a strength of 0.64, on the scale of a correlation: 0 for independence, 1 for a copy.
    Of what is reported, no more than 5 in 100 are expected to be false alarms (a false discovery rate of 0.05).
    To depend is not to cause: a third thing may drive both, and the direction is not known.
    """
    return ["".join(sentence) for sentence in summary(document)]


def summary(document: Mapping[str, Any]) -> list[Sentence]:
    """The sentences in parts, names apart from the text around them."""
    check_document(document)
    pairs, triples = (read_relations(document, part) for part in ("pairs", "triples"))
    fours = any(four["reported"] for four in document.get("quadruples", []))
    found = pairs.reported.any() or triples.reported.any() or fours
    sentences = [
        *_about_untested(document),
        *about_dependent_rows(document),
        _about_the_table(document),
        *_about_gaps(document),
    ]
    sentences += [*about_trivia(document), *_about_pairs(document, pairs)]
    sentences += [*_about_strength(document, pairs), *_about_determined(document), *_about_triples(document, triples)]
    sentences += _about_quadruples(document)
    sentences += [_about_errors(document)] if found else [_about_nothing_found(document)]
    return [*sentences, ["To depend is not to cause: a third thing may drive both, and the direction is not known."]]


def triple_sentence(document: Mapping[str, Any], pairs: Relations, triples: Relations, row: int) -> Sentence:
    """One clause on what a triple adds to its pairs, or the formula that makes one of the three of the others."""
    formula = computed_sentence(document, [document["columns"][place]["name"] for place in triples.index[row]])
    if formula is not None:
        return formula
    if triples.kinds[row] == "redundant":
        return ["The three tell the same thing more than once: two of them leave little for the third to add."]
    inside = pairs.reported & np.isin(pairs.index, triples.index[row]).all(axis=1)
    known = sorted({tuple(sorted(pair)) for pair in pairs.index[inside].tolist()})
    more = "the three together hold more than their pairs do."
    if not known:
        a, b, c = (_name(document, position) for position in triples.index[row])
        only = [a, " and ", b, " tell about ", c, " only when they are looked at together."]
        return ["No pair shows it, the three together do: ", *only]
    if len(known) == 3:
        return [f"Each two of them depend on each other already; {more}"]
    words: list[Sentence] = [[_name(document, a), " with ", _name(document, b)] for a, b in known]
    return [*enumeration(words), f" {_is(len(known))} dependent already; {more}"]


def _name(document: Mapping[str, Any], position: int) -> str:
    return plain_name(document["columns"][position]["name"])


def _about_untested(document: Mapping[str, Any]) -> list[Sentence]:
    tested = document["settings"].get("pairs_tested") or len(document["pairs"])
    sentences: list[Sentence] = []
    for found in document.get("untested", ()):
        words = f"{in_words(found['pairs'])} of the {count(tested, 'pair')} could not be tested: "
        sentences.append([words, plain_name(found["reason"], _LONGEST_REASON), "."])
    return sentences


def _about_the_table(document: Mapping[str, Any]) -> Sentence:
    settings, columns = document["settings"], document["columns"]
    counts = Counter(column["kind"] for column in columns)
    found = [[f"{counts[kind]:,} of {words}"] for kind, words in KINDS.items() if counts[kind]]
    if len(found) == 1:
        split = f", {'both' if len(columns) == 2 else 'all'} of {KINDS[columns[0]['kind']]}"
    else:
        split = f": {''.join(enumeration(found))}"
    source = plain_name(str(settings.get("source") or "The table"))
    grouped = sum(len(column.get("members") or [column["name"]]) for column in columns)
    size = count(grouped, "column")
    if grouped > len(columns):
        size += f", taken as {count(len(columns), 'variable')}"
    return [source, f" has {count(settings['rows'], 'row')} and {size}{split}."]


def _about_gaps(document: Mapping[str, Any]) -> list[Sentence]:
    gaps = [column["missing"] for column in document["columns"] if column.get("missing")]
    if not gaps:
        return []
    missing = f"{count(sum(gaps), 'value is', 'values are')} missing, in {count(len(gaps), 'column')}"
    if document["settings"].get("missing") == "drop":
        return [[f"{missing}, of a sample; pairs are judged by the rows that lack nothing."]]
    return [[f"{missing}; every pair is judged by the rows that have both."]]


def _about_pairs(document: Mapping[str, Any], pairs: Relations) -> list[Sentence]:
    settings = document["settings"]
    tested, found = settings.get("pairs_tested") or len(pairs), int(pairs.reported.sum())
    if not tested:
        return [["There is no pair of columns to test."]]
    end = " beyond what chance explains."
    if document.get("dependent_rows"):
        end = " by a test that takes rows as independent."
    if settings.get("given"):
        names = enumeration([[plain_name(name)] for name in settings["given"]])
        end = f" once {''.join(names)} {_is(len(settings['given']))} known,{end}"
    if pairs.lags is not None:
        return [
            [f"{in_words(found)} of {count(tested, 'test')} of two columns and a delay {_finds(found)} dependence{end}"]
        ]
    if settings.get("target"):
        targets = settings["target"] if isinstance(settings["target"], list | tuple) else [settings["target"]]
        words: Sentence = [f"{in_words(found)} of the {count(tested, 'pair')} with "]
        return [[*words, *enumeration([[plain_name(name)] for name in targets]), f" {_is(found)} dependent{end}"]]
    if tested == 1:
        return [[f"The one pair of columns is {'' if found else 'not '}dependent{end}"]]
    if found == tested:
        return [[f"All {count(tested, 'pair')} of columns are dependent{end}"]]
    return [[f"{in_words(found)} of the {count(tested, 'pair')} of columns {_is(found)} dependent{end}"]]


def _finds(number: int) -> str:
    return "finds" if number in (0, 1) else "find"


def _is(number: int) -> str:
    return "is" if number in (0, 1) else "are"


def _about_strength(document: Mapping[str, Any], pairs: Relations) -> list[Sentence]:
    rows = named_pairs(document, pairs)
    if not rows:
        return []
    words = [_pair_words(document, pairs, row) for row in rows]
    scale = "on the scale of a correlation: 0 for independence, 1 for a copy."
    if document["settings"].get("given"):
        scale = f"of what is then left, {scale}"
    if len(rows) == 1:
        return [[*words[0], f" has a strength of {pairs.strength[rows[0]]:.2f}, {scale}"]]
    strengths = [[*text, f" ({pairs.strength[row]:.2f})"] for text, row in zip(words, rows, strict=True)]
    return [["The strongest are ", *enumeration(strengths), f", {scale}"]]


def _about_determined(document: Mapping[str, Any]) -> list[Sentence]:
    """Reported pairs of which one column determines the other, beyond what is known before any test."""
    trivial = trivial_pairs(document)
    reported = (pair for pair in document["pairs"] if pair["reported"] and pair.get("determines"))
    found = [pair for pair in reported if frozenset(pair["variables"]) not in trivial]
    rest = len(found) - _MOST_NAMED
    sentences = [pair_sentences(pair)[0] for pair in found[:_MOST_NAMED]]
    return [*sentences, *([[f"The same holds for {count(rest, 'pair')} besides."]] if rest > 0 else [])]


def _pair_of(document: Mapping[str, Any], pairs: Relations, row: int) -> frozenset[str]:
    return frozenset(document["columns"][position]["name"] for position in pairs.index[row])


def named_pairs(document: Mapping[str, Any], pairs: Relations) -> list[int]:
    """The few pairs that the summary names: the strongest, without those of which one column decides the other."""
    return _told_apart(document, pairs)[0][:_MOST_NAMED]


def pictured_pairs(document: Mapping[str, Any], pairs: Relations) -> list[int]:
    """The reported pairs, the strongest first; last come those of which one column decides the other."""
    telling, trivial = _told_apart(document, pairs)
    return telling + trivial


def _told_apart(document: Mapping[str, Any], pairs: Relations) -> tuple[list[int], list[int]]:
    """The reported pairs, the strongest first, and apart from them those of which one column decides the other."""
    trivial = trivial_pairs(document)
    parts: tuple[list[int], list[int]] = ([], [])
    for row in strongest_pairs(pairs):
        parts[_pair_of(document, pairs, row) in trivial].append(row)
    return parts


def strongest_pairs(pairs: Relations) -> list[int]:
    """The reported pairs, the strongest first; of several lags the strongest only."""
    rows = np.flatnonzero(pairs.reported & np.isfinite(pairs.strength))
    order: list[int] = rows[np.argsort(-pairs.strength[rows], kind="stable")].tolist()
    if pairs.lags is None:
        return order
    chosen: dict[frozenset[int], int] = {}
    for row in order:
        chosen.setdefault(frozenset(pairs.index[row].tolist()), row)
    return list(chosen.values())


def _pair_words(document: Mapping[str, Any], pairs: Relations, row: int) -> Sentence:
    first, second = (_name(document, position) for position in pairs.index[row])
    lag = 0 if pairs.lags is None else int(pairs.lags[row])
    return [first, " with ", second, f" {count(lag, 'row')} later" if lag else ""]


def _about_triples(document: Mapping[str, Any], triples: Relations) -> list[Sentence]:
    settings = document["settings"]
    tested, possible = settings.get("triples_tested") or len(triples), settings.get("triples_possible") or 0
    if not tested:
        return []
    share = f" of the {possible:,} possible" if possible > tested else ""
    named = found_triples(triples, "synergistic")
    synergistic, redundant, unclear = (len(found_triples(triples, kind)) for kind in _KINDS)
    start = f"Of {count(tested, 'group')} of three columns{share}"
    if not synergistic + redundant + unclear:
        slight = int((triples.numbers["qvalue"] <= settings["fdr"]).sum())
        if not slight:
            return [[f"{start} none is found that holds more than a model of its pairs explains."]]
        return [[f"{start}, {_slight(slight, 'pairs')}."]]
    found = synergistic + redundant + unclear
    start += f", {found:,} {'holds' if found == 1 else 'hold'} dependence that no model of pairs explains"
    start += f" ({FLOOR:g} bits or more):"
    together = (
        f"{synergistic or 'none'} {_is(synergistic)} synergistic (the three together tell what no two of them do)"
    )
    repeated = f"{redundant or 'none'} redundant (they tell the same thing more than once)"
    if unclear:
        repeated += f"; of {unclear:,} it is unclear which outweighs"
    words = [_triple_words(document, triples, row) for row in named[:_MOST_NAMED]]
    examples: Sentence = ["."]
    if words:
        lead = " Synergistic: " if len(named) <= _MOST_NAMED else " The clearest: "
        joined = [part for position, text in enumerate(words) for part in (["; ", *text] if position else text)]
        examples = [".", lead, *joined, "."]
    return [[f"{start} {together} and {repeated}", *examples]]


def _slight(number: int, parts: str) -> str:
    """Groups of which the rows say that there is something, but less than is reported."""
    verb, own = ("holds", "its") if number == 1 else ("hold", "their")
    more = f"{number:,} {verb} more than a model of {own} {parts} explains"
    return f"{more}, but too little to be reported (that takes {FLOOR:g} bits)"


def _about_quadruples(document: Mapping[str, Any]) -> list[Sentence]:
    """Sets of four, where they were asked for."""
    screened = document["settings"].get("quadruples_screened")
    if not screened:
        return []
    found = [four for four in document["quadruples"] if four["reported"]]
    possible = document["settings"]["quadruples_possible"]
    start = f"Of {count(screened, 'group')} of four columns" + f" of the {possible:,} possible" * (possible > screened)
    if not found:
        rate = document["settings"]["fdr"]
        slight = sum(four["qvalue"] is not None and four["qvalue"] <= rate for four in document["quadruples"])
        if not slight:
            return [[f"{start} none is found that holds more than models of its triples explain."]]
        return [[f"{start}, {_slight(slight, 'triples')}."]]
    start += f", {len(found):,} {'holds' if len(found) == 1 else 'hold'} dependence that no model of three explains "
    start += f"({FLOOR:g} bits or more): "
    named = [enumeration([[plain_name(name)] for name in four["variables"]]) for four in found[:_MOST_NAMED]]
    joined = [part for place, text in enumerate(named) for part in (["; ", *text] if place else text)]
    return [[start, *joined, "." if len(found) <= _MOST_NAMED else " and others."]]


def found_triples(triples: Relations, kind: str) -> list[int]:
    """The reported triples of a kind, the most significant first."""
    return [row for row, own in enumerate(triples.kinds) if triples.reported[row] and own == kind]


def _triple_words(document: Mapping[str, Any], triples: Relations, row: int) -> Sentence:
    return enumeration([[_name(document, position)] for position in triples.index[row]])


def _about_errors(document: Mapping[str, Any]) -> Sentence:
    rate = document["settings"]["fdr"]
    if document.get("dependent_rows"):
        return ["How many of the findings are false alarms cannot be said, as the rows are not independent."]
    share = f"{100 * rate:g} in 100" if rate >= 0.01 else f"{1000 * rate:g} in 1,000"
    meaning = f"no more than {share} are expected to be false alarms (a false discovery rate of {rate:g})"
    return [f"Of what is reported, {meaning}."]


def _about_nothing_found(document: Mapping[str, Any]) -> Sentence:
    rate, rows = document["settings"]["fdr"], document["settings"]["rows"]
    limit = f"Nothing passes a false discovery rate of {rate:g} (the share of false alarms that would be accepted)"
    return [f"{limit}. That does not prove independence: in {count(rows, 'row')} a weak dependence can stay hidden."]
