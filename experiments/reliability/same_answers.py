"""Answers for one table under other numbers of threads, kernels of BLAS, orders of rows and sizes of chunks.

usage: python -m experiments.reliability.same_answers ROWS   (prints the answers as JSON; numerics.py runs it)

Values are compared in relation to their size where that is above 1, p-values by their logarithms, in relation to
these below 1e-20. Beyond 256 rows features leave something out, and among rows that serve equally well the place
decides: another order moves p-values by more than round-off. Tables of both sizes are tried.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shearer as sh
from shearer import comparators, sketching, tools
from shearer.pairs.limits import EXACT_ROWS
from shearer.sketching import file_rows

Answers = dict[str, list[float | None]]
Table = dict[str, Any]
#: The largest deviation that is promised: of values, and of logarithms of p-values.
SAME = (1e-9, 1e-6)
#: The same in another order of rows, where few of them stand for all in choosing features.
IN_ANOTHER_ORDER = (1e-5, 0.05)
#: Answers of which less is promised, and what: round-off is amplified below order 1; `tol` is what was asked for;
#: bounds of a sketch are those of sums that cancel.
LESS: dict[str, float] = {"entropy below order 1": 1e-6, "mutual_information, tol=1e-4": 1e-4, "sketch": 1e-7}
#: Answers that another order of rows does not change, with many rows too.
SAME_IN_ANOTHER_ORDER = ("independence_test given, p",)
#: Answers to which another order is another draw of rows.
DRAWN = ("SubspaceOutlierDetector",)
#: Variations that need a process of their own -> its environment.
THREADS = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}
PROCESSES: dict[str, dict[str, str]] = {
    "threads: 2": dict.fromkeys(THREADS, "2"),
    "BLAS: Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "BLAS: Zen": {"OPENBLAS_CORETYPE": "Zen"},
    "BLAS: Nehalem": {"OPENBLAS_CORETYPE": "Nehalem"},
    "numpy without vector instructions: AVX2 and AVX512": {"NPY_DISABLE_CPU_FEATURES": "{beyond}"},
}

#: Variations that are tried with few rows only, since others stand for them.
FEW_ROWS_ONLY = ("BLAS: Zen", "sizes of chunks: 100 rows, files: 1")


def table_of(rows: int) -> Table:
    """Numbers that depend on each other in several ways, with ties, labels and a column that is noise."""
    rng = np.random.default_rng(5)
    a, b, c = rng.normal(size=(3, rows))
    return {
        "a": a,
        "square": a**2 + 0.5 * rng.normal(size=rows),
        "b": b,
        "product": a * b + 0.3 * rng.normal(size=rows),
        "rounded": np.round(b + 0.7 * c, 1),
        "heavy": rng.standard_t(2, size=rows),
        "label": np.array(["low", "middle", "high"])[np.digitize(a + rng.normal(size=rows), [-0.7, 0.7])],
    }


def _flat(values: Any) -> list[float | None]:
    return [None if value is None or math.isnan(value) else float(value) for value in np.ravel(np.array(values, float))]


def _upper(matrix: Any) -> list[float | None]:
    return _flat(np.asarray(matrix)[np.triu_indices(len(matrix), 1)])


def _document(entries: list[dict[str, Any]], *keys: str) -> list[float | None]:
    """Numbers of the entries of a document, which are brought to one order by their variables."""
    known = sorted(entries, key=lambda entry: entry["variables"])
    return [None if entry[key] is None else float(entry[key]) for entry in known for key in keys]


def answers(table: Table) -> Answers:
    """Of every kind of function that does not draw permutations; names with "p" hold p-values."""
    numbers = {name: values for name, values in table.items() if name != "label"}
    a, square, b, product = (table[name] for name in ("a", "square", "b", "product"))
    matrix = np.column_stack(list(numbers.values()))
    pairs = sh.pairwise(table)
    scan = sh.scan(table, top=3, progress=False).document
    half = len(a) // 2
    place = np.argsort(a)  # of which rows the halves are must not depend on their order
    first, second = ({name: values[rows] for name, values in table.items()} for rows in (place[:half], place[half:]))
    compared = sh.compare(first, second, progress=False).document
    network = tools.DependenceNetwork().fit(matrix)
    interval = sh.confidence_interval(a, square)
    triples = sh.triples(numbers)
    found: Answers = {
        "entropy": _flat([sh.entropy(a, alpha=alpha) for alpha in (1, 1.01, 2, 5, math.inf)]),
        "entropy below order 1": _flat([sh.entropy(a, alpha=alpha) for alpha in (0.5, 0.9)]),
        "mutual_information": _flat([sh.mutual_information(a, square), sh.mutual_information(a, table["label"])]),
        "mutual_information, tol=1e-4": _flat([sh.mutual_information(a, square, tol=1e-4)]),
        "total_correlation": _flat([sh.total_correlation(a, b, product), sh.total_correlation(a, b, alpha=2)]),
        "dual_total_correlation": _flat([sh.dual_total_correlation(a, b, product)]),
        "confidence_interval": _flat([interval.low, interval.high]),
        "independence_test, p": _flat(
            [sh.independence_test(a, other).pvalue for other in (b, square, product, table["label"], table["rounded"])]
        ),
        "independence_test of three, p": _flat([sh.independence_test(a, b, product).pvalue]),
        "independence_test given, p": _flat([sh.independence_test(square, product, given=a).pvalue]),
        "interaction_test, p": _flat([sh.interaction_test(a, b, product).pvalue]),
        "pairwise, values": _upper(pairs.value),
        "pairwise, p": _upper(pairs.pvalue),
        "pairwise, adjusted": _upper(pairs.adjusted),
        "pairwise, strength": _upper(pairs.strength),
        "pairwise, strength ends": [*_upper(pairs.strength_low), *_upper(pairs.strength_high)],
        "triples": _flat([triples.total_correlation, triples.dual_total_correlation]),
        "scan, pairs, p": _document(scan["pairs"], "pvalue", "qvalue"),
        "scan, pairs, strength": _document(scan["pairs"], "strength", "strength_low", "strength_high"),
        "scan, pairs reported": _document(scan["pairs"], "reported"),
        "scan, triples, p": _document(scan["triples"], "pvalue", "qvalue"),
        "compare, p": _document(compared["pairs"], "pvalue"),
        "DependenceNetwork, p": _upper(network.pvalues_),
        "DependenceNetwork": _upper(network.weights_),
        "DependenceSelector": _flat(tools.DependenceSelector(2).fit(matrix, table["label"]).get_support()),
        "SubspaceOutlierDetector": _flat(
            tools.SubspaceOutlierDetector(n_subspaces=3).fit(matrix).decision_scores_[np.argsort(a)]
        ),
        "distance_correlation": _flat([comparators.distance_correlation(a, square)]),
        "hsic": _flat([comparators.hsic(a, square)]),
        "sketch": _sketched(table, len(a)),
        "sketch of pairs, p": _pair_sketched(table, len(a)),
    }
    return found


def _rows_of(table: Table, chosen: Any) -> Table:
    return {name: values[chosen] for name, values in table.items()}


def _sketched(table: Table, size: int) -> list[float | None]:
    """Value and bounds, from chunks of a size; the sample it starts from are the rows with the smallest values."""
    n = len(table["a"])
    sample = _rows_of(table, np.argsort(table["a"], kind="stable")[:: max(1, n // 200)])
    sketch = sh.Sketch.like(sample, measures=("total_correlation",))
    for start in range(0, n, size):
        sketch.update(_rows_of(table, slice(start, start + size)))
    found = sketch.total_correlation()
    return _flat([found.value, found.lower, found.upper])


def _pair_sketched(table: Table, size: int) -> list[float | None]:
    n = len(table["a"])
    first = sketching.PairSketch.like(_rows_of(table, np.argsort(table["a"], kind="stable")[:: max(1, n // 400)]))
    for start in range(0, n, size):
        first.update(_rows_of(table, slice(start, start + size)))
    second = first.second_pass()
    for start in range(0, n, size):
        second.update(_rows_of(table, slice(start, start + size)))
    names = list(table)
    tests = [second.independence_test(one, other) for k, one in enumerate(names) for other in names[:k]]
    return _flat([test.pvalue for test in tests])


def streamed(table: Table, parts: int, rows_at_once: int) -> Answers:
    """A scan of files that are read in chunks, and sketches of chunks of that size."""
    kept, file_rows.CHUNK_ROWS = file_rows.CHUNK_ROWS, rows_at_once
    try:
        with tempfile.TemporaryDirectory() as folder:
            frame = pl.DataFrame(table)
            step = -(-len(frame) // parts)
            for number in range(parts):
                frame[number * step : (number + 1) * step].write_parquet(Path(folder) / f"{number:03d}.parquet")
            rows = sketching.open_rows(str(Path(folder) / "*.parquet"))
            scan = sh.scan(rows, order=2, top=2, progress=False).document
    finally:
        file_rows.CHUNK_ROWS = kept
    return {
        "scan, pairs, p": _document(scan["pairs"], "pvalue", "qvalue"),
        "scan, pairs, strength": _document(scan["pairs"], "strength"),
        "sketch": _sketched(table, rows_at_once),
        "sketch of pairs, p": _pair_sketched(table, rows_at_once),
    }


def permuted(table: Table) -> Table:
    rows = np.random.default_rng(1).permutation(len(table["a"]))
    return _rows_of(table, rows)


def deviation(name: str, one: list[float | None], other: list[float | None]) -> float:
    """The largest; infinite where one has an answer and the other none."""
    if [value is None for value in one] != [value is None for value in other]:
        return math.inf
    known = [(first, second) for first, second in zip(one, other, strict=True) if first is not None]
    return max((_apart(name, first, second) for first, second in known if second is not None), default=0.0)


def _apart(name: str, one: float, other: float) -> float:
    if one == other:
        return 0.0
    if name.endswith("p"):
        if min(one, other) <= 0.0:
            return math.inf
        one, other = math.log(one), math.log(other)
        return abs(one - other) / max(1.0, abs(one) / -math.log(1e-20))
    return abs(one - other) / max(1.0, abs(one))


def in_process(rows: int, environment: dict[str, str]) -> Answers:
    """The answers of another process."""
    command = [sys.executable, "-m", "experiments.reliability.same_answers", str(rows)]
    beyond = {key: value.format(beyond=vector_instructions()) for key, value in environment.items()}
    plain = dict.fromkeys(THREADS, "1")
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **plain, **beyond}, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    found: Answers = json.loads(done.stdout)
    return found


def vector_instructions() -> str:
    """What numpy can be told to do without."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    beyond = ("X86_V3", "AVX2", "FMA3", "X86_V4", "AVX512")
    return " ".join(name for name in __cpu_dispatch__ if name.startswith(beyond) and __cpu_features__.get(name))


