"""`shearer scan`: every pair and triple of a table."""

from typing import Annotated, Any

import typer

from shearer.cli.early_pairs import EarlyPairs
from shearer.cli.options import (
    DATA,
    FORMATS,
    OUTPUT,
    WORK,
    Columns,
    Drop,
    Encoding,
    Groups,
    Jobs,
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
    parse_groups,
    parse_kinds,
    parse_lags,
    split_names,
)
from shearer.cli.outputs import STDOUT, check_outputs, deliver, in_options, noted, say

EXAMPLES = (
    "shearer scan table.csv",
    "shearer scan table.csv --target price --report out.html --json out.json",
    "shearer scan *.parquet --group position=x,y,z --kind year=label --drop id",
    "shearer scan table.csv --order 4",
    "shearer scan series.tsv --order 2 --lags 0..5 --difference",
    "shearer scan visits.csv --cluster patient",
    "shearer scan table.csv --given age,sex",
    "shearer scan 'part-*.parquet' --scheduler tcp://10.0.0.1:8786",
    "zcat table.csv.gz | shearer scan - --quiet --csv found.csv",
)
_SEARCH = "What to look for"


def scan(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help=f"{FORMATS}; several are stacked; - is the standard input.",
        ),
    ],
    target: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Compare with this column only. Can be repeated.", rich_help_panel=_SEARCH),
    ] = None,
    order: Annotated[
        int,
        typer.Option(
            metavar="2|3|4",
            min=2,
            max=4,
            help="2: pairs; 3: triples too; 4: sets of four too.",
            rich_help_panel=_SEARCH,
        ),
    ] = 3,
    fdr: Annotated[
        float, typer.Option(metavar="RATE", help="False discovery rate of what is reported.", rich_help_panel=_SEARCH)
    ] = 0.05,
    top: Annotated[
        int, typer.Option(metavar="N", min=0, help="Measure as many in full, with intervals.", rich_help_panel=_SEARCH)
    ] = 50,
    alpha: Annotated[
        float,
        typer.Option(metavar="ORDER", help="Order of the entropy at which they are measured.", rich_help_panel=_SEARCH),
    ] = 1.0,
    lags: Annotated[
        str | None,
        typer.Option(
            metavar="0..5", help="Rows in time: also compare with as many rows later.", rich_help_panel=_SEARCH
        ),
    ] = None,
    lag_test: Annotated[
        str,
        typer.Option(
            metavar="whitened|stretches",
            help="Over lags, test what the past of a column leaves of it, or the column as it is.",
            rich_help_panel=_SEARCH,
        ),
    ] = "whitened",
    difference: Annotated[
        bool,
        typer.Option(
            "--difference", help="Rows in time: scan the steps of numbers from row to row.", rich_help_panel=_SEARCH
        ),
    ] = False,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Rows with the same value may depend on each other: several of one patient or country.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    given: Annotated[
        str | None,
        typer.Option(
            metavar="COL,...",
            help="Columns that are known: what do the others still have to do with each other?",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    direct: Annotated[
        bool,
        typer.Option(
            "--direct",
            help="Find out which links still show given the columns linked with them; done for --report of all pairs.",
            rich_help_panel=_SEARCH,
        ),
    ] = False,
    columns: Columns = None,
    drop: Drop = None,
    group: Groups = None,
    kind: Kinds = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="Test a column although it counts the rows, names them, or repeats another. Can be repeated.",
            rich_help_panel=DATA,
        ),
    ] = None,
    max_rows: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Scan a sample of so many rows of a longer table; 0: all. Default: all that some minutes allow.",
            show_default=False,
            rich_help_panel=WORK,
        ),
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    no_header: NoHeader = False,
    skip_rows: SkipRows = None,
    sheet: Sheet = None,
    seed: Seed = 0,
    memory: Memory = None,
    jobs: Jobs = None,
    stream: Annotated[
        bool,
        typer.Option(
            "--stream", help="Read Parquet, Arrow or text in chunks; pairs by all rows.", rich_help_panel=WORK
        ),
    ] = False,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Of a Dask cluster that sees the files, as tcp://host:8786.", rich_help_panel=WORK
        ),
    ] = None,
    shards: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Keep results there while they are computed.", rich_help_panel=WORK),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what --shards has kept.", rich_help_panel=WORK)
    ] = False,
    json: Json = None,
    csv: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Write pairs as csv, and larger sets beside it (-triples).", rich_help_panel=OUTPUT
        ),
    ] = None,
    graphml: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write the graph of reported pairs.", rich_help_panel=OUTPUT)
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write a page for the browser.", rich_help_panel=OUTPUT)
    ] = None,
    no_rows: Annotated[
        bool, typer.Option("--no-rows", help="Keep rows of the table out of the page.", rich_help_panel=OUTPUT)
    ] = False,
    limit: Annotated[
        int, typer.Option(min=0, metavar="ROWS", help="Pairs and triples printed, each.", rich_help_panel=OUTPUT)
    ] = 15,
    quiet: Quiet = False,
) -> None:
    """Search a table for dependence: every pair, and every triple for what no model of pairs explains."""
    from shearer.report.exports import triples_path

    groups, kinds, steps = parse_groups(group), parse_kinds(kind), parse_lags(lags)
    outputs = {"--json": json, "--csv": csv, "--graphml": graphml, "--report": report}
    check_outputs(outputs, files)
    if csv not in (None, STDOUT) and order >= 3:
        parts = ("triples", "quadruples")[: order - 2]
        beside: dict[str, Any] = {f"--csv ({part})": triples_path(csv, part) for part in parts}
        check_outputs({**outputs, **beside}, files)
    if resume and shards is None:
        raise typer.BadParameter("needs --shards DIR", param_hint="--resume")

    import shearer
    from shearer.cli.chunked_files import connected, streamed
    from shearer.scanning.columns.roles import COUNTS_ROWS

    reading = Reading(separator, encoding, no_header, sheet, skip_rows, memory)
    bars = False if quiet else None
    rows = streamed(reading, files, columns, drop, wanted=stream or scheduler is not None, progress=bars)
    if rows is None:
        loaded = reading.read(files)
        table: Any = choose_columns(loaded.frame, columns, drop)
        source, notes = loaded.source, loaded.notes_on(table.columns)
    else:
        table, source, notes = rows, rows.name, rows.notes
    joined = {member for members in (groups or {}).values() for member in members}
    # A column that is named is wanted, whatever it looks like.
    named = [name for name in split_names(columns or "") if name not in {*joined, *split_names(drop or "")}]
    with noted(notes, quiet=quiet), connected(scheduler), EarlyPairs(limit, quiet=quiet) as early:
        if rows is None:
            check_kinds(table, kinds)
        result = shearer.scan(
            table,
            order=order,
            target=target[0] if target and len(target) == 1 else target or None,
            groups=groups,
            kinds=kinds,
            keep=[*(keep or ()), *named],
            lags=steps,
            lag_test=lag_test,
            difference=difference,
            cluster=cluster,
            given=split_names(given or "") or None,
            direct=direct or (report is not None and not (steps or cluster or given or target or rows is not None)),
            fdr=fdr,
            top=top,
            alpha=alpha,
            max_rows="auto" if max_rows is None else max_rows or None,
            memory=memory,
            rng=seed,
            n_jobs=jobs,
            shards=shards,
            resume=resume,
            progress=bars,
            source=source,
            on_pairs=early.show,
        )
    counters = {
        column["name"]
        for column in result.document["columns"]
        if any(note.startswith(COUNTS_ROWS) for note in column["notes"])
    }
    # Notes of a source are in the document.
    known = () if rows is not None else loaded.notes_on([name for name in table.columns if name not in counters])
    result.document["notes"][:] = [*known, *map(in_options, result.document["notes"])]
    if not quiet and STDOUT not in outputs.values():
        _print(result.document, limit)
    _write(result, outputs, rows=not no_rows, quiet=quiet)


