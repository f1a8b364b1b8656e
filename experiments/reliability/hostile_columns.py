"""Public functions on columns at the ends of what floats hold; no warning of numpy may reach the caller.

Every function of public_calls.py that takes numbers, and a loss of torch where it is installed, on pairs and triples of
the columns below. RuntimeWarnings are errors while a function runs; it answers, or refuses in words.
"""

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.reliability import public_calls
from experiments.reliability.fuzz import DOCUMENTED, OF_SKLEARN

Floats = NDArray[np.float64]
ROWS = 24
#: Estimators that take no mappings.
OF_MATRICES = ("DependenceNetwork",)


def columns() -> dict[str, Floats]:
    """Name -> values."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=ROWS)
    signs = np.where(np.arange(ROWS) % 2, 1.0, -1.0)
    one = np.arange(ROWS) == 7
    return {
        "normal": x,
        "denormal": np.round(40 * x) * 5e-324,
        "smallest normal": 2.3e-308 * (1 + np.abs(x)),
        "scale 1e-160": 1e-160 * x,
        "scale 1e160": 1e160 * x,
        "nearly the largest": 1.7e308 * np.clip(x / 3, -1, 1),
        "largest range": signs * (1.79e308 - 1e306 * np.abs(x)),
        "offset 1e12": 1e12 + x,
        "offset 1e16": 1e16 + x,
        "last digits": 1.0 + 2.3e-16 * np.round(3 * x),
        "constant": np.full(ROWS, 0.1),
        "constant, large": np.full(ROWS, -1.7e308),
        "zeros": np.zeros(ROWS),
        "signed zeros": signs * 0.0,
        "all but one alike": np.where(one, 1.0, 0.0),
        "one far": np.where(one, 1e300, x),
        "one a little off": np.where(one, np.nextafter(1.0, 2.0), 1.0),
        "two values": signs,
        "two clusters": x + 1e8 * (signs > 0),
        "counted": np.arange(ROWS, dtype=float),
        "exponents": 10.0 ** np.linspace(-300, 300, ROWS),
        "missing": np.where(np.arange(ROWS) % 5 == 0, np.nan, x),
        "nearly all missing": np.where(np.arange(ROWS) < 7, x, np.nan),
        "infinite": np.where(one, np.inf, x),
    }


def _torch_calls() -> dict[str, Callable[..., Any]]:
    try:
        import torch
    except ImportError:
        return {}
    from shearer import neural

    def loss(make: Callable[[], Any]) -> Callable[..., Any]:
        def call(data: dict[str, Floats], rng: Any, folder: Path) -> None:  # noqa: ARG001 - all are called alike
            tensors = [torch.tensor(own[:, None], requires_grad=True) for own in list(data.values())[:2]]
            make()(*tensors).backward()

        return call

    return {
        "neural.DependenceLoss": loss(neural.DependenceLoss),
        "neural.DependenceLoss, raw": loss(lambda: neural.DependenceLoss(form="raw")),
    }


def calls() -> dict[str, Callable[..., Any]]:
    return public_calls.FUNCTIONS | public_calls.NUMERIC | _torch_calls()


def tables() -> dict[str, dict[str, Floats]]:
    """Each column beside an ordinary one and one that depends on it; beside itself; beside the next kind."""
    every = columns()
    rng = np.random.default_rng(3)
    noise, names = rng.normal(size=ROWS), list(every)
    found = {}
    for place, (name, own) in enumerate(every.items()):
        following = names[(place + 1) % len(names)]
        found[f"{name}, noise, and its line"] = {"x": own, "noise": noise, "line": own * 0.5}
        found[f"{name} beside {following}"] = {"x": own, "y": every[following]}
    return found


def end_of(name: str, data: dict[str, Floats], seed: int) -> str:
    """ "answer", "refused", or what should not have been said."""
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            calls()[name](np.column_stack(list(data.values())) if name in OF_MATRICES else data, rng, Path(folder))
        except RuntimeWarning as warning:
            return f"warned: {warning}"
        except (ValueError, TypeError) as error:
            text = str(error)
            documented = DOCUMENTED.search(text) or OF_SKLEARN.search(text)
            return "refused" if documented else f"{type(error).__name__}: {error}"
        except (ArithmeticError, AssertionError, LookupError, RuntimeError) as error:
            return f"{type(error).__name__}: {error}"
    return "answer"


def study(name: str) -> dict[str, Any]:
    """One function on all tables."""
    ends = {table: end_of(name, data, seed) for seed, (table, data) in enumerate(tables().items())}
    findings = {table: end[:300] for table, end in ends.items() if end not in ("answer", "refused")}
    counted = {kind: sum(end == kind for end in ends.values()) for kind in ("answer", "refused")}
    return {**counted, "findings": findings, "good": not findings}
