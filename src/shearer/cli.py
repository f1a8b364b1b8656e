"""The command line: parse, one call, print."""

import re
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from shearer._validate import value_error

app = typer.Typer(
    name="shearer",
    help="Dependence among any number of variables of any dimension, by matrix-based Rényi entropy.",
    epilog="Examples:  shearer demo   |   shearer demo --seed 7 --svg demo.svg",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from shearer import __version__

        typer.echo(f"shearer {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Options before the command."""


@app.command(epilog="Examples:  shearer demo   |   shearer demo --rows 500 --seed 7   |   shearer demo --svg demo.svg")
def demo(
    rows: Annotated[int, typer.Option(min=50, max=2000, help="Rows of the table.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the table and of the shuffles.")] = 0,
    svg: Annotated[str | None, typer.Option(help="Also write what is printed as a picture to this file.")] = None,
) -> None:
    """Plant relations in a table (a line, a ring, a label, an XOR), measure it, and print planted against found."""
    from rich.console import Console
    from rich.progress import track

    from shearer.demo import demonstrate
    from shearer.demo.view import view

    if svg is not None:
        _check_writable("--svg", svg, ".svg")
    errors = Console(stderr=True)
    progress = partial(track, description="measuring", console=errors, transient=True, disable=not errors.is_terminal)
    result = demonstrate(rows, seed, progress)
    console = Console(record=svg is not None, highlight=False)
    console.print(view(result, rows))
    if svg is not None:
        picture = console.export_svg(title="shearer demo")
        # The picture must open without asking a remote host for a font.
        Path(svg).write_text(re.sub(r"@font-face \{.*?\n    \}", "", picture, flags=re.DOTALL), encoding="utf-8")


def _check_writable(option: str, path: str, ending: str) -> None:
    """Refuse a file that could not be written, before anything is computed."""
    if not path.endswith(ending):
        raise value_error(option, f"a file name that ends in {ending}", repr(path))
    if not Path(path).resolve().parent.is_dir():
        raise value_error(option, "a file in a folder that exists", repr(path))


def main() -> None:
    """Entry point: errors are one line, exit code 1; wrong usage is exit code 2."""
    try:
        app()
    except (ValueError, TypeError, ImportError, OSError, MemoryError) as error:
        typer.echo(f"shearer: {' '.join(str(error).split())}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("shearer: interrupted", err=True)
        sys.exit(130)
