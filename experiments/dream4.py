"""The paper's Table 2, and larger networks: links of DREAM4 networks ranked by dependence, by many methods.

usage: python -m experiments.dream4 [--quick] [--only NAME ...]

Networks of 10 genes: all 136 rows, 45 pairs. Networks of 100 genes: 100 rows, 4950 pairs. The gold standard is taken
without directions. The paper's row is I* at order 1.01 with the width of its authors' demo (ten times their Silverman
width); other orders and widths stand in rows of their own. Needs SHEARER_DATA. Writes experiments/results/dream4.json
after every case (size/network/family), and goes on where it stopped.
"""

import sys

from experiments import network_scores, records
from shearer.datasets import load_dream4

NETWORKS = {10: 5, 100: 3}


def cases() -> list[str]:
    """Size, network and family of methods."""
    return [
        f"{size}/{network}/{family}"
        for size, count in NETWORKS.items()
        for network in range(1, count + 1)
        for family in network_scores.families()
    ]


def study(case: str, quick: bool) -> dict[str, dict[str, float]]:
    size, network, family = case.split("/")
    known = load_dream4(int(size), int(network))
    columns = slice(0, 6 if quick else None)
    X, linked = known.data.to_numpy()[:, columns], known.undirected[columns, columns]
    scores = network_scores.with_context(network_scores.families()[family](X))
    return {name: network_scores.rank_quality(matrix, linked) for name, matrix in scores}


if __name__ == "__main__":
    sys.exit(records.run("dream4", __doc__, cases(), study))
