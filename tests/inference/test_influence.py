"""Influences of rows: against refits without the row, against derivatives by weights, against the spread of samples."""

import math

import numpy as np
import pytest

import shearer as sh
from shearer._memory import MemoryBudgetError
from shearer.data import read
from shearer.inference.intervals import influence as influences
from shearer.inference.intervals import row_influences as by_rows
from shearer.inference.intervals.confidence import confidence_interval, interval_of
from shearer.inference.intervals.influence import influence
from shearer.inference.intervals.rank_one import Shares
from shearer.kernels import grams
from shearer.kernels.gram import hadamard
from shearer.measures.entropies import SubsetEntropies
from shearer.spectrum import Request

ORDERS = (0.5, 1.0, 1.01, 1.5, 2.0, 2.5, 3.0, 5.0, 30.0, math.inf)


def request(alpha=1.0):
    return Request(alpha=alpha, memory=10**9)


def data(kind, rng, n=30):
    x = rng.standard_t(3, size=n)
    y = x + rng.normal(size=n)
    label = np.array(list("abc"))[rng.integers(3, size=n)]
    two = np.where(y > 0, "u", "v")
    return {"numbers": (x, y), "mixed": (x, label), "two halves": (x, two), "labels": (label, two)}[kind]


def refitted(gram, alpha):
    """The entropy without each row, less that of all: one solution for each row."""
    entropy = SubsetEntropies([gram], request(alpha))({0}).value
    rest = [gram.restrict(np.delete(np.arange(gram.n), i)) for i in range(gram.n)]
    return np.array([SubsetEntropies([part], request(alpha))({0}).value for part in rest]) - entropy


@pytest.mark.parametrize("alpha", ORDERS)
@pytest.mark.parametrize("kind", ["numbers", "mixed", "two halves", "labels"])
def test_changes_are_those_of_refits(rng, kind, alpha):
    gram = hadamard(grams(read(*data(kind, rng))))
    found = influence(gram, request(alpha))
    assert found.entropy == pytest.approx(SubsetEntropies([gram], request(alpha))({0}).value, abs=1e-7)
    assert found.changes == pytest.approx(refitted(gram, alpha), abs=2e-5)


@pytest.mark.parametrize("alpha", [1.0, 1.5, 2.0, 3.0, math.inf])
def test_a_factor_gives_the_same(rng, monkeypatch, alpha):
    x = rng.normal(size=400)
    gram = hadamard(grams(read(x, x + rng.normal(size=400))))
    monkeypatch.setattr(influences, "_MOST_SUMMED", 0)
    low_rank = influence(gram, request(alpha))
    monkeypatch.setattr(influences, "_FEW_ROWS", 400)
    dense = influence(gram, request(alpha))
    assert low_rank.entropy == pytest.approx(dense.entropy, abs=1e-6)
    assert low_rank.entropy != dense.entropy
    spread = dense.changes.std()
    assert np.abs(low_rank.changes - dense.changes).max() < 1e-3 * spread


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5, 2.0, 3.0])
def test_slopes_are_derivatives_by_weight(rng, alpha):
    x = rng.normal(size=12)
    kernel = grams(read(x))[0].dense()

    def total(weights):
        root = np.sqrt(weights)
        values = np.linalg.eigvalsh(root[:, None] * kernel * root)
        values = values[values > 1e-15]
        return np.sum(values * np.log(values) if alpha == 1 else values**alpha)

    step, found = 1e-6, []
    for i in range(12):
        by = step * (np.arange(12) == i)
        found.append((total(1 / 12 + by) - total(1 / 12 - by)) / (2 * step))
    assert Shares.of_matrix(kernel.copy(), 12).slopes(alpha) == pytest.approx(found, rel=1e-4)


MEASURES = [
    ("mutual_information", 2, {}, None),
    ("mutual_information", 2, {"normalize": False}, None),
    ("mutual_information", 2, {"normalize": "sqrt"}, None),
    ("mutual_information", 2, {}, 1),
    ("total_correlation", 3, {}, None),
    ("dual_total_correlation", 3, {}, None),
    ("dual_total_correlation", 3, {}, 1),
    ("o_information", 3, {}, None),
]


