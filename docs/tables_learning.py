"""Tables 3, 5, 6 and Figures 3, 4, 9 of the paper beside the trainings of this project, as far as they were run."""

import csv
import json
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from tables_network import EXPERIMENTS, Table, escape

NOT_RUN = "not run"
NOISES = {"Laplace": "fig3a_laplace", "shifted exponential": "fig3b_shifted_exponential", "Gaussian": "fig9_gaussian"}
LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
# Losses in the bike experiment -> the paper's name of the same one.
BIKE_LOSSES = {
    "MAE": "MAE",
    "HSIC": "HSIC",
    "H(e), 2": "H",
    "I*(x;e), 2": "I*",
    "H(e), 1.001": None,
    "I*(x;e), 1.001": None,
}
FASHION = {"CE": "CE", "HSIC": "HSIC", "H(e)": "H(e)", "I(x;e)": "I*(x;e)", "I(x;e), median, 1.01": None}
MNIST = {
    "baseline": "Baseline",
    "dropout": "Dropout",
    "label smoothing": "Label smoothing",
    "confidence penalty": "Confidence penalty",
    "VIB": "VIB",
    "DIB": "DIB beta=1e-6",
    "DIB, beta 0.001": None,
    "DIB, beta 0.01": None,
}
CIFAR = {
    "VGG16": "VGG16",
    "ResNet18": "ResNet18",
    "ResNet50": "ResNet50",
    "VGG16 + confidence penalty": "VGG16+Confidence penalty",
    "VGG16 + label smoothing": "VGG16+Label smoothing",
    "VGG16 + VIB": "VGG16+VIB",
    "VGG16 + DIB": "VGG16+DIB beta=1e-2",
}
# What the bike experiment is tested on, and how the epoch is chosen if not on validation rows.
TEST_COUNTS = {
    "noisy": "noisy test counts",
    "clean": "test counts without noise",
    "best_on_test": "noisy test counts, the epoch chosen on them (the authors' way)",
}
Records: TypeAlias = list[dict[str, Any]]


def found(name: str) -> dict[str, Any]:
    """The results that are there."""
    path = EXPERIMENTS / "results" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def published() -> dict[tuple[str, str], dict[str, float]]:
    """(table or figure, series) -> the paper's values."""
    lines = (EXPERIMENTS / "published_learning.csv").read_text(encoding="utf-8").splitlines()
    values: dict[tuple[str, str], dict[str, float]] = {}
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        values.setdefault((row["item"], row["series"]), {})[row["x"]] = float(row["y"])
    return values


def of(name: str, key: str, value: str) -> Records:
    """The records of one method, by seed."""
    return sorted((study for study in found(name).values() if study[key] == value), key=lambda study: study["seed"])


def spread(values: list[float], digits: int = 2) -> str:
    """Mean ± standard deviation over seeds; a single seed has none."""
    if not values:
        return NOT_RUN
    mean = f"{np.mean(values):.{digits}f}"
    return f"{mean} (1 seed)" if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):.{digits}f} ({len(values)})"


def signed(value: float, digits: int = 2) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def paper_cell(values: dict[str, float], name: str | None, digits: int = 2) -> str:
    return "–" if name is None else f"{values[name]:.{digits}f}"


def fashion() -> Table:
    """Table 3."""
    paper = {kind: published()["table3_fashion_mnist_accuracy", kind] for kind in ("source", "target")}
    rows = []
    for name, theirs in FASHION.items():
        studies = of("fashion_shift", "loss", name)
        cells = [paper_cell(paper[kind], theirs) for kind in paper]
        cells += [spread([study[kind] for study in studies]) for kind in ("source", "target", "target_raw")]
        cells.append(spread([study["best_on_test"]["target"] for study in studies]))
        rows.append([escape(name), *cells])
    header = ["loss", "paper, upright", "paper, turned", "upright", "turned"]
    header += ["turned, no bias added", "turned, best on test"]
    return f"Table 3: accuracy in percent on Fashion-MNIST{settings('fashion_shift')}", header, rows


def settings(name: str) -> str:
    """Epochs and rows of the trainings of an experiment."""
    studies = list(found(name).values())
    if not studies:
        return ""
    return f"; {studies[0]['epochs']} epochs, {studies[0]['train']} images to learn from"


def mnist() -> Table:
    """Table 5."""
    paper = published()["table5_mnist_error", "test error %"]
    rows = []
    for name, theirs in MNIST.items():
        studies = of("bottleneck_mnist", "method", name)
        cells = [spread([study[key] for study in studies]) for key in ("test_error", "best_on_test", "information")]
        rows.append([name, paper_cell(paper, theirs), *cells])
    header = ["method", "paper", "chosen on validation", "best on test", "I(x; z), bits"]
    return f"Table 5: test error in percent on MNIST{settings('bottleneck_mnist')}", header, rows


def cifar() -> Table:
    """Table 6."""
    paper = published()["table6_cifar10_error", "test error %"]
    rows = []
    for name, theirs in CIFAR.items():
        studies = of("cifar_errors", "row", name)
        weights = f"{studies[0]['weights']:,}".replace(",", " ") if studies else "–"
        cells = [spread([study[key] for study in studies], 1) for key in ("test_error", "best_on_test")]
        rows.append([name, paper_cell(paper, theirs), weights, *cells])
    header = ["network", "paper, whole data set", "weights here", "chosen on validation", "best on test"]
    return f"Table 6: test error in percent on a subset of CIFAR-10{settings('cifar_errors')}", header, rows


