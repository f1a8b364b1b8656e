"""`shearer compare`: what differs between tables, or between groups of rows of one."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from shearer.cli.options import (
    DATA,
    FORMATS,
    OUTPUT,
    Columns,
    Drop,
    Encoding,
    Json,
    Kinds,
    Memory,
    NoHeader,
    Quiet,
    Reading,
    Seed,
    Separator,
    Sheet,
    SkipRows,
    check_kinds,
    choose_columns,
    parse_kinds,
    split_names,
)
from shearer.cli.outputs import STDOUT, check_outputs, deliver, noted, say

EXAMPLES = (
    "shearer compare before.csv after.csv --report out.html",
    "shearer compare table.csv --by group --triples",
    "shearer compare sales.csv --by date --every month",
    "shearer compare before.csv after.csv --paired",
    "shearer compare may.csv --save-profile may.shearer",
    "shearer compare may.shearer june.csv --fail-on-change",
)
_GROUPS = "What is compared"
_CHANGED = 3


def compare(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help=f"{FORMATS}; two or more tables, profiles (.shearer) among them, or one with --by.",
        ),
    ],
    by: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Groups of one table: the values of this column.", rich_help_panel=_GROUPS),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(
            metavar="UNIT",
            help="With --by a column of dates: groups by day, week, month, quarter or year.",
            rich_help_panel=_GROUPS,
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(metavar="NAME,NAME,...", help="What the tables are called.", rich_help_panel=_GROUPS),
    ] = None,
    paired: Annotated[
        bool,
        typer.Option("--paired", help="Row k of one table belongs to row k of the others.", rich_help_panel=_GROUPS),
    ] = False,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="Rows with the same value, in all tables, belong together.", rich_help_panel=_GROUPS
        ),
    ] = None,
    triples: Annotated[
        bool,
        typer.Option(
            "--triples", help="Also compare what three columns have beyond their pairs.", rich_help_panel=_GROUPS
        ),
    ] = False,
    fdr: Annotated[
        float,
        typer.Option(
            metavar="RATE", help="False discovery rate, each of columns, pairs and triples.", rich_help_panel=_GROUPS
        ),
    ] = 0.05,
    columns: Columns = None,
    drop: Drop = None,
    kind: Kinds = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="Compare a column although it counts the rows; as a number, however few its values.",
            rich_help_panel=DATA,
        ),
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    no_header: NoHeader = False,
    skip_rows: SkipRows = None,
    sheet: Sheet = None,
    stream: Annotated[
        bool,
        typer.Option(
            "--stream",
            help="Read Parquet, Arrow or text in chunks, as is done with files that do not fit.",
            rich_help_panel=DATA,
        ),
    ] = False,
    seed: Seed = 0,
    memory: Memory = None,
    json: Json = None,
    csv: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Write pairs as csv, columns and triples beside it.", rich_help_panel=OUTPUT),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write a page for the browser.", rich_help_panel=OUTPUT)
    ] = None,
    no_rows: Annotated[
        bool, typer.Option("--no-rows", help="Keep rows of the tables out of the page.", rich_help_panel=OUTPUT)
    ] = False,
    save_profile: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Write a profile of the first table (sums, no rows), to compare later tables with.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    fail_on_change: Annotated[
        bool,
        typer.Option(
            "--fail-on-change", help=f"End with exit code {_CHANGED} if anything differs.", rich_help_panel=OUTPUT
        ),
    ] = False,
    limit: Annotated[
        int,
        typer.Option(min=0, metavar="ROWS", help="Pairs, triples and columns printed, each.", rich_help_panel=OUTPUT),
    ] = 15,
    quiet: Quiet = False,
) -> None:
    """Compare tables, or groups of one: which columns changed, and which dependences beyond that."""
    from shearer.report.exports import triples_path

    kinds = parse_kinds(kind)
    outputs = {"--json": json, "--csv": csv, "--report": report, "--save-profile": save_profile}
    check_outputs(outputs, files)
    if save_profile == STDOUT:
        raise typer.BadParameter("needs a file", param_hint="--save-profile")
    if csv not in (None, STDOUT):
        parts = ("columns", "triples") if triples else ("columns",)
        check_outputs({**outputs, **{f"--csv ({part})": triples_path(csv, part) for part in parts}}, files)
    if by is not None and len(files) > 1:
        raise typer.BadParameter("takes one table", param_hint="--by")
    alone = by is None and len(files) == 1
    if alone and save_profile is None:
        raise typer.BadParameter("two tables, or one with --by COL", param_hint="FILE")

    import shearer
    from shearer.cli.chunked_files import streamed
    from shearer.comparing import Profile, profile_of

    bars = False if quiet else None
    reading = Reading(separator, encoding, no_header, sheet, skip_rows, memory)
    tables: list[Any] = []
    notes: list[str] = []
    for file in files:
        if _is_profile(file):
            tables.append(Profile.load(file))
            continue
        rows = streamed(reading, [file], _with(columns, by, cluster), drop, wanted=stream, progress=bars)
        if rows is not None:
            if by is not None:
                raise typer.BadParameter("needs a table that fits in memory", param_hint="--by")
            tables.append(rows)
            notes += rows.notes
            continue
        loaded = reading.read([file])
        table = choose_columns(loaded.frame, _with(columns, by, cluster), drop)
        check_kinds(table, {name: own for name, own in (kinds or {}).items() if name in table.columns})
        tables.append(table)
        notes += loaded.notes_on(table.columns)
    called = split_names(names) if names else _called(files)
    with noted(notes, quiet=quiet):
        if save_profile is not None:
            if isinstance(tables[0], Profile):
                raise typer.BadParameter("the first file is a profile already", param_hint="--save-profile")
            profile = profile_of(
                tables[0], name=called[0], kinds=_known(kinds, tables[0]), memory=memory, progress=bars
            )
            profile.save(save_profile)
            if not quiet:
                say(f"wrote {save_profile}")
        if alone:
            return
        result = shearer.compare(
            *tables,
            by=by,
            every=every,
            names=None if by is not None else called,
            kinds=kinds,
            keep=keep or (),
            cluster=cluster,
            paired=paired,
            triples=triples,
            fdr=fdr,
            memory=memory,
            rng=seed,
            progress=bars,
            source=" and ".join(_called(files)) if by is None else f"{Path(files[0]).name} by {by}",
        )
    result.document["notes"][:0] = notes
    if not quiet and STDOUT not in outputs.values():
        _print(result.document, limit)
    _write(result, outputs, rows=not no_rows, quiet=quiet)
    if fail_on_change and result.changed:
        if sys.stdout is not None:
            sys.stdout.flush()
        raise typer.Exit(_CHANGED)


def _is_profile(file: str) -> bool:
    from shearer.comparing.profile import SUFFIX

    return file.lower().endswith(SUFFIX)


def _known(kinds: dict[str, str] | None, table: Any) -> dict[str, str]:
    return {name: kind for name, kind in (kinds or {}).items() if name in table.columns}


def _with(columns: str | None, *needed: str | None) -> str | None:
    """The columns that are named and those that tell the groups."""
    if columns is None:
        return None
    return ",".join([columns, *(f'"{name}"' for name in needed if name and name not in split_names(columns))])


def _called(files: list[str]) -> list[str]:
    """Names of files without folders and endings, still distinct."""
    stems = [Path(file).name.split(".")[0] or file for file in files]
    if len({*stems}) == len(stems):
        return stems
    return files if len({*files}) == len(files) else [f"{file} ({place})" for place, file in enumerate(files, start=1)]


def _print(document: dict[str, Any], limit: int) -> None:
    from rich.console import Console

    from shearer.report.comparison_terminal import ComparisonView

    Console(highlight=False).print(ComparisonView(document, limit))


def _write(result: Any, outputs: dict[str, str | None], *, rows: bool, quiet: bool) -> None:
    """Write what is asked for."""
    from shearer.report.comparison_tables import comparison_csv
    from shearer.report.exports import to_json

    if (path := outputs["--json"]) is not None:
        deliver("--json", path, to_json(result.document) + "\n", quiet=quiet)
    if (path := outputs["--csv"]) is not None:
        texts = list(comparison_csv(result.document, path).items())
        for place, text in texts[:1] if path == STDOUT else texts:
            deliver("--csv", str(place), text, quiet=quiet)
    if (path := outputs["--report"]) is not None:
        deliver("--report", path, result.to_html(rows=rows), quiet=quiet)
