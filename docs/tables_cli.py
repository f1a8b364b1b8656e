"""The reference of the command line, from the declarations that --help prints, and the fields of a scan's document."""

from typing import Any

from typer.main import get_command

from shearer.cli import app
from shearer.report.comparison_schema import COMPARISON_FIELDS
from shearer.report.schema import FIELDS

_FIRST_PANEL = "Options"


def cli_reference() -> str:
    """Every command with its usage, options and examples."""
    commands = get_command(app).commands
    return "\n".join(_command(name, command) for name, command in commands.items())


def _command(name: str, command: Any) -> str:
    title = f"shearer {name}"
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    usage = " ".join([title, *(_argument(param) for param in arguments), "[OPTIONS]"])
    lines = [title, "-" * len(title), "", command.help.strip(), "", "::", "", f"   {usage}", ""]
    for param in arguments:
        lines += [f"``{param.metavar}``", f"   {param.help}", ""]
    for panel in dict.fromkeys(_panel(param) for param in options):
        lines += [f"**{panel}**", ""]
        for param in options:
            if _panel(param) == panel:
                lines += [f"``{_option(param)}``", f"   {_described(param)}", ""]
    examples = [line.strip() for line in command.epilog.splitlines()[1:]]
    return "\n".join([*lines, "**Examples**::", "", *(f"   {line}" for line in examples), ""])


def _argument(param: Any) -> str:
    return f"{param.metavar}{'...' if param.nargs == -1 else ''}"


def _panel(param: Any) -> str:
    return getattr(param, "rich_help_panel", None) or _FIRST_PANEL


def _option(param: Any) -> str:
    names = ", ".join(param.opts)
    return names if param.is_flag else f"{names} {param.metavar or 'VALUE'}"


def _described(param: Any) -> str:
    """The help text with the backslashes kept, and the default where there is one."""
    text = param.help.replace("\\", "\\\\")
    default = f" Default: {param.default}." if not param.is_flag and param.default is not None else ""
    return f"{text}{default}"


def schema_rows() -> list[list[str]]:
    """Field, type and meaning of everything in the document of a scan."""
    return [[f"``{field}``", kind, meaning] for field, (kind, meaning) in FIELDS.items()]


def comparison_rows() -> list[list[str]]:
    """The same of the document of a comparison."""
    return [[f"``{field}``", kind, meaning] for field, (kind, meaning) in COMPARISON_FIELDS.items()]
