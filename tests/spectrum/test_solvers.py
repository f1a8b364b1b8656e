"""Every solver against the kit that comes with the package."""

import numpy as np
import pytest

import shearer as sh
from shearer.spectrum.lowrank import certified, streaming
from shearer.spectrum.planner import SOLVERS
from shearer.testing import SolverChecks


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
@pytest.mark.parametrize("seed", [0, 1])
def test_solver_passes_the_kit(solver, seed):
    assert SolverChecks(solver).run(seed=seed) >= 7


@pytest.mark.parametrize("tol", [1e-2, 1e-8])
def test_low_rank_by_streaming_passes_the_kit(monkeypatch, tol):
    """The route for many rows, on few: a small sample makes further landmarks and passes necessary."""
    monkeypatch.setattr(certified, "ROWS_IN_MEMORY", 10)
    monkeypatch.setattr(streaming, "SAMPLE_ROWS", 20)
    assert SolverChecks(certified.LowRank(), tol=tol).run(rows=90) > 50


def test_the_kit_finds_a_wrong_solver():
    class Wrong(certified.LowRank):
        def solve(self, gram, request):
            right = super().solve(gram, request)
            return sh.Estimate(right.value + 0.1, right.lower + 0.1, right.upper + 0.1, True, self.name)

    with pytest.raises(AssertionError, match="outside"):
        SolverChecks(Wrong()).run()


@pytest.mark.parametrize("alpha", [0.5, 1, 2, 3, np.inf])
def test_dense_blocks_of_labels_equal_the_whole(rng, alpha):
    x, labels = rng.normal(size=50), rng.choice(list("abc"), size=50)
    both = sh.Dependence(x, labels, alpha=alpha)
    matrix = np.exp(-(np.subtract.outer(x, x) ** 2) / (2 * sh.kernels.Gaussian().width(x[:, None]) ** 2))
    matrix = matrix * (labels[:, None] == labels[None, :])
    whole = sh.entropy(matrix, kernel=sh.kernels.Precomputed(), alpha=alpha)
    assert both.entropy().value == pytest.approx(whole, abs=1e-6 if alpha < 1 else 1e-10)
