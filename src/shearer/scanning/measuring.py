"""What a scan computes of the pairs and triples it found, each kept as soon as it is there."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._jobs import spread
from shearer._progress import track
from shearer.data.table import Table
from shearer.kernels import Kernel
from shearer.pairs.engine import PairTests
from shearer.scanning.document import Findings
from shearer.scanning.store import Store
from shearer.scanning.top import measure_kind, measure_pair, measure_triple
from shearer.spectrum import Request

Floats = NDArray[np.float64]
# Pairs whose strengths have intervals: a second or so.
MOST_INTERVALS = 5000
# "pair" or "triple", and its position among all of them.
Item = tuple[str, int]


@dataclass(frozen=True, eq=False)
class Measuring:
    """The measures of what was found.

    Attributes
    ----------
    table : Table
        The variables.
    findings : Findings
        All tests.
    request : Request
        Order, tolerance and seed of the measures.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in the measures.
    store : Store
        Where results are kept.
    """

    table: Table
    findings: Findings
    request: Request
    kernel: Kernel | Mapping[str, Kernel] | None
    store: Store

    def excess(self, progress: bool | None) -> dict[int, Floats]:
        """O-information less its bias of every reported triple, which names its kind, and the error of that."""
        reported = self.findings.reported_triples
        found = track(map(self._excess, reported), len(reported), "kinds of triples", progress)
        return dict(zip(reported, found, strict=True))

    def top(self, count: int, n_jobs: int | None, progress: bool | None) -> dict[Item, Floats]:
        """The measures of at most so many reported pairs, the strongest, and reported triples, the most significant."""
        work: list[Item] = [("pair", position) for position in self.findings.reported_pairs[:count]]
        work += [("triple", position) for position in self.findings.reported_triples[:count]]
        found = track(spread(self._measured, work, n_jobs), len(work), "measuring", progress)
        return dict(zip(work, found, strict=True))

    def _members(self, item: Item) -> tuple[int, ...]:
        name, position = item
        members = self.findings.pairs.members if name == "pair" else self.findings.triples
        return tuple(int(member) for member in members[position])

    def _measured(self, item: Item) -> Floats:
        members = self._members(item)

        def make() -> dict[str, Floats]:
            if item[0] == "triple":
                return {"values": measure_triple(self.table, members, self.request, self.kernel)}
            strength = float(self.findings.pairs.strength[item[1]])
            return {"values": measure_pair(self.table, members, strength, self.request, self.kernel)}

        return self.store.get(f"measured-{'-'.join(map(str, members))}", make)["values"]

    def intervals(self, rows: int | None, memory: int) -> dict[int, tuple[float, float]]:
        """Intervals of the strengths of the first pairs, in the order of the document.

        Parameters
        ----------
        rows : int, optional
            How many rows those of the table stand for, where they are a sample.
        memory : int
            What may be allocated, in bytes.
        """
        chosen = self.findings.pair_order[:MOST_INTERVALS]
        pairs = self.findings.pairs

        def make() -> dict[str, Floats]:
            tests = PairTests.of(self.table, self.kernel, memory=memory)
            found = tests.intervals(
                pairs.members[chosen], pairs.squared[chosen], pairs.rungs[chosen], pairs.pvalue[chosen], rows
            )
            return {"ends": np.stack(found, axis=1)}

        found = self.store.get("intervals", make)["ends"]
        return {int(position): (low, high) for position, (low, high) in zip(chosen, found.tolist(), strict=True)}

    def _excess(self, position: int) -> Floats:
        members = self._members(("triple", position))

        def make() -> dict[str, NDArray[np.float64]]:
            return {"excess": measure_kind(self.table, members, self.request, self.kernel)}

        return self.store.get(f"excess-{'-'.join(map(str, members))}", make)["excess"]
