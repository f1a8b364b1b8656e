"""CPU time of `import shearer` against importing the libraries it stands on."""

import resource
import subprocess
import sys

from benchmarks.cases import Case

REPEATS = 15
REFERENCE = "import numpy, scipy.linalg, scipy.special"
OURS = "import shearer"


def _cpu_seconds(statement: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def run() -> list[Case]:
    # Interleaved, smallest of many: start-up noise only ever adds.
    pairs = [(_cpu_seconds(OURS), _cpu_seconds(REFERENCE)) for _ in range(REPEATS)]
    ours, reference = (min(column) for column in zip(*pairs, strict=True))
    return [Case("import shearer, CPU time", ours, reference, "s", at_most=1.5, note=f"reference: {REFERENCE}")]
