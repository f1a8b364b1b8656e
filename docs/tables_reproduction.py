"""Every table and figure of the paper: settings, seeds, and what came out, by rules from the results."""

import ast
import re
from math import sqrt
from pathlib import Path
from statistics import fmean

import claims_learning
import tables_figures as figures
import tables_outliers as outliers
from scipy.stats import binomtest
from tables_learning import found as learned
from tables_network import Table, areas, escape, mean
from tables_network import figures as network_figures
from tables_network import published as published_rows

CLOSE = 0.05  # curves on a scale from 0 to 1 that are nearer than this on average are called the same
RIVALS = ("HSIC", "dCor", "KCCA", "QMI_CS")
Row = list[str]


def distance_of(figure: str, curve: str, name: str, start: str) -> tuple[int, float]:
    """Common points of a published curve of rates and ours, and their mean distance."""
    count, apart, _ = figures.distance(figures.published()[figure, curve], figures.rates(name, start, "paper")[curve])
    return count, apart


def closeness(apart: float) -> str:
    """In a word.

    Examples
    --------
    >>> closeness(0.016), closeness(0.13)
    ('same curve', 'other curve')
    """
    return "same curve" if apart <= CLOSE else "other curve"


def figure1(panel: str) -> Row:
    """Is I* at 1.01 the most powerful, and does its curve agree?"""
    name = {"1a": "accepted", "1b": "detected"}[panel]
    count, apart = distance_of(panel, "I*(1.01)", "figure1", f"{panel}-")
    rates = figures.rates("figure1", f"{panel}-", "paper")
    # at angle 0 the variables of 1a are independent
    means = {curve: fmean(y for x, y in rates[curve].items() if x > 0) for curve in ("I*(1.01)", *RIVALS)}
    better = min if panel == "1a" else max
    rival = better(RIVALS, key=lambda curve: means[curve])
    study = next(iter(figures.results_of("figure1", f"{panel}-")))
    ahead = abs(means["I*(1.01)"] - means[rival]) * (1 if better(means, key=lambda c: means[c]) == "I*(1.01)" else -1)
    error = sqrt(sum(means[curve] * (1 - means[curve]) for curve in ("I*(1.01)", rival)) / (study["trials"] * count))
    judged = "confirmed" if ahead > 2 * error else f"not confirmed, no more than {rival} within the error"
    verdict = f"I* has most power: {judged}"
    what = {"1a": "power, decaying dependence", "1b": "power, y = x · noise in five dimensions"}[panel]
    seen = f"share {name}: I* {means['I*(1.01)']:.2f}, best rival ({rival}) {means[rival]:.2f}"
    size = f"{study['trials']} trials a point, {count} points; trial k: seed [1, {'ab'.index(panel[1])}, point, k]"
    return [
        f"Figure {panel}",
        what,
        "figure1",
        size,
        f"{seen}; {apart:.2f} from the published curve",
        f"{verdict}; {closeness(apart)}",
    ]


def figure2(panel: str) -> Row:
    """The curves of T* and D*, at the width that comes nearest."""
    relation = {"2a": "A", "2b": "B"}[panel]
    ours = figures.scores("figure2", f"{relation}-source-")
    cells, verdicts = [], []
    for measure in ("T*", "D*"):
        apart = {
            curve.partition(", ")[2]: figures.distance(figures.published()[panel, measure], points)[1]
            for curve, points in ours.items()
            if curve.startswith(f"{measure}, ")
        }
        width = min(apart, key=lambda rule: apart[rule])
        cells.append(f"{measure}: {apart[width]:.2f} apart ({width})")
        verdicts.append(f"{measure}: {closeness(apart[width])}")
    repeats = next(iter(figures.results_of("figure2", f"{relation}-source-")))["repeats"]
    size = f"{repeats} samples a point; sample k: seed [2, data, variables, k]"
    return [f"Figure {panel}", f"scores on Data {relation}", "figure2", size, "; ".join(cells), "; ".join(verdicts)]


def figure7() -> Row:
    count, apart = distance_of("7", next(iter(figures.rates("figures78", "7-", "paper"))), "figures78", "7-")
    trials = next(iter(figures.results_of("figures78", "7-")))["trials"]
    size = f"{trials} trials a point, {count} points; seeds as in Figure 1a"
    return [
        "Figure 7",
        "I* averaged over 10 groups of 128 rows",
        "figures78",
        size,
        f"{apart:.2f} from the published curve",
        closeness(apart),
    ]


def figure8() -> Row:
    published = figures.published()["8", "T* 10x100 of 1000"]
    apart = {
        curve.partition(", ")[2]: figures.distance(published, points)[1]
        for curve, points in figures.scores("figures78", "8-").items()
    }
    width = min(apart, key=lambda rule: apart[rule])
    repeats = next(iter(figures.results_of("figures78", "8-")))["repeats"]
    size = f"{repeats} samples a point; seeds as in Figure 2b"
    return [
        "Figure 8",
        "T* averaged over 10 groups of 100 rows",
        "figures78",
        size,
        f"{apart[width]:.2f} apart ({width})",
        closeness(apart[width]),
    ]


def table2() -> Row:
    """Does I* rank links best on average?"""
    ours = network_figures(10)
    value = mean(areas(ours["I*, alpha 1.01, authors-demo, max"]))
    rivals = {
        name: mean(areas(ours[name]))
        for name in ("Pearson", "MI bin (5)", "MI bin (10)", "MI KSG (3)", "MI KSG (10)", "MIC")
    }
    best = max(rivals, key=lambda name: rivals[name])
    verdict = "confirmed" if value - rivals[best] > 0.005 else f"not confirmed: {best} is as good"
    theirs = next(row[-1] for row in published_rows() if row[0].endswith("I\\*"))
    seen = f"mean area of I* {value:.3f} (paper {theirs}), best rival {best} {rivals[best]:.3f}"
    return [
        "Table 2",
        "DREAM4 networks of ten genes",
        "dream4",
        "5 networks of 136 rows, no randomness",
        seen,
        f"I* is best: {verdict}",
    ]


