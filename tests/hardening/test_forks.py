"""A fork while other threads compute: the child has their locks as they were, and none of the threads."""

import os
import threading
import time

import numpy as np
import pytest

import shearer as sh
from shearer import _jobs, _threads
from shearer._cached import cached_property

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
#: Seconds after which a child counts as one that waits for ever.
PATIENCE = 120


def in_child(call):
    """The exit code of a forked child that calls; None if it waits for ever."""
    child = os.fork()
    if child == 0:
        try:
            call()
            os._exit(0)
        except BaseException:
            os._exit(3)
    for _ in range(20 * PATIENCE):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return None


def everything():
    x = np.random.default_rng(0).normal(size=(40, 3))
    sh.mutual_information(x[:, 0], x[:, 1])
    found = sh.pairwise(x)
    assert found.pvalue.shape == (3, 3)
    assert len(found.to_frame(pvalues=True)) == 3
    sh.permutation_test(x[:, 0], x[:, 1], n_resamples=19, rng=0, n_jobs=2)
    assert len(sh.scan(x, n_jobs=2).pairs) == 3


class Slow:
    """A property that takes as long as the test wants."""

    def __init__(self):
        self.inside, self.go_on = threading.Event(), threading.Event()

    @cached_property
    def value(self):
        self.inside.set()
        self.go_on.wait(PATIENCE)
        return 1


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("held", ["libraries", "calls", "property"])
def test_a_child_does_not_wait_for_threads_that_it_does_not_have(held):
    everything()
    inside, go_on = threading.Event(), threading.Event()

    def hold(lock):
        with lock:
            inside.set()
            go_on.wait(PATIENCE)

    slow = Slow()
    if held == "property":
        inside, go_on = slow.inside, slow.go_on
        thread = threading.Thread(target=lambda: slow.value)
    else:
        lock = _threads._pools._lock if held == "libraries" else _jobs._calls._ended
        thread = threading.Thread(target=hold, args=(lock,))
    thread.start()
    try:
        assert inside.wait(PATIENCE)
        other = Slow()
        other.go_on.set()
        assert in_child(lambda: (everything(), other.value)) == 0
    finally:
        go_on.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_children_of_a_process_whose_threads_compute():
    everything()  # a fork while a thread imports a module leaves the child with its lock: Python's own
    stop = threading.Event()

    def compute():
        while not stop.is_set():
            everything()

    threads = [threading.Thread(target=compute) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        assert [in_child(everything) for _ in range(3)] == [0] * 3
    finally:
        stop.set()
        for thread in threads:
            thread.join(PATIENCE)


def test_a_property_is_found_once_and_threads_do_not_wait_for_each_other():
    first, second = Slow(), Slow()
    thread = threading.Thread(target=lambda: first.value)
    thread.start()
    assert first.inside.wait(PATIENCE)
    second.go_on.set()
    assert second.value == second.value == 1  # while another thread is inside that of another instance
    first.go_on.set()
    thread.join(PATIENCE)
    assert first.__dict__["value"] == 1
    assert Slow.value.func is Slow.__dict__["value"].func
