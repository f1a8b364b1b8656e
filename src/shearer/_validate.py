"""Every check of what a caller passes, and the one form its message takes."""

import difflib
import math
from collections.abc import Collection, Iterable
from typing import Any

_LONGEST_QUOTE = 80


def describe(value: object) -> str:
    """Quote what was given, cut to a length that fits on a line."""
    text = repr(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."


def message(parameter: str, expected: str, got: str, hint: str = "") -> str:
    """Word an error: what is concerned, what was expected, what came, what to do."""
    return f"{parameter}: expected {expected}, got {got}." + (f" {hint}" if hint else "")


def value_error(parameter: str, expected: str, got: str, hint: str = "") -> ValueError:
    """The error for a value that is out of range."""
    return ValueError(message(parameter, expected, got, hint))


def type_error(parameter: str, expected: str, got: str, hint: str = "") -> TypeError:
    """The error for a thing of the wrong kind."""
    return TypeError(message(parameter, expected, got, hint))


def check_alpha(alpha: Any) -> float:
    """Return the order of the entropy as a float from 0 to infinity."""
    expected = "a number from 0 to infinity"
    if isinstance(alpha, bool | str | bytes | complex) or alpha is None:
        raise type_error("alpha", expected, describe(alpha), "alpha=1 is the Shannon case, alpha=2 the fastest.")
    try:
        number = float(alpha)
    except (TypeError, ValueError) as error:
        raise type_error("alpha", expected, describe(alpha)) from error
    if math.isnan(number) or number < 0:
        raise value_error("alpha", expected, describe(alpha), "alpha=1 is the Shannon case, alpha=2 the fastest.")
    return number


def check_positive(parameter: str, value: Any, unit: str = "") -> float:
    """Return a positive finite number as a float."""
    expected = f"a positive finite number{unit}"
    if isinstance(value, bool | str | bytes | complex) or value is None:
        raise type_error(parameter, expected, describe(value))
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise type_error(parameter, expected, describe(value)) from error
    if not (math.isfinite(number) and number > 0):
        raise value_error(parameter, expected, describe(value))
    return number


def check_option(parameter: str, value: Any, options: Collection[Any]) -> Any:
    """Return `value` if it is one of `options`."""
    # 1 == True in Python: an option must match in type too, so that normalize=1 is not taken for normalize=True.
    if not any(value == option and type(value) is type(option) for option in options):
        listed = ", ".join(repr(option) for option in options)
        raise value_error(parameter, f"one of {listed}", describe(value), suggest(value, options))
    return value


def check_names(parameter: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise unless every name is known."""
    for name in names:
        if name not in known:
            listed = ", ".join(repr(item) for item in list(known)[:12]) + (", ..." if len(known) > 12 else "")
            raise value_error(parameter, f"names among {listed}", describe(name), suggest(name, known))


def suggest(value: Any, options: Collection[Any]) -> str:
    """Point at the nearest spelling, where there is one."""
    texts = [option for option in options if isinstance(option, str)]
    close = difflib.get_close_matches(value, texts, n=1) if isinstance(value, str) else []
    return f"Did you mean {close[0]!r}?" if close else ""
