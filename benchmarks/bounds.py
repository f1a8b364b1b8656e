"""Certified bounds against exact values with 50 digits, over 1000 random cases."""

import sys
import time
from pathlib import Path

import mpmath as mp
import numpy as np

from benchmarks.cases import Case
from shearer.data import read
from shearer.kernels import Gaussian, Gram, Laplacian, grams, hadamard
from shearer.spectrum.lowrank import certificate, cholesky

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from reference import oracle

CASES = 1000
ALPHAS = (0.5, 0.75, 0.95, 1.0, 1.01, 1.5, 2.0, 3.0, 5.0)
SLACK = 1e-12


def random_case(rng: np.random.Generator) -> tuple[Gram, list[mp.matrix]]:
    """Kernels, dimensions, tails, ties, widths and joints, small enough for 50 digits."""
    n = int(rng.integers(4, 13))
    pieces, matrices = [], []
    for _ in range(int(rng.integers(1, 4))):
        values = rng.standard_t(rng.choice([1.5, 3, 30]), size=(n, int(rng.integers(1, 4))))
        if rng.uniform() < 0.3:
            values = np.round(values)
        width = float(10 ** rng.uniform(-1, 1.5))
        laplacian = rng.uniform() < 0.3
        pieces.append(grams(read(values, vector=True), (Laplacian if laplacian else Gaussian)(width))[0])
        matrices.append((oracle.laplacian if laplacian else oracle.gaussian)(values, width))
    return hadamard(pieces), matrices


def run() -> list[Case]:
    rng = np.random.default_rng(0)
    outside, widths, start = 0, [], time.perf_counter()
    for done in range(CASES):
        gram, matrices = random_case(rng)
        alpha = float(rng.choice(ALPHAS))
        most = int(rng.integers(1, gram.n + 1))  # from hardly anything known to round-off
        _, spectrum = cholesky.factorize(gram, alpha, rng, most, lambda _: False)
        lower, upper = certificate.bounds(spectrum, alpha)
        exact = float(oracle.entropy(matrices, mp.mpf(alpha)))
        outside += not lower - SLACK <= exact <= upper + SLACK
        widths.append(upper - lower)
        if sys.stderr.isatty() and time.perf_counter() - start > 2:
            print(f"\r{done + 1}/{CASES}", end="", file=sys.stderr)
    median = float(np.median(widths))
    note = f"{CASES} cases, {outside} outside; median width {median:.3g} bits"
    return [Case("exact values outside the certified bounds", outside, 1, "cases", at_most=0, note=note)]
