"""The centered form, the chance level, widths in gradients, shapes."""

import copy
import math
import pickle

import numpy as np
import pytest
import torch

import shearer as sh
from shearer.kernels import Delta, Gaussian, Laplacian
from shearer.neural import DependenceLoss, ErrorEntropyLoss, HSICLoss, TotalCorrelationLoss

WIDE = torch.float64


def batch(n=20, d=3, seed=0, dtype=WIDE):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, d, dtype=dtype, generator=generator)
    return x, x[:, :1] ** 2 + 0.3 * torch.randn(n, 1, dtype=dtype, generator=generator)


def squared_kernel(values, width):
    return np.exp(-((values[:, None, :] - values[None, :, :]) ** 2).sum(axis=2) / width**2)


def unbiased_hsic(a, b):
    """By the sums of Song et al. (2012), written out."""
    n = len(a)
    a, b = a - np.diag(np.diag(a)), b - np.diag(np.diag(b))
    one = np.ones(n)
    total = np.sum(a * b) + one @ a @ one * (one @ b @ one) / ((n - 1) * (n - 2)) - 2 / (n - 2) * (one @ a @ b @ one)
    return total / (n * (n - 3))


def test_centered_information_by_its_definition():
    x, e = batch()
    widths = {"x": 1.3, "e": 0.6}
    a, b = (squared_kernel(v.numpy(), widths[k]) for k, v in (("x", x), ("e", e)))
    means = [(m.sum() - 20) / 380 for m in (a, b)]
    loss = DependenceLoss(kernel={name: Gaussian(width) for name, width in widths.items()})
    assert loss(x, e).item() == pytest.approx(math.log2(1 + unbiased_hsic(a, b) / math.prod(means)), abs=1e-12)
    assert loss.excess == pytest.approx(loss(x, e).item(), abs=1e-12)
    assert HSICLoss(unbiased=True, kernel=Gaussian(math.sqrt(2.0)))(x, e).item() == pytest.approx(
        unbiased_hsic(*(squared_kernel(v.numpy(), 2.0) for v in (x, e))), abs=1e-14
    )


def test_centered_information_is_linear_below_chance():
    generator = torch.Generator().manual_seed(3)
    found = [DependenceLoss()(*torch.randn(2, 8, 1, dtype=WIDE, generator=generator)).item() for _ in range(300)]
    assert min(found) < 0
    assert np.mean(found) == pytest.approx(0.0, abs=4 * np.std(found) / math.sqrt(300))
    constant = torch.zeros(8, 1, dtype=WIDE, requires_grad=True)
    value = DependenceLoss()(torch.randn(8, 1, dtype=WIDE, generator=generator), constant)
    value.backward()
    assert value.item() == pytest.approx(0, abs=1e-14)
    assert not constant.grad.any()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"form": "centred"}, "form: expected one of 'centered', 'raw'"),
        ({"form": "centered", "alpha": 1.01}, 'form: expected "raw", unless alpha=2 and normalize=False'),
        ({"form": "centered", "normalize": True}, 'form: expected "raw"'),
        ({"width_gradient": True, "momentum": 0.1}, "width_gradient: expected False where widths are averaged"),
    ],
)
def test_combinations_that_do_not_exist(options, text):
    with pytest.raises(ValueError, match=text):
        DependenceLoss(**options)


def test_the_form_that_there_is():
    assert DependenceLoss().form == "centered"
    assert DependenceLoss(alpha=1.01).form == DependenceLoss(normalize=True).form == "raw"
    with pytest.raises(ValueError, match="at least 4 rows for an unbiased estimate, got 3"):
        DependenceLoss()(torch.randn(3, 1), torch.randn(3, 1))


RULES = ["median", "authors-dib", "silverman", "scott"]


