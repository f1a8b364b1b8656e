"""The planner: which route, met or refused, never silently worse."""

import numpy as np
import pytest

import shearer as sh
from shearer import ToleranceError
from shearer._memory import MemoryBudgetError


@pytest.fixture
def pair(rng):
    x = rng.normal(size=3000)
    return x, x + rng.normal(size=3000)


@pytest.mark.parametrize("alpha", [0.75, 1, 1.01, 2, 3])
@pytest.mark.parametrize("tol", [1e-2, 1e-5])
def test_certified_answers_contain_the_exact_one(rng, alpha, tol):
    x = rng.normal(size=600)
    y = np.column_stack([x**2, rng.standard_t(3, size=600)])
    exact = sh.Dependence(x, y, alpha=alpha)
    close = sh.Dependence(x, y, alpha=alpha, tol=tol)
    for measure in ("entropy", "total_correlation", "dual_total_correlation", "mutual_information", "o_information"):
        truth, estimate = getattr(exact, measure)(), getattr(close, measure)()
        assert estimate.width <= tol
        assert estimate.lower - 1e-9 <= truth.value <= estimate.upper + 1e-9


def test_routes(pair, rng):
    assert sh.Dependence(*pair, tol=1e-4).mutual_information().route == "lowrank"
    assert sh.Dependence(*pair, alpha=2).mutual_information().route == "frobenius"
    assert sh.Dependence(rng.normal(size=(500, 8)), rng.normal(size=500)).entropy().route == "dense"
    assert sh.Dependence(["a", "b"] * 50, tol=1e-4).entropy().route == "counts"


def test_dense_takes_over_where_there_is_no_low_rank(rng):
    x = rng.normal(size=(700, 9))
    estimate = sh.Dependence(x[:, :5], x[:, 5:], tol=1e-6).entropy()
    assert estimate.route == "dense"
    assert estimate.width <= 1e-6


def test_explain_names_route_reason_and_cost(pair):
    text = sh.Dependence(*pair, tol=1e-4).explain()
    assert text.splitlines()[0].startswith("3000 rows, 2 variables, alpha=1, tol 0.0001; at most ")
    for line in text.splitlines()[1:]:
        assert "lowrank (a few columns hold nearly all" in line
        assert " s, " in line
        assert "MB" in line
        assert "else dense" in line


def test_what_cannot_be_met_is_refused(rng):
    """No low rank, and no memory for the matrix: an error that says how close it came and what to change."""
    x = rng.normal(size=(3000, 12))
    with pytest.raises(
        ToleranceError, match=r"tol: expected .* within 1.2e-07 bits, got low rank: bounds .* at rank"
    ) as caught:
        sh.Dependence(x[:, :6], x[:, 6:], tol=1e-6, memory="50MB").entropy()
    assert "dense: needs 216 MB" in str(caught.value)
    assert "Options: a larger tol=, alpha=2" in str(caught.value)
    assert "tol=1e-06 for the measure asks for entropies within 1.2e-07 bits each" in str(caught.value)


def test_tolerance_below_round_off_is_refused(rng):
    with pytest.raises(ToleranceError, match="tol: expected"):
        sh.total_correlation(rng.normal(size=100), rng.normal(size=100), tol=1e-17)


def test_half_cannot_be_certified_deeply(rng):
    """At alpha = 0.5 round-off enters at its square root: 1e-9 bits is refused, not approximated."""
    with pytest.raises(ToleranceError):
        sh.entropy(rng.normal(size=3000), alpha=0.5, tol=1e-9, memory="40MB")


@pytest.mark.needs("torch")
def test_no_route_for_tensors_but_dense():
    import torch

    x = torch.randn(30_000)
    with pytest.raises(
        MemoryBudgetError, match=r"memory: expected at most 1 GB, got 30000 rows .* Options: numpy arrays"
    ):
        sh.entropy(x, memory="1GB")


def test_labels_split_the_matrix_at_every_order(rng):
    """What fits at an order just below 3 is not refused at 3, where one route more is there."""
    x, labels = rng.normal(size=(900, 3)), rng.integers(0, 8, size=900).astype(str)
    near, at = (sh.entropy(x, labels, alpha=alpha, memory="4MB") for alpha in (3 - 1e-9, 3))
    assert at == pytest.approx(near, abs=1e-6)
    one = rng.normal(size=300)
    assert sh.Dependence(one, one[::-1], alpha=3).entropy("x1").route == "powers"
    budget = 3.5 * 8 * 300**2  # of three matrices, not of four
    assert sh.Dependence(one, one[::-1], alpha=3, memory=budget).entropy("x1").route == "dense"


def test_seeds(pair):
    def answer(seed):
        return sh.Dependence(*pair, tol=1e-3, rng=seed).entropy()

    assert answer(1) == answer(1)
    assert answer(1).value != answer(2).value
    assert answer(np.random.default_rng(5)) == answer(np.random.default_rng(5))
    assert answer(None).width <= 1e-3


