"""Tables and the picture of the experiments with networks, from their committed results."""

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from tables_network import Table, escape, results

# Cases of later seeds.
MORE = ", more"
# Functions of the study of defaults, as its cases and as its tables call them.
FUNCTIONS = {
    "development": "development",
    "judging": "judging (Friedman 1)",
    "Ishigami": "Ishigami",
    "Friedman 2": "Friedman 2",
}
# Curves of the picture, in colours that the colour-blind can tell apart.
DRAWN = {
    "I(x;e), 1.01": ("#D55E00", "-"),
    "I*(x;e), 2": ("#E69F00", "-"),
    "H(e), 1.01": ("#0072B2", "--"),
    "H(e), 1.01, median": ("#56B4E9", ":"),
    "HSIC": ("#009E73", "-"),
    "MSE": ("#000000", ":"),
}


def theorem_one() -> Table:
    """Where each measure is least, and how far that is from where I(x; e) is."""
    found = results("theorem_one")
    rows = []
    for name in next(iter(found.values()))["measures"]:
        cells = []
        for study in found.values():
            minima = study["measures"][name]["minima"]
            of_information = study["measures"]["I(x;e), 1.01"]["minima"]
            gap = fmean(abs(a - b) for a, b in zip(minima, of_information, strict=True))
            cells.append(f"{fmean(minima):.2f} ± {stdev(minima):.2f} ({gap:.2f})")
        rows.append([escape(name), *cells])
    seeds, size = (next(iter(found.values()))[key] for key in ("seeds", "rows"))
    title = f"θ at the minimum, mean ± standard deviation over {seeds} samples of {size} rows; in brackets the mean"
    return f"{title} distance from the minimum of I(x;e) in the same sample. The truth is 1", ["", *found], rows


def noise(how: str) -> Callable[[], Table]:
    """Errors of the fitted functions, the smallest median of each noise bold."""

    def make() -> Table:
        found = {name: study for name, study in results("noise_robustness").items() if name.endswith(how)}
        best = {name: min(loss["error"][1] for loss in study["losses"].values()) for name, study in found.items()}
        rows = []
        for loss in next(iter(found.values()))["losses"]:
            cells = []
            for name, study in found.items():
                low, middle, high = study["losses"][loss]["error"]
                shown = f"{middle:.2f}" if middle > best[name] else f"**{middle:.2f}**"
                cells.append(f"{shown} ({low:.2f}–{high:.2f}), {study['losses'][loss]['best']}")
            rows.append([escape(loss), *cells])
        seeds, size = (next(iter(found.values()))[key] for key in ("seeds", "rows"))
        title = (
            f"Error of the fitted function, {how}: median (quartiles) over {seeds} samples of {size} rows, and in how"
        )
        return f"{title} many of them the loss did best", ["loss", *(name.rsplit(", ", 1)[0] for name in found)], rows

    return make


