"""The committed study of the strength of pairs as tables, and the picture of what a strength looks like."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent.parent / "experiments" / "results"
MEASURES = (
    "strength", "alignment", "adjusted I, order 2", "adjusted I, order 1", "distance correlation", "xi", "|Spearman|",
)  # fmt: skip
# From which on a forest is said to predict.
PREDICTABLE = 0.05
STRENGTHS = (0.0, 0.1, 0.3, 0.7, 0.95)
ROWS = 200
# Of each relation: how much of it there is in each picture.
SHARES = {
    "line": (0.0, 0.1, 0.3, 0.7, 0.95),
    "curve": (0.0, 0.25, 0.4, 0.85, 1.0),
    "groups": (0.0, 0.15, 0.4, 1.2, 3.6),
    "labels": (0.0, 0.1, 0.3, 0.7, 0.95),
}


def cases(kind: str) -> dict[str, Any]:
    """Those of one part of the study."""
    found = json.loads((RESULTS / "strength.json").read_text(encoding="utf-8"))
    return {name.split(": ", 1)[1]: found[name] for name in found if name.startswith(f"{kind}: ")}


def bias() -> tuple[str, list[str], list[list[str]]]:
    """Independent columns."""
    lines = [
        [name.rsplit(", n=", 1)[0], str(one["rows"]), str(one["pairs"]), f"{one['mean']:.4f} ± {one['error']:.4f}"]
        for name, one in cases("bias").items()
    ]
    return "Mean of the squared strength of independent columns", ["kinds", "rows", "pairs", "mean"], lines


def normal() -> tuple[str, list[str], list[list[str]]]:
    """Bivariate normal laws."""
    lines = [[f"{one['r']:g}", f"{one['strength']:.3f}"] for one in cases("normal").values()]
    return "Two normal variables of 400 rows, mean of 100 samples", ["correlation", "strength"], lines


def coverage() -> tuple[str, list[str], list[list[str]]]:
    """Intervals."""
    lines = [
        [
            one["law"],
            f"{one['strength']:.2f}",
            str(one["rows"]),
            f"{100 * one['coverage']:.0f} %",
            f"{one['width']:.2f}",
        ]
        for one in cases("coverage").values()
    ]
    header = ["distribution", "strength", "rows", "intervals that hold it", "mean width"]
    samples = min(one["samples"] for one in cases("coverage").values())
    return f"Coverage of the 95 % intervals, {samples} samples each", header, lines


def ranking() -> tuple[str, list[str], list[list[str]]]:
    """Agreement with a forest on the tables of the development."""
    return agreement_with_forest({name: one["pairs"] for name, one in cases("table").items()})


def judged() -> tuple[str, list[str], list[list[str]]]:
    """The same on tables that had no part in it."""
    found = json.loads((RESULTS / "strength_judged.json").read_text(encoding="utf-8"))
    return agreement_with_forest({name: one["pairs"] for name, one in found.items()})


def agreement_with_forest(tables: dict[str, list[dict[str, Any]]]) -> tuple[str, list[str], list[list[str]]]:
    """Rank correlations over all pairs, over those that a forest predicts, and the mean over tables."""
    from scipy.stats import spearmanr

    pairs = [pair for some in tables.values() for pair in some]

    def agreement(some: list[dict[str, Any]], measure: str) -> float:
        return float(spearmanr([pair[measure] for pair in some], [pair["predictability"] for pair in some]).statistic)

    predicted = [pair for pair in pairs if pair["predictability"] > PREDICTABLE]
    clear = [pair for pair in pairs if pair["qvalue"] < 1e-4]
    lines = []
    for measure in MEASURES:
        own = np.nanmean([agreement(some, measure) for some in tables.values() if len(some) > 5])
        low = sum(pair[measure] < 0.05 for pair in clear)
        shown = measure.replace("|", "\\|")
        lines.append(
            [shown, *(f"{agreement(some, measure):.3f}" for some in (pairs, predicted)), f"{own:.3f}", f"{low}"]
        )
    title = (
        f"Rank correlation with how well a forest predicts one column from the other out of bag, {len(pairs)} pairs of "
        f"{len(tables)} tables ({', '.join(tables)})"
    )
    header = [
        "measure", "all pairs", f"{len(predicted)} that it predicts", "mean over tables",
        f"of {len(clear)} with q < 1e-4 below 0.05",
    ]  # fmt: skip
    return title, header, lines


def draw(folder: Path) -> None:
    """Write the picture."""
    import matplotlib as mpl

    mpl.use("agg")
    mpl.rcParams |= {"font.size": 8.5, "font.family": "DejaVu Sans"}
    import matplotlib.pyplot as plt

    import shearer as sh

    makers: dict[str, Callable[..., tuple[Any, Any]]] = {
        "line": line,
        "curve": curve,
        "groups": groups,
        "labels": labels,
    }
    figure, axes = plt.subplots(len(makers), len(STRENGTHS), figsize=(9.0, 7.4))
    for row, (name, make) in zip(axes, makers.items(), strict=True):
        for axis, share in zip(row, SHARES[name], strict=True):
            rng = np.random.default_rng(1)
            x, y = make(rng, share)
            strength = float(sh.pairwise({"x": x, "y": y}).strength[0, 1])
            across, up = (_places(values, rng) for values in (x, y))
            axis.plot(across, up, ".", color="#0072B2", markersize=2.5, alpha=0.7)
            axis.set_title(f"{strength:.2f}".replace("-0.00", "0.00"), fontsize=9.5)
            axis.set(xticks=[], yticks=[])
        row[0].set_ylabel(name)
    figure.tight_layout()
    figure.savefig(folder / "strength.png", dpi=80, metadata={"Software": None})
    plt.close(figure)


def line(rng: np.random.Generator, share: float) -> tuple[Any, Any]:
    """Two normal variables of that correlation."""
    x, e = rng.normal(size=(2, ROWS))
    return x, share * x + np.sqrt(1 - share**2) * e


def curve(rng: np.random.Generator, share: float) -> tuple[Any, Any]:
    """A parabola in noise."""
    x, e = rng.uniform(-1.7, 1.7, size=ROWS), rng.normal(size=ROWS)
    return x, share * (x**2 - 1) + np.sqrt(1 - share**2) * e


def groups(rng: np.random.Generator, shift: float) -> tuple[Any, Any]:
    """A number of which three groups have means that lie so far apart."""
    label = rng.integers(0, 3, size=ROWS)
    return np.array(["a", "b", "c"])[label], rng.normal(size=ROWS) + shift * label


def labels(rng: np.random.Generator, share: float) -> tuple[Any, Any]:
    """Two labels that are equal for that share of the rows, and else by chance."""
    label, other = rng.integers(0, 3, size=(2, ROWS))
    return label.astype(str), np.where(rng.uniform(size=ROWS) < share, label, other).astype(str)


def _places(values: Any, rng: np.random.Generator) -> Any:
    if values.dtype.kind == "f":
        return values
    return np.unique(values, return_inverse=True)[1] + rng.uniform(-0.3, 0.3, size=len(values))


TABLES = {
    "strength_bias": bias,
    "strength_normal": normal,
    "strength_coverage": coverage,
    "strength_ranking": ranking,
    "strength_judged": judged,
}
