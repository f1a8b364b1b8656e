"""Parts of the entropy of a spectrum that its value does not show: slopes, peaks, bounds where nothing is known."""

import numpy as np
import pytest

from shearer.spectrum import renyi


@pytest.mark.parametrize("alpha", [0.95, 1.0, 1.05, 1.09])
@pytest.mark.parametrize("x", [1e-6, 0.1, 0.5])
def test_the_slope_of_tau(alpha, x):
    step = 1e-6 * x
    above, below = (float(renyi.tau(np.array(x + sign * step), alpha)) for sign in (1, -1))
    assert renyi._tau_slope(x, alpha) == pytest.approx((above - below) / (2 * step), rel=1e-6)


@pytest.mark.needs("torch")
def test_below_the_floor_values_stay_and_slopes_are_held():
    import torch

    x = torch.tensor([0.5, 0.1, 0.0], dtype=torch.float64, requires_grad=True)
    found = renyi._floored(x, 0.2, lambda y: y**0.5, 7.0)
    assert found.detach().numpy() == pytest.approx([0.5**0.5, 0.1**0.5, 0.0])
    found.sum().backward()
    assert x.grad.numpy() == pytest.approx([0.5 / 0.5**0.5, 7.0, 7.0])


def test_a_rank_of_which_nothing_is_known():
    assert renyi.bounds(np.array([0.5, 0.5]), 0.6, 0.0) == (0.0, 1.0)


@pytest.mark.parametrize("alpha", [0.92, 1.0, 1.08])
@pytest.mark.parametrize("error", [0.01, 0.3])
def test_the_largest_tau_within_an_error(alpha, error):
    values = np.array([0.2, 0.35, 0.45])
    grid = np.clip(values + np.linspace(-error, error, 20_001)[:, None], 0.0, 1.0)
    assert renyi.largest_tau(values, error, alpha) == pytest.approx(renyi.tau_or_zero(grid, alpha).max(axis=0).sum())