@pytest.mark.parametrize("d", [2, 10])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "make",
    [
        lambda kernel, held: DependenceLoss(kernel=kernel, width_gradient=not held),
        lambda kernel, held: DependenceLoss(form="raw", kernel=kernel, width_gradient=not held),
        lambda kernel, held: DependenceLoss(alpha=1.01, kernel=kernel, width_gradient=not held),
        lambda kernel, held: HSICLoss(kernel=kernel, width_gradient=not held),
        lambda kernel, held: HSICLoss(unbiased=True, kernel=kernel, width_gradient=not held),
        lambda kernel, held: TotalCorrelationLoss(kernel=kernel, width_gradient=not held),
        lambda kernel, held: TotalCorrelationLoss(alpha=1.01, kernel=kernel, width_gradient=not held),
        *(
            lambda kernel, held, a=alpha: DependenceLoss(
                alpha=a, normalize="joint", kernel=kernel, width_gradient=not held
            )
            for alpha in (1.01, 2)
        ),
    ],
)
def test_gradcheck_with_the_width_in_the_gradient(make, rule, d):
    generator = torch.Generator().manual_seed(1)
    x, e = ((torch.randn(6, d, dtype=WIDE, generator=generator)).requires_grad_() for _ in range(2))
    kernel = Gaussian(rule, scale=0.8 if d == 2 else 2.0)
    assert torch.autograd.gradcheck(make(kernel, False), (x, e), atol=1e-6, fast_mode=True)
    # held, the width is the number that the rule gave
    fixed = {name: Gaussian(kernel.width(v.detach())) for name, v in (("x", x), ("e", e))}
    if isinstance(make(kernel, True), TotalCorrelationLoss):
        fixed = {"x1": fixed["x"], "x2": fixed["e"]}
    slopes = [torch.autograd.grad(make(k, True)(x, e), (x, e)) for k in (kernel, fixed)]
    assert all(torch.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in zip(*slopes, strict=True))
    assert torch.autograd.gradcheck(make(fixed, True), (x, e), atol=1e-6, fast_mode=True)


@pytest.mark.parametrize("alpha", [1.01, 2])
@pytest.mark.parametrize("rule", RULES)
def test_gradcheck_of_the_entropy_with_the_width_in_the_gradient(rule, alpha):
    e = torch.randn(6, 2, dtype=WIDE, generator=torch.Generator().manual_seed(1)).requires_grad_()
    known = ErrorEntropyLoss(alpha=alpha, kernel=Gaussian(rule), width_gradient=True)
    assert torch.autograd.gradcheck(known, (e,), atol=1e-6)
    fixed = ErrorEntropyLoss(alpha=alpha, kernel=Gaussian(Gaussian(rule).width(e.detach())))
    held = ErrorEntropyLoss(alpha=alpha, kernel=Gaussian(rule), width_gradient=False)
    slopes = [torch.autograd.grad(loss(e), e)[0] for loss in (held, fixed)]
    assert torch.allclose(*slopes, rtol=1e-9, atol=1e-12)


def test_with_the_width_in_the_gradient_the_size_of_errors_earns_nothing():
    x, e = batch(40)
    for rule in RULES:
        slopes = {}
        for known in (True, False):
            size = torch.tensor(1.0, dtype=WIDE, requires_grad=True)
            loss = DependenceLoss(alpha=1.01, kernel=Gaussian(rule), width_gradient=known)
            loss(x, e * size).backward()
            slopes[known] = size.grad.item()
        assert abs(slopes[True]) < 1e-9
        assert abs(slopes[False]) > 0.1
    value = HSICLoss(width_gradient=True)(x, e.requires_grad_())
    with pytest.raises(ValueError, match="create_graph"):
        torch.autograd.grad(value, e, create_graph=True)
    with pytest.raises(ValueError, match='bandwidth: expected one of "median", "authors-dib"'):
        HSICLoss(kernel=Gaussian("knn"), width_gradient=True)(x, e)
    with pytest.raises(ValueError, match="kernel: expected a Gaussian where the gradient knows"):
        HSICLoss(kernel=Laplacian(), width_gradient=True)(x, e)


def test_a_part_of_a_rule():
    x, e = batch()
    width = Gaussian("median").width(e)
    ours = ErrorEntropyLoss(kernel=Gaussian("median", scale=0.25))(e)
    assert ours.item() == pytest.approx(ErrorEntropyLoss(kernel=Gaussian(width / 4))(e).item(), abs=1e-12)
    assert ours.item() == pytest.approx(sh.entropy(e, alpha=2, kernel=Gaussian("median", scale=0.25)).item(), abs=1e-12)
    assert Gaussian(2.0, scale=0.5) == Gaussian(1.0)
    assert Gaussian("median", scale=0.25).width(x) == pytest.approx(Gaussian().width(x) / 4)
    assert Laplacian(Gaussian("median", scale=2).bandwidth, scale=3).width(x) == pytest.approx(6 * Gaussian().width(x))
    with pytest.raises(ValueError, match="scale: expected a positive finite number"):
        Gaussian("median", scale=0)


def samples(rows, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 2, dtype=WIDE, generator=generator)
    return x, x[:, :1] ** 2 + torch.randn(rows, 1, dtype=WIDE, generator=generator)


