"""Samples of distributions whose mutual information or total correlation is known in bits."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from shearer._validate import check_inside
from shearer.inference.permutation.resampling import check_count


@dataclass(frozen=True, eq=False)
class Law:
    """A sample, and the information that its distribution has.

    Attributes
    ----------
    columns : dict of name -> array
        The sample, each array of shape (n,).
    bits : dict of tuple of names -> float
        Shannon's mutual information of two columns, and total correlation of three, in bits. These are values of the
        distribution, not estimates from the sample.

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
    """Draw two normal variables with correlation r, which have -log2(1 - r^2) / 2 bits of mutual information.

    Parameters
    ----------
    n : int, default 200
        Number of rows.
    correlation : float, default 0.6
        r, above -1 and below 1.
    rng : Generator, int or None, default 0
        Source of randomness; the same seed gives the same sample.

    Returns
    -------
    Law
        Columns x and y, of mean 0 and variance 1.

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
    """Draw two fair coins and their exclusive or: two of the three are independent, all three are not.

    The total correlation of the three is 1 - h(flips) bits, where h(p) = -p log2(p) - (1 - p) log2(1 - p).

    Parameters
    ----------
    n : int, default 200
        Number of rows.
    flips : float, default 0
        Probability, from 0 to 1, with which the third is inverted in a row.
    rng : Generator, int or None, default 0
        Source of randomness; the same seed gives the same sample.

    Returns
    -------
    Law
        Columns a, b and c of booleans.

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
    """Draw points uniformly from a ring: their coordinates are uncorrelated but dependent.

    The mutual information follows from the density of one coordinate, which is the length of the chord at its value
    divided by the area.

    Parameters
    ----------
    n : int, default 200
        Number of rows.
    inner : float, default 0.8
        Inner radius, from 0 (a disc) to below 1, which is the outer radius.
    rng : Generator, int or None, default 0
        Source of randomness; the same seed gives the same sample.

    Returns
    -------
    Law
        Columns x and y.

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