@pytest.mark.parametrize("rng", ["a", 1.5, -1, True])
def test_bad_seeds(rng):
    with pytest.raises(TypeError, match="rng: expected a seed"):
        sh.entropy([1.0, 2.0], rng=rng)


@pytest.mark.parametrize(
    ("tol", "kind"),
    [(-1e-9, ValueError), (-1, ValueError), (np.inf, ValueError), ("small", TypeError), (np.nan, ValueError)],
)
def test_bad_tolerances(tol, kind):
    with pytest.raises(kind, match="tol: expected a positive finite number"):
        sh.entropy([1.0, 2.0], tol=tol)


def test_many_rows_without_a_tolerance_are_certified(rng):
    """Where an exact answer would take minutes, entropies are certified to 1e-6 bits, and say so."""
    estimate = sh.Dependence(rng.normal(size=30_000)).entropy()
    assert estimate.route == "lowrank"
    assert estimate.width <= 1e-6


@pytest.mark.parametrize("law", ["normal", "heavy"])
def test_streaming_agrees_with_all_rows_at_once(rng, monkeypatch, law):
    from shearer.spectrum.lowrank import certified

    n = 6000
    x = rng.normal(size=n) if law == "normal" else rng.standard_t(2, size=n)
    y = x + rng.normal(size=n)
    at_once = sh.Dependence(x, y, tol=1e-4).entropy()
    monkeypatch.setattr(certified, "ROWS_IN_MEMORY", 1000)
    streamed = sh.Dependence(x, y, tol=1e-4).entropy()
    assert streamed.lower <= at_once.upper
    assert at_once.lower <= streamed.upper
    assert streamed.width <= 1e-4


def test_heavy_tails_at_many_rows_are_met_or_refused(rng):
    x = rng.standard_t(2, size=100_000)
    try:
        estimate = sh.Dependence(x, tol=1e-3, memory="300MB").entropy()
    except ToleranceError as error:
        assert "bits apart at rank" in str(error)  # noqa: PT017 - either outcome is right, silence is not
    else:
        assert estimate.width <= 1e-3


def test_frobenius_never_forms_the_matrix(rng):
    import tracemalloc

    x = rng.normal(size=8000)
    tracemalloc.start()
    sh.entropy(x, alpha=2, kernel=sh.kernels.Gaussian(1.0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8000**2 * 8 / 10


def test_frobenius_tiles_of_every_kind_equal_the_dense_sum(rng):
    x = rng.normal(size=1300)
    columns = [x, rng.standard_cauchy(size=1300), rng.normal(size=(1300, 10)), rng.choice(list("ab"), size=1300)]
    for column in columns:
        noun = sh.Dependence(x, column, alpha=2)
        parts = [sh.kernels.grams(noun._table)[i].dense() for i in (0, 1)]
        power_sum = np.sum((parts[0] * parts[1]) ** 2) / 1300**2
        assert noun.entropy().value == pytest.approx(-np.log2(power_sum), abs=1e-11)


def test_an_open_quotient_is_tightened_or_said_to_be_open(rng):
    x, y = rng.normal(size=(2, 6000))
    wide = sh.kernels.Gaussian(300.0)
    estimate = sh.Dependence(x, y, kernel=wide).mutual_information()
    assert estimate.width < 0.1
    with pytest.warns(UserWarning, match="only bounds are known") as warned:
        sh.mutual_information(x, y, kernel=sh.kernels.Gaussian(1e6))
    assert {one.filename for one in warned} == {__file__}  # the caller's own line


def test_little_memory_still_has_low_rank(rng):
    assert sh.Dependence(rng.normal(size=4000), memory="10MB", tol=0.1).entropy().width <= 0.1


def test_streaming_does_not_depend_on_the_number_of_threads(rng, monkeypatch):
    x, y = rng.normal(size=(2, 25_000))
    answers = []
    for threads in ("1", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        answers.append(sh.Dependence(x, y, tol=1e-2, rng=7).entropy())
    assert answers[0].value == pytest.approx(answers[1].value, abs=1e-13)


def test_threads_leave_the_matrix_library_as_it_was(rng):
    from concurrent.futures import ThreadPoolExecutor

    from threadpoolctl import threadpool_info

    before = [item["num_threads"] for item in threadpool_info()]
    x = rng.normal(size=(4, 1200))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda row: [sh.entropy(row, alpha=2), sh.entropy(row, tol=1e-2)], x))
    assert [item["num_threads"] for item in threadpool_info()] == before


@pytest.mark.parametrize("threads", ["1", "2", "64"])
def test_a_small_memory_is_enough_on_any_number_of_cores(rng, monkeypatch, threads):
    x, y = rng.normal(size=(2, 1200, 5))
    expected = sh.mutual_information(x, y, alpha=2)
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(64), raising=False)
    assert sh.Dependence(x, y, alpha=2, memory="10MB").mutual_information().value == pytest.approx(expected, rel=1e-12)
