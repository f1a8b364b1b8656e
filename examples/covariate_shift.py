"""Regression under covariate shift: train on one range of inputs, predict on another.

The truth bends; most of the training inputs lie on the left, all new ones on the right. The noise is skewed. A network
trained on I(x; e) is asked to leave nothing of x in its errors anywhere it has seen, one trained on squared error is
asked to be right on average where the data are.

usage: python examples/covariate_shift.py [--rows N] [--epochs N] [--seeds N]
"""

import argparse
from collections.abc import Sequence

import numpy as np

from shearer.neural import RobustRegressor

LOSSES = ("mse", "mae", "hsic", "error_entropy", "dependence")


def truth(x: np.ndarray) -> np.ndarray:
    """What is to be learned."""
    return np.sin(1.5 * x[:, 0]) + 0.5 * x[:, 0]


def source(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs around -1, few of them beyond 1; targets with exponential noise of mean 0."""
    x = rng.normal(-1.0, 1.2, size=(rows, 1))
    return x, truth(x) + rng.exponential(0.7, size=rows) - 0.7


def target(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Inputs around 1.2."""
    return rng.normal(1.2, 0.6, size=(rows, 1))


def main(arguments: Sequence[str] | None = None) -> dict[str, tuple[float, float]]:
    """Fit by every loss and print the errors where the inputs were and where they are going."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args(arguments)
    print(f"{'loss':<16}{'error, same inputs':>20}{'error, shifted inputs':>24}")
    found = {}
    for loss in LOSSES:
        errors = []
        for seed in range(options.seeds):
            rng = np.random.default_rng(seed)
            x, y = source(rng, options.rows)
            model = RobustRegressor(loss=loss, batch_size=64, max_epochs=options.epochs, random_state=seed).fit(x, y)
            fresh = source(rng, 1000)[0], target(rng, 1000)
            errors.append([np.sqrt(np.mean((model.predict(new) - truth(new)) ** 2)) for new in fresh])
        same, shifted = (float(value) for value in np.mean(errors, axis=0))
        found[loss] = (same, shifted)
        print(f"{loss:<16}{same:>20.3f}{shifted:>24.3f}")
    return found


if __name__ == "__main__":
    main()
