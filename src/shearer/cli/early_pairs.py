"""The pairs of a scan before the rest of it is computed, where the rest takes long."""

import sys
import threading
from collections.abc import Mapping
from typing import Any, Self

# Seconds that the rest of a scan may take before its pairs are shown: soon after, all is.
PATIENCE_SECONDS = 1.0


class EarlyPairs:
    """Pairs on the standard error, if it is a terminal and a scan is not done a second after they were tested.

    The standard output, and files, are for the whole result.

    Parameters
    ----------
    limit : int
        Pairs shown at most.
    quiet : bool
        Show none.

    Examples
    --------
    >>> with EarlyPairs(10, quiet=True) as early:
    ...     early.show({"pairs": []})
    """

    def __init__(self, limit: int, *, quiet: bool) -> None:
        self._limit, self._quiet = limit, quiet
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        return self

    def show(self, document: Mapping[str, Any]) -> None:
        """Show them soon, if the scan is still going on."""
        if not self._quiet and self._limit and sys.stderr.isatty():
            self._timer = threading.Timer(PATIENCE_SECONDS, _print, (document, self._limit))
            self._timer.daemon = True
            self._timer.start()

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()  # one that has begun to print ends before the result is printed


def _print(document: Mapping[str, Any], limit: int) -> None:
    from rich.console import Console

    from shearer.report.terminal import pair_table, strongest

    found = strongest(document, "pairs")
    console = Console(file=sys.stderr, highlight=False)
    if not found:
        console.print("No pair is found so far; triples follow.")
        return
    console.print("First results: the strongest pairs. Intervals, shapes and triples follow.")
    console.print(pair_table(found[:limit], console.width, plain=console.options.ascii_only))
