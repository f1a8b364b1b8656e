"""A random table with known dependences."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Planted:
    """A table and the dependences in it.

    Attributes
    ----------
    columns : dict of name -> array
        The table, each array of shape (n,).
    pairs : dict of (name, name) -> description
        Pairs that depend on each other.
    triples : dict of (name, name, name) -> description
        Triples that depend although no two of their columns do.
    relations : dict
        `pairs` and `triples` together.

    Examples
    --------
    >>> from shearer.datasets import planted_table
    >>> len(planted_table(50).relations)
    4
    """

    columns: dict[str, Any]
    pairs: dict[tuple[str, ...], str]
    triples: dict[tuple[str, ...], str]

    @property
    def relations(self) -> dict[tuple[str, ...], str]:
        """The pairs and the triples together."""
        return self.pairs | self.triples


def planted_table(n: int = 300, *, rng: np.random.Generator | int | None = 0) -> Planted:
    """Draw a table with a line, a ring, a label that shifts a number, an XOR that no pair shows, and noise.

    Parameters
    ----------
    n : int, default 300
        Number of rows.
    rng : Generator, int or None, default 0
        Source of randomness; the same seed gives the same table.

    Returns
    -------
    Planted
        The table, and which pairs and triples depend; all other pairs are independent.

    Examples
    --------
    >>> table = planted_table(100)
    >>> list(table.columns)
    ['dose', 'response', 'ring_x', 'ring_y', 'species', 'weight', 'switch_a', 'switch_b', 'lamp', 'noise_1', 'noise_2']
    >>> table.triples
    {('switch_a', 'switch_b', 'lamp'): 'XOR of two switches'}
    """
    generator = np.random.default_rng(rng)
    dose = generator.normal(size=n)
    angle = generator.uniform(0.0, 2.0 * np.pi, size=n)
    species = generator.integers(0, 3, size=n)
    switch_a, switch_b = generator.integers(0, 2, size=(2, n)).astype(bool)
    columns = {
        "dose": dose,
        "response": 0.8 * dose + 0.6 * generator.normal(size=n),
        "ring_x": np.cos(angle) + 0.1 * generator.normal(size=n),
        "ring_y": np.sin(angle) + 0.1 * generator.normal(size=n),
        "species": np.array(["finch", "gull", "heron"])[species],
        "weight": species + 0.7 * generator.normal(size=n),
        "switch_a": switch_a,
        "switch_b": switch_b,
        "lamp": switch_a ^ switch_b,
        "noise_1": generator.normal(size=n),
        "noise_2": generator.standard_t(3, size=n),
    }
    pairs: dict[tuple[str, ...], str] = {
        ("dose", "response"): "line with noise",
        ("ring_x", "ring_y"): "ring, uncorrelated",
        ("species", "weight"): "label shifts number",
    }
    triples: dict[tuple[str, ...], str] = {("switch_a", "switch_b", "lamp"): "XOR of two switches"}
    return Planted(columns, pairs, triples)
