"""Measure a table with planted relations and say what was found, without knowing what was planted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from shearer.datasets import Planted, planted_table
from shearer.measures import Dependence

SHUFFLES = 20
# Values this many standard deviations above those of shuffled columns count as found: with some 70 candidates
# a bar that noise does not reach. Tests with p-values are the job of inference, not of a demonstration.
BAR = 8.0


@dataclass(frozen=True)
class Finding:
    """A set of columns, how strongly they depend, and what the same columns give when shuffled."""

    names: tuple[str, ...]
    value: float
    chance: float
    score: float

    @property
    def found(self) -> bool:
        """True if shuffling makes a clear difference."""
        return self.score > BAR


@dataclass(frozen=True)
class Demonstration:
    """What was planted and what was found."""

    planted: Planted
    pairs: tuple[Finding, ...]
    triples: tuple[Finding, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, strongest first, pairs before triples."""
        return tuple(finding for group in (self.pairs, self.triples) for finding in group if finding.found)

    def finding(self, names: tuple[str, ...]) -> Finding | None:
        """What was measured of these columns, if they were measured."""
        return next((item for item in (*self.pairs, *self.triples) if set(item.names) == set(names)), None)


def demonstrate(
    rows: int = 200, seed: int = 0, track: Callable[[list[Any]], Iterable[Any]] = lambda items: items
) -> Demonstration:
    """Measure every pair, then every triple of the columns that no pair explains.

    Parameters
    ----------
    rows, seed
        Size and seed of the table.
    track : callable
        Wraps the list of candidates in hand, to show progress.
    """
    planted = planted_table(rows, rng=seed)
    rng = np.random.default_rng(seed)
    names = list(planted.columns)
    pairs = [_measure(planted, pair, rng) for pair in track(list(combinations(names, 2)))]
    explained = {name for finding in pairs if finding.found for name in finding.names}
    left = [name for name in names if name not in explained]
    triples = [_measure(planted, triple, rng) for triple in track(list(combinations(left, 3)))]
    return Demonstration(planted, _ranked(pairs), _ranked(triples))


def _ranked(findings: list[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: -finding.score))


def _measure(planted: Planted, names: tuple[str, ...], rng: np.random.Generator) -> Finding:
    columns = {name: planted.columns[name] for name in names}
    value = _dependence(columns)
    shuffled = [
        _dependence({name: rng.permutation(column) for name, column in columns.items()}) for _ in range(SHUFFLES)
    ]
    chance, spread = float(np.mean(shuffled)), float(np.std(shuffled, ddof=1))
    return Finding(names, value, chance, (value - chance) / spread)


def _dependence(columns: dict[str, Any]) -> float:
    """I* of two columns, T* of more."""
    noun = Dependence(columns)
    return float(noun.mutual_information() if len(columns) == 2 else noun.total_correlation())
