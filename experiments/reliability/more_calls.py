"""Calls of the rest: other arguments of functions, results and what they write, kernels, networks of torch, graphs.

Called as those of public_calls.py are.
"""

# ruff: noqa: ARG001 - all calls are called alike

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import shearer as sh
from experiments.reliability.public_calls import (
    ALPHAS,
    Rng,
    check_page,
    check_scan,
    is_pvalue,
    matrix_of,
    missing_of,
    number,
    require,
)
from shearer import comparing, inference, kernels, screening, sketching, tools
from shearer.data import read

Call = Callable[[Any, Rng, Path], None]
FORMS: tuple[Any, ...] = (True, False, "max", "min", "joint", "mean", "sqrt", "none of these")


def _columns(data: Any, most: int) -> list[Any]:
    """The first few columns of a mapping; anything else as it is."""
    return list(data.values())[:most] if isinstance(data, dict) else [data]


def _first_name(data: Any) -> Any:
    if isinstance(data, dict):
        return next(iter(data))
    names = getattr(data, "column_names", getattr(data, "columns", None))
    return "x1" if names is None or callable(names) else next(iter(names))


def _kernel(rng: Rng) -> Any:
    some = (
        kernels.Gaussian(),
        kernels.Gaussian("silverman"),
        kernels.Gaussian(0.5),
        kernels.Gaussian(kernels.EntropyFraction(0.4)),
        kernels.Gaussian(kernels.Neighbors(3)),
        kernels.Laplacian(),
        kernels.Delta(),
        kernels.Custom(lambda x, y: float(x == y)),
    )
    return some[int(rng.integers(len(some)))]


def _options(data: Any, rng: Rng, _: Path) -> None:
    """A measure with a kernel, a form, a tolerance and conditions of its own."""
    options: dict[str, Any] = {"missing": missing_of(rng), "alpha": float(rng.choice(ALPHAS))}
    if rng.random() < 0.6:
        options["kernel"] = _kernel(rng)
    if rng.random() < 0.4:
        options["tol"] = float(10.0 ** rng.integers(-8, 0))
    if rng.random() < 0.4:
        options["given"] = _first_name(data)
    name = str(rng.choice(["mutual_information", "total_correlation", "dual_total_correlation", "entropy"]))
    if name == "mutual_information":
        options["normalize"] = FORMS[int(rng.integers(len(FORMS)))]
    require(not math.isinf(number(getattr(sh, name)(*_columns(data, 3), **options))), "an infinite measure")


def _target(data: Any, rng: Rng, _: Path) -> None:
    found = sh.pairwise(data, target=_first_name(data), missing="pairwise")
    for value in np.ravel(found.pvalue):
        is_pvalue(value)
    repr(found)
    found.to_frame(pvalues=True)


def _pairwise_given(data: Any, rng: Rng, _: Path) -> None:
    found = sh.pairwise(data, given=_first_name(data), missing="drop")
    for value in np.ravel(found.pvalue):
        is_pvalue(value)
    repr(found)


def _shards(data: Any, rng: Rng, folder: Path) -> None:
    whole = np.asarray(sh.pairwise(data, missing="pairwise").value)
    sh.pairwise(data, missing="pairwise", shards=folder / "shards")
    opened = screening.open_shards(folder / "shards")
    row = np.asarray(opened.row(opened.names[0]))
    require(np.array_equal(row, whole[0], equal_nan=True), "shards differ from the whole")


def _rates(data: Any, rng: Rng, _: Path) -> None:
    values = np.ravel(np.asarray(matrix_of(data), dtype=float))
    found = inference.adjusted_pvalues(np.clip(values, 0, 1) if rng.random() < 0.8 else values)
    for value in np.ravel(found):
        is_pvalue(value)


def _by(data: Any, rng: Rng, folder: Path) -> None:
    found = sh.compare(data, by=_first_name(data), triples=bool(rng.random() < 0.3), progress=False)
    check_page(found.to_html())
    found.to_csv(folder / "out.csv")
    str(found)


def _two_tables(data: Any, rng: Rng, folder: Path) -> None:
    """A table and its profile: kept, loaded and compared."""
    comparing.profile_of(data).save(folder / "kept.profile")
    check_page(sh.compare(comparing.Profile.load(folder / "kept.profile"), data, progress=False).to_html())


def _scan_of_four(data: Any, rng: Rng, folder: Path) -> None:
    found = sh.scan(data, order=4, top=1, shards=folder / "shards", progress=False)
    check_scan(found.document)
    again = sh.scan(data, order=4, top=1, shards=folder / "shards", resume=True, progress=False)
    require(again.document["pairs"] == found.document["pairs"], "another answer after resuming")


def _rows(data: Any, rng: Rng, folder: Path) -> None:
    """Rows of a source in chunks, to a scan."""
    check_scan(sh.scan(sketching.open_rows(data), order=2, top=1, progress=False).document)


