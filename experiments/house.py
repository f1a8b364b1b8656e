"""How large the source is, and how many of its files some calls visit; beside another checkout of it.

usage: python -m experiments.house [--before FOLDER]

Writes experiments/results/house.json. FOLDER is another checkout, whose numbers are kept as "before".
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULT = Path(__file__).parent / "results" / "house.json"

VISITS = """
import sys
from pathlib import Path
import numpy as np
import shearer as sh
folder, seen = str(Path(sh.__file__).parent), set()
x = np.random.default_rng(0).normal(size=(60, 4))
calls = {
    "pairwise(x).pvalue": lambda: sh.pairwise(x).pvalue,
    "independence_test(x, y)": lambda: sh.independence_test(x[:, 0], x[:, 1]),
    "scan(x)": lambda: sh.scan(x, top=2, progress=False),
}
import json
found = {}
for name, call in calls.items():
    call()  # what is imported on first use
    seen = set()
    def note(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(folder):
            seen.add(frame.f_code.co_filename)
    sys.setprofile(note)
    call()
    sys.setprofile(None)
    found[name] = len(seen)
print(json.dumps(found))
"""


def measure(root: Path) -> dict:
    """The numbers of one checkout."""
    files = sorted((root / "src" / "shearer").rglob("*.py"))
    texts = [path.read_text() for path in files]
    names = Counter(path.name for path in files if path.name != "__init__.py")
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "OMP_NUM_THREADS": "1"}
    answer = subprocess.run(
        [sys.executable, "-c", VISITS], env=environment, capture_output=True, text=True, check=True, timeout=600
    )
    return {
        "files": len(files),
        "lines": sum(text.count("\n") for text in texts),
        "classes": sum(line.startswith("class ") for text in texts for line in text.splitlines()),
        "names that occur twice": sum(count > 1 for count in names.values()),
        "visited": json.loads(answer.stdout),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path)
    options = parser.parse_args()
    known = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    before = measure(options.before) if options.before else known.get("before")
    RESULT.write_text(json.dumps({"before": before, "now": measure(ROOT)}, indent=1) + "\n")
    print(RESULT.read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
