"""Time and memory of networks of many genes.

usage: python -m experiments.network_size [--quick] [--only NAME ...]

Normal columns, 500 rows, each of which follows another one; presets as they are, all pairs. Writes
experiments/results/network_size.json after every case. Seconds are of the processor, over all threads, so that other
work on the machine does not count; memory is the most that the process held so far. All pairs of 20,000 genes take an
hour of a processor.
"""

import resource
import sys
import time

import numpy as np

from experiments import records
from shearer.tools import DependenceNetwork

ROWS = 500
CASES = {"1000 genes": (1000, None), "20000 genes, 128 regulators": (20000, 128), "20000 genes": (20000, None)}


def study(case: str, quick: bool) -> dict[str, float]:
    genes, regulators = CASES[case]
    genes = genes // 20 if quick else genes
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, genes))
    X[:, 1:] += 0.7 * X[:, rng.integers(0, 128, genes - 1)]
    names = None if regulators is None else [f"x{k + 1}" for k in range(regulators)]
    network = DependenceNetwork(preset="expression", fdr=None, top_k=10000, regulators=names, progress=False)
    start = time.process_time()
    network.fit(X)
    seconds = time.process_time() - start
    pairs = genes * (genes - 1) // 2 if regulators is None else regulators * genes
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"pairs": pairs, "processor seconds": round(seconds, 1), "peak bytes": peak, "links": len(network.edges_)}


if __name__ == "__main__":
    sys.exit(records.run("network_size", __doc__, CASES, study))