def independent(rows, seed):
    x, _ = samples(rows, seed)
    return x, samples(rows, seed + 500_000)[1]


def strong(rows, seed):
    x, e = samples(rows, seed)
    return x, x[:, :1] + 0.1 * (e - x[:, :1] ** 2)


SIZES = {64: 64, 256: 20, 1024: 6}
NARROW = Gaussian(0.4)
LOSSES = [
    DependenceLoss(),
    DependenceLoss(form="raw"),
    DependenceLoss(form="raw", kernel=NARROW),
    DependenceLoss(form="raw", normalize=True),
    TotalCorrelationLoss(),
    TotalCorrelationLoss(normalize=True, kernel=NARROW),
    HSICLoss(),
    HSICLoss(unbiased=True),
]


def means_over_batches(number, law, sizes):
    """Mean over batches of one size, of some number of a batch, with its standard error."""
    found = {}
    for rows, count in sizes.items():
        values = [number(*law(rows, 1000 * rows + seed)) for seed in range(count)]
        found[rows] = np.mean(values), np.std(values, ddof=1) / math.sqrt(count)
    return found


@pytest.mark.filterwarnings("ignore:the loss is")
@pytest.mark.parametrize("law", [independent, samples, strong], ids=lambda law: law.__name__)
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_excess_does_not_depend_on_the_batch_size(loss, law):
    """Of batches of 64, 256 and 1024 rows of one law, within four standard errors; 0 without dependence."""

    def excess(x, e):
        # of T, both columns of x and the error: three variables
        loss(*((*x.unbind(dim=1), e) if isinstance(loss, TotalCorrelationLoss) else (x, e)))
        return loss.excess

    found = means_over_batches(excess, law, SIZES)
    largest, error = found[1024]
    for mean, own in found.values():
        assert mean == pytest.approx(largest, abs=4 * math.hypot(own, error))
        assert law is not independent or abs(mean) < 4 * own
    assert law is independent or largest > 8 * error


def test_without_the_similarities_of_rows_with_themselves():
    """The excess by hand, and what is alike in no two rows."""
    x, e = strong(20, 3)
    loss = DependenceLoss(form="raw", kernel=NARROW, normalize="joint")
    loss(x, e)
    first, second = (np.exp(-(torch.cdist(part, part).numpy() ** 2) / (2 * 0.4**2)) ** 2 for part in (x, e))
    others = ~np.eye(20, dtype=bool)
    mean, own, joint = first[others].mean(), second[others].mean(), (first * second)[others].mean()
    assert joint > mean * own
    assert loss.excess == pytest.approx(math.log2(joint / mean / own) / -math.log2(joint), abs=1e-10)
    far = torch.arange(20, dtype=WIDE)[:, None] * 1e3
    loss(far, e)
    assert loss.excess == 0.0
    # never alike in both: below chance, and finite
    turned = torch.tensor([0.0, 0.0, 9.0, 9.0], dtype=WIDE), torch.tensor([0.0, 9.0, 0.0, 9.0], dtype=WIDE)
    plain = DependenceLoss(form="raw", kernel=NARROW)
    with pytest.warns(UserWarning, match="bits below its chance level"):
        plain(*turned)
    assert plain.excess == pytest.approx(-1 / math.log(2))


@pytest.mark.parametrize("loss", [DependenceLoss(alpha=1.01), TotalCorrelationLoss(alpha=1.5)], ids=str)
def test_orders_without_an_excess_say_so(loss):
    """Less of the same dependence shows in small batches, whatever chance is."""

    def number(x, e):
        loss(x, e)
        return loss.above_chance

    found = means_over_batches(number, strong, {32: 40, 128: 10})
    assert 0 < found[32][0] < 0.95 * found[128][0]
    with pytest.raises(
        ValueError, match=r"excess: expected alpha=2, where it is the same .*, got alpha=1\.\d+\. above"
    ):
        loss.excess  # noqa: B018


@pytest.mark.parametrize("alpha", [1.01, 2])
@pytest.mark.parametrize("normalize", [False, True])
def test_above_chance_is_the_value_less_that_of_permuted_rows(alpha, normalize):
    x, e = batch(30)
    for loss in (
        DependenceLoss(alpha=alpha, form="raw", normalize=normalize),
        TotalCorrelationLoss(alpha=alpha, normalize=normalize),
    ):
        value = loss(x, e).item()
        excess = loss.above_chance
        generator = torch.Generator().manual_seed(1)
        by_chance = [loss(x, e[torch.randperm(30, generator=generator)]).item() for _ in range(60)]
        assert value - excess == pytest.approx(np.mean(by_chance), abs=4 * np.std(by_chance) / math.sqrt(8))
    hsic = HSICLoss()
    value = hsic(x, e).item()
    chance = value - hsic.above_chance
    by_chance = [hsic(x, e[torch.randperm(30, generator=generator)]).item() for _ in range(200)]
    assert chance == pytest.approx(np.mean(by_chance), abs=4 * np.std(by_chance) / math.sqrt(200))


