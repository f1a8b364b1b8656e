"""The answer of a test in words, numbers and a plain mapping."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from shearer._display import printable
from shearer._memory import parse_memory
from shearer._version import __version__
from shearer.data import read
from shearer.inference import InteractionResult, TestResult, interaction_test
from shearer.inference.answers import UNTESTABLE, ConditionalResult
from shearer.pairs.limits import FEWEST_ROWS
from shearer.screening.significance import Significance

VERSION = 2
_MOST_COMPONENTS = 12
_LONGEST_NAME = 60


class Strength(NamedTuple):
    """How strong a dependence is, and the ends of its 95 % confidence interval."""

    value: float
    low: float
    high: float


def interaction_of(
    frame: Any, groups: Mapping[str, Sequence[str]], *, memory: str | float | None = None
) -> InteractionResult | None:
    """Whether three variables hold what no model of pairs explains; None for other numbers of them, or too few rows."""
    variables = len(frame.columns) - sum(len(members) - 1 for members in groups.values())
    complete = len(frame.drop_nulls())
    if variables != 3 or complete < FEWEST_ROWS:
        return None
    return interaction_test(frame, groups=groups or None, missing="drop", memory=memory)


def strength_of(
    frame: Any, groups: Mapping[str, Sequence[str]], *, given: Sequence[str], memory: str | float | None = None
) -> Strength | None:
    """The strength of two variables; None for other numbers of them, with conditions, or too few rows."""
    variables = len(frame.columns) - sum(len(members) - 1 for members in groups.values())
    if variables != 2 or given or len(frame.drop_nulls()) < FEWEST_ROWS:
        return None
    table = read(frame, groups=groups or None, missing="drop").as_numpy()
    found = Significance(table, None, slice(0, 1), slice(1, 2), memory=parse_memory(memory))
    return Strength(*(float(part[0, 0]) for part in (found.strengths(), *found.strength_intervals())))


def verdict_document(
    result: TestResult,
    interaction: InteractionResult | None,
    strength: Strength | None = None,
    *,
    source: str,
    given: Sequence[str],
    total: int,
    level: float,
) -> dict[str, Any]:
    """Everything a test found as plain numbers and texts.

    Parameters
    ----------
    result : TestResult
        Of independence.
    interaction : InteractionResult or None
        Of three variables.
    strength : Strength or None
        Of two variables.
    source : str
        Where the table came from.
    given : sequence of str
        Conditions.
    total : int
        Rows of the table, those with missing values included.
    level : float
        p-values up to this are called dependence.
    """
    document: dict[str, Any] = {
        "version": VERSION,
        "settings": {"shearer": __version__, "source": source, "level": level, "rows": total},
        "variables": [name for name in result.names if name not in given],
        "given": list(given),
        "statistic": result.statistic,
        "pvalue": result.pvalue,
        "method": result.method,
        "n": result.rows,
        "components": [asdict(component) for component in result.components],
        "interaction": None,
        "strength": None if strength is None else strength.value,
        "strength_low": None if strength is None else strength.low,
        "strength_high": None if strength is None else strength.high,
    }
    if isinstance(result, ConditionalResult):
        document |= {"explained": list(result.explained), "warning": result.warning, "reason": result.reason}
    if interaction is not None:
        found = asdict(interaction)
        document["interaction"] = {key: found[key] for key in found if key not in ("names", "rows")}
    return document


@dataclass(frozen=True, eq=False)
class VerdictView:
    """A renderable for `rich`: the verdict, then the numbers behind it."""

    document: Mapping[str, Any]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Sentences and tables."""
        document = self.document
        yield Text(verdict(document), style="bold")
        if document.get("strength") is not None:
            yield Text(strength_words(document))
        lost = document["settings"]["rows"] - document["n"]
        left_out = f" ({lost} with missing values left out)" if lost else ""
        if math.isnan(document["statistic"]):
            yield Text(f"{document['n']} rows{left_out}")
        else:
            yield Text(
                f"statistic {document['statistic']:.4g}, p = {document['pvalue']:.3g}; {document['method']}; "
                f"{document['n']} rows{left_out}"
            )
            if "explained" in document:
                told = zip(document["explained"], document["variables"], strict=True)
                shares = " and ".join(f"{share:.0%} of {_listed([name])}" for share, name in told)
                verb = "explains" if len(document["given"]) == 1 else "explain"
                yield Text(f"{_listed(document['given'])} {verb} {shares} (of the variance, by cross-validation)")
            if document.get("warning"):
                yield Text(f"warning: {document['warning']}")
            yield from _components(document["components"], "component")
        interaction = document["interaction"]
        if interaction is not None:
            yield Text()
            yield Text(interaction_verdict(document), style="bold")
            bits = f"adds {interaction['added']:.2g} bits to its pairs (error {interaction['added_error']:.2g})"
            yield Text(f"three-way term: p = {interaction['pvalue']:.3g}; {bits}")
            error = f"error {interaction['o_information_error']:.2g}"
            excess = f"O-information {interaction['o_information']:.3g} bits ({error})"
            yield Text(f"none independent of the other two: p = {interaction['split_pvalue']:.3g}; {excess}")
            yield from _components(interaction["components"], "split")