@pytest.mark.parametrize(("measure", "count", "options", "conditions"), MEASURES)
def test_spread_and_bias_of_measures_are_those_of_refits(rng, measure, count, options, conditions):
    """The jackknife that leaves each row out in turn, by refits."""
    common = rng.normal(size=40)
    columns = [common + (k + 1) * rng.normal(size=40) for k in range(count)]
    noun = sh.Dependence(*columns, given=None if conditions is None else common + rng.normal(size=40))

    def value(one):
        return float(getattr(one, measure)(**options))

    without = np.array([value(noun.on_rows(np.delete(np.arange(40), i))) for i in range(40)])
    found = by_rows.row_influences(noun, value, rng)
    assert found.value() == pytest.approx(value(noun))
    spread, kurtosis = found.spread()
    assert spread == pytest.approx(math.sqrt(39 / 40 * np.sum((without - without.mean()) ** 2)), rel=0.1)
    assert kurtosis > 1
    moved = [found.value(change) for change in found.changes]
    assert moved == pytest.approx(without, abs=1e-6)
    bias = 39 * (without.mean() - value(noun))
    assert found.value() - found.value(-found.bias(1.0)) == pytest.approx(bias, rel=0.3, abs=0.01)


def test_spread_is_that_of_samples():
    """The standard error against the spread of the measure over samples; a fixed width, so that nothing else varies."""
    kernel, values, squares = sh.kernels.Gaussian(1.0), [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=80)
        noun = sh.Dependence(x, 0.8 * x + 0.6 * rng.normal(size=80), kernel=kernel)
        found = by_rows.row_influences(noun, lambda one: float(one.mutual_information()), rng)
        values.append(found.value())
        squares.append(found.spread()[0] ** 2)
    assert math.sqrt(np.mean(squares)) == pytest.approx(np.std(values), rel=0.15)


def test_both_sides_count_where_a_maximum_changes_hands(rng):
    """One standard error up and one down: of max(s, c) half of s - c where c is between 0 and s."""
    changes = rng.normal(size=(50, 1))
    error = math.sqrt(49 * changes.var())
    spread, _ = by_rows.RowInfluences(lambda shift: float(max(shift[0], 0.4 * error)), changes, 50).spread()
    assert spread == pytest.approx(0.3 * error)


def test_a_spread_where_the_measure_does_not_exist_one_standard_error_away(rng):
    """Smaller steps, down to a sixteenth, have the slope of a measure that is defined near by only."""
    changes = rng.normal(size=(50, 2))
    weights = np.array([0.3, -0.5])
    expected = math.sqrt(49 / 50 * np.sum(((changes - changes.mean(axis=0)) @ weights) ** 2))
    largest = math.sqrt(49 * np.linalg.eigvalsh(np.cov(changes.T, bias=True))[-1])
    for reach in (2.0, 0.5, 0.1):

        def measure(shift, reach=reach):
            return float(weights @ shift) if np.linalg.norm(shift) < reach * largest else math.nan

        spread, _ = by_rows.RowInfluences(measure, changes, 50).spread()
        assert spread == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("rate", [0.5, 0.75, 1.0])
@pytest.mark.parametrize("rows", [50, 800])
def test_a_bias_that_falls_at_a_rate_is_found_from_a_sample(rows, rate):
    """Entropies of 50 rows and of 49 tell it, whether the measure is of these rows or of more."""
    sizes = np.array([0.3, -2.0])
    changes = np.tile(sizes * (49**-rate - 50**-rate), (50, 1))
    found = by_rows.RowInfluences(float, changes, rows).bias(rate)
    assert found == pytest.approx(sizes * rows**-rate, rel=1e-9)


def test_no_random_choice(rng):
    x = rng.normal(size=50)
    first, second = (confidence_interval(x, x**2, rng=seed) for seed in (1, 2))
    assert first == second


def test_many_rows_by_a_factor(rng):
    x = rng.normal(size=20_000)
    found = confidence_interval(x, x + rng.normal(size=20_000))
    assert found.method == "influence of 20000 rows"
    # Population value at the median widths, by quadrature: `experiments/coverage_laws.py`, correlation 1/sqrt 2.
    assert found.low < 0.21625 < found.high
    assert 0.005 < found.high - found.low < 0.02


