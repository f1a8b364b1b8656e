"""A training that survives a kill: everything that changes from epoch to epoch is kept in a file, and gone on with.

Batches and splits come from generators of their own that are seeded by run and epoch: methods that are compared see the
same rows in the same order, whatever else they draw, and a training that was interrupted ends as one that was not.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from shearer._files.writing import replace_file

FOLDER = Path(__file__).parent / "checkpoints"
# Seconds of computing between two checkpoints.
BETWEEN = 30.0

History = list[dict[str, Any]]


class Course:
    """A network with its optimizer on their way through the epochs.

    Parameters
    ----------
    model : torch.nn.Module
        The network.
    optimizer : torch optimizer
        Of its parameters.
    scheduler : torch scheduler, optional
        Stepped after each epoch.
    path : Path, optional
        The file of checkpoints; None: none are written.
    """

    def __init__(self, model: nn.Module, optimizer: Any, scheduler: Any = None, path: Path | None = None) -> None:
        self.parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
        self.parts = {name: part for name, part in self.parts.items() if part is not None}
        self.scheduler, self.path = scheduler, path
        self.history: History = []
        self.seconds = 0.0

    def go(self, epochs: int, epoch: Callable[[int], dict[str, Any]]) -> History:
        """Train until so many epochs are done; `epoch(number)`, from 1 on, trains one and returns what to note."""
        if self.path is not None and self.path.exists():
            self._load()
        saved = self.seconds
        for number in range(len(self.history) + 1, epochs + 1):
            start = time.process_time()
            self.history.append({"epoch": number, **epoch(number)})
            if self.scheduler is not None:
                self.scheduler.step()
            self.seconds += time.process_time() - start
            if self.path is not None and number < epochs and self.seconds - saved >= BETWEEN:
                self._save()
                saved = self.seconds
        return self.history

    def _save(self) -> None:
        assert self.path is not None
        self.path.parent.mkdir(parents=True, exist_ok=True)
        state = {name: part.state_dict() for name, part in self.parts.items()}
        state |= {"history": self.history, "seconds": self.seconds, "random": torch.get_rng_state()}
        replace_file(self.path, lambda file: torch.save(state, file))

    def _load(self) -> None:
        state = torch.load(self.path, weights_only=True)
        for name, part in self.parts.items():
            part.load_state_dict(state[name])
        self.history, self.seconds = state["history"], state["seconds"]
        torch.set_rng_state(state["random"])


def kept(experiment: str, case: str, full: bool, train: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    """What training a case finds, on one thread, its checkpoints in a file of its own until it is done."""
    torch.set_num_threads(1)
    name = "".join(letter if letter.isalnum() or letter in ".-" else "_" for letter in case)
    path = FOLDER / f"{experiment}{'_full' if full else ''}" / f"{name}.pt"
    found = train(path)
    path.unlink(missing_ok=True)
    return found


def shuffled(rows: int, *seed: int) -> Tensor:
    """Rows in an order that depends on the seeds alone."""
    return torch.randperm(rows, generator=generator(*seed))


def generator(*seed: int) -> torch.Generator:
    """Randomness of its own for run, epoch and so on."""
    mixed = 0
    for part in seed:
        mixed = (mixed * 1_000_003 + part + 1) % 2**63
    return torch.Generator().manual_seed(mixed)


def batches(rows: Tensor, size: int, *seed: int) -> Iterator[Tensor]:
    """The rows in batches of that size and random order, without the remainder."""
    order = rows[shuffled(len(rows), *seed)]
    yield from order[: len(order) // size * size].split(size)


def descend(optimizer: Any, losses: Iterable[Tensor]) -> float:
    """A step down each of the losses, which are formed one after the other; their mean."""
    noted = []
    for loss in losses:
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        noted.append(float(loss.detach()))
    return sum(noted) / len(noted)


def best(history: History, name: str, sign: int = 1) -> dict[str, Any]:
    """The first of the epochs where a noted value is smallest (sign 1) or largest (-1)."""
    return min(history, key=lambda row: sign * row[name])


def late(values: list[float]) -> float:
    """The mean over the second half of the epochs.

    Examples
    --------
    >>> late([9.0, 9.0, 3.0, 2.0])
    2.5
    """
    half = values[len(values) // 2 :]
    return round(sum(half) / len(half), 4)


@dataclass(frozen=True, eq=False)
class Labelled:
    """Images and the positions of their classes, to learn from and to test on."""

    x: Tensor
    y: Tensor
    test_x: Tensor
    test_y: Tensor

    @classmethod
    def of(cls, images: Any, prepare: Callable[[Tensor], Tensor]) -> "Labelled":
        """From what a loader of `shearer.datasets` gives."""
        x, test_x = (prepare(torch.from_numpy(array).float()) for array in (images.data, images.test))
        y, test_y = (torch.from_numpy(array).long() for array in (images.target, images.test_target))
        return cls(x, y, test_x, test_y)

    def errors(self, model: nn.Module, held: Tensor) -> dict[str, float]:
        """Percent wrong of the images held out and of the test images."""
        return {"validation": error(model, self.x[held], self.y[held]), "test": error(model, self.test_x, self.test_y)}


def error(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Percent of the rows whose class is not found."""
    model.eval()
    with torch.no_grad():
        wrong = sum(int((model(a).argmax(dim=1) != b).sum()) for a, b in zip(x.split(2000), y.split(2000), strict=True))
    return round(100.0 * wrong / len(x), 4)


def error_record(history: History) -> dict[str, Any]:
    """The epoch that validation chooses, its errors, and what choosing on the test set would have given."""
    chosen = best(history, "validation")
    return {
        "chosen_epoch": chosen["epoch"],
        "validation_error": chosen["validation"],
        "test_error": chosen["test"],
        "last_test_error": history[-1]["test"],
        "best_on_test": best(history, "test")["test"],
        "losses": [round(row["loss"], 5) for row in history],
    }
