"""HSIC, dHSIC, KCCA, QMI_CS, RDC and C-KDM against loops, generalised eigenvalues and integrals."""

from itertools import permutations

import numpy as np
import pytest
import scipy.linalg
from scipy import stats

from shearer.comparators import c_kdm, dhsic, hsic, kcca, qmi_cs, rdc
from shearer.kernels import Gaussian

WIDE = Gaussian(0.8)


def kernel(x, width=0.8):
    x = np.asarray(x, dtype=float).reshape(len(x), -1)
    return np.exp(-np.sum((x[:, None] - x[None]) ** 2, axis=2) / (2 * width**2))


def test_hsic_from_expectations(rng):
    """E k l + E k E l - 2 E[E k E l] over the sample, by loops."""
    x, y = rng.normal(size=(9, 2)), rng.normal(size=9)
    k, ell = kernel(x), kernel(y)
    n = range(9)
    joint = np.mean([k[i, j] * ell[i, j] for i in n for j in n])
    apart = np.mean([k[i, j] * ell[q, r] for i in n for j in n for q in n for r in n])
    cross = np.mean([k[i, j] * ell[i, q] for i in n for j in n for q in n])
    expected = joint + apart - 2 * cross
    assert hsic(x, y, kernel=WIDE) == pytest.approx(expected, abs=1e-14)
    assert dhsic(x, y, kernel=WIDE) == pytest.approx(expected, abs=1e-14)


def test_unbiased_hsic_over_distinct_rows(rng):
    """The U-statistic of Gretton et al. 2008: the same expectations over distinct i, j, q, r."""
    x, y = rng.normal(size=(2, 7))
    k, ell = kernel(x), kernel(y)
    pairs, triples, fours = (list(permutations(range(7), size)) for size in (2, 3, 4))
    joint = np.mean([k[i, j] * ell[i, j] for i, j in pairs])
    cross = np.mean([k[i, j] * ell[i, q] for i, j, q in triples])
    apart = np.mean([k[i, j] * ell[q, r] for i, j, q, r in fours])
    assert hsic(x, y, kernel=WIDE, unbiased=True) == pytest.approx(joint + apart - 2 * cross, abs=1e-14)


def test_dhsic_of_three_by_loops(rng):
    data = [rng.normal(size=6) for _ in range(3)]
    grams = [kernel(x) for x in data]
    n = range(6)
    joint = np.mean([np.prod([g[i, j] for g in grams]) for i in n for j in n])
    apart = np.prod([g.mean() for g in grams])
    cross = np.mean([np.prod([g[i].mean() for g in grams]) for i in n])
    assert dhsic(*data, kernel=WIDE) == pytest.approx(joint + apart - 2 * cross, abs=1e-14)


def test_hsic_of_normal_variables():
    """Gaussian kernels of width 1 and a bivariate normal: every expectation is a Gaussian integral."""
    r = 0.7
    x, e = np.random.default_rng(2).normal(size=(2, 1500))
    y = r * x + np.sqrt(1 - r**2) * e
    # E exp(-q'Aq/2) = det(I + A S)^(-1/2) for normal q of covariance S: differences of rows, of which some are shared.
    joint = np.linalg.det(np.eye(2) + 2 * np.array([[1, r], [r, 1]])) ** -0.5
    apart = 1 / 3
    shared = np.linalg.det(np.eye(2) + np.array([[2, r], [r, 2]])) ** -0.5
    assert hsic(x, y, kernel=Gaussian(1.0)) == pytest.approx(joint + apart - 2 * shared, abs=0.006)


@pytest.mark.parametrize("regularization", [0.02, 0.3])
def test_kcca_as_a_generalised_eigenvalue(rng, regularization):
    """Bach and Jordan 2002, Eq. 14 with regularised blocks."""
    x = rng.normal(size=30)
    y = x**2 + rng.normal(size=30)
    n = 30
    center = np.eye(n) - 1 / n
    k, ell = (center @ kernel(z) @ center for z in (x, y))
    shift = n * regularization / 2 * np.eye(n)
    zero = np.zeros((n, n))
    left = np.block([[zero, k @ ell], [ell @ k, zero]])
    right = scipy.linalg.block_diag((k + shift) @ (k + shift), (ell + shift) @ (ell + shift))
    expected = scipy.linalg.eigh(left, right, eigvals_only=True)[-1]
    assert kcca(x, y, kernel=WIDE, regularization=regularization) == pytest.approx(expected, abs=1e-8)


def test_kcca_is_a_correlation(rng):
    x = rng.normal(size=(200, 2))
    assert 0.95 < kcca(x, np.tanh(x @ [1.0, -1.0]), regularization=1e-4) < 1
    assert kcca(x, rng.normal(size=200)) < kcca(x, x[:, 0] ** 2)


