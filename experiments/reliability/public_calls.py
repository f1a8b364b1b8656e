"""Every public function, estimator and command on a table, and what a valid answer of each is."""

# ruff: noqa: ARG001 - all calls are called alike

import csv
import io
import json
import math
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

import shearer as sh
from shearer import comparators, comparing, inference, sketching, tools

Rng = np.random.Generator
ALPHAS = (0.0, 0.5, 1.0, 1.01, 2.0, 3.0, 50.0, math.inf)


class InvalidAnswerError(AssertionError):
    """A call returned what cannot be."""


def require(condition: Any, said: str) -> None:
    if not condition:
        raise InvalidAnswerError(said)


def number(value: Any) -> float:
    return float(value.detach()) if hasattr(value, "detach") else float(value)


def is_share(value: Any, said: str, slack: float = 1e-6) -> None:
    require(-slack <= number(value) <= 1 + slack, f"{said} {value!r} is not within 0 and 1")


def is_pvalue(value: Any, said: str = "p-value") -> None:
    require(math.isnan(value) or 0 <= value <= 1, f"{said} {value!r}")


def missing_of(rng: Rng) -> str:
    return str(rng.choice(["error", "drop", "drop"]))


def _measure(name: str, check: Callable[[Any, float], None]) -> Callable[[Any, Rng, Path], None]:
    def call(data: Any, rng: Rng, _: Path) -> None:
        alpha = float(rng.choice(ALPHAS))
        more = {"size": 1} if name == "shearer_gap" else {}
        check(getattr(sh, name)(data, alpha=alpha, missing=missing_of(rng), **more), alpha)

    return call


def _share(value: Any, alpha: float) -> None:
    """At order 1 from 0 to 1; at others it may be negative, and nan where a bound is."""
    if alpha == 1.0:
        is_share(value, "value")
    else:
        require(not number(value) > 1 + 1e-6, f"{value!r} above 1")


def _finite(value: Any, _: float = 1.0) -> None:
    require(math.isfinite(number(value)), f"{value!r} is not finite")


def _interval(data: Any, rng: Rng, _: Path) -> None:
    found = sh.confidence_interval(data, measure="total_correlation", missing=missing_of(rng))
    require(found.low <= found.high or math.isnan(found.low), f"interval {found}")
    str(found)


def _independence(data: Any, rng: Rng, _: Path) -> None:
    method = str(rng.choice(["auto", "auto", "permutation"]))
    found = sh.independence_test(data, method=method, n_resamples=19, missing=missing_of(rng), rng=0)
    is_pvalue(found.pvalue)
    str(found)


def _permutation(data: Any, rng: Rng, _: Path) -> None:
    is_pvalue(sh.permutation_test(data, n_resamples=19, rng=0, missing=missing_of(rng)).pvalue)


def _interaction(data: Any, rng: Rng, _: Path) -> None:
    found = sh.interaction_test(data, missing=missing_of(rng))
    is_pvalue(found.pvalue)
    is_pvalue(found.split_pvalue)
    str(found)


def _adjusted(data: Any, rng: Rng, _: Path) -> None:
    _finite(inference.adjusted_mutual_information(data, missing=missing_of(rng)))


