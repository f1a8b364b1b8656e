"""Mutants: one small change of the source at a time, which some test must notice.

usage: python -m experiments.reliability.mutants [--mutants 200] [--minutes 60] [--files PATTERN ...] [--seed 0]
       python -m experiments.reliability.mutants --again TEST ...

Operators, comparisons, constants, axes, conditions and defaults of the packages spectrum, measures, pairs and inference
are changed in a copy of the source; tests run on it until one fails: those that run the changed line, the fastest
first. Which these are is recorded at first (covering.py; --record: again, after tests have changed). A line of which
that is not known, because its file has changed since or runs it at import, meets the nearest tests of its file and
then all of its package. Last come the examples in the docstrings of its file. A mutant that none notices has survived:
it is killed by a new test, or explained in EXPLAINED. With --again survivors meet these tests alone, such as new ones.
Adds to experiments/results/reliability_mutants.json, and goes on with what is not there yet.
"""

import argparse
import ast
import contextlib
import functools
import hashlib
import importlib
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from experiments.records import FOLDER, add
from experiments.reliability import covering, gone_on

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "shearer"
RESULTS = FOLDER / "reliability_mutants.json"
#: Part of the path -> tests that run on its mutants at first; where it is not known which run the
#: line; survivors of these meet the tests of their package.
NEAR = {
    "spectrum/renyi": ["tests/spectrum/test_renyi.py", "tests/hardening/test_extremes.py"],
    "spectrum/lanczos": ["tests/spectrum/test_lanczos.py"],
    "spectrum/lowrank": ["tests/spectrum/test_certificate.py", "tests/spectrum/test_accumulator.py"],
    "spectrum": ["tests/spectrum/test_planner.py", "tests/spectrum/test_solvers.py"],
    "measures/cover": ["tests/test_cover.py"],
    "measures": ["tests/test_closed_forms.py", "tests/test_identities.py"],
    "pairs/null_law/rare": ["tests/pairs/test_rare.py"],
    "pairs/null_law/pearson3": ["tests/pairs/test_pearson3.py"],
    "pairs/null_law": ["tests/pairs/test_moments.py", "tests/pairs/test_pearson3.py"],
    "pairs/clusters": ["tests/pairs/test_clusters.py"],
    "pairs/leading": ["tests/pairs/test_leading.py"],
    "pairs/patterns": ["tests/pairs/test_patterns.py"],
    "pairs/splits": ["tests/pairs/test_splits.py"],
    "pairs/strength": ["tests/pairs/test_strength.py"],
    "pairs": ["tests/pairs/test_sums.py", "tests/pairs/test_engine.py"],
    "inference/intervals": ["tests/inference/test_influence.py", "tests/inference/test_intervals.py"],
    "inference/threeway": ["tests/inference/test_threeway.py"],
    "inference/permutation": ["tests/inference/test_permutation.py"],
    "inference/adjust": ["tests/inference/test_adjust.py"],
    "inference": ["tests/inference/test_pvalue.py", "tests/inference/test_independence.py"],
}
#: Package -> all tests of it.
WIDE = {
    "spectrum": ["tests/spectrum", "tests/test_closed_forms.py", "tests/test_gradients.py", "tests/reference"],
    "measures": [
        *("tests/measures", "tests/test_cover.py", "tests/test_libraries.py", "tests/reference"),
        "tests/test_subsampling.py",
    ],
    "pairs": ["tests/pairs", "tests/inference/test_independence.py"],
    "inference": ["tests/inference"],
}
#: Which tests run which lines; not under version control.
RECORD = ROOT / "experiments" / "checkpoints" / "reliability_lines.json"
#: Seconds until tests that hang count as failed.
PATIENCE = 600
#: Survivors that no test can tell from the source -> why: "file: change".
EXPLAINED: dict[str, str] = {
    "inference/aggregated.py: line 31: 20 to 21": "How many entries a band has bounds memory alone.",
    "inference/intervals/influence.py: line 45: True to False": "Nothing in the package changes one that was made.",
    "inference/intervals/rank_one.py: line 37: 64 to 65": "One point more of a sum moves what is found by a millionth.",
    "inference/intervals/row_influences.py: line 21: 20000 to 20001": "How many rows a sample has is a choice.",
    "inference/threeway/axes.py: line 36: True to False": "Nothing in the package changes one that was made.",
    "inference/threeway/axes.py: line 92: 0 to 1": "All variables have the same rows.",
    "inference/threeway/axes.py: line 77: True to False": "Nothing in the package changes one that was made.",
    "inference/threeway/set_term.py: line 35: 3 to 4": "How many polynomials are fitted is a choice.",
    "inference/threeway/term.py: line 28: 5 to 6": "How many polynomials are fitted is a choice.",
    "inference/threeway/term.py: line 30: 4 to 5": "How many rows a parameter must have is a choice.",
    "pairs/engine.py: line 40: 2 to 3": "How many variables a tile of very many rows has bounds memory alone.",
    "pairs/limits.py: line 22: 0.1 to 0.2": "Weights of statistics are a choice.",
    "pairs/limits.py: line 24: 0.1 to 0.2": "Weights of widths are a choice.",
    "pairs/limits.py: line 40: 1e-07 to 2e-07": "Deviations are round-off or larger by far.",
    "pairs/limits.py: line 81: 2048 to 2049": "How many rows a sample has is a choice.",
    "pairs/null_law/rare.py: line 35: 6 to 7": "How large a table is gone through bounds time alone.",
    "pairs/null_law/rare.py: line 37: 10.0 to 20.0": "From where a law counts as smooth is a choice.",
    "pairs/rungs.py: line 28: 128 to 129": "The number of leading bits is the same.",
    "pairs/sides.py: line 88: False to True": "Nobody compares two of them.",
    "pairs/splits.py: line 32: 128 to 129": "How many rows a sample has is a choice.",
    "pairs/sums.py: line 103: True to False": "Nothing in the package changes one that was made.",
    "spectrum/lowrank/accumulator.py: line 121: 0.0 to 1.0": "Orders 0 and infinity make no use of it.",
    "spectrum/lowrank/certified.py: line 48: True to False": "Nothing in the package changes one that was made.",
    "spectrum/lowrank/cholesky.py: line 25: 2 to 3": "How many columns one block has bounds memory alone.",
    "spectrum/renyi.py: line 17: 0.1 to 0.2": "Where a formula follows another: both are exact to a dozen digits.",
    "inference/threeway/contingency.py: line 147: values ** 2: Pow to Mult": (
        "Means of what is projected are 0, so that sweeps go on to their last: only time differs."
    ),
    "inference/threeway/contingency.py: line 153: 1e-09 to 2e-09": (
        "Cells in which a model expects so little have no rows but for round-off."
    ),
    "inference/threeway/contingency.py: line 164: 1 to 2": "A sum that no cell adds to leaves the rank as it is.",
    "inference/threeway/contingency.py: line 165: 0 to 1": "Cells have as many places along each axis.",
    "inference/threeway/contingency.py: line 176: 1e-09 to 2e-09": (
        "Chances of tables of counts are equal up to round-off or differ by far more."
    ),
    "inference/threeway/interaction.py: line 225: 1 to 2": "numpy finds the size for any negative number.",
    "inference/threeway/loglinear.py: line 158: 1 to 2": "How many cells are worked on at a time bounds memory alone.",
    "inference/threeway/set_term.py: line 80: 0 to 1": "All axes have the same rows.",
    "inference/given.py: line 70: 2 to 3": "A third variable is carried along that nobody asks for.",
    "inference/threeway/loglinear.py: line 80: True to False": (
        "Both are of three parts: this guards against errors of ours alone."
    ),
    "inference/threeway/loglinear.py: line 193: True to False": (
        "All are of one length: this guards against errors of ours alone."
    ),
    "inference/threeway/loglinear.py: line 231: 0.0001 to 0.0002": (
        "Which small part of the expected gain a step must bring is a choice."
    ),
    "pairs/clusters.py: line 123: 1 to 2": "numpy finds the size for any negative number.",
    "inference/intervals/influence.py: line 101: 0.0 to 1.0": "There is another label, of a row or more.",
    "pairs/null_law/rare.py: line 71: 1 to 2": "numpy finds the size for any negative number.",
    "pairs/null_law/rare.py: line 213: 1e-09 to 2e-09": "Where a law takes over from its limit: they agree there.",
    "pairs/clusters.py: line 148: centered.shape[0] > centered.shape[1]: Gt to LtE": (
        "A matrix and its transpose have the same squares of singular values: only time differs."
    ),
    "pairs/engine.py: line 102: 1 to 2": "How many variables a tile of very many rows has bounds memory alone.",
    "pairs/engine.py: line 223: True to False": "Both are of one length: this guards against errors of ours alone.",
    "pairs/engine.py: line 256: if remember: denied": "What is not kept is found again: only time and memory differ.",
    "pairs/null_law/combined_pvalue.py: line 44: 1.0 to 2.0": "Equal weights are divided by their sum.",
    "pairs/null_law/combined_pvalue.py: line 82: 30.0 to 60.0": (
        "Where a table ends: the expansion beyond agrees with it there to a part in five thousand."
    ),
    "pairs/null_law/pearson3.py: line 23: 0.002 to 0.004": "Where a formula follows another: both are exact to 1e-9.",
    "pairs/null_law/pearson3.py: line 25: 0.02 to 0.04": "Up to which a series is taken: it is exact to 1e-12 there.",
    "pairs/null_law/pearson3.py: line 26: 10 to 11": "A further term of a series is less than round-off.",
    "pairs/null_law/pearson3.py: line 27: 1000000000.0 to 2000000000.0": "Tails are 0 or 1 a billion deviations out.",
    "pairs/null_law/pearson3.py: line 54: 2.0 to 4.0": "Where a formula follows another: both are exact to 1e-9.",
    "pairs/patterns.py: line 117: 0 to 1": "Nobody reads an additive part that was not asked for.",
    "pairs/patterns.py: line 148: lost.sum(axis=1) < masks.sum(axis=1) / 2: Lt to GtE": (
        "Products of few rows are taken away or those of many added up: the sums are the same, only the time differs."
    ),
    "pairs/rungs.py: line 194: 1e-06 to 2e-06": "By how much a bracket is wider than where the solution can be.",
    "pairs/statistics.py: line 323: True to False": "All are of one length: this guards against errors of ours alone.",
    "pairs/sums.py: line 182: 1 to 2": "How many rows are multiplied at a time bounds memory alone.",
    "spectrum/lanczos.py: line 111: 22 to 23": "The height of bands bounds memory alone: the product is the same.",
}
#: Stands for the examples in the docstrings of the changed file.
EXAMPLES = "examples"
OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=--import-mode=importlib"]
#: What tests load that takes long; pytest would warn that some of it is there already.
LIBRARIES = (
    *("pytest", "hypothesis", "numpy", "scipy.linalg", "scipy.optimize", "scipy.stats", "mpmath", "sklearn.base"),
    *("joblib", "networkx", "narwhals.stable.v2", "polars", "pandas", "pyarrow", "torch", "array_api_strict"),
)
LOADED = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
_OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_COMPARISONS: dict[type, type] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