def _second_pass(data: Any, rng: Rng, _: Path) -> None:
    first = sketching.PairSketch.like(data, missing="drop")
    first.update(data)
    second = first.second_pass()
    second.update(data)
    names = list(second.names)[:2]
    is_pvalue(second.independence_test(*names).pvalue)


def _kernels(data: Any, rng: Rng, _: Path) -> None:
    table = read(data)
    found = kernels.gram(table.variables[0], table.like, _kernel(rng))
    every = np.arange(found.n)
    values = np.array(found.block(every, every).tolist(), dtype=float)
    require(np.all(np.abs(values) <= 1 + 1e-6) and np.allclose(values, values.T), "a matrix that is no similarity")


def _direct(data: Any, rng: Rng, folder: Path) -> None:
    found = tools.DependenceNetwork(indirect=str(rng.choice(["pc", "dpi", "conditional"]))).fit(data)
    require(np.all(np.isfinite(found.weights_)), "weights that are not finite")
    repr(found.edges_)


def _graph(data: Any, rng: Rng, _: Path) -> None:
    names = list(data) if isinstance(data, dict) else [f"x{place + 1}" for place in range(3)]
    found = tools.check_graph(data, [(names[0], names[-1])])
    str(found)


def _robust(name: str) -> Call:
    def call(data: Any, rng: Rng, folder: Path) -> None:
        from shearer import neural

        matrix = matrix_of(data)
        n = len(matrix)
        target = rng.normal(size=n) if name == "RobustRegressor" else rng.integers(0, 2, size=n)
        estimator = getattr(neural, name)(max_epochs=1).fit(matrix, target)
        said = np.asarray(estimator.predict(matrix))
        estimator.save(folder / "kept.estimator")
        again = np.asarray(getattr(neural, name).load(folder / "kept.estimator").predict(matrix))
        require(np.array_equal(said, again), "another prediction after loading")

    return call


def _features(data: Any) -> Any:
    import torch

    columns = list(data.values()) if isinstance(data, dict) else list(data.T)
    return torch.stack([column.detach().reshape(-1).to(torch.float32) for column in columns], dim=1)


def _bottleneck(name: str) -> Call:
    def call(data: Any, rng: Rng, _: Path) -> None:
        import torch

        from shearer import neural

        x = _features(data)
        y = torch.tensor(rng.integers(0, 2, size=len(x)))
        encoder = torch.nn.Linear(x.shape[1], 4)
        code, size = ([neural.GaussianCode()], 2) if name == "VariationalBottleneck" else ([], 4)
        model = torch.nn.Sequential(encoder, *code, torch.nn.Linear(size, 2))
        loss = getattr(neural, name)(model, str(len(code)), beta=1e-3)(x, y)
        loss.backward()
        small = len(x) > 0 and bool((x.abs() < 1e6).all())  # beyond, and of no rows, torch has no loss
        require(bool(torch.isfinite(loss)) or not small, f"a loss of {loss}")

    return call


def _monitor(data: Any, rng: Rng, _: Path) -> None:
    import torch

    from shearer import neural

    x = _features(data)[:, :, None, None]
    model = torch.nn.Sequential(torch.nn.Conv2d(x.shape[1], 3, 1), torch.nn.ReLU())
    monitor = neural.FeatureMapMonitor(model)
    monitor.observe(x, step=0)
    monitor.to_frame()


def _similarity(data: Any, rng: Rng, _: Path) -> None:
    import torch

    from shearer import neural

    x = _features(data)
    model = torch.nn.Sequential(torch.nn.Linear(x.shape[1], 3), torch.nn.Tanh())
    similarity = neural.RepresentationSimilarity(model)
    similarity.update(x)
    str(similarity.compute())


def _plane(data: Any, rng: Rng, _: Path) -> None:
    import torch

    from shearer import neural

    x = _features(data)
    model = torch.nn.Sequential(torch.nn.Linear(x.shape[1], 3), torch.nn.Tanh())
    neural.InformationPlane(model, ["1"]).observe(x, torch.tensor(rng.integers(0, 2, size=len(x))))


#: Name -> call, of functions of any column and of those of numbers.
FUNCTIONS: dict[str, Call] = {
    "measures, other options": _options,
    "pairwise, target": _target,
    "pairwise, given": _pairwise_given,
    "pairwise, shards": _shards,
    "compare, by": _by,
    "compare, profile": _two_tables,
    "scan, of four": _scan_of_four,
    "open_rows": _rows,
    "PairSketch, two passes": _second_pass,
    "kernels.gram": _kernels,
    "DependenceNetwork, direct": _direct,
    "check_graph": _graph,
}
NUMERIC: dict[str, Call] = {
    "adjusted_pvalues": _rates,
    **{f"neural.{name}": _robust(name) for name in ("RobustRegressor", "RobustClassifier")},
    **{
        f"neural.{name}": _bottleneck(name)
        for name in ("InformationBottleneck", "NormPenalty", "VariationalBottleneck")
    },
    "neural.FeatureMapMonitor": _monitor,
    "neural.RepresentationSimilarity": _similarity,
    "neural.InformationPlane": _plane,
}
