"""The command line: parse, one call, print. One module a command, listed in `_COMMANDS`."""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import typer

from shearer._display import printable
from shearer.cli import (
    compare_command,
    demo_command,
    independence_command,
    network_command,
    outliers_command,
    scan_command,
    select_command,
    yardstick_command,
)
from shearer.cli.outputs import in_options, say

# Name -> the function that is the command, and its examples.
_COMMANDS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "scan": (scan_command.scan, scan_command.EXAMPLES),
    "compare": (compare_command.compare, compare_command.EXAMPLES),
    "test": (independence_command.independence, independence_command.EXAMPLES),
    "network": (network_command.network, network_command.EXAMPLES),
    "select": (select_command.select, select_command.EXAMPLES),
    "outliers": (outliers_command.outliers, outliers_command.EXAMPLES),
    "yardstick": (yardstick_command.yardstick, yardstick_command.EXAMPLES),
    "demo": (demo_command.demo, demo_command.EXAMPLES),
}
_INTERRUPTED, _TERMINATED = 130, 143
_NO_MEMORY = "the system has no more memory. --memory SIZE refuses, or reads in chunks, what does not fit."


def _examples(*lines: str) -> str:
    return "\n".join(["Examples:", *(f"  {line}" for line in lines)])


app = typer.Typer(
    name="shearer",
    help="Dependence among any number of variables of any dimension, by matrix-based Rényi entropy.",
    epilog=_examples(
        "shearer scan table.csv --report out.html", "shearer test table.csv a b c --given z", "shearer demo"
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for _name, (_function, _lines) in _COMMANDS.items():
    app.command(_name, epilog=_examples(*_lines), no_args_is_help=_name != "demo")(_function)


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


def main() -> None:
    """Entry point. Exit codes: 0 done, 1 an error in one line, 2 wrong usage, 3 a change was found
    (``compare --fail-on-change``), 130 interrupted, 143 terminated.
    """
    if threading.current_thread() is threading.main_thread():
        # An orderly end: what is being written is taken away, what was written stays.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    if sys.stderr is None:  # as after 2>&- in a shell: what is said must not go to the standard output instead
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it is open as long as the process
    for stream in (sys.stdout, sys.stderr):
        # A name with a letter that the terminal lacks must not end the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            app()
    except (ValueError, TypeError, ImportError, OSError, MemoryError) as error:
        _fail(str(error) or (_NO_MEMORY if isinstance(error, MemoryError) else type(error).__name__))
    except Exception as error:
        if os.environ.get("SHEARER_DEBUG"):
            raise
        _fail(f"unexpected {type(error).__name__}: {error}. This is a bug; SHEARER_DEBUG=1 shows where.")
    except SystemExit as stop:
        if stop.code in (_INTERRUPTED, _TERMINATED):
            say("interrupted" if stop.code == _INTERRUPTED else "terminated")
        raise
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(_INTERRUPTED)


def _fail(text: str) -> None:
    say(text)
    sys.exit(1)


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    say(f"warning: {printable(in_options(str(message)))}")
