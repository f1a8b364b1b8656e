"""Figures 1, 2, 7 and 8 of the paper: its published points over ours, and how far apart the curves are."""

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

EXPERIMENTS = Path(__file__).parent.parent / "experiments"
Points: TypeAlias = dict[float, float]
# Names of the measures in the drawings; colours that the colour-blind can tell apart.
COLORS = {
    "I*(1.01)": "#D55E00", "I*(2)": "#E69F00", "I*(5)": "#CC79A7", "HSIC": "#0072B2", "dCor": "#56B4E9",
    "KCCA": "#009E73", "QMI_CS": "#666666", "aggregated": "#000000",
    "T*": "#D55E00", "D*": "#E69F00", "IDD": "#0072B2", "C-KDM": "#009E73", "Spearman": "#666666",
}  # fmt: skip
SIZES = {"1b": [25.0, 50.0, 100.0], "1a": [0.0, 0.25, 0.5, 1.0]}
METHODS = ["I*(1.01)", "I*(2)", "I*(5)", "HSIC", "dCor", "KCCA", "QMI_CS", "QMI_CS (Silverman)", "aggregated"]


def published() -> dict[tuple[str, str], Points]:
    """(figure, curve) -> points of the paper."""
    text = (EXPERIMENTS / "published.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    curves: dict[tuple[str, str], Points] = {}
    for row in csv.DictReader(lines):
        curves.setdefault((row["item"].removeprefix("fig"), row["series"]), {})[float(row["x"])] = float(row["y"])
    return curves


def results_of(name: str, start: str) -> list[dict[str, Any]]:
    """The cases of an experiment whose names start so."""
    found = json.loads((EXPERIMENTS / "results" / f"{name}.json").read_text(encoding="utf-8"))
    return [study for case, study in found.items() if case.startswith(start)]


def measured(name: str, start: str, values: Callable[[dict[str, Any]], dict[str, float]]) -> dict[str, Points]:
    """Curve -> our points, from the cases of an experiment whose names start so."""
    curves: dict[str, Points] = {}
    for study in results_of(name, start):
        for curve, value in values(study).items():
            curves.setdefault(curve, {})[float(study["x"])] = value
    return {curve: dict(sorted(points.items())) for curve, points in curves.items()}


def rates(name: str, start: str, rule: str) -> dict[str, Points]:
    """Rates of decisions by the paper's rule or by ours."""
    return measured(name, start, lambda study: {method: rate[rule] for method, rate in study["rates"].items()})


def scores(name: str, start: str) -> dict[str, Points]:
    """Mean values of measures."""
    return measured(name, start, lambda study: study["scores"])


def distance(theirs: Points, ours: Points) -> tuple[int, float, float]:
    """Number of common points, mean and largest distance."""
    apart = [abs(theirs[x] - ours[x]) for x in theirs if x in ours]
    return len(apart), float(np.mean(apart)), float(np.max(apart))


Row: TypeAlias = list[str]
Table: TypeAlias = Callable[[str, list[str], list[Row]], str]


def _cell(text: str) -> str:
    return text.replace("*", "\\*")


def figure1_points(table: Table) -> str:
    """What the figure shows at a few points: the paper's value and ours by either rule."""
    theirs = published()
    rows = []
    for panel, xs in SIZES.items():
        ours = {rule: rates("figure1", f"{panel}-", rule) for rule in ("paper", "ours")}
        half = rates("figure1", f"{panel}_half-", "paper")
        for x in xs:
            for method in METHODS:
                known = theirs.get((panel, method), {}).get(x)
                values = [ours[rule][method][x] for rule in ("paper", "ours")]
                place = f"1b, N = {x:.0f}" if panel == "1b" else f"1a, θ = {x:g} π/4"
                cells = [known, *values, half.get(method, {}).get(x)]
                rows.append([place, _cell(method), *("–" if cell is None else f"{cell:.2f}" for cell in cells)])
    header = [
        "figure",
        "measure",
        "paper",
        "ours, the paper's rule",
        "ours, our rule",
        "half the width, the paper's rule",
    ]
    return table("Figure 1: detected (1b) and accepted (1a) at some points", header, rows)


def figure1_distances(table: Table) -> str:
    """Every curve of Figures 1 and 7 beside the paper's."""
    theirs = published()
    sources = [("1a", "figure1", "1a-"), ("1b", "figure1", "1b-"), ("7", "figures78", "7-")]
    sources += [("1a", "figure1", "1a_half-"), ("1b", "figure1", "1b_half-")]
    rows = []
    for figure, name, start in sorted(sources):
        for rule, label in (("paper", "the paper's rule"), ("ours", "our rule")):
            setting = f"{label}, half the width" if "half" in start else label
            for curve, points in rates(name, start, rule).items():
                if not theirs.get((figure, curve), {}).keys().isdisjoint(points):
                    rows.append(_distance_row(figure, curve, setting, theirs[figure, curve], points))
    return table("Figures 1 and 7: distance from the published curves", _HEADER, rows)


def figure2_distances(table: Table) -> str:
    """Every curve of Figures 2 and 8 beside the paper's, in both readings of the data and at both widths."""
    theirs = published()
    rows = []
    for figure, relation in (("2a", "A"), ("2b", "B")):
        for reading in ("source", "text"):
            for curve, points in scores("figure2", f"{relation}-{reading}-").items():
                measure, _, width = curve.partition(", ")
                # At two variables the paper draws one I* for both.
                drawn = "T*" if measure == "I*" else measure
                setting = f"data as in the {reading}" + (f", {width}" if width else "")
                rows.append(_distance_row(figure, measure, setting, theirs[figure, drawn], points))
    for curve, points in scores("figures78", "8-").items():
        measure, _, width = curve.partition(", ")
        rows.append(_distance_row("8", measure, f"data as in the source, {width}", theirs["8", measure], points))
    return table("Figures 2 and 8: distance from the published curves", _HEADER, rows)


_HEADER = ["figure", "curve", "setting", "points", "mean distance", "largest distance"]


def _distance_row(figure: str, curve: str, setting: str, theirs: Points, ours: Points) -> Row:
    count, mean, largest = distance(theirs, ours)
    return [figure, _cell(curve), setting, f"{count}", f"{mean:.3f}", f"{largest:.3f}"]


def draw(folder: Path) -> None:
    """The figures: lines and dots are ours, open circles the paper's."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams |= {"svg.hashsalt": "shearer", "font.size": 9.5, "font.family": "DejaVu Sans"}
    import matplotlib.pyplot as plt

    theirs = published()
    figure, axes = plt.subplots(1, 2, figsize=(11.5, 5.0))
    labels = ("θ / (π/4)", "acceptance of independence"), ("rows", "detection of dependence")
    for axis, panel, (x, y) in zip(axes, ("1a", "1b"), labels, strict=True):
        ours = rates("figure1", f"{panel}-", "paper")
        _panel(axis, {m: ours[m] for m in METHODS if m in COLORS}, {m: theirs.get((panel, m), {}) for m in COLORS})
        for name, points in rates("figure1", f"{panel}_half-", "paper").items():
            axis.plot(list(points), list(points.values()), color=COLORS[name], linestyle="--", linewidth=1.2)
        axis.set(xlabel=x, ylabel=y, title=f"Figure {panel}")
    _save(plt, figure, axes, folder / "figure1.svg")

    figure, axes = plt.subplots(2, 2, figsize=(11.5, 9.0), sharey="row")
    for row, reading in zip(axes, ("source", "text"), strict=True):
        for axis, panel, relation in zip(row, ("2a", "2b"), "AB", strict=True):
            ours = scores("figure2", f"{relation}-{reading}-")
            shown = {m: ours.get(m) or ours[f"{m}, median width"] for m in ("T*", "D*", "IDD", "C-KDM", "Spearman")}
            _panel(axis, shown, {m: theirs[panel, m] for m in shown})
            for m in ("T*", "D*"):
                _other_widths(axis, ours, m, COLORS[m])
            axis.set(xlabel="variables − 1", ylabel="score", title=f"Figure {panel}, data as in the {reading}")
            axis.set_ylim(-0.03, 1.05)
    _save(plt, figure, axes.ravel(), folder / "figure2.svg")

    figure, axes = plt.subplots(1, 2, figsize=(11.5, 5.0))
    subsampled = rates("figures78", "7-", "paper")
    whole = rates("figure1", "1a-", "paper")
    _panel(axes[0], {"I*(1.01)": next(iter(subsampled.values())), "HSIC": whole["HSIC"]},
           {"I*(1.01)": theirs["7", next(iter(subsampled))], "HSIC": theirs["1a", "HSIC"]})  # fmt: skip
    axes[0].set(xlabel=labels[0][0], ylabel=labels[0][1], title="Figure 7: I* of 10 groups of 128 rows; HSIC of all")
    eighth = scores("figures78", "8-")
    drawn = theirs["8", "T* 10x100 of 1000"]
    _panel(axes[1], {"T*": eighth["T* 10x100 of 1000, median width"]}, {"T*": drawn})
    _other_widths(axes[1], eighth, "T* 10x100 of 1000", COLORS["T*"])
    axes[1].set(xlabel="variables − 1", ylabel="score", title="Figure 8: T* of 10 groups of 100 rows")
    _save(plt, figure, axes, folder / "figures78.svg")


def _panel(axis: Any, ours: dict[str, Points], theirs: dict[str, Points]) -> None:
    for name, points in ours.items():
        axis.plot(list(points), list(points.values()), color=COLORS[name], marker=".", linewidth=1.4, label=name)
        drawn = theirs.get(name, {})
        axis.plot(list(drawn), list(drawn.values()), "o", color=COLORS[name], markersize=4, fillstyle="none", alpha=0.7)


def _other_widths(axis: Any, curves: dict[str, Points], measure: str, color: str) -> None:
    for width, style in (("authors' Silverman", ":"), ("ten times it", "--")):
        points = curves[f"{measure}, {width}"]
        axis.plot(list(points), list(points.values()), color=color, linestyle=style, linewidth=1.2)


def _save(plt: Any, figure: Any, axes: Iterable[Any], path: Path) -> None:
    axes = list(axes)
    axes[-1].legend(loc="best", frameon=False)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)
