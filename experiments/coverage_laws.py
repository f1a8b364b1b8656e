"""Laws whose population values are known: a sampler, and points with weights that stand for the law itself.

The population's kernel operator is an integral over the law. With nodes z_i and weights w_i of a quadrature that is
exact for smooth functions its eigenvalues are those of sqrt(w_i) k(z_i, z_j) sqrt(w_j): no large sample, no error of
one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import scipy.special
from numpy.typing import NDArray

import shearer as sh
from shearer.data import read
from shearer.kernels import grams
from shearer.kernels.gram import hadamard
from shearer.spectrum.lowrank.cholesky import Factorization

Array = NDArray[Any]
Sample = tuple[Array, ...]
LETTERS = np.array(list("abcdefgh"))
# Mass of the operator that a factor may leave out; of heavy tails 1e-5 is far out, in places of its own.
RESIDUAL, RESIDUAL_OF_TAILS = 1e-8, 1e-5
MOST_RANK = 3000


@dataclass(frozen=True)
class Law:
    """A law of several variables.

    Attributes
    ----------
    words : str
        What it is.
    draw : callable
        (rng, n) -> sample.
    nodes : callable
        () -> columns and weights.
    measures : tuple of str
        What is measured of it.
    residual : float
        Mass of an operator that may be left out.
    """

    words: str
    draw: Callable[[np.random.Generator, int], Sample]
    nodes: Callable[[], tuple[Sample, Array]]
    measures: tuple[str, ...] = ("mutual_information",)
    residual: float = RESIDUAL


def product(*axes: tuple[Array, Array]) -> tuple[list[Array], Array]:
    """Nodes and weights of independent variables."""
    points = [part.ravel() for part in np.meshgrid(*(nodes for nodes, _ in axes), indexing="ij")]
    return points, reduce(np.multiply.outer, (weights for _, weights in axes)).ravel()


def hermite(count: int) -> tuple[Array, Array]:
    """The standard normal law."""
    nodes, weights = scipy.special.roots_hermitenorm(count)
    return nodes, weights / weights.sum()


def evenly(levels: int) -> tuple[Array, Array]:
    return np.arange(levels), np.full(levels, 1.0 / levels)


def student(step: float = 0.5, reach: float = 40.0) -> tuple[Array, Array]:
    """Student's t with 3 degrees of freedom, by the trapezoidal rule; 3e-5 of it lies beyond."""
    nodes = np.arange(-reach, reach + step / 2, step)
    weights = (1 + nodes**2 / 3) ** -2
    return nodes, weights / weights.sum()


def normal(correlation: float, count: int = 28) -> Law:
    rest = math.sqrt(1 - correlation**2)

    def draw(rng: np.random.Generator, n: int) -> Sample:
        x, e = rng.normal(size=(2, n))
        return x, correlation * x + rest * e

    def nodes() -> tuple[Sample, Array]:
        (x, e), weights = product(hermite(count), hermite(count))
        return (x, correlation * x + rest * e), weights

    return Law(f"normal, correlation {correlation:g}", draw, nodes)


def three_normals(correlation: float = 0.5, count: int = 12) -> Law:
    own, common = math.sqrt(1 - correlation), math.sqrt(correlation)

    def draw(rng: np.random.Generator, n: int) -> Sample:
        z, *parts = rng.normal(size=(4, n))
        return tuple(common * z + own * e for e in parts)

    def nodes() -> tuple[Sample, Array]:
        root = np.linalg.cholesky(np.full((3, 3), correlation) + (1 - correlation) * np.eye(3))
        parts, weights = product(*[hermite(count)] * 3)
        return tuple(root @ np.array(parts)), weights

    measures = ("total_correlation", "dual_total_correlation", "o_information")
    return Law(f"three normal variables, correlations {correlation:g}", draw, nodes, measures)


