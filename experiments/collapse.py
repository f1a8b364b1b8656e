"""What a bottleneck's price does to its code: with and without the width in the gradient, beside plainer penalties.

usage: python -m experiments.collapse [--quick] [--only NAME ...]

A part of Table 5: the perceptron 784-256-256-64-10 on 5000 images of MNIST, 2000 more for validation, Adam at 1e-3,
batches of 100, 8 epochs. "held": the gradient takes the width of z for a constant, as the authors' program does;
"known": it knows that the width moves with z. Order 1.01, information in bits and raw, widths "authors-dib". |z|^2 is a
penalty on the size of z alone. The epoch is chosen on the validation images. `size` is the deviation of z in the last
epoch over that before training.
"""

import sys
import time
import warnings
from typing import Any

import torch
from torch import nn

from experiments import courses, records
from experiments.bottleneck_mnist import load
from experiments.bottleneck_models import Method, make

NAME = "collapse"
TRAIN, VALIDATION, BATCH, EPOCHS, SEEDS = 5000, 2000, 100, 8, 3
SIZES = (784, 256, 256, 64)
BETAS = (0.01, 0.03, 0.1)
NORMS = (1e-4, 1e-3, 1e-2)
METHODS = [
    "plain",
    "label smoothing",
    "VIB",
    *(f"DIB held, beta {beta:g}" for beta in BETAS),
    *(f"DIB known, beta {beta:g}" for beta in BETAS),
    *(f"|z|^2, beta {beta:g}" for beta in NORMS),
]
CASES = [f"{method}, seed {seed}" for seed in range(1, SEEDS + 1) for method in METHODS]


def method_of(name: str, sizes: tuple[int, ...]) -> Method:
    """The network and its loss."""
    kind, _, beta = name.partition(", beta ")
    return make("DIB" if kind == "DIB held" else kind, sizes, 10, float(beta) if beta else None)


def train(case: str, data: courses.Labelled, sizes: tuple[int, ...], epochs: int) -> dict[str, Any]:
    """Train one method from one seed."""
    name, digits = case.rsplit(", seed ", 1)
    seed, start = int(digits), time.process_time()
    torch.manual_seed(seed)
    method = method_of(name, sizes)
    order = courses.shuffled(len(data.x), seed)
    held, kept = order[:VALIDATION], order[VALIDATION : VALIDATION + TRAIN]
    first = size(method.model, data.x[held])
    optimizer = torch.optim.Adam(method.parameters(), lr=1e-3)
    history: courses.History = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that z shrinks is a result here
        for number in range(1, epochs + 1):
            method.train()
            batches = courses.batches(kept, BATCH, seed, number)
            loss = courses.descend(optimizer, (method.loss(data.x[rows], data.y[rows]) for rows in batches))
            history.append({"epoch": number, "loss": loss, **data.errors(method.model, held)})
    last = size(method.model, data.x[held])
    return {
        "method": name,
        "seed": seed,
        "epochs": epochs,
        "train": len(kept),
        "validation": len(held),
        **courses.error_record(history),
        "size": None if last is None or first is None else round(last / first, 5),
        "cpu_seconds": round(time.process_time() - start, 1),
    }


def size(model: nn.Module, x: torch.Tensor) -> float | None:
    """Root mean square of the deviations of z."""
    if not isinstance(model, nn.Sequential):
        return None
    with torch.no_grad():
        for name, layer in model.named_children():
            x = layer(x)
            if name == "bottleneck":
                return float(x.std(dim=0).square().mean().sqrt())
    return None


def study(case: str, quick: bool) -> dict[str, Any]:
    torch.set_num_threads(1)
    return train(case, load(), SIZES, 2 if quick else EPOCHS)


if __name__ == "__main__":
    sys.exit(records.run(NAME, __doc__, CASES, study))
