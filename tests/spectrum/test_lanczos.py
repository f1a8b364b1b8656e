"""Random vectors in place of all eigenvalues: quadrature that brackets, intervals that cover, refusals that say why."""

import numpy as np
import pytest

import shearer as sh
from shearer.data.variables import Block
from shearer.spectrum import Request, ToleranceError, planner, renyi, solve
from shearer.spectrum.dense import Dense
from shearer.spectrum.lanczos import Lanczos, _Operator, _rules, _tridiagonal


def narrow(rng, rows=600, dimensions=5, part=0.5):
    values = rng.normal(size=(rows, dimensions))
    kernel = sh.kernels.Gaussian(part * sh.kernels.Gaussian().width(values))
    return kernel.gram(Block("continuous", values), np.empty(0))


@pytest.mark.parametrize("alpha", [0.5, 0.8, 1.0, 1.05, 1.5, 2.5, 3.5])
@pytest.mark.parametrize("steps", [4, 9, 20])
def test_the_two_rules_bracket_the_integral(rng, alpha, steps):
    gram = narrow(rng, rows=200)
    values, vectors = np.linalg.eigh(gram.dense() / 200)
    starts = rng.normal(size=(200, 5))
    weights = (vectors.T @ (starts / np.linalg.norm(starts, axis=0))) ** 2

    def f(x):
        return renyi.tau_or_zero(np.clip(x, 0, None), alpha) if renyi.near_one(alpha) else np.clip(x, 0, None) ** alpha

    exact = f(values) @ weights
    nodes, inner, outer, shares = _rules(*_tridiagonal(_Operator(gram, hold=True), starts, steps))
    ends = np.sort([np.sum(inner * f(nodes), axis=1), np.sum(shares * f(outer), axis=1)], axis=0)
    assert np.all(ends[0] <= exact + 1e-14)
    assert np.all(exact <= ends[1] + 1e-14)
    assert np.allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("alpha", [0.75, 1.0, 1.01, 1.5, 3.0])
def test_intervals_cover_the_exact_entropy(rng, alpha):
    covered = 0
    for seed in range(12):
        gram = narrow(rng, rows=400)
        exact = float(Dense().solve(gram, Request(alpha, memory=10**9)))
        found = Lanczos().solve(gram, Request(alpha, memory=10**9, tol=0.1, seed=seed))
        assert found.width <= 0.1
        assert not found.certified
        assert found.route == "lanczos"
        covered += found.lower <= exact <= found.upper
        assert abs(float(found) - exact) < 0.05
    assert covered >= 11


def test_tiles_and_the_whole_matrix_give_the_same(rng):
    gram = narrow(rng, rows=900)
    held, tiled = (Lanczos().solve(gram, Request(1.0, memory=m, tol=0.1, seed=3)) for m in (10**9, 10**5))
    assert tiled.value == pytest.approx(held.value, abs=1e-9)
    assert tiled.width == pytest.approx(held.width, abs=1e-9)


def test_the_seed_decides(rng):
    gram = narrow(rng)
    values = [Lanczos().solve(gram, Request(1.0, memory=10**9, tol=0.1, seed=seed)).value for seed in (0, 0, 1)]
    assert values[0] == values[1] != values[2]


def test_a_tighter_tolerance_takes_more_vectors_and_is_met(rng):
    gram = narrow(rng, part=0.3)
    exact = float(Dense().solve(gram, Request(1.0, memory=10**9)))
    found = Lanczos().solve(gram, Request(1.0, memory=10**9, tol=0.01))
    assert found.width <= 0.01
    assert found.lower - 0.005 <= exact <= found.upper + 0.005


def test_what_cannot_be_met_is_refused(rng):
    with pytest.raises(ToleranceError, match=r"lanczos: an interval of .* bits from \d+ random vectors"):
        Lanczos().solve(narrow(rng, part=0.3), Request(1.0, memory=10**9, tol=1e-9))


def test_planner_takes_it_where_nothing_else_fits(rng):
    """No low rank, no memory for the matrix, a tolerance that random vectors can meet."""
    gram = narrow(rng, rows=1500, dimensions=8, part=0.4)
    request = Request(1.0, memory=45 * 10**6, tol=0.2)
    plan = planner.plan(gram, request)
    assert [solver.name for solver in plan.solvers] == ["lowrank", "lanczos"]
    found = solve(gram, request)
    assert (found.route, found.certified) == ("lanczos", False)
    exact = float(Dense().solve(gram, Request(1.0, memory=10**9)))
    assert abs(float(found) - exact) < 0.1
    assert "random vectors, not certified" in planner.Plan((Lanczos(),), request).describe(gram)


def test_planner_keeps_certified_routes_where_they_are_quick(rng):
    gram = narrow(rng)
    assert [s.name for s in planner.plan(gram, Request(1.0, memory=10**9, tol=0.1)).solvers][-1] == "dense"
    assert "lanczos" not in [s.name for s in planner.plan(gram, Request(1.0, memory=10**9, tol=0.1)).solvers]
    slow = narrow(rng, rows=6000)
    assert "lanczos" not in [s.name for s in planner.plan(slow, Request(1.0, memory=10**10)).solvers]
