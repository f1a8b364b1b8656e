"""Table 5: the information bottleneck on MNIST beside other regularisers.

usage: python -m experiments.bottleneck_mnist [--quick | --full] [--only NAME ...]

The perceptron 784-1024-1024-256-10 on pixels from -1 to 1, Adam at 1e-4 times 0.97 every 2 epochs, batches of 100, a
sixth of the training images for validation: the paper's settings, but for the epochs (40 in place of 200; `--full` has
them all). The epoch is chosen on the validation images; "best on test" is the smallest test error over all epochs,
which is how the authors' programs choose. All methods of a seed begin with the same weights where their networks agree,
and see the same batches. `information` is I(x; z) of the last epoch, in bits, on batches of validation images.
"known" and |z|^2 are ours: `experiments.bottleneck_first` trains their first epochs, `--full` all of them.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from experiments import courses, records
from experiments.bottleneck_models import Method, make
from shearer.kernels import Gaussian
from shearer.neural import DependenceLoss

NAME = "bottleneck_mnist"


@dataclass(frozen=True)
class Settings:
    """Sizes of the experiment; `stop`: the epoch after which to stop, if it is not the last."""

    epochs: int = 40
    validation: int = 10_000
    batch: int = 100
    sizes: tuple[int, ...] = (784, 1024, 1024, 256)
    rate: float = 1e-4
    stop: int | None = None


QUICK, FULL = Settings(), Settings(epochs=200)
# What the table names; the weight of the penalty where it is not the published one.
METHODS: dict[str, tuple[str, float | None]] = {
    "baseline": ("plain", None),
    "VIB": ("VIB", None),
    "DIB": ("DIB", None),
    "dropout": ("dropout", None),
    "label smoothing": ("label smoothing", None),
    "confidence penalty": ("confidence penalty", None),
    "DIB, beta 0.001": ("DIB", 0.001),
    "DIB, beta 0.01": ("DIB", 0.01),
    "DIB known, beta 0.01": ("DIB known", 0.01),
    "|z|^2, beta 0.001": ("|z|^2", 0.001),
    "|z|^2, beta 0.01": ("|z|^2", 0.01),
}
REPEATED = ("baseline", "VIB", "DIB", "DIB, beta 0.01")
OURS = ("DIB, beta 0.001", "DIB, beta 0.01")
MENDED = ("DIB known, beta 0.01", "|z|^2, beta 0.01", "|z|^2, beta 0.001")


def cases(full: bool) -> list[str]:
    """One seed of every row of the table first, so that a table cut short is still one; other weights last."""
    if full:
        return [f"{name}, seed {seed}" for seed in range(1, 6) for name in METHODS]
    first = [f"{name}, seed 1" for name in METHODS if name not in (*OURS, *MENDED)]
    again = [f"{name}, seed {seed}" for seed in (2, 3) for name in REPEATED]
    return [*first, *again, *(f"{name}, seed 1" for name in OURS)]


def load() -> courses.Labelled:
    """Images as rows of pixels from -1 to 1."""
    from shearer.datasets import load_mnist

    return courses.Labelled.of(load_mnist(), lambda images: images.flatten(1) / 127.5 - 1.0)


def train(case: str, data: courses.Labelled, settings: Settings, path: Path | None = None) -> dict[str, Any]:
    """Train one method from one seed."""
    name, digits = case.rsplit(", seed ", 1)
    seed, (known, beta) = int(digits), METHODS[name]
    torch.manual_seed(seed)
    method = make(known, settings.sizes, 10, beta)
    order = courses.shuffled(len(data.x), seed)
    held, kept = order[: settings.validation], order[settings.validation :]
    optimizer = torch.optim.Adam(method.parameters(), lr=settings.rate, fused=True)
    course = courses.Course(method, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.97), path)

    def epoch(number: int) -> dict[str, float]:
        method.train()
        batches = courses.batches(kept, settings.batch, seed, number)
        loss = courses.descend(optimizer, (method.loss(data.x[rows], data.y[rows]) for rows in batches))
        return {"loss": loss, **data.errors(method.model, held)}

    history = course.go(settings.stop or settings.epochs, epoch)
    return {
        "method": name,
        "seed": seed,
        "epochs": len(history),
        "train": len(kept),
        "validation": len(held),
        **courses.error_record(history),
        "information": information(method, data.x[held], settings.batch),
        "test_errors": [row["test"] for row in history],
        "cpu_seconds": round(course.seconds, 1),
    }


def information(method: Method, x: Tensor, batch: int, count: int = 20) -> float:
    """Mean I(x; z) of the bottleneck over batches, in bits, as `InformationBottleneck` has it."""
    measure = DependenceLoss(
        alpha=1.01, form="raw", kernel=Gaussian("authors-dib"), normalize=False, width_gradient=False
    )
    method.model.eval()
    with torch.no_grad():
        found = [float(measure(part, code(method.model, part))) for part in x[: count * batch].split(batch)]
    return round(sum(found) / len(found), 4)


def code(model: nn.Module, x: Tensor) -> Tensor:
    """What the bottleneck puts out: of a variational one, the mean."""
    if not isinstance(model, nn.Sequential):
        return model.encode(x)[0]
    for name, layer in model.named_children():
        x = layer(x)
        if name == "bottleneck":
            return x
    raise ValueError("model: expected a layer named bottleneck, got none.")


def study(case: str, full: bool) -> dict[str, Any]:
    return courses.kept(NAME, case, full, lambda path: train(case, load(), FULL if full else QUICK, path))


if __name__ == "__main__":
    sys.exit(records.run_figure(NAME, __doc__, cases, study))
