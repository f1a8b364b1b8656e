"""Losses: the measures themselves, with right gradients, finite on whatever a batch can hold."""

import math

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

import shearer as sh
from shearer.data import read
from shearer.kernels import Delta, Gaussian, Laplacian
from shearer.neural import DependenceLoss, ErrorEntropyLoss, HSICLoss, TotalCorrelationLoss
from shearer.neural.batch_kernels import own_products
from shearer.neural.matrix_information import entropies_with_slopes, products_of_others
from shearer.spectrum import renyi

ALPHAS = [0.6, 0.95, 1, 1.01, 1.5, 2, 3, math.inf]
LOSSES = [DependenceLoss, ErrorEntropyLoss, HSICLoss, TotalCorrelationLoss]


def batch(n=20, d=3, dtype=torch.float64, seed=0):
    """Inputs, and errors that depend on them."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, d, dtype=dtype, generator=generator)
    e = x[:, :1] ** 2 + 0.3 * torch.randn(n, 1, dtype=dtype, generator=generator)
    return x, e


def call(loss, x, e):
    """Any of the losses on a batch."""
    return loss(e) if isinstance(loss, ErrorEntropyLoss) else loss(x, e)


@pytest.mark.parametrize("d", [1, 3, 12])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_values_are_the_measures(alpha, d):
    x, e = batch(d=d)
    z = x[:, :1] * e
    close = 1e-11 if alpha > 0.9 else 1e-8  # below 1, round-off of eigenvalues enters at a power of alpha
    assert DependenceLoss(alpha=alpha, form="raw")(x, e).item() == pytest.approx(
        sh.mutual_information(x, e, alpha=alpha, normalize=False).item(), abs=close
    )
    assert ErrorEntropyLoss(alpha=alpha)(e).item() == pytest.approx(sh.entropy(e, alpha=alpha).item(), abs=close)
    for normalize in (True, False):
        loss = TotalCorrelationLoss(alpha=alpha, normalize=normalize)
        expected = sh.total_correlation(x, e, z, alpha=alpha, normalize=normalize).item()
        assert loss(x, e, z).item() == pytest.approx(expected, abs=close)


@pytest.mark.parametrize("normalize", [True, False, "max", "min", "joint", "mean", "sqrt"])
@pytest.mark.parametrize("alpha", [1.01, 2])
def test_every_normalisation(alpha, normalize):
    x, e = batch()
    e.requires_grad_()
    value = DependenceLoss(alpha=alpha, form="raw", normalize=normalize)(x, e)
    expected = sh.mutual_information(x, e, alpha=alpha, normalize=normalize)
    assert value.item() == pytest.approx(expected.item(), abs=1e-12)
    ours, reference = (torch.autograd.grad(v, e)[0] for v in (value, expected))
    assert torch.allclose(ours, reference, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(
    "kernel",
    [
        Gaussian(0.7),
        Gaussian("silverman"),
        Gaussian("knn"),
        Gaussian("authors-dib"),
        Gaussian(sh.kernels.EntropyFraction(0.3)),
        Laplacian(),
        Laplacian(2.0),
        Gaussian(1.0) * Laplacian(2.0),
    ],
)
@pytest.mark.parametrize("d", [2, 12])
def test_kernels_and_rules_of_the_core(kernel, d):
    x, e = batch(d=d)
    e.requires_grad_()
    value = DependenceLoss(form="raw", kernel=kernel)(x, e)
    expected = sh.mutual_information(x, e, alpha=2, kernel=kernel, normalize=False)
    assert value.item() == pytest.approx(expected.item(), abs=1e-11)
    ours, reference = (torch.autograd.grad(v, e)[0] for v in (value, expected))
    assert torch.allclose(ours, reference, rtol=1e-9, atol=1e-13)


def test_a_kernel_for_each_tensor():
    x, e = batch()
    labels = torch.arange(20) % 3
    loss = DependenceLoss(form="raw", kernel={"x": Gaussian(2.0), "e": Gaussian(0.5)})
    own = {"x1": Gaussian(2.0), "x2": Gaussian(0.5)}
    expected = sh.mutual_information(x, e, alpha=2, kernel=own, normalize=False)
    assert loss(x, e).item() == pytest.approx(expected.item(), abs=1e-12)
    shared = TotalCorrelationLoss(kernel={"x2": Delta()})(x, labels)
    text = [str(label) for label in labels.tolist()]
    assert shared.item() == pytest.approx(sh.total_correlation(x, text, alpha=2, normalize=False).item(), abs=1e-12)


@pytest.mark.parametrize("d", [2, 12])
def test_hsic_by_its_definition(d):
    x, e = batch(d=d)
    table = read({"x": x.numpy(), "e": e.numpy()})
    k, ell = (gram.dense() for gram in sh.kernels.grams(table))
    h = np.eye(20) - 1 / 20
    expected = np.trace(k @ h @ ell @ h) / 19**2
    assert HSICLoss()(x, e).item() == pytest.approx(expected, abs=1e-14)
    assert HSICLoss()(e, x).item() == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(("alpha", "d"), [*((alpha, 1) for alpha in ALPHAS), (1.01, 9), (2, 9)])
def test_gradcheck(alpha, d):
    """Against finite differences, with a fixed width; rows by differences and by the product form."""
    generator = torch.Generator().manual_seed(1)
    spread = torch.linspace(0, 4, 6, dtype=torch.float64)[:, None]
    x = (spread + torch.rand(6, d, dtype=torch.float64, generator=generator)).requires_grad_()
    e = (torch.rand(6, d, dtype=torch.float64, generator=generator) * 3).requires_grad_()
    z = (x * e.flip(0)).detach().requires_grad_()
    kernel = Gaussian(0.6 * d**0.5)
    check = torch.autograd.gradcheck
    assert check(DependenceLoss(alpha=alpha, form="raw", kernel=kernel), (x, e), atol=1e-6)
    assert check(ErrorEntropyLoss(alpha=alpha, kernel=kernel), (e,), atol=1e-6)
    assert check(TotalCorrelationLoss(alpha=alpha, kernel=kernel), (x, e, z), atol=1e-6)
    assert check(HSICLoss(kernel=kernel), (x, e), atol=1e-6)
    assert check(HSICLoss(unbiased=True, kernel=kernel), (x, e), atol=1e-6)
    assert check(DependenceLoss(kernel=kernel), (x, e), atol=1e-6)


@pytest.mark.parametrize("alpha", [0.75, 1, 1.01, 2])
@pytest.mark.parametrize("d", [1, 12])
def test_gradients_at_the_median_width(alpha, d):
    """The width is a constant: the gradient is the core's."""
    x, e = batch(d=d)
    e = (e + x).requires_grad_()
    ours = torch.autograd.grad(DependenceLoss(alpha=alpha, form="raw")(x, e), e)[0]
    reference = torch.autograd.grad(sh.mutual_information(x, e, alpha=alpha, normalize=False), e)[0]
    assert torch.allclose(ours, reference, rtol=1e-8, atol=1e-12)