def bike_case(noise: str, level: float, features: int = 56, once: bool = False) -> dict[str, Any] | None:
    """The record of a noise at a level; level 0 serves every noise."""
    name = f"{noise} {level:g}" if level else "none 0"
    return found("bike_noise").get(f"{name}, {features} features{', drawn once' if once else ''}")


def gains(study: dict[str, Any], loss: str, key: str) -> np.ndarray:
    """Percent by which the squared error is below that of the MSE loss, seed by seed."""
    base, own = (np.array(study["losses"][name][key]) for name in ("MSE", loss))
    return 100.0 * (base - own) / base


def gain_cell(values: np.ndarray, theirs: float | None = None) -> str:
    """Mean and standard error over seeds, and the paper's value."""
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{signed(values.mean(), 1)} ± {error:.1f}" + ("" if theirs is None else f" [{signed(theirs, 1)}]")


def bike(key: str) -> Callable[[], Table]:
    """Figures 3 and 9."""

    def make() -> Table:
        rows = []
        for noise, item in NOISES.items():
            for level in LEVELS:
                study = bike_case(noise, level)
                if study is None:
                    rows.append([noise, f"{level:g}", *[NOT_RUN] * (1 + len(BIKE_LOSSES))])
                    continue
                cells = [f"{np.mean(study['losses']['MSE'][key]):.3f}"]
                for loss, theirs in BIKE_LOSSES.items():
                    drawn = published()[item, f"{theirs} % gain over MSE"][f"{level:g}"] if theirs else None
                    cells.append(gain_cell(gains(study, loss, key), None if key == "clean" else drawn))
                rows.append([noise, f"{level:g}", *cells])
        title = f"percent gained over the MSE loss in squared error on {TEST_COUNTS[key]}"
        theirs = "" if key == "clean" else " [the paper's gain]"
        return f"Figures 3 and 9: {title}{theirs}, mean ± standard error over seeds", bike_header(), rows

    return make


def bike_header(*before: str) -> list[str]:
    return ["noise", "level", *before, "error of MSE", *map(escape, BIKE_LOSSES)]


def bike_variants(key: str) -> Callable[[], Table]:
    """The paper's eight features, and noise that is drawn once."""

    def make() -> Table:
        rows = []
        for variant, options in (("8 features", {"features": 8}), ("drawn once", {"once": True})):
            for noise in ("none", *NOISES):
                for level in (0.0,) if noise == "none" else (0.4, 1.0):
                    study = bike_case(noise, level, **options)
                    if study is not None:
                        cells = [gain_cell(gains(study, loss, key)) for loss in BIKE_LOSSES]
                        error = f"{np.mean(study['losses']['MSE'][key]):.3f}"
                        rows.append([noise, f"{level:g}", variant, error, *cells])
        title = "The paper's 8 features, and noise drawn once for all epochs: percent gained over the MSE loss"
        header = bike_header("variant")
        return f"{title}, {TEST_COUNTS[key]}", header, rows or [[NOT_RUN] * len(header)]

    return make


def dynamics() -> Table:
    """T* of the layers at the beginning and at the end."""
    studies = list(found("vgg_dynamics").values())
    rows = []
    for layer in range(13):
        drawn = [published()["fig4", f"T* epoch {epoch}"].get(f"{layer + 1}") for epoch in (0, 100)]
        cells = ["–" if value is None else f"{value:.2f}" for value in drawn]  # hidden behind other curves
        for rule in ("fixed", "median"):
            for look, name in ((0, "T*(1.01)"), (-1, "T*(1.01)"), (-1, "T*(1.01), shuffled")):
                values = [study["maps"][look][rule][name][layer] for study in studies]
                cells.append(f"{np.mean(values):.2f}" if values else NOT_RUN)
        scale = [[study["maps"][look]["scale"][layer] for study in studies] for look in (0, -1)]
        cells += [f"{np.mean(values):.3g}" if values else NOT_RUN for values in scale]
        rows.append([f"{layer + 1}", *cells])
    header = ["layer", "paper, epoch 0", "paper, epoch 100", "fixed width, start", "end", "end, shuffled"]
    header += ["median width, start", "end", "end, shuffled", "distance, start", "end"]
    seeds = f"mean over {len(studies)} seeds" if len(studies) > 1 else "1 seed"
    return f"Figure 4: T* of the feature maps of VGG16, α = 1.01, {seeds}", header, rows


def counted(studies: Records) -> str:
    return f"{len(studies)} seed{'s' * (len(studies) > 1)}"


TABLES: dict[str, Callable[[], Table]] = {
    "learning_fashion": fashion,
    "learning_mnist": mnist,
    "learning_cifar": cifar,
    "learning_bike_noisy": bike("noisy"),
    "learning_bike_clean": bike("clean"),
    "learning_bike_authors": bike("best_on_test"),
    "learning_bike_variants_noisy": bike_variants("noisy"),
    "learning_bike_variants_clean": bike_variants("clean"),
    "learning_dynamics": dynamics,
}
