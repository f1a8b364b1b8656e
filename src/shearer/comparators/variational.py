"""Mutual information neural estimation: a network that tells joint rows from shuffled ones."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from shearer._optional import load
from shearer._progress import track
from shearer._validate import check_positive, value_error
from shearer.comparators.inputs import compared, points, standardized
from shearer.inference.permutation.resampling import check_count
from shearer.spectrum.request import seed_of

_FEWEST_ROWS = 20
# Shuffles of the rows held out over which the bound is taken: each pairs every row with another one.
_SHIFTS = 50


def mine(
    *data: Any,
    hidden: int = 64,
    steps: int = 500,
    batch: int = 256,
    learning_rate: float = 3e-3,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    rng: np.random.Generator | int | None = 0,
    progress: bool | None = None,
) -> float:
    """Estimate the mutual information of two variables of any dimension in bits with a neural network; needs torch.

    The Donsker-Varadhan lower bound mean f(x, y) - ln mean exp f(x, y') for a network f of two hidden layers, where y'
    is shuffled; in training, the gradient of the second term is corrected by a running mean (Belghazi et al. 2018,
    "Mutual information neural estimation"). The network is trained on one half of the rows and the bound is evaluated
    on the other half, then the halves change places, and the two bounds are averaged. On the rows of the training the
    bound would grow with the number of steps, whatever the data.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of shape (n,) or (n, d), or one table of two; 20 rows or more. Labels become indicator
        columns, and every column is standardized.
    hidden : int, default 64
        Number of units in each hidden layer.
    steps : int, default 500
        Training steps (Adam) on each half.
    batch : int, default 256
        Rows in a training step, 2 or more.
    learning_rate : float, default 0.003
        Learning rate of Adam.
    groups, missing
        As in `shearer.entropy`.
    rng : int, Generator or None, default 0
        Source of weights, batches and shuffles; the same seed gives the same answer.
    progress : bool, optional
        Whether to show a progress bar on stderr. Default: if stderr is a terminal and the work takes seconds.

    Returns
    -------
    float
        Bits; can be negative.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x, e = np.random.default_rng(0).normal(size=(2, 1000))
    >>> round(sh.comparators.mine(x, 0.8 * x + 0.6 * e, steps=200), 1), float(round(-0.5 * np.log2(1 - 0.64), 1))
    (0.7, 0.7)
    """
    for name, value in (("hidden", hidden), ("steps", steps), ("batch", batch)):
        check_count(name, value, 2 if name == "batch" else 1)
    check_positive("learning_rate", learning_rate)
    table = compared(data, groups, missing, exactly=2)
    n = table.rows
    if n < _FEWEST_ROWS:
        raise value_error("data", f"at least {_FEWEST_ROWS} rows, half of them to train on", f"{n}")
    torch = load("torch", "mine")
    blocks = [torch.from_numpy(standardized(points(item))).to(torch.float32) for item in table.variables]
    generator = torch.Generator().manual_seed(seed_of(rng) % 2**63)
    order = torch.randperm(n, generator=generator)
    parts = order[: n // 2], order[n // 2 :]
    bar = iter(track(range(2 * steps), 2 * steps, "training", progress))
    bounds = []
    for seen, held in (parts, parts[::-1]):
        network = _network(torch, sum(block.shape[1] for block in blocks), hidden, generator)
        _train(torch, network, [block[seen] for block in blocks], steps, batch, learning_rate, generator, bar)
        bounds.append(_bound(torch, network, [block[held] for block in blocks]))
    return float(np.mean(bounds)) / math.log(2.0)


def _network(torch: Any, inputs: int, hidden: int, generator: Any) -> Any:
    """Two hidden layers, their weights drawn from the generator: the global one of torch stays as it was."""
    linear = torch.nn.utils.skip_init
    layers = torch.nn.Sequential(
        linear(torch.nn.Linear, inputs, hidden), torch.nn.ReLU(),
        linear(torch.nn.Linear, hidden, hidden), torch.nn.ReLU(),
        linear(torch.nn.Linear, hidden, 1),
    )  # fmt: skip
    for parameter in layers.parameters():
        size = 1.0 / math.sqrt(parameter.shape[-1])
        torch.nn.init.uniform_(parameter, -size, size, generator=generator)
    return layers


def _train(
    torch: Any, network: Any, blocks: list[Any], steps: int, batch: int, rate: float, generator: Any, bar: Iterator[int]
) -> None:
    x, y = blocks
    n = len(x)
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    running = None
    for _ in range(steps):
        next(bar)
        rows = torch.randperm(n, generator=generator)[:batch]
        others = torch.randperm(n, generator=generator)[: len(rows)]
        together = network(torch.cat([x[rows], y[rows]], dim=1)).mean()
        apart = torch.exp(network(torch.cat([x[rows], y[others]], dim=1))).mean()
        running = apart.detach() if running is None else 0.99 * running + 0.01 * apart.detach()
        # The gradient of ln mean exp f with the running mean in the denominator, which a small batch misjudges.
        loss = apart / running - together
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def _bound(torch: Any, network: Any, blocks: list[Any]) -> float:
    """The bound in nats over all pairs of rows that are not one row."""
    x, y = blocks
    n = len(x)
    with torch.no_grad():
        together = network(torch.cat([x, y], dim=1)).mean()
        shifts = torch.unique(torch.linspace(1, n - 1, min(n - 1, _SHIFTS)).long())
        apart = torch.cat([network(torch.cat([x, y.roll(int(shift), dims=0)], dim=1)) for shift in shifts])
        return float(together - torch.logsumexp(apart, dim=0) + math.log(len(apart)))
