"""`shearer network`: which columns of a table are linked."""

from collections.abc import Collection
from typing import Annotated, Any

import typer

from shearer.cli.options import (
    DATA,
    FORMATS,
    OUTPUT,
    Columns,
    Drop,
    Encoding,
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
    choose_columns,
    parse_kinds,
    with_kinds,
    without_row_numbers,
)
from shearer.cli.outputs import STDOUT, check_outputs, deliver, noted, say

EXAMPLES = (
    "shearer network expression.tsv --graphml network.graphml",
    "shearer network expression.tsv --preset expression --drop sample --top 500 --csv links.csv",
    "shearer network expression.tsv --preset expression --fdr none --top 100000 --regulators tf.txt --arboreto out.tsv",
)
_LINKS = "The links"
_NONE = "none"


def network(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help=f"{FORMATS}, a column for each variable; several are stacked; - is the standard input.",
        ),
    ],
    preset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="general, expression (links stand out among others of a gene) or paper (its Table 2).",
            rich_help_panel=_LINKS,
        ),
    ] = "general",
    weight: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="information (share of what a copy tells), value (I*), strength (as of a correlation), adjusted (for"
            " chance) or pvalue (-log10 of it). Default: of the preset, or value with --alpha or --width.",
            rich_help_panel=_LINKS,
        ),
    ] = None,
    fdr: Annotated[
        str, typer.Option(metavar="RATE", help="False discovery rate of the links, or none.", rich_help_panel=_LINKS)
    ] = "0.05",
    threshold: Annotated[
        float | None, typer.Option(metavar="WEIGHT", help="Least weight of a link.", rich_help_panel=_LINKS)
    ] = None,
    top: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="At most so many links.", rich_help_panel=_LINKS)
    ] = None,
    indirect: Annotated[
        str,
        typer.Option(
            metavar="METHOD",
            help="Against indirect links: none, dpi, clr, clr-rank, conditional or pc.",
            rich_help_panel=_LINKS,
        ),
    ] = "preset",
    regulators: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="A file of names, one a line: one of them is in every link, and its source.",
            rich_help_panel=_LINKS,
        ),
    ] = None,
    stability: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Find links again in so many halves of the rows.", rich_help_panel=_LINKS
        ),
    ] = 0,
    alpha: Annotated[
        float | None,
        typer.Option(help="Order of the entropy for --weight value.", show_default=False, rich_help_panel=_LINKS),
    ] = None,
    width: Annotated[
        str | None,
        typer.Option(
            metavar="RULE", help="Width of the kernel: a rule as silverman, or a number.", rich_help_panel=_LINKS
        ),
    ] = None,
    test: Annotated[
        str, typer.Option(help="p-values at one width (moments) or over several (aggregated).", rich_help_panel=_LINKS)
    ] = "moments",
    missing: Annotated[
        str, typer.Option(help="Rows that lack a value: pairwise, drop or error.", rich_help_panel=DATA)
    ] = "pairwise",
    columns: Columns = None,
    drop: Drop = None,
    kind: Kinds = None,
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
        str | None, typer.Option(metavar="PATH", help="Write the links as csv.", rich_help_panel=OUTPUT)
    ] = None,
    graphml: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write the graph.", rich_help_panel=OUTPUT)
    ] = None,
    arboreto: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Write TF, target, importance as tsv, as arboreto does.", rich_help_panel=OUTPUT
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=0, metavar="ROWS", help="Links printed.", rich_help_panel=OUTPUT)] = 20,
    quiet: Quiet = False,
) -> None:
    """Link the columns of a table that depend on each other: a network, for genes or anything else."""
    kinds, rate = parse_kinds(kind), _parse_rate(fdr)
    outputs = {"--json": json, "--csv": csv, "--graphml": graphml, "--arboreto": arboreto}
    check_outputs(outputs, [*files, *([regulators] if regulators else [])])

    from shearer.report.network_document import network_document
    from shearer.tools import DependenceNetwork

    loaded = Reading(separator, encoding, no_header, sheet, skip_rows, memory).read(files)
    chosen = choose_columns(loaded.frame, columns, drop)
    names = _read_names(regulators, chosen.columns, quiet=quiet)
    frame, unused = without_row_numbers(chosen, columns, wanted=[*(kinds or ()), *(names or ())])
    notes = (*loaded.notes_on(frame.columns), *unused)
    with noted(notes, quiet=quiet):
        found = DependenceNetwork(
            preset=preset, alpha=alpha, kernel=_parse_width(width), weight=weight, fdr=rate, threshold=threshold,
            top_k=top, indirect=None if indirect.lower() == _NONE else indirect, regulators=names, stability=stability,
            test=test, missing=missing, memory=memory, n_jobs=jobs, random_state=seed,
            progress=False if quiet else None,
        ).fit(with_kinds(frame, kinds))  # fmt: skip
    document = network_document(found, source=loaded.source, rows=len(frame), notes=list(notes))
    if not quiet and STDOUT not in outputs.values():
        _print(document, limit)
    _write(found, document, outputs, quiet=quiet)


def _parse_rate(text: str) -> float | None:
    if text.lower() == _NONE:
        return None
    try:
        return float(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is neither a number nor {_NONE}", param_hint="--fdr") from error


def _parse_width(text: str | None) -> Any:
    from shearer.kernels import Gaussian

    if text is None:
        return None
    try:
        return Gaussian(float(text))
    except ValueError:
        return Gaussian(text)


def _read_names(path: str | None, columns: Collection[str], *, quiet: bool) -> list[str] | None:
    """The names in a file that are columns."""
    if path is None:
        return None
    with open(path, encoding="utf-8") as file:
        names = [line.strip() for line in file if line.strip()]
    known = [name for name in names if name in columns]
    if len(known) < len(names) and not quiet:
        say(f"{len(names) - len(known)} of {len(names)} regulators are not among the columns")
    return known


def _print(document: dict[str, Any], limit: int) -> None:
    from rich.console import Console

    from shearer.report.network_document import NetworkView

    Console(highlight=False).print(NetworkView(document, limit))


def _write(found: Any, document: dict[str, Any], outputs: dict[str, str | None], *, quiet: bool) -> None:
    """Write what is asked for."""
    from shearer.report.exports import csv_text, to_json

    if (path := outputs["--json"]) is not None:
        deliver("--json", path, to_json(document) + "\n", quiet=quiet)
    if (path := outputs["--csv"]) is not None:
        header = list(found.edges_.columns)
        deliver("--csv", path, csv_text(header, found.edges_.rows()), quiet=quiet)
    if (path := outputs["--graphml"]) is not None:
        deliver("--graphml", path, found.graphml(), quiet=quiet)
    if (path := outputs["--arboreto"]) is not None:
        adjacencies = found.to_arboreto()  # names as they are, for the programs that look them up
        deliver("--arboreto", path, adjacencies.write_csv(separator="\t"), quiet=quiet)
