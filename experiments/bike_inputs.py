"""Whether the inputs count at the authors' widths: gradients of I(x; e) and of H(e) on the hire of bicycles.

usage: python -m experiments.bike_inputs [--quick] [--only NAME ...]

The setting of `experiments.bike_noise`: 56 inputs, batches of 32, kernels exp(-d^2/2) of inputs and exp(-d^2) of
errors, Gaussian noise of deviation 1. The network is the one before training. Recorded: the mean cosine between the
gradients of I(x; e) and H(e) in the errors, over batches, and the mean similarity of two different inputs of a batch;
once more with the median width of the inputs.
"""

import sys
import time
from typing import Any

import torch

from experiments import courses, records
from experiments.bike_noise import KERNELS, Members, draw, load
from shearer.kernels import Gaussian
from shearer.neural import DependenceLoss, ErrorEntropyLoss

BATCH = 32
CASES = {"the authors' widths": KERNELS, "median width of inputs": {**KERNELS, "x": Gaussian("median")}}


def study(case: str, quick: bool) -> dict[str, Any]:
    start, kernels = time.process_time(), CASES[case]
    data = load(56)
    network = Members((data.x.shape[1], 100, 100, 10, 1), 1, 1)
    entropy = ErrorEntropyLoss(alpha=2.0, kernel={"e": kernels["e"]}, width_gradient=False)
    noisy = data.y + draw("Gaussian", 1.0, len(data.y), courses.generator(0))
    found: dict[str, list[float]] = {}
    for number in range(5 if quick else 200):
        rows = courses.shuffled(len(data.y), number)[:BATCH]
        with torch.no_grad():
            errors = noisy[rows, None] - network(data.x[rows][None])[0]
        errors.requires_grad_()
        reference = torch.autograd.grad(entropy(errors), errors)[0].flatten()
        for form in ("raw", "centered"):
            loss = DependenceLoss(alpha=2.0, form=form, kernel=kernels, normalize=False, width_gradient=False)
            slope = torch.autograd.grad(loss(data.x[rows], errors), errors)[0].flatten()
            cosine = torch.nn.functional.cosine_similarity(slope, reference, dim=0)
            found.setdefault(f"cosine, {form}", []).append(float(cosine))
        matrix = loss.matrices(x=data.x[rows])[0].double()
        found.setdefault("similarity", []).append(float((matrix.sum() - BATCH) / (BATCH * (BATCH - 1))))
    means = {name: round(sum(values) / len(values), 5) for name, values in found.items()}
    return {"batches": len(found["similarity"]), **means, "cpu_seconds": round(time.process_time() - start, 1)}


if __name__ == "__main__":
    sys.exit(records.run("bike_inputs", __doc__, CASES, study))
