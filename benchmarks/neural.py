"""Losses beside HSIC and beside the bare decompositions; all pairs of feature maps beside loops over pairs.

One thread, processor time. Ratios are medians over interleaved rounds, each round one call of either side, so that a
busy moment falls on both.
"""

import time
from collections.abc import Callable
from statistics import median

import numpy as np
import torch
from torch import Tensor

import shearer as sh
from benchmarks.cases import Case
from shearer.kernels import Gaussian
from shearer.neural import DependenceLoss, HSICLoss
from shearer.neural.batch_kernels import kernel_matrix
from shearer.neural.feature_maps import map_dependence

ROWS, INPUTS, OUTPUTS = 128, 784, 10
ROUNDS = 300
MAPS, IMAGES, SIDE = 512, 100, 4
# Pairs of maps that a loop is timed on.
SAMPLED = 400


def paired(ours: Callable[[], object], reference: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The median time of the reference, and that time times the median ratio of ours to it within a round."""
    ours(), reference()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        ours()
        middle = time.process_time()
        reference()
        times.append((middle - start, time.process_time() - middle))
    typical = median(second for _, second in times)
    return typical * median(first / second for first, second in times), typical


def batch(dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Inputs, and errors that depend on them and on what is learned."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(ROWS, INPUTS, dtype=dtype, generator=generator)
    e = x[:, :OUTPUTS] + torch.randn(ROWS, OUTPUTS, dtype=dtype, generator=generator)
    return x, e.requires_grad_()


def step(loss: torch.nn.Module, x: Tensor, e: Tensor) -> Callable[[], None]:
    def run() -> None:
        e.grad = None
        loss(x, e).backward()

    return run


def check_loss(alpha: float, kernel: dict[str, Gaussian] | None, x: Tensor, e: Tensor, tolerance: float) -> None:
    """Value and gradient against the measure itself."""
    names = None if kernel is None else {"x1": kernel["x"], "x2": kernel["e"]}
    (slope,) = torch.autograd.grad(DependenceLoss(alpha=alpha, form="raw", kernel=kernel)(x, e), e)
    expected = sh.mutual_information(x, e, alpha=alpha, kernel=names, normalize=False)
    (reference,) = torch.autograd.grad(expected, e)
    if float((slope - reference).abs().max()) > tolerance * float(reference.abs().max()):
        raise AssertionError(f"the gradient at alpha={alpha} is not that of the measure")


def losses(dtype: torch.dtype) -> list[Case]:
    x, e = batch(dtype)
    name = str(dtype).removeprefix("torch.")
    fixed = {"x": Gaussian(Gaussian().width(x)), "e": Gaussian(Gaussian().width(e))}
    cases = []
    for widths, kernel in (("fixed widths", fixed), ("median widths", None)):
        check_loss(2.0, kernel, x, e, 1e-9 if dtype == torch.float64 else 1e-3)
        for form in ("centered", "raw"):
            loss = DependenceLoss(form=form, kernel=kernel)
            ours, reference = paired(step(loss, x, e), step(HSICLoss(kernel=kernel), x, e), ROUNDS)
            title = f"I(x;e), alpha 2, {form}, {ROWS} x {INPUTS}, {name}, {widths}"
            note = "forward and backward; reference: HSICLoss with the same kernel matrices"
            cases.append(Case(title, ours, reference, "s", at_most=1.2, note=note))
    first, second = (kernel_matrix(k, v.detach(), fixed[k], float) for k, v in (("x", x), ("e", e)))
    matrices = [first, second, first * second]

    def decompositions() -> None:
        for matrix in matrices:
            torch.linalg.eigh(matrix)

    for widths, kernel in (("fixed widths", fixed), ("median widths", None)):
        check_loss(1.01, kernel, x, e, 1e-9 if dtype == torch.float64 else 1e-3)
        ours, reference = paired(step(DependenceLoss(alpha=1.01, kernel=kernel), x, e), decompositions, ROUNDS // 2)
        title = f"I(x;e), alpha 1.01, {ROWS} x {INPUTS}, {name}, {widths}"
        note = "forward and backward; reference: torch.linalg.eigh of the three matrices, ready made"
        target = {torch.float64: 1.5, torch.float32: 1.7}[dtype] if kernel is not None else None
        cases.append(Case(title, ours, reference, "s", at_most=target, note=note))
    return cases


def rebuilt_matrix(values: Tensor) -> Tensor:
    """A Gaussian kernel matrix of median width, by torch's own functions."""
    distance = torch.cdist(values.flatten(1), values.flatten(1))
    width = distance[distance > 0].median()
    return torch.exp(-(distance**2) / (2 * width**2))


def entropy(matrix: Tensor) -> float:
    return -float(torch.log2((matrix * matrix).sum() / matrix.numel()))


def information(first: Tensor, second: Tensor, single: tuple[float, float]) -> float:
    """I* of two kernel matrices whose entropies are known."""
    return (sum(single) - entropy(first * second)) / max(single)


def feature_maps() -> list[Case]:
    """All pairs of 512 maps at batch 100."""
    torch.manual_seed(0)
    shared = torch.einsum("nkhw,ck->nchw", torch.randn(IMAGES, 8, SIDE, SIDE), torch.randn(MAPS, 8))
    maps = torch.relu(shared + torch.randn(IMAGES, MAPS, SIDE, SIDE))
    pairs = MAPS * (MAPS - 1) // 2
    matrices = [rebuilt_matrix(maps[:, k]) for k in range(MAPS)]
    entropies = [entropy(matrix) for matrix in matrices]

    def ours() -> np.ndarray:
        found = map_dependence(maps, alpha=2.0, kernel=Gaussian(), pairs=True).information
        assert found is not None
        return found

    def keeping() -> list[float]:
        return [information(matrices[k], matrices[k + 1], (entropies[k], entropies[k + 1])) for k in range(SAMPLED)]

    def rebuilding() -> list[float]:
        found = []
        for k in range(SAMPLED // 10):
            both = rebuilt_matrix(maps[:, k]), rebuilt_matrix(maps[:, k + 1])
            found.append(information(*both, (entropy(both[0]), entropy(both[1]))))
        return found

    found = ours()
    worst = max(abs(found[k, k + 1] - value) for k, value in enumerate(keeping()))
    if worst > 1e-3:  # torch's median is the lower of two middle values
        raise AssertionError(f"a pair is off by {worst}")
    cases = []
    for name, other, sampled, target in (("keeps", keeping, SAMPLED, 10), ("rebuilds", rebuilding, SAMPLED // 10, 200)):
        mine, reference = paired(ours, other, 15)
        one = reference / sampled
        measured = f"reference: {one:.2g} s a pair on {sampled} of {pairs} pairs, scaled"
        note = f"maps of {SIDE} x {SIDE}; T*, HSIC and widths included; {measured}"
        title = f"all pairs of {MAPS} maps, batch {IMAGES}, v a loop that {name} its Grams"
        cases.append(Case(title, mine, one * pairs, "s", at_least=target, note=note))
    return cases


def run() -> list[Case]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [*losses(torch.float64), *losses(torch.float32), *feature_maps()]
    finally:
        torch.set_num_threads(threads)
