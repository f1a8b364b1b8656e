"""Loops through joblib: on threads, or on whatever `joblib.parallel_config` names, a Dask cluster included."""

import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

from shearer._threads import held_for, wait_for_calls
from shearer._validate import describe, type_error, value_error

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

    return int(joblib.effective_n_jobs(n_jobs))


def on_cluster() -> bool:
    """True within a `joblib.parallel_config` whose workers are not threads of this process."""
    if worker_count(None) == 1:
        return False
    from joblib.parallel import get_active_backend

    return not getattr(get_active_backend()[0], "uses_threads", False)


def spread(function: Callable[[T], R], items: Iterable[T], n_jobs: int | None) -> Iterator[R]:
    """function(item) for every item, in order, several at a time if joblib is told so, each with one BLAS thread.

    What all calls share belongs into the function: that travels with every task, so that a task can run again after
    the workers that had it are gone. Arguments may be scattered, and lost with their last holder.
    """
    if worker_count(check_jobs(n_jobs)) == 1:
        yield from map(function, items)
        return
    from joblib import Parallel, delayed

    pool = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    loop = uuid4().hex
    try:
        yield from pool(delayed(partial(held_for, loop, function, item))() for item in items)
    finally:
        wait_for_calls(loop)
