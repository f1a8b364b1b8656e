"""`shearer demo`: planted relations, found."""

import re
from typing import Annotated

import typer

from shearer.cli.outputs import check_outputs, deliver

EXAMPLES = ("shearer demo", "shearer demo --rows 500 --seed 7", "shearer demo --svg demo.svg")


def demo(
    rows: Annotated[int, typer.Option(metavar="N", min=50, max=2000, help="Rows of the table.")] = 200,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the table.")] = 0,
    svg: Annotated[str | None, typer.Option(metavar="PATH", help="Also write what is printed as a picture.")] = None,
) -> None:
    """Plant relations in a table (a line, a ring, a label, an XOR), measure it, and print planted against found."""
    from rich.console import Console

    from shearer.demo import demonstrate
    from shearer.demo.view import view

    check_outputs({"--svg": svg})
    result = demonstrate(rows, seed)
    console = Console(record=svg is not None, highlight=False)
    console.print(view(result, rows))
    if svg is not None:
        picture = console.export_svg(title="shearer demo")
        # The picture must open without asking a remote host for a font.
        local = re.sub(r"@font-face \{.*?\n    \}", "", picture, flags=re.DOTALL)
        deliver("--svg", svg, local, quiet=True)
