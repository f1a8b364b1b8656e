"""Which loss the robust estimators should have by default: eight noises and shifts of a regression, three of labels.

usage: python -m experiments.robust_defaults [--quick] [--only NAME ...]

"development" cases were looked at while the default was chosen: a function of four inputs, 2 seeds. "judging" cases
were not: another function, of five inputs (Friedman's first), 3 seeds; cases with "more" have the seeds from there to
10. The two functions disagree, on H(e) and I(x;e) of order 1.01 above all: functions of other people, Ishigami's and
Friedman's second, 3 seeds each, were drawn up to decide between these two, the one that is closer to the best there
on average to be the default. It was H(e); the seeds from there to 10 came after that. The error is the root mean
square of fitted less true function on fresh inputs. Every loss trains the same network from the same initial weights
in the same batches (`RobustRegressor`, 200 epochs, 384 rows, targets scaled by their quartiles).
Labels: scikit-learn's digits, half of them to learn from; the error is the part of the other half that is told wrong
(`RobustClassifier`, 40 epochs).

Inputs have the median width, errors the width 0.5 (labels: 1; HSIC: the median), constant in gradients. "raw": the
paper's information; "centered": that of order 2. Huber's loss is quadratic up to 0.3 or 1.
"""

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

from experiments import records
from shearer.kernels import Gaussian
from shearer.neural import DependenceLoss, ErrorEntropyLoss, HSICLoss, RobustClassifier, RobustRegressor

NAME = "robust_defaults"
ROWS, FRESH_ROWS = 384, 2000
SEEDS = {"development": 2, "judging": 3, "Ishigami": 3, "Friedman 2": 3}
OF_LABELS = ("development", "judging")
ALL_SEEDS, MORE = 10, ", more"
MEDIAN = Gaussian("median")
Generator = np.random.Generator
Draw = Callable[[Generator, np.ndarray], np.ndarray]


def wavy(x: np.ndarray) -> np.ndarray:
    return np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2 - x[:, 2] * x[:, 3]


def friedman(x: np.ndarray) -> np.ndarray:
    """Friedman's first function, of inputs from -1.5 to 1.5, with deviation 1 or so."""
    u = (x + 1.5) / 3
    waves = 10 * np.sin(np.pi * u[:, 0] * u[:, 1]) + 20 * (u[:, 2] - 0.5) ** 2
    return (waves + 10 * u[:, 3] + 5 * u[:, 4]) / 5


def ishigami(x: np.ndarray) -> np.ndarray:
    """Ishigami's function of three inputs from -pi to pi, here from -1.5 to 1.5, with deviation 1 or so."""
    a, b, c = (x * (np.pi / 1.5)).T
    return (np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)) / 3.7


def friedman_second(x: np.ndarray) -> np.ndarray:
    """Friedman's second function, of inputs from -1.5 to 1.5, with deviation 1 or so."""
    u = (x + 1.5) / 3
    resistance, frequency = 100 * u[:, 0], np.pi * (40 + 520 * u[:, 1])
    return np.hypot(resistance, frequency * u[:, 2] - 1 / (frequency * (1 + 10 * u[:, 3]))) / 375


FUNCTIONS = {
    "development": (wavy, 4),
    "judging": (friedman, 5),
    "Ishigami": (ishigami, 3),
    "Friedman 2": (friedman_second, 4),
}
NOISES: dict[str, Draw] = {
    "normal": lambda g, x: g.normal(size=len(x)),
    "Laplace": lambda g, x: g.laplace(scale=np.sqrt(0.5), size=len(x)),
    "Student t, 2 degrees": lambda g, x: g.standard_t(2, size=len(x)) / 2,
    "shifted exponential": lambda g, x: 1 - g.exponential(size=len(x)),
    "log-normal": lambda g, x: (g.lognormal(size=len(x)) - np.exp(0.5)) / 2,
    "outliers": lambda g, x: g.normal(size=len(x)) * np.where(g.random(len(x)) < 0.1, 6.0, 0.4),
    "spreading": lambda g, x: g.normal(size=len(x)) * (0.2 + np.abs(x[:, 0])),
    "shifted inputs": lambda g, x: (1 - g.exponential(size=len(x))) / 2,
}


def information(alpha: float, form: str, width: float) -> DependenceLoss:
    kernel = {"x": MEDIAN, "e": Gaussian(width)}
    return DependenceLoss(alpha=alpha, form=form, kernel=kernel, normalize=False, width_gradient=False)


def entropy(alpha: float, width: float) -> ErrorEntropyLoss:
    return ErrorEntropyLoss(alpha=alpha, kernel=Gaussian(width), width_gradient=False)


