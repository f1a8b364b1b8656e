"""Work on several cores by threads, with the matrix library held to one thread each."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
R = TypeVar("R")
#: How to go through independent items: `map_threads`, or `one_by_one` where threads are busy with other work.
Each: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]

_lock = threading.Lock()
_holders = 0
_limit: Any = None


def thread_count() -> int:
    """Cores this process may use, or what `OMP_NUM_THREADS` allows."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        cores = os.cpu_count() or 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, int(allowed)) if allowed.isdigit() and int(allowed) > 0 else cores


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Hold the matrix library to one thread: with a pool of threads above it, more slow each other down.

    The limit is the process's, so the first to enter sets it and the last to leave lifts it.
    """
    global _holders, _limit
    with _lock:
        if _holders == 0:
            _limit = _controller().limit(limits=1)
            _limit.__enter__()
        _holders += 1
    try:
        yield
    finally:
        with _lock:
            _holders -= 1
            if _holders == 0:
                _limit.__exit__(None, None, None)


def map_threads(function: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """function(item) for every item, on all cores, in order."""
    work = list(items)
    threads = min(thread_count(), len(work))
    if threads <= 1:
        return [function(item) for item in work]
    with single_threaded_blas():
        return list(_pool(os.getpid(), thread_count()).map(function, work))


def one_by_one(function: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """function(item) for every item, in order."""
    return [function(item) for item in items]


@cache
def _pool(process: int, threads: int) -> Any:  # noqa: ARG001 - a forked child must not wait for its parent's threads
    """Threads that stay: starting them takes as long as a small computation."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, thread_name_prefix="shearer")


@cache
def _controller() -> Any:
    """Finding the loaded libraries takes milliseconds: once is enough."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
