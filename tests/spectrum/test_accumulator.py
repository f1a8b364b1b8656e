"""Sums over rows: the certificate from them is that of all rows at once, however they were cut."""

import itertools

import numpy as np
import pytest

import shearer as sh
from shearer.kernels import grams
from shearer.spectrum import renyi
from shearer.spectrum.lowrank import certificate
from shearer.spectrum.lowrank.accumulator import Accumulator, whitening


@pytest.fixture
def features(rng):
    gram = grams(sh.Dependence(rng.normal(size=(700, 2)), np.arange(700.0))._table)[0]
    landmarks = np.arange(0, 700, 35)
    return gram, gram.block(slice(None), landmarks) @ whitening(gram.block(landmarks, landmarks))


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.01, 1.5, 3.0])
def test_tau_of_shares_equals_the_sum_over_rows(features, alpha):
    gram, phi = features
    sums = Accumulator(phi.shape[1], alpha)
    left = sums.add(phi, gram.entry_error)
    direct = np.sum(renyi.tau_or_zero((left + (4 * sums.rank + gram.entry_error) * 2.0**-52) / 700, alpha))
    assert sums._tau_of_shares() == pytest.approx(direct, rel=1e-12)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, np.inf])
def test_cutting_and_merging_changes_round_off_only(features, alpha):
    gram, phi = features
    whole = Accumulator(phi.shape[1], alpha)
    whole.add(phi, gram.entry_error)
    for cuts in ([0, 100, 101, 700], [0, 350, 700], [0, 1, 2, 699, 700]):
        parts = []
        for start, stop in itertools.pairwise(cuts):
            parts.append(Accumulator(phi.shape[1], alpha))
            parts[-1].add(phi[start:stop], gram.entry_error)
        for order in (parts, parts[::-1]):
            total = Accumulator(phi.shape[1], alpha)
            for part in order:
                total.merge(part)
            assert total.rows == 700
            assert certificate.bounds(total.spectrum(), alpha) == pytest.approx(
                certificate.bounds(whole.spectrum(), alpha), abs=1e-13
            )


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5, 2.0, np.inf])
def test_bounds_hold_the_exact_entropy(features, alpha):
    gram, phi = features
    sums = Accumulator(phi.shape[1], alpha)
    sums.add(phi, gram.entry_error)
    lower, upper = certificate.bounds(sums.spectrum(), alpha)
    exact = float(renyi.entropy(np.linalg.eigvalsh(gram.dense() / 700), alpha))
    assert lower <= exact <= upper
    assert upper - lower < 3
