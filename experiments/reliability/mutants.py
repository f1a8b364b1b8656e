"""Mutants: one small change of the source at a time, which some test must notice.

usage: python -m experiments.reliability.mutants [--mutants 200] [--minutes 60] [--files PATTERN ...] [--seed 0]

Operators, comparisons, constants, axes, conditions and defaults of the packages spectrum, measures, pairs and inference
are changed in a copy of the source; the tests of the package run on it until one fails. A mutant that none notices has
survived: it is killed by a new test, or explained in EXPLAINED. Adds to experiments/results/reliability_mutants.json,
and goes on with what is not there yet.
"""

import argparse
import ast
import copy
import hashlib
import json
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

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "shearer"
RESULTS = FOLDER / "reliability_mutants.json"
#: Part of the path -> tests that run on its mutants at first; survivors of these meet the tests of their package.
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
    "measures": ["tests/measures", "tests/test_cover.py", "tests/test_libraries.py", "tests/reference"],
    "pairs": ["tests/pairs", "tests/inference/test_independence.py"],
    "inference": ["tests/inference"],
}
#: Seconds until tests that hang count as failed.
PATIENCE = 600
#: Survivors that no test can tell from the source -> why: "file: change".
EXPLAINED: dict[str, str] = {}
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


def mutants(patterns: list[str]) -> Iterator[tuple[Path, str, str]]:
    """File, description and mutated source of every change."""
    for package in WIDE:
        for path in sorted((SOURCE / package).rglob("*.py")):
            relative = path.relative_to(SOURCE)
            if patterns and not any(pattern in str(relative) for pattern in patterns):
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            count = len(_changes(copy.deepcopy(tree)))
            for number in range(count):
                mutated = copy.deepcopy(tree)
                words, change = _changes(mutated)[number]
                change()
                yield relative, words, ast.unparse(ast.fix_missing_locations(mutated))


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
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
        command += ["-o", "addopts=--import-mode=importlib", *tests]
        environment = {**os.environ, "PYTHONPATH": folder, "HYPOTHESIS_MAX_EXAMPLES": "20"}
        silent = subprocess.DEVNULL
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, stdout=silent, stderr=silent, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            return "hangs"
        return "killed" if done.returncode == 1 or (source is not None and done.returncode) else "survived"


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
    parser.add_argument("--near", action="store_true", help="the nearest tests only: survivors are candidates")
    options = parser.parse_args()
    every = [item for item in mutants(options.files) if options.containing in item[1]]
    order = np.random.default_rng(options.seed).permutation(len(every))
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    chosen = [every[place] for place in order[: options.mutants]]
    for tests in {tuple(near(relative)) for relative, _, _ in chosen}:
        assert tested(Path(), None, list(tests)) == "survived", f"{tests} fail without a mutant"
    started = time.monotonic()
    for relative, words, source in chosen:
        name = name_of(relative, words)
        digest = hashlib.sha256((SOURCE / relative).read_bytes()).hexdigest()[:12]
        if name in known and known[name]["source"] == digest and known[name]["end"] != "survived":
            continue
        if time.monotonic() - started > 60 * options.minutes:
            break
        end = tested(relative, source, near(relative))
        if end == "survived" and not options.near:
            end = tested(relative, source, WIDE[relative.parts[0]])
        found = {"end": end, "source": digest} | ({"why": EXPLAINED[name]} if name in EXPLAINED else {})
        print(name, found["end"], flush=True)
        add(RESULTS, name, found)
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    survivors = [name for name, own in found.items() if own["end"] == "survived" and name not in EXPLAINED]
    print(f"{len(found)} mutants, {len(survivors)} survived without an explanation")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
