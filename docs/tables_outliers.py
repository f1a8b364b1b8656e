"""Tables of the outlier experiments, from their committed results: title, header, rows."""

import csv
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from scipy.stats import rankdata, wilcoxon
from tables_network import EXPERIMENTS, Table, escape, results

# Name in the results -> in the paper.
DATA_SETS = {
    "pima": "Diabetes",
    "breastw": "breastW",
    "cardio": "Cardio",
    "musk": "Musk",
    "speech": "Speech",
    "mnist": None,
    "internetads": None,
}
METHODS = {
    "LOF": "LOF, full space",
    "FB": "feature bagging",
    "random": "random subspaces",
    "IDD": "subspaces by IDD",
    "T*": "subspaces by T*",
    "D*": "subspaces by D*",
    "adjusted": "subspaces by adjusted T",
}
# Not all methods were run on the two large tables.
OF_THE_PAPER = ("pima", "breastw", "cardio", "musk")
TIES = {"keep": "ties kept", "spread": "ties spread"}
COMBINATIONS = ("mean", "max", "rank", "breadth_first")


def found() -> dict[tuple[str, str], dict[str, Any]]:
    """What was found for a data set and a method."""
    cases = ((tuple(case.split(": ")), values) for case, values in results("odds").items())
    return {(name, method): values for (name, method), values in cases}


def published() -> dict[tuple[str, str], float]:
    """The paper's area for a data set, by its name there, and a method."""
    lines = (EXPERIMENTS / "published_table4.csv").read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {(row["x"], row["series"]): float(row["y"]) for row in rows}


def odds_paper() -> Table:
    """The paper's table beside ours."""
    ours, theirs = found(), published()
    rows = []
    for name, called in DATA_SETS.items():
        if called is not None:
            values = [theirs.get((called, method)) for method in METHODS]
            rows.append([f"*paper:* {called}", *("–" if value is None else f"{value:.2f}" for value in values)])
        for ties, shown in TIES.items():
            if (name, "LOF") in ours:
                rows.append([f"{name}, {shown}", *(_range(ours.get((name, method)), ties) for method in METHODS)])
        if (name, "LOF") not in ours:
            rows.append([name, *["not there"] * len(METHODS)])
    title = "Area under the ROC curve: mean over five numbers of neighbors, smallest and largest"
    return title, ["data set", *map(escape, METHODS.values())], rows


def odds_neighbors() -> Table:
    """Every number of neighbors."""
    ours = found()
    neighbors = next(iter(ours.values()))["settings"]["neighbors"]
    rows = [
        [f"{name}: {escape(shown)}", *(f"{area:.2f}" for area in ours[name, method]["auc"]["keep"]["mean"])]
        for name in DATA_SETS
        for method, shown in METHODS.items()
        if (name, method) in ours
    ]
    return "Area under the ROC curve, ties kept", ["data set: method", *(f"k = {k}" for k in neighbors)], rows


def odds_ranks() -> Table:
    """Mean area and rank, and exact signed-rank tests against the full space."""
    rows = []
    for ties, shown in TIES.items():
        complete = [method for method in METHODS if all((name, method) in found() for name in OF_THE_PAPER)]
        areas = {method: _areas(method, ties) for method in complete}
        ranks = rankdata([[-area for area in values] for values in areas.values()], axis=0).mean(axis=1)
        for (method, values), rank in zip(areas.items(), ranks, strict=True):
            means = [_mean_area(name, method, ties) - _mean_area(name, "LOF", ties) for name in OF_THE_PAPER]
            differences = [area - full for area, full in zip(values, areas["LOF"], strict=True)]
            figures = [f"{fmean(values):.3f}", f"{rank:.2f}", *_pvalues(differences), _pvalues(means)[0]]
            rows.append([f"{escape(METHODS[method])}, {shown}", *figures])
    header = ["method", "mean area", "mean rank", "p, above LOF, all settings", "p, two-sided", "p, data sets"]
    return f"{len(OF_THE_PAPER)} data sets × five numbers of neighbors; exact Wilcoxon tests against LOF", header, rows


