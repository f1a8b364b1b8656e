"""The test a user asks for first: right on known cases, clear on hopeless ones."""

from dataclasses import FrozenInstanceError
from itertools import permutations

import numpy as np
import pytest

import shearer as sh
from pairs import dense
from shearer.data import read
from shearer.inference.aggregated import _product_totals
from shearer.inference.threeway.interaction import least_of_splits
from shearer.pairs import limits
from shearer.pairs.null_law.combined_pvalue import half_cauchy
from shearer.pairs.sides import Ladders, Side


@pytest.fixture
def ring(rng):
    angle = rng.uniform(0, 2 * np.pi, size=80)
    return np.cos(angle) + 0.1 * rng.normal(size=80), np.sin(angle) + 0.1 * rng.normal(size=80)


def test_default_is_aggregated_and_lists_its_components(ring):
    result = sh.independence_test(*ring)
    assert result.method == "aggregated"
    assert result.pvalue < 1e-4
    assert len(result.components) == 9
    assert {component.name.split()[0] for component in result.components} == {"additive", "centered"}
    weights = [*limits.CENTERED_WEIGHTS.values(), *limits.ADDITIVE_WEIGHTS.values()]
    assert sorted(component.weight for component in result.components) == sorted(weights)
    assert result.rows == 80
    assert "p = " in str(result)


def test_answers_cannot_be_changed(ring):
    result = sh.independence_test(*ring)
    for one in (result, result.components[0]):
        with pytest.raises(FrozenInstanceError):
            one.pvalue = 0.0


def test_stated_measure_or_order_means_permutation(ring):
    for options in ({"alpha": 1.01}, {"measure": "mutual_information"}, {"method": "permutation"}):
        result = sh.independence_test(*ring, n_resamples=99, **options)
        assert "permutation" in result.method
        assert result.pvalue == 0.01


def test_moments_take_one_width(ring):
    result = sh.independence_test(*ring, method="moments")
    assert result.method == "moments"
    assert len(result.components) == 2


def test_a_kernel_of_the_users_has_one_rung(ring):
    result = sh.independence_test(*ring, kernel=sh.kernels.Gaussian(0.5))
    assert len(result.components) == 2
    named = sh.independence_test({"x": ring[0], "y": ring[1]}, kernel={"x": sh.kernels.Laplacian()})
    assert len(named.components) == 6


def test_labels_and_numbers(rng):
    label = rng.integers(0, 3, size=90)
    dependent = sh.independence_test([str(code) for code in label], label + rng.normal(size=90))
    assert dependent.pvalue < 1e-4
    assert sh.independence_test([str(code) for code in label], rng.normal(size=90)).pvalue > 0.01
    assert sh.independence_test([str(c) for c in label], [str(c % 2) for c in label]).pvalue < 1e-6


def test_two_valued_numbers_are_taken_once(rng):
    x = rng.integers(0, 2, size=60) * 3.7
    assert len(sh.independence_test(x, rng.integers(0, 2, size=60) * 1.0).components) == 2


def test_three_variables_whose_pairs_are_independent(rng):
    a, b = rng.integers(0, 2, size=(2, 60)).astype(bool)
    flipped = (a ^ b) ^ (rng.uniform(size=60) < 0.1)
    assert min(sh.independence_test(x, flipped).pvalue for x in (a, b)) > 0.01
    assert sh.independence_test(a, b, flipped).pvalue < 1e-3


def test_one_dependent_pair_among_many(rng):
    x = rng.normal(size=(100, 6))
    x[:, 5] = x[:, 2] + 0.3 * rng.normal(size=100)
    assert sh.independence_test(x).pvalue < 0.01


def test_given(rng):
    z = rng.normal(size=150)
    x, y = z + 0.5 * rng.normal(size=(2, 150))
    assert sh.independence_test(x, y).pvalue < 1e-6
    assert sh.independence_test(x, y, given=z, n_resamples=99).pvalue > 0.01
    assert sh.independence_test(x, x + 0.1 * y, given=z, n_resamples=99).pvalue <= 0.02


def test_same_data_same_answer(ring, rng):
    assert sh.independence_test(*ring) == sh.independence_test(*ring)
    order = rng.permutation(80)
    shuffled = sh.independence_test(*(column[order] for column in ring))
    assert shuffled.pvalue == pytest.approx(sh.independence_test(*ring).pvalue, rel=1e-6)


def test_order_of_two_does_not_matter_nor_scale(ring):
    x, y = ring
    expected = sh.independence_test(x, y).pvalue
    assert sh.independence_test(y, x).pvalue == pytest.approx(expected, rel=1e-6)
    assert sh.independence_test(1e6 * x + 3, -0.001 * y).pvalue == pytest.approx(expected, rel=1e-6)


