"""What a scan found, as a notebook shows it."""

from collections.abc import Mapping
from html import escape
from typing import Any

from shearer._display import printable
from shearer.report.sentences import summary_sentences
from shearer.report.wording import plain_name

# Pairs and triples listed; the page has all of them.
_MOST_LISTED = 10


def notebook_summary(document: Mapping[str, Any]) -> str:
    """Sentences, the strongest pairs and the clearest triples as HTML, every name escaped.

    Examples
    --------
    >>> import shearer as sh
    >>> table = sh.datasets.planted_table(200).columns
    >>> notebook_summary(sh.scan(table, top=0).document).count("<tr>")
    5
    """
    lists = [[r for r in document[part] if r["reported"]][:_MOST_LISTED] for part in ("pairs", "triples")]
    found = [record for some in lists for record in some]
    rows = "".join(_row(record) for record in found)
    heads = "<th>variables</th><th>strength</th><th>interval</th><th>T* at 2</th><th>q-value</th><th>rows</th>"
    table = f"<table><tr>{heads}</tr>{rows}</table>"
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in summary_sentences(document))
    notes = "".join(f"<li>{escape(printable(note))}</li>" for note in document["notes"])
    return words + (table if found else "") + (f"<ul>{notes}</ul>" if notes else "")


def _row(record: Mapping[str, Any]) -> str:
    names = " &middot; ".join(escape(plain_name(name)) for name in record["variables"])
    kind = f" ({record['kind']})" if record.get("kind") else ""
    # Strength is of pairs, T* of triples.
    fields = ("strength", "strength_low", "strength_high", "value")
    strength, low, high, total = ("" if record.get(field) is None else f"{record[field]:.2f}" for field in fields)
    cells = "".join(f"<td>{text}</td>" for text in (strength, f"{low}–{high}" if high else "", total))
    return f"<tr><td>{names}{kind}</td>{cells}<td>{record['qvalue']:.2g}</td><td>{record['n']}</td></tr>"
