"""Rewrite the generated parts of the README: what `shearer demo` prints and its picture, and the table of speeds.

The other outputs in the README are doctests: the test run compares them.

usage: readme.py [--check]
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "images" / "demo.svg"
# Benchmark and case -> what is done, and who else does it.
SPEEDS = {
    ("inference", "moments test, n=2000"): ("one independence test, 2000 rows", "hyppo, 1000 permutations"),
    ("inference", "p-values of all pairs, 1000 x 136"): (
        "p-values of all pairs of 1000 columns, 136 rows",
        "hyppo, chi-square",
    ),
    ("pairs", "all pairs, 1000 x 136, v a loop over dcor"): ("dependence of the same pairs", "dcor"),
    ("pairs", "all triples, 50 x 1000"): ("all triples of 50 columns, 1000 rows", "hoi, O-information"),
    ("engine", "I*, 2 scalars, n=4000, alpha 1.01, to 1e-6"): ("I\\* of 4000 rows to 1e-6", "all eigenvalues"),
}


def demo_output(picture: Path) -> str:
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    command = [str(Path(sys.executable).parent / "shearer"), "demo"]
    text = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    colour = {**os.environ, "COLUMNS": "100", "FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"}
    subprocess.run([*command, "--svg", str(picture)], env=colour, capture_output=True, check=True)
    return "\n".join(line.rstrip() for line in text.splitlines())


def speeds() -> str:
    """Measured times beside those of others, from the committed benchmarks."""
    lines = ["| what | shearer | beside | theirs | times faster |", "|---|---:|---|---:|---:|"]
    for (benchmark, name), (what, rival) in SPEEDS.items():
        text = (ROOT / "benchmarks" / "results" / f"{benchmark}.json").read_text(encoding="utf-8")
        case = next(case for case in json.loads(text)["cases"] if case["name"] == name)
        ours, theirs = case["ours"], case["reference"]
        lines.append(f"| {what} | {ours:.2g} s | {rival} | {theirs:,.0f} s | {float(f'{theirs / ours:.2g}'):,.0f} |")
    return "\n".join(lines)


def replaced(text: str, name: str, content: str) -> str:
    """The text with what stands between the marks of a name."""
    block = f"<!-- {name}:begin -->\n{content}\n<!-- {name}:end -->"
    return re.sub(rf"<!-- {name}:begin -->.*<!-- {name}:end -->", lambda _: block, text, flags=re.DOTALL)


def main() -> int:
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    check = "--check" in sys.argv[1:]
    output = demo_output(PICTURE.with_suffix(".new.svg") if check else PICTURE)
    before = README.read_text(encoding="utf-8")
    after = replaced(replaced(before, "demo", f"```text\n{output}\n```"), "speeds", speeds())
    if not check:
        README.write_text(after, encoding="utf-8")
        return 0
    PICTURE.with_suffix(".new.svg").unlink()
    if before != after:
        print("README.md is not what `make readme` writes", file=sys.stderr)
        return 1
    print("README.md is up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
