"""Minibatches, epochs, and when to stop."""

import copy
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from shearer._progress import track
from shearer._validate import value_error
from shearer.neural.robust.default_network import check_output
from shearer.neural.robust.objectives import Objective


@dataclass(frozen=True)
class Course:
    """How long to train, in which portions, and when to give up.

    Attributes
    ----------
    epochs : int
        At most this many passes over the rows.
    batch_size : int
        Rows a step, about.
    patience : int or None
        Stop after this many epochs without a validation loss lower by `tol`; None: never.
    tol : float
        What counts as lower, as a part of the best.
    progress : bool or None
        With or without a bar; None: on a terminal.
    """

    epochs: int
    batch_size: int
    patience: int | None = None
    tol: float = 0.0
    progress: bool | None = None


@dataclass(eq=False)
class Trainer:
    """A network, its objective and its optimizer."""

    network: nn.Module
    objective: Objective
    optimizer: Any
    outputs: int
    history: list[dict[str, float]] = field(default_factory=list)

    def run(self, x: Tensor, y: Tensor, held_out: tuple[Tensor, Tensor] | None, course: Course) -> None:
        """Train, and with rows held out keep the weights that did best on them."""
        best, kept, waited = math.inf, None, 0
        for _ in track(range(course.epochs), course.epochs, "training", course.progress):
            row = {"epoch": len(self.history) + 1, "loss": self._epoch(x, y, course.batch_size)}
            self.history.append(row)
            if held_out is None:
                continue
            row["validation"] = self.evaluate(*held_out, course.batch_size)
            waited = 0 if is_lower(row["validation"], best, course.tol) else waited + 1
            if row["validation"] < best:
                best, kept = row["validation"], copy.deepcopy(self.network.state_dict())
            if course.patience is not None and waited >= course.patience:
                break
        if kept is not None:
            self.network.load_state_dict(kept)

    def _epoch(self, x: Tensor, y: Tensor, batch_size: int) -> float:
        """One pass over the rows in random order; the mean loss."""
        self.network.train(), self.objective.train()
        total = 0.0
        for rows in torch.randperm(len(x)).to(x.device).tensor_split(batch_count(len(x), batch_size)):
            self.optimizer.zero_grad(set_to_none=True)
            loss = self._loss(x[rows], y[rows])
            loss.backward()
            self.optimizer.step()
            total += self._number(loss) * len(rows)
        return total / len(x)

    def evaluate(self, x: Tensor, y: Tensor, batch_size: int) -> float:
        """The mean loss over batches, without training."""
        self.network.eval(), self.objective.eval()
        count = batch_count(len(x), batch_size)
        with torch.no_grad():
            parts = zip(x.tensor_split(count), y.tensor_split(count), strict=True)
            return sum(self._number(self._loss(a, b)) * len(a) for a, b in parts) / len(x)

    def _loss(self, x: Tensor, y: Tensor) -> Tensor:
        return self.objective(x, check_output(self.network(x), len(x), self.outputs), y)

    def _number(self, loss: Tensor) -> float:
        value = float(loss.detach())
        if not math.isfinite(value):
            rate = self.optimizer.param_groups[0]["lr"]
            got = f"{rate:g}, at which the loss became {value} in epoch {len(self.history) + 1}"
            raise value_error("learning_rate", "one at which training converges", got, "Take a smaller one.")
        return value


def is_lower(value: float, best: float, tol: float) -> bool:
    """Whether a loss is lower than the best by more than a part of it; losses differ in scale by powers of ten.

    Examples
    --------
    >>> is_lower(0.98, 1.0, 0.01), is_lower(0.995, 1.0, 0.01), is_lower(5.0, float("inf"), 0.01)
    (True, False, True)
    """
    return math.isinf(best) or value < best - tol * abs(best)


def batch_count(rows: int, batch_size: int) -> int:
    """How many batches of about that size; none has a single row.

    Examples
    --------
    >>> batch_count(1000, 128), batch_count(3, 2), batch_count(50, 128)
    (8, 1, 1)
    """
    return max(1, min(round(rows / batch_size), rows // 2))


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Randomness of its own: what is drawn inside depends on the seed alone and moves nothing outside."""
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices):
        torch.manual_seed(seed)
        yield