def test_a_constant_says_so(rng):
    result = sh.independence_test(np.ones(30), rng.normal(size=30))
    assert result.pvalue == 1.0
    assert result.components[0].name == "no similarity varies, or too few rows are alike"


def test_identifiers_do_not_make_everything_dependent(rng):
    """Labels that are all different have no similar rows: nothing can be said, and nothing is."""
    names = [f"row {i}" for i in range(60)]
    assert sh.independence_test(names, rng.normal(size=60)).pvalue == 1.0


def test_thorough_joins_a_member_of_order_one(ring, rng):
    plain, found = sh.independence_test(*ring), sh.independence_test(*ring, method="thorough", n_resamples=99)
    *others, last = found.components
    assert tuple(others) == plain.components
    assert last.name.startswith("mutual_information at alpha=1, ")
    assert last.pvalue == sh.permutation_test(*ring, statistic="mutual_information", n_resamples=99).pvalue
    weights = [component.weight for component in found.components]
    assert found.pvalue == pytest.approx(float(half_cauchy([c.pvalue for c in found.components], weights)))
    assert found.method == "thorough"
    independent = sh.independence_test(*rng.normal(size=(2, 60)), method="thorough")
    assert independent.pvalue > 0.01
    assert "of at most 999 random permutations" in independent.components[-1].name
    assert sh.independence_test(np.ones(20), np.arange(20.0), method="thorough").pvalue == 1.0
    for data in (rng.normal(size=(3, 20)), rng.normal(size=(2, 1001))):
        with pytest.raises(ValueError, match='two variables of up to 1000 rows for method="thorough"'):
            sh.independence_test(*data, method="thorough")


def test_few_rows_that_lie_far_out():
    """Rows far out in both variables that happen to meet: no tail may be below the chance of that."""
    g = np.random.default_rng([777, 3898])  # independent, with a smooth tail of 1e-5
    wide = sh.independence_test(g.standard_cauchy(30), g.standard_cauchy(30)).components[0]
    assert wide.name == "centered at 0.06 bits"
    assert wide.pvalue > 0.005


def test_few_rows_are_enumerated():
    result = sh.independence_test([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0])
    assert "all 24 permutations" in result.method
    with pytest.raises(ValueError, match="data: expected at least 6 rows for method='aggregated', got 4"):
        sh.independence_test([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], method="aggregated")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "asymptotic"}, "method: expected one of"),
        ({"method": "thorough", "alpha": 2}, "measure, alpha: expected none"),
        ({"method": "thorough", "cluster": np.arange(80) // 4}, "method: expected .* with cluster"),
        ({"given": np.arange(80.0), "method": "thorough"}, "method: expected .* with given"),
        ({"method": "aggregated", "alpha": 2}, "measure, alpha: expected none"),
        ({"kernel": "gaussian"}, "kernel: expected"),
        ({"missing": "ignore"}, "missing: expected one of"),
        ({"given": np.arange(80.0), "method": "moments"}, "method: expected .* with given, got 'moments'"),
        ({"given": np.arange(80.0), "measure": "total_correlation"}, "measure: expected none with given"),
    ],
)
def test_bad_options(ring, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        sh.independence_test(*ring, **options)
    with pytest.raises(ValueError, match="data: expected at least 2 variables, got 1"):
        sh.independence_test(ring[0])


class TestInteraction:
    def test_found_in_chain_and_xor_and_named(self, rng):
        a, b, e = rng.normal(size=(3, 200))
        synergistic = sh.interaction_test(a, b, np.sign(a * b) * np.abs(e))
        assert synergistic.pvalue < 1e-3
        assert synergistic.kind == "synergistic"
        middle = a + 0.5 * b
        redundant = sh.interaction_test(a, middle, middle + 0.5 * e)
        assert redundant.split_pvalue < 1e-3 < redundant.pvalue  # a chain of sums: its pairs tell all
        assert redundant.kind == "redundant"
        assert len(redundant.components) == 3

    def test_splits_do_not_depend_on_which_variable_is_first(self, rng):
        """Labels have one width and a number several: it counts at all of them wherever it stands."""
        first, second = rng.choice(list("ab"), size=(2, 60))
        number = np.where(first == second, 1.0, -1.0) * rng.normal(size=60) + 0.4 * (first == "a")
        found = []
        for names in (("number", "first", "second"), ("second", "first", "number")):
            data = {"number": number, "first": first, "second": second}
            splits = sh.interaction_test({name: data[name] for name in names}).components
            found.append({split.name.partition(" | ")[2]: (split.statistic, split.pvalue) for split in splits})
        for name in ("number", "first", "second"):
            assert found[0][name] == pytest.approx(found[1][name], rel=1e-6)

    def test_no_split_is_rarer_than_how_one_variable_meets_the_other_two(self):
        """In all orders of its rows: how often does it meet their combinations as it does?"""
        codes = np.array([[0, 0, 0, 0, 1, 1, 2], [0, 1, 0, 0, 0, 1, 0], [1, 1, 1, 0, 1, 1, 1]])
        orders = np.array(list(permutations(range(7))))
        expected = []
        for place, own in enumerate(codes):
            one, two = np.delete(codes, place, axis=0)
            met = np.sort(100 * own[orders] + 10 * one + two, axis=1)
            expected.append((met == np.sort(100 * own + 10 * one + two)).all(axis=1).mean())
        assert least_of_splits(list(codes)) == pytest.approx(expected)
        assert len(set(expected)) == 3

    def test_a_pair_beside_noise_is_none(self):
        found = 0
        for seed in range(20):
            g = np.random.default_rng(seed)
            a = g.normal(size=100)
            found += sh.interaction_test(a, a + 0.3 * g.normal(size=100), g.normal(size=100)).split_pvalue <= 0.05
        assert found <= 4

    def test_few_rows_of_noise_are_never_certain(self):
        """The permutation law of some rungs leans to the left; it must not end before the values do."""
        columns = np.random.default_rng(1).normal(size=(30, 12))[[7, 23, 29]]
        found = sh.interaction_test(*columns)
        assert min(component.pvalue for component in found.components) > 1e-4
        assert found.split_pvalue > 1e-3

    def test_o_information_is_that_of_the_interval(self, rng):
        x = rng.normal(size=(60, 3))
        x[:, 2] += x[:, 0] * x[:, 1]
        expected, found = sh.confidence_interval(x, measure="o_information"), sh.interaction_test(x)
        assert found.o_information == pytest.approx(expected.estimate, abs=1e-3)
        assert found.o_information_error == pytest.approx(expected.standard_error, rel=0.05)

    def test_bad_input(self, rng):
        with pytest.raises(ValueError, match="data: expected 3 to 6 variables, got 2"):
            sh.interaction_test(rng.normal(size=(20, 2)))
        with pytest.raises(ValueError, match="data: expected at least 6 rows, got 5"):
            sh.interaction_test(rng.normal(size=(5, 3)))


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e160, 1e307])
def test_any_magnitude(rng, size):
    x, y = rng.normal(size=(2, 60))
    y += x**2
    expected = sh.independence_test(x, y).pvalue
    assert sh.independence_test(x * size, y).pvalue == pytest.approx(expected, rel=1e-6)


