"""Workers of a cluster that have another version of the package are refused in words, as is a cluster that is gone."""

from concurrent.futures import CancelledError

import joblib  # noqa: F401 - without it nobody can have configured a cluster
import pytest

from shearer import __version__, _jobs


class Client:
    """What is asked of a connection to a cluster."""

    def __init__(self, **versions):
        self.id, self.versions, self.asked = f"client {id(self)}", versions, 0

    def run(self, function, name, on_error):
        assert function(name) == __version__
        assert on_error == "return"
        self.asked += 1
        return self.versions


@pytest.fixture
def connect(monkeypatch):
    def connected(client, *, inside=False):
        backend = type("Backend", (), {"client": client})()
        monkeypatch.setattr("joblib.parallel.get_active_backend", lambda: (backend, 2))
        monkeypatch.setattr(_jobs, "_inside_worker", lambda: inside)
        return client

    return connected


def test_workers_of_one_version_are_asked_once(connect):
    client = connect(Client(a=__version__, b=__version__))
    _jobs.check_workers()
    _jobs.check_workers()
    assert client.asked == 1


@pytest.mark.parametrize(
    ("version", "said"),
    [("0.0.9", "got 0.0.9 at b"), (ModuleNotFoundError("shearer"), "got none that can be imported")],
)
def test_another_version_is_refused(connect, version, said):
    connect(Client(a=__version__, b=version))
    for _ in range(2):
        with pytest.raises(ValueError, match=rf"cluster: expected workers with shearer {__version__}, {said}"):
            _jobs.check_workers()


def test_a_scheduler_that_is_gone_cancels_what_would_go_there(connect):
    """joblib asks it for its cores, of which there is no scheduler any more: an error of attributes."""
    client = connect(Client(a=__version__))
    client.scheduler = None
    with pytest.raises(CancelledError, match="the scheduler of the cluster is gone"):
        list(_jobs.spread(abs, [1, 2], None))


def test_tasks_do_not_ask(connect):
    assert connect(Client(a="0.0.9"), inside=True).asked == 0
    _jobs.check_workers()


def test_threads_are_not_asked():
    _jobs.check_workers()