def test_a_sample_of_very_many_rows(rng, monkeypatch):
    x = rng.normal(size=1000)
    y = x + rng.normal(size=1000)
    every = confidence_interval(x, y)
    monkeypatch.setattr(by_rows, "MOST_ROWS", 400)
    sampled = confidence_interval(x, y)
    assert sampled.method == "influence of 400 of 1000 rows"
    assert sampled.value == pytest.approx(every.value, abs=1e-5)
    assert sampled.estimate == pytest.approx(every.estimate, abs=0.1 * every.standard_error)
    assert sampled.standard_error == pytest.approx(every.standard_error, rel=0.25)


def test_without_low_rank_a_sample_has_to_do(rng, monkeypatch):
    x = rng.normal(size=(400, 8))
    y = x[:, :4] + rng.normal(size=(400, 4))
    every = confidence_interval(x, y)
    monkeypatch.setattr(influences, "MOST_DENSE", 200)
    monkeypatch.setattr(by_rows, "MOST_DENSE", 200)
    sampled = confidence_interval(x, y)
    assert (every.method, sampled.method) == ("influence of 400 rows", "influence of 200 of 400 rows")
    assert sampled.value == pytest.approx(every.value)
    assert sampled.standard_error == pytest.approx(every.standard_error, rel=0.4)


def test_memory_is_kept(rng):
    """What the measure itself refuses is refused; what fits only as a sample is sampled."""
    x = rng.normal(size=3000)
    with pytest.raises(MemoryBudgetError, match="a larger memory="):
        confidence_interval(x, x**2, memory="50kB")
    found = confidence_interval(*rng.normal(size=(2, 3000, 5)), alpha=2, memory="10MB")
    assert found.method == "influence of 500 of 3000 rows"


def test_independent_variables_have_no_short_interval(rng):
    """The derivative vanishes there; what is left and the doubt about the bias keep the interval open."""
    held = 0
    for _ in range(20):
        found = confidence_interval(*rng.normal(size=(2, 60)))
        assert found.high - found.low > 0.5 * found.value
        held += found.low <= 0 <= found.high
    assert held >= 19


def test_order_zero_takes_groups(rng):
    x = np.array(list("abcde"))[rng.integers(5, size=60)]
    y = np.array(list("uvw"))[rng.integers(3, size=60)]
    assert confidence_interval(x, y, alpha=0).method == "jackknife of 20 groups"


def test_rare_cells_are_noted(rng):
    rare, other = np.arange(100) < 4, np.arange(100) % 2 == 0
    found = confidence_interval(rare, other)
    assert not found.reliable
    assert "2 rows expected" in found.note
    assert found.note in str(found)
    for method in ("jackknife", "subsampling"):
        assert confidence_interval(rare, other, method=method).note == found.note
    assert confidence_interval(np.arange(100) < 40, other).reliable
    assert confidence_interval(*rng.normal(size=(2, 40))).reliable


def test_a_copy_has_no_spread():
    label = np.arange(60) % 3 == 0
    found = confidence_interval(label, label)
    assert (found.low, found.high) == pytest.approx((1, 1))


def test_known_tolerance_of_a_noun(rng):
    """A coarse tolerance of the entropies moves the interval by a small part of its width."""
    x = rng.normal(size=600)
    y = x + rng.normal(size=600)
    exact, coarse = (
        interval_of(sh.Dependence(x, y, tol=tol), "mutual_information", True, 0.95, "influence", 0)
        for tol in (None, 1e-2)
    )
    assert coarse.low == pytest.approx(exact.low, abs=0.02 * exact.standard_error)
    assert coarse.high == pytest.approx(exact.high, abs=0.02 * exact.standard_error)


@pytest.mark.needs("torch")
def test_tensors(rng):
    import torch

    x = rng.normal(size=50)
    y = x + rng.normal(size=50)
    found, same = confidence_interval(x, y), confidence_interval(torch.tensor(x), torch.tensor(y))
    assert (same.low, same.high) == pytest.approx((found.low, found.high))
    single = confidence_interval(torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32))
    assert single.low == pytest.approx(found.low, abs=1e-3)


def test_a_factor_of_one_column_has_one_eigenvalue():
    from shearer.inference.intervals.rank_one import Shares

    shares = Shares.of_factor(np.ones((6, 1)))
    assert shares.values == pytest.approx([1.0])
    assert shares.total(2.0) == pytest.approx(1.0)