def test_one_tensor_of_columns():
    x, _ = batch(d=4)
    x.requires_grad_()
    loss = TotalCorrelationLoss()
    assert loss(x).item() == pytest.approx(sh.total_correlation(*x.T, alpha=2, normalize=False).item(), abs=1e-12)
    assert torch.autograd.gradcheck(TotalCorrelationLoss(kernel=Gaussian(1.0)), (x,))


@pytest.mark.parametrize(("n", "d"), [(5, 7), (130, 800), (1001, 10), (257, 300)])
def test_products_by_strips(n, d):
    points = torch.randn(n, d, dtype=torch.float64, generator=torch.Generator().manual_seed(n))
    found = own_products(points)
    assert torch.allclose(found, points @ points.T, rtol=1e-12, atol=1e-10)
    assert torch.allclose(found, found.T, rtol=1e-12, atol=1e-10)


def test_close_rows_are_told_apart_by_differences():
    """Equal and nearly equal rows of many coordinates, far from the origin: the width and the value of the core."""
    generator = torch.Generator().manual_seed(2)
    x = 1e3 + torch.randn(12, 20, dtype=torch.float64, generator=generator)
    x[6:] = x[:6] + 1e-7 * torch.randn(6, 20, dtype=torch.float64, generator=generator)
    x[1] = x[0]
    e = x[:, :1] ** 2
    for alpha in (1, 2):
        expected = sh.mutual_information(x, e, alpha=alpha, normalize=False).item()
        assert DependenceLoss(alpha=alpha, form="raw")(x, e).item() == pytest.approx(expected, abs=1e-10)
    # in single precision, where the product form would take equal rows for different ones
    single = torch.randn(64, 100, generator=generator).repeat(2, 1)
    loss = ErrorEntropyLoss()
    assert loss(single).item() == pytest.approx(sh.entropy(single.numpy(), alpha=2), abs=1e-5)
    assert loss(torch.ones(9, 30)).item() == 0.0


