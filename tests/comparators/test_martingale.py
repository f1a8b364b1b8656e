"""mHSIC, mdHSIC and xHSIC against loops over rows, and the normal law they should have."""

import numpy as np
import pytest

from shearer.comparators import mdhsic, mhsic, xhsic
from shearer.kernels import Gaussian

WIDE = Gaussian(0.8)


def kernel(x):
    x = np.asarray(x, dtype=float).reshape(len(x), -1)
    return np.exp(-np.sum((x[:, None] - x[None]) ** 2, axis=2) / (2 * 0.8**2))


def normalized(terms):
    steps = [sum(terms(i, j) for j in range(i)) for i in range(terms.n)]
    return sum(steps) / np.sqrt(sum(step**2 for step in steps))


def test_mhsic_by_loops(rng):
    x, y = rng.normal(size=(12, 2)), rng.normal(size=12)
    k, ell = kernel(x), kernel(y)

    def term(i, j):
        return np.prod([m[i, j] - m[i].mean() - m[j].mean() + m.mean() for m in (k, ell)])

    term.n = 12
    assert mhsic(x, y, kernel=WIDE) == pytest.approx(normalized(term), abs=1e-12)


def test_mdhsic_by_loops(rng):
    data = [rng.normal(size=13) for _ in range(3)]
    grams = [kernel(x) for x in data]

    def centered(m, i, j):
        whole = np.mean([m[a, b] for a in range(6) for b in range(6)])
        return m[i, j] - m[i, :6].mean() - m[j, :6].mean() + whole

    def term(i, j):
        return np.prod([centered(m, i + 6, j + 6) for m in grams])

    term.n = 7
    assert mdhsic(*data, kernel=WIDE) == pytest.approx(normalized(term), abs=1e-12)


def test_xhsic_by_loops(rng):
    """Shekhar, Kim and Ramdas: h(Z_i, Z_j) against the unbiased covariance operator of the second half."""
    x, y = rng.normal(size=(2, 15))
    k, ell = kernel(x), kernel(y)
    n = 7
    second = range(n, 2 * n)

    def inner(i, j):
        same = np.mean([k[i, t] * ell[j, t] for t in second])
        other = np.mean([k[i, t] * ell[j, u] for t in second for u in second if t != u])
        return same - other

    h = np.array([[(inner(i, i) + inner(j, j) - inner(i, j) - inner(j, i)) / 2 for j in range(n)] for i in range(n)])
    value = (h.sum() - np.trace(h)) / (n * (n - 1))
    rows = (h.sum(axis=1) - np.diag(h)) / (n - 1)
    variance = 4 * (n - 1) / (n - 2) ** 2 * np.sum((rows - value) ** 2)
    assert xhsic(x, y, kernel=WIDE) == pytest.approx(np.sqrt(n) * value / np.sqrt(variance), rel=1e-9)


@pytest.mark.parametrize("function", [mhsic, mdhsic, xhsic])
def test_normal_under_independence(function):
    """Mean 0 and variance 1 within 4 standard errors over 300 samples; upper tail at 5 % not above 9 %."""
    generator = np.random.default_rng(17)
    values = np.array([function(*generator.normal(size=(2, 60))) for _ in range(300)])
    assert abs(values.mean()) < 4 / np.sqrt(300) + 0.1
    assert values.std() == pytest.approx(1.0, abs=0.25)
    assert np.mean(values > 1.645) < 0.09


@pytest.mark.parametrize("function", [mhsic, mdhsic, xhsic])
def test_large_for_functions(function, rng):
    x = rng.normal(size=200)
    assert function(x, x**2) > 4


def test_mdhsic_sees_what_all_variables_share_only(rng):
    a, b, e = rng.normal(size=(3, 400))
    assert mdhsic(a, b, np.sign(a * b) * np.abs(e)) > 4
    assert abs(mdhsic(a, a + 0.1 * b, e)) < 3  # a dependent pair beside noise


@pytest.mark.parametrize(("function", "least"), [(mdhsic, 4), (xhsic, 6)])
def test_few_rows_cannot_be_split(function, least):
    with pytest.raises(ValueError, match=f"at least {least} rows, which are split in two, got 3"):
        function([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
