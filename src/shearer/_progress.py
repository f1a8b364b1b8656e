"""A bar on stderr for what takes long, or lines where stderr is no terminal; nothing for what is soon done."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, Self, TypeVar

Item = TypeVar("Item")

# Work that ends sooner needs no bar; one that flashes up distracts.
PATIENCE_SECONDS = 2.0
# Where stderr is a file, a pipe or a cell of a notebook: seconds before the first line and between two of them at
# least, and the share of the time that has passed after which another is due.
LINE_SECONDS, LINE_SHARE = 5.0, 0.1


def track(iterable: Iterable[Item], total: int, label: str, enabled: bool | None = None) -> Iterator[Item]:
    """The items, with a bar and the time left on stderr once they have taken two seconds.

    Where stderr is no terminal, a line every few seconds has the place of the bar.

    Parameters
    ----------
    iterable : iterable
        What to go through.
    total : int
        How many items there are.
    label : str
        What is being done.
    enabled : bool, optional
        False: without a bar and without lines. True: a bar whatever stderr is. Default: a bar if stderr is a terminal,
        lines if it is not.

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
        # Without a console, as under pythonw, there is no standard error.
        open_error = sys.stderr is not None
        self._drawn = open_error and sys.stderr.isatty() if enabled is None else enabled
        self._told = open_error and enabled is None and not self._drawn
        self._done = 0
        self._start = self._last = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done)
        elif self._drawn and time.monotonic() - self._start > PATIENCE_SECONDS:
            self._bar = _open_bar(self._label, self._total, self._done)
        elif self._told and self._done < self._total:
            self._tell(time.monotonic())

    def _tell(self, now: float) -> None:
        """A line, if one is due."""
        passed = now - self._start
        if now - self._last < max(LINE_SECONDS, LINE_SHARE * passed):
            return
        self._last = now
        left = passed * (self._total - self._done) / self._done
        share = 100 * self._done // self._total
        print(f"shearer: {self._label}, {share} %, about {_duration(left)} left", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def _duration(seconds: float) -> str:
    """Seconds as one says them.

    Examples
    --------
    >>> _duration(7.4), _duration(150), _duration(9000)
    ('7 s', '2 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _open_bar(label: str, total: int, done: int) -> Any:
    # Loaded only where a bar is shown.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True))
    bar.add_task(label, total=total, completed=done)
    bar.start()
    return bar
