"""Every width rule against an independent formula, and what all of them promise."""

import math

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import bisect
from scipy.spatial.distance import cdist, pdist
from scipy.stats import gaussian_kde

from shearer.kernels import samples
from shearer.kernels.bandwidth import MOST_ROWS, RULES, EntropyFraction, Neighbors, resolve

RULES_UNDER_TEST = {
    **RULES,
    "knn of 1": Neighbors(k=1),
    "knn of 40": Neighbors(k=40),
    "entropy 0.1": EntropyFraction(0.1),
    "entropy 0.82": EntropyFraction(0.82),
}


@pytest.fixture(params=RULES_UNDER_TEST)
def rule(request):
    return RULES_UNDER_TEST[request.param]


def entropy_share(x, width):
    """S_2 of the kernel matrix as a share of what the distinct values allow."""
    kernel = np.exp(-cdist(x, x, "sqeuclidean") / (2 * width**2))
    counts = np.unique(x, axis=0, return_counts=True)[1]
    return math.log2(np.mean(kernel**2)) / math.log2(np.sum((counts / len(x)) ** 2))


def kth_neighbor(x, k):
    """Distance of every row to its k-th nearest distinct value, or to the last one."""
    ordered = np.sort(cdist(x, np.unique(x, axis=0)), axis=1)
    return ordered[:, min(k, ordered.shape[1] - 1)]


def total_deviation(x):
    return math.sqrt(np.trace(np.atleast_2d(np.cov(x.T))) / x.shape[1])


def percentile_of_first(x):
    ordered = np.sort(pdist(x[:, :1]))
    ordered = ordered[ordered > 0]
    return ordered[max(1, math.floor(0.05 * len(ordered) + 0.5)) - 1]


def ten_columns(x):
    return np.mean(cdist(x, x)[:, :10])


INDEPENDENT = {
    "median": lambda x: np.median(pdist(x)[pdist(x) > 0]),
    "silverman": lambda x: gaussian_kde(x.T).silverman_factor() * total_deviation(x),
    "scott": lambda x: gaussian_kde(x.T).scotts_factor() * total_deviation(x),
    "knn": lambda x: np.median(kth_neighbor(x, 5)),
    "entropy": lambda x: bisect(lambda width: entropy_share(x, width) - 0.4, 1e-3, 1e3),
    "authors-silverman": lambda x: np.std(x[:, 0], ddof=1) * (4 / 3 / len(x)) ** 0.2 / math.sqrt(2),
    "authors-demo": lambda x: 10 * np.std(x[:, 0], ddof=1) * (4 / 3 / len(x)) ** 0.2 / math.sqrt(2),
    "authors-graph": percentile_of_first,
    "authors-knn": lambda x: math.sqrt(np.mean([kth_neighbor(x, k) ** 2 for k in range(1, 6)]) / x.shape[1]),
    # rolling the rows brings every row into the first ten equally often
    "authors-dib": lambda x: np.mean([ten_columns(np.roll(x, i, axis=0)) for i in range(len(x))]) / math.sqrt(2),
}

SAMPLES = {
    "scalar": lambda rng: rng.normal(size=(60, 1)),
    "plane": lambda rng: rng.normal(size=(61, 2)) * [1.0, 5.0] + [100.0, 0.0],
    "space": lambda rng: rng.exponential(size=(40, 3)),
    "many dimensions": lambda rng: rng.normal(size=(50, 12)) + 10,
    "ties": lambda rng: rng.integers(0, 7, size=(60, 1)).astype(float),
    "grid": lambda rng: rng.integers(0, 4, size=(60, 2)).astype(float),
    "grid of many dimensions": lambda rng: np.repeat(rng.integers(0, 2, size=(20, 10)), 3, axis=0) + 5.0,
    "cauchy": lambda rng: rng.standard_cauchy(size=(60, 1)),
}


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("name", RULES)
def test_independent_formula(name, kind, rng):
    x = SAMPLES[kind](rng)
    assert resolve(name, x) == pytest.approx(INDEPENDENT[name](x), rel=1e-9)