def test_qmi_as_an_angle_of_densities(rng):
    """The three integrals of kernel density estimates, on a grid."""
    x, y = rng.normal(size=(2, 15))
    y += x
    width = 0.4
    grid = np.linspace(-7, 7, 701)
    step = grid[1] - grid[0]
    px, py = (stats.norm.pdf(grid[None], loc=z[:, None], scale=width) for z in (x, y))
    joint, product = px.T @ py / 15, np.outer(px.mean(axis=0), py.mean(axis=0))
    v_j, v_m, v_c = (np.sum(a * b) * step**2 for a, b in ((joint, joint), (product, product), (joint, product)))
    found = qmi_cs(x, y, kernel=Gaussian(np.sqrt(2) * width))
    assert found == pytest.approx(np.log(v_j * v_m / v_c**2), rel=1e-9)
    assert found > 0


def test_rdc_by_canonical_correlation(rng):
    """The first canonical correlation of the same random functions, as a generalised eigenvalue."""
    x, y = rng.normal(size=(2, 300))
    y += x**2

    def functions(z):
        uniform = np.column_stack([stats.rankdata(z) / 300, np.ones(300)])
        return np.sin(uniform @ np.random.default_rng(3).normal(scale=2 / 2, size=(2, 3)))

    a, b = functions(x), functions(y)
    covariance = np.cov(np.hstack([a, b]).T)
    zero = np.zeros((3, 3))
    left = np.block([[zero, covariance[:3, 3:]], [covariance[3:, :3], zero]])
    right = scipy.linalg.block_diag(covariance[:3, :3], covariance[3:, 3:])
    expected = scipy.linalg.eigh(left, right, eigvals_only=True)[-1]
    assert rdc(x, y, features=3, scale=2.0, rng=3) == pytest.approx(expected, abs=1e-6)


def test_rdc_of_functions_and_noise(rng):
    x = rng.uniform(-1, 1, size=1000)
    for y in (x**2, x**3, np.sin(np.pi * x)):
        assert rdc(x, y) > 0.95
    assert rdc(x, np.sin(4 * np.pi * x)) < 0.5 < 0.95 < rdc(x, np.sin(4 * np.pi * x), scale=30.0)
    assert rdc(x, rng.uniform(size=1000)) < 0.3


def test_rdc_honours_its_seed(rng):
    x, y = rng.normal(size=(2, 100))
    assert rdc(x, y, rng=1) == rdc(x, y, rng=1) != rdc(x, y, rng=2)
    assert rdc(x, y, rng=np.random.default_rng(1)) == rdc(x, y, rng=np.random.default_rng(1))
    assert rdc(x, y, rng=None) != rdc(x, y, rng=None)


def test_c_kdm_against_a_large_uniform_sample(rng):
    columns = rng.normal(size=(40, 3))
    columns[:, 2] += columns[:, 0]
    uniform = stats.rankdata(columns, axis=0) / 40
    other = rng.uniform(size=(1500, 3))
    k = kernel(uniform, 0.3).mean() + kernel(other, 0.3).mean()
    cross = np.exp(-np.sum((uniform[:, None] - other[None]) ** 2, axis=2) / (2 * 0.3**2)).mean()
    assert c_kdm(columns, bandwidth=0.3, normalize=False) == pytest.approx(k - 2 * cross, abs=5e-3)


def test_c_kdm_of_equal_ranks_is_1(rng):
    x = rng.normal(size=50)
    assert c_kdm(x, np.exp(x), x**3) == pytest.approx(1.0)
    assert c_kdm(x, x, bandwidth=0.1) == pytest.approx(1.0)
    assert c_kdm(x, rng.normal(size=50)) < 0.2


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: hsic(x[:3], x[:3], unbiased=True), ValueError, "at least 4 rows for unbiased=True, got 3"),
        (lambda x: hsic(x, x, unbiased=1), ValueError, "unbiased: expected one of True, False"),
        (lambda x: hsic(x, x, kernel="gauss"), TypeError, "kernel: expected a kernel"),
        (lambda x: kcca(x, x, regularization=0), ValueError, "regularization: expected a positive finite number"),
        (lambda x: rdc(x, x, features=0), ValueError, "features: expected a whole number of 1 or more"),
        (lambda x: rdc(x, x, scale=-1.0), ValueError, "scale: expected a positive"),
        (lambda x: rdc(x, x, rng="seed"), TypeError, "rng: expected a seed"),
        (lambda x: c_kdm(x, x, bandwidth="mean"), ValueError, "bandwidth: expected one of 'median'"),
        (lambda x: c_kdm(x, x, bandwidth=0.0), ValueError, "bandwidth: expected a positive"),
        (lambda x: c_kdm(x, x, normalize=None), ValueError, "normalize: expected one of True, False"),
    ],
)
def test_bad_options(call, error, message):
    with pytest.raises(error, match=message):
        call(np.arange(10.0))
