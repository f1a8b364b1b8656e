"""A bar on stderr for what takes long, and nothing for what does not."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, Self, TypeVar

Item = TypeVar("Item")

# Work that ends sooner needs no bar; one that flashes up distracts.
PATIENCE_SECONDS = 2.0


def track(iterable: Iterable[Item], total: int, label: str, enabled: bool | None = None) -> Iterator[Item]:
    """The items, with a bar and the time left on stderr once they have taken two seconds.

    Parameters
    ----------
    iterable : iterable
        What to go through.
    total : int
        How many items there are.
    label : str
        What is being done.
    enabled : bool, optional
        True or False: with or without a bar. Default: with one if stderr is a terminal.

    Examples
    --------
    >>> list(track("abc", total=3, label="letters"))
    ['a', 'b', 'c']
    """
    with Meter(total, label, enabled) as meter:
        for item in iterable:
            yield item
            meter.step()


class Meter:
    """The same where steps are counted by hand, inside of a ``with``.

    Parameters
    ----------
    total, label, enabled
        As in `track`.

    Examples
    --------
    >>> with Meter(2, "halves", enabled=False) as meter:
    ...     meter.step()
    ...     meter.step()
    """

    def __init__(self, total: int, label: str, enabled: bool | None = None) -> None:
        self._total, self._label = total, label
        self._wanted = sys.stderr.isatty() if enabled is None else enabled
        self._done = 0
        self._start = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done)
        elif self._wanted and time.monotonic() - self._start > PATIENCE_SECONDS:
            self._bar = _open_bar(self._label, self._total, self._done)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def _open_bar(label: str, total: int, done: int) -> Any:
    # Loaded only where a bar is shown.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True))
    bar.add_task(label, total=total, completed=done)
    bar.start()
    return bar