def test_values_by_hand():
    x = np.array([[0.0], [1.0], [3.0], [7.0], [7.0]])
    assert resolve("median", x) == 4.0  # 1 2 3 4 4 6 6 7 7
    assert resolve(Neighbors(1), x) == 2.0  # 1 1 2 4 4
    assert resolve(Neighbors(2), x) == 3.0  # 3 2 3 6 6
    assert resolve(Neighbors(9), x) == 7.0  # 7 6 4 7 7
    assert resolve("authors-graph", x) == 1.0
    assert resolve("authors-dib", x) == pytest.approx(2 * 40 / 25 / math.sqrt(2))
    assert resolve("authors-knn", x) ** 2 == pytest.approx((59 / 3 + 41 / 3 + 29 / 3 + 2 * 101 / 3) / 5)
    assert resolve("scott", x) == pytest.approx(math.sqrt(10.8) * 5**-0.2)
    assert resolve("silverman", x) == pytest.approx(math.sqrt(10.8) * (4 / 15) ** 0.2)
    assert resolve(2.5, x) == 2.5


@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.25, 0.4, 0.55, 0.7, 0.82, 0.99])
@pytest.mark.parametrize("kind", SAMPLES)
def test_entropy_fraction_is_hit(kind, fraction, rng):
    x = SAMPLES[kind](rng)
    assert entropy_share(x, resolve(EntropyFraction(fraction), x)) == pytest.approx(fraction, abs=1e-6)


def test_authors_first_ten_rows_are_all_of_up_to_ten(rng):
    x = rng.normal(size=(10, 3))
    # their kernel is exp(-d^2 / m^2), so that m^2 = 2 width^2
    assert resolve("authors-dib", x) == pytest.approx(ten_columns(x) / math.sqrt(2))


def test_authors_pass_over_constant_columns(rng):
    x = rng.normal(size=(20, 2))
    padded = np.column_stack([np.full(20, 0.1), x])
    for name in ("authors-silverman", "authors-graph"):
        assert resolve(name, padded) == pytest.approx(resolve(name, x))


# Small integers, and factors and offsets that keep them exact: ties stay ties, and no width changes by a digit more
# than the arithmetic of the rule.
TABLES = st.tuples(st.integers(2, 12), st.integers(1, 3)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(-8, 8).map(float))
)


@hypothesis.given(x=TABLES, factor=st.sampled_from([-3.0, 0.125, 7.0, 2.0**40]), offset=st.integers(-1000, 1000))
def test_scale_and_shift(x, factor, offset):
    hypothesis.assume(np.any(x != x[0]))
    for name, rule in RULES_UNDER_TEST.items():
        expected = abs(factor) * resolve(rule, x)
        assert resolve(rule, factor * x) == pytest.approx(expected, rel=1e-9), name
        assert resolve(rule, factor * (x + offset)) == pytest.approx(expected, rel=1e-9), name


@hypothesis.given(x=TABLES, seed=st.integers(0, 100))
def test_any_table_has_a_width_and_its_order_does_not_matter(x, seed):
    shuffled = np.random.default_rng(seed).permutation(x)
    for name, rule in RULES_UNDER_TEST.items():
        width = resolve(rule, x)
        assert math.isfinite(width), name
        assert width > 0, name
        assert resolve(rule, shuffled) == pytest.approx(width, rel=1e-12), name
        assert np.any(x != x[0]) or width == 1.0, name


@pytest.mark.parametrize("kind", SAMPLES)
def test_scale_and_shift_by_any_number(rule, kind, rng):
    x = SAMPLES[kind](rng)
    ties = len(np.unique(x, axis=0)) < len(x)
    offset = 0.0 if ties else 17.3  # round-off would part equal distances
    assert resolve(rule, 0.37 * x + offset) == pytest.approx(0.37 * resolve(rule, x), rel=1e-6)


@pytest.mark.parametrize("name", ["median", "silverman", "scott", "knn", "entropy", "authors-knn", "authors-dib"])
def test_rotation(name, rng):
    x = rng.normal(size=(50, 3)) * [1.0, 2.0, 5.0]
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    assert resolve(name, x @ rotation) == pytest.approx(resolve(name, x), rel=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e300, 1e-310])
@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (7, 2), (7, 12)])
def test_constant(rule, shape, value):
    assert resolve(rule, np.full(shape, value)) == 1.0


def test_constant_of_many_rows(rule):
    assert resolve(rule, np.full((MOST_ROWS + 1, 1), 0.1)) == 1.0