def test_a_kernel_named_for_labels_is_used(rng):
    labels = rng.choice(list("abcd"), size=40)
    kernel = {"label": sh.kernels.Custom(lambda a, b: float(a == b or {a, b} == {"a", "b"}))}  # two of them alike
    merged = np.where(labels == "b", "a", labels)
    x = rng.normal(size=40)
    found = sh.independence_test({"label": labels, "x": x}, kernel=kernel).pvalue
    assert found == pytest.approx(sh.independence_test(merged, x).pvalue, rel=1e-9)


class TestMemory:
    @pytest.mark.parametrize(
        "call",
        [
            lambda x, **options: sh.independence_test(*x, **options),
            lambda x, **options: sh.independence_test(x[:2].T, x[2:].T, **options),
            lambda x, **options: sh.independence_test(*x[:2], cluster=np.arange(x.shape[1]) // 5, **options),
            lambda x, **options: sh.independence_test(*x[:2], given=x[2], **options),
            lambda x, **options: sh.interaction_test(*x[:3], **options),
            lambda x, **options: sh.interaction_test(*x, **options),
        ],
    )
    def test_what_does_not_fit_is_refused(self, rng, call):
        x = rng.normal(size=(4, 150))
        with pytest.raises(sh.MemoryBudgetError, match="memory: expected at most 40 kB"):
            call(x, memory="40kB")
        assert call(x, memory="1GB").pvalue == call(x).pvalue

    def test_a_pair_needs_little(self, rng):
        x = rng.normal(size=(2, 2000))
        assert sh.independence_test(*x, memory="1MB").pvalue == pytest.approx(sh.independence_test(*x).pvalue, rel=1e-9)


def test_sums_of_all_subsets_are_those_of_whole_matrices(rng):
    side = Side(Ladders.of(read(*rng.normal(size=(3, 40)))), np.arange(3), 1, 10**8)
    scales, factors = (0.6, 1.0), []
    for place in range(3):
        own = side.centered(place)
        matrix = dense.centered(own @ own.T)
        factors.append(matrix / np.sqrt(np.sum(matrix**2) / (40 * 39)))
    above = np.triu_indices(40, 1)
    expected = [np.sum(np.prod([1 + scale * x[above] for x in factors], axis=0) - 1) for scale in scales]
    assert _product_totals(side, scales, 1, None) == pytest.approx(expected, rel=1e-9)