def _print(document: dict[str, Any], limit: int) -> None:
    from rich.console import Console

    from shearer.report import summary_sentences
    from shearer.report.terminal import ScanView

    Console(highlight=False).print(ScanView(document, summary_sentences(document), limit))


def _write(result: Any, outputs: dict[str, str | None], *, rows: bool, quiet: bool) -> None:
    """Write what is asked for."""
    from shearer.report.exports import quadruples_csv, to_csv, to_graphml, to_json, triples_path

    document = result.document
    if (path := outputs["--json"]) is not None:
        deliver("--json", path, to_json(document) + "\n", quiet=quiet)
    if (path := outputs["--csv"]) is not None:
        pairs, triples = to_csv(document)
        deliver("--csv", path, pairs, quiet=quiet)
        if triples and path != STDOUT:
            deliver("--csv", triples_path(path), triples, quiet=quiet)
        elif triples and not quiet:
            say("the standard output got pairs only; --csv PATH writes triples too")
        if (fours := quadruples_csv(document)) and path != STDOUT:
            deliver("--csv", triples_path(path, "quadruples"), fours, quiet=quiet)
    if (path := outputs["--graphml"]) is not None:
        deliver("--graphml", path, to_graphml(document), quiet=quiet)
    if (path := outputs["--report"]) is not None:
        deliver("--report", path, result.to_html(rows=rows), quiet=quiet)
