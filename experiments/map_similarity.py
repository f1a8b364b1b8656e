"""Figures 4 and 10 by numbers that know chance: CKA and adjusted T of the feature maps of VGG16 while it learns.

usage: python -m experiments.map_similarity [--quick | --full] [--only NAME ...]

The trainings of `vgg_dynamics`, seed by seed, stopped after 20 of 60 epochs: up to there they are the same trainings.
At the looks in between, of the 13 convolutions on 128 test pictures: the mean over pairs of maps of debiased CKA, T
adjusted for chance, (T - chance) / (copies - chance), and the paper's T*, all with median widths and at order 2;
"shuffled": the pictures of each map in an order of their own. `--full` has the whole network and a third of 400 epochs.
"""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from experiments import courses, records
from experiments.cifar_errors import load
from experiments.cifar_networks import CONVOLUTIONS
from experiments.vgg_dynamics import FULL, QUICK, cases, outputs, shuffled, train
from shearer.kernels import Gaussian
from shearer.neural import FeatureMapMonitor
from shearer.neural.feature_maps import map_dependence

NAME = "map_similarity"
PART = 3  # the first third of the epochs
WIDTH = Gaussian("median")
VALUES = {"CKA": "cka", "adjusted T": "adjusted", "T*(2)": "total_correlation"}


def observe(model: nn.Module, x: Tensor) -> dict[str, Any]:
    """Values of every layer, as they are and with the pictures of each map shuffled."""
    monitor = FeatureMapMonitor(model, CONVOLUTIONS, alpha=2.0, kernel=WIDTH, pairs=False)
    rows = monitor.observe(x, step=0)
    found = {name: [round(row[key], 5) for row in rows] for name, key in VALUES.items()}
    apart = [strangers(maps) for maps in outputs(model, x).values()]
    for name, key in VALUES.items():
        found[f"{name}, shuffled"] = [round(each[key], 5) for each in apart]
    return found


def strangers(maps: Tensor) -> dict[str, float]:
    """The same values of maps (images, maps, pixels), each with the images in an order of its own."""
    mixed = torch.from_numpy(np.stack(shuffled(maps), axis=1))
    found = map_dependence(mixed, alpha=2.0, kernel=WIDTH, pairs=False)
    return {"cka": found.mean_cka, "adjusted": found.adjusted, "total_correlation": found.total_correlation}


def study(case: str, full: bool) -> dict[str, Any]:
    whole = FULL if full else QUICK
    settings = replace(whole, stop=whole.epochs // PART)
    found = courses.kept(NAME, case, full, lambda path: train(case, load(), settings, path, observe))
    return {**found, "of_epochs": whole.epochs}


if __name__ == "__main__":
    sys.exit(records.run_figure(NAME, __doc__, cases, study))
