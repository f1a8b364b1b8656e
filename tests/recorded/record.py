"""Write down what the package answers today: ``python -m tests.recorded.record`` from the root of the project.

The file is what a rewrite is checked against. It may be made again only where an answer is meant to change, from a
commit whose tests pass, and only after the differences that the test shows have been explained one by one; a change
that is meant to keep the answers never makes it again. New cases may be added at any time: ``--new`` leaves those that
are recorded as they are.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import scipy

import shearer
from tests.recorded.cases import CASES

FILE = Path(__file__).with_name("recorded.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--new", action="store_true", help="only the cases that are not recorded yet")
    parser.add_argument("--to", type=Path, default=FILE, help="another file, to compare two machines")
    options = parser.parse_args()
    known = json.loads(FILE.read_text())["cases"] if options.new else {}
    answers = {name: known.get(name) or case() for name, case in CASES.items()}
    options.to.write_text(dumped(answers))


def dumped(answers):
    """One line for each case; numbers with all their digits."""
    versions = {"shearer": shearer.__version__, "numpy": np.__version__, "scipy": scipy.__version__}
    lines = [
        f"{json.dumps(name)}: {json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(',', ':'))}"
        for name, answer in answers.items()
    ]
    return f'{{"versions": {json.dumps(versions)},\n"cases": {{\n' + ",\n".join(lines) + "\n}}\n"


if __name__ == "__main__":
    main()
