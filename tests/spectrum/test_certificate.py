"""The bounds are theorems: checked on spectra made up to be hard, and on factorisations cut short."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.bounds import random_case
from reference import oracle
from shearer.data import read
from shearer.kernels import grams, hadamard
from shearer.spectrum import renyi
from shearer.spectrum.lowrank import certificate, cholesky
from shearer.spectrum.lowrank.certificate import PartialSpectrum

ALPHAS = [0.5, 0.75, 0.95, 1, 1.01, 1.5, 2, 3, 5, math.inf]


@given(st.integers(0, 2**32 - 1), st.sampled_from(ALPHAS))
def test_any_dominated_part_of_any_spectrum(seed, alpha):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    spectrum = np.sort(rng.dirichlet(np.full(n, 10 ** rng.uniform(-2, 1))))[::-1]
    rank = int(rng.integers(1, n + 1))
    part = np.sort(spectrum[:rank] * rng.uniform(0, 1, size=rank) ** rng.uniform(0, 3))[::-1]
    lower, upper = certificate.bounds(PartialSpectrum(part, n), alpha)
    exact = float(renyi.entropy(spectrum, alpha))
    assert lower - 1e-10 <= exact <= upper + 1e-10


def test_bounds_are_attained():
    """Both extremes are spectra that the part allows, so no tighter bound exists."""
    part, n = np.array([0.5, 0.2, 0.1]), 6
    for alpha in ALPHAS:
        lower, upper = certificate.bounds(PartialSpectrum(part, n), alpha)
        assert lower == pytest.approx(float(renyi.entropy(np.array([0.7, 0.2, 0.1, 0, 0, 0]), alpha)))
        level = 0.2 / 3
        assert upper == pytest.approx(float(renyi.entropy(np.array([0.5, 0.2, 0.1, level, level, level]), alpha)))


def test_water_rises_over_small_eigenvalues():
    level, raised = certificate.water_level(np.array([0.5, 0.02, 0.01]), 0.47, 5)
    assert raised == 2
    assert level == pytest.approx((0.47 + 0.03) / 4)
    assert certificate.water_level(np.array([1.0]), 0.0, 1) == (1.0, 1)


@pytest.mark.parametrize("seed", range(40))
def test_factorisations_cut_anywhere(seed):
    """The exact value, to 50 digits, lies within the bounds at every rank and order."""
    rng = np.random.default_rng(seed)
    gram, matrices = random_case(rng)
    most = int(rng.integers(1, gram.n + 1))
    eigenvalues = oracle.spectrum(matrices)
    for alpha in (0.5, 1, 1.01, 2, 5):
        _, spectrum = cholesky.factorize(gram, alpha, rng, most, lambda _: False)
        lower, upper = certificate.bounds(spectrum, alpha)
        exact = float(oracle.entropy_of(eigenvalues, mp.mpf(alpha)))
        assert lower - 1e-12 <= exact <= upper + 1e-12


def test_factorisation_is_below_the_matrix(rng):
    """The residual is positive semidefinite and its diagonal is what the factorisation says."""
    gram = hadamard(grams(read(rng.normal(size=80), rng.normal(size=(80, 2)))))
    work = cholesky.Factorization(gram, rng)
    for _ in range(4):
        work.grow(60)
        left = gram.dense() - work.factor @ work.factor.T
        assert np.linalg.eigvalsh(left).min() >= -1e-12
        assert np.diag(left) == pytest.approx(work.residual, abs=1e-12)
    assert len(set(work.pivots)) == work.rank


def test_nothing_left_to_factor(rng):
    gram = grams(read(np.repeat([0.0, 5.0, 9.0], 10)))[0]
    work, spectrum = cholesky.factorize(gram, 1.0, rng, 30, lambda _: False)
    assert work.rank == 3
    assert spectrum.missing < 1e-12
    assert not work.grow(30)


def test_compensated_sums(rng):
    left = rng.normal(size=(3000, 3)) * 10.0 ** rng.integers(-8, 8, size=(3000, 1))
    exact = [
        [mp.fsum(mp.mpf(a) * mp.mpf(b) for a, b in zip(left[:, i], left[:, j], strict=True)) for j in range(3)]
        for i in range(3)
    ]
    assert cholesky.cross_products(left, left) == pytest.approx(np.array(exact, dtype=float), rel=1e-13)
