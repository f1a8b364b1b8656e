"""Numbers as a page carries them: typed arrays in base64, a fraction of their size as text."""

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.report.relations import Relations

# Little endian, as every browser reads them; the names are those of JavaScript.
_TYPES = {"Uint8": "<u1", "Int16": "<i2", "Uint16": "<u2", "Uint32": "<u4", "Float32": "<f4"}
_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&"}
_KINDS = {None: 0, "synergistic": 1, "redundant": 2, "unclear": 3}


def pack(numbers: NDArray[Any], kind: str) -> dict[str, Any]:
    """An array for the page.

    Examples
    --------
    >>> import numpy as np
    >>> pack(np.array([1, 2, 258]), "Uint16")
    {'type': 'Uint16', 'data': 'AQACAAIB'}
    """
    return {"type": kind, "data": base64.b64encode(numbers.astype(_TYPES[kind]).tobytes()).decode("ascii")}


def pack_relations(relations: Relations, total: int) -> dict[str, Any]:
    """Pairs or triples, an array for each field; probabilities as logarithms, which single precision holds."""
    numbers = relations.numbers
    with np.errstate(divide="ignore"):
        logs = {field: np.log10(numbers[field]) for field in ("pvalue", "qvalue", "split_pvalue") if field in numbers}
    packed: dict[str, Any] = {
        "count": len(relations),
        "total": total,
        "index": [pack(column, "Uint16") for column in relations.index.T],
        "reported": pack(relations.reported, "Uint8"),
        "n": pack(np.nan_to_num(numbers["n"]), "Uint32"),
        "measured": [[row, dict(own)] for row, own in enumerate(relations.measured) if own],
    }
    if relations.index.shape[1] == 2:
        packed |= {
            field: [[row, own] for row, own in enumerate(words) if own] for field, words in relations.words.items()
        }
    packed |= {field: pack(values, "Float32") for field, values in numbers.items() if field not in (*logs, "n")}
    packed |= {field: pack(values, "Float32") for field, values in logs.items()}
    if relations.lags is not None:
        packed["lag"] = pack(relations.lags, "Int16")
    if relations.direct is not None:
        packed["direct"] = pack(relations.direct, "Uint8")
    if relations.index.shape[1] == 3:
        packed["kind"] = pack(np.array([_KINDS[kind] for kind in relations.kinds]), "Uint8")
    return packed


def json_block(content: Any) -> str:
    r"""JSON that cannot end the element it stands in: ASCII only, without angle brackets and ampersands.

    Examples
    --------
    >>> json_block({"name": "</script>\u2028"})
    '{"name":"\\u003c/script\\u003e\\u2028"}'
    """
    return json.dumps(_finite(content), separators=(",", ":"), allow_nan=False).translate(_ESCAPES)


def _finite(content: Any) -> Any:
    """The same with null for numbers that JSON does not know."""
    if isinstance(content, float):
        return content if np.isfinite(content) else None
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return content
