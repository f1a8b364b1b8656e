"""The demonstration as text, colour and a picture in the terminal."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from shearer.demo.run import RATE, Demonstration, Finding
from shearer.measures import Dependence

# From dark blue over grey to yellow, even in lightness: told apart with any kind of colour vision, and in grey.
_RAMP = ((0, 32, 77), (58, 77, 108), (112, 113, 115), (166, 152, 101), (254, 232, 56))


def view(demonstration: Demonstration, rows: int) -> RenderableType:
    """Everything `shearer demo` prints."""
    planted = demonstration.planted
    count = len(planted.relations)
    return Group(
        Text.from_markup(
            f"[bold]A table of {rows} rows and {len(planted.columns)} columns[/bold] with {count} relations planted "
            "in it. It is searched without knowing them: every pair for "
            "dependence, every triple for what no model of pairs explains.\n"
        ),
        Text(
            "strength of every pair, in hundredths: 0 for independent columns on average, 100 for copies", style="bold"
        ),
        heatmap(demonstration),
        Text(),
        verdicts(demonstration),
        Text(),
        synergy(demonstration),
    )


def heatmap(demonstration: Demonstration) -> Text:
    """The lower triangle of strengths, a coloured cell a pair; a name on the diagonal heads its column."""
    names = list(demonstration.planted.columns)
    picture = Text()
    for i, name in enumerate(names):
        picture.append(f"{name:>10} ")
        for other in names[:i]:
            picture.append_text(_cell(demonstration.finding((other, name)).strength))
        picture.append(f" {name}\n" if i < len(names) - 1 else "", style="dim")
    return picture


def verdicts(demonstration: Demonstration) -> Table:
    """Planted against found, and what was found that nobody planted."""
    planted = demonstration.planted.relations
    table = Table(title="planted against found", title_style="bold", title_justify="left", header_style="bold")
    table.add_column("columns")
    table.add_column("planted")
    for heading in ("strength", "I* or T*", "q-value"):
        table.add_column(heading, justify="right")
    table.add_column("found")
    for names, description in planted.items():
        table.add_row(*_row(names, description, demonstration.finding(names)))
    known = [set(names) for names in planted]
    for finding in demonstration.findings:
        if set(finding.names) not in known:
            table.add_row(*_row(finding.names, Text("nothing", style="dim"), finding))
    tested = f"{len(demonstration.pairs)} pairs and {len(demonstration.triples)} triples tested, no permutations"
    table.caption = f"{tested}; found: false discovery rate {RATE:g}"
    table.caption_justify = "left"
    return table


def synergy(demonstration: Demonstration) -> RenderableType:
    """Why pairs are not enough, on the planted triple."""
    lines = []
    for names in demonstration.planted.triples:
        noun = Dependence({name: demonstration.planted.columns[name] for name in names})
        pairs = [demonstration.finding(pair) for pair in zip(names, names[1:] + names[:1], strict=True)]
        lines.append(
            f"[bold]{', '.join(names)}[/bold]: the largest strength of a pair is "
            f"{max(pair.strength or 0.0 for pair in pairs):.3f} (I* {max(pair.value for pair in pairs):.3f}); "
            f"of the three together T* is [bold]{noun.total_correlation().value:.3f}[/bold] "
            f"and D* [bold]{noun.dual_total_correlation().value:.3f}[/bold]."
        )
    return Text.from_markup("\n".join([*lines, "A table of pairs, however good the measure, cannot show this."]))


def _row(names: tuple[str, ...], description: str | Text, finding: Finding) -> list[str | Text]:
    measure = "I*" if len(names) == 2 else "T*"
    verdict = Text("yes", style="bold green") if finding.found else Text("no", style="bold red")
    return [
        ", ".join(names),
        description,
        "–" if finding.strength is None else f"{finding.strength:.2f}",
        f"{measure} {finding.value:.3f}",
        "" if finding.qvalue is None else f"{finding.qvalue:.1g}",
        verdict,
    ]


def _cell(strength: float | None) -> Text:
    value = strength or 0.0
    position = min(max(value, 0.0), 1.0) * (len(_RAMP) - 1)
    low = min(int(position), len(_RAMP) - 2)
    colour = [round(a + (b - a) * (position - low)) for a, b in zip(_RAMP[low], _RAMP[low + 1], strict=True)]
    ink = "black" if position > 2.5 else "white"
    return Text(f"{round(100 * value):3d} ", style=f"{ink} on rgb({','.join(map(str, colour))})")