def table4() -> Row:
    """Do subspaces by T* beat the full space?"""
    ours = outliers.found()
    gains = [
        fmean(ours[name, "T*"]["auc"]["keep"]["mean"]) - fmean(ours[name, "LOF"]["auc"]["keep"]["mean"])
        for name in outliers.OF_THE_PAPER
    ]
    won = sum(gain > 0 for gain in gains)
    chance = binomtest(won, len(gains), alternative="greater").pvalue
    verdict = "confirmed" if chance < 0.05 else "not confirmed"
    seen = f"T* above LOF on {won} of {len(gains)} data sets, by {fmean(gains):+.2f} on average".replace("-", "−")
    return [
        "Table 4",
        "outliers, local outlier factor",
        "odds",
        "five numbers of neighbors; random baselines: seeds 0 to 9",
        seen,
        f"T* beats LOF: {verdict} (sign test p = {chance:.2f})",
    ]


TRAININGS = {
    "fashion": ("Table 3", "Fashion-MNIST, turned test images", "fashion_shift"),
    "bike": ("Figures 3, 9", "bicycle counts with noise", "bike_noise"),
    "dynamics": ("Figures 4, 5, 10, 11", "feature maps of VGG16 in training", "vgg_dynamics"),
    "mnist": ("Table 5", "bottleneck on MNIST", "bottleneck_mnist"),
    "cifar": ("Table 6", "CIFAR-10 with regularisers, a fifth of the images", "cifar_errors"),
}


def training(part: str) -> Row:
    """How many of the paper's claims about a training hold."""
    item, what, program = TRAININGS[part]
    verdicts = [judged for text, _, judged in claims_learning.judged_claims(part) if "not in the paper" not in text]
    confirmed = sum(judged == claims_learning.CONFIRMED for judged in verdicts)
    unclear = ("open", "not testable", "not run", "chance", f"{claims_learning.CONFIRMED} by itself")
    undecided = sum(judged.startswith(unclear) for judged in verdicts)
    studies = list(learned(program).values())
    seeds = max(study.get("seeds", study.get("seed", 0)) for study in studies)
    epochs = sorted({study["epochs"] for study in studies})
    size = f"up to {seeds} seeds, {', '.join(map(str, epochs))} epochs"
    rest = len(verdicts) - confirmed - undecided
    seen = f"{len(verdicts)} claims: {confirmed} confirmed, {undecided} open or not testable here, {rest} not confirmed"
    return [item, what, program, size, seen, "confirmed" if confirmed == len(verdicts) else "not confirmed as a whole"]


def reproduction() -> Table:
    """One row for each table and figure, in the order of the paper."""
    rows = [
        ["Table 1", "four scenarios of dependence, in words", "–", "–", "no numbers", "nothing to run"],
        figure1("1a"),
        figure1("1b"),
        figure2("2a"),
        figure2("2b"),
        table2(),
        training("fashion"),
        training("bike"),
        table4(),
        training("dynamics"),
        [
            "Figure 6",
            "Venn diagrams of T and D",
            "–",
            "three variables, no randomness",
            "drawn again from computed entropies: :doc:`theory`",
            "illustration",
        ],
        figure7(),
        figure8(),
        training("mnist"),
        training("cifar"),
    ]
    shown = [
        [item, escape(what), f"``{program}``" if program != "–" else "–", size, escape(seen), escape(verdict)]
        for item, what, program, size, seen, verdict in rows
    ]
    header = ["in the paper", "what", "``python -m experiments.``", "run here, seeds", "seen here", "verdict"]
    return "The paper's tables and figures", header, shown


# The programs in the order of the paper, with what they run again.
PROGRAMS = {
    "figure1": "Figure 1",
    "figure2": "Figure 2",
    "dream4": "Table 2",
    "fashion_shift": "Table 3",
    "bike_noise": "Figures 3 and 9",
    "odds": "Table 4",
    "vgg_dynamics": "Figures 4, 5, 10 and 11",
    "figures78": "Figures 7 and 8",
    "bottleneck_mnist": "Table 5",
    "cifar_errors": "Table 6",
}


_WRITES = re.compile(
    r"\s*Writes experiments/\S+ after every \w+(?: \([^)]*\))?, and goes on where it stopped\.".replace(" ", r"\s+")
)


def head(program: str) -> str:
    """What the docstring of a program says, without title, usage and where it writes."""
    path = Path(__file__).parent.parent / "experiments" / f"{program}.py"
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    _, _, body = text.partition("usage: ")[2].partition("\n\n")
    return _WRITES.sub("", body)


def marked_up(text: str) -> str:
    r"""Plain text of a docstring as the pages write it.

    Examples
    --------
    >>> print(marked_up("`scale` of T* and |z|^2"))
    ``scale`` of T\* and \|z\|^2
    """
    parts = re.split(r"`([^`]+)`", text)
    return "".join(f"``{part}``" if k % 2 else escape(part).replace("|", r"\|") for k, part in enumerate(parts))


def settings() -> str:
    """How each experiment was set, as the head of its program says."""
    parts = []
    for program, item in PROGRAMS.items():
        paragraphs = [marked_up(part) for part in re.split(r"\n\s*\n", head(program))]
        parts.append(f"**{item}** (``{program}``). " + "\n\n".join(paragraphs))
    return "\n\n".join(parts) + "\n"
