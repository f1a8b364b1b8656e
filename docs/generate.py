"""Write the computed parts of the pages: tables in docs/generated and pictures in docs/images.

usage: python docs/generate.py [--check]

With --check nothing is written; the exit code says if a table differs from what is there.
"""

import json
import math
import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import claims_learning
import claims_list
import numpy as np
import pictures_learning
import tables_compare
import tables_conditional
import tables_figures
import tables_first
import tables_house
import tables_intervals
import tables_learning
import tables_measures
import tables_neural
import tables_outlier_choice
import tables_reliability
import tables_reproduction
import tables_scale
import tables_selection
import tables_setterms
import tables_shapes
import tables_strength
import tables_times
import tables_widths
import tables_yardstick
from tables_cli import cli_reference, comparison_rows, schema_rows
from tables_network import TABLES as NETWORK_TABLES
from tables_network import results
from tables_outliers import TABLES as OUTLIER_TABLES

import shearer as sh

DOCS = Path(__file__).parent
PARTS = (
    tables_neural, tables_widths, tables_scale, tables_intervals, tables_house, tables_learning, tables_conditional,
    claims_learning, tables_first, tables_strength, tables_shapes, tables_compare, tables_times, tables_selection,
    tables_yardstick, tables_reliability, tables_outlier_choice, tables_setterms,
)  # fmt: skip
LEMMA = DOCS.parent / "experiments" / "results" / "lemma_one.json"
DELTA = sh.kernels.Delta()
MEASURES: dict[str, Callable[..., Any]] = {
    "T*": sh.total_correlation,
    "D*": sh.dual_total_correlation,
    "I*": sh.mutual_information,
}


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], widths: str = "auto") -> str:
    """A list-table."""
    lines = [f".. list-table:: {title}", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in [header, *rows]:
        lines += [f"   {'* -' if i == 0 else '  -'} {cell}" for i, cell in enumerate(row)]
    return "\n".join(lines) + "\n"


def number(value: float, digits: int = 3) -> str:
    """Fixed digits, a true minus sign, no negative zero."""
    text = f"{value:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.replace("-", "")


def values(*data: Any, **options: Any) -> str:
    """T*, D* and I* of a pair."""
    return ", ".join(f"{name} = {number(measure(*data, **options))}" for name, measure in MEASURES.items())


def lemma(family: str) -> str:
    """The committed search for violations of Lemma 1, one row for each order and number of variables."""
    result = json.loads(LEMMA.read_text(encoding="utf-8"))
    records = [record for record in result["records"] if record["family"] == family]
    rows = []
    for count, alpha in sorted({(record["variables"], record["alpha"]) for record in records}):
        found = {r["bound"]: r for r in records if (r["variables"], r["alpha"]) == (count, alpha)}
        broken = [f"{found[b]['violations']}" for b in "TD"]
        lowest = [found[b]["lowest_after_descent"] for b in "TD"]
        shown = [
            f"−{-low:.2g}" if low < -found[b]["tolerance"] else "none below 0"
            for b, low in zip("TD", lowest, strict=True)
        ]
        rows.append([f"{count}", f"{alpha:g}", broken[0], shown[0], broken[1], shown[1]])
    effort = result["settings"]["effort"][family]
    title = {
        "labels": f"Lemma 1 on {effort['drawn']} random distributions of binary labels"
        f" (seed {result['settings']['seed']})",
        "gaussian": f"Lemma 1 on {effort['drawn']} random samples of {result['settings']['gaussian_rows']} rows under"
        f" Gaussian kernels (seed {result['settings']['seed']})",
    }[family]
    header = ["L", "α", "T violated", "lowest T margin", "D violated", "lowest D margin"]
    return table(title, header, rows)


def independent_samples() -> str:
    """What independent normal pairs score."""
    rows = []
    repeats = 20
    for n in (25, 50, 100, 200, 400, 800):
        rng = np.random.default_rng(n)
        scores: dict[str, list[float]] = {"median": [], "half": [], "silverman": [], "2": []}
        for _ in range(repeats):
            x, y = rng.normal(size=(2, n))
            half = {
                name: sh.kernels.Gaussian(sh.kernels.Gaussian().width(z[:, None]) / 2)
                for name, z in (("x1", x), ("x2", y))
            }
            scores["median"].append(sh.mutual_information(x, y))
            scores["half"].append(sh.mutual_information(x, y, kernel=half))
            scores["silverman"].append(sh.mutual_information(x, y, kernel=sh.kernels.Gaussian("silverman")))
            scores["2"].append(sh.mutual_information(x, y, alpha=2))
        rows.append([f"{n}", *(number(float(np.mean(found))) for found in scores.values())])
    header = ["n", "median width", "half of it", "Silverman", "median width, α = 2"]
    return table(f"Mean I* of two independent normal variables over {repeats} samples, α = 1 unless said", header, rows)


def postulates() -> str:
    """Rényi's seven postulates for a measure of dependence of a pair, against T*, D* and I*."""
    rng = np.random.default_rng(1959)
    x, noise = rng.normal(size=(2, 300))
    y = 0.8 * x + 0.6 * noise
    labels = list("abcd") * 5
    halves = [label in "ab" for label in labels]
    skewed = [np.repeat(cell, [1, 5, 5, 7]) for cell in ([0, 0, 1, 1], [0, 1, 0, 1])]
    turned = max(abs(measure(x, y) - measure(y, x)) for measure in MEASURES.values())
    cubed = f"x and y: {values(x, y)}; x³ and y: {values(x**3, y)}"
    moved = max(abs(measure(x, y) - measure(3 - 7 * x, y)) for measure in MEASURES.values())
    renamed = max(
        abs(m(labels, halves) - m([{"a": 4, "b": 3, "c": 9, "d": 1}[k] for k in labels], halves, kernel=DELTA))
        for m in MEASURES.values()
    )
    gaussian = "; ".join(f"ρ = {rho:g}: {values(x, rho * x + (1 - rho**2) ** 0.5 * noise)}" for rho in (0.5, 0.8))
    counter = values([0, 1, 1, 1], [1, 0, 1, 1], kernel=DELTA, alpha=2)
    rows = [
        [
            "1. Defined for any pair of variables, neither constant",
            *["holds"] * 3,
            f"A vector against labels: {values(np.stack([x[:20], y[:20]], axis=1), labels)}."
            f" A constant against labels: {values(np.ones(20), labels)}",
        ],
        ["2. Symmetric", *["holds"] * 3, f"Largest difference between (x, y) and (y, x): {number(turned)}"],
        [
            "3. Between 0 and 1",
            *["holds at α = 0 and 1; else only the upper bound"] * 3,
            f"Two binary labels at α = 2: {counter}",
        ],
        [
            "4. Zero if and only if independent",
            *["holds at α = 1 in the population; fails at α = 2, and on samples"] * 3,
            f"Dependent labels, counts 1, 5, 5, 7: {values(*skewed, kernel=DELTA, alpha=2)} at α = 2;"
            f" {values(*skewed, kernel=DELTA)} at α = 1. Independent normal samples, n = 50:"
            f" {values(x[:50], noise[:50])}",
        ],
        [
            "5. One if either is a function of the other",
            "holds for labels, fails for numbers under smooth kernels",
            *["fails; for labels it is 1 if each is a function of the other"] * 2,
            f"Four labels and the half they are in: {values(labels, halves)}. Labels and themselves:"
            f" {values(labels, labels)}. Numbers and themselves: {values(x, x)}",
        ],
        [
            "6. Unchanged by one-to-one maps of each variable",
            *["holds for labels; for numbers only under shift, scale and rotation"] * 3,
            f"Labels renamed: change {number(renamed)}. Numbers to 3 − 7x: change {number(moved)}. {cubed}",
        ],
        ["7. |ρ| if jointly normal", *["fails"] * 3, f"n = 300. {gaussian}"],
    ]
    # a number with a point would start a list, a pair of bars is a substitution
    rows = [[row[0].replace(". ", "\\. ", 1).replace("|", "\\|"), *row[1:]] for row in rows]
    return table("Rényi's postulates (1959)", ["postulate", "T*", "D*", "I*", "computed"], rows, "16 15 15 15 39")


def widths() -> str:
    """Every rule on samples of several shapes, as a multiple of the median distance."""
    rng = np.random.default_rng(0)
    samples = {
        "normal, n = 100": rng.normal(size=(100, 1)),
        "normal, n = 2000": rng.normal(size=(2000, 1)),
        "normal, d = 10, n = 2000": rng.normal(size=(2000, 10)),
        "two clusters, n = 2000": rng.normal(size=(2000, 1)) * 0.05 + rng.integers(0, 2, size=(2000, 1)),
        "Cauchy, n = 2000": rng.standard_cauchy(size=(2000, 1)),
    }
    rules = sh.kernels.bandwidth.RULES
    width = {
        name: [sh.kernels.Gaussian(name).width(x) / sh.kernels.Gaussian("median").width(x) for x in samples.values()]
        for name in rules
    }
    rows = [[f'``"{name}"``', *(f"{value:.3g}" for value in found)] for name, found in width.items()]
    return table("Widths, as multiples of the median distance", ["rule", *samples], rows)


def atoms() -> tuple[dict[tuple[int, ...], int], Callable[[dict[tuple[int, ...], int]], sh.Dependence]]:
    """How many independent bits each set of three variables shares, and the variables made of such bits."""

    def variables(sizes: dict[tuple[int, ...], int]) -> sh.Dependence:
        owners = [owner for owner, size in sizes.items() for _ in range(size)]
        rows = np.arange(2 ** len(owners))
        columns = {}
        for i in range(3):
            held = [bit for bit, owner in enumerate(owners) if i in owner]
            columns[f"y{i + 1}"] = np.char.add(
                "v", np.sum([(rows >> bit & 1) << bit for bit in held] or [0 * rows], axis=0).astype(str)
            )
        return sh.Dependence(columns)

    sizes = {(0,): 2, (1,): 1, (2,): 3, (0, 1): 1, (0, 2): 2, (1, 2): 1, (0, 1, 2): 1}
    return sizes, variables


def shared_by_exactly(noun: sh.Dependence, owner: tuple[int, ...]) -> float:
    """Bits in one region of the diagram, by inclusion and exclusion of joint entropies."""
    inside, outside = [noun.names[i] for i in owner], [name for i, name in enumerate(noun.names) if i not in owner]
    total = 0.0
    for size in range(len(inside) + 1):
        for chosen in combinations(inside, size):
            joint = [*outside, *chosen]
            total -= (-1) ** size * (noun.entropy(*joint).value if joint else 0.0)
    return total


def venn(path: Path) -> None:
    """T and D of three variables as areas: each region with its bits and how often the measure counts it."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams |= {"svg.hashsalt": "shearer", "font.size": 10.5, "font.family": "DejaVu Sans"}
    import matplotlib.pyplot as plt

    sizes, variables = atoms()
    noun = variables(sizes)
    regions = {owner: shared_by_exactly(noun, owner) for owner in sizes}
    centers = 0.62 * np.array([[np.cos(a), np.sin(a)] for a in np.deg2rad([150, 30, 270])])
    grid = np.stack(np.meshgrid(*[np.linspace(-1.8, 1.8, 721)] * 2), axis=-1)
    within = np.linalg.norm(grid[..., None, :] - centers, axis=-1) < 1
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.9))
    for axis, letter, name in zip(axes, "TD", ("total_correlation", "dual_total_correlation"), strict=True):
        total = 0.0
        for owner, size in sorted(regions.items(), key=lambda region: len(region[0])):
            # one bit, shared by these variables alone: what the measure makes of it
            times = getattr(variables({owner: 1}), name)(normalize=False).value
            total += times * size
            face = {0: "#F2F2F2", 1: "#9CCBEB", 2: "#0072B2"}[round(times)]
            axis.add_patch(plt.Polygon(_outline(centers, owner), facecolor=face, edgecolor="none", zorder=len(owner)))
            mine = np.all(within == [i in owner for i in range(3)], axis=-1)
            spot = grid[mine].mean(axis=0) * {1: 1.12, 2: 1.08, 3: 1.0}[len(owner)]
            plural = "bit" if round(size) == 1 else "bits"
            text = f"{size:.0f} {plural}\n× {times:.0f}"
            axis.text(*spot, text, ha="center", va="center", color="white" if round(times) > 1 else "black", zorder=9)
        exact = getattr(noun, name)(normalize=False).value
        if abs(total - exact) > 1e-9:
            raise ArithmeticError(f"regions add up to {total}, {name} is {exact}")
        for i, center in enumerate(centers):
            axis.add_patch(plt.Circle(center, 1.0, facecolor="none", edgecolor="black", linewidth=1.2, zorder=8))
            axis.text(*(center * 2.95), f"y{i + 1}", ha="center", va="center", fontsize=13, fontweight="bold")
        rule = "what m variables share, m − 1 times" if letter == "T" else "what variables share, once"
        axis.set_title(f"{letter} = {exact:.0f} bits: {rule}", fontsize=12)
        axis.set(xlim=(-2.0, 2.0), ylim=(-2.0, 1.45), aspect="equal")
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def _outline(centers: Any, owner: tuple[int, ...]) -> Any:
    """The convex outline of the intersection of unit circles."""
    angles = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    circles = centers[list(owner), None, :] + np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    points = circles.reshape(-1, 2)
    distance = np.linalg.norm(points[:, None, :] - centers[list(owner)], axis=-1)
    points = points[np.all(distance < 1 + 1e-9, axis=1)]
    around = points - points.mean(axis=0)
    return points[np.argsort(np.arctan2(around[:, 1], around[:, 0]))]


def benchmarks() -> str:
    """Every committed benchmark case, with the figure, its reference and whether the target holds."""
    rows = []
    for path in sorted((DOCS.parent / "benchmarks" / "results").glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            unit = f" {case['unit']}" if case["unit"] else ""
            figures = [f"{case[side]:.3g}{unit}" for side in ("ours", "reference")]
            verdict = "yes" if case["holds"] else "**no**"
            name = case["name"].replace("*", "\\*")
            rows.append([name, *figures, f"{case['ratio']:.3g}", case["target"], verdict, case["note"] or "–"])
    header = ["case", "ours", "reference", "ratio", "target", "holds", "note"]
    return table("Benchmarks", header, rows)


def level() -> str:
    """The committed study of null designs."""
    found = results("level")
    rows = []
    for name, study in found.items():
        rates = [f"{100 * study['rates'][str(at)]:.{digits}f} %" for at, digits in ((0.05, 1), (0.01, 1), (0.001, 2))]
        rows.append([name, str(study["trials"]), *rates])
    return table("Rejections of independent variables", ["design", "trials", "at 5 %", "at 1 %", "at 0.1 %"], rows)


def power() -> str:
    """The committed study of alternatives, with the mean of each method."""
    found: dict[str, dict[str, Any]] = {}
    for case, study in results("power").items():
        name, method = case.rsplit(": ", 1)
        found.setdefault(name, {})[method] = study
    methods = list(dict.fromkeys(method for studies in found.values() for method in studies))
    methods.sort(key=lambda method: method != "shearer")
    # Where a method was not run it is not compared.
    complete = {name: studies for name, studies in found.items() if len(studies) == len(methods)}
    rows = []
    for name, studies in complete.items():
        best = max(study["power"] for study in studies.values())
        powers = [studies[method]["power"] for method in methods]
        rows.append([name, *(f"**{own:.2f}**" if own == best else f"{own:.2f}" for own in powers)])
    powers = np.array([[studies[method]["power"] for method in methods] for studies in complete.values()])
    rows.append(["mean", *(f"{mean:.2f}" for mean in powers.mean(axis=0))])
    rows.append(["regret", *(f"{own:.3f}" for own in (powers.max(axis=1, keepdims=True) - powers).mean(axis=0))])
    trials = [sorted({studies[method]["trials"] for studies in complete.values()}) for method in methods]
    rows.append(["trials", *(" or ".join(str(count) for count in counts) for counts in trials)])
    return table("Rejections of dependent variables", ["alternative", *(m.replace("*", "\\*") for m in methods)], rows)


def interaction() -> str:
    """The committed study of the interaction test."""
    found = results("interaction")
    rows = [
        [name, "yes" if study["interaction"] else "no", str(study["rows"]), f"{100 * study['rate']:.1f} %"]
        for name, study in found.items()
    ]
    header = ["design", "none independent of the others", "rows", "rejected"]
    return table("Rejections by the test of splits at 5 %", header, rows)


def rate(study: dict[str, Any], share: float) -> str:
    """A share of trials with its binomial error."""
    error = math.sqrt(max(share * (1 - share), 1 / study["trials"]) / study["trials"])
    return f"{100 * share:.1f} ± {100 * error:.1f} %"


def threeway() -> str:
    """The committed study of three-way terms."""
    rows = []
    for name, study in results("threeway").items():
        if not name.startswith("scan"):
            design, law = name.rsplit(", n=", 1)[0].replace("^2", "²"), "yes" if study["pairwise"] else "no"
            shares = [rate(study, study["rates"][level]) for level in ("0.05", "0.01")]
            rows.append([design, law, f"{study['rows']:,}", str(study["trials"]), *shares, f"{study['added']:.3f}"])
    header = ["design", "model of pairs", "rows", "trials", "rejected at 5 %", "at 1 %", "added, bits"]
    return table("Rejections by the three-way test; effects fall as the root of the rows", header, rows)


def threeway_scans() -> str:
    """The committed study of scans without, and with, a triple worth reporting."""
    rows = []
    for name, study in results("threeway").items():
        if name.startswith("scan"):
            found = "–" if study["found"] is None else rate(study, study["found"])
            shares = [rate(study, study["rate"]), f"{study['within_rate']:.1f}", found]
            rows.append([name.removeprefix("scan, "), str(study["rows"]), str(study["trials"]), *shares])
    header = [
        "10 columns, sums with",
        "rows",
        "tables",
        "tables with a report",
        "triples within the rate",
        "product found",
    ]
    return table("Scans that report a triple", header, rows)


def scan_demo() -> str:
    """The committed studies of scans: what is found over seeds, and what kills do to the result."""
    found, killed = results("scan_demo"), results("resume")
    demo, noise, kills = found["demo"], found["pair and noise"], killed["kill -9"]
    rows = [
        [
            "demonstration table: exclusive or reported as synergistic",
            str(demo["seeds"]),
            percent(demo["xor_synergistic"]),
        ],
        ["the same: planted pairs found", str(demo["seeds"]), percent(demo["pairs_found"])],
        [
            "the same: mean share of what is reported that was not planted",
            str(demo["seeds"]),
            percent(demo["false_share"]),
        ],
        ["the same, first 20 seeds", "20", percent(demo["false_share_of_first_20"])],
        ["a dependent pair beside noise called synergistic", str(noise["seeds"]), percent(noise["synergistic"])],
        [
            "killed at a random moment and gone on with: same result to the last bit",
            str(kills["kills"]),
            percent(kills["same"]),
        ],
    ]
    return table("Scans at a false discovery rate of 5 %", ["what", "runs", "share"], rows)


def lagged_scans() -> str:
    """Level and power over lags."""
    found = results("lags")
    keys = ("rejected", "untested", "right_lag")
    rows = [
        [study["series"], study["method"], str(study["trials"])]
        + ["–" if study[key] is None else percent(study[key]) for key in keys]
        for study in sorted(found.values(), key=lambda study: study["series"])
    ]
    title = f"Two series of {next(iter(found.values()))['rows']} rows, lags 0 to 3 both ways, 5 % level"
    return table(title, ["series", "test", "samples", "called dependent", "not tested", "at the right lag"], rows)


def thorough() -> str:
    """The default test beside the thorough one."""
    rows = [
        [name, str(study["rows"]), str(study["trials"])]
        + [rate(study, study[method]["0.05"]) for method in ("default", "thorough")]
        + [rate(study, study[method]["0.01"]) for method in ("default", "thorough")]
        for name, study in results("thorough").items()
    ]
    header = ["design", "rows", "samples", "5 %: default", "thorough", "1 %: default", "thorough"]
    return table('Rejections by the default test and by method="thorough"', header, rows)


def ordinary_tables() -> str:
    """What is said of tables of independent rows, and of some that have what should be said."""
    found = results("ordinary_tables")
    said = ("left out", "same", "determines", "computed", "time", "panel", "units", "order", "repeated")
    rows = [
        [name, *(percent(sum(study.get(kind, 0.0) for kind in kinds)) for kinds in (said[:4], said[4:]))]
        for name, study in found.items()
    ]
    title = f"What a scan says before it tests anything, {next(iter(found.values()))['trials']:,} tables each"
    return table(title, ["tables", "columns are trivial", "rows depend on each other"], rows)


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


FRAGMENTS: dict[str, Callable[[], str]] = {
    "lemma_labels": lambda: lemma("labels"),
    "lemma_gaussian": lambda: lemma("gaussian"),
    "independent": independent_samples,
    "postulates": postulates,
    "widths": widths,
    "benchmarks": benchmarks,
    "level": level,
    "power": power,
    "interaction": interaction,
    "threeway": threeway,
    "threeway_scans": threeway_scans,
    "scan_demo": scan_demo,
    "lags": lagged_scans,
    "thorough": thorough,
    "ordinary_tables": ordinary_tables,
    "cli": cli_reference,
    "measures": lambda: tables_measures.reference(table),
    "compare_schema": lambda: table("Fields", ["field", "type", "meaning"], comparison_rows(), "34 22 44"),
    "scan_schema": lambda: table("Fields", ["field", "type", "meaning"], schema_rows(), "34 22 44"),
    "claims": lambda: table(*claims_list.claims(), "42 14 44"),
    "reproduction": lambda: table(*tables_reproduction.reproduction(), "9 17 14 19 23 18"),
    "reproduction_settings": tables_reproduction.settings,
    "figure1_points": lambda: tables_figures.figure1_points(table),
    "figure1_distances": lambda: tables_figures.figure1_distances(table),
    "figure2_distances": lambda: tables_figures.figure2_distances(table),
    **{
        name: lambda make=make: table(*make())
        for tables in (NETWORK_TABLES, OUTLIER_TABLES, *(part.TABLES for part in PARTS))
        for name, make in tables.items()
    },
}


def main() -> int:
    """Write, or compare."""
    check = "--check" in sys.argv[1:]
    stale = []
    for name, make in FRAGMENTS.items():
        path = DOCS / "generated" / f"{name}.rst"
        text = f".. Written by docs/generate.py.\n\n{make()}"
        if check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            stale.append(path.name)
        elif not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if not check:
        venn(DOCS / "images" / "venn.svg")
        tables_figures.draw(DOCS / "images")
        tables_neural.draw(DOCS / "images")
        pictures_learning.draw(DOCS / "images")
        tables_strength.draw(DOCS / "images")
    for name in stale:
        print(f"docs/generated/{name} is not what docs/generate.py writes", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
