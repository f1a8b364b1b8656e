"""Table 3 with inputs that count: the first epochs of the trainings of `fashion_shift`.

usage: python -m experiments.fashion_first [--quick | --full] [--only NAME ...]

The same network, images, batches and optimizer, seed by seed, stopped after 3 of 10 epochs (`--full`: 30 of 100), with
I(x; e) at the median width of inputs and the width 1 of errors, order 1.01: the row in which inputs count. Up to there
the trainings are those of `fashion_shift`, whose records have the accuracy on turned images after every epoch. `late`
is its mean over epochs 2 and 3: no epoch is chosen.
"""

import sys
from dataclasses import replace
from typing import Any

from experiments import courses, records
from experiments.fashion_shift import FULL, LOSSES, PUBLISHED, QUICK, load, train

NAME = "fashion_first"
SEEDS = (1, 2, 3)
SHARE = 0.3


def cases(_full: bool) -> list[str]:
    return [f"{name}, seed {seed}" for name in LOSSES if name not in PUBLISHED for seed in SEEDS]


def study(case: str, full: bool) -> dict[str, Any]:
    whole = FULL if full else QUICK
    settings = replace(whole, stop=round(SHARE * whole.epochs))
    found = courses.kept(NAME, case, full, lambda path: train(case, load(), settings, path))
    return {**found, "of_epochs": whole.epochs, "late": courses.late(found["targets"])}


if __name__ == "__main__":
    sys.exit(records.run_figure(NAME, __doc__, cases, study))
