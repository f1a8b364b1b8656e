"""Values that can be written down."""

from itertools import product

import numpy as np
import pytest

import shearer as sh

ALPHAS = [0, 0.5, 1, 1.01, 2, 3, 5, np.inf]


@pytest.mark.parametrize("alpha", ALPHAS)
def test_all_equal_has_no_entropy(alpha):
    assert sh.entropy(np.full(20, 7.0), alpha=alpha) == 0.0
    assert sh.entropy(["a"] * 20, alpha=alpha) == 0.0
    assert sh.total_correlation(np.zeros(20), np.ones(20), alpha=alpha) == 0.0
    assert sh.dual_total_correlation(np.zeros(20), np.ones(20), np.arange(20.0), alpha=alpha) == 0.0


@pytest.mark.parametrize("alpha", ALPHAS)
def test_all_distinct_has_the_largest_entropy(alpha):
    names = [f"row {i}" for i in range(32)]
    assert sh.entropy(names, alpha=alpha) == pytest.approx(5.0, abs=1e-14)
    far_apart = np.arange(32) * 1000.0
    assert sh.entropy(far_apart, alpha=alpha, kernel=sh.kernels.Gaussian(1.0)) == pytest.approx(5.0, abs=1e-12)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("normalize", [True, False])
def test_product_tables_are_independent(alpha, normalize):
    a, b, c = zip(*product("ab", "uvw", "xyz"), strict=True)
    assert sh.total_correlation(a, b, c, alpha=alpha, normalize=normalize) == pytest.approx(0.0, abs=1e-13)
    assert sh.dual_total_correlation(a, b, c, alpha=alpha, normalize=normalize) == pytest.approx(0.0, abs=1e-13)
    assert sh.mutual_information(a, b, alpha=alpha, normalize=normalize) == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_independent_product_of_numbers(alpha):
    """On a full grid the kernel of the joint is a Kronecker product: entropies add, at every order."""
    x, y = (axis.ravel() for axis in np.meshgrid([0.0, 0.3, 1.1], [0.0, 0.7, 0.9, 2.0]))
    if alpha == 0:  # a rank has a tolerance, and the tolerance of the joint is not that of the parts
        x, y = 10 * x, 10 * y
    kernel = sh.kernels.Gaussian(0.5)
    assert sh.mutual_information(x, y, alpha=alpha, kernel=kernel) == pytest.approx(
        0.0, abs=1e-7 if alpha < 1 else 1e-12
    )


@pytest.mark.parametrize("alpha", ALPHAS)
def test_xor(alpha):
    a, b = np.array(list(product([False, True], repeat=2))).T
    noun = sh.Dependence({"a": a, "b": b, "xor": a ^ b}, alpha=alpha)
    assert noun.total_correlation().value == pytest.approx(0.5)
    assert noun.dual_total_correlation().value == pytest.approx(1.0)
    assert noun.total_correlation(normalize=False).value == pytest.approx(1.0)
    assert noun.dual_total_correlation(normalize=False).value == pytest.approx(2.0)
    assert noun.mutual_information("a", "xor").value == pytest.approx(0.0, abs=1e-14)
    assert sh.mutual_information(a, b, given=a ^ b, normalize=False, alpha=alpha) == pytest.approx(1.0)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_copies(alpha):
    """Of labels, m copies share everything: T* = D* = I* = 1, T counts m - 1 times, D once."""
    labels = list("aabbbccccd")
    noun = sh.Dependence(labels, labels, labels, labels, alpha=alpha)
    entropy = noun.entropy().value
    assert noun.total_correlation().value == pytest.approx(1.0)
    assert noun.dual_total_correlation().value == pytest.approx(1.0)
    assert noun.total_correlation(normalize=False).value == pytest.approx(3 * entropy)
    assert noun.dual_total_correlation(normalize=False).value == pytest.approx(entropy)


def test_shannon_entropy_of_labels():
    frequencies = np.array([0.5, 0.25, 0.125, 0.125])
    labels = np.repeat(list("abcd"), (frequencies * 64).astype(int))
    assert sh.entropy(labels) == pytest.approx(1.75, abs=1e-14)
    assert sh.entropy(labels, alpha=np.inf) == pytest.approx(1.0)
    assert sh.entropy(labels, alpha=2) == pytest.approx(-np.log2(np.sum(frequencies**2)))


COUNTEREXAMPLE = {2: -0.087, 3: -0.245, 5: -0.374, 1.01: 0.148, 0.5: 0.285}


@pytest.mark.parametrize(("alpha", "expected"), COUNTEREXAMPLE.items())
def test_total_correlation_can_be_negative(alpha, expected):
    """p(0,1) = p(1,0) = 1/4, p(1,1) = 1/2: the paper's Property 1 does not hold at alpha = 2 and above."""
    x, y = [0, 1, 1, 1], [1, 0, 1, 1]
    assert sh.total_correlation(x, y, kernel=sh.kernels.Delta(), alpha=alpha) == pytest.approx(expected, abs=6e-4)


def test_dual_total_correlation_can_be_negative():
    value = sh.dual_total_correlation([0, 1, 1, 1], [1, 0, 1, 1], kernel=sh.kernels.Delta(), alpha=2)
    assert value == pytest.approx(-0.042, abs=6e-4)


def test_a_gaussian_variable_shares_less_than_all_with_itself(rng):
    """K o K is not K: only 0/1 kernels give 1 for a deterministic relation."""
    x = rng.normal(size=400)
    width = sh.kernels.Gaussian().width(x[:, None])
    assert sh.mutual_information(x, x) == pytest.approx(0.72, abs=0.02)
    assert sh.mutual_information(x, x, kernel=sh.kernels.Gaussian(width / 10)) == pytest.approx(0.9, abs=0.02)


def test_extreme_sizes():
    assert sh.entropy(np.array([1e20, 2e20, 3e20]), kernel=sh.kernels.Gaussian(1e-300)) == pytest.approx(np.log2(3))
    assert sh.entropy(np.full((5, 3), 1e308)) == 0.0
    assert np.isfinite(sh.entropy(np.array([1e308, -1e308, 0.0, 1e300])))


def test_no_entropy_to_share_is_zero_and_says_how_sure():
    """Constants share nothing by definition; a kernel so wide that all is alike is only not resolved."""
    assert sh.Dependence(np.ones(8), np.ones(8)).mutual_information().width == 0
    x = np.random.default_rng(0).normal(size=8)
    wide = sh.Dependence(x, x, kernel=sh.kernels.Gaussian(1e8)).mutual_information()
    assert wide.value == 0
    assert wide.lower == -np.inf
    assert wide.upper == 1
