"""Drawn samples have the information that their laws say."""

import math

import numpy as np
import pytest

import shearer as sh
from shearer.datasets import gaussian_pair, planted_network, ring, xor


def grid_information(density: np.ndarray) -> float:
    """Mutual information in bits of a density on a fine grid, by plain sums."""
    p = density / density.sum()
    product = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    inside = p > 0
    return float(np.sum(p[inside] * np.log2(p[inside] / product[inside])))


@pytest.mark.parametrize("inner", [0.0, 0.5, 0.8])
def test_bits_of_the_ring_are_those_of_a_fine_grid(inner):
    axis = (np.arange(2000) + 0.5) / 1000 - 1
    radius = np.hypot(axis[:, None], axis)
    density = ((radius >= inner) & (radius <= 1)).astype(float)
    assert ring(2, inner=inner).bits[("x", "y")] == pytest.approx(grid_information(density), abs=0.003)


def test_bits_of_the_disc_in_closed_form():
    assert ring(2, inner=0.0).bits[("x", "y")] == pytest.approx((math.log(math.pi) - 1) / math.log(2), abs=1e-9)


@pytest.mark.parametrize("correlation", [-0.9, 0.0, 0.6])
def test_bits_of_a_normal_pair_are_those_of_a_fine_grid(correlation):
    axis = np.linspace(-6, 6, 1201)
    x, y = axis[:, None], axis[None, :]
    density = np.exp(-(x**2 - 2 * correlation * x * y + y**2) / (2 * (1 - correlation**2)))
    assert gaussian_pair(2, correlation=correlation).bits[("x", "y")] == pytest.approx(
        grid_information(density), abs=1e-4
    )


def test_the_normal_pair_has_its_correlation():
    columns = gaussian_pair(20000, correlation=-0.7).columns
    assert np.corrcoef(columns["x"], columns["y"])[0, 1] == pytest.approx(-0.7, abs=0.02)


def test_the_ring_has_its_radii_and_no_correlation():
    columns = ring(20000, inner=0.8).columns
    radius = np.hypot(columns["x"], columns["y"])
    assert 0.8 <= radius.min() <= radius.max() <= 1
    assert np.mean(radius**2) == pytest.approx((1 + 0.64) / 2, abs=0.01)  # even over the area
    assert abs(np.corrcoef(columns["x"], columns["y"])[0, 1]) < 0.03


@pytest.mark.parametrize("flips", [0.0, 0.1, 0.5, 1.0])
def test_the_measures_find_the_bits_of_xor(flips):
    law = xor(4000, flips=flips)
    for names, bits in law.bits.items():
        found = sh.total_correlation({name: law.columns[name] for name in names}, normalize=False)
        assert found == pytest.approx(bits, abs=0.02)


def test_planted_links_are_there_and_no_others():
    planted = planted_network(500, 8, links=4, rng=3)
    m = sh.pairwise(planted.data)
    linked = planted.undirected[np.triu_indices(8, 1)]
    assert m.qvalue[np.triu_indices(8, 1)][linked].max() < 1e-3
    assert planted.target.sum() == 4
    assert (planted.target & planted.target.T).sum() == 0
    assert (planted.target.sum(axis=0) <= 1).all()  # each follows one at most


@pytest.mark.parametrize("draw", [gaussian_pair, xor, ring])
def test_seeds_of_laws(draw):
    first, same, other = (draw(30, rng=seed).columns for seed in (1, 1, 2))
    assert all(np.array_equal(first[name], same[name]) for name in first)
    assert not all(np.array_equal(first[name], other[name]) for name in first)


def test_seeds_of_networks():
    first, same, other = (planted_network(30, rng=seed) for seed in (1, 1, 2))
    assert first.data.equals(same.data)
    assert np.array_equal(first.target, same.target)
    assert not first.data.equals(other.data)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: gaussian_pair(correlation=1.0),
            ValueError,
            "correlation: expected a number between -1 and 1",
        ),
        (lambda: gaussian_pair(correlation=math.nan), ValueError, "correlation"),
        (lambda: gaussian_pair(correlation="0.5"), TypeError, "correlation"),
        (lambda: gaussian_pair(0), ValueError, "n: expected a whole number of 1 or more"),
        (lambda: xor(flips=1.1), ValueError, "flips: expected a number from 0 to 1"),
        (lambda: ring(inner=1.0), ValueError, "inner: expected a number from 0 to below 1"),
        (lambda: ring(True), TypeError, "n: expected a whole number"),
        (lambda: planted_network(variables=5, links=5), ValueError, "links: expected fewer than the 5 variables"),
        (lambda: planted_network(noise=0), ValueError, "noise"),
        (lambda: planted_network(1), ValueError, "n: expected a whole number of 2 or more"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)
