"""Tables of the network experiments, from their committed results: title, header, rows."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

EXPERIMENTS = Path(__file__).parent.parent / "experiments"
Table: TypeAlias = tuple[str, list[str], list[list[str]]]
Figures: TypeAlias = dict[str, list[dict[str, float]]]

DEMO = "I*, alpha 1.01, authors-demo"
# What stands beside the paper's Table 2: name in the results -> name on the page.
BESIDE_THE_PAPER = {
    "Pearson, signed": "Pearson, signed",
    "Pearson": "Pearson, absolute",
    "MI bin (5)": "MI bin, 5 bins",
    "MI bin (10)": "MI bin, 10 bins",
    "MI KSG (3)": "MI KSG, k = 3",
    "MI KSG (10)": "MI KSG, k = 10",
    "MIC": "MIC",
    **{f"{DEMO}, {norm}": f"I* of the demo's settings, I/{norm}" for norm in ("max", "min", "joint", "mean", "sqrt")},
    "I*, alpha 1.01, authors-silverman, max": "I*, α = 1.01, the authors' Silverman width",
    "I*, alpha 1.01, median, max": "I*, α = 1.01, median width",
    "I*, alpha 2, median, max": "I*, α = 2, median width",
    "I adjusted, median": "I adjusted, median width",
    "-log p, median": "−log p, median width",
    "-log p, authors-demo": "−log p, the demo's width",
    "-log p, aggregated": "−log p, aggregated test",
    "I*, alpha 2, median, max, CLR": "I*, α = 2, median width, CLR",
    f"{DEMO}, max, CLR": "I* of the demo's settings, CLR",
}
# Of the study of rivals, for which a preset is a way of weighing.
RIVALS = {
    "information above 0.15": '``preset="general"``',
    "information above 0.15, clr-rank": '``preset="expression"``',
    "preset paper": '``preset="paper"``',
    "MRNET, Spearman": "MRNET, Spearman",
    "graphical lasso": "graphical lasso",
    "GENIE3": "GENIE3",
}
LARGE = {
    "Pearson": "Pearson, absolute",
    "Pearson, CLR": "Pearson, absolute, CLR",
    "Spearman": "Spearman, absolute",
    "normal scores, Pearson": "Pearson of normal scores",
    "MI bin (5)": "MI bin, 5 bins",
    "MI KSG (10)": "MI KSG, k = 10",
    "MIC": "MIC",
    "dCor": "dCor",
    "HSIC": "HSIC",
    "RDC": "RDC",
    f"{DEMO}, max": "I* of the demo's settings",
    "I*, alpha 1.01, median, max": "I*, α = 1.01, median width",
    "I*, alpha 1.01, 2 median, max": "I*, α = 1.01, 2 × median width",
    "I*, alpha 2, median, max": "I*, α = 2, median width",
    "I*, alpha 2, median, max, CLR": "I*, α = 2, median width, CLR",
    "I adjusted, median": "I adjusted, median width",
    "-log p, median": "−log p, median width",
    "-log p, aggregated": "−log p, aggregated test",
    "-log p, 3 median": "−log p, 3 × median width",
    "normal scores, I*, alpha 1.01, 2 median, max": "normal scores, I*, α = 1.01, 2 × median width",
    "normal scores, I*, alpha 1.01, 2 median, max, CLR": "normal scores, I*, α = 1.01, 2 × median width, CLR",
    "normal scores, I*, alpha 2, 3 median, max": "normal scores, I*, α = 2, 3 × median width",
    "normal scores, -log p, 3 median": "normal scores, −log p, 3 × median width",
    "normal scores, -log p, 3 median, CLR": "normal scores, −log p, 3 × median width, CLR",
}
SACHS = {
    "Pearson": "Pearson, absolute",
    "Spearman": "Spearman, absolute",
    "MI KSG (10)": "MI KSG, k = 10",
    "MIC": "MIC",
    f"{DEMO}, max": "I* of the demo's settings",
    "I*, alpha 1.01, median, max": "I*, α = 1.01, median width",
    "I*, alpha 2, median, max": "I*, α = 2, median width",
    "I*, alpha 2, 3 median, max": "I*, α = 2, 3 × median width",
    "I*, alpha 2, median, max, CLR": "I*, α = 2, median width, CLR",
    "-log p, median": "−log p, median width",
}


def results(name: str) -> dict[str, Any]:
    return json.loads((EXPERIMENTS / "results" / f"{name}.json").read_text(encoding="utf-8"))


def figures(size: int) -> Figures:
    """Method -> area and precision on each network of a size."""
    found: dict[str, dict[int, dict[str, float]]] = {}
    for case, methods in results("dream4").items():
        own, network, _ = case.split("/")
        if int(own) == size:
            for name, values in methods.items():
                found.setdefault(name, {})[int(network)] = values
    return {name: [values[network] for network in sorted(values)] for name, values in found.items()}


def rivals(size: int) -> dict[str, list[dict[str, float]]]:
    """The presets and other people's methods on each network of a size."""
    found: dict[str, list[dict[str, float]]] = {}
    for case, methods in sorted(results("network_rivals").items()):
        if case.startswith(f"{size}-"):
            for name in RIVALS.keys() & methods.keys():
                found.setdefault(RIVALS[name], []).append(methods[name])
    return {shown: found[shown] for shown in RIVALS.values() if shown in found}


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def areas(values: list[dict[str, float]], measure: str = "auc") -> list[float]:
    return [value[measure] for value in values]


