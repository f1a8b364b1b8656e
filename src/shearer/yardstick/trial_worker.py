"""The process in which a method runs, and which can be killed.

A job comes on the standard input, pickled, its length in 8 bytes before it. Answers leave on what was the standard
output, a line of JSON each; what the method itself prints goes to the standard error.
"""

import importlib
import json
import os
import pickle
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from shearer.yardstick.method import Method
from shearer.yardstick.suites import SUITES

# What a method may raise at data that it cannot answer; anything else ends the process, and the design, for it.
REFUSALS = (
    ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, OSError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip
# Trials without a single answer after which no more are begun.
_MOST_REFUSED = 5


@dataclass(frozen=True)
class Job:
    """Trials of one method on one design."""

    method: Method
    suite: str
    design: str
    first: int
    last: int
    seed: int
    budget: float


def processor_seconds() -> float:
    """Of this process and of the programs that it waited for."""
    return time.process_time() + sum(os.times()[2:4])


def run_trial(job: Job, trial: int) -> dict[str, Any]:
    """The answer of one trial, or why there is none, and what it took."""
    suite = SUITES[job.suite]
    drawn = suite.draw(job.design, trial, job.seed)
    start, clock = processor_seconds(), time.perf_counter()
    refused = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = job.method.answer(drawn, suite.task, trial)
        except REFUSALS as error:
            value, refused = float("nan"), f"{type(error).__name__}: {error}"[:300]
    spent = {"seconds": processor_seconds() - start, "wall": time.perf_counter() - clock}
    return {"trial": trial, "value": value if value == value else None, "refused": refused, **spent}


def answers(job: Job) -> Iterator[dict[str, Any]]:
    """Of each trial; at least one, and no more once the budget is spent or nothing but refusals came."""
    spent, answered = 0.0, 0
    for trial in range(job.first, job.last):
        answer = run_trial(job, trial)
        yield answer
        # Processor time, so that other work on the machine costs no trials; waiting counts for a quarter.
        spent += max(answer["seconds"], answer["wall"] / 4)
        answered += answer["refused"] is None
        if spent > job.budget or (not answered and trial + 1 - job.first >= _MOST_REFUSED):
            return


def work(source: IO[bytes], channel: IO[bytes]) -> None:
    """Jobs until the input ends."""
    importlib.import_module("scipy.stats")  # which most methods load, in nobody's time
    _tell(channel, {"ready": True})
    while len(head := source.read(8)) == 8:
        for answer in answers(pickle.loads(source.read(int.from_bytes(head)))):
            _tell(channel, answer)
        _tell(channel, {"end": True})


def _tell(channel: IO[bytes], message: dict[str, Any]) -> None:
    channel.write(json.dumps(message).encode() + b"\n")
    channel.flush()


def main() -> None:
    """Keep the channel to the parent, and send what is printed elsewhere."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as channel:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        work(sys.stdin.buffer, channel)