class Mutator(ast.NodeVisitor):
    """Every change of a module, as a description and a function that makes it."""

    def __init__(self) -> None:
        self.found: list[tuple[str, Any]] = []

    def _add(self, node: ast.AST, words: str, change: Any) -> None:
        self.found.append((f"line {getattr(node, 'lineno', 0)}: {words}", change))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        other = _OPERATORS.get(type(node.op))
        text = any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in (node.left, node.right))
        if other is not None and not text:
            words = f"{ast.unparse(node)[:60]}: {type(node.op).__name__} to {other.__name__}"
            self._add(node, words, lambda: setattr(node, "op", other()))
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        other = _COMPARISONS.get(type(node.ops[0]))
        if other is not None:
            words = f"{ast.unparse(node)[:60]}: {type(node.ops[0]).__name__} to {other.__name__}"
            self._add(node, words, lambda: node.ops.__setitem__(0, other()))
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg == "axis" and isinstance(node.value, ast.Constant) and node.value.value in (0, 1):
            before = node.value.value
            self._add(node.value, f"axis={before} to {1 - before}", lambda: setattr(node.value, "value", 1 - before))
        else:
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._add(node, f"{value} to {not value}", lambda: setattr(node, "value", not value))
        elif isinstance(value, int | float) and value == value:
            other = value + 1 if isinstance(value, int) else 2.0 * value if value else 1.0
            self._add(node, f"{value} to {other}", lambda: setattr(node, "value", other))

    def visit_If(self, node: ast.If) -> None:
        test = node.test
        denied = ast.UnaryOp(ast.Not(), test)
        self._add(node, f"if {ast.unparse(test)[:50]}: denied", lambda: setattr(node, "test", denied))
        self.generic_visit(node)

    def visit_arguments(self, node: ast.arguments) -> None:
        """Annotations and defaults are left alone."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Words of errors are left alone."""


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def files() -> list[Path]:
    return [path.relative_to(SOURCE) for package in WIDE for path in sorted((SOURCE / package).rglob("*.py"))]