def published() -> list[list[str]]:
    """The rows of the paper's Table 2, with their means."""
    lines = (EXPERIMENTS / "published_table2.csv").read_text(encoding="utf-8").splitlines()
    series: dict[str, list[float]] = {}
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        series.setdefault(row["series"], []).append(float(row["y"]))
    return [
        [f"*paper:* {escape(name)}", *(f"{y:.2f}" for y in values), f"{mean(values):.3f}"]
        for name, values in series.items()
    ]


def dream4_10() -> Table:
    found = figures(10)
    ours = [
        [escape(shown), *(f"{area:.2f}" for area in areas(found[name])), f"{mean(areas(found[name])):.3f}"]
        for name, shown in BESIDE_THE_PAPER.items()
        if name in found
    ]
    others = [
        [shown, *(f"{area:.2f}" for area in areas(values)), f"{mean(areas(values)):.3f}"]
        for shown, values in rivals(10).items()
    ]
    header = ["method", *(f"{k}" for k in range(1, 6)), "mean"]
    title = "Area under the ROC curve, DREAM4 networks of 10 genes (45 pairs, 136 rows)"
    return title, header, published() + ours + others


def dream4_100() -> Table:
    found = figures(100)
    measured = {escape(shown): found[name] for name, shown in LARGE.items() if name in found} | rivals(100)
    rows = [
        [shown, *(f"{area:.3f}" for area in areas(values))]
        + [f"{mean(areas(values, measure)):.3f}" for measure in ("auc", "aupr")]
        for shown, values in measured.items()
    ]
    header = ["method", *(f"AUC {k}" for k in range(1, 4)), "mean AUC", "mean AUPR"]
    return "DREAM4 networks of 100 genes (4950 pairs, 100 rows)", header, rows


def dream4_choice() -> Table:
    """What leaving one network out chooses, and what that is worth there."""
    found = results("dream4_choice")
    rows = []
    for name, values in found["fixed"].items():
        rows.append([f"{escape(name)}, no choice", "–", f"{values['auc']:.3f}", f"{values['aupr']:.3f}"])
    for group, by in found["chosen"].items():
        for measure, shown in (("auc", "AUC"), ("aupr", "AUPR")):
            methods = dict.fromkeys(escape(item["method"]) for item in by[measure]["rounds"])
            rows.append(
                [f"{group}, by {shown}", "; ".join(methods), f"{by[measure]['auc']:.3f}", f"{by[measure]['aupr']:.3f}"]
            )
    header = ["chosen among", "chosen", "AUC", "AUPR"]
    return "Chosen on two networks of 100 genes, judged on the third", header, rows


def network_choice() -> Table:
    """Ways of ours chosen without each network, and rivals: means by kind of network, and exact tests."""
    found = results("network_choice")
    label = "weights and context"
    rows = []
    for group, shown in (
        ("weights", "ours, chosen among weights"),
        (label, "ours, chosen among weights in context too"),
    ):
        rows.append([shown, *_kinds(found["chosen"][group]["mean"]), "–", "–"])
    for name in ("information above 0.15", "information above 0.15, clr-rank"):
        preset = "expression" if "clr" in name else "general"
        rows.append([f'``preset="{preset}"``, no choice', *_kinds(found["floors"][name]), "–", "–"])
    for name, other in found["others"].items():
        tests = other["against"][label]
        rows.append(
            [escape(NAMES.get(name, name)), *_kinds(other["mean"])]
            + [
                f"{tests[m]['difference']:+.3f} ({tests[m]['better']} of 9, p = {tests[m]['p']:.3f})"
                for m in ("auc", "aupr")
            ]
        )
    header = [
        "method", *(f"{kind}: {m}" for kind in KINDS.values() for m in ("AUC", "AUPR")),
        "our AUC (in context) minus this", "our AUPR (in context) minus this",
    ]  # fmt: skip
    return "Nine known networks: what is chosen without the one that is judged, and rivals", header, rows


