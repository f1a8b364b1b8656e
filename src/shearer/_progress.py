"""A bar on stderr for what takes long, and nothing for what does not."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

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
    wanted = sys.stderr.isatty() if enabled is None else enabled
    if not wanted:
        yield from iterable
        return
    start = time.monotonic()
    bar: Any = None
    try:
        for done, item in enumerate(iterable):
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done)
            elif time.monotonic() - start > PATIENCE_SECONDS:
                bar = _open_bar(label, total, done)
            yield item
        if bar is not None:
            bar.update(bar.task_ids[0], completed=total)
    finally:
        if bar is not None:
            bar.stop()


def _open_bar(label: str, total: int, done: int) -> Any:
    # Loaded only where a bar is shown.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True))
    bar.add_task(label, total=total, completed=done)
    bar.start()
    return bar
