"""Tables of the study that chose the default outlier scheme, from its committed results: title, header, rows."""

from collections.abc import Callable
from statistics import fmean

from scipy.stats import rankdata, wilcoxon
from tables_network import Table, escape, results
from tables_outliers import DATA_SETS, published

ODDS = ("pima", "breastw", "cardio", "musk", "mnist", "internetads")
OURS, CHOSEN = "relations, default", "relations, chosen on the other tables"
FOREST = "isolation forest"
Areas = dict[str, dict[str, list[float]]]


def areas(part: str) -> Areas:
    """Table -> method or settings -> areas under the ROC and the precision-recall curve."""
    cases = ((case.split(": "), found["areas"]) for case, found in results("outlier_choice").items())
    return {name: own for (name, kind), own in cases if kind == part}


def chosen_for(left_out: str) -> str:
    """The settings with the largest mean of both areas over the other tables; broken relations count as one of them."""
    found = areas("choice")
    broken = [name for name in found if name.startswith("broken")]
    others = [[name] for name in found if name not in broken and name != left_out] + [broken]

    def mean(settings: str) -> float:
        return fmean(fmean(fmean(found[name][settings]) for name in names) for names in others)

    return max(found[left_out], key=mean)


def compared() -> Areas:
    """The six ODDS tables: ours as it is, ours as chosen without the table, and the others."""
    rivals, default, choice = areas("rivals"), areas("default"), areas("choice")
    return {
        name: {OURS: default[name]["default"], CHOSEN: choice[name][chosen_for(name)], **rivals[name]}
        for name in ODDS
        if name in rivals
    }


def mean_ranks(ours: str, place: int) -> dict[str, float]:
    """Mean ranks of ten methods, one of ours and nine others, by the area under the first or the second curve."""
    found = compared()
    methods = [ours, *list(next(iter(found.values())))[2:]]
    ordered = [rankdata([-tables[method][place] for method in methods]) for tables in found.values()]
    return {method: fmean(one[k] for one in ordered) for k, method in enumerate(methods)}


def against_forest(method: str) -> float:
    """The exact p-value of the six differences of a method from the isolation forest, by areas under the ROC curve."""
    differences = [tables[method][0] - tables[FOREST][0] for tables in compared().values()]
    return float(wilcoxon(differences, method="exact").pvalue)


def outlier_rivals() -> Table:
    """Every method on every table, with mean ranks, places and exact tests."""
    found, rows = compared(), []
    methods = list(next(iter(found.values())))
    for method in methods:
        test = "–" if method == FOREST else f"{against_forest(method):.2f}"
        cells = [f"{tables[method][0]:.2f} / {tables[method][1]:.2f}" for tables in found.values()]
        mean = [f"{fmean(tables[method][place] for tables in found.values()):.3f}" for place in (0, 1)]
        ranks = [mean_ranks(OURS if method == OURS else CHOSEN, place) for place in (0, 1)]
        rank = [f"{own[method]:.2f} ({rankdata(list(own.values()), 'min')[list(own).index(method)]})" for own in ranks]
        rows.append([escape(method), *cells, *mean, *rank, test])
    theirs = published()
    for method in ("LOF", "FB", "IDD", "T*", "D*"):
        cells = [theirs.get((str(DATA_SETS[name]), method)) for name in found]
        shown = ["–" if area is None else f"{area:.2f}" for area in cells]
        rows.append([f"*paper's Table 4:* {escape(method)}", *shown, *["–"] * 5])
    header = ["method", *found, "mean ROC", "mean PR", "mean rank, ROC", "mean rank, PR", "p against the forest"]
    title = "Areas under the ROC / precision-recall curve on six ODDS tables; mean ranks, and places, among ten methods"
    return title, header, rows


def outlier_chosen() -> Table:
    """What was chosen without each table."""
    found = areas("choice")
    rows = []
    for name in ODDS:
        if name in found:
            settings = chosen_for(name)
            rows.append([name, settings, *(f"{area:.3f}" for area in found[name][settings])])
    return "Settings that did best on the other tables", ["left out", "settings", "ROC", "PR"], rows


def outlier_broken() -> Table:
    """Rows that break a relation."""
    rivals, default = areas("rivals"), areas("default")
    rows = []
    for name in rivals:
        if name.startswith("broken"):
            own = {OURS: default[name]["default"], **rivals[name]}
            rows.append([name.removeprefix("broken "), *(f"{roc:.2f} / {pr:.2f}" for roc, pr in own.values())])
    methods = [OURS, *next(iter(rivals.values()))]
    title = "Ten of 1000 rows break a relation of two columns among ten of noise: areas under the two curves"
    return title, ["relation", *map(escape, methods)], rows


TABLES: dict[str, Callable[[], Table]] = {
    make.__name__: make for make in (outlier_rivals, outlier_chosen, outlier_broken)
}
