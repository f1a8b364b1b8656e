"""`shearer select`: which columns of a table tell about a target?"""

import math
from typing import Annotated, Any

import typer

from shearer._display import printable
from shearer._validate import check_names, describe, value_error
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
    choose_columns,
    parse_kinds,
    with_kinds,
    without_row_numbers,
)
from shearer.cli.outputs import STDOUT, check_outputs, deliver, noted

EXAMPLES = (
    "shearer select table.csv price",
    "shearer select table.csv species --drop id --number 5 --csv chosen.csv",
)
_CHOICE = "The choice"
_AUTO = "auto"
# What the columns of the table are.
_LEGEND = {
    "stepwise": "score: share of the target that the columns down to this one explain in these rows.",
    "joint": "score: bits above chance that the columns down to this one tell together.",
    "mrmr": "score: bits above chance of this column, less what it shares with those before.",
}
_LEGEND_P = (
    "p: of this column given those before, adjusted for all that could have been taken in its place; rows are taken as "
    "independent of each other. q: expected share of false ones in the list that ends here; it can be below p, since "
    "sure ones come first."
)


def select(
    file: Annotated[str, typer.Argument(metavar="FILE", help=f"{FORMATS}; - is the standard input.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The column to tell about.")],
    number: Annotated[
        str,
        typer.Option(
            metavar="N", help="How many columns, or auto: as long as they tell something new.", rich_help_panel=_CHOICE
        ),
    ] = _AUTO,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="stepwise (what is left to explain), joint (information of all together) or mrmr.",
            rich_help_panel=_CHOICE,
        ),
    ] = "stepwise",
    level: Annotated[
        float, typer.Option(help="Largest p-value of a choice, adjusted for all others.", rich_help_panel=_CHOICE)
    ] = 0.05,
    missing: Annotated[str, typer.Option(help="Rows that lack a value: drop or error.", rich_help_panel=DATA)] = "drop",
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
    json: Json = None,
    csv: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write the chosen columns as csv.", rich_help_panel=OUTPUT)
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Choose the columns that tell about a target, one after another, alone or together."""
    check_outputs({"--json": json, "--csv": csv}, [file])
    kinds, count = parse_kinds(kind), _parse_number(number)

    from shearer._version import __version__
    from shearer.report.exports import csv_text, to_json
    from shearer.tools import DependenceSelector

    loaded = Reading(separator, encoding, no_header, sheet, skip_rows, memory).read([file])
    check_names("TARGET", [target], loaded.frame.columns)
    frame = with_kinds(loaded.frame, kinds)
    features = choose_columns(frame, columns, drop)
    features, unused = without_row_numbers(
        features.drop(target, strict=False), columns, wanted=list(kinds or ()), least=1
    )
    notes = (*loaded.notes_on([*features.columns, target]), *unused)
    with noted(notes, quiet=quiet):
        if not features.width:
            raise value_error("--columns", "some column beside the target", "none")
        for name in (*features.columns, target):
            infinite = int(frame[name].is_infinite().sum()) if frame[name].dtype.is_float() else 0
            if infinite:
                got = f"infinity in {infinite} of {len(frame)} rows"
                raise value_error(
                    describe(name), "finite numbers", got, "Remove or clip them, or leave it out: --drop."
                )
        known = frame[target].is_not_null()
        wanted: Any = "auto" if count is None else min(count, features.width)
        selector = DependenceSelector(
            wanted, method=method, level=level, target=(kinds or {}).get(target, "auto"), missing=missing,
            memory=memory, random_state=seed, progress=False if quiet else None,
        ).fit(features.filter(known), frame[target].filter(known).to_numpy())  # fmt: skip
    chosen = [
        {"column": features.columns[place], "score": score, "pvalue": pvalue, "qvalue": qvalue}
        for place, score, pvalue, qvalue in zip(
            selector.order_.tolist(), selector.scores_.tolist(), selector.pvalues_.tolist(),
            selector.qvalues_.tolist(), strict=True,
        )
    ]  # fmt: skip
    settings = {"target": target, "number": number, "method": method, "level": level}
    rows = features.filter(known).drop_nulls().drop_nans().height
    lacking = [f"{len(frame) - rows} of {len(frame)} rows lack a value and are left out."] if rows < len(frame) else []
    document = {"version": __version__, "source": loaded.source, "rows": rows, "settings": settings}
    taken = _classes(target, selector.n_classes_) if frame[target].dtype.is_numeric() else []
    document |= {"columns": features.columns, "chosen": chosen, "notes": [*notes, *lacking, *taken]}
    if not quiet and STDOUT not in (json, csv):
        _print(document)
    if json is not None:
        deliver("--json", json, to_json(document) + "\n", quiet=quiet)
    if csv is not None:
        header = ["column", "score", "pvalue", "qvalue"]
        deliver("--csv", csv, csv_text(header, [tuple(row.values()) for row in chosen]), quiet=quiet)


def _classes(target: str, count: int | None) -> list[str]:
    """That a target of numbers was taken for classes."""
    if count is None or count == 1:
        return []
    return [f"the numbers of '{target}' are taken as {count} classes; --kind {target}=number takes them as amounts."]


def _parse_number(text: str) -> int | None:
    if text.lower() == _AUTO:
        return None
    if not text.isdigit() or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is neither a number from 1 nor {_AUTO}", param_hint="--number")
    return int(text)


def _not_told(document: dict[str, Any]) -> str:
    """What columns without a p-value are there for."""
    chosen, settings = document["chosen"], document["settings"]
    names = [printable(row["column"], 40) for row in chosen if math.isnan(row["pvalue"])]
    if not names:
        return ""
    if settings["method"] != "stepwise":
        return "Without p: not tested."
    if settings["number"] == _AUTO:
        target = printable(settings["target"], 40)
        return f"No column is clearly related to {target}; {names[0]}, which shares most with it, is named alone."
    by = "what they share with the target, less what they share with those before"
    return f"Without p: taken to make up the number, by {by}; not significant at level {settings['level']:g}."


def _print(document: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    chosen, target = document["chosen"], printable(document["settings"]["target"])
    console = Console(highlight=False)
    console.print(Text(f"{len(chosen)} of {len(document['columns'])} columns for {target}, {document['rows']} rows."))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("column")
    for name in ("score", "p", "q"):
        table.add_column(name, justify="right")
    for row in chosen:
        numbers = ["" if math.isnan(row[name]) else f"{row[name]:.0e}" for name in ("pvalue", "qvalue")]
        table.add_row(Text(printable(row["column"], 40)), f"{row['score']:.3f}", *numbers)
    console.print(table)
    if chosen:
        console.print(Text(f"{_LEGEND[document['settings']['method']]} {_LEGEND_P}", style="dim"))
    if unsure := _not_told(document):
        console.print(Text(unsure))
    for note in document["notes"]:
        console.print(Text(f"note: {printable(note)}"))