def _pairwise(data: Any, rng: Rng, _: Path) -> None:
    missing = str(rng.choice(["error", "drop", "pairwise", "pairwise"]))
    alpha = 2.0 if rng.random() < 0.5 else float(rng.choice(ALPHAS))
    found = sh.pairwise(data, alpha=alpha, missing=missing)
    values = np.asarray(found.value)
    require(np.array_equal(values, values.T, equal_nan=True), "values are not symmetric")
    known = values[~np.isnan(values)]
    require(np.all(known <= 1 + 1e-6), "values above 1")
    repr(found)
    if alpha != 2.0:
        require(len(found.to_frame()) == len(values) * (len(values) - 1) // 2, "a frame of another length")
        return
    pvalues = np.asarray(found.pvalue)[np.triu_indices(len(values), 1)]
    require(np.all(np.isnan(pvalues) | ((pvalues >= 0) & (pvalues <= 1))), "p-values outside of 0 and 1")
    require(len(found.to_frame(pvalues=True)) == len(pvalues), "a frame of another length")


def _triples(data: Any, rng: Rng, _: Path) -> None:
    found = sh.triples(data, missing=missing_of(rng))
    found.to_frame()
    repr(found)


def _scan(data: Any, rng: Rng, folder: Path) -> None:
    found = sh.scan(data, top=2, order=int(rng.choice([2, 3])), progress=False)
    check_scan(found.document)
    found.to_json(folder / "scan.json")
    json.loads((folder / "scan.json").read_text(encoding="utf-8"))
    found.to_csv(folder / "scan.csv")
    check_csv((folder / "scan.csv").read_text(encoding="utf-8"))
    found.to_graphml(folder / "scan.graphml")
    check_graphml(folder / "scan.graphml")
    page = found.to_html()
    check_page(page)
    str(found)


def check_scan(document: dict[str, Any]) -> None:
    from shearer.report.schema import departures

    require(not departures(document), f"departs from its schema: {departures(document)[:2]}")
    for pair in document["pairs"]:
        if pair["pvalue"] is not None:
            is_pvalue(pair["pvalue"])
        if pair["strength"] is not None and not math.isnan(pair["strength"]):
            is_share(abs(pair["strength"]), "strength")


def check_csv(text: str) -> None:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    require(len({len(row) for row in rows}) <= 1, "rows of csv differ in length")
    for cell in (cell for row in rows for cell in row):
        require(not cell.startswith(("=", "@")), f"a formula {cell!r}")


def check_graphml(path: Path) -> None:
    import networkx as nx

    nx.read_graphml(path)


def check_page(page: str) -> None:
    require("<script>alert" not in page and "\u202e" not in page and "\x1b" not in page, "raw text of the table")
    require("Content-Security-Policy" in page, "no policy")


def _compare(data: Any, rng: Rng, folder: Path) -> None:
    found = sh.compare(data, data, progress=False)
    require(not found.document["changed"] if "changed" in found.document else True, "a table differs from itself")
    found.to_json(folder / "compare.json")
    check_page(found.to_html())
    str(found)


def _profile(data: Any, rng: Rng, folder: Path) -> None:
    kept = comparing.profile_of(data)
    kept.save(folder / "kept.profile")
    comparing.Profile.load(folder / "kept.profile")


def _sketch(data: Any, rng: Rng, folder: Path) -> None:
    sketch = sh.Sketch.like(data, measures=("total_correlation",), missing=missing_of(rng))
    sketch.update(data)
    found = sketch.total_correlation()
    require(found.lower - 1e-9 <= found.value <= found.upper + 1e-9, f"bounds {found}")
    sketch.save(folder / "kept.sketch")
    again = sh.Sketch.load(folder / "kept.sketch").total_correlation()
    require(again.value == found.value, "another value after loading")


def _pair_sketch(data: Any, rng: Rng, _: Path) -> None:
    sketch = sketching.PairSketch.like(data, missing="drop")
    sketch.update(data)


def _dependence(data: Any, rng: Rng, _: Path) -> None:
    found = sh.Dependence(data, missing=missing_of(rng))
    is_share(found.total_correlation(), "total correlation")
    str(found)


def _subsampling(data: Any, rng: Rng, _: Path) -> None:
    found = sh.Subsampling(data, repeats=2, missing=missing_of(rng))
    _finite(found.total_correlation().value)


def _comparator(name: str) -> Callable[[Any, Rng, Path], None]:
    def call(data: Any, rng: Rng, _: Path) -> None:
        columns = list(data.values())[:2] if isinstance(data, dict) else [data]
        value = getattr(comparators, name)(*columns, missing=missing_of(rng))
        # Where one column is a line of others, the information of a Gaussian copula is infinite.
        require("gaussian" in name or not math.isinf(number(value)), f"{value!r}")

    return call


def _network(data: Any, rng: Rng, _: Path) -> None:
    found = tools.DependenceNetwork(missing=missing_of(rng)).fit(data)
    require(np.all(np.isnan(found.pvalues_) | ((found.pvalues_ >= 0) & (found.pvalues_ <= 1))), "p-values")
    repr(found)


def _selector(data: Any, rng: Rng, _: Path) -> None:
    matrix = matrix_of(data)
    found = tools.DependenceSelector(n_features_to_select=1).fit(matrix, rng.integers(0, 2, size=len(matrix)))
    dense = np.asarray(matrix) if isinstance(matrix, np.ndarray) or hasattr(matrix, "to_numpy") else None
    varied = 1 if dense is None else int((dense != dense[:1]).any(axis=0).sum())
    require(found.get_support().sum() == min(1, varied), "another number of features")


def matrix_of(data: Any) -> Any:
    return np.column_stack([np.asarray(column) for column in data.values()]) if isinstance(data, dict) else data


def _subspaces(data: Any, rng: Rng, _: Path) -> None:
    tools.SubspaceSearch(n_subspaces=3).fit(matrix_of(data))


def _outliers(data: Any, rng: Rng, _: Path) -> None:
    found = tools.SubspaceOutlierDetector(n_subspaces=2, n_neighbors=5).fit(matrix_of(data))
    require(np.all(np.isfinite(found.decision_scores_)), "scores that are not finite")


def _bagging(data: Any, rng: Rng, _: Path) -> None:
    found = tools.FeatureBagging(n_estimators=2, n_neighbors=5).fit(matrix_of(data))
    require(np.all(np.isfinite(found.decision_scores_)), "scores that are not finite")


def _score(data: Any, rng: Rng, _: Path) -> None:
    matrix = matrix_of(data)
    values, pvalues = tools.dependence_score(matrix, rng.normal(size=len(matrix)))[:2]
    require(len(values) == len(pvalues), "lengths")
    for value in pvalues:
        is_pvalue(value)


def _given(data: Any, rng: Rng, _: Path) -> None:
    names = list(data) if isinstance(data, dict) else None
    if names is None or len(names) < 3:
        _independence(data, rng, _)
        return
    columns = [data[name] for name in names[:3]]
    is_pvalue(sh.independence_test(columns[0], columns[1], given=columns[2], missing=missing_of(rng)).pvalue)


def _scan_of(data: Any, rng: Rng, _: Path) -> None:
    """A scan by its other ways: conditional, of lags, by clusters, for a target."""
    names = list(data) if isinstance(data, dict) else None
    way = int(rng.integers(4))
    first = names[0] if names and all(isinstance(name, str) for name in names) else "x"
    more: dict[str, Any] = [{"given": first}, {"lags": [0, 1]}, {"cluster": first}, {"target": first}][way]
    check_scan(sh.scan(data, top=1, order=2, progress=False, **more).document)


def _grouped(data: Any, rng: Rng, _: Path) -> None:
    names = list(data) if isinstance(data, dict) else ["x", "y"]
    groups = {"both": names[:2]}
    is_share(sh.total_correlation(data, groups=groups, missing=missing_of(rng)), "total correlation")


def _by_permuting_within(data: Any, rng: Rng, _: Path) -> None:
    columns = list(data.values())[:3] if isinstance(data, dict) else [data, data, data]
    found = inference.conditional_test(
        *columns[:2], given=columns[-1], n_resamples=19, missing=missing_of(rng), progress=False
    )
    is_pvalue(found.pvalue)


def _given_tester(data: Any, rng: Rng, _: Path) -> None:
    matrix = matrix_of(data)
    is_pvalue(tools.PvalueGiven(matrix)(0, 1, ()))


def _loss(name: str) -> Callable[[Any, Rng, Path], None]:
    def call(data: Any, rng: Rng, _: Path) -> None:
        import torch

        from shearer import neural

        columns = list(data.values()) if isinstance(data, dict) else list(data.T)
        tensors = [torch.as_tensor(column).reshape(-1, 1).requires_grad_() for column in columns[:2]]
        if name == "cka":
            _finite(neural.cka(*tensors))
            return
        value = getattr(neural, name)()(*(tensors[:1] if name == "ErrorEntropyLoss" else tensors))
        value.backward()
        _finite(value)

    return call


def command(*arguments: str) -> tuple[int, str, str]:
    """A command in this process: exit code, standard output and standard error."""
    from shearer.cli import main

    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    before = sys.argv
    sys.argv = ["shearer", *arguments]
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
        code = 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    finally:
        sys.argv = before
    out.flush()
    return code, out.buffer.getvalue().decode("utf-8", "replace"), err.getvalue()  # type: ignore[attr-defined]


def _commands(name: str) -> Callable[[Any, Rng, Path], None]:
    def call(data: Any, rng: Rng, folder: Path) -> None:
        path = write_table(data, rng, folder)
        outputs = {"scan": ("json", "csv", "graphml", "report"), "compare": ("json", "csv", "report")}
        outputs |= {"network": ("json", "csv", "graphml", "arboreto"), "outliers": ("json", "csv", "report")}
        wanted = outputs.get(name, ("json", "csv") if name != "test" else ("json",))
        arguments = [name, str(path)]
        if name == "compare":
            arguments.append(str(path))
        if name == "select":
            arguments.append(next(iter(_names(data))))
        if name == "test":
            arguments += [json.dumps(key)[1:-1] if "," in key else key for key in list(_names(data))[:2]]
        if name == "scan":
            ways = ([], [], ["--stream"], ["--order", "2", "--lags", "0..1"], ["--order", "2", "--direct"])
            arguments += ["--top", "2", *ways[int(rng.integers(len(ways)))]]
        for output in wanted:
            suffix = "html" if output == "report" else output
            arguments += [f"--{output}", str(folder / f"out.{suffix}")]
        code, out, err = command(*arguments)
        shown = out + err
        require("This is a bug" not in shown, shown[-300:])
        require("Traceback" not in shown, shown[-300:])
        require("\x1b[2J" not in out and "\u202e" not in out, "raw text of the table")
        if code != 0:
            raise ValueError(err)
        if (folder / "out.graphml").exists():
            check_graphml(folder / "out.graphml")
        if (folder / "out.html").exists():
            check_page((folder / "out.html").read_text(encoding="utf-8"))
        for output in folder.glob("out*.csv"):
            check_csv(output.read_text(encoding="utf-8"))
        json.loads((folder / "out.json").read_text(encoding="utf-8"))

    return call


def _names(data: Any) -> list[str]:
    return list(data) if isinstance(data, dict) else [f"column {place}" for place in range(1, 3)]


def write_table(data: Any, rng: Rng, folder: Path) -> Path:
    """A mapping of lists as a file of text or as Parquet."""
    import polars as pl

    plain = all(type(value) in (float, int, str) for values in data.values() for value in values)
    halves = any("\ud800" in values for values in data.values())
    if rng.random() < 0.3 and plain and not halves:  # what Parquet can hold
        path = folder / "table.parquet"
        pl.DataFrame({name: pl.Series(name, values, strict=False) for name, values in data.items()}).write_parquet(path)
        return path
    path = folder / "table.csv"
    with path.open("w", newline="", encoding="utf-8", errors="surrogatepass") as file:
        writer = csv.writer(file, delimiter=str(rng.choice([",", ";", "\t"])))
        writer.writerow(list(data))
        writer.writerows(zip(*data.values(), strict=True))
    return path


#: Name -> call; what is refused ends in an error.
FUNCTIONS: dict[str, Callable[[Any, Rng, Path], None]] = {
    **{
        name: _measure(name, _share)
        for name in ("total_correlation", "dual_total_correlation", "mutual_information", "shearer_gap")
    },
    **{name: _measure(name, _finite) for name in ("entropy", "o_information", "s_information", "co_information")},
    "confidence_interval": _interval,
    "independence_test": _independence,
    "independence_test, given": _given,
    "permutation_test": _permutation,
    "interaction_test": _interaction,
    "adjusted_mutual_information": _adjusted,
    "pairwise": _pairwise,
    "triples": _triples,
    "scan": _scan,
    "scan, other ways": _scan_of,
    "total_correlation, groups": _grouped,
    "conditional_test": _by_permuting_within,
    "compare": _compare,
    "Profile": _profile,
    "Sketch": _sketch,
    "PairSketch": _pair_sketch,
    "Dependence": _dependence,
    "Subsampling": _subsampling,
    "DependenceNetwork": _network,
}
NUMERIC: dict[str, Callable[[Any, Rng, Path], None]] = {
    "DependenceSelector": _selector,
    "SubspaceSearch": _subspaces,
    "SubspaceOutlierDetector": _outliers,
    "FeatureBagging": _bagging,
    "dependence_score": _score,
    "PvalueGiven": _given_tester,
    **{
        f"neural.{name}": _loss(name)
        for name in ("DependenceLoss", "TotalCorrelationLoss", "HSICLoss", "ErrorEntropyLoss", "cka")
    },
    **{f"comparators.{name}": _comparator(name) for name in comparators.__all__ if name != "mine"},
}
COMMANDS = {f"shearer {name}": _commands(name) for name in ("scan", "compare", "test", "network", "select", "outliers")}
#: Functions of variables, which take tables of any number of columns; others look at pairs of them.
OF_MANY = ("entropy", "total_correlation", "dual_total_correlation", "s_information", "co_information", "Dependence")
#: Columns for functions that look at all pairs.
MOST_COLUMNS = 150
