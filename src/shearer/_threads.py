"""Work on several cores by threads, with the matrix library held to one thread each.

The threads of a matrix library wait for work by spinning: in loops of small products they cost many times what they
save, most of all beside other work. So every public function holds the library to one thread (`single_threaded_blas`),
pieces of work go to threads of our own (`map_threads`, `shearer._jobs.spread`), and a large product may have the
library's threads back while nothing else runs (`blas_threads_for`).
"""

import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import ContextDecorator, contextmanager
from functools import cache
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
R = TypeVar("R")
#: How to go through independent items: `map_threads`, or `one_by_one` where threads are busy with other work.
Each: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]

# Multiplications from which on threads of the matrix library save time: products, and eigenvalues, of 1000 rows.
_LARGE = 10**9


def thread_count() -> int:
    """Cores this process may use, or what `OMP_NUM_THREADS` allows."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        cores = os.cpu_count() or 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, int(allowed)) if allowed.isdigit() and int(allowed) > 0 else cores


class Library:
    """One matrix library of this process: how many threads it has, from whichever thread it is asked.

    Parameters
    ----------
    controller : threadpoolctl.LibController
        What threadpoolctl knows of it.
    """

    def __init__(self, controller: Any) -> None:
        self._controller = controller
        # threadpoolctl lets only the thread that set a number set another: those of other threads are ignored without
        # a word. Who leaves last need not be who came first.
        self._set: Callable[[int], Any] = getattr(controller, "_real_set_num_threads", controller.set_num_threads)
        #: True if each thread that calls the library has a number of its own.
        self.by_thread = getattr(controller, "threading_layer", None) == "openmp"

    @property
    def threads(self) -> int:
        """How many threads a product may use."""
        return int(self._controller.get_num_threads() or 1)

    @threads.setter
    def threads(self, number: int) -> None:
        self._set(number)


class Pools:
    """The matrix libraries of this process, and who holds them to one thread.

    Every step can be repeated: who is interrupted in the middle of one leaves nothing that the next does not mend.

    Parameters
    ----------
    libraries : callable
        Finds them, when they are first needed.
    """

    def __init__(self, libraries: Callable[[], tuple[Library, ...]]) -> None:
        self.libraries = libraries
        self._lock = threading.RLock()  # a hold that was lost may be let go of within any step
        self._holders: dict[int, tuple[int, Any]] = {}  # by hold: its thread, and who is told if it is lost
        self._saved: dict[Library, int] = {}  # how many threads those had that are held
        self._lifted = False

    def hold(self, holder: object) -> None:
        """One thread until this holder, and all others, have let go."""
        name = id(holder)
        lost = weakref.ref(holder, lambda _: self.let_go(name))
        with self._lock:
            first = not self._holders
            self._holders[name] = threading.get_ident(), lost
            if first or self._lifted:
                self._lifted = False
                for library in self.libraries():
                    if not library.by_thread and library.threads != 1:
                        self._saved.setdefault(library, library.threads)
                        library.threads = 1

    def let_go(self, name: int) -> None:
        """The last to leave restores what the first has found."""
        with self._lock:
            if self._holders.keys() <= {name}:
                self._restore()
                self._saved.clear()
            self._holders.pop(name, None)

    def lift(self) -> bool:
        """Threads for a large product, if the caller's thread is the only one that holds and the machine has cores."""
        with self._lock:
            threads = {thread for thread, _ in self._holders.values()}
            if not self._saved or self._lifted or threads != {threading.get_ident()}:
                return False
            if _others_running() + max(self._saved.values()) > (os.cpu_count() or 1):
                return False
            self._lifted = True
            self._restore()
            return True

    def lower(self) -> None:
        """The end of a large product; nothing to do if another thread began to hold meanwhile."""
        with self._lock:
            if self._lifted:
                for library in self._saved:
                    library.threads = 1
                self._lifted = False

    def _restore(self) -> None:
        for library, number in self._saved.items():
            if library.threads == 1:  # else someone else has set it since
                library.threads = number

    def forked(self) -> None:
        """In a child: its one thread holds what it held. What others held is restored after the child's next hold."""
        own = threading.get_ident()
        self._lock = threading.RLock()  # the parent's may be another thread's, which is not here
        self._holders = {name: holder for name, holder in self._holders.items() if holder[0] == own}
        self._lifted = False


