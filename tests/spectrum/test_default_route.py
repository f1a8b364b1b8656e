"""Without a tolerance: the numbers of all eigenvalues, by few columns where that is cheaper, and never a long wait."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shearer as sh
from shearer import ToleranceError
from shearer.data import read
from shearer.kernels import grams, hadamard
from shearer.kernels.radial import RadialGram
from shearer.spectrum import Request, plan, planner, solve
from shearer.spectrum.dense import Dense
from shearer.spectrum.lowrank import certificate, certified, cholesky
from shearer.testing import exact_entropy

ALPHAS = [0.5, 1, 1.01, 2, 3, math.inf]
WIDTHS = [None, 0.05, 0.5, 5.0, 100.0]
CLOSE = 1e-10
ROWS = 420


def _kinds(rng, n):
    x = rng.normal(size=n)
    return {
        "scalars": (x, x + rng.normal(size=n)),
        "heavy tails": (rng.standard_t(2, size=n), rng.standard_t(1.5, size=n)),
        "ties": (np.round(2 * x), np.round(rng.normal(size=n))),
        "label": (rng.uniform(size=n), rng.choice(list("abc"), size=n)),
        "labels": (x, rng.choice(list("ab"), size=n), rng.choice(list("uvw"), size=n)),
        "vector": (rng.normal(size=(n, 2)), x),
        "three": (x, x**2, rng.normal(size=n)),
        "sorted": (np.sort(x), np.linspace(0, 1, n)),
        "scales": (np.concatenate([x[: n // 2], 1e-4 * x[n // 2 :]]), x),
    }


def _measures(noun):
    return [noun.entropy(), noun.total_correlation(), noun.dual_total_correlation()]


@pytest.fixture
def entries(monkeypatch):
    """Kernel values that were evaluated, as a list of block shapes."""
    shapes = []
    block = RadialGram.block

    def counted(self, rows, columns):
        found = block(self, rows, columns)
        shapes.append(found.shape)
        return found

    monkeypatch.setattr(RadialGram, "block", counted)
    return shapes


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("kind", _kinds(np.random.default_rng(0), 4))
def test_the_default_gives_the_numbers_of_all_eigenvalues(rng, kind, alpha):
    columns = _kinds(rng, ROWS)[kind]
    # at 0.5 and 2 few columns are never taken (test_which_route_is_taken): fewer widths show that
    for width in {0.5: WIDTHS[::2], 2: WIDTHS[::2], 3: WIDTHS[2:]}.get(alpha, WIDTHS):
        kernel = None if width is None else sh.kernels.Gaussian(width)
        default, exact = (sh.Dependence(*columns, alpha=alpha, kernel=kernel, tol=tol) for tol in (None, 0))
        for mine, truth in zip(_measures(default), _measures(exact), strict=True):
            assert mine.value == pytest.approx(truth.value, abs=CLOSE), (width, mine.route)
            assert mine.lower - 1e-13 <= truth.value <= mine.upper + 1e-13, (width, mine.route)
            assert mine.certified
            assert "lowrank" not in truth.route


@pytest.mark.parametrize("kind", ["scalars", "heavy tails", "ties", "sorted", "scales"])
def test_joints_of_few_columns_give_the_numbers_of_all_eigenvalues(rng, kind):
    """At fewer rows than these a joint is never taken by few columns."""
    columns = _kinds(rng, 600)[kind]
    default, exact = (sh.Dependence(*columns, alpha=1.01, kernel=sh.kernels.Gaussian(5.0), tol=t) for t in (None, 0))
    mine, truth = default.entropy(), exact.entropy()
    assert mine.route == "lowrank"
    assert truth.route == "dense"
    assert mine.value == pytest.approx(truth.value, abs=CLOSE)
    assert mine.lower - 1e-13 <= truth.value <= mine.upper + 1e-13


@given(
    st.integers(0, 2**32 - 1),
    st.integers(400, 700),
    st.sampled_from([1, 1.01, 1.5, 5, math.inf]),
    st.floats(-2, 2),
    st.sampled_from([sh.kernels.Gaussian, sh.kernels.Laplacian]),
)
@settings(max_examples=25)
def test_any_rows_and_width(seed, n, alpha, log_width, kernel):
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n), rng.exponential(size=n) ** 2]
    for gram in [*grams(read(*columns), kernel(10.0**log_width))]:
        found = solve(gram, Request(alpha, memory=10**9))
        exact, round_off = exact_entropy(gram, alpha)
        assert float(found) == pytest.approx(exact, abs=CLOSE)
        assert found.lower - round_off <= exact <= found.upper + round_off


def test_bounds_are_no_wider_than_those_of_all_eigenvalues(rng):
    x = rng.normal(size=1000)
    default, exact = (sh.Dependence(x, x + rng.normal(size=1000), tol=tol).entropy() for tol in (None, 0))
    assert (default.route, exact.route) == ("lowrank", "dense")
    assert default.width <= exact.width


@pytest.mark.parametrize(
    ("n", "shape", "alpha", "route"),
    [
        (1000, (), 1, "lowrank"),
        (1000, (), 1.01, "lowrank"),
        (1000, (), math.inf, "lowrank"),
        (1000, (2,), 1, "lowrank"),
        (300, (), 1, "dense"),  # all eigenvalues take less
        (1000, (), 0.5, "dense"),  # round-off is out of reach below 1
        (1000, (), 0.99, "dense"),
        (1000, (), 0, "dense"),
        (1000, (), 2, "frobenius"),
        (800, (3,), 1, "dense"),
        (800, (8,), 1, "dense"),
    ],
)
def test_which_route_is_taken(rng, n, shape, alpha, route):
    assert sh.Dependence({"x": rng.normal(size=(n, *shape))}, alpha=alpha).entropy().route == route


def test_labels_and_mixtures(rng):
    x, labels = rng.normal(size=2000), rng.choice(list("abc"), size=2000)
    noun = sh.Dependence({"x": x, "label": labels})
    assert noun.entropy("label").route == "counts"
    assert noun.entropy().route == "lowrank"
    many = sh.Dependence({"x": x, "label": rng.integers(0, 60, size=2000).astype(str)})
    assert many.entropy().route == "dense"  # of sixty small blocks


def test_a_rank_out_of_reach_costs_little(rng, entries):
    """A width at which nothing is low rank: given up after a part of the columns, then all eigenvalues."""
    x = rng.normal(size=1000)
    estimate = sh.Dependence(x, kernel=sh.kernels.Gaussian(1e-3)).entropy()
    assert estimate.route == "dense"
    tried = [columns for rows, columns in entries if rows == 1000 and columns < 1000]
    assert 0 < sum(tried) < 150


def test_the_seed_does_not_matter_and_neither_does_the_order(rng):
    x, y = rng.normal(size=(2, 900))
    answers = {float(sh.Dependence(x, y, rng=seed).mutual_information()) for seed in (0, 1, 77)}
    answers |= {sh.mutual_information(x, y), sh.mutual_information(x, y, rng=None), sh.mutual_information(y, x)}
    assert len(answers) == 1
    order = rng.permutation(900)
    assert sh.mutual_information(x[order], y[order]) == pytest.approx(answers.pop(), abs=CLOSE)
    three = rng.normal(size=(3, 900))
    values = [sh.total_correlation(*three[list(order)]) for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0))]
    assert np.ptp(values) < 1e-11


@pytest.mark.needs("torch")
def test_tensors_keep_all_eigenvalues(rng):
    import torch

    x = torch.tensor(rng.normal(size=500), requires_grad=True)
    estimate = sh.Dependence(x).entropy()
    assert estimate.route == "dense"
    estimate.value.backward()
    assert torch.isfinite(x.grad).all()


def test_zero_asks_for_all_eigenvalues(rng):
    x = rng.normal(size=500)
    assert sh.Dependence(x, tol=0).entropy().route == "dense"
    assert sh.Dependence(x, tol=0.0, alpha=2).entropy().route == "frobenius"
    assert sh.Dependence(x, tol=0).explain().startswith("500 rows, 1 variables, alpha=1, tol 0; at most")
    gram = grams(read(rng.normal(size=(20_000, 4)), vector=True))[0]
    chosen = plan(gram, Request.checked(1.0, "20GB", 0, 0))
    assert [solver.name for solver in chosen.solvers] == ["dense"]
    with pytest.raises(sh._memory.MemoryBudgetError):
        sh.entropy(x, tol=0, memory="1MB")


def test_explain_factors_nothing(rng, entries, monkeypatch):
    """A few hundred rows at most, no column of all rows, whatever the size."""
    monkeypatch.setattr(cholesky.Factorization, "grow", None)
    monkeypatch.setattr(Dense, "solve", None)
    x = rng.normal(size=(20_000, 5))
    noun = sh.Dependence({"x": x, "y": x + rng.normal(size=(20_000, 5))}, kernel=sh.kernels.Gaussian(3.0))
    for again in (noun, sh.Dependence({"x": x[:, :2]}, kernel=sh.kernels.Gaussian(1.0), tol=1e-3)):
        entries.clear()
        text = again.explain()
        assert len(text.splitlines()) == len(again.names) + 2
        assert all(max(shape) <= 256 for shape in entries)
        assert len(entries) <= 2 * (len(again.names) + 1)


def test_explain_says_what_will_not_do(rng):
    x = rng.normal(size=(20_000, 20))
    text = sh.Dependence({"x": x}, kernel=sh.kernels.Gaussian(2.0)).explain()
    assert "a sample has no low rank" in text
    assert "else refused" in text
    quick = sh.Dependence({"x": x[:1000, 0]}).explain()
    assert re.search(
        r"x \(number\): lowrank \(a few columns hold all .* but round-off; about 0.00\d s, .*else dense", quick
    )


@pytest.mark.parametrize("tol", [None, 1e-6, 1e-4])
def test_what_has_no_low_rank_is_refused_soon(rng, entries, tol):
    """Twenty thousand rows of ten dimensions: refused after few columns, by the joint, before any marginal."""
    x, y = rng.normal(size=(2, 20_000, 5))
    noun = sh.Dependence(x, y, kernel=sh.kernels.Gaussian(2.0), tol=tol)
    with pytest.raises(ToleranceError, match=r"low rank: bounds .* bits apart at rank") as caught:
        noun.mutual_information()
    for option in ("tol=", "alpha=2, which needs no matrix", "fewer rows or shearer.Subsampling"):
        assert option in str(caught.value)
    assert re.search("tol=0, which takes all eigenvalues|a larger memory=", str(caught.value))
    assert "columns would be needed, 2000 being the most" in str(caught.value)
    assert sum(columns for rows, columns in entries if rows == 20_000) < 600


def test_streams_are_refused_soon(rng, entries):
    x = rng.normal(size=(60_000, 8))
    with pytest.raises(ToleranceError, match="low rank: bounds"):
        sh.entropy(x, kernel=sh.kernels.Gaussian(2.0), memory="1GB")
    assert sum(columns for rows, columns in entries if rows == 4096) < 400
    assert not any(rows > 4096 for rows, _ in entries)


def test_all_eigenvalues_are_not_taken_where_they_take_minutes():
    x = np.zeros((15_000, 4))
    x[:, 0] = np.arange(15_000.0)
    gram = grams(read(x, vector=True))[0]
    names = [s.name for s in plan(gram, Request(1.0, memory=10**11)).solvers]
    assert names == ["lowrank"]
    assert [s.name for s in plan(gram, Request(0.0, memory=10**11)).solvers] == ["dense"]  # no other route at 0
    shorter = gram.restrict(np.arange(9000))
    assert [s.name for s in plan(shorter, Request(1.0, memory=10**11)).solvers][-1] == "dense"
    assert [s.name for s in plan(gram, Request(2.0, memory=10**11)).solvers][-1] == "frobenius"


def test_where_all_eigenvalues_take_long_the_default_tolerance_is_enough(rng):
    gram = grams(read(rng.normal(size=(5000, 3)), vector=True))[0]
    assert plan(gram, Request(1.0, memory=10**10)).solvers == (planner.CERTIFIED, planner.EXACT[-1])
    found = solve(gram, Request(1.0, memory=10**10))
    assert found.route == "lowrank"
    assert found.width <= 1e-6
    scalar = solve(grams(read(rng.normal(size=5000)))[0], Request(1.0, memory=10**10))
    assert scalar.width <= 1e-9


def test_rows_that_only_round_off_is_left_of_end_the_factorisation(rng):
    """Every block makes progress or the work is done, for whatever kernel and seed."""
    for seed in range(20):
        x = np.random.default_rng(seed).normal(size=200)
        gram = hadamard(grams(read(x, x**2), sh.kernels.Gaussian(3.0)))
        work = cholesky.Factorization(gram, np.random.default_rng(seed))
        for _ in range(200):
            rank = work.rank
            if not work.grow(200):
                break
            assert work.rank > rank or (work.residual <= 1e-13).sum() > 0
        else:
            raise AssertionError(f"seed {seed}: still at it at rank {work.rank}")


def test_certificate_without_round_off_is_inside_the_one_with_it(rng):
    growth = cholesky.Growth(grams(read(rng.normal(size=300)))[0], 1.0, rng)
    for _ in range(4):
        growth.work.grow(300)
        inner, outer = (certificate.bounds(s, 1.0) for s in (growth.truncated(), growth.spectrum()))
        assert outer[0] <= inner[0] <= inner[1] <= outer[1]
    assert certified.ROUND_OFF == 1e-11
