"""Rewrite the generated parts of the README: what `shearer demo` prints and its picture, the table of speeds, and the
times of scans.

The other outputs in the README are doctests: the test run compares them.

usage: readme.py [--check]
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "images" / "demo.svg"
NOT_MEASURED = "not measured yet"
# Benchmark, case, what is done, our call, who else does it and how, in the order of the table. The first row of a
# task is default against default.
SPEEDS = [
    ("inference", "default test, n=2000, v hyppo's default", "one independence test, 2000 rows",
     "`independence_test(x, y)`, four widths", "hyppo `Hsic().test(x, y)`, chi-square"),
    ("inference", "aggregated test, n=2000", "",
     "`independence_test(x, y)`, four widths", "hyppo `Hsic`, 1000 permutations"),
    ("inference", "moments test, n=2000", "",
     '`independence_test(x, y, method="moments")`, one width', "hyppo `Hsic`, 1000 permutations"),
    ("inference", ("aggregated test of all pairs, 1000 x 136", "p-values of all pairs, 1000 x 136"),
     "p-values of all pairs, 1000 columns, 136 rows", "`pairwise(table).pvalue`, four widths",
     "hyppo `Dcorr().test` in a loop, chi-square"),
    ("inference", "p-values of all pairs, 1000 x 136", "",
     "`pairwise(table, kernel=Gaussian()).pvalue`, one width", "hyppo `Dcorr().test` in a loop, chi-square"),
    ("pairs", "all pairs, 1000 x 136, v a loop over dcor", "values of the same pairs",
     "`pairwise(table).value`, I\\* of order 2", "dcor `distance_correlation` in a loop"),
    ("pairs", "all triples, 50 x 1000, v hoi's default", "all triples of 50 columns, 1000 rows",
     "`triples(table)`, T\\*, D\\* and O of order 2", "hoi `Oinfo`, Gaussian copula"),
    ("pairs", "all triples, 50 x 1000", "",
     "`triples(table)`, T\\*, D\\* and O of order 2", "hoi `Oinfo`, `method=\"knn\"`"),
    ("scan", "default scan, 5000 x 30", "a table of 30 columns, 5000 rows",
     "`scan(table).to_html()`: pairs, triples, intervals, page", "scikit-learn `mutual_info_regression`, every target"),
]  # fmt: skip


def demo_output(picture: Path) -> str:
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    command = [str(Path(sys.executable).parent / "shearer"), "demo"]
    text = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    colour = {**os.environ, "COLUMNS": "100", "FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"}
    subprocess.run([*command, "--svg", str(picture)], env=colour, capture_output=True, check=True)
    return "\n".join(line.rstrip() for line in text.splitlines())


def benchmark(name: str) -> dict[str, dict[str, Any]]:
    """The cases of a committed benchmark by their names."""
    text = (ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8")
    return {case["name"]: case for case in json.loads(text)["cases"]}


def speeds() -> str:
    """Measured times beside those of others, from the committed benchmarks; a missing case is said to be missing."""
    lines = ["| task | shearer | time | beside | time | ratio |", "|---|---|---:|---|---:|---:|"]
    for file, names, task, call, rival in SPEEDS:
        cases = benchmark(file)
        own, other = (names, names) if isinstance(names, str) else names
        if own in cases and other in cases:
            ours, theirs = cases[own]["ours"], cases[other]["reference"]
            shown = [f"{ours:.2g} s", f"{theirs:,.2g} s" if theirs < 10 else f"{theirs:,.0f} s", f"{theirs / ours:.2g}"]
            shown[2] = f"{float(shown[2]):,.3g}" if float(shown[2]) < 1000 else f"{float(shown[2]):,.0f}"
        else:
            shown = [NOT_MEASURED, NOT_MEASURED, "–"]
        lines.append(f"| {task} | {call} | {shown[0]} | {rival} | {shown[1]} | {shown[2]} |")
    return "\n".join(lines)


def scan_times() -> str:
    """How long scans take, in one sentence, from the committed benchmarks."""
    small, default, tall = (
        benchmark("threads")["scan 200 x 11, time"]["reference"],
        benchmark("scan")["default scan, 5000 x 30"]["ours"],
        benchmark("scan")["the same: seconds"]["ours"],
    )
    return (
        f"A scan of 200 rows and 11 columns takes {small:.1f} s, one of 5000 rows and 30 columns with all triples,"
        f" intervals and the page {default:.0f} s, and the p-values of all pairs of a million rows and 10 columns"
        f" {tall:.0f} s, on two cores."
    )


def replaced(text: str, name: str, content: str) -> str:
    """The text with what stands between the marks of a name."""
    block = f"<!-- {name}:begin -->\n{content}\n<!-- {name}:end -->"
    return re.sub(rf"<!-- {name}:begin -->.*<!-- {name}:end -->", lambda _: block, text, flags=re.DOTALL)


def main() -> int:
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    check = "--check" in sys.argv[1:]
    output = demo_output(PICTURE.with_suffix(".new.svg") if check else PICTURE)
    before = README.read_text(encoding="utf-8")
    after = replaced(before, "demo", f"```text\n{output}\n```")
    after = replaced(replaced(after, "speeds", speeds()), "times", scan_times())
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
