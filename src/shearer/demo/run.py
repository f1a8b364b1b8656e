"""Search a table with planted relations and say what was found, without knowing what was planted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from shearer._variables import read_variables
from shearer.datasets import Planted, planted_table
from shearer.inference.aggregated import combine, pair_components
from shearer.inference.interaction import split_components
from shearer.inference.pvalue import adjusted_pvalues
from shearer.inference.similarity import similarities
from shearer.measures import Dependence

# False discovery rate at which something counts as found.
RATE = 0.01


@dataclass(frozen=True)
class Finding:
    """Columns, how strongly they depend (I* of two, T* of three), and the q-value of the test."""

    names: tuple[str, ...]
    value: float
    qvalue: float

    @property
    def found(self) -> bool:
        """True if the test rejects independence, at the false discovery rate of the demonstration."""
        return self.qvalue <= RATE


@dataclass(frozen=True)
class Demonstration:
    """What was planted and what was found."""

    planted: Planted
    pairs: tuple[Finding, ...]
    triples: tuple[Finding, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, pairs before triples."""
        return tuple(finding for group in (self.pairs, self.triples) for finding in group if finding.found)

    def finding(self, names: tuple[str, ...]) -> Finding:
        """What was measured of these columns."""
        return next(item for item in (*self.pairs, *self.triples) if set(item.names) == set(names))


def demonstrate(
    rows: int = 200, seed: int = 0, track: Callable[[list[Any]], Iterable[Any]] = lambda items: items
) -> Demonstration:
    """Test every pair for dependence and every triple for dependence that no pair explains.

    Parameters
    ----------
    rows, seed
        Size and seed of the table.
    track : callable
        Wraps the list of candidates in hand, to show progress.
    """
    planted = planted_table(rows, rng=seed)
    variables = read_variables(planted.columns)
    ladders = dict(zip(variables.names, similarities(variables, None), strict=True))
    noun = Dependence(planted.columns)

    def pair_pvalue(names: tuple[str, ...]) -> float:
        return combine(pair_components(*(ladders[name] for name in names)))

    def triple_pvalue(names: tuple[str, ...]) -> float:
        return max(split.pvalue for split in split_components([ladders[name] for name in names], names))

    def search(size: int, pvalue: Callable[[tuple[str, ...]], float]) -> tuple[Finding, ...]:
        candidates = list(combinations(variables.names, size))
        qvalues = adjusted_pvalues(np.array([pvalue(names) for names in track(candidates)]))
        measure = noun.mutual_information if size == 2 else noun.total_correlation
        # All pairs make the picture; of triples only those found are measured.
        wanted = [size == 2 or q <= RATE for q in qvalues]
        values = [float(measure(*names)) if want else 0.0 for names, want in zip(candidates, wanted, strict=True)]
        return tuple(Finding(n, v, float(q)) for n, v, q in zip(candidates, values, qvalues, strict=True))

    return Demonstration(planted, search(2, pair_pvalue), search(3, triple_pvalue))