def ring() -> Law:
    def draw(rng: np.random.Generator, n: int) -> Sample:
        angle = rng.uniform(0, 2 * np.pi, size=n)
        x, y = np.cos(angle), np.sin(angle)
        return x + 0.1 * rng.normal(size=n), y + 0.1 * rng.normal(size=n)

    def nodes() -> tuple[Sample, Array]:
        turn = 2 * np.pi * np.arange(48) / 48
        (angle, e, f), weights = product((turn, np.full(48, 1 / 48)), hermite(5), hermite(5))
        return (np.cos(angle) + 0.1 * e, np.sin(angle) + 0.1 * f), weights

    return Law("a circle of radius 1 with noise of 0.1", draw, nodes)


def shifted(levels: int, shift: float, words: str) -> Law:
    def draw(rng: np.random.Generator, n: int) -> Sample:
        label = rng.integers(levels, size=n)
        return LETTERS[label], shift * label + rng.normal(size=n)

    def nodes() -> tuple[Sample, Array]:
        (label, e), weights = product(evenly(levels), hermite(28))
        label = label.astype(int)
        return (LETTERS[label], shift * label + e), weights

    return Law(words, draw, nodes)


def heavy_tailed() -> Law:
    def draw(rng: np.random.Generator, n: int) -> Sample:
        x, e = rng.standard_t(3, size=(2, n))
        return x, x + e

    def nodes() -> tuple[Sample, Array]:
        (x, e), weights = product(student(), student())
        kept = weights > 1e-8
        return (x[kept], (x + e)[kept]), weights[kept] / weights[kept].sum()

    return Law("Student's t with 3 degrees of freedom, and that plus another", draw, nodes, residual=RESIDUAL_OF_TAILS)


def table(words: str, chances: Any, measures: tuple[str, ...] = ("mutual_information",)) -> Law:
    """Labels with these joint chances."""
    chances = np.asarray(chances)
    cells = tuple(LETTERS[index.ravel()] for index in np.indices(chances.shape))

    def draw(rng: np.random.Generator, n: int) -> Sample:
        chosen = rng.choice(chances.size, size=n, p=chances.ravel())
        return tuple(column[chosen] for column in cells)

    return Law(words, draw, lambda: (cells, chances.ravel()), measures)


def noisy_xor(flips: float = 0.1) -> Array:
    chances = np.empty((2, 2, 2))
    for a, b, c in np.ndindex(2, 2, 2):
        chances[a, b, c] = (1 - flips if a ^ b == c else flips) / 4
    return chances


LAWS = {
    "independent_normal": normal(0.0),
    "weak_normal": normal(0.2),
    "linear_normal": normal(0.7),
    "ring": ring(),
    "shifted_by_label": shifted(3, 1.0, "three labels that shift a normal number by one standard deviation each"),
    "weak_label": shifted(2, 0.3, "two labels that shift a normal number by 0.3 standard deviations"),
    "heavy_tailed": heavy_tailed(),
    "table": table("labels, 2 x 3 table", [[0.3, 0.15, 0.05], [0.05, 0.15, 0.3]]),
    "rare_table": table("labels, table with a cell of 1 %", [[0.93, 0.03], [0.03, 0.01]]),
    "three_normals": three_normals(),
    "noisy_xor": table(
        "exclusive or, one in ten flipped",
        noisy_xor(),
        ("total_correlation", "dual_total_correlation", "o_information"),
    ),
}


def operator_bits(
    columns: Sample, weights: Array, widths: tuple[float | None, ...], residual: float = RESIDUAL
) -> float:
    """Entropy of order 1, in bits, of the population's operator, from its nodes."""
    chosen = {f"x{i}": sh.kernels.Gaussian(w) for i, w in enumerate(widths, 1) if w is not None}
    gram = hadamard(grams(read(*columns), chosen))
    work = Factorization(gram, np.random.default_rng(0))
    work.weigh(weights)
    while weights @ work.residual > residual and work.grow(min(gram.n, MOST_RANK)):
        pass
    eigenvalues = np.linalg.eigvalsh((work.factor * weights[:, None]).T @ work.factor)
    present = eigenvalues[eigenvalues > 1e-15]
    return float(-np.sum(present * np.log2(present)))