def mutants(patterns: list[str]) -> Iterator[tuple[Path, str, int]]:
    """File, description and number of every change."""
    for relative in files():
        if not patterns or any(pattern in str(relative) for pattern in patterns):
            for number, (words, _) in enumerate(_changes(_parsed(relative))):
                yield relative, words, number


def mutated(relative: Path, number: int) -> str:
    """The source of a file with one of its changes."""
    tree = _parsed(relative)
    _changes(tree)[number][1]()
    return ast.unparse(ast.fix_missing_locations(tree))


def _parsed(relative: Path) -> ast.Module:
    return ast.parse((SOURCE / relative).read_text(encoding="utf-8"))


def _changes(tree: ast.Module) -> list[tuple[str, Any]]:
    visitor = Mutator()
    visitor.visit(tree)
    return visitor.found


def tested(relative: Path, source: str | None, tests: list[str]) -> str:
    """How tests end on a copy of the source with one file changed: "killed", "survived" or "hangs"."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SOURCE, Path(folder) / "shearer", ignore=shutil.ignore_patterns("__pycache__"))
        if source is not None:
            (Path(folder) / "shearer" / relative).write_text(source, encoding="utf-8")
        places = [test.replace(EXAMPLES, f"{folder}/shearer/{relative}") for test in tests]
        process = multiprocessing.get_context("fork").Process(target=_test, args=(folder, places))
        process.start()
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
            return "hangs"
        return "killed" if process.exitcode == 1 or (source is not None and process.exitcode) else "survived"


def _test(folder: str, tests: list[str]) -> None:
    """Run tests on the source in a folder, in a child that has the libraries, but nothing of the package."""
    own = ("shearer", "experiments", "tests")
    for name in [name for name in sys.modules if name.partition(".")[0] in own]:
        del sys.modules[name]
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = folder
    os.chdir(ROOT)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    import pytest

    # At once: what libraries do at the end of a process is not waited for.
    os._exit(int(pytest.main([*OPTIONS, *LOADED, "-x", *tests])))


def load_libraries() -> None:
    """What takes long to load is loaded once, before children are forked."""
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def digest_of(relative: Path) -> str:
    return hashlib.sha256((SOURCE / relative).read_bytes()).hexdigest()[:12]


def record() -> None:
    """Run all tests once, and write which lines each of them runs."""
    tests = sorted({test for some in (*WIDE.values(), *NEAR.values()) for test in some})
    inside = [test for test in tests if not any(test.startswith(f"{folder}/") for folder in tests)]
    RECORD.parent.mkdir(exist_ok=True)
    lines = RECORD.with_suffix(".lines")
    command = [sys.executable, "-m", "pytest", *OPTIONS, "-p", covering.__name__, *inside]
    settings = {covering.FOLDER: str(SOURCE), covering.PACKAGES: ",".join(WIDE), covering.RECORD: str(lines)}
    path = os.pathsep.join([str(SOURCE.parent), str(ROOT)])
    subprocess.run(command, cwd=ROOT, env={**os.environ, **settings, "PYTHONPATH": path}, check=True)
    digests = {str(relative): digest_of(relative) for relative in files()}
    gone_on.write(RECORD, {"digests": digests, "lines": json.loads(lines.read_text())})
    lines.unlink()


def covering_tests(known: dict[str, Any], relative: Path, words: str) -> list[str]:
    """Tests that run the line of a change, the fastest first; none if the record does not tell."""
    if known["digests"].get(str(relative)) != digest_of(relative):
        return []
    line = words.partition(":")[0].removeprefix("line ")
    return [test for _, test in known["lines"].get(f"{relative}:{line}", [])]


@functools.cache
def passes(tests: tuple[str, ...]) -> bool:
    """Whether tests pass without a mutant; those that were recorded have passed."""
    return tested(Path(), None, list(tests)) == "survived"


def near(relative: Path) -> list[str]:
    return next(tests for part, tests in NEAR.items() if str(relative).startswith(part))


def name_of(relative: Path, words: str) -> str:
    return f"{relative}: {words}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--files", nargs="*", default=[], metavar="PATTERN")
    parser.add_argument("--containing", default="", metavar="TEXT", help="only changes whose description has it")
    parser.add_argument("--record", action="store_true", help="find out again which tests run which lines")
    parser.add_argument("--again", nargs="*", default=[], metavar="TEST", help="survivors alone, and these tests")
    options = parser.parse_args()
    every = [item for item in mutants(options.files) if options.containing in item[1]]
    order = np.random.default_rng(options.seed).permutation(len(every))
    every_known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    # Those of files that have changed since are mutants of a source that is no more.
    present = {str(relative): digest_of(relative) for relative in files()}
    known = {name: own for name, own in every_known.items() if own["source"] == present.get(name.partition(":")[0])}
    gone_on.write(RESULTS, known)
    if options.again:
        load_libraries()
        assert passes(tuple(options.again)), "these tests fail without a mutant"
        survivors = {name for name, own in known.items() if own["end"] == "survived"}
        for relative, words, number in every:
            if name_of(relative, words) in survivors:
                end = tested(relative, mutated(relative, number), options.again)
                keep(relative, words, end, present[str(relative)])
        return told()
    if options.record or not RECORD.exists():
        record()
    lines = json.loads(RECORD.read_text())
    load_libraries()
    # Those whose tests are known first: they are the quickest.
    chosen = [(*every[place], covering_tests(lines, *every[place][:2])) for place in order[: options.mutants]]
    chosen.sort(key=lambda own: not own[-1])
    started = time.monotonic()
    for relative, words, number, of_line in chosen:
        name = name_of(relative, words)
        digest = present[str(relative)]
        if name in known and known[name]["source"] == digest and known[name]["end"] != "survived":
            continue
        if time.monotonic() - started > 60 * options.minutes:
            break
        source, tests = mutated(relative, number), of_line or near(relative)
        if not of_line:
            assert passes(tuple(tests)), f"{tests} fail without a mutant"
        end = tested(relative, source, tests)
        if end == "survived" and not of_line:
            end = tested(relative, source, WIDE[relative.parts[0]])
        if end == "survived":
            end = tested(relative, source, ["--doctest-modules", EXAMPLES])
        keep(relative, words, end, digest)
    return told()


def keep(relative: Path, words: str, end: str, digest: str) -> None:
    """Write how a mutant ended."""
    name = name_of(relative, words)
    explained = {"why": EXPLAINED[name]} if end == "survived" and name in EXPLAINED else {}
    print(name, end, flush=True)
    add(RESULTS, name, {"end": end, "source": digest} | explained)


def told() -> int:
    """Print how many there are, and 1 if some have survived without an explanation."""
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    survivors = [name for name, own in found.items() if own["end"] == "survived" and name not in EXPLAINED]
    print(f"{len(found)} mutants, {len(survivors)} survived without an explanation")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
