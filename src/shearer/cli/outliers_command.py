"""`shearer outliers`: which rows break what columns have in common?"""

from typing import Annotated

import typer

from shearer._validate import check_names, value_error
from shearer.cli.options import (
    DATA,
    FORMATS,
    OUTPUT,
    Columns,
    Drop,
    Encoding,
    Jobs,
    Json,
    Memory,
    NoHeader,
    Quiet,
    Reading,
    Seed,
    Separator,
    Sheet,
    SkipRows,
    choose_columns,
)
from shearer.cli.outputs import STDOUT, check_outputs, deliver, noted
from shearer.measures.registry import normalized_measures

EXAMPLES = (
    "shearer outliers table.parquet",
    "shearer outliers table.csv --label name --drop id --share 0.02",
    "shearer outliers table.csv --measure adjusted --max-size 4 --json out.json",
    "shearer outliers table.csv --triples --quiet --csv scores.csv",
)
_SEARCH = "What to look for"


def outliers(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help=f"{FORMATS}; several are stacked; - is the standard input.",
        ),
    ],
    measure: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"Of the columns' dependence: {', '.join(normalized_measures(any_number=True))} or adjusted.",
            rich_help_panel=_SEARCH,
        ),
    ] = "total_correlation",
    subspaces: Annotated[int, typer.Option(min=1, help="Sets of columns to look at.", rich_help_panel=_SEARCH)] = 10,
    max_size: Annotated[int, typer.Option(min=2, help="Columns in a set at most.", rich_help_panel=_SEARCH)] = 3,
    triples: Annotated[
        bool, typer.Option("--triples", help="Score all triples of columns.", rich_help_panel=_SEARCH)
    ] = False,
    neighbors: Annotated[int, typer.Option(min=1, help="Of the local outlier factor.", rich_help_panel=_SEARCH)] = 20,
    combination: Annotated[
        str, typer.Option(metavar="NAME", help="mean, max, rank or breadth_first.", rich_help_panel=_SEARCH)
    ] = "mean",
    share: Annotated[float, typer.Option(help="Of the rows, to report.", rich_help_panel=_SEARCH)] = 0.05,
    label: Annotated[
        str | None, typer.Option(metavar="COL", help="Names the rows; not looked at.", rich_help_panel=DATA)
    ] = None,
    columns: Columns = None,
    drop: Drop = None,
    separator: Separator = None,
    encoding: Encoding = None,
    no_header: NoHeader = False,
    skip_rows: SkipRows = None,
    sheet: Sheet = None,
    seed: Seed = 0,
    memory: Memory = None,
    jobs: Jobs = None,
    json: Json = None,
    csv: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write the score of every row.", rich_help_panel=OUTPUT)
    ] = None,
    limit: Annotated[int, typer.Option(min=0, metavar="ROWS", help="Outliers printed.", rich_help_panel=OUTPUT)] = 20,
    quiet: Quiet = False,
) -> None:
    """Find the rows that stand out among columns that depend on each other, and say which columns show it."""
    check_outputs({"--json": json, "--csv": csv}, files)

    from shearer.report.exports import to_json
    from shearer.report.outlying import NumberedRows, OutlierView, outlier_csv, outlier_document
    from shearer.tools import SubspaceOutlierDetector, SubspaceSearch

    loaded = Reading(separator, encoding, no_header, sheet, skip_rows, memory).read(files)
    frame = choose_columns(loaded.frame, columns, drop)
    if label is not None:
        check_names("--label", [label], loaded.frame.columns)
        frame = frame.with_columns(loaded.frame[label])
    table = NumberedRows.of(frame, label)
    notes = loaded.notes_on(frame.columns)
    with noted((*notes, *table.notes), quiet=quiet):
        if min(table.numbers.shape) < 2:
            got = f"{table.numbers.width} such columns and {len(table.numbers)} rows that have all of them"
            hint = "--drop leaves columns out."
            raise value_error("table", "2 or more columns of numbers and 2 or more rows", got, hint)
    with noted(notes, quiet=quiet):
        search = SubspaceSearch(
            measure, max_size=max_size, exhaustive_triples=triples, memory=memory, n_jobs=jobs, random_state=seed,
            progress=False if quiet else None,
        )  # fmt: skip
        detector = SubspaceOutlierDetector(
            search, n_subspaces=subspaces, n_neighbors=neighbors, combination=combination, contamination=share,
            n_jobs=jobs,
        ).fit(table.numbers)  # fmt: skip
    document = outlier_document(detector, table, source=loaded.source, notes=notes)
    if not quiet and STDOUT not in (json, csv):
        _print(OutlierView(document, limit))
    if json is not None:
        deliver("--json", json, to_json(document) + "\n", quiet=quiet)
    if csv is not None:
        deliver("--csv", csv, outlier_csv(document), quiet=quiet)


def _print(view: object) -> None:
    from rich.console import Console

    Console(highlight=False).print(view)
