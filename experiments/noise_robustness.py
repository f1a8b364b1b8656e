"""Learning a known function from noisy targets: how far from the truth each loss ends up.

usage: python -m experiments.noise_robustness [--quick] [--only NAME ...]

The noise has mean 0 and does not depend on the inputs. Every loss trains the same network from the same initial weights
in the same batches (`RobustRegressor`), once for all epochs and once stopped early by the loss itself on a fifth of the
rows. The error is the root mean square of fitted less true function on fresh inputs; "shape" is the same after the best
constant was added, so that the bias correction does not count. Inputs have the median width, errors the width 0.5
(HSIC, I*: the median), constant in gradients; information is the paper's (raw).
"""

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

from experiments import records
from shearer.kernels import Gaussian
from shearer.neural import DependenceLoss, ErrorEntropyLoss, HSICLoss, RobustRegressor

ROWS, FRESH_ROWS, SEEDS = 384, 2000, 20
Generator = np.random.Generator


def truth(x: np.ndarray) -> np.ndarray:
    return np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2 - x[:, 2] * x[:, 3]


NOISES: dict[str, Callable[[Generator, int], np.ndarray]] = {
    "normal": lambda g, n: g.normal(size=n),
    "shifted exponential": lambda g, n: 1 - g.exponential(size=n),
    "log-normal": lambda g, n: (g.lognormal(size=n) - np.exp(0.5)) / 2,
    "Laplace": lambda g, n: g.laplace(scale=np.sqrt(0.5), size=n),
    "Student t, 2 degrees": lambda g, n: g.standard_t(2, size=n) / 2,
}
MEDIAN, FIXED = Gaussian("median"), Gaussian(0.5)


def information(alpha: float, kernel: Gaussian, normalize: bool = False) -> DependenceLoss:
    """The paper's I(x; e)."""
    return DependenceLoss(
        alpha=alpha, form="raw", kernel={"x": MEDIAN, "e": kernel}, normalize=normalize, width_gradient=False
    )


LOSSES = {
    "MSE": "mse",
    "MAE": "mae",
    "HSIC": HSICLoss(unbiased=False, kernel=MEDIAN, width_gradient=False),
    "H(e), 1.01": ErrorEntropyLoss(alpha=1.01, kernel=FIXED, width_gradient=False),
    "I(x;e), 1.01": information(1.01, FIXED),
    "I(x;e), 2": information(2.0, FIXED),
    "I*(x;e), 2": information(2.0, MEDIAN, normalize=True),
}
TRAINING = {"batch_size": 128, "max_epochs": 200, "learning_rate": 3e-3, "weight_decay": 0.0, "dtype": "float64"}
STOPPING = {"early_stopping": True, "validation_fraction": 0.2, "patience": 20, "tol": 1e-4}
CASES = [f"{noise}, {how}" for how in ("stopped early", "all epochs") for noise in NOISES]


def trial(draw: Callable[[Generator, int], np.ndarray], seed: list[int], options: dict) -> dict[str, list[float]]:
    """Error and shape error of every loss on one sample."""
    g = np.random.default_rng(seed)
    x, fresh = g.uniform(-1.5, 1.5, size=(ROWS, 4)), g.uniform(-1.5, 1.5, size=(FRESH_ROWS, 4))
    y = truth(x) + draw(g, ROWS)
    found = {}
    for name, loss in LOSSES.items():
        model = RobustRegressor(loss=loss, random_state=seed[-1], progress=False, **options).fit(x, y)
        error = model.predict(fresh) - truth(fresh)
        found[name] = [float(np.sqrt(np.mean(error**2))), float(np.std(error))]
    return found


def study(case: str, quick: bool) -> dict:
    noise, how = case.rsplit(", ", 1)
    options: dict = TRAINING | (STOPPING if how == "stopped early" else {})
    if quick:
        options["max_epochs"] = 5
    seeds, start = (2 if quick else SEEDS), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that I falls below 0 at alpha=2 is a result here
        runs = [trial(NOISES[noise], [list(NOISES).index(noise), seed], options) for seed in range(seeds)]
    errors = {name: np.array([run[name] for run in runs]) for name in LOSSES}
    best = [min(run, key=lambda name: run[name][0]) for run in runs]
    return {
        "rows": ROWS,
        "seeds": seeds,
        "cpu_seconds": round(time.process_time() - start, 1),
        "losses": {
            name: {
                "error": np.quantile(found[:, 0], [0.25, 0.5, 0.75]).round(4).tolist(),
                "shape": np.quantile(found[:, 1], [0.25, 0.5, 0.75]).round(4).tolist(),
                "best": best.count(name),
            }
            for name, found in errors.items()
        },
    }


if __name__ == "__main__":
    sys.exit(records.run("noise_robustness", __doc__, CASES, study))
