"""Derivatives: right where they exist, finite where they do not."""

import math

import numpy as np
import pytest

import shearer as sh

pytestmark = pytest.mark.needs("torch")

ALPHAS = [0.5, 1, 1.01, 2, 3]
VERBS = ["entropy", "mutual_information", "total_correlation", "dual_total_correlation"]


@pytest.fixture
def torch():
    import torch

    torch.manual_seed(0)
    return torch


@pytest.mark.parametrize("alpha", [0.75, 1, 1.01, 1.5, 2, 3, 4, 5, 6, 8, 9, math.inf])
@pytest.mark.parametrize("verb", VERBS)
def test_gradcheck(torch, verb, alpha):
    """Against finite differences, with a fixed width and distinct rows."""
    x = torch.linspace(0, 4, 5, dtype=torch.float64)[:, None] + 0.1 * torch.rand(5, 1, dtype=torch.float64)
    y = torch.rand(5, 2, dtype=torch.float64) * 3
    kernel = sh.kernels.Gaussian(0.6)
    measure = getattr(sh, verb)
    x.requires_grad_(), y.requires_grad_()
    assert torch.autograd.gradcheck(lambda a, b: measure(a, b, alpha=alpha, kernel=kernel), (x, y), atol=1e-6)


@pytest.mark.parametrize("normalize", [True, False, "max", "min", "joint", "mean", "sqrt"])
def test_gradcheck_of_every_normalisation(torch, normalize):
    x = torch.linspace(0, 4, 6, dtype=torch.float64, requires_grad=True)
    y = torch.rand(6, dtype=torch.float64, requires_grad=True)
    kernel = sh.kernels.Gaussian(0.5)
    assert torch.autograd.gradcheck(
        lambda a, b: sh.mutual_information(a, b, kernel=kernel, normalize=normalize), (x, y), atol=1e-6
    )


@pytest.mark.parametrize("alpha", [0.75, 1, 1.01, 2, 3])
def test_analytic_form(torch, alpha):
    """dS/dA = a/((1-a) ln 2) [A^(a-1)/tr A^a - I/tr A], chained to the data by hand."""
    x = torch.linspace(0, 6, 8, dtype=torch.float64, requires_grad=True)
    width = 0.8
    sh.entropy(x, alpha=alpha, kernel=sh.kernels.Gaussian(width)).backward()
    points = x.detach().numpy()
    difference = np.subtract.outer(points, points)
    matrix = np.exp(-(difference**2) / (2 * width**2)) / len(points)
    values, vectors = np.linalg.eigh(matrix)
    if alpha == 1:
        slopes = -(np.log(values) - np.sum(values * np.log(values))) / np.log(2)
    else:
        slopes = alpha / ((1 - alpha) * np.log(2)) * (values ** (alpha - 1) / np.sum(values**alpha) - 1)
    in_matrix = (vectors * slopes) @ vectors.T
    in_data = 2 * np.sum(in_matrix * matrix * (-difference / width**2), axis=1)
    assert x.grad.numpy() == pytest.approx(in_data, rel=1e-8, abs=1e-12)


def degenerate_inputs(torch, dtype, n):
    row = torch.randn(1, 3, dtype=dtype)
    return {
        "identical": row.repeat(n, 1),
        "half duplicated": torch.cat([torch.randn(n - n // 2, 3, dtype=dtype), row.repeat(n // 2, 1)]),
        "two values": (torch.arange(n, dtype=dtype) % 2)[:, None].repeat(1, 3),
        "far apart": torch.arange(n, dtype=dtype)[:, None].repeat(1, 3) * 1e4,
        "ordinary": torch.randn(n, 3, dtype=dtype),
    }


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("n", [2, 3, 64])
@pytest.mark.parametrize("verb", VERBS)
def test_finite_on_degenerate_input(torch, verb, n, bits, alpha):
    dtype = {32: torch.float32, 64: torch.float64}[bits]
    for name, values in degenerate_inputs(torch, dtype, n).items():
        x = values.clone().requires_grad_()
        y = torch.randn(n, dtype=dtype, requires_grad=True)
        value = getattr(sh, verb)(x, y, alpha=alpha)
        value.backward()
        assert value.dtype == dtype
        assert torch.isfinite(value), name
        for tensor in (x, y):
            assert tensor.grad is not None, name
            assert torch.isfinite(tensor.grad).all(), name


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("bits", [32, 64])
def test_finite_at_a_large_batch(torch, bits, alpha):
    dtype = {32: torch.float32, 64: torch.float64}[bits]
    n = {32: 1024, 64: 512}[bits]  # round-off is that of single precision
    x = torch.randn(n, 16, dtype=dtype)
    x[n // 2 :] = x[: n // 2]
    x.requires_grad_()
    value = sh.mutual_information(x, x[:, :1] ** 2, alpha=alpha)
    value.backward()
    assert torch.isfinite(value)
    assert torch.isfinite(x.grad).all()


def test_all_constant_has_a_zero_gradient(torch):
    x = torch.ones(10, 2, requires_grad=True)
    y = torch.zeros(10, requires_grad=True)
    for verb in VERBS:
        value = getattr(sh, verb)(x, y)
        gradients = torch.autograd.grad(value, (x, y))
        assert value == 0
        assert not any(gradient.any() for gradient in gradients)


def test_gradient_with_labels(torch):
    x = torch.randn(30, 2, dtype=torch.float64, requires_grad=True)
    labels = ["a", "b", "c"] * 10
    value = sh.mutual_information(x, labels)
    value.backward()
    assert x.grad.abs().sum() > 0
    assert value.item() == pytest.approx(sh.mutual_information(x.detach().numpy(), labels), abs=1e-12)


def test_descent_removes_dependence(torch):
    """A few steps down the gradient of I* make dependent variables less so."""
    x = torch.randn(60, dtype=torch.float64)
    y = (x + 0.3 * torch.randn(60, dtype=torch.float64)).requires_grad_()
    before = sh.mutual_information(x, y).item()
    optimizer = torch.optim.Adam([y], lr=0.1)
    for _ in range(30):
        optimizer.zero_grad()
        sh.mutual_information(x, y, alpha=2).backward()
        optimizer.step()
    assert sh.mutual_information(x, y).item() < before / 2


def test_second_derivative_of_alpha_two(torch):
    """No derivative is cut where none has to be: the Hessian of the Frobenius route is right."""
    x = torch.linspace(0, 2, 4, dtype=torch.float64, requires_grad=True)
    kernel = sh.kernels.Gaussian(0.7)
    assert torch.autograd.gradgradcheck(lambda a: sh.entropy(a, alpha=2, kernel=kernel), (x,))
