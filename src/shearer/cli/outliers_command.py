"""`shearer outliers`: which rows break what columns have in common?"""

from typing import Annotated, Any

import typer

from shearer._validate import check_names, check_option, value_error
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
    without_row_numbers,
)
from shearer.cli.outputs import STDOUT, check_outputs, deliver, noted
from shearer.measures.registry import normalized_measures

EXAMPLES = (
    "shearer outliers table.parquet",
    "shearer outliers table.csv --label name --drop id --share 0.02",
    "shearer outliers table.csv --scheme paper --measure adjusted --max-size 4 --json out.json",
    "shearer outliers table.csv --report rows.html",
    "shearer outliers table.csv --triples --quiet --csv scores.csv",
)
_SEARCH = "What to look for"
_PAPER = "Of the paper's scheme"


def outliers(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help=f"{FORMATS}; several are stacked; - is the standard input.",
        ),
    ],
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="relations|paper",
            help="What rows are held against: pairs of related columns, their values and other rows; or, as in the "
            "paper, the local outlier factor in sets of columns that depend. Default: relations, or paper with one of "
            "its options.",
            show_default=False,
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    neighbors: Annotated[
        int | None,
        typer.Option(min=1, help="Nearest rows that count; 50, or 20 of the paper's.", rich_help_panel=_SEARCH),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Of the columns' dependence: {', '.join(normalized_measures(any_number=True))} or adjusted.",
            rich_help_panel=_PAPER,
        ),
    ] = None,
    subspaces: Annotated[
        int | None, typer.Option(min=1, help="Sets of columns to look at; 10.", rich_help_panel=_PAPER)
    ] = None,
    max_size: Annotated[
        int | None, typer.Option(min=2, help="Columns in a set at most; 3.", rich_help_panel=_PAPER)
    ] = None,
    triples: Annotated[
        bool, typer.Option("--triples", help="Score all triples of columns.", rich_help_panel=_PAPER)
    ] = False,
    combination: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="mean (default), max, rank or breadth_first.", rich_help_panel=_PAPER),
    ] = None,
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
    report: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Write a page with pictures of rows; not with --scheme paper.", rich_help_panel=OUTPUT
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=0, metavar="ROWS", help="Outliers printed.", rich_help_panel=OUTPUT)] = 20,
    quiet: Quiet = False,
) -> None:
    """Find the rows that stand out by their values or by the relations they break, and say which columns show it."""
    check_outputs({"--json": json, "--csv": csv, "--report": report}, files)
    asked = {
        "--measure": measure,
        "--subspaces": subspaces,
        "--max-size": max_size,
        "--triples": triples or None,
        "--combination": combination,
    }
    of_paper = [name for name, value in asked.items() if value is not None]
    if scheme is not None:
        check_option("--scheme", scheme, ("relations", "paper"))
    if scheme == "relations" and of_paper:
        raise value_error("--scheme", "paper, or none", "relations", f"{of_paper[0]} is an option of the paper's.")
    by_paper = scheme == "paper" or bool(of_paper)
    if by_paper and report is not None:
        raise value_error("--report", "the scheme of relations", "the paper's", "--csv and --json have its reasons.")

    from shearer.report.exports import to_json
    from shearer.report.outlying import NumberedRows

    loaded = Reading(separator, encoding, no_header, sheet, skip_rows, memory).read(files)
    chosen = choose_columns(loaded.frame, columns, drop)
    frame, unused = without_row_numbers(chosen, columns, wanted=[label] if label else [])
    if label is not None:
        check_names("--label", [label], loaded.frame.columns)
        frame = frame.with_columns(loaded.frame[label])
    table = NumberedRows.of(frame, label, with_labels=not by_paper)
    notes = (*loaded.notes_on(frame.columns), *unused)
    with noted((*notes, *table.notes), quiet=quiet):
        if min(table.numbers.shape) < 2:
            got = f"{table.numbers.width} such columns and {len(table.numbers)} rows that have all of them"
            kinds = "numbers" if by_paper else "numbers or labels"
            hint = "--drop leaves columns out."
            raise value_error("table", f"2 or more columns of {kinds} and 2 or more rows", got, hint)
    common = {"n_neighbors": neighbors, "contamination": share, "n_jobs": jobs, "random_state": seed}
    with noted(notes, quiet=quiet):
        if by_paper:
            options = {"measure": measure, "max_size": max_size, "n_subspaces": subspaces, "combination": combination}
            work = {"memory": memory, "progress": False if quiet else None}
            shown = _by_paper(table, loaded.source, notes, options, common, work, triples=triples)
        else:
            shown = _by_relations(table, loaded.source, notes, common)
    document, view, text = shown
    if not quiet and STDOUT not in (json, csv, report):
        _print(view(document, limit))
    if json is not None:
        deliver("--json", json, to_json(document) + "\n", quiet=quiet)
    if csv is not None:
        deliver("--csv", csv, text(document), quiet=quiet)
    if report is not None:
        from shearer.report.page.outlier_page import outlier_page

        deliver("--report", report, outlier_page(document, table), quiet=quiet)


def _by_relations(table: Any, source: str, notes: Any, common: dict[str, Any]) -> tuple[dict[str, Any], Any, Any]:
    """The document, its view and its csv."""
    from shearer.report.broken_relations import BrokenRelationsView, relation_csv, relation_document
    from shearer.tools import SubspaceOutlierDetector

    detector = SubspaceOutlierDetector(scheme="relations", **common).fit(table.numbers)
    unshared = [f"'{name}' is not looked at: too few rows with the same label." for name in detector.ignored_]
    notes = [*notes, *unshared]
    return relation_document(detector, table, source=source, notes=notes), BrokenRelationsView, relation_csv


def _by_paper(
    table: Any,
    source: str,
    notes: Any,
    options: dict[str, Any],
    common: dict[str, Any],
    work: dict[str, Any],
    *,
    triples: bool,
) -> tuple[dict[str, Any], Any, Any]:
    """The same of the paper's scheme; options that were not given have the defaults of the classes."""
    from shearer.report.outlying import OutlierView, outlier_csv, outlier_document
    from shearer.tools import SubspaceOutlierDetector, SubspaceSearch

    chosen = {name: value for name, value in options.items() if value is not None}
    own = {name: chosen.pop(name) for name in ("n_subspaces", "combination") if name in chosen}
    search = SubspaceSearch(
        **chosen, exhaustive_triples=triples, n_jobs=common["n_jobs"], random_state=common["random_state"], **work
    )
    detector = SubspaceOutlierDetector(search, **own, **common).fit(table.numbers)
    return outlier_document(detector, table, source=source, notes=notes), OutlierView, outlier_csv


def _print(view: object) -> None:
    from rich.console import Console

    Console(highlight=False).print(view)
