"""The table that the default width is decided by: every rule against tests, networks and outliers."""

from collections.abc import Callable
from statistics import fmean

from scipy.stats import wilcoxon
from tables_network import Table, areas, figures, mean, results

# What a rule is called in the study of outliers, where that is not its name.
OTHER_NAMES = {"knn": "5 neighbors", "entropy": "entropy 0.4"}
LADDER = "ladder"


def width_rules() -> Table:
    """Rules, the best of each column bold."""
    tests, networks = _on_common_alternatives(results("width_power")), {size: figures(size) for size in (10, 100)}
    outliers = _outliers()
    rows: dict[str, list[float | None]] = {}
    for rule, found in tests.items():
        links = [_link_area(networks[size], rule) for size in networks]
        powers = list(found["power"].values())
        rows[rule] = [fmean(powers), min(powers), *links, outliers.get(OTHER_NAMES.get(rule, rule))]
    singles = [row for rule, row in rows.items() if rule != LADDER]
    best = [max(value for value in column if value is not None) for column in zip(*singles, strict=True)]
    shown = [
        [_label(rule), *map(_cell, row[:1], best[:1]), _against_median(tests, rule), *map(_cell, row[1:], best[1:])]
        for rule, row in rows.items()
    ]
    header = [
        "width",
        "mean power",
        "p against the median",
        "least power",
        "AUC, networks of 10",
        "AUC, networks of 100",
        "AUC, outliers",
    ]
    trials = next(iter(tests.values()))
    title = f"Every rule of the width: power over {len(trials['power'])} alternatives ({trials['trials']} samples each,"
    return f"{title} 5 % level), links of DREAM4 by I* at α = 2, outliers of ODDS by T*", header, shown


def _on_common_alternatives(tests: dict) -> dict:
    """Every rule on the alternatives that all of them were tried on."""
    common = set.intersection(*(set(found["power"]) for found in tests.values()))
    return {
        rule: found | {"power": {name: power for name, power in found["power"].items() if name in common}}
        for rule, found in tests.items()
    }


def _link_area(found: dict, rule: str) -> float | None:
    name = f"I*, alpha 2, {rule}, max"
    return mean(areas(found[name])) if name in found else None


def _outliers() -> dict[str, float]:
    """Mean area over data sets, numbers of neighbors and both ways with ties, of subspaces by T*."""
    found: dict[str, list[float]] = {}
    for case, values in results("odds_widths").items():
        own = found.setdefault(case.split(": ")[1], [])
        own += [area for ties in values["T*"]["auc"].values() for area in ties["mean"]]
    return {rule: fmean(own) for rule, own in found.items()}


def _against_median(tests: dict, rule: str) -> str:
    """p-value of Wilcoxon's signed-rank test over the alternatives."""
    if rule == "median":
        return "–"
    return f"{wilcoxon(list(tests[rule]['power'].values()), list(tests['median']['power'].values())).pvalue:.2g}"


def _label(rule: str) -> str:
    if rule == LADDER:
        return "several widths (aggregated test)"
    return f"``{rule}``" + " (default)" * (rule == "median")


def _cell(value: float | None, best: float) -> str:
    if value is None:
        return "–"
    return f"**{value:.3f}**" if value == best else f"{value:.3f}"


TABLES: dict[str, Callable[[], Table]] = {"width_rules": width_rules}
