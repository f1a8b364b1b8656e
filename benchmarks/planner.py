"""The planner's choices beside all eigenvalues: the default answer, what it costs to ask, how soon it is refused."""

import math
import time
from typing import Any

import numpy as np

import shearer as sh
from benchmarks.cases import Case, best
from shearer._threads import single_threaded_blas

DETAILS: dict[str, Any] = {}

Columns = dict[str, np.ndarray]


def _columns(kind: str, n: int) -> Columns:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    if kind == "two scalars":
        return {"x": x, "y": x + rng.normal(size=n)}
    if kind == "heavy tails":
        return {"x": rng.standard_t(2, size=n), "y": rng.standard_t(2, size=n)}
    if kind == "scalar and label":
        return {"x": x, "label": np.where(x + rng.normal(size=n) > 0, "a", "b")}
    if kind == "plane and scalar":
        return {"x": rng.normal(size=(n, 2)), "y": x}
    return {"x": rng.normal(size=(n, 5)), "y": rng.normal(size=(n, 5)) + x[:, None]}


def default_answers() -> list[Case]:
    """I* without a tolerance beside I* from all eigenvalues (tol=0), widths included, one thread each."""
    promised = {("two scalars", 1000, 1.0): 4.0, ("two scalars", 2000, 1.0): 10.0}
    cases, table = [], []
    for kind in ("two scalars", "heavy tails", "scalar and label", "plane and scalar", "five and five"):
        for n in (300, 500, 1000, 2000):
            for alpha in (0.5, 1.0, 1.01, math.inf) if n == 1000 else (1.0,):
                columns = _columns(kind, n)

                def answer(tol: float | None, columns: Columns = columns, alpha: float = alpha) -> sh.Estimate:
                    return sh.Dependence(columns, alpha=alpha, tol=tol).mutual_information()

                with single_threaded_blas():
                    found, exact = answer(None), answer(0)
                    repeats = 9 if n < 1000 else 5 if n < 2000 else 2
                    pairs = [(best(lambda: answer(None), 1), best(lambda: answer(0), 1)) for _ in range(repeats)]
                ours, reference = (min(column) for column in zip(*pairs, strict=True))
                gap = abs(found.value - exact.value)
                assert gap <= 1e-10, (kind, n, alpha, gap)
                assert found.lower <= exact.value <= found.upper, (kind, n, alpha)
                row = {"kind": kind, "n": n, "alpha": str(alpha), "route": found.route, "seconds": ours}
                table.append(row | {"dense_seconds": reference, "difference": gap, "width": found.width})
                name = f"I* of {kind}, n={n}, alpha {alpha:g}: default v tol=0"
                note = (
                    f"route {found.route}; values {gap:.0e} apart, bounds {found.width:.0e} against {exact.width:.0e}"
                )
                wanted = promised.get((kind, n, alpha))
                # Where all eigenvalues are taken after all, an attempt may have cost a part of them.
                limit = None if wanted else 1.3
                cases.append(Case(name, ours, reference, "s", at_most=limit, at_least=wanted, note=note))
    DETAILS["default"] = table
    return cases


def explanations() -> list[Case]:
    """What `explain` costs, by rows and dimensions; the kernel's width is found before."""
    cases = []
    for n, dimensions in ((1000, 1), (20_000, 1), (20_000, 5)):
        rng = np.random.default_rng(1)
        noun = sh.Dependence({"x": rng.normal(size=(n, dimensions)), "y": rng.normal(size=(n, dimensions))})
        with single_threaded_blas():
            seconds = best(noun.explain, 5)
        name = f"explain, 2 variables, n={n}, d={dimensions}"
        cases.append(Case(name, seconds, 0.1, "s", at_most=1, note="reference: a tenth of a second"))
    return cases


def refusals() -> list[Case]:
    """I* of 20,000 rows in five dimensions has no low rank: seconds to the refusal, by tolerance."""
    columns = _columns("five and five", 20_000)
    cases = []
    for tol in (None, 1e-6, 1e-3):
        start = time.perf_counter()
        noun = sh.Dependence(columns, tol=tol)
        built = time.perf_counter() - start
        try:
            said = f"answered, {noun.mutual_information().route}"
        except sh.ToleranceError as error:
            said = str(error)
        seconds = time.perf_counter() - start
        name = f"I*, n=20,000, d=5, tol {tol}: time to the refusal"
        note = f"reference: 10 s; {built:.1f} s of it are the widths; {said}"
        cases.append(Case(name, seconds, 10.0, "s", at_most=1, note=note))
    return cases


def run() -> list[Case]:
    return [*default_answers(), *explanations(), *refusals()]
