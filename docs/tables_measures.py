"""The reference of the measures, from the registry."""

from collections.abc import Callable, Sequence

from shearer.measures.measure import Measure
from shearer.measures.registry import MEASURES

_HEADER = ["function", "symbol", "variables", "``normalize=``"]


def reference(table: Callable[[str, Sequence[str], Sequence[Sequence[str]]], str]) -> str:
    """What each takes, and its function."""
    rows = [[f":func:`{name}`", known.symbol, _variables(known), _forms(known)] for name, known in MEASURES.items()]
    functions = "\n".join(f".. autofunction:: {name}" for name in MEASURES)
    return f"{table('Measures', _HEADER, rows)}\n{functions}\n"


def _variables(measure: Measure) -> str:
    if measure.most is None:
        return f"{measure.fewest} or more"
    return f"{measure.fewest}" if measure.fewest == measure.most else f"{measure.fewest} to {measure.most}"


def _forms(measure: Measure) -> str:
    if not measure.named_alone:
        return "by the cover"
    named = (f'"{option}"' if isinstance(option, str) else str(option) for option in measure.options)
    return ", ".join(f"``{name}``" for name in named) if measure.is_normalized else "bits only"
