"""Tables and the picture of the experiments with networks, from their committed results."""

from collections.abc import Callable
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
from tables_network import Table, escape, results

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
}
