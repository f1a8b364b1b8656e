"""Figures 4, 5, 10 and 11: how the feature maps of VGG16 come to depend on each other while it learns CIFAR-10.

usage: python -m experiments.vgg_dynamics [--quick | --full] [--only NAME ...]

SGD at 0.05, a tenth of it for the last sixth of the epochs, momentum 0.9, weight decay 5e-4, batches of 100, pictures
shifted and mirrored. Here: 10000 pictures to learn from, all widths of the network an eighth, 60 epochs; `--full` has
the whole network and 400 epochs. The output of the 13 convolutions for 128 test pictures is looked at after some
epochs: T* of all maps (orders 1.01 and 2), I* of every pair (order 2), HSIC of every pair. The paper gives no width.
Two are tried:

- "median": the median distance between the pictures, for each map, so that the scale of a map does not matter;
- "fixed": 5 n^(-1/(4+d)) for maps of d pixels, as in earlier work of the authors, the same in all epochs.

`scale` is the median distance itself, averaged over the maps of a layer. "shuffled": the pictures are put into another
order for each map, so that maps are independent and all else is as it was. Lower layers are 1 to 7, upper ones 8 to 13.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from experiments import courses, records
from experiments.cifar_errors import load, varied
from experiments.cifar_networks import CONVOLUTIONS, vgg16
from shearer import total_correlation
from shearer.kernels import Gaussian
from shearer.neural import FeatureMapMonitor

NAME = "vgg_dynamics"
LOWER = 7
BINS = 50
# HSIC of two Gaussian kernels seldom exceeds this.
LARGEST_HSIC = 0.1


@dataclass(frozen=True)
class Settings:
    """Sizes of the experiment; `stop`: the epoch after which to stop, if it is not the last."""

    epochs: int = 60
    cut: int = 8
    batch: int = 100
    rate: float = 0.05
    images: int = 128
    watched: tuple[int, ...] = (0, 1, 3, 10, 20, 30, 50, 60)
    stop: int | None = None


QUICK, FULL = Settings(), Settings(epochs=400, cut=1, rate=0.1, watched=(0, 1, 3, 10, 20, 30, 50, 70, 100, 200, 400))


def cases(_full: bool) -> list[str]:
    return [f"seed {seed}" for seed in range(1, 4)]


Look = Callable[[nn.Module, Tensor], dict[str, Any]]


def train(
    case: str, data: courses.Labelled, settings: Settings, path: Path | None = None, look: Look | None = None
) -> dict[str, Any]:
    """Train from one seed, looking at the maps now and then, by `observe` or another function."""
    look = observe if look is None else look
    seed = int(case.removeprefix("seed "))
    torch.manual_seed(seed)
    model = vgg16(10, settings.cut).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=settings.rate, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [settings.epochs * 5 // 6], 0.1)
    shown = data.test_x[: settings.images]
    everything = torch.arange(len(data.x))
    first = {"epoch": 0, "test": courses.error(model, data.test_x, data.test_y), "maps": look(model, shown)}

    def epoch(number: int) -> dict[str, Any]:
        model.train()
        stream, batches = courses.generator(seed, number, 1), courses.batches(everything, settings.batch, seed, number)
        pairs = ((varied(data.x[rows], stream), data.y[rows]) for rows in batches)
        losses = (nn.functional.cross_entropy(model(x), y) for x, y in pairs)
        noted: dict[str, Any] = {"loss": courses.descend(optimizer, losses)}
        if number in settings.watched:
            noted |= {"test": courses.error(model, data.test_x, data.test_y), "maps": look(model, shown)}
        return noted

    course = courses.Course(model, optimizer, scheduler, path)
    history = [first, *course.go(settings.stop or settings.epochs, epoch)]
    return {
        "seed": seed,
        "epochs": len(history) - 1,
        "cut": settings.cut,
        "train": len(data.x),
        "images": len(shown),
        "watched": [row["epoch"] for row in history if "maps" in row],
        "test_errors": [row["test"] for row in history if "maps" in row],
        "maps": [row["maps"] for row in history if "maps" in row],
        "losses": [round(row["loss"], 5) for row in history[1:]],
        "cpu_seconds": round(course.seconds, 1),
    }


def observe(model: nn.Module, x: Tensor) -> dict[str, Any]:
    """Dependence among the maps of every layer by either width."""
    maps = outputs(model, x)
    found: dict[str, Any] = {"scale": [round(float(np.mean(scales(values))), 4) for values in maps.values()]}
    for rule in ("median", "fixed"):
        layers = []
        for layer, values in maps.items():
            width: str | float = "median" if rule == "median" else fixed_width(values)
            kernel = Gaussian(width)
            [row] = FeatureMapMonitor(model, [layer], kernel=kernel, alpha=2.0, bins=BINS).observe(x, step=0)
            [other] = FeatureMapMonitor(model, [layer], kernel=kernel, alpha=1.01, pairs=False).observe(x, step=0)
            widths = scales(values) if rule == "median" else np.full(values.shape[1], width)
            row |= {"total_1.01": other["total_correlation"], "hsic": pair_hsic(values, widths)}
            row["shuffled"] = float(total_correlation(*shuffled(values), alpha=1.01, kernel=kernel))
            layers.append(row)
        found[rule] = summary(layers)
    return found


def summary(layers: list[dict[str, Any]]) -> dict[str, Any]:
    """Values of each layer, and histograms of the pairs, averaged over lower and over upper layers."""
    names = {
        "T*(1.01)": "total_1.01", "T*(1.01), shuffled": "shuffled", "T*(2)": "total_correlation",
        "I*(2)": "mean_information", "HSIC": "mean_hsic",
    }  # fmt: skip
    found: dict[str, Any] = {name: [round(row[key], 5) for row in layers] for name, key in names.items()}
    edges = np.linspace(0.0, LARGEST_HSIC, BINS + 1)
    shares = {
        "I*": [np.asarray(row["histogram"]) / sum(row["histogram"]) for row in layers],
        "HSIC": [np.histogram(row["hsic"].clip(0.0, LARGEST_HSIC), edges)[0] / len(row["hsic"]) for row in layers],
    }
    for name, each in shares.items():
        found[f"{name} lower"] = np.mean(each[:LOWER], axis=0).round(5).tolist()
        found[f"{name} upper"] = np.mean(each[LOWER:], axis=0).round(5).tolist()
    return found


def outputs(model: nn.Module, x: Tensor) -> dict[str, Tensor]:
    """What each convolution puts out, shape (images, maps, pixels)."""
    model.eval()
    found = {}
    with torch.no_grad():
        for name, layer in model.named_children():
            x = layer(x)
            if name in CONVOLUTIONS:
                found[name] = x.flatten(2)
            if name == CONVOLUTIONS[-1]:
                return found
    raise ValueError(f"model: expected layers {CONVOLUTIONS[0]} to {CONVOLUTIONS[-1]}, got others.")


def fixed_width(maps: Tensor) -> float:
    """5 n^(-1/(4+d))."""
    n, _, pixels = maps.shape
    return float(5.0 * n ** (-1.0 / (4.0 + pixels)))


def scales(maps: Tensor) -> np.ndarray:
    """Median distance between the images, of each map; 1 where there is none."""
    distances = np.stack([torch.pdist(values.double()).numpy() for values in maps.unbind(dim=1)])
    return np.array([np.median(each[each > 0]) if (each > 0).any() else 1.0 for each in distances])


def shuffled(maps: Tensor) -> list[np.ndarray]:
    """The maps, each with the images in an order of its own."""
    return [values[courses.shuffled(len(maps), k)].numpy() for k, values in enumerate(maps.unbind(dim=1))]


def pair_hsic(maps: Tensor, widths: np.ndarray) -> np.ndarray:
    """tr(K H L H) / (n - 1)^2 of every pair of maps."""
    n, count, _ = maps.shape
    squared = torch.cdist(maps.transpose(0, 1).double(), maps.transpose(0, 1).double()).square()
    kernels = torch.exp(-squared / (2.0 * torch.from_numpy(widths)[:, None, None] ** 2))
    means = kernels.mean(dim=2, keepdim=True)
    centered = (kernels - means - means.mT + means.mean(dim=1, keepdim=True)).flatten(1)
    values = (centered @ centered.T).numpy() / (n - 1) ** 2
    return values[np.triu_indices(count, 1)]


def study(case: str, full: bool) -> dict[str, Any]:
    return courses.kept(NAME, case, full, lambda path: train(case, load(), FULL if full else QUICK, path))


if __name__ == "__main__":
    sys.exit(records.run_figure(NAME, __doc__, cases, study))