REGRESSION: dict[str, Any] = {
    "MSE": "mse",
    "MAE": "mae",
    "Huber, 1": nn.HuberLoss(delta=1.0),
    "Huber, 0.3": nn.HuberLoss(delta=0.3),
    "HSIC": HSICLoss(unbiased=False, kernel=MEDIAN, width_gradient=False),
    "H(e), 2": entropy(2.0, 0.5),
    "H(e), 1.01": entropy(1.01, 0.5),
    "I(x;e), centered": information(2.0, "centered", 0.5),
    "I(x;e), raw, 1.01": information(1.01, "raw", 0.5),
}
LABELS: dict[str, Any] = {
    "cross entropy": "cross_entropy",
    "MSE": "mse",
    "MAE": "mae",
    "HSIC": HSICLoss(unbiased=False, kernel={"x": MEDIAN, "e": Gaussian(1.0)}, width_gradient=False),
    "H(e), 2": entropy(2.0, 1.0),
    "H(e), 1.01": entropy(1.01, 1.0),
    "I(x;e), centered": information(2.0, "centered", 1.0),
    "I(x;e), raw, 1.01": information(1.01, "raw", 1.0),
}
DIGITS = ("clean", "30 % flipped", "shifted inputs")
FIRST_CASES = [
    *(f"{noise}, {part}" for part in SEEDS for noise in NOISES),
    *(f"labels, {kind}, {part}" for part in OF_LABELS for kind in DIGITS),
]
CASES = [*FIRST_CASES, *(f"{case}{MORE}" for case in FIRST_CASES)]
TRAINING = {"batch_size": 128, "learning_rate": 3e-3, "weight_decay": 0.0, "dtype": "float64", "progress": False}


def regression(noise: str, part: str, seed: int, epochs: int) -> dict[str, float]:
    """The error of every loss on one sample."""
    truth, inputs = FUNCTIONS[part]
    g = np.random.default_rng([list(NOISES).index(noise), list(SEEDS).index(part), seed])
    x, fresh = g.uniform(-1.5, 1.5, size=(ROWS, inputs)), g.uniform(-1.5, 1.5, size=(FRESH_ROWS, inputs))
    if noise == "shifted inputs":  # many small values to learn from, all alike to tell
        x = 3 * g.beta(1.0, 2.5, size=x.shape) - 1.5
    y = truth(x) + NOISES[noise](g, x)
    found = {}
    for name, loss in REGRESSION.items():
        model = RobustRegressor(loss=loss, max_epochs=epochs, random_state=seed, **TRAINING).fit(x, y)
        found[name] = float(np.sqrt(np.mean((model.predict(fresh) - truth(fresh)) ** 2)))
    return found


def labels(kind: str, part: str, seed: int, epochs: int) -> dict[str, float]:
    """The part told wrong of every loss on one split."""
    x, y = load_digits(return_X_y=True)
    g = np.random.default_rng([list(SEEDS).index(part), seed, 7])
    order = g.permutation(len(x))
    kept, fresh = order[: len(x) // 2], order[len(x) // 2 :]
    known = y[kept].copy()
    if kind.endswith("flipped"):
        flipped = g.random(len(kept)) < 0.3
        known[flipped] = g.integers(0, 10, size=int(flipped.sum()))
    test = x[fresh]
    if kind == "shifted inputs":  # moved by a pixel to either side
        images = test.reshape(-1, 8, 8)
        test = np.stack([np.roll(image, g.choice([-1, 1]), axis=1) for image in images]).reshape(-1, 64)
    found = {}
    for name, loss in LABELS.items():
        model = RobustClassifier(loss=loss, max_epochs=epochs, random_state=seed, **TRAINING).fit(x[kept], known)
        found[name] = float(np.mean(model.predict(test) != y[fresh]))
    return found


def study(case: str, quick: bool) -> dict[str, Any]:
    torch.set_num_threads(1)
    start = time.process_time()
    name, part = case.removesuffix(MORE).rsplit(", ", 1)
    seeds = range(SEEDS[part], ALL_SEEDS) if case.endswith(MORE) else range(SEEDS[part])
    if quick:
        seeds = seeds[:1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if name.startswith("labels, "):
            kind = name.removeprefix("labels, ")
            runs = [labels(kind, part, seed, 3 if quick else 40) for seed in seeds]
        else:
            runs = [regression(name, part, seed, 3 if quick else 200) for seed in seeds]
    best = [min(run, key=run.__getitem__) for run in runs]
    return {
        "seeds": len(seeds),
        "losses": {
            loss: {"errors": [round(run[loss], 4) for run in runs], "best": best.count(loss)} for loss in runs[0]
        },
        "cpu_seconds": round(time.process_time() - start, 1),
    }


if __name__ == "__main__":
    sys.exit(records.run(NAME, __doc__, CASES, study))