KINDS = {"10": "10 genes", "100": "100 genes", "sachs": "proteins"}
NAMES = {
    "I*, alpha 2": "I*, α = 2 (the earlier default)",
    "-log p": "−log p, median width",
    "GENIE3": "GENIE3 (1000 trees; 200 for 100 genes)",
    "graphical lasso": "graphical lasso, penalty by cross-validation",
    "normal scores, graphical lasso": "the same on normal scores",
    "graphical lasso, path": "graphical lasso, penalty at which a link enters",
    "normal scores, graphical lasso, path": "the same on normal scores",
    "normal scores, shrunken partial correlation": "the same on normal scores",
}


def _kinds(means: dict[str, dict[str, float]]) -> list[str]:
    return [f"{means[kind][measure]:.3f}" for kind in KINDS for measure in ("auc", "aupr")]


def network_floors() -> Table:
    """The least share of information that counts, and what is done with the context."""
    found = results("network_choice")["floors"]
    rows = [[name.removeprefix("information above "), *_kinds(means)] for name, means in found.items()]
    header = ["floor, context", *(f"{kind}: {m}" for kind in KINDS.values() for m in ("AUC", "AUPR"))]
    return "Shares of information below those of a correlation count as none", header, rows


def network_tolerances() -> Table:
    """What is chosen without each network where the highest floor within a tolerance of the best is taken."""
    found = results("network_choice")["tolerances"]
    rows = [
        [tolerance, group, *_kinds(means)] for tolerance, groups in found.items() for group, means in groups.items()
    ]
    header = ["tolerance", "chosen among", *(f"{kind}: {m}" for kind in KINDS.values() for m in ("AUC", "AUPR"))]
    return "The highest floor of all that are within a tolerance of the best", header, rows


def network_size() -> Table:
    """Processor seconds and memory of networks of many genes."""
    rows = [
        [case, f"{found['pairs']:,}", f"{found['processor seconds']:.0f}", f"{found['peak bytes'] / 2**30:.1f}"]
        for case, found in results("network_size").items()
    ]
    return '500 rows, ``preset="expression"``', ["network", "pairs", "processor seconds", "peak memory, GiB"], rows


def sachs_visible() -> Table:
    """How the pairs of proteins are ranked that show dependence, and those that do not."""
    found = results("network_choice")["proteins"]
    rows = [
        [label, f"{part['pairs']}", f"{part['links']}", *(f"{part[way]:.3f}" for way in ("information", "correlation"))]
        for label, part in found.items()
    ]
    header = ["pairs", "how many", "links", "AUC of information", "AUC of correlation of normal scores"]
    return "Proteins: pairs above and below a share of information of a correlation of 0.15", header, rows


def network_widths() -> Table:
    """Every width against the areas of both sizes."""
    sizes = {size: figures(size) for size in (10, 100)}
    kinds = {"I*, α = 1.01": "I*, alpha 1.01, {}, max", "I*, α = 2": "I*, alpha 2, {}, max", "−log p": "-log p, {}"}
    rules = [name.split(", ")[2] for name in sizes[10] if name.startswith("I*, alpha 2, ") and "CLR" not in name]
    rows = [
        [
            f"``{rule}``",
            *(f"{mean(areas(found[form.format(rule)])):.3f}" for form in kinds.values() for found in sizes.values()),
        ]
        for rule in rules
    ]
    header = ["width", *(f"{escape(kind)}, {size} genes" for kind in kinds for size in sizes)]
    return "Width of the kernel against the mean area under the ROC curve, DREAM4", header, rows


def sachs() -> Table:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for case, methods in results("sachs").items():
        rows, scale, _ = case.split("/")
        found.setdefault((rows, scale), {}).update(methods)
    settings = [(rows, scale, truth) for rows, scale in found for truth in ("consensus", "cdt")]
    lines = [
        [escape(shown), *(_area(found[rows, scale].get(name), truth) for rows, scale, truth in settings)]
        for name, shown in SACHS.items()
        if any(name in methods for methods in found.values())
    ]
    header = ["method", *(f"{rows}, {scale}, {truth}" for rows, scale, truth in settings)]
    return "Area under the ROC curve, proteins of Sachs et al. (55 pairs)", header, lines


def _area(method: dict[str, dict[str, float]] | None, truth: str) -> str:
    return "–" if method is None else f"{method[truth]['auc']:.3f}"


def escape(text: str) -> str:
    """A star alone starts emphasis."""
    return text.replace("*", "\\*")


TABLES: dict[str, Callable[[], Table]] = {
    "dream4_10": dream4_10,
    "dream4_100": dream4_100,
    "dream4_choice": dream4_choice,
    "network_choice": network_choice,
    "network_floors": network_floors,
    "network_size": network_size,
    "sachs_visible": sachs_visible,
    "network_tolerances": network_tolerances,
    "network_widths": network_widths,
    "sachs": sachs,
}
