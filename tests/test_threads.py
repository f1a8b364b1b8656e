"""The matrix library is held to one thread within calls, and has its threads back after them, whatever happens."""

import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from shearer import _threads
from shearer._jobs import spread

# With this suite the libraries have one thread: what several of them do is seen in a process of its own.
PRELUDE = """
import os, signal, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import scipy.linalg
import shearer as sh
from shearer import _threads
from shearer._jobs import spread
from threadpoolctl import threadpool_info, threadpool_limits

def counts():
    return [item["num_threads"] for item in threadpool_info() if item["user_api"] == "blas"]

before = counts()
rng = np.random.default_rng(0)
table = rng.normal(size=(60, 4))
a, b, c, d = table.T
"""


def run(code):
    """The code in a process whose matrix libraries have two threads."""
    variables = {"OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PRELUDE + textwrap.dedent(code)],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


CALLS = """
    from shearer.tools import DependenceNetwork, DependenceSelector, SubspaceSearch
    from shearer.inference import adjusted_mutual_information

    def sketch():
        sketch = sh.Sketch.like(a, b, measures=("mutual_information",))
        sketch.update(a, b)
        return sketch.mutual_information().value

    calls = {
        "entropy": lambda: sh.entropy(a),
        "measures": lambda: [sh.mutual_information(a, b), sh.total_correlation(a, b, c, alpha=3)],
        "tolerance": lambda: sh.mutual_information(np.tile(a, 30) + 1e-3 * np.arange(1800), np.tile(b, 30), tol=1e-3),
        "others": lambda: [sh.dual_total_correlation(a, b), sh.o_information(a, b, c), sh.co_information(a, b, c)],
        "noun": lambda: sh.Dependence(table).total_correlation().value,
        "independence": lambda: [sh.independence_test(a, b).pvalue, sh.independence_test(a, b, c).pvalue],
        "conditional": lambda: sh.independence_test(a, b, given=c, n_resamples=19).pvalue,
        "interaction": lambda: sh.interaction_test(a, b, c).pvalue,
        "permutation": lambda: sh.permutation_test(a, b, n_resamples=19).pvalue,
        "jobs": lambda: sh.permutation_test(a, b, n_resamples=19, n_jobs=2).pvalue,
        "interval": lambda: sh.confidence_interval(a, b).low,
        "adjusted": lambda: adjusted_mutual_information(a, b),
        "pairwise": lambda: [sh.pairwise(table).pvalue.tolist(), sh.pairwise(table).adjusted.tolist()],
        "pairwise, jobs": lambda: sh.pairwise(table, alpha=1, n_jobs=2).value.tolist(),
        "triples": lambda: sh.triples(table).total_correlation.tolist(),
        "scan": lambda: str(sh.scan(table, top=2).pairs),
        "lags": lambda: str(sh.scan(table, top=2, lags=[0, 1]).pairs),
        "sketch": sketch,
        "network": lambda: DependenceNetwork().fit(table).pvalues_.tolist(),
        "selector": lambda: DependenceSelector(1).fit(table[:, :3], d).get_support().tolist(),
        "search": lambda: str(SubspaceSearch().fit(table).to_frame()),
        "distances": lambda: sh.comparators.distance_correlation(a, b),
    }
"""


def test_every_call_leaves_the_threads_as_they_were():
    code = (
        CALLS
        + """
    assert before and set(before) == {2}, before
    for name, call in calls.items():
        call()
        assert counts() == before, name
    """
    )
    run(code)


def test_calls_from_many_threads_leave_the_threads_as_they_were_and_answer_the_same():
    code = (
        CALLS
        + """
    alone = {name: str(call()) for name, call in calls.items()}
    work = list(calls) * 2
    np.random.default_rng(1).shuffle(work)
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda name: str(calls[name]()), work))
        assert counts() == before
    assert counts() == before
    assert [alone[name] for name in work] == found
    assert not _threads._pools._holders and not _threads._pools._saved
    """
    )
    run(code)


def test_sixteen_scans_at_once():
    code = """
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: sh.scan(table, top=1), range(16)))
        assert counts() == before
    assert counts() == before
    sh.scan(table, top=1)
    assert counts() == before
    """
    run(code)


def test_who_leaves_last_need_not_have_come_first():
    code = """
    entered, left = threading.Event(), threading.Event()
    def early():
        with sh._threads.single_threaded_blas():
            entered.set()
            left.wait()
    thread = threading.Thread(target=early)
    thread.start()
    entered.wait()
    with _threads.single_threaded_blas():
        left.set()
        thread.join()
        assert set(counts()) == {1}
    assert counts() == before
    # and while the first thread lives on
    entered, left = threading.Event(), threading.Event()
    done = threading.Event()
    def early():
        with _threads.single_threaded_blas():
            entered.set()
            left.wait()
        done.set()
        left.clear()
        left.wait()
    thread = threading.Thread(target=early)
    thread.start()
    entered.wait()
    with _threads.single_threaded_blas():
        left.set()
        done.wait()
    assert counts() == before
    left.set()
    thread.join()
    """
    run(code.replace("sh._threads", "_threads"))


def test_errors_restore_the_threads():
    code = """
    def broken(*_):
        assert set(counts()) == {1}
        raise ZeroDivisionError

    for number, call in enumerate((
        lambda: sh.scan(table, order=7),
        lambda: sh.mutual_information(a, b[:-1]),
        lambda: sh.mutual_information(a, b, kernel=sh.kernels.Gaussian(broken)),
        lambda: sh.pairwise(table, kernel=sh.kernels.Gaussian(broken)),
        lambda: sh.triples(table, kernel=sh.kernels.Gaussian(broken)),
        lambda: sh.scan(table, kernel=sh.kernels.Gaussian(broken)),
        lambda: sh.permutation_test(a, b, statistic=broken, n_resamples=9),
        lambda: sh.permutation_test(a, b, statistic=broken, n_resamples=9, n_jobs=2),
        lambda: _threads.map_threads(broken, range(9)),
        lambda: sh.mutual_information(a, b, memory=10),
        lambda: sh.mutual_information(a, b, tol=1e-300),
    )):
        try:
            call()
        except (ZeroDivisionError, ValueError, MemoryError, sh.ToleranceError, sh.MemoryBudgetError):
            pass
        else:
            raise AssertionError(f"no error of call {number}")
        assert counts() == before, number
    """
    run(code)


def test_interruptions_restore_the_threads():
    code = """
    sh.independence_test(a, b)  # imports before: an interrupted one leaves half a module
    signal.signal(signal.SIGINT, signal.default_int_handler)
    def interrupt():
        while not stop.is_set():
            time.sleep(float(rng.uniform(0.0005, 0.004)))
            if waiting.is_set():
                waiting.clear()
                os.kill(os.getpid(), signal.SIGINT)
    stop, waiting = threading.Event(), threading.Event()
    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    interrupted = 0
    for _ in range(150):
        try:
            waiting.set()
            while True:
                with _threads.single_threaded_blas():
                    with _threads.single_threaded_blas():
                        pass
        except KeyboardInterrupt:
            interrupted += 1
    for _ in range(10):
        try:
            waiting.set()
            while True:
                sh.independence_test(a, b)
        except KeyboardInterrupt:
            interrupted += 1
    stop.set()
    thread.join()
    assert interrupted == 160, interrupted
    assert counts() == before, counts()
    assert not _threads._pools._holders
    """
    run(code)


def test_generators_hold_nothing_while_they_wait():
    code = """
    found = spread(lambda item: set(counts()), range(50), 2)
    assert next(found) == {1}
    time.sleep(0.3)
    while _threads._pools._holders:  # pieces that were begun
        time.sleep(0.01)
    assert counts() == before
    found.close()
    assert counts() == before
    abandoned = spread(lambda item: item, range(50), 2)
    next(abandoned)
    del abandoned
    for _ in range(500):
        if counts() == before:
            break
        time.sleep(0.01)
    assert counts() == before
    """
    run(code)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_while_others_hold():
    code = """
    def child(expected):
        signal.alarm(60)  # a lock that nobody can open would last for ever
        sh.independence_test(a, b)
        os._exit(0 if counts() == expected else 1)

    entered, left = threading.Event(), threading.Event()
    def hold():
        with _threads.single_threaded_blas():
            entered.set()
            left.wait()
    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait()
    with _threads._pools._lock:
        forked = threading.Thread(target=lambda: pids.append(os.fork() or child(before)))
        pids = []
        forked.start()  # from a thread that does not have the lock
        forked.join()
    assert os.waitstatus_to_exitcode(os.waitpid(pids[0], 0)[1]) == 0
    with _threads.single_threaded_blas():
        pid = os.fork() or child([1] * len(before))  # which holds what its thread held
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    left.set()
    thread.join()
    assert counts() == before
    pid = os.fork() or child(before)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    """
    run(code)


def test_large_products_have_the_threads_back_while_nothing_else_runs():
    code = """
    _threads._others_running = lambda: 0
    os.cpu_count = lambda: 2
    def seen(size):
        with _threads.blas_threads_for(size):
            return counts()
    assert seen(1e12) == before  # nobody holds
    with _threads.single_threaded_blas():
        assert set(seen(1e3)) == {1}
        assert seen(1e12) == before
        assert set(counts()) == {1}
        with _threads.blas_threads_for(1e12), _threads.single_threaded_blas():
            assert set(counts()) == {1}  # loops within
        assert set(counts()) == {1}
        assert all(set(found) == {1} for found in _threads.map_threads(seen, [1e12] * 4))
        with ThreadPoolExecutor(1) as pool:
            assert set(pool.submit(_threads.held, seen, 1e12).result()) == {1}
        _threads._others_running = lambda: 1
        assert set(seen(1e12)) == {1}  # the machine is busy
    assert counts() == before
    """
    run(code)


def test_what_others_have_set_stays():
    code = """
    with threadpool_limits(1, user_api="blas"):
        sh.independence_test(a, b)
        assert set(counts()) == {1}
    assert counts() == before
    with _threads.single_threaded_blas():
        threadpool_limits(3, user_api="blas")
    assert set(counts()) == {3}
    """
    run(code)


def test_nested_holds_are_cheap():
    code = """
    def seconds():
        start = time.perf_counter()
        for _ in range(1000):
            with _threads.single_threaded_blas():
                pass
        return (time.perf_counter() - start) / 1000
    with _threads.single_threaded_blas():
        print(min(seconds() for _ in range(7)))
    """
    assert float(run(code)) < 50e-6  # 2e-6, and some for busy machines


def test_libraries_with_a_number_for_each_thread(monkeypatch):
    """Matrix libraries on OpenMP: every thread holds and restores its own."""

    class PerThread(threading.local):
        number = 4

    numbers = PerThread()

    class Controller:
        threading_layer = "openmp"

        def get_num_threads(self):
            return numbers.number

        def set_num_threads(self, number):
            numbers.number = number

    library = _threads.Library(Controller())
    pools = _threads.Pools(lambda: (library,))
    monkeypatch.setattr(_threads, "_pools", pools)

    def within(_):
        with _threads.single_threaded_blas():
            with _threads.single_threaded_blas():
                inner = numbers.number
            return inner, numbers.number

    def seen(item):
        return within(item), numbers.number

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(seen, range(40))) == {((1, 1), 4)}
    with _threads.single_threaded_blas(), ThreadPoolExecutor(2) as pool:
        assert set(pool.map(lambda item: _threads.held(lambda _: numbers.number, item), range(8))) == {1}
    assert numbers.number == 4
    assert not pools._holders


def test_workers_answer_in_order():
    assert _threads.map_threads(lambda item: item**2, range(100)) == [item**2 for item in range(100)]
    assert list(spread(lambda item: item**2, range(20), 2)) == [item**2 for item in range(20)]
    assert _threads.thread_count() >= 1
    assert _threads._others_running() >= 0
    assert np.isfinite(_threads._others_running())


def test_an_error_waits_for_the_workers_that_had_begun():
    code = """
    def broken(item):
        if item == 0:
            time.sleep(0.05)
            raise ZeroDivisionError
        time.sleep(0.3)

    for loop in (lambda: _threads.map_threads(broken, range(4)), lambda: list(spread(broken, range(4), 2))):
        try:
            loop()
        except ZeroDivisionError:
            assert counts() == before
        else:
            raise AssertionError("no error")
    """
    run(code)