@pytest.mark.parametrize("share", [0.5, 0.98])
def test_binary_column(rule, share):
    ones = round(100 * share)
    x = np.r_[np.zeros(100 - ones), np.ones(ones)][:, None]
    width = resolve(rule, x)
    assert 0.01 < width < 20
    if isinstance(rule, Neighbors) or rule in (RULES["median"], RULES["authors-graph"], RULES["authors-knn"]):
        assert width == 1.0  # the only distance there is


def test_two_rows(rule):
    x = np.array([[0.0, 0.0], [3.0, 4.0]])
    width = resolve(rule, x)
    assert 0.5 < width < 50
    assert resolve(rule, x[::-1]) == width


def test_heavy_tails(rule, rng):
    x = rng.standard_cauchy(size=(200, 2)) ** 3
    assert 1e-3 < resolve(rule, x) < 10 * np.ptp(x)


@pytest.mark.parametrize("size", [1e300, 1e-300, 1.7e308, 1e-307])
@pytest.mark.parametrize("d", [1, 2, 12])
def test_huge_and_tiny(rule, d, size, rng):
    x = rng.uniform(-1, 1, size=(30, d))
    # between the smallest normal float and half of the largest, where widths end
    expected = np.clip(np.longdouble(resolve(rule, x)) * size, 2.3e-308, 8.9e307)
    assert resolve(rule, x * size) == pytest.approx(float(expected), rel=0.02 if size in (1.7e308, 1e-307) else 1e-9)


@pytest.mark.parametrize("x", [[[1.0, 0.0], [1.0, 1e-170]], [[0.0], [5e-324]], [[-1.7e308], [1.7e308]]])
def test_edges_of_the_floats(rule, x):
    width = resolve(rule, np.array(x))
    assert math.isfinite(1 / width)
    assert math.isfinite(math.sqrt(2) * width)


def test_constant_coordinate_hides_nothing():
    x = np.array([[1.0, 0.0], [1.0, 1e-170], [1.0, 3e-170]])
    assert resolve("median", x) == pytest.approx(2e-170)


def test_values_over_many_orders_of_magnitude(rule):
    x = 10.0 ** np.arange(-300, 300, 10.0)[:, None]
    assert 0 < resolve(rule, x) < 1e301
    four = np.array([[1.0, 0.0], [1.0, 1e-170], [0.0, 0.0], [0.0, 1e-170]])
    assert 0 < resolve(rule, four) < 100


def test_near_neighbors_in_many_dimensions(rng):
    x = np.repeat(rng.normal(size=(10, 12)), 2, axis=0)
    x[1::2, 0] += 1e-9  # far below the round-off of a squared distance by matrix product
    assert resolve(Neighbors(1), x) == pytest.approx(1e-9, rel=1e-5)


def test_same_data_same_width(rule, rng):
    x = rng.normal(size=(100, 2))
    before = x.copy()
    assert resolve(rule, x) == resolve(rule, x.copy()) == resolve(rule, np.asfortranarray(x))
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("d", [1, 2, 10])
def test_a_sample_stands_for_many_rows(rule, d, rng, monkeypatch):
    x = rng.normal(size=(1500, d))
    whole = resolve(rule, x)
    monkeypatch.setattr(samples, "MOST_ROWS", 500)
    monkeypatch.setattr(samples, "_MOST_PAIRS", 200 * 1500)
    width = resolve(rule, x)
    assert width == resolve(rule, x.copy())
    assert width == pytest.approx(whole, rel=0.25)


@pytest.mark.parametrize("name", RULES)
def test_more_rows_than_are_looked_at(name, rng):
    x = rng.normal(size=(MOST_ROWS + 1000, 1))
    assert resolve(name, 8 * x) == 8 * resolve(name, x)


def test_a_sample_is_not_constant_by_chance(rule, monkeypatch):
    monkeypatch.setattr(samples, "MOST_ROWS", 50)
    x = np.zeros((5000, 1))
    x[7], x[11] = 3.0, 5.0
    width = resolve(rule, x)
    assert resolve(rule, 10 * x) == pytest.approx(10 * width)


def test_a_sample_of_rare_values_keeps_its_size(monkeypatch):
    monkeypatch.setattr(samples, "MOST_ROWS", 4)
    x = np.zeros((5000, 1))
    x[:10, 0] = np.arange(1.0, 11.0)
    assert np.count_nonzero(samples.sample(x)) == 2
    assert samples.sample(x).shape == (4, 1)


