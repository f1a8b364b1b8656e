"""Pictures of a monitor's records by matplotlib."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._optional import load

LABELS = {
    "cka": "mean CKA of pairs, debiased",
    "adjusted": "T of all feature maps, adjusted for chance",
    "total_correlation": "T* of all feature maps (the paper's)",
    "mean_information": "mean I* of pairs",
    "mean_hsic": "mean HSIC of pairs",
}
# Even in lightness, told apart with any kind of colour vision and in grey.
_MAP = "cividis"


def lines(series: Mapping[str, Sequence[tuple[int, float]]], label: str, ax: Any) -> Any:
    """One line for each layer over time."""
    ax = _axes(ax)
    colors = _shades(len(series))
    for (layer, points), color in zip(series.items(), colors, strict=True):
        ax.plot(*zip(*points, strict=True), color=color, marker="o", markersize=3, label=layer)
    ax.set(xlabel="step", ylabel=label)
    ax.legend(fontsize=7, title="layer", title_fontsize=7)
    return ax


def histograms(shares: Mapping[int, NDArray[np.float64]], edges: NDArray[np.float64], ax: Any) -> Any:
    """One line for each time: the share of pairs in each bin, on a logarithmic scale."""
    ax = _axes(ax)
    for (step, share), color in zip(shares.items(), _shades(len(shares)), strict=True):
        ax.stairs(np.where(share > 0, share, np.nan), edges, color=color, label=f"{step}")
    ax.set(xlabel="I* of a pair", ylabel="share of pairs", yscale="log")
    ax.legend(fontsize=7, title="step", title_fontsize=7)
    return ax


def squares(values: NDArray[np.float64], rows: Sequence[str], columns: Sequence[str], label: str, ax: Any) -> Any:
    """A square for each pair, from 0 to 1."""
    ax = _axes(ax)
    image = ax.imshow(np.clip(values, 0.0, 1.0), cmap=_MAP, vmin=0.0, vmax=1.0, origin="lower", aspect="auto")
    ax.set_xticks(range(len(columns)), columns, rotation=90, fontsize=7)
    ax.set_yticks(range(len(rows)), rows, fontsize=7)
    ax.figure.colorbar(image, ax=ax, label=label)
    return ax


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    plt = load("matplotlib.pyplot", "drawing")
    return plt.subplots(figsize=(6.4, 4.0), layout="constrained")[1]


def _shades(count: int) -> list[Any]:
    mpl = load("matplotlib", "drawing")
    return [mpl.colormaps[_MAP](position) for position in np.linspace(0.0, 0.9, max(count, 1))]
