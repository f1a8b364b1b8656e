"""Losses compiled by torch, transformed by torch.func, and gathered from the processes of a distributed training."""

import multiprocessing
import socket
import warnings

import pytest
import torch
from torch import distributed

from shearer.kernels import Delta, Gaussian, Laplacian
from shearer.neural import DependenceLoss, ErrorEntropyLoss, HSICLoss, TotalCorrelationLoss

WIDE = torch.float64


@pytest.fixture(autouse=True)
def compiled_anew():
    """Torch gives up on a function that it compiled for too many losses."""
    torch.compiler.reset()


def batch(n=20, d=3, seed=0, dtype=WIDE):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, d, dtype=dtype, generator=generator)
    return x, x[:, :1] ** 2 + 0.3 * torch.randn(n, 1, dtype=dtype, generator=generator)


LOSSES = {
    "centered": DependenceLoss(),
    "centered, width known": DependenceLoss(width_gradient=True),
    "raw": DependenceLoss(form="raw"),
    "HSIC": HSICLoss(),
    "HSIC, unbiased": HSICLoss(unbiased=True, kernel=Gaussian("authors-dib")),
    "total correlation": TotalCorrelationLoss(),
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("d", [2, 10])
def test_transformed_functions(name, d):
    """func.grad and vmap give what autograd gives, one batch after the other."""
    loss = LOSSES[name]
    generator = torch.Generator().manual_seed(2)
    x, e = torch.randn(2, 4, 12, d, dtype=WIDE, generator=generator)
    values = torch.stack([loss(a, b) for a, b in zip(x, e, strict=True)])
    slopes = []
    for a, b in zip(x, e, strict=True):
        leaf = b.clone().requires_grad_()
        slopes.append(torch.autograd.grad(loss(a, leaf), leaf)[0])
    assert torch.allclose(torch.vmap(loss)(x, e), values, atol=1e-10)
    assert torch.allclose(torch.func.grad(loss, argnums=1)(x[0], e[0]), slopes[0], atol=1e-9)
    both = torch.vmap(torch.func.grad(loss, argnums=1))(x, e)
    assert torch.allclose(both, torch.stack(slopes), atol=1e-9)


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_of_weights(name):
    """func.grad of a network's weights: inputs and targets are known to the function, not passed to it."""
    loss = LOSSES[name]
    x, y = batch(12)
    network = torch.nn.Linear(3, 1, dtype=WIDE)

    def of(weights):
        output = torch.func.functional_call(network, weights, (x,))
        return loss(x, y - output) if name == "total correlation" else loss(x, output, y)

    found = torch.func.grad(of)(dict(network.named_parameters()))
    of(dict(network.named_parameters())).backward()
    for parameter, slope in zip(network.parameters(), found.values(), strict=True):
        assert torch.allclose(slope, parameter.grad, atol=1e-9)


def test_what_cannot_be_transformed_says_so():
    x, e = torch.randn(2, 3, 8, 2, dtype=WIDE)
    with pytest.raises(ValueError, match="alpha: expected 2, in bits, where torch transforms functions"):
        torch.func.grad(lambda factor: DependenceLoss(alpha=1.01)(x[0], e[0] * factor))(torch.ones((), dtype=WIDE))
    with pytest.raises(ValueError, match="alpha: expected 2, in bits, where torch transforms functions"):
        torch.vmap(DependenceLoss(alpha=1.01))(x, e)
    with pytest.raises(ValueError, match=r"kernel: expected a Gaussian, or Delta, where torch .*got Laplacian"):
        torch.vmap(HSICLoss(kernel=Laplacian()))(x, e)
    averaged = HSICLoss(momentum=0.1)
    with pytest.raises(ValueError, match=r"momentum: expected None where torch transforms .*got 0\.1"):
        torch.vmap(averaged)(x, e)
    assert torch.allclose(torch.vmap(averaged.eval())(x, e), torch.vmap(HSICLoss())(x, e))  # nothing averaged yet


def test_running_widths_are_averaged_where_they_cannot_be_looked_at():
    x, e = batch()
    plain, watched = (DependenceLoss(form="raw", momentum=0.25) for _ in range(2))
    compiled = torch.compile(watched, fullgraph=True, backend="aot_eager")
    for size in (1, 3, 5):
        assert compiled(size * x, size * e).item() == pytest.approx(plain(size * x, size * e).item(), abs=1e-6)
        assert watched.running_widths.tolist() == pytest.approx(plain.running_widths.tolist(), rel=1e-6)
    known = plain.running_widths.tolist()
    plain.eval(), watched.eval()
    expected = plain(x, e).item()
    assert compiled(x, e).item() == pytest.approx(expected, abs=1e-6)
    assert watched.running_widths.tolist() == pytest.approx(known, rel=1e-6)
    assert torch.vmap(plain)(x[None], e[None]).item() == pytest.approx(expected, abs=1e-6)
    slope = torch.func.grad(plain, argnums=1)(x, e)
    e.requires_grad_()
    assert torch.allclose(slope, torch.autograd.grad(plain(x, e), e)[0], atol=1e-6)


@pytest.mark.parametrize("make", [DependenceLoss, HSICLoss], ids=lambda make: make.__name__)
def test_labels_where_they_cannot_be_looked_at(make):
    """The price of what a group tells, compiled and transformed."""
    _, e = batch(12)
    group = torch.arange(12) % 3
    loss = make(kernel={"x": Delta()})
    e.requires_grad_()
    expected = loss(group, e)
    slope = torch.autograd.grad(expected, e)[0]
    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")(group, e)
    assert compiled.item() == pytest.approx(expected.item(), abs=1e-10)
    assert torch.allclose(torch.autograd.grad(compiled, e)[0], slope, atol=1e-9)
    assert torch.vmap(loss)(group[None], e.detach()[None]).item() == pytest.approx(expected.item(), abs=1e-10)
    assert torch.allclose(torch.func.grad(loss, argnums=1)(group, e.detach()), slope, atol=1e-9)


OTHER_ORDERS = {
    "1.01": DependenceLoss(alpha=1.01),
    "1.01, width known": DependenceLoss(alpha=1.01, width_gradient=True),
    "2, normalized": DependenceLoss(form="raw", normalize=True),
    "0.7, joint": DependenceLoss(alpha=0.7, normalize="joint"),
    "total correlation, 3": TotalCorrelationLoss(alpha=3, normalize=True),
}


@pytest.mark.parametrize("name", [*LOSSES, *OTHER_ORDERS])
def test_no_graph_breaks(name):
    """Traced as a whole; the traced code gives value and gradient."""
    loss = (LOSSES | OTHER_ORDERS)[name]
    x, e = batch(12)
    e.requires_grad_()
    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    value, expected = compiled(x, e), loss(x, e)
    assert value.item() == pytest.approx(expected.item(), abs=1e-10)
    ours, reference = (torch.autograd.grad(v, e)[0] for v in (value, expected))
    assert torch.allclose(ours, reference, atol=1e-9)


def test_error_entropy_compiles():
    _, e = batch(12)
    for alpha in (1.01, 2):
        loss = ErrorEntropyLoss(alpha=alpha)
        value = torch.compile(loss, fullgraph=True, backend="aot_eager")(e)
        assert value.item() == pytest.approx(loss(e).item(), abs=1e-10)


def gather_in_a_process(rank, port, queue):
    """A half of the rows in each of two processes: value and gradient."""
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    x, e = batch(20)
    own = e[10 * rank : 10 * rank + 10].clone().requires_grad_()
    loss = DependenceLoss(gather=True)
    value = loss(x[10 * rank : 10 * rank + 10], own)
    value.backward()
    try:
        loss(x[: 4 + rank], e[: 4 + rank])
        refused = ""
    except ValueError as error:
        refused = str(error)
    own_sites = torch.arange(10) % 5 + 30_000_000 + rank  # four labels of five are in both
    told = DependenceLoss(kernel={"x": Delta()}, gather=True)(own_sites, own.detach()).item()
    queue.put((rank, value.item(), own.grad.numpy().tolist(), refused, told))
    distributed.destroy_process_group()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes cannot be forked")
def test_rows_of_all_processes():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
        processes = [context.Process(target=gather_in_a_process, args=(rank, port, queue)) for rank in range(2)]
        for process in processes:
            process.start()
    found = sorted(queue.get(timeout=60) for _ in range(2))
    for process in processes:
        process.join(timeout=60)
    x, e = batch(20)
    e.requires_grad_()
    value = DependenceLoss(gather=True)(x, e)  # nothing is distributed here
    value.backward()
    sites = torch.cat([torch.arange(10) % 5, torch.arange(10) % 5 + 1])
    expected = DependenceLoss(kernel={"x": Delta()})(sites, e.detach()).item()
    for rank, own, slope, refused, told in found:
        assert told == pytest.approx(expected, abs=1e-12)
        assert own == pytest.approx(value.item(), abs=1e-12)
        # the mean over processes is taken later
        assert torch.allclose(torch.tensor(slope, dtype=WIDE) / 2, e.grad[10 * rank : 10 * rank + 10], atol=1e-12)
        assert "as many rows in every process, got 4, 5" in refused
