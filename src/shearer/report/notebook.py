"""What a scan found, as a notebook shows it: no script, so that it also shows where none is trusted."""

from collections.abc import Mapping
from html import escape
from typing import Any

from shearer._display import printable
from shearer.report.pair_sentences import pair_sentences
from shearer.report.relations import read_relations
from shearer.report.sentences import pictured_pairs, summary_sentences, triple_sentence
from shearer.report.small_pictures import as_image, picture
from shearer.report.wording import listed_notes, plain_name

# Pairs and triples listed, and pairs drawn; the page has all of them.
_MOST_LISTED, _MOST_DRAWN = 10, 4


def notebook_summary(document: Mapping[str, Any], sample: Mapping[str, Any] | None = None) -> str:
    """Sentences, pictures and tables of what is strongest as HTML, every name escaped.

    Parameters
    ----------
    document : mapping
        What a scan found.
    sample : mapping, optional
        Rows to draw, as `render_page` takes them; without it, no pictures.

    Examples
    --------
    >>> import shearer as sh
    >>> found = sh.scan(sh.datasets.planted_table(200).columns, top=0)
    >>> shown = notebook_summary(found.document, found.sample())
    >>> shown.count("<tr>"), shown.count("<img"), "<script" in shown
    (6, 3, False)
    """
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in summary_sentences(document))
    listed = "".join(f"<li>{escape(printable(note))}</li>" for note in listed_notes(document))
    more = f"<details><summary>Notes</summary><ul>{listed}</ul></details>" if listed else ""
    return words + _pictures(document, sample) + _pairs(document) + _triples(document) + more


def _pictures(document: Mapping[str, Any], sample: Mapping[str, Any] | None) -> str:
    if sample is None or document["settings"].get("lags") is not None:
        return ""
    columns = sample["columns"]
    drawn: list[str] = []
    for row in pictured_pairs(document, read_relations(document, "pairs")):
        pair = document["pairs"][row]
        names = pair["variables"]
        if all(name in columns for name in names) and len(drawn) < _MOST_DRAWN:
            words = f"{' and '.join(plain_name(name) for name in names)}, strength {_number(pair['strength'])}"
            drawn.append(as_image(picture(names, [columns[name] for name in names]), words))
    return f"<p>{' '.join(drawn)}</p>" if drawn else ""


def _pairs(document: Mapping[str, Any]) -> str:
    found = _reported(document, "pairs")
    if not found:
        return ""
    rows = []
    for pair in found[:_MOST_LISTED]:
        value = min(max(pair["strength"] or 0.0, 0.0), 1.0)
        low, high = (_number(pair.get(end)) for end in ("strength_low", "strength_high"))
        lag = [f"lag {pair['lag']}."] if pair.get("lag") else []
        told = " ".join([*lag, *("".join(sentence) for sentence in pair_sentences(pair))])
        cells = [
            _names(pair),
            f'<meter min="0" max="1" value="{value:.3f}"></meter> {_number(pair["strength"])}',
            f"{low}–{high}" if high else "",
            escape(told),
            _small(pair["qvalue"]),
            f"{pair['n']}",
        ]
        rows.append("".join(f"<td>{cell}</td>" for cell in cells))
    return _table(("pair", "strength", "95 % interval", "", "q", "rows"), rows, len(found), "pairs")


def _triples(document: Mapping[str, Any]) -> str:
    pairs, triples = (read_relations(document, part) for part in ("pairs", "triples"))
    found = [row for row in range(len(triples)) if triples.reported[row]]
    if not found:
        return ""
    rows = []
    for row in found[:_MOST_LISTED]:
        triple = document["triples"][row]
        told = "".join(triple_sentence(document, pairs, triples, row))
        kind, added = triple.get("kind") or "", _number(triple.get("added"))
        cells = [_names(triple), kind, added, escape(told), _small(triple["qvalue"]), f"{triple['n']}"]
        rows.append("".join(f"<td>{cell}</td>" for cell in cells))
    return _table(("triple", "kind", "adds, bits", "", "q", "rows"), rows, len(found), "triples")


def _table(heads: tuple[str, ...], rows: list[str], total: int, noun: str) -> str:
    head = "".join(f"<th>{text}</th>" for text in heads)
    more = f"<p>{total - len(rows):,} more {noun} are in <code>.{noun}</code>.</p>" if total > len(rows) else ""
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>{more}"


def _reported(document: Mapping[str, Any], part: str) -> list[Mapping[str, Any]]:
    return [record for record in document[part] if record["reported"]]


def _names(record: Mapping[str, Any]) -> str:
    return " &middot; ".join(escape(plain_name(name)) for name in record["variables"])


def _number(value: Any) -> str:
    return "" if value is None else f"{value:.2f}".replace("-0.00", "0.00")


def _small(value: Any) -> str:
    return "" if value is None else f"{value:.2g}"