@cache
def _libraries() -> tuple[Library, ...]:
    """Those of numpy and scipy, which may be two; finding them takes milliseconds."""
    import scipy.linalg  # noqa: F401 - loads its library
    from threadpoolctl import ThreadpoolController

    found = ThreadpoolController().select(user_api="blas").lib_controllers
    return tuple(Library(controller) for controller in found)


_pools = Pools(_libraries)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.forked)


class SingleThreadedBlas(ContextDecorator):
    """What `single_threaded_blas` returns."""

    def __init__(self) -> None:
        self._own: list[tuple[Library, int]] = []

    def _recreate_cm(self) -> "SingleThreadedBlas":
        return SingleThreadedBlas()  # one for each call of a decorated function

    def __enter__(self) -> None:
        """Hold."""
        try:
            _pools.hold(self)
            for library in _pools.libraries():
                if library.by_thread and library.threads != 1:
                    self._own.append((library, library.threads))
                    library.threads = 1
        except BaseException:  # an interruption
            self._let_go()
            raise

    def __exit__(self, *_: object) -> None:
        """Let go."""
        try:
            self._let_go()
        except BaseException:  # an interruption in the middle of it
            self._let_go()
            raise

    def _let_go(self) -> None:
        for library, number in self._own:
            library.threads = number
        _pools.let_go(id(self))


def single_threaded_blas() -> SingleThreadedBlas:
    """Hold the matrix library to one thread, within a ``with`` or a decorated function, from any number of threads.

    The number of threads is the process's: the first to enter sets it to one, and the last to leave restores it,
    whatever happened in between. A generator must not wait for its caller while it holds.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with single_threaded_blas():
    ...     {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}
    {1}
    """
    return SingleThreadedBlas()


@contextmanager
def blas_threads_for(multiplications: float) -> Iterator[None]:
    """Within a hold: the matrix library has its threads back if the work is large and no other thread holds it.

    Not beside other processes that keep the cores busy: the threads of a product wait for the slowest of them, and
    eigenvalues would take ten times as long as with one.

    Parameters
    ----------
    multiplications : float
        Of one product; of eigenvalues, the cube of the rows.
    """
    if multiplications < _LARGE or not _pools.lift():
        yield
        return
    try:
        yield
    finally:
        _pools.lower()


def map_threads(function: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """function(item) for every item, on all cores, in order."""
    work = list(items)
    threads = min(thread_count(), len(work))
    if threads <= 1:
        return [function(item) for item in work]
    from concurrent.futures import wait

    pool = _pool(os.getpid(), thread_count())
    with single_threaded_blas():
        begun = [pool.submit(held, function, item) for item in work]
        try:
            return [call.result() for call in begun]
        finally:  # after an error too nothing goes on that holds the matrix library
            for call in begun:
                call.cancel()
            wait(begun)


def held(function: Callable[[T], R], item: T) -> R:
    """A call on a worker, whose matrix library must not start threads of its own."""
    with single_threaded_blas():
        return function(item)


def one_by_one(function: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """function(item) for every item, in order."""
    return [function(item) for item in items]


@cache
def _pool(process: int, threads: int) -> Any:  # noqa: ARG001 - a forked child must not wait for its parent's threads
    """Threads that stay: starting them takes as long as a small computation."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, thread_name_prefix="shearer")


def _others_running() -> int:
    """Threads of other processes that want a core at this moment; 0 where the system does not say."""
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            running = int(file.read().split()[3].partition("/")[0])
        own = sum(_is_running(task) for task in os.listdir("/proc/self/task"))
    except (OSError, ValueError, IndexError):
        return 0
    return max(0, running - own)


def _is_running(task: str) -> bool:
    try:
        with open(f"/proc/self/task/{task}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "R"
    except FileNotFoundError:  # it has ended
        return False