def verdict(document: Mapping[str, Any]) -> str:
    """The answer to the question, in one sentence.

    Examples
    --------
    >>> found = {"statistic": 0.1, "pvalue": 0.2, "settings": {"level": 0.05}}
    >>> print(verdict(found | {"variables": ["a", "b"], "given": ["z"]}))
    No dependence of a and b is found, given z (p = 0.2, level 0.05); that does not prove independence.
    """
    names = _listed(document["variables"])
    given = f", given {_listed(document['given'])}" if document["given"] else ""
    if math.isnan(document["statistic"]):
        return f"{names} could not be tested{given}: {document.get('reason') or UNTESTABLE}."
    evidence = _evidence(document["pvalue"], document)
    if document["pvalue"] <= document["settings"]["level"]:
        return f"{names} are dependent{given} {evidence}."
    return f"No dependence of {names} is found{given} {evidence}; that does not prove independence."


def strength_words(document: Mapping[str, Any]) -> str:
    """How strong a dependence of two is, in one sentence.

    Examples
    --------
    >>> strength_words({"strength": 0.62, "strength_low": 0.55, "strength_high": 0.68})
    'Strength 0.62 (0.55 to 0.68 with 95 % confidence), on the scale of a correlation: 0 for independence, 1 ...'
    >>> strength_words({"strength": -0.04, "strength_low": 0.0, "strength_high": 0.2})
    'Strength -0.04 (at most 0.20 with 95 % confidence), on the scale of a correlation: ...'
    """
    low, high = document["strength_low"], document["strength_high"]
    bounds = "not known" if math.isnan(high) else f"{low:.2f} to {high:.2f}" if low > 0 else f"at most {high:.2f}"
    scale = "on the scale of a correlation: 0 for independence, 1 for a copy."
    return f"Strength {document['strength']:.2f} ({bounds} with 95 % confidence), {scale}"


def interaction_verdict(document: Mapping[str, Any]) -> str:
    """Whether three variables hold what no model of pairs explains, in one sentence."""
    interaction = document["interaction"]
    evidence = _evidence(interaction["pvalue"], document)
    if interaction["pvalue"] <= document["settings"]["level"]:
        return f"The three hold something that no model of pairs explains {evidence}: {interaction['kind']}."
    return f"Nothing is found that no model of pairs explains {evidence}."


def _evidence(pvalue: float, document: Mapping[str, Any]) -> str:
    return f"(p = {pvalue:.2g}, level {document['settings']['level']:g})"


def _listed(names: Sequence[str]) -> str:
    shown = [printable(name, _LONGEST_NAME) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _components(components: Sequence[Mapping[str, Any]], title: str) -> Iterator[RenderableType]:
    """The smallest p-values first."""
    if not components:
        return
    yield Text()
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(title, overflow="ellipsis", no_wrap=True)
    for heading in ("statistic", "p"):
        table.add_column(heading, justify="right", no_wrap=True)
    ranked = sorted(components, key=lambda component: component["pvalue"])
    for component in ranked[:_MOST_COMPONENTS]:
        name = Text(printable(component["name"], _LONGEST_NAME))
        statistic = component["statistic"]
        table.add_row(name, "" if math.isnan(statistic) else f"{statistic:.3g}", f"{component['pvalue']:.2g}")
    yield table
    if len(ranked) > _MOST_COMPONENTS:
        yield Text(f" and {len(ranked) - _MOST_COMPONENTS} more", style="dim")
