"""`shearer test`: are these columns independent?"""

from typing import Annotated

import typer

from shearer._validate import check_names, check_option
from shearer.cli.options import (
    FORMATS,
    WORK,
    Encoding,
    Groups,
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
    parse_groups,
    parse_kinds,
    split_names,
    with_kinds,
)
from shearer.cli.outputs import STDOUT, check_outputs, deliver, noted, say
from shearer.measures.registry import dependence_measures

EXAMPLES = (
    "shearer test table.csv height weight",
    "shearer test table.csv a b c",
    "shearer test table.csv a b --given age,sex",
    "shearer test table.csv position speed --group position=x,y,z --json -",
)
_TEST = "The test"
_MEASURES = " or ".join(", ".join(dependence_measures()).rsplit(", ", 1))


def independence(
    file: Annotated[str, typer.Argument(metavar="FILE", help=f"{FORMATS}; - is the standard input.")],
    variables: Annotated[list[str], typer.Argument(metavar="COL", help="Two or more columns or groups.")],
    given: Annotated[
        str | None,
        typer.Option(metavar="COL,COL,...", help="Test independence once these are known.", rich_help_panel=_TEST),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Rows with the same value may depend on each other.", rich_help_panel=_TEST),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="auto, aggregated, moments, permutation or thorough; with --given auto or permutation.",
            rich_help_panel=_TEST,
        ),
    ] = "auto",
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Permute rows and compare this: {_MEASURES}.",
            rich_help_panel=_TEST,
        ),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(metavar="ORDER", help="Order of that measure.", rich_help_panel=_TEST)
    ] = None,
    level: Annotated[
        float,
        typer.Option(
            metavar="P", min=0, max=1, help="p-values up to this are called dependence.", rich_help_panel=_TEST
        ),
    ] = 0.05,
    resamples: Annotated[
        int, typer.Option(metavar="N", min=1, help="Permutations, where any are drawn.", rich_help_panel=WORK)
    ] = 999,
    group: Groups = None,
    kind: Kinds = None,
    separator: Separator = None,
    encoding: Encoding = None,
    no_header: NoHeader = False,
    skip_rows: SkipRows = None,
    sheet: Sheet = None,
    memory: Memory = None,
    seed: Seed = 0,
    json: Json = None,
    quiet: Quiet = False,
) -> None:
    """Test two or more columns for independence; of three, also for what no model of pairs explains."""
    groups, kinds, conditions = parse_groups(group) or {}, parse_kinds(kind), split_names(given or "")
    check_outputs({"--json": json}, [file])
    if len(variables) < 2:
        raise typer.BadParameter("two or more columns are needed", param_hint="COL")

    from shearer.inference import independence_test
    from shearer.report.exports import to_json
    from shearer.report.verdict import VerdictView, interaction_of, strength_of, verdict_document

    if measure is not None:
        check_option("--measure", measure, dependence_measures())
    loaded = Reading(separator, encoding, no_header, sheet, skip_rows, memory).read([file])
    names = [*dict.fromkeys(variables), *conditions]
    members = {name: groups.get(name, [name]) for name in names}
    for name, parts in members.items():
        check_names("--group" if name in groups else "columns", parts, loaded.frame.columns)
    used = list(dict.fromkeys(part for parts in members.values() for part in parts))
    if cluster is not None:
        check_names("--cluster", [cluster], loaded.frame.columns)
        if cluster in used or conditions:
            raise typer.BadParameter("a column of its own, without --given", param_hint="--cluster")
    grouped = {name: parts for name, parts in groups.items() if name in members}
    notes = loaded.notes_on(used)
    with noted(notes, quiet=quiet):
        everything = with_kinds(loaded.frame, kinds)
        frame, total = everything[used], len(everything)
        labels = None
        if cluster is not None:
            complete = everything[[*used, cluster]].drop_nulls().drop_nans()
            frame, labels = complete[used], complete[cluster].cast(str).to_list()
        result = independence_test(
            frame, given=conditions or None, method=method, measure=measure, alpha=alpha, groups=grouped or None,
            missing="drop" if labels is None else "error", cluster=labels, n_resamples=resamples, rng=seed,
            memory=memory,
        )  # fmt: skip
        interaction = None if conditions or cluster else interaction_of(frame, grouped, memory=memory)
        strength = strength_of(frame, grouped, given=conditions, memory=memory)
    document = verdict_document(
        result, interaction, strength, source=loaded.source, given=conditions, total=total, level=level
    )
    if not quiet:
        for note in notes:
            say(f"note: {note}")
        if json != STDOUT:
            _print(VerdictView(document))
    if json is not None:
        deliver("--json", json, to_json(document) + "\n", quiet=quiet)


def _print(view: object) -> None:
    from rich.console import Console

    Console(highlight=False).print(view)