def variations(rows: int) -> "dict[str, Callable[[], tuple[Answers, Answers]]]":
    """Name -> two sets of answers that are to be the same."""
    table = table_of(rows)
    known: dict[str, Answers] = {}

    def base() -> Answers:
        if not known:
            known["base"] = in_process(rows, {})
        return known["base"]

    found: dict[str, Callable[[], tuple[Answers, Answers]]] = {
        name: lambda own=environment: (base(), in_process(rows, own)) for name, environment in PROCESSES.items()
    }
    found["order of rows"] = lambda: (base(), answers(permuted(table)))
    for parts, size in ((1, 97), (1, 100), (4, 1000)):
        found[f"sizes of chunks: {size} rows, files: {parts}"] = lambda p=parts, s=size: (
            streamed(table, parts=1, rows_at_once=rows),
            streamed(table, parts=p, rows_at_once=s),
        )
    return found


def promised(name: str, rows: int, key: str) -> float | None:
    """By how much an answer may deviate under a variation; None where it is another draw."""
    reordered = name.startswith("order")
    if reordered and key in DRAWN:
        return None
    if key in LESS:
        return LESS[key]
    drawn = reordered and rows > EXACT_ROWS and key not in SAME_IN_ANOTHER_ORDER
    pair = IN_ANOTHER_ORDER if drawn else SAME
    return pair[1] if key.endswith("p") else pair[0]


def compared(name: str, rows: int, pair: tuple[Answers, Answers]) -> dict[str, Any]:
    """Deviation and promise of each function, and which deviate by more."""
    functions = {}
    for key, own in pair[0].items():
        limit = promised(name, rows, key)
        if limit is not None:
            functions[key] = {"apart": deviation(key, own, pair[1][key]), "promised": limit}
    beyond = [key for key, own in functions.items() if not own["apart"] <= own["promised"]]
    numbers = sum(len(pair[0][key]) for key in functions)
    return {"numbers": numbers, "functions": functions, "beyond": beyond, "good": not beyond}


if __name__ == "__main__":
    print(json.dumps(answers(table_of(int(sys.argv[1])))))
