"""Search a table with planted relations and say what was found, without knowing what was planted."""

from dataclasses import dataclass

from shearer.datasets import Planted, planted_table
from shearer.measures import Dependence
from shearer.scanning import scan

# False discovery rate at which something counts as found.
RATE = 0.01


@dataclass(frozen=True)
class Finding:
    """Columns, their strength (of two), I* of two or T* of three, and the q-value of the test; None: not tested."""

    names: tuple[str, ...]
    strength: float | None
    value: float
    qvalue: float | None

    @property
    def found(self) -> bool:
        """True if the test rejects independence, at the false discovery rate of the demonstration."""
        return self.qvalue is not None and self.qvalue <= RATE


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


def demonstrate(rows: int = 200, seed: int = 0, progress: bool | None = None) -> Demonstration:
    """Scan a planted table: every pair for dependence, every triple for what no model of pairs explains.

    Parameters
    ----------
    rows, seed
        Size and seed of the table.
    progress : bool, optional
        A bar on stderr for what takes more than two seconds. Default: if stderr is a terminal.
    """
    planted = planted_table(rows, rng=seed)
    document = scan(planted.columns, fdr=RATE, top=0, progress=progress).document
    noun = Dependence(planted.columns)

    def findings(part: str) -> tuple[Finding, ...]:
        measure = noun.mutual_information if part == "pairs" else noun.total_correlation
        found = []
        for record in document[part]:
            names = tuple(record["variables"])
            # All pairs make the picture; of triples only those found are measured.
            wanted = part == "pairs" or record["reported"]
            value = float(measure(*names)) if wanted else 0.0
            found.append(Finding(names, record.get("strength"), value, record["qvalue"]))
        return tuple(found)

    return Demonstration(planted, findings("pairs"), findings("triples"))