@pytest.mark.parametrize("alpha", ALPHAS)
def test_slopes_of_the_entropy(alpha):
    """The derivative written out, against that of the core's entropy step by step."""
    generator = torch.Generator().manual_seed(3)
    values = torch.rand(9, dtype=torch.float64, generator=generator) ** 6
    values[0] = 1e-20
    values /= values.sum()
    values.requires_grad_()
    bits = renyi.entropy(values, float(alpha))
    expected = torch.autograd.grad(bits, values)[0].numpy()
    floor = len(values) * np.finfo(np.float64).eps
    flat = np.full(9, 1 / 9)
    value, slopes = entropies_with_slopes(np.stack([flat, values.detach().numpy()]), float(alpha), floor)
    assert value == pytest.approx([math.log2(9), bits.item()], abs=1e-12)
    assert slopes[1] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_products_of_others():
    factors = [torch.tensor(float(number)) for number in (2, 3, 5, 7)]
    assert [float(rest) for rest in products_of_others(factors)] == [105, 70, 42, 30]
    assert products_of_others(factors[:1]) == [1.0]


PATTERNS = ["ordinary", "identical", "half equal", "two values", "far apart", "one outlier", "tiny", "large"]
PATTERNS += ["nearly equal"]


def pattern(name, n, d, dtype, seed):
    """What a batch can hold."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, d, dtype=dtype, generator=generator)
    if name == "identical":
        return x[:1].repeat(n, 1)
    if name == "half equal":
        x[: n // 2] = x[0].clone()
    elif name == "two values":
        x = x[:2][torch.arange(n) % 2]
    elif name == "far apart":
        x = 1e6 * torch.arange(n, dtype=dtype)[:, None] + x
    elif name == "one outlier":
        x[-1] = 1e8
    elif name == "tiny":
        x = 1e-25 * x
    elif name == "large":
        x = 1e15 * x
    elif name == "nearly equal":
        x = 1.0 + 1e-7 * x
    return x


@given(
    left=st.sampled_from(PATTERNS),
    right=st.sampled_from(PATTERNS),
    n=st.integers(4, 40),
    d=st.sampled_from([1, 2, 9, 30]),
    dtype=st.sampled_from([torch.float32, torch.float64, torch.bfloat16, torch.float16]),
    alpha=st.sampled_from([0.4, 0.9, 1, 1.01, 2, 3, math.inf]),
    width=st.sampled_from(["median", "silverman", "authors-dib", 1.0, 1e-12, 1e-300, 1e12]),
    normalize=st.sampled_from([True, False]),
    seed=st.integers(0, 999),
)
@example("large", "ordinary", 4, 9, torch.float32, 0.4, 1e-12, True, 0)
def test_always_finite(left, right, n, d, dtype, alpha, width, normalize, seed):
    """Value and gradient, for every loss, pattern, width and order."""
    single = torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype
    small = dtype == torch.float16 and {left, right} & {"large", "one outlier", "far apart"}
    if small:  # beyond the range of half precision
        left = right = "ordinary"
    x = pattern(left, n, d, single, seed).to(dtype).requires_grad_()
    e = pattern(right, n, 1, single, seed + 1).to(dtype).requires_grad_()
    kernel = Gaussian(width)
    for loss in (
        DependenceLoss(alpha=alpha, form="raw", kernel=kernel, normalize=normalize),
        DependenceLoss(kernel=kernel),
        DependenceLoss(kernel=kernel, width_gradient=True),
        HSICLoss(kernel=kernel, unbiased=True),
        ErrorEntropyLoss(alpha=alpha, kernel=kernel),
        HSICLoss(kernel=kernel),
        TotalCorrelationLoss(alpha=alpha, kernel=kernel, normalize=normalize),
    ):
        value = call(loss, x, e)
        assert value.dtype == single
        assert torch.isfinite(value)
        gradients = torch.autograd.grad(value, (x, e), allow_unused=isinstance(loss, ErrorEntropyLoss))
        assert all(gradient is None or torch.isfinite(gradient).all() for gradient in gradients)


@pytest.mark.parametrize("alpha", [1.01, 2])
def test_a_large_batch_in_single_precision(alpha):
    generator = torch.Generator().manual_seed(4)
    n = 2048 if alpha == 2 else 600
    x = torch.randn(n, 10, generator=generator)
    x[n // 2 :] = x[: n // 2]
    e = (x[:, :1] ** 2).requires_grad_()
    value = DependenceLoss(alpha=alpha, form="raw")(x, e)
    value.backward()
    assert torch.isfinite(e.grad).all()
    exact = sh.mutual_information(x.double(), e.detach().double(), alpha=alpha, normalize=False)
    assert value.item() == pytest.approx(exact.item(), abs=1e-4)


@pytest.mark.parametrize("loss", [DependenceLoss(), ErrorEntropyLoss(), HSICLoss(), DependenceLoss(alpha=1.01)])
def test_autocast(loss, monkeypatch):
    """Under bfloat16 autocast the matrices are formed in single precision."""
    # oneDNN takes matrix instructions (AMX) wherever a processor names them; some virtual machines do not let them run.
    monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)
    torch.manual_seed(0)
    layer = torch.nn.Linear(40, 12)
    x = torch.randn(64, 40)
    y = torch.randn(64, 12)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = layer(x)
        assert out.dtype == torch.bfloat16
        value = call(loss, x, y - out)
    value.backward()
    assert value.dtype == torch.float32
    assert torch.isfinite(layer.weight.grad).all()
    assert layer.weight.grad.abs().sum() > 0
    exact = call(loss, x.double(), y.double() - out.detach().double())
    assert value.item() == pytest.approx(exact.item(), rel=1e-4)


def test_constant_error_and_nothing_to_share():
    x, _ = batch()
    flat = torch.zeros(20, 1, dtype=torch.float64, requires_grad=True)
    for alpha in (1.01, 2):
        loss = DependenceLoss(alpha=alpha)
        assert loss(x, flat).item() == pytest.approx(0.0, abs=1e-12)
        nothing = DependenceLoss(alpha=alpha, normalize=True)(torch.ones(20, 2), flat)
        assert nothing.item() == 0.0
        assert not torch.autograd.grad(nothing, flat)[0].any()


def test_running_widths():
    x, e = batch()
    loss = DependenceLoss(form="raw", momentum=0.25)
    first = [Gaussian().width(v) for v in (x, e)]
    second = [Gaussian().width(3 * v) for v in (x, e)]
    loss(x, e)
    assert loss.running_widths.tolist() == pytest.approx(first, rel=1e-6)
    value = loss(3 * x, 3 * e)
    mean = [0.75 * a + 0.25 * b for a, b in zip(first, second, strict=True)]
    assert loss.running_widths.tolist() == pytest.approx(mean, rel=1e-6)
    kernel = {"x1": Gaussian(mean[0]), "x2": Gaussian(mean[1])}
    expected = sh.mutual_information(3 * x, 3 * e, alpha=2, kernel=kernel, normalize=False)
    assert value.item() == pytest.approx(expected.item(), abs=1e-6)
    loss.eval()
    loss(100 * x, 100 * e)
    assert loss.running_widths.tolist() == pytest.approx(mean, rel=1e-6)


def test_running_widths_are_saved(tmp_path):
    x, e = batch()
    for make in (lambda: DependenceLoss(momentum=0.1), lambda: TotalCorrelationLoss(momentum=0.1)):
        loss = make()
        loss(x, e)
        torch.save(loss.state_dict(), tmp_path / "loss.pt")
        other = make()
        other.load_state_dict(torch.load(tmp_path / "loss.pt", weights_only=True))
        other.eval(), loss.eval()
        assert other(2 * x, 2 * e).item() == loss(2 * x, 2 * e).item()
        assert make().eval()(x, e).item() == make()(x, e).item()  # nothing averaged yet: the batch's own width


def test_fixed_widths_are_not_averaged():
    x, e = batch()
    loss = DependenceLoss(momentum=0.5, kernel={"x": Gaussian(0.1), "e": Laplacian(0.1)})
    assert loss(x, e).item() == DependenceLoss(kernel=loss.kernel)(x, e).item()
    assert not loss.running_widths.any()


@pytest.mark.parametrize("make", LOSSES)
def test_bad_batches(make):
    x, e = batch()
    name = "e" if make is ErrorEntropyLoss else "x1" if make is TotalCorrelationLoss else "x"
    with pytest.raises(ValueError, match=f"{name}: expected at least 2 rows, got 1. The last batch"):
        call(make(), x[:1], e[:1])
    with pytest.raises(TypeError, match="expected a tensor of numbers of shape"):
        call(make(), x.numpy(), e.numpy())
    with pytest.raises(TypeError, match="complex"):
        call(make(), x, e.to(torch.complex64))
    with pytest.raises(ValueError, match="shape"):
        call(make(), torch.tensor(1.0), torch.tensor(1.0))
    with pytest.raises(ValueError, match="shape"):
        call(make(), x[:, :0], e[:, :0])
    for bad in (math.nan, math.inf):
        broken = e.clone()
        broken[3] = bad
        with pytest.raises(ValueError, match="expected finite numbers, got 1 that are not"):
            call(make(), x, broken)
    with pytest.raises(ValueError, match=r"squares are within the range of torch.float32"):
        call(make(), 1e30 * x.float(), 1e30 * e.float())


def test_rows_must_match():
    x, e = batch()
    with pytest.raises(ValueError, match="e: expected as many rows in every tensor, got 19 against 20 of x"):
        DependenceLoss()(x, e[1:])
    with pytest.raises(ValueError, match="one device"):
        DependenceLoss()(x, e.to("meta"))


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"alpha": -1}, ValueError, "alpha: expected"),
        ({"alpha": 0}, ValueError, "alpha: expected a number above 0, got 0. A rank"),
        ({"alpha": "two"}, TypeError, "alpha: expected"),
        ({"normalize": "maximum"}, ValueError, "normalize: expected"),
        ({"normalize": 1}, ValueError, "normalize: expected"),
        ({"kernel": "gaussian"}, TypeError, "kernel: expected a kernel"),
        ({"kernel": {"y": Gaussian()}}, ValueError, "kernel: expected names among 'x', 'e'"),
        ({"momentum": 0}, ValueError, "momentum: expected"),
        ({"momentum": 1.5}, ValueError, "momentum: expected a number above 0, at most 1"),
        ({"momentum": True}, TypeError, "momentum: expected"),
    ],
)
def test_bad_options(options, error, text):
    with pytest.raises(error, match=text):
        DependenceLoss(**options)


def test_bad_numbers_of_tensors():
    x, e = batch()
    with pytest.raises(ValueError, match="tensors: expected at least 2"):
        TotalCorrelationLoss()()
    with pytest.raises(ValueError, match="tensors: expected at least 2"):
        TotalCorrelationLoss()(x[:, 0])
    with pytest.raises(ValueError, match="kernel: expected names among 'x1', 'x2'"):
        TotalCorrelationLoss(kernel={"x3": Gaussian()})(x, e)
    loss = TotalCorrelationLoss(momentum=0.1)
    loss(x, e)
    with pytest.raises(ValueError, match="tensors: expected 2 of them, as before, got 3"):
        loss(x, e, e)


def test_second_derivatives_are_refused():
    x, e = batch()
    e.requires_grad_()
    for loss in (DependenceLoss(), DependenceLoss(form="raw"), DependenceLoss(alpha=1)):
        with pytest.raises(ValueError, match="create_graph: expected False: losses have first derivatives"):
            torch.autograd.grad(loss(x, e), e, create_graph=True)
    assert torch.autograd.gradgradcheck(HSICLoss(kernel=Gaussian(1.0)), (x[:6], e[:6]))


def test_repr():
    assert repr(DependenceLoss(kernel=Gaussian(1.0))) == (
        "DependenceLoss(alpha=2.0, form='centered', normalize=False, kernel=Gaussian(bandwidth=1.0), "
        "width_gradient=False, momentum=None, gather=False)"
    )


def test_normalised_dependence_can_reward_larger_errors():
    """Why bits are the default: with a width of its own scale, I* pulls away from the true slope where I does not."""
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(200, 1, generator=generator)
    y = 1.5 * x + 0.5 * torch.rand(200, 1, generator=generator)
    signs = {}
    for normalize in (False, True):
        slope = torch.tensor(0.5, requires_grad=True)
        DependenceLoss(normalize=normalize)(x, y - slope * x).backward()
        signs[normalize] = slope.grad.item() < 0
    assert signs == {False: True, True: False}


def test_a_way_below_chance_is_reported_once():
    """Errors that vary where inputs are close and not where they are far: raw I_2 is negative, the others are not."""
    apart = 9.0 * torch.arange(30, dtype=torch.float64)[:, None]
    x, e = torch.cat([0 * apart, apart]), torch.cat([apart, 0 * apart])
    loss = DependenceLoss(form="raw", kernel=Gaussian(1.0))
    with pytest.warns(UserWarning, match="bits below its chance level") as warned:
        assert loss(x, e) < -1
    assert warned[0].filename == __file__  # the caller's own line, not one of torch
    loss(x, e)
    assert DependenceLoss(alpha=1.01, kernel=Gaussian(1.0))(x, e) > 0
    assert DependenceLoss(kernel=Gaussian(1.0))(x, e) > 0
    with pytest.warns(UserWarning, match="bits below its chance level") as warned:
        TotalCorrelationLoss(kernel=Gaussian(1.0))(x, e)
    assert warned[0].filename == __file__


def test_descent_finds_the_slope():
    """A line through noise that has nothing to do with x: the dependence of the error is least near the true slope."""
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(100, 1, generator=generator)
    y = 1.5 * x + 0.5 * torch.rand(100, 1, generator=generator)
    for loss in (DependenceLoss(), HSICLoss(), ErrorEntropyLoss(kernel=Gaussian(0.5))):
        slope = torch.zeros((), requires_grad=True)
        optimizer = torch.optim.Adam([slope], lr=0.1)
        for _ in range(70):
            optimizer.zero_grad()
            call(loss, x, y - slope * x).backward()
            optimizer.step()
        assert slope.item() == pytest.approx(1.5, abs=0.05)
