"""Results as files: written whole, checked when read, several as one."""

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from shearer._files.writing import write_file
from shearer._validate import describe, value_error

FORMAT = "shearer yardstick 1"
_PARTS = {"settings": dict, "suites": dict, "methods": dict, "cells": list, "machine": dict}


def write_document(path: str | PathLike[str], document: dict[str, Any]) -> None:
    """Write a result, a line for each cell."""
    head = {key: value for key, value in document.items() if key != "cells"}
    start = json.dumps(head, indent=1)[:-2]
    cells = ",\n".join("  " + json.dumps(cell) for cell in document["cells"])
    write_file("path", path, f'{start},\n "cells": [\n{cells}\n ]\n}}\n'.encode())


def read_document(path: str | PathLike[str]) -> dict[str, Any]:
    """A result that was written before, or an error that says what is wrong with the file.

    Examples
    --------
    >>> from shearer.yardstick import read_document
    >>> read_document("nothing.json")
    Traceback (most recent call last):
        ...
    ValueError: path: expected a result of shearer yardstick, got 'nothing.json': No such file or directory.
    """
    expected, quoted = "a result of shearer yardstick", describe(str(path))
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise value_error("path", expected, f"{quoted}: {error.strerror}") from error
    except ValueError as error:
        raise value_error("path", expected, f"{quoted}, which is no JSON") from error
    return check_document(document, quoted)


def check_document(document: Any, name: str) -> dict[str, Any]:
    """A document of this format, or an error."""
    expected = "a result of shearer yardstick"
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        got = describe(document.get("format")) if isinstance(document, dict) else "something else"
        raise value_error("path", f"{expected} ({FORMAT!r})", f"{name} with {got}")
    for part, kind in _PARTS.items():
        if not isinstance(document.get(part), kind):
            raise value_error("path", f"{expected} with {part!r}", f"{name}, which has none")
    for cell in document["cells"]:
        held = isinstance(cell, dict) and cell.get("suite") in document["suites"]
        if not held or cell.get("method") not in document["methods"]:
            raise value_error("path", f"{expected} whose cells name its suites and methods", name)
    return document


def merge(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Several results as one: of methods that stand in more than one, the last counts.

    Suites must be of the same version. Trials, machines and seeds may differ; each cell keeps its number of trials, and
    the merged document names every run.

    Examples
    --------
    >>> from shearer.yardstick import Effort, Method, run
    >>> methods = [Method(name, lambda x, y: 0.5) for name in ("a", "b")]
    >>> options = {"suites": ["scaling"], "quick": True, "effort": Effort(1), "isolated": False}
    >>> two = [run(methods=[method], **options) for method in methods]
    >>> list(merge(two)["methods"]), len(merge(two)["runs"])
    (['a', 'b'], 2)
    """
    if not documents:
        raise value_error("documents", "one or more results", "none")
    first = documents[0]
    merged: dict[str, Any] = {**first, "suites": {}, "methods": {}, "cells": [], "runs": []}
    cells: dict[tuple[str, str, str], dict[str, Any]] = {}
    for document in documents:
        runs = document.get("runs") or [{key: document[key] for key in ("shearer", "date", "machine", "settings")}]
        merged["runs"] += runs
        merged["methods"] |= document["methods"]
        for name, suite in document["suites"].items():
            held = merged["suites"].setdefault(name, suite)
            if held["version"] != suite["version"]:
                versions = f"{held['version']} and {suite['version']}"
                raise value_error("documents", f"suite {name!r} of one version", versions)
            names = {design["name"] for design in held["designs"]}
            more = [design for design in suite["designs"] if design["name"] not in names]
            merged["suites"][name] = {**held, "designs": [*held["designs"], *more]}
        cells |= {(cell["method"], cell["suite"], cell["design"]): cell for cell in document["cells"]}
    merged["cells"] = list(cells.values())
    return merged
