"""Samples of laws whose information is known in bits."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from shearer._validate import check_inside
from shearer.inference.permutation.resampling import check_count


@dataclass(frozen=True, eq=False)
class Law:
    """A sample, and what its law says.

    Attributes
    ----------
    columns : dict of name -> array
        The sample.
    bits : dict of tuple of names -> float
        Shannon's total correlation of sets of columns under the law; of two columns their mutual information.

    Examples
    --------
    >>> from shearer.datasets import xor
    >>> law = xor(8)
    >>> len(law.columns), max(law.bits.values())
    (3, 1.0)
    """

    columns: dict[str, Any]
    bits: dict[tuple[str, ...], float]


def gaussian_pair(n: int = 200, *, correlation: float = 0.6, rng: np.random.Generator | int | None = 0) -> Law:
    """Two normal variables: -log2(1 - r^2) / 2 bits.

    Parameters
    ----------
    n : int
        Rows.
    correlation : float
        r, between -1 and 1.
    rng : Generator, int or None
        Source of randomness.

    Examples
    --------
    >>> round(gaussian_pair(correlation=0.6).bits[("x", "y")], 6)
    0.321928
    """
    check_count("n", n, 1)
    r = check_inside("correlation", correlation, "a number between -1 and 1", lambda r: -1 < r < 1)
    x, other = np.random.default_rng(rng).normal(size=(2, n))
    return Law({"x": x, "y": r * x + math.sqrt(1 - r**2) * other}, {("x", "y"): -math.log2(1 - r**2) / 2})


def xor(n: int = 200, *, flips: float = 0.0, rng: np.random.Generator | int | None = 0) -> Law:
    """Two fair coins and their exclusive or: no pair has any information, the three have 1 - h(flips) bits.

    Parameters
    ----------
    n : int
        Rows.
    flips : float
        Share of rows, from 0 to 1, in which the third is inverted at random.
    rng : Generator, int or None
        Source of randomness.

    Examples
    --------
    >>> xor(4).bits
    {('a', 'b'): 0.0, ('a', 'c'): 0.0, ('b', 'c'): 0.0, ('a', 'b', 'c'): 1.0}
    """
    check_count("n", n, 1)
    share = check_inside("flips", flips, "a number from 0 to 1", lambda share: 0 <= share <= 1)
    generator = np.random.default_rng(rng)
    a, b = generator.integers(2, size=(2, n)).astype(bool)
    flipped = generator.uniform(size=n) < share
    doubt = -sum(p * math.log2(p) for p in (share, 1 - share) if p > 0)
    bits: dict[tuple[str, ...], float] = dict.fromkeys((("a", "b"), ("a", "c"), ("b", "c")), 0.0)
    return Law({"a": a, "b": b, "c": a ^ b ^ flipped}, bits | {("a", "b", "c"): 1.0 - doubt})


def ring(n: int = 200, *, inner: float = 0.8, rng: np.random.Generator | int | None = 0) -> Law:
    """Points spread evenly over a ring: uncorrelated, with bits that the chords through it give.

    Parameters
    ----------
    n : int
        Rows.
    inner : float
        Inner radius, from 0 (a disc) to below the outer radius 1.
    rng : Generator, int or None
        Source of randomness.

    Examples
    --------
    >>> round(ring(inner=0.0).bits[("x", "y")], 6)  # (ln pi - 1) / ln 2
    0.208801
    >>> ring(inner=0.9).bits[("x", "y")] > 1
    True
    """
    check_count("n", n, 1)
    hole = check_inside("inner", inner, "a number from 0 to below 1", lambda radius: 0 <= radius < 1)
    generator = np.random.default_rng(rng)
    radius = np.sqrt(generator.uniform(hole**2, 1.0, size=n))
    angle = generator.uniform(0.0, 2.0 * np.pi, size=n)
    bits = 2 * _chord_entropy(hole) - math.log2(math.pi * (1 - hole**2))
    return Law({"x": radius * np.cos(angle), "y": radius * np.sin(angle)}, {("x", "y"): bits})


def _chord_entropy(hole: float) -> float:
    """Differential entropy in bits of one coordinate, whose density is the length of the chord there over the area."""
    from scipy.integrate import quad

    area = math.pi * (1 - hole**2)

    def term(x: float) -> float:
        density = 2 * (math.sqrt(max(1 - x**2, 0.0)) - math.sqrt(max(hole**2 - x**2, 0.0))) / area
        return -density * math.log2(density) if density > 0 else 0.0

    halves = [quad(term, *span, limit=200)[0] for span in ((0.0, hole), (hole, 1.0))]
    return float(2 * sum(halves))