def odds_wilcoxon() -> Table:
    """The paper's own table, tested exactly and as the paper must have done it."""
    theirs, rows = published(), []
    for method in ("FB", "IDD", "T*", "D*"):
        differences = [round(theirs[name, method] - theirs[name, "LOF"], 2) for name in DATA_SETS.values() if name]
        approximate = wilcoxon(differences, alternative="greater", method="asymptotic", correction=False).pvalue
        shown = ", ".join(f"{difference:+.2f}".replace("-", "−") for difference in differences)
        rows.append([escape(METHODS[method]), shown, *_pvalues(differences), f"{approximate:.3g}"])
    header = ["method", "area less that of LOF", "p, exact, one-sided", "p, exact, two-sided", "p, normal, one-sided"]
    return "Wilcoxon tests on the five data sets of the paper's Table 4", header, rows


def odds_combination() -> Table:
    """Ways to combine scores."""
    rows = [
        [f"{escape(METHODS[method])}, {shown}", *(f"{fmean(_areas(method, ties, name)):.3f}" for name in COMBINATIONS)]
        for method in ("FB", "random", "T*", "D*", "adjusted")
        for ties, shown in TIES.items()
    ]
    return "Mean area over data sets and neighbors", ["method", *(f"``{name}``" for name in COMBINATIONS)], rows


def odds_sizes() -> Table:
    """Most columns of a subspace."""
    ours, rows = found(), []
    for method in ("T*", "D*", "adjusted"):
        for ties, shown in TIES.items():
            parts = [("size 2", "2"), (None, "3"), ("size 4", "4")]
            cells = []
            for key, _ in parts:
                cases = [ours[name, method] for name in OF_THE_PAPER]
                own = [case if key is None else case[key] for case in cases]
                cells.append(f"{fmean(area for case in own for area in case['auc'][ties]['mean']):.3f}")
            rows.append([f"{escape(METHODS[method])}, {shown}", *cells])
    return "Mean area over data sets and neighbors, by ``max_size``", ["method", "2", "3 (default)", "4"], rows


def odds_widths() -> Table:
    """Width rules."""
    areas: dict[str, dict[tuple[str, str], list[float]]] = {}
    for case, values in results("odds_widths").items():
        rule = case.split(": ")[1]
        for method in ("T*", "D*", "adjusted"):
            for ties in TIES:
                own = areas.setdefault(rule, {}).setdefault((method, ties), [])
                own += values[method]["auc"][ties]["mean"]
    kinds = [(method, ties) for method in ("T*", "D*", "adjusted") for ties in TIES]
    rows = [
        [f"``{rule}``", *(f"{fmean(own[kind]):.3f}" for kind in kinds), f"{fmean(map(fmean, own.values())):.3f}"]
        for rule, own in areas.items()
    ]
    header = ["width", *(f"{escape(method)}, {TIES[ties]}" for method, ties in kinds), "mean"]
    return "Width of the kernel against the mean area under the ROC curve", header, rows


def odds_cost() -> Table:
    """What the search takes."""
    rows = []
    for (name, method), case in found().items():
        if "search_seconds" in case and method != "IDD":
            size = f"{case['settings']['rows']} × {case['settings']['columns']}"
            figures = f"{case['search_seconds']:.0f} s", f"{case['peak_gib']:.2f} GiB"
            rows.append([f"{name}: {escape(METHODS[method])}", size, *figures])
    header = ["data set: subspaces", "rows × columns", "search", "peak memory"]
    return "Time of the search, on one core among other work, and memory of the whole study", header, rows


def _areas(method: str, ties: str, combination: str = "mean") -> list[float]:
    ours = found()
    return [area for name in OF_THE_PAPER for area in ours[name, method]["auc"][ties][combination]]


def _mean_area(name: str, method: str, ties: str) -> float:
    return fmean(found()[name, method]["auc"][ties]["mean"])


def _range(case: dict[str, Any] | None, ties: str) -> str:
    if case is None:
        return "–"
    areas = case["auc"][ties]["mean"]
    return f"{fmean(areas):.2f} ({min(areas):.2f}–{max(areas):.2f})"


def _pvalues(differences: Sequence[float]) -> list[str]:
    """One- and two-sided, exact; a dash where nothing differs."""
    if not any(differences):
        return ["–", "–"]
    return [
        f"{wilcoxon(differences, alternative=side, method='exact').pvalue:.3g}" for side in ("greater", "two-sided")
    ]


_MAKERS = (odds_paper, odds_neighbors, odds_ranks, odds_wilcoxon, odds_combination, odds_sizes, odds_widths, odds_cost)
TABLES: dict[str, Callable[[], Table]] = {make.__name__: make for make in _MAKERS}
