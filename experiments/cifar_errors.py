"""Table 6: regularisers of VGG16 on CIFAR-10, beside two residual networks.

usage: python -m experiments.cifar_errors [--quick | --full] [--only NAME ...]

SGD at 0.1, a tenth of it after each quarter of the epochs, momentum 0.9, weight decay 5e-4, batches of 100, pictures
shifted by up to 4 pixels and mirrored at random. Here: a subset of 10000 pictures to learn from, a tenth of them for
validation, and 2000 to test on; all widths of the networks an eighth; 40 epochs. `--full` has the paper's 400 epochs
and whole networks, on the pictures that there are: its test errors need the 50000 of the data set. The epoch is chosen
on the validation pictures; "best on test" is the smallest test error over all epochs, the authors' way.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from experiments import cifar_networks, courses, records
from experiments.cifar_networks import ROWS

NAME = "cifar_errors"
MARGIN = 4
MEAN, DEVIATION = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)


@dataclass(frozen=True)
class Settings:
    """Sizes of the experiment."""

    epochs: int = 40
    cut: int = 8
    validation: int = 1000
    batch: int = 100
    rate: float = 0.1


QUICK, FULL = Settings(), Settings(epochs=400, cut=1)
REPEATED = ("VGG16", "VGG16 + DIB")


def cases(full: bool) -> list[str]:
    """Every row of the table once, then two of them again."""
    if full:
        return [f"{row}, seed {seed}" for seed in range(1, 4) for row in ROWS]
    again = [f"{row}, seed {seed}" for seed in (2, 3) for row in REPEATED]
    return [*(f"{row}, seed 1" for row in ROWS), *again]


def load() -> courses.Labelled:
    """Pictures (n, 3, 32, 32), scaled colour by colour."""
    from shearer.datasets import load_cifar10

    def scaled(pictures: Tensor) -> Tensor:
        values = (pictures / 255.0 - torch.tensor(MEAN)) / torch.tensor(DEVIATION)
        return values.permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)

    return courses.Labelled.of(load_cifar10(), scaled)


def varied(x: Tensor, generator: torch.Generator) -> Tensor:
    """Pictures shifted and mirrored at random, black where nothing was."""
    n, _, height, width = x.shape
    padded = functional.pad(x, (MARGIN,) * 4).permute(0, 2, 3, 1)
    down, right = torch.randint(2 * MARGIN + 1, (2, n), generator=generator)
    columns = torch.arange(width).expand(n, -1)
    columns = torch.where(torch.rand(n, 1, generator=generator) < 0.5, columns.flip(1), columns)
    rows = down[:, None] + torch.arange(height)
    picked = padded[torch.arange(n)[:, None, None], rows[:, :, None], (right[:, None] + columns)[:, None, :]]
    return picked.permute(0, 3, 1, 2)


def train(case: str, data: courses.Labelled, settings: Settings, path: Path | None = None) -> dict[str, Any]:
    """Train one row of the table from one seed."""
    row, digits = case.rsplit(", seed ", 1)
    seed = int(digits)
    torch.manual_seed(seed)
    method = cifar_networks.make(row, 10, settings.cut).to(memory_format=torch.channels_last)
    order = courses.shuffled(len(data.x), seed)
    held, kept = order[: settings.validation], order[settings.validation :]
    optimizer = torch.optim.SGD(method.parameters(), lr=settings.rate, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, max(1, settings.epochs // 4), 0.1)
    course = courses.Course(method, optimizer, scheduler, path)

    def epoch(number: int) -> dict[str, float]:
        method.train()
        stream, batches = courses.generator(seed, number, 1), courses.batches(kept, settings.batch, seed, number)
        losses = (method.loss(varied(data.x[rows], stream), data.y[rows]) for rows in batches)
        return {"loss": courses.descend(optimizer, losses), **data.errors(method.model, held)}

    history = course.go(settings.epochs, epoch)
    return {
        "row": row,
        "seed": seed,
        "epochs": settings.epochs,
        "cut": settings.cut,
        "weights": sum(weight.numel() for weight in method.parameters()),
        "train": len(kept),
        "validation": len(held),
        "test": len(data.test_x),
        **courses.error_record(history),
        "cpu_seconds": round(course.seconds, 1),
    }


def study(case: str, full: bool) -> dict[str, Any]:
    return courses.kept(NAME, case, full, lambda path: train(case, load(), FULL if full else QUICK, path))


if __name__ == "__main__":
    sys.exit(records.run_figure(NAME, __doc__, cases, study))
