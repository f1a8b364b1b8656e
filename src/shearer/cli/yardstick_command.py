"""`shearer yardstick`: how do tests and measures of dependence do on designs with known answers?"""

from typing import Annotated

import typer

from shearer._validate import check_names
from shearer.cli.options import OUTPUT, WORK, Quiet, Seed
from shearer.cli.outputs import check_outputs, deliver

EXAMPLES = (
    "shearer yardstick --list",
    "shearer yardstick result.json --quick --report page.html",
    "shearer yardstick mine.json --quick --method my_test.py:pvalue --method dCor --suite independence",
    "shearer yardstick mine.json --quick --command 'Mine=Rscript mine.R {x} {y}'",
    "shearer yardstick mine.json --merge theirs.json --report page.html --no-run",
)
_METHODS = "Methods and designs"


def yardstick(
    result: Annotated[
        str | None,
        typer.Argument(metavar="[RESULT]", help="JSON file of the result; a run goes on with what it holds."),
    ] = None,
    suite: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Suites to run. Default: all. Can be repeated.", rich_help_panel=_METHODS),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A method by name, or FILE.py:NAME, a function or Method of a file. Default: all that are installed. "
            "Can be repeated.",
            rich_help_panel=_METHODS,
        ),
    ] = None,
    command: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COMMAND",
            help="A program that reads npy files, {x} {y} {z} {given}, and prints a number last. Can be repeated.",
            rich_help_panel=_METHODS,
        ),
    ] = None,
    task: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What functions of files and commands answer: independence, interaction, conditional, change or "
            "strength.",
            rich_help_panel=_METHODS,
        ),
    ] = "independence",
    listed: Annotated[
        bool, typer.Option("--list", help="Print suites, designs and methods, and stop.", rich_help_panel=_METHODS)
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer designs and trials: minutes.", rich_help_panel=WORK)
    ] = False,
    trials: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Trials of a design, at most. Default: 200; quick: 80 and 50.",
            rich_help_panel=WORK,
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Of the processor, for one method on one design. Default: 60; quick: 1.5.",
            rich_help_panel=WORK,
        ),
    ] = None,
    patience: Annotated[
        float, typer.Option(metavar="SECONDS", help="A call that takes longer is killed.", rich_help_panel=WORK)
    ] = 60.0,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Processes; -1: all cores.", rich_help_panel=WORK)] = 1,
    seed: Seed = 0,
    report: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write a page that opens offline.", rich_help_panel=OUTPUT)
    ] = None,
    merge: Annotated[
        list[str] | None,
        typer.Option(metavar="RESULT", help="Results of others for the page. Can be repeated.", rich_help_panel=OUTPUT),
    ] = None,
    no_run: Annotated[bool, typer.Option("--no-run", help="Only read what is there.", rich_help_panel=OUTPUT)] = False,
    quiet: Quiet = False,
) -> None:
    """Judge tests and measures of dependence on designs with known answers: level, power, regret, seconds."""
    from dataclasses import replace

    from shearer.yardstick import METHODS, QUICK, SUITES, TASKS, Command, Effort, Method, load_method, run
    from shearer.yardstick.pictured import render
    from shearer.yardstick.stored import read_document
    from shearer.yardstick.told import listing_of, told

    if listed:
        typer.echo(listing_of(SUITES, METHODS))
        return
    check_outputs({"--report": report, **({} if no_run else {"RESULT": result})}, merge or [])
    check_names("--suite", suite or [], SUITES)
    check_names("--task", [task], TASKS)
    if result is None and (no_run and not merge):
        raise typer.BadParameter("name a result, or --merge one", param_hint="RESULT")
    documents = [read_document(path) for path in merge or []]
    if no_run:
        documents += [] if result is None else [read_document(result)]
    else:
        effort = QUICK if quick else Effort()
        effort = replace(
            effort,
            nulls=trials or effort.nulls,
            alternatives=trials or effort.alternatives,
            budget=effort.budget if budget is None else budget,
            patience=patience,
        )
        chosen: list[Method | str] = [load_method(name, (task,)) if ".py:" in name else name for name in method or ()]
        for text in command or ():
            name, sign, line = text.partition("=")
            if not sign or not name or not line.strip():
                raise typer.BadParameter(f"{text!r} is not of the form NAME=COMMAND", param_hint="--command")
            chosen.append(Method(name, Command(line), (task,), source=line))
        progress = False if quiet else None
        documents.append(
            run(result, suites=suite, methods=chosen or None, quick=quick, effort=effort, seed=seed, n_jobs=jobs,
                progress=progress)
        )  # fmt: skip
    if not quiet:
        typer.echo(told(documents))
    if report is not None:
        deliver("--report", report, render(*documents), quiet=quiet)
