"""Context likelihood and data processing against hand computations and brute force."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shearer.tools.networks.indirect import context_likelihood, explained_links, triangles, weakest_links


def random_weights(seed: int, size: int) -> np.ndarray:
    w = np.random.default_rng(seed).uniform(size=(size, size))
    w = (w + w.T) / 2
    np.fill_diagonal(w, 0.0)
    return w


def test_context_likelihood_by_hand():
    # variable 0 has weights 1, 2, 6: mean 3, deviation sqrt((4 + 1 + 9) / 3)
    # variable 3 has weights 6, 0, 0: mean 2, deviation sqrt((16 + 4 + 4) / 3)
    w = np.array([[0, 1, 2, 6], [1, 0, 0, 0], [2, 0, 0, 0], [6, 0, 0, 0]], dtype=float)
    first = (6 - 3) / math.sqrt(14 / 3)
    last = (6 - 2) / math.sqrt(8)
    found = context_likelihood(w)
    assert found[0, 3] == pytest.approx(math.hypot(first, last))
    # 2 is below the mean of variable 0 and counts as 0 there; variable 2 has 2, 0, 0: mean 2/3, deviation sqrt(8/9)
    assert found[0, 2] == pytest.approx((2 - 2 / 3) / math.sqrt(8 / 9))
    assert found[1, 2] == 0
    assert np.array_equal(found, found.T)
    assert np.all(found.diagonal() == 0)


@given(seed=st.integers(0, 10**6), size=st.integers(2, 8))
def test_context_likelihood_is_the_formula(seed, size):
    w = random_weights(seed, size)
    expected = np.zeros_like(w)
    for i in range(size):
        for j in range(size):
            if i == j:
                continue
            parts = []
            for own in (i, j):
                others = [w[own, k] for k in range(size) if k != own]
                deviation = np.std(others)
                parts.append(max(0.0, (w[i, j] - np.mean(others)) / deviation) if deviation > 1e-9 else 0.0)
            expected[i, j] = math.hypot(*parts)
    assert np.allclose(context_likelihood(w), expected, atol=1e-6)


def test_context_likelihood_of_equal_weights_is_zero():
    for level in (0.0, 1 / 3, 1e9):
        w = np.full((5, 5), level)
        np.fill_diagonal(w, 0.0)
        assert np.all(context_likelihood(w) == 0)


def test_context_likelihood_does_not_depend_on_scale():
    w = random_weights(0, 6)
    assert np.allclose(context_likelihood(w), context_likelihood(1e-7 * w))


def brute_force_weakest(w, linked, tolerance):
    size = len(w)
    gone = np.zeros_like(linked)
    for i in range(size):
        for j in range(size):
            for k in range(size):
                if len({i, j, k}) == 3 and linked[i, j] and linked[i, k] and linked[j, k]:
                    gone[i, j] |= w[i, j] < (1 - tolerance) * min(w[i, k], w[j, k])
    return gone


@given(seed=st.integers(0, 10**6), size=st.integers(2, 7), tolerance=st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_weakest_links_are_those_of_all_triangles(seed, size, tolerance):
    w = random_weights(seed, size)
    linked = random_weights(seed + 1, size) > 0.4
    np.fill_diagonal(linked, False)
    assert np.array_equal(weakest_links(w, linked, tolerance), brute_force_weakest(w, linked, tolerance))


def test_no_link_goes_without_triangles():
    w = random_weights(0, 4)
    chain = np.zeros((4, 4), dtype=bool)
    chain[[0, 1, 2], [1, 2, 3]] = True
    assert not weakest_links(w, chain | chain.T, 0.0).any()
    assert not weakest_links(w, np.zeros((4, 4), dtype=bool), 0.0).any()


def test_conditions_are_asked_only_for_the_weakest_links():
    w = np.array([[0.0, 0.9, 0.5], [0.9, 0.0, 0.8], [0.5, 0.8, 0.0]])
    linked = ~np.eye(3, dtype=bool)
    assert list(triangles(w, linked)) == [(0, 2, [1])]
    asked = []

    def pvalue(*triangle):
        asked.append(triangle)
        return 0.3

    gone = explained_links(w, linked, pvalue, 0.05)
    assert asked == [(0, 2, 1)]
    assert gone[0, 2]
    assert gone[2, 0]
    assert gone.sum() == 2
    assert not explained_links(w, linked, lambda *_: 0.01, 0.05).any()
