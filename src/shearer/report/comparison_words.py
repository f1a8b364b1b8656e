"""What a comparison found, in sentences that a reader without statistics can take as they stand."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from shearer.report.wording import Sentence, count, enumeration, plain_name

# Sentences about single pairs and columns; the tables have all.
_MOST_PAIRS, _MOST_TRIPLES, _MOST_COLUMNS, _MOST_LABELS, _MOST_GROUPS = 6, 4, 4, 4, 6
CHANGES = {
    "appears": "appears",
    "vanishes": "vanishes",
    "strengthens": "stronger",
    "weakens": "weaker",
    "strength": "unequal",
    "sign": "direction",
    "shape": "form",
}


def comparison_sentences(document: Mapping[str, Any]) -> list[Sentence]:
    """The summary: how much differs, which pairs and columns, and what does not.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.random.default_rng(0).normal(size=(2, 400))
    >>> found = sh.compare({"a": x[0], "b": x[1]}, {"a": x[0], "b": x[1]}, names=["May", "June"])
    >>> print("".join(comparison_sentences(found.document)[0]))
    May (400 rows) and June (400 rows): none of 2 columns and none of 1 pair differ, at a false discovery rate of 5 %.
    """
    settings = document["settings"]
    groups = [plain_name(group["name"], 30) for group in settings["groups"]]
    pairs = [pair for pair in document["pairs"] if pair["reported"]]
    columns = [column for column in document["columns"] if column["reported"]]
    named = [
        [name, f" ({count(group['rows'], 'row')})"] for name, group in zip(groups, settings["groups"], strict=True)
    ]
    shown = named if len(named) <= _MOST_GROUPS else [*named[:2], [f"{len(named) - 2} more"]]
    triples = [triple for triple in document["triples"] if triple["reported"]]
    tested = [(len(columns), settings["columns_tested"], "column"), (len(pairs), settings["pairs_tested"], "pair")]
    if settings["triples_tested"]:
        tested.append((len(triples), settings["triples_tested"], "triple"))
    told = [f"{found or 'none'} of {count(number, what)}" for found, number, what in tested]
    much = f": {', '.join(told[:-1])} and {told[-1]} differ, at a false discovery rate of {100 * settings['fdr']:g} %."
    sentences: list[Sentence] = [[*enumeration(shown), much]]
    sentences += [pair_sentence(pair, groups) for pair in pairs[:_MOST_PAIRS]]
    if len(pairs) > _MOST_PAIRS:
        sentences.append([f"{count(len(pairs) - _MOST_PAIRS, 'more pair')} differ; the list has them."])
    if settings["triples_tested"] == 0:
        reason = document["triples"][0]["notes"][-1] if document["triples"] else "fewer than three columns: not tested"
        sentences.append([f"No triple was tested: {reason.removesuffix(': not tested')}."])
    sentences += [triple_sentence(triple, groups) for triple in triples[:_MOST_TRIPLES]]
    if len(triples) > _MOST_TRIPLES:
        sentences.append([f"{count(len(triples) - _MOST_TRIPLES, 'more triple')} differ; the list has them."])
    if columns:
        sentences.append(["Single columns: ", *_joined([_column(c) for c in columns[:_MOST_COLUMNS]]), "."])
        if len(columns) > _MOST_COLUMNS:
            sentences[-1][-1] = f"; and {len(columns) - _MOST_COLUMNS} more."
    return sentences + _unchanged(document) + _not_compared(document)


def pair_sentence(pair: Mapping[str, Any], groups: Sequence[str]) -> Sentence:
    """One pair that differs: its strength in every group, and how it differs."""
    first, second = (plain_name(name) for name in pair["variables"])
    head: Sentence = [first, " and ", second, ": "]
    each = [
        [f"{_strength(strength)} in ", plain_name(group, 30)]
        if dependent or pair["change"] not in ("appears", "vanishes")
        else ["no dependence found in ", plain_name(group, 30)]
        for strength, dependent, group in zip(pair["strength"], pair["dependent"], groups, strict=True)
    ]
    if len(each) > _MOST_GROUPS:
        order = sorted(range(len(each)), key=lambda k: pair["strength"][k] or 0.0)
        each = [["from ", *each[order[0]]], ["to ", *each[order[-1]]]]
        return [*head, *each[0], " ", *each[1], _ending(pair)]
    return [*head, *_joined(each), _ending(pair)]


def triple_sentence(triple: Mapping[str, Any], groups: Sequence[str]) -> Sentence:
    """One triple that differs: what it has beyond its pairs in every group."""
    first, second, third = (plain_name(name) for name in triple["variables"])
    head: Sentence = [first, ", ", second, " and ", third, ": what they have beyond their pairs differs"]
    if len(groups) > _MOST_GROUPS:
        return [*head, "."]
    each = [
        [f"{_strength(size)} in ", plain_name(group, 30)] for size, group in zip(triple["excess"], groups, strict=True)
    ]
    return [*head, " (", *_joined(each), ")."]


def _ending(pair: Mapping[str, Any]) -> str:
    change = pair["change"]
    compared = " (strengths count all labels, the test those that every group has)" if pair["notes"] else ""
    if not any(pair["dependent"]):
        return f"; by itself none of them is found to depend, yet they differ{compared}."
    if change in ("strengthens", "weakens"):
        by = ""
        if pair["difference_low"] is not None:
            low, high = sorted((abs(pair["difference_low"]), abs(pair["difference_high"])))
            by = f" by {low:.2f} to {high:.2f}"
        return f"; {CHANGES[change]}{by}{compared}."
    if change == "sign":
        told = " and ".join(f"{value:.2f}" for value in pair["correlation"]) if len(pair["strength"]) == 2 else ""
        return f"; it runs the other way (correlations {told})." if told else "; it runs the other way in some."
    if change == "shape":
        return f"; it differs in form rather than clearly in strength{compared}."
    return f"{compared}."


def _strength(value: float | None) -> str:
    return "unknown" if value is None else f"{max(value, 0.0):.2f}"


def _joined(items: Sequence[Sentence]) -> Sentence:
    parts: Sentence = []
    for place, item in enumerate(items):
        parts += [", ", *item] if place else item
    return parts


def _column(column: Mapping[str, Any]) -> Sentence:
    name = plain_name(column["name"])
    found: list[str] = []
    law, missing = column["law_pvalue"], column["missing_pvalue"]
    if missing is not None and (law is None or missing < law):
        shares = [gone / max(gone + n, 1) for gone, n in zip(column["missing"], column["n"], strict=True)]
        found.append("missing in " + _few([f"{100 * share:.3g} %" for share in shares]))
    elif column["median"] is not None:
        if (column["shift_pvalue"] or 0.0) <= (column["spread_pvalue"] or 0.0):
            found.append("median " + _few([f"{value:.4g}" for value in column["median"]]))
        else:
            found.append("middle half as wide as " + _few([f"{value:.4g}" for value in column["range"]]))
    elif column["shares"]:
        gaps = [max(own) - min(own) for own in zip(*column["shares"], strict=True)]
        widest = max(range(len(gaps)), key=gaps.__getitem__)
        shares = [100 * own[widest] for own in column["shares"]]
        found.append(f"{plain_name(column['levels'][widest], 30)} " + _few([f"{share:.3g} %" for share in shares]))
    for word, labels in (("new", column["appeared"]), ("gone", column["vanished"])):
        if labels:
            some = ", ".join(plain_name(label, 30) for label in labels[:_MOST_LABELS])
            more = f" and {len(labels) - _MOST_LABELS} more" if len(labels) > _MOST_LABELS else ""
            found.append(f"{word}: {some}{more}")
    return [name, f" ({'; '.join(found)})"]


def _few(texts: Sequence[str]) -> str:
    return " / ".join(texts) if len(texts) <= _MOST_GROUPS else f"{texts[0]} / ... / {texts[-1]}"


def _unchanged(document: Mapping[str, Any]) -> list[Sentence]:
    """What shows no change, and how large a change could have gone unseen."""
    same = [pair for pair in document["pairs"] if not pair["reported"] and pair["pvalue"] is not None]
    if not same:
        return []
    plural = len(same) != 1
    head = f"{count(len(same), 'pair')} {'show' if plural else 'shows'} no difference beyond chance"
    known = [pair for pair in same if None not in pair["strength"]]
    strongest = max(known, key=lambda pair: min(pair["strength"]), default=None)
    words: Sentence = [head]
    if strongest is not None and all(strongest["dependent"]):
        first, second = (plain_name(name) for name in strongest["variables"])
        each = _few([_strength(value) for value in strongest["strength"]])
        words += [", of dependent ones strongest ", first, " and ", second, f" ({each})"]
    widths = [
        (pair["difference_high"] - pair["difference_low"]) / 2 for pair in known if pair["difference_low"] is not None
    ]
    tail = ""
    if widths:
        half = f"±{statistics.median(widths):.2f}"
        which = "Their differences in strength are" if plural else "Its difference in strength is"
        tail = f" {which} known to about {half}: a smaller change could go unseen."
    return [[*words, "." + tail]]


def _not_compared(document: Mapping[str, Any]) -> list[Sentence]:
    columns = [column for column in document["columns"] if column["kind"] is None]
    pairs = sum(pair["pvalue"] is None for pair in document["pairs"])
    found: list[Sentence] = []
    if columns:
        some = [[plain_name(column["name"]), f" ({column['notes'][-1]})"] for column in columns[:_MOST_COLUMNS]]
        more = f" and {len(columns) - _MOST_COLUMNS} more" if len(columns) > _MOST_COLUMNS else ""
        found.append(["Left out: ", *_joined(some), f"{more}."])
    if pairs:
        found.append([f"{count(pairs, 'pair')} could not be tested: too few rows or clusters, or no labels in common."])
    return found
