"""What a scan found, as a notebook shows it."""

from collections.abc import Mapping
from html import escape
from typing import Any

from shearer.report.sentences import summary_sentences
from shearer.report.text import plain_name

# Pairs and triples listed; the page has all of them.
_MOST_LISTED = 10


def notebook_summary(document: Mapping[str, Any]) -> str:
    """Sentences and the most significant findings as HTML, every name escaped.

    Examples
    --------
    >>> import shearer as sh
    >>> table = sh.datasets.planted_table(200).columns
    >>> notebook_summary(sh.scan(table, top=0).document).count("<tr>")
    5
    """
    found = [r for part in ("pairs", "triples") for r in document[part] if r["reported"]]
    found.sort(key=lambda record: record["pvalue"])
    rows = "".join(_row(record) for record in found[:_MOST_LISTED])
    table = f"<table><tr><th>variables</th><th>strength</th><th>q-value</th><th>rows</th></tr>{rows}</table>"
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in summary_sentences(document))
    return words + (table if found else "")


def _row(record: Mapping[str, Any]) -> str:
    names = " &middot; ".join(escape(plain_name(name)) for name in record["variables"])
    adjusted = record["value"] if record.get("adjusted") is None else record["adjusted"]
    kind = f" ({record['kind']})" if record.get("kind") else ""
    strength = "" if adjusted is None else f"{adjusted:.2f}"
    return f"<tr><td>{names}{kind}</td><td>{strength}</td><td>{record['qvalue']:.2g}</td><td>{record['n']}</td></tr>"