def test_the_excess_needs_a_batch_and_leaves_no_weight():
    loss = DependenceLoss()
    with pytest.raises(ValueError, match="excess: expected a batch before, got none"):
        loss.excess  # noqa: B018
    with pytest.raises(ValueError, match="above_chance: expected a batch before, got none"):
        loss.above_chance  # noqa: B018
    loss(*batch())
    assert {*loss.state_dict()} == {"running_widths"}
    for other in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss))):
        with pytest.raises(ValueError, match="excess"):
            other.excess  # noqa: B018
        other(*batch())


@pytest.mark.parametrize("loss", [DependenceLoss(), HSICLoss()])
def test_outputs_and_targets(loss):
    x, y = batch(16)
    output = 0.5 * x[:, :1]
    expected = loss(x, y - output).item()
    assert loss(x, output, y).item() == loss(x, output[:, 0], y).item() == loss(x, output, y[:, 0]).item() == expected
    scores, classes = x @ torch.ones(3, 4, dtype=WIDE), torch.arange(16) % 4
    errors = torch.nn.functional.one_hot(classes, 4).to(WIDE) - torch.softmax(scores, dim=1)
    assert loss(x, scores, classes).item() == loss(x, errors).item()
    with pytest.raises(ValueError, match=r"target: expected the shape of the output.*got \(15,\) against \(16, 1\)"):
        loss(x, output, y[1:, 0])
    with pytest.raises(TypeError, match="target: expected a tensor"):
        loss(x, output, y.numpy())
    for outside in (classes + 1, classes - 1):
        with pytest.raises(ValueError, match=r"target: expected positions of classes, 0 to 3, got (1 to 4|-1 to 2)"):
            loss(x, scores, outside)


def test_a_silent_broadcast_is_refused():
    x, y = batch(16)
    model = torch.nn.Linear(3, 1, dtype=WIDE)
    for loss in (DependenceLoss(), HSICLoss()):
        with pytest.raises(ValueError, match=r"e: expected errors \(n,\) or \(n, q\), got \(16, 16\), differences"):
            loss(x, y[:, 0] - model(x))
    with pytest.raises(ValueError, match="pass loss"):
        ErrorEntropyLoss()(y[:, 0] - model(x))
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        with pytest.raises(ValueError, match="differences of all with all"):
            DependenceLoss()(x, y[:, 0].to(dtype) - model(x).to(dtype))
        own = torch.randn(16, 16, generator=torch.Generator().manual_seed(0)).to(dtype)
        assert math.isfinite(DependenceLoss()(x, own).item())
    # as many classes as rows are none
    scores = torch.randn(16, 16, dtype=WIDE, generator=torch.Generator().manual_seed(0))
    assert math.isfinite(DependenceLoss()(x, scores, torch.arange(16)).item())
    assert ErrorEntropyLoss()(model(x), y[:, 0]).item() == ErrorEntropyLoss()(y - model(x)).item()


def test_ids_are_no_numbers():
    ids, e = torch.randint(0, 900, (16, 7), generator=torch.Generator().manual_seed(0)), torch.randn(16, 1)
    with pytest.raises(ValueError, match=r"x: expected numbers, as floats, got integers \(torch.int64\), as ids have"):
        DependenceLoss()(ids, e)
    embedded = torch.nn.Embedding(900, 4)(ids)  # (n, tokens, features): a row is a sequence
    assert math.isfinite(DependenceLoss()(embedded, e).item())
    assert math.isfinite(DependenceLoss(kernel={"x": Delta()})(ids[:, 0] % 3, e).item())
    assert math.isfinite(DependenceLoss()((ids % 255).to(torch.uint8), e).item())


def test_ids_of_many_digits_are_told_apart():
    """Single precision has 24 binary digits."""
    e, sites = torch.randn(16, 1), torch.arange(16) % 2
    loss = DependenceLoss(kernel={"x": Delta()})
    for known in (sites, torch.stack([sites, sites], dim=1)):
        assert loss(known + 40_000_000, e).item() == loss(known, e).item() != 0
