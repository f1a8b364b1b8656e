"""The pairs and triples of a scan's document as arrays, one for each field."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_names, check_option, describe, type_error, value_error

Floats = NDArray[np.float64]

VERSION = 2
#: Bits that a triple must add to its pairs to be reported, beyond the error: with many rows a three-way term is nearly
#: always there, as of a sum with noise that is not normal.
FLOOR = 0.1
# Kind of a column -> what it holds, in words; "mixed" is a group of both, "object" what no kernel here compares.
KINDS = {
    "continuous": "numbers",
    "categorical": "labels",
    "mixed": "numbers and labels together",
    "object": "other values",
}
_DIRECT = {False: 0, True: 1, None: 2}
_WORDS = ("sign", "determines", "shape", "shape_along")
_PARTS = ("settings", "columns", "pairs", "triples", "notes")


@dataclass(frozen=True, eq=False)
class Relations:
    """Pairs or triples of columns, in the order of the document.

    Attributes
    ----------
    index : NDArray[intp]
        The columns of each, shape (count, 2) or (count, 3).
    numbers : dict of name -> NDArray[float64]
        Of pairs strength, strength_low, strength_high, of triples value, o_information, excess, added, added_error,
        split_pvalue, of both pvalue, qvalue, n; nan where the document has none.
    reported : NDArray[bool]
        Found at the false discovery rate of the scan; triples also above the floor of what they add.
    kinds : tuple of str or None
        "synergistic", "redundant" or "unclear"; None for pairs and for what is not reported.
    lags : NDArray[int16] or None
        Rows by which the second column follows the first, where the scan asked for lags.
    measured : tuple of mapping or None
        Details of the top pairs; measures of the top triples at the order that was asked for.
    words : mapping
        Of pairs: "sign", "determines", "shape" and "shape_along".
    direct : NDArray[uint8] or None
        1 of direct links, 0 of those that do not show given others, 2 where that is not known; None if not searched.
    """

    index: NDArray[np.intp]
    numbers: dict[str, Floats]
    reported: NDArray[np.bool_]
    kinds: tuple[str | None, ...]
    lags: NDArray[np.int16] | None
    measured: tuple[Mapping[str, Any] | None, ...]
    words: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    direct: NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        """How many there are."""
        return len(self.index)

    @property
    def strength(self) -> Floats:
        """How strong each pair is; nan where that is not known."""
        return self.numbers["strength"]

    def first(self, most: int) -> "Relations":
        """The first of them in the order of the document."""
        return Relations(
            self.index[:most],
            {name: numbers[:most] for name, numbers in self.numbers.items()},
            self.reported[:most],
            self.kinds[:most],
            None if self.lags is None else self.lags[:most],
            self.measured[:most],
            {name: words[:most] for name, words in self.words.items()},
            None if self.direct is None else self.direct[:most],
        )

    def found_strength(self, columns: int) -> Floats:
        """Strength of every two columns, of several lags the strongest; 0 where nothing was found."""
        strength = np.zeros((columns, columns))
        # What was found counts although its strength may be below zero or unknown.
        known = np.where(self.reported, np.fmax(np.nan_to_num(self.strength), 1e-6), 0.0)
        a, b = self.index.T
        np.maximum.at(strength, (a, b), known)
        return np.maximum(strength, strength.T)


def check_document(document: Any) -> Mapping[str, Any]:
    """Return the document of a scan if it is one that this version reads."""
    if not isinstance(document, Mapping):
        raise type_error("document", "the mapping that a scan makes", describe(document))
    if document.get("version") != VERSION:
        hint = "Run the scan again, or read it with the version that wrote it."
        raise value_error("document", f"version {VERSION}", describe(document.get("version")), hint)
    _check_keys("document", document, _PARTS)
    _check_keys("document", document["settings"], ("rows", "fdr"))
    for column in document["columns"]:
        _check_keys("columns", column, ("name", "kind"))
        check_option("kind", column["kind"], tuple(KINDS))
    return document


def _check_keys(part: str, entry: Any, keys: tuple[str, ...]) -> None:
    """Raise unless an entry of the document is a mapping with these keys."""
    if not isinstance(entry, Mapping):
        raise type_error(part, f"mappings with {', '.join(keys)}", describe(entry))
    lacking = [key for key in keys if key not in entry]
    if lacking:
        raise value_error(part, f"mappings with {', '.join(keys)}", f"none called {', '.join(lacking)}")


def read_relations(document: Mapping[str, Any], part: str) -> Relations:
    """The pairs or the triples of a document.

    Examples
    --------
    >>> pair = {"variables": ["a", "b"], "strength": 0.5, "pvalue": 0.01, "qvalue": 0.02, "n": 9}
    >>> columns = [{"name": "a", "kind": "continuous"}, {"name": "b", "kind": "continuous"}]
    >>> pairs = read_relations({"columns": columns, "pairs": [pair | {"reported": True}]}, "pairs")
    >>> pairs.index.tolist(), pairs.strength.tolist()
    ([[0, 1]], [0.5])
    """
    rows: Sequence[Mapping[str, Any]] = document[part]
    names = {column["name"]: position for position, column in enumerate(document["columns"])}
    size = 2 if part == "pairs" else 3
    for row in rows:
        _check_keys(part, row, ("variables", "reported"))
        check_names(part, row["variables"], names)
        if len(row["variables"]) != size:
            raise value_error(part, f"{size} variables each", describe(row["variables"]))
    of_triples = ("value", "o_information", "excess", "added", "added_error", "split_pvalue")
    own = ("strength", "strength_low", "strength_high") if size == 2 else of_triples
    fields = (*own, "pvalue", "qvalue", "n")
    lagged = any(row.get("lag") is not None for row in rows)
    searched = any(row.get("direct") is not None for row in rows)
    return Relations(
        index=np.array([[names[name] for name in row["variables"]] for row in rows], dtype=np.intp).reshape(-1, size),
        numbers={field: np.array([row.get(field) for row in rows], dtype=np.float64) for field in fields},
        reported=np.array([bool(row["reported"]) for row in rows], dtype=bool),
        kinds=tuple(row.get("kind") for row in rows),
        lags=np.array([row.get("lag") or 0 for row in rows], dtype=np.int16) if lagged else None,
        measured=tuple(row.get("details" if size == 2 else "measured") for row in rows),
        direct=np.array([_DIRECT[row.get("direct")] for row in rows], dtype=np.uint8) if searched else None,
        words={name: tuple(row.get(name) for row in rows) for name in (_WORDS if size == 2 else ())},
    )
