"""Loops through joblib: on threads, or on whatever `joblib.parallel_config` names, a Dask cluster included."""

import operator
import os
import pkgutil
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

from shearer._threads import held
from shearer._validate import describe, type_error, value_error
from shearer._version import __version__

# Where a worker finds its version.
_VERSION_NAME = "shearer._version:__version__"
# Connections whose workers were asked for theirs.
_checked: set[str] = set()
T = TypeVar("T")
R = TypeVar("R")


def check_jobs(n_jobs: Any) -> int | None:
    """How many workers, as joblib counts them."""
    expected = "a number of threads, or -1 for all"
    if n_jobs is None:
        return None
    try:
        jobs = operator.index(n_jobs)
    except TypeError as error:
        raise type_error("n_jobs", expected, describe(n_jobs)) from error
    if jobs == 0 or isinstance(n_jobs, bool):
        raise value_error("n_jobs", expected, describe(n_jobs))
    return jobs


def worker_count(n_jobs: int | None) -> int:
    """Workers that a loop would have; 1 without a number, unless `joblib.parallel_config` says more."""
    if n_jobs is None and "joblib" not in sys.modules:  # nobody can have configured it
        return 1
    import joblib

    client = _client()
    if client is not None and client.scheduler is None:  # which joblib would ask for its cores
        raise CancelledError("the scheduler of the cluster is gone")
    return int(joblib.effective_n_jobs(n_jobs))


def _client() -> Any:
    """The connection to the Dask cluster that loops go to; None without one."""
    from joblib.parallel import get_active_backend

    return getattr(get_active_backend()[0], "client", None)


def on_cluster() -> bool:
    """True within a `joblib.parallel_config` whose workers are not threads of this process."""
    if worker_count(None) == 1:
        return False
    from joblib.parallel import get_active_backend

    return not getattr(get_active_backend()[0], "uses_threads", False)


def check_workers() -> None:
    """Refuse a Dask cluster whose workers have another version of this package, or none, before work goes there.

    Asked once of each connection; workers that join later are not asked.
    """
    client = _client()
    if client is None or client.id in _checked or _inside_worker():
        return
    found = client.run(pkgutil.resolve_name, _VERSION_NAME, on_error="return")
    for address, version in sorted(found.items()):
        if version != __version__:
            got = f"{version if isinstance(version, str) else 'none that can be imported'} at {address}"
            hint = "Install the version of this process on all workers."
            raise value_error("cluster", f"workers with shearer {__version__}", got, hint)
    _checked.add(client.id)


def _inside_worker() -> bool:
    """Whether this is a task of a cluster itself, which was asked."""
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


def spread(function: Callable[[T], R], items: Iterable[T], n_jobs: int | None) -> Iterator[R]:
    """function(item) for every item, in order, several at a time if joblib is told so, each with one BLAS thread.

    What all calls share belongs into the function: that travels with every task, so that a task can run again after
    the workers that had it are gone. Arguments may be scattered, and lost with their last holder.
    """
    if worker_count(check_jobs(n_jobs)) == 1:
        yield from map(function, items)
        return
    from joblib import Parallel, delayed

    check_workers()
    pool = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    loop = uuid4().hex
    try:
        yield from pool(delayed(partial(held_for, loop, function, item))() for item in items)
    finally:
        wait_for_calls(loop)


class Calls:
    """How many calls of each loop run in this process."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """In a forked child: locks of threads that are not there are free, and their calls do not run."""
        self._running: Counter[str] = Counter()
        self._ended = threading.Condition()

    def begin(self, loop: str) -> None:
        """One more."""
        with self._ended:
            self._running[loop] += 1

    def end(self, loop: str) -> None:
        """One less."""
        with self._ended:
            self._running[loop] -= 1
            self._ended.notify_all()

    def wait(self, loop: str) -> None:
        """Until none runs."""
        with self._ended:
            self._ended.wait_for(lambda: self._running[loop] == 0)
            del self._running[loop]


_calls = Calls()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_calls.forget)


def held_for(loop: str, function: Callable[[T], R], item: T) -> R:
    """A call on a worker, counted among the calls of a loop that run in this process."""
    _calls.begin(loop)
    try:
        return held(function, item)
    finally:
        _calls.end(loop)


def wait_for_calls(loop: str) -> None:
    """Until no call of a loop runs in this process: after an error, too, nothing holds the matrix library any more."""
    _calls.wait(loop)