# Values a few units in the last place apart, on both sides of a power of two, and others whose differences round.
OFFSETS = st.sampled_from([0.0, 1.0, 1e8, 1e15, 1e16, -1e16, 2.0**53, 1e17, 1e300, -1e300, 2.0**-1022])
CLOSE_VALUES = st.tuples(OFFSETS, st.integers(-6, 6), st.integers(2, 40)).flatmap(
    lambda near: arrays(np.float64, near[2], elements=st.integers(-9, 9)).map(
        lambda steps: near[0] + steps * 2.0 ** near[1] * np.spacing(max(abs(near[0]), 2.0**-1022))
    )
)
FINITE = st.floats(-1e300, 1e300)
FAR_VALUES = arrays(np.float64, st.integers(2, 40), elements=st.one_of(OFFSETS, st.integers(-3, 3).map(float), FINITE))


@hypothesis.given(
    x=st.one_of(CLOSE_VALUES, FAR_VALUES), place=st.floats(0, 1), both=st.booleans(), few=st.sampled_from([0, 1, 4])
)
@hypothesis.settings(max_examples=200)
def test_ranked_difference_is_that_of_the_sorted_list(x, place, both, few):
    x = np.sort(x)
    left, right = np.triu_indices(len(x), 1)
    ordered = np.sort(x[right] - x[left])
    low = int(place * (len(ordered) - 1))
    high = min(low + both, len(ordered) - 1)
    expected = float(ordered[low] + ordered[high]) / 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "_FEW_PAIRS", few)
        patch.setattr(samples, "_FEW", 0)
        assert samples.ranked_difference(x, low, high) == expected
    assert samples.ranked_difference(x, low, high) == expected


@pytest.mark.parametrize("few", [0, 4, 10**6])
def test_ranked_difference_by_bisection_and_written_out(few, rng, monkeypatch):
    monkeypatch.setattr(samples, "_FEW_PAIRS", few)
    monkeypatch.setattr(samples, "_FEW", few)
    for x in (np.sort(1e16 + rng.normal(size=60)), np.sort(np.r_[-1e16, rng.normal(size=60)]), np.zeros(9)):
        left, right = np.triu_indices(len(x), 1)
        ordered = np.sort(x[right] - x[left])
        for low in range(0, len(ordered) - 1, 17):
            assert samples.ranked_difference(x, low, low) == ordered[low]
            assert samples.ranked_difference(x, low, low + 1) == (ordered[low] + ordered[low + 1]) / 2


@pytest.mark.parametrize("d", [1, 2, 5])
def test_distinct_rows(d, rng):
    x = rng.integers(-3, 3, size=(500, d)).astype(float)
    x[::2] *= -1  # 0.0 and -0.0 are equal
    np.testing.assert_array_equal(np.unique(samples.distinct(x), axis=0), np.unique(x, axis=0))
    assert len(samples.distinct(x)) == len(np.unique(x, axis=0))


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Neighbors(0), ValueError),
        (lambda: Neighbors(2.5), TypeError),
        (lambda: Neighbors(True), TypeError),
        (lambda: EntropyFraction(0.0), ValueError),
        (lambda: EntropyFraction(1.0), ValueError),
        (lambda: EntropyFraction("half"), TypeError),
        (lambda: resolve("medain", np.zeros((2, 1))), ValueError),
        (lambda: resolve(Neighbors, np.zeros((2, 1))), TypeError),
        (lambda: resolve(lambda x: math.nan, np.zeros((2, 1))), ValueError),
        (lambda: resolve(-1.0, np.zeros((2, 1))), ValueError),
    ],
)
def test_mistakes_are_named(make, error):
    with pytest.raises(error, match=r"expected .*, got "):
        make()


@pytest.mark.parametrize("rule", ["median", "entropy"])
def test_one_outlier_in_many_dimensions(rule):
    """The product form of distances is lost next to an outlier; the rule must not be."""
    values = np.random.default_rng(0).normal(size=(200, 9))
    values[0] = 1e10
    few = resolve(rule, values[:, :8])
    assert resolve(rule, values) == pytest.approx(few, rel=0.2)
