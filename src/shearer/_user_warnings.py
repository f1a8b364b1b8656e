"""Warnings that point at the user's own line, however deep in this package or in modules of torch they come up."""

import sys
import warnings

# Public functions are decorated with a context of threads, which is contextlib's.
_PASSED_OVER = ("shearer", "torch", "contextlib")


def warn_caller(text: str) -> None:
    """Warn of something at the line of the first caller outside of this package, torch and contextlib."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PASSED_OVER:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)
