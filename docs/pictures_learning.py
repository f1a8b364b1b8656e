"""Figures 3, 4, 5, 9, 10 and 11 of the paper, from the trainings that were run."""

from pathlib import Path
from typing import Any

import numpy as np
from claims_learning import courses_of
from tables_learning import LEVELS, NOISES, bike_case, found, gains, published

# Losses of the bike experiment, in colours that the colour-blind can tell apart, and their names in the paper's figure.
LOSSES = {
    "MAE": ("#666666", "MAE"),
    "HSIC": ("#0072B2", "HSIC"),
    "H(e), 2": ("#009E73", "H"),
    "I*(x;e), 2": ("#D55E00", "I*"),
    "I*(x;e), 1.001": ("#E69F00", None),
}
PAPER_EPOCHS = (0, 10, 30, 50, 70, 100)
RULES = ("fixed", "median")


def draw(folder: Path) -> None:
    """Write the pictures of what was run."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams |= {"svg.hashsalt": "shearer", "font.size": 9.5, "font.family": "DejaVu Sans"}
    import matplotlib.pyplot as plt

    if found("bike_noise"):
        save(plt, bike(plt), folder / "learning_bike.svg")
    if found("vgg_dynamics"):
        save(plt, layers(plt), folder / "learning_layers.svg")
        save(plt, histograms(plt), folder / "learning_histograms.svg")
    if found("map_similarity"):
        save(plt, similarity(plt), folder / "learning_similarity.svg")


def save(plt: Any, figure: Any, path: Path) -> None:
    for axis in figure.axes:
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def bike(plt: Any) -> Any:
    """Gains over the MSE loss: lines with standard errors are ours, open circles the paper's."""
    figure, axes = plt.subplots(2, 3, figsize=(12.0, 8.0), sharex=True, sharey="row")
    for row, key in zip(axes, ("noisy", "clean"), strict=True):
        for axis, (noise, item) in zip(row, NOISES.items(), strict=True):
            studies = {level: study for level in LEVELS if (study := bike_case(noise, level)) is not None}
            for shift, (loss, (color, theirs)) in enumerate(LOSSES.items()):
                values = [gains(study, loss, key) for study in studies.values()]
                errors = [np.std(value, ddof=1) / np.sqrt(len(value)) for value in values]
                places = np.array(list(studies)) + 0.008 * (shift - 2)
                means = [value.mean() for value in values]
                axis.errorbar(places, means, errors, color=color, marker=".", linewidth=1.2, label=loss)
                if theirs is not None and key == "noisy":
                    points = published()[item, f"{theirs} % gain over MSE"]
                    circles = {"color": color, "fillstyle": "none", "markersize": 5}
                    axis.plot([*map(float, points)], [*points.values()], "o", **circles)
            axis.axhline(0.0, color="#BBBBBB", linewidth=0.8, zorder=0)
            axis.set_title(f"{noise} noise, {'noisy' if key == 'noisy' else 'true'} test counts", fontsize=9.5)
        row[0].set_ylabel("percent gained over MSE")
    for axis in axes[1]:
        axis.set_xlabel("level of the noise")
    axes[1, 0].legend(frameon=False)
    return figure


def layers(plt: Any) -> Any:
    """T* and HSIC of every layer, a line for each look: Figures 4 and 10."""
    studies = list(found("vgg_dynamics").values())
    epochs, shades = studies[0]["watched"], plt.get_cmap("viridis")
    figure, axes = plt.subplots(2, 3, figsize=(12.0, 7.2), sharex=True)
    for k, epoch in enumerate(PAPER_EPOCHS):
        points = published()["fig4", f"T* epoch {epoch}"]
        color = shades(0.95 * k / (len(PAPER_EPOCHS) - 1))
        axes[0, 0].plot([*map(int, points)], [*points.values()], "o-", color=color, markersize=3, label=f"{epoch}")
    axes[0, 0].set_title("paper, T*", fontsize=9.5)
    for column, rule in enumerate(RULES, start=1):
        for row, name in enumerate(("T*(1.01)", "HSIC")):
            axis = axes[row, column]
            for k, values in enumerate(courses_of(studies, rule, name).mean(axis=0)):
                color = shades(0.95 * k / (len(epochs) - 1))
                axis.plot(range(1, 14), values, ".-", color=color, linewidth=1.2, label=f"{epochs[k]}")
            axis.set_title(f"{rule} width, {'T*, α = 1.01' if row == 0 else 'mean HSIC of pairs'}", fontsize=9.5)
    for k in range(len(epochs)):
        scales = np.mean([study["maps"][k]["scale"] for study in studies], axis=0)
        axes[1, 0].semilogy(range(1, 14), np.maximum(scales, 1e-4), ".-", color=shades(0.95 * k / (len(epochs) - 1)))
    axes[1, 0].set_title("median distance between pictures", fontsize=9.5)
    for axis in axes[0]:
        axis.set_ylim(0.0, 1.03)
    for axis in axes[1]:
        axis.set_xlabel("convolution")
    for axis in axes[0, :2]:
        axis.legend(title="epochs", frameon=False, fontsize=8)
    return figure


def histograms(plt: Any) -> Any:
    """How I* (order 2) and HSIC of pairs are spread: Figures 5 and 11."""
    studies = list(found("vgg_dynamics").values())
    epochs, shades = studies[0]["watched"], plt.get_cmap("viridis")
    figure, axes = plt.subplots(2, 4, figsize=(13.0, 6.4), sharex="col")
    for row, rule in zip(axes, RULES, strict=True):
        panels = [(name, part) for name in ("I*", "HSIC") for part in ("lower", "upper")]
        for axis, (name, part) in zip(row, panels, strict=True):
            for k, shares in enumerate(courses_of(studies, rule, f"{name} {part}").mean(axis=0)):
                edges = np.linspace(0.0, 1.0 if name == "I*" else 0.1, len(shares) + 1)
                color = shades(0.95 * k / (len(epochs) - 1))
                shown = np.where(shares > 0, shares, np.nan)
                axis.semilogy((edges[:-1] + edges[1:]) / 2, shown, color=color, linewidth=1.2, label=f"{epochs[k]}")
            axis.set_title(f"{name}, {part} layers, {rule} width", fontsize=9.5)
        row[0].set_ylabel("share of pairs")
    axes[0, 0].legend(title="epochs", frameon=False, fontsize=7, ncols=2)
    return figure


def similarity(plt: Any) -> Any:
    """CKA, adjusted T and T* of every layer, a line for each look; grey: the last look, shuffled."""
    studies = list(found("map_similarity").values())
    epochs, shades = studies[0]["watched"], plt.get_cmap("viridis")
    figure, axes = plt.subplots(1, 3, figsize=(12.0, 3.8), sharex=True)
    for axis, name in zip(axes, ("CKA", "adjusted T", "T*(2)"), strict=True):
        for k, epoch in enumerate(epochs):
            values = np.mean([study["maps"][k][name] for study in studies], axis=0)
            color = shades(0.95 * k / (len(epochs) - 1))
            axis.plot(range(1, 14), values, ".-", color=color, linewidth=1.2, label=f"{epoch}")
        control = np.mean([study["maps"][-1][f"{name}, shuffled"] for study in studies], axis=0)
        axis.plot(range(1, 14), control, ":", color="#666666", linewidth=1.4, label="shuffled")
        axis.set(title="T*, order 2" if name == "T*(2)" else name, xlabel="convolution", ylim=(-0.05, 1.03))
    axes[2].legend(title="epochs", frameon=False, fontsize=8, loc="lower right")
    return figure
