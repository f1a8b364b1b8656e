"""Table 5 with the mended gradient and with |z|^2: the first epochs of the trainings of `bottleneck_mnist`.

usage: python -m experiments.bottleneck_first [--quick | --full] [--only NAME ...]

The same network, images, batches, optimizer and rates, seed by seed, stopped after 5 of 40 epochs: up to there the
trainings are those of `bottleneck_mnist`, whose records have the test error of every epoch, so that a method here
stands beside the first 5 epochs of those there. `late` is the mean test error of epochs 3 to 5: no epoch is chosen, on
validation or test images. "baseline, seed 1" is trained again, to see whether it is the same training. `--full`: 25 of
the paper's 200 epochs, which would stand beside `bottleneck_mnist --full`.
"""

import sys
from dataclasses import replace
from typing import Any

from experiments import courses, records
from experiments.bottleneck_mnist import FULL, MENDED, QUICK, load, train

NAME = "bottleneck_first"
SEEDS = (1, 2, 3)
PART = 8  # the first eighth of the epochs


def cases(_full: bool) -> list[str]:
    return [*(f"{name}, seed {seed}" for name in MENDED for seed in SEEDS), "baseline, seed 1"]


def study(case: str, full: bool) -> dict[str, Any]:
    whole = FULL if full else QUICK
    settings = replace(whole, stop=whole.epochs // PART)
    found = courses.kept(NAME, case, full, lambda path: train(case, load(), settings, path))
    return {**found, "of_epochs": whole.epochs, "late": courses.late(found["test_errors"])}


if __name__ == "__main__":
    sys.exit(records.run_figure(NAME, __doc__, cases, study))
