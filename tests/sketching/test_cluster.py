"""A real cluster of two worker processes: the results of one process, also when workers are killed on the way."""

import contextlib
import os
import signal
import threading
import time

import joblib
import numpy as np
import polars as pl
import pytest
from sklearn.neighbors import LocalOutlierFactor

import shearer as sh
from shearer._jobs import on_cluster, spread, worker_count
from shearer.sketching import open_rows
from shearer.tools import SubspaceOutlierDetector

pytestmark = [
    pytest.mark.needs("distributed"),
    # what a killed worker leaves behind, and third-party deprecations, are not ours to end
    pytest.mark.filterwarnings("default"),
]


# Seconds that anything may take on a busy machine.
PATIENCE = 90


@contextlib.contextmanager
def two_workers():
    import dask
    import distributed

    with (
        # New processes, killed ones' successors included, have the libraries loaded.
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as connected,
    ):
        connected.wait_for_workers(2, timeout=PATIENCE)
        yield connected


@pytest.fixture(scope="module")
def client():
    with two_workers() as connected:
        yield connected


@pytest.fixture
def cluster(client):
    """Loops go to the cluster."""
    with joblib.parallel_config(backend="dask"):
        yield client


@pytest.fixture
def mortal():
    """A cluster of its own for a test that kills workers.

    A worker that is killed while it is being restarted is given up by the process that watches over it, and what the
    cluster was to compute is waited for in vain: workers are killed once at most, long after they have started.
    """
    with two_workers() as connected, joblib.parallel_config(backend="dask"):
        yield connected


@pytest.fixture
def workers(request, killed):
    """Those that all tests share, or, where some are to be killed, others."""
    return request.getfixturevalue("mortal" if killed else "cluster")


class Killer:
    """Kills workers once some work has been done."""

    def __init__(self, client, folder, how_many, after):
        self.pids = list(client.run(os.getpid).values())[:how_many]
        self._folder, self._after = folder, after
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        while len(list(self._folder.iterdir())) < self._after:
            if self._over.wait(0.01):
                return
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, *_):
        self._over.set()
        self._thread.join(timeout=PATIENCE)
        done = len(list(self._folder.iterdir()))
        assert kind or done >= self._after, f"waited for {self._after} pieces of work before killing, saw {done}"


def test_loops_go_where_joblib_says(cluster):
    assert on_cluster()
    assert worker_count(None) == 2
    assert set(spread(lambda item: os.getpid(), range(8), None)) <= set(cluster.run(os.getpid).values())


def test_without_a_cluster_loops_stay_here():
    assert not on_cluster()
    assert worker_count(None) == 1
    assert set(spread(lambda item: os.getpid(), range(3), 2)) == {os.getpid()}
    for wrong, error in ((0, ValueError), (True, ValueError), ("two", TypeError)):
        with pytest.raises(error, match="n_jobs: expected a number of threads"):
            list(spread(abs, range(3), wrong))


@pytest.mark.parametrize("killed", [0, 1, 2])
def test_sketch_of_a_dask_array(workers, tmp_path, killed):
    import dask.array as da

    def make(block_info=None):
        number = block_info[None]["chunk-location"][0]
        (tmp_path / f"{number}-{time.time_ns()}").touch()
        time.sleep(0.05)
        x = np.random.default_rng(number).normal(size=500)
        return np.column_stack([x, x + np.random.default_rng([1, number]).normal(size=500)])

    lazy = da.map_blocks(make, chunks=((500,) * 16, (2,)), dtype=float)
    rows = np.concatenate([make({None: {"chunk-location": (number,)}}) for number in range(16)])
    start = sh.Sketch.like(rows[:1000], measures=("mutual_information",))
    local = start.empty()
    local.update(rows)
    for file in tmp_path.iterdir():
        file.unlink()
    with Killer(workers, tmp_path, killed, after=5):
        found = open_rows(lazy).add_to(start)
    assert found.rows == 8000
    one, other = local.mutual_information(), found.mutual_information()
    assert [one.value, one.lower, one.upper] == pytest.approx([other.value, other.lower, other.upper], abs=1e-12)


@pytest.mark.parametrize("killed", [0, 1, 2])
def test_permutations(workers, tmp_path, killed, rng):
    x = rng.normal(size=60)
    y = x**2 + rng.normal(size=60)

    def slow(first, second):
        (tmp_path / f"{time.time_ns()}").touch()
        time.sleep(0.02)
        return float(abs(np.corrcoef(first, second)[0, 1]))

    with joblib.parallel_config(backend="threading", n_jobs=1):
        local = sh.permutation_test(x, y, statistic=slow, n_resamples=60, rng=3)
    for file in tmp_path.iterdir():
        file.unlink()
    with Killer(workers, tmp_path, killed, after=10):
        found = sh.permutation_test(x, y, statistic=slow, n_resamples=60, rng=3)
    assert found.pvalue == local.pvalue
    assert np.array_equal(found.null_distribution, local.null_distribution)


def test_permutations_of_a_measure(cluster, rng):
    x = rng.normal(size=80)
    y = x + rng.normal(size=80)
    found = sh.permutation_test(x, y, n_resamples=40)
    with joblib.parallel_config(backend="threading", n_jobs=1):
        local = sh.permutation_test(x, y, n_resamples=40)
    assert np.array_equal(found.null_distribution, local.null_distribution)


def test_pairs(cluster, rng):
    table = rng.normal(size=(60, 7)) + rng.normal(size=(60, 1))
    found = sh.pairwise(table, alpha=1)
    scan = sh.scan(table, order=2, top=3)
    with joblib.parallel_config(backend="threading", n_jobs=1):
        local, local_scan = sh.pairwise(table, alpha=1), sh.scan(table, order=2, top=3)
    assert np.array_equal(found.value, local.value, equal_nan=True)
    assert scan.document["pairs"] == local_scan.document["pairs"]


def test_subspaces(cluster, rng):
    table = rng.normal(size=(120, 5))
    table[:, 1] = table[:, 0] + 0.1 * table[:, 1]
    detector = SubspaceOutlierDetector(detector=LocalOutlierFactor(n_neighbors=10))
    found = detector.fit(table).decision_scores_
    with joblib.parallel_config(backend="threading", n_jobs=1):
        local = detector.fit(table).decision_scores_
    assert np.array_equal(found, local)


def test_files_are_read_by_the_workers(cluster, tmp_path, rng):
    x = rng.normal(size=2000)
    frame = pl.DataFrame({"x": x, "y": x + rng.normal(size=2000), "z": rng.normal(size=2000)})
    for place in range(4):
        frame[500 * place : 500 * (place + 1)].write_parquet(tmp_path / f"part-{place}.parquet")
    source = open_rows(str(tmp_path / "part-*.parquet"))
    found = sh.scan(source, order=2, top=2)
    with joblib.parallel_config(backend="threading", n_jobs=1):
        local = sh.scan(source, order=2, top=2)
    assert found.document["pairs"] == local.document["pairs"]
    assert found.document["settings"]["rows"] == 2000