def seeds_together(found: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Errors of every loss in every case, the first seeds and those that came later."""
    firsts = {name: study for name, study in found.items() if not name.endswith(MORE)}
    more = {name: found.get(f"{name}{MORE}", {"losses": {}})["losses"] for name in firsts}
    return {
        name: {loss: one["errors"] + more[name].get(loss, {"errors": []})["errors"] for loss, one in each.items()}
        for name, each in ((name, study["losses"]) for name, study in firsts.items())
    }


def cases_of(part: str, prefix: str = "") -> dict[str, dict[str, list[float]]]:
    """Errors of every loss in the cases of a part of the study of defaults."""
    return {
        name: losses
        for name, losses in seeds_together(results("robust_defaults")).items()
        if name.endswith(part) and name.startswith("labels, ") == bool(prefix)
    }


def above_the_best(found: dict[str, dict[str, list[float]]]) -> dict[str, dict[str, float]]:
    """How far the median error of each loss is above the smallest, as a part of it: loss -> case -> part."""
    medians = {name: {loss: float(np.median(errors)) for loss, errors in each.items()} for name, each in found.items()}
    return {
        loss: {name: each[loss] / min(each.values()) - 1.0 for name, each in medians.items()}
        for loss in next(iter(medians.values()))
    }


def mean_part(parts: Iterable[float]) -> float:
    """The geometric mean of ratios, given and returned less 1."""
    return float(np.expm1(np.mean(np.log1p(list(parts)))))


def percent(part: float) -> str:
    return f"{part:.0%}".replace("%", " %")


def defaults(part: str, prefix: str = "") -> Callable[[], Table]:
    """Errors of every loss in the cases of a part of the study, the smallest bold, and how far from the best."""

    def make() -> Table:
        found = cases_of(part, prefix)
        rows = []
        for loss, parts in above_the_best(found).items():
            values = {name: float(np.median(each[loss])) for name, each in found.items()}
            cells = [f"{v:.3f}" if parts[name] > 0 else f"**{v:.3f}**" for name, v in values.items()]
            rows.append([escape(loss), *cells, percent(mean_part(parts.values()))])
        counts = [len(next(iter(each.values()))) for each in found.values()]
        rows.append(["seeds", *map(str, counts), "–"])
        what = "Share of digits misclassified" if prefix else "Error of the fitted function"
        title = f"{what}: medians over seeds; last, the mean distance from the best"
        names = [escape(name.removeprefix(prefix).removesuffix(f", {part}")) for name in found]
        return title, ["loss", *names, "above the best"], rows

    return make


def on_every_function() -> dict[str, dict[str, float]]:
    """How far each loss is above the best on each function that all noises and shifts were tried on, on average."""
    cases = {name: cases_of(part) for part, name in FUNCTIONS.items()}
    most = max(map(len, cases.values()))
    parts = {name: above_the_best(found) for name, found in cases.items() if len(found) == most}
    losses = next(iter(parts.values()))
    return {loss: {name: mean_part(each[loss].values()) for name, each in parts.items()} for loss in losses}


def defaults_together() -> Table:
    """How far each loss is from the best on every function, and on all."""
    found = on_every_function()
    rows = [
        [escape(loss), *map(percent, means.values()), percent(mean_part(means.values()))]
        for loss, means in found.items()
    ]
    title = "How far the error is above that of the best loss, mean over noises and shifts"
    return title, ["loss", *next(iter(found.values())), "mean"], rows


def shown_method(name: str) -> str:
    r"""A penalty as the pages call it: what its gradient does with the width, if that is said.

    Examples
    --------
    >>> print(shown_method("DIB held, beta 0.1"), shown_method("|z|^2, beta 0.1"))
    DIB, width a constant, beta 0.1 \|z\|^2, beta 0.1
    """
    plain = name.replace("DIB held", "DIB, width a constant").replace("DIB known", "DIB, width included")
    return escape(plain).replace("|", "\\|")


def collapse() -> Table:
    """Test errors of penalties on a code, at the epoch that validation chose, and how large the code is at the end."""
    found = list(results("collapse").values())
    rows = []
    for method in dict.fromkeys(one["method"] for one in found):
        each = [one for one in found if one["method"] == method]
        errors = [one["test_error"] for one in each]
        spread = f" ± {stdev(errors):.2f}" if len(errors) > 1 else ""
        sizes = [one["size"] for one in each if one["size"] is not None]
        size = f"{fmean(sizes):.2g}" if sizes else "–"
        chosen = fmean(one["validation_error"] for one in each)
        rows.append([shown_method(method), f"{chosen:.2f}", f"{fmean(errors):.2f}{spread}", size, f"{len(each)}"])
    train, epochs = (found[0][key] for key in ("train", "epochs"))
    title = f"Percent wrong, mean ± standard deviation over seeds; {train} images to learn from, {epochs} epochs"
    return title, ["penalty", "validation", "test", "deviation of z, last over first", "seeds"], rows


def bike_inputs() -> Table:
    """Whether inputs count in the gradient of I(x; e)."""
    found = results("bike_inputs")
    rows = [
        [escape(name), f"{one['similarity']:.3f}", f"{one['cosine, raw']:.4f}", number(one["cosine, centered"])]
        for name, one in found.items()
    ]
    batches = next(iter(found.values()))["batches"]
    title = f"Bicycles: cosine between the gradients of I(x; e) and H(e) of order 2, mean of {batches} batches"
    return title, ["widths", "similarity of two inputs", "raw, the paper's", "centered"], rows


def number(value: float) -> str:
    """With a true minus sign."""
    return f"{value:.2f}".replace("-", "−")


def bike_floor() -> Table:
    """How much gains over squared error differ between seeds, and how many seeds a small one would need."""
    rows = []
    for name, study in results("bike_noise").items():
        if not name.endswith(" features") or study["level"] != 1:
            continue
        squared = np.array(study["losses"]["MSE"]["noisy"])
        gains = [
            100 * (squared - np.array(one["noisy"])) / squared for loss, one in study["losses"].items() if loss != "MSE"
        ]
        spreads = [float(np.std(gain, ddof=1)) for gain in gains]
        # 2.8 standard errors: found in four of five trials by a two-sided test at 5 %
        needed = [math.ceil((2.8 * spread / 0.5) ** 2) for spread in spreads]
        shown = f"{min(spreads):.1f} to {max(spreads):.1f}"
        inputs = name.rsplit(", ", 1)[1].removesuffix(" features")
        rows.append([study["noise"], inputs, shown, f"{study['seeds']}", f"{min(needed)} to {max(needed)}"])
    title = "Bicycles, noise of level 1: deviation over seeds of a loss's gain over squared error, in percent of it"
    return title, ["noise", "inputs", "deviation", "seeds here", "seeds that a gain of 0.5 % would need"], rows


def draw(folder: Path) -> None:
    """Every measure over theta, from its smallest to its largest value, with a dot at the minimum."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams |= {"svg.hashsalt": "shearer", "font.size": 9.5, "font.family": "DejaVu Sans"}
    import matplotlib.pyplot as plt

    found = results("theorem_one")
    figure, axes = plt.subplots(2, 3, figsize=(12.0, 6.6), sharex=True, sharey=True)
    for axis, (design, study) in zip(axes.flat, found.items(), strict=False):
        theta = np.array(study["theta"])
        for name, (color, style) in DRAWN.items():
            curve = np.array(study["measures"][name]["mean_curve"])
            share = (curve - curve.min()) / np.ptp(curve)
            axis.plot(theta, share, color=color, linestyle=style, linewidth=1.4, label=name)
            axis.plot(theta[curve.argmin()], 0.0, "o", color=color, markersize=4)
        axis.axvline(1.0, color="#BBBBBB", linewidth=0.8, zorder=0)
        axis.set_title(design, fontsize=9.5)
        axis.spines[["top", "right"]].set_visible(False)
    axes[1, 1].set_xlabel("θ")
    axes[0, 0].set_ylabel("from smallest to largest")
    axes[1, 2].axis("off")
    axes[1, 2].legend(*axes[0, 0].get_legend_handles_labels(), loc="center", frameon=False)
    axes[0, 2].tick_params(labelbottom=True)
    figure.tight_layout()
    figure.savefig(folder / "theorem_one.svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)


TABLES: dict[str, Callable[[], Table]] = {
    "theorem_one": theorem_one,
    "noise_stopped": noise("stopped early"),
    "noise_all": noise("all epochs"),
    "defaults_development": defaults("development"),
    "defaults_judging": defaults("judging"),
    "defaults_ishigami": defaults("Ishigami"),
    "defaults_friedman": defaults("Friedman 2"),
    "defaults_together": defaults_together,
    "defaults_labels": defaults("", "labels, "),
    "collapse": collapse,
    "bike_inputs": bike_inputs,
    "bike_floor": bike_floor,
}
