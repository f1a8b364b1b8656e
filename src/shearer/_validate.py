"""Every check of what a caller passes, and the one form its message takes."""

import difflib
import math
import numbers
import re
import reprlib
from collections.abc import Callable, Collection, Iterable
from decimal import Decimal
from typing import Any

_LONGEST_QUOTE = 80
_MOST_LISTED = 12
# How alike a name must be that was mistyped: two letters changed places in a word of four.
_NEAR = 0.75
# Entropies of order alpha exceed that of order infinity by a factor of alpha / (alpha - 1) at most.
_HIGHEST_ORDER = 2.0**60

# Looks at the first items of a collection only: quoting a million rows would take longer than reading them.
_quote = reprlib.Repr()
_quote.maxstring = _quote.maxother = _quote.maxlong = _LONGEST_QUOTE


def describe(value: object) -> str:
    """Quote what was given, on one line and cut to a length that fits on it."""
    try:
        text = re.sub(r"\s*\n\s*", " ", _quote.repr(value))
    except ValueError:  # Python refuses to write integers of more than 4300 digits
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."


def listing(values: Collection[Any]) -> str:
    """Quote the first few of many."""
    quoted = [describe(value) for value, _ in zip(values, range(_MOST_LISTED), strict=False)]
    return ", ".join(quoted) + (", ..." if len(values) > _MOST_LISTED else "")


def message(parameter: str, expected: str, got: str, hint: str = "") -> str:
    """Word an error: what is concerned, what was expected, what came, what to do."""
    # The parameter can be the name of a column, which may hold anything.
    plain = parameter.isprintable() and 0 < len(parameter) <= _LONGEST_QUOTE
    subject = parameter if plain else describe(parameter)
    return f"{subject}: expected {expected}, got {got}." + (f" {hint}" if hint else "")


def value_error(parameter: str, expected: str, got: str, hint: str = "") -> ValueError:
    """The error for a value that is out of range."""
    return ValueError(message(parameter, expected, got, hint))


def type_error(parameter: str, expected: str, got: str, hint: str = "") -> TypeError:
    """The error for a thing of the wrong kind."""
    return TypeError(message(parameter, expected, got, hint))


def check_alpha(alpha: Any) -> float:
    """Return the order of the entropy as a float from 0 to infinity; one that no float tells from it is infinity."""
    expected, hint = "a number from 0 to infinity", "alpha=1 is the Shannon case, alpha=2 the fastest."
    number = _check_number("alpha", expected, alpha, hint)
    if math.isnan(number) or number < 0:
        raise value_error("alpha", expected, describe(alpha), hint)
    return number if number < _HIGHEST_ORDER else math.inf


def check_positive(parameter: str, value: Any, unit: str = "") -> float:
    """Return a positive finite number as a float."""
    expected = f"a positive finite number{unit}"
    number = _check_number(parameter, expected, value)
    if not (math.isfinite(number) and number > 0):
        raise value_error(parameter, expected, describe(value))
    return number


def check_inside(parameter: str, value: Any, expected: str, inside: Callable[[float], bool]) -> float:
    """Return a number of some range as a float; nan is in none."""
    number = _check_number(parameter, expected, value)
    if not inside(number):
        raise value_error(parameter, expected, describe(value))
    return number


def _check_number(parameter: str, expected: str, value: Any, hint: str = "") -> float:
    """Return a real number of any library as a float; truth values and texts are none."""
    plain = value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value
    if isinstance(plain, bool) or not isinstance(plain, numbers.Real | Decimal):
        raise type_error(parameter, expected, describe(value), hint)
    try:
        return float(plain)
    except (OverflowError, ValueError) as error:  # an integer beyond all floats, a signalling NaN
        raise value_error(parameter, expected, describe(value), hint) from error


def check_option(parameter: str, value: Any, options: Collection[Any]) -> Any:
    """Return `value` if it is one of `options`."""
    # 1 == True in Python: an option must match in type too, so that normalize=1 is not taken for normalize=True.
    if not any(type(value) is type(option) and value == option for option in options):
        raise value_error(parameter, f"one of {listing(options)}", describe(value), suggest(value, options))
    return value


def check_names(parameter: str, names: Iterable[Any], known: Collection[str]) -> None:
    """Raise unless every name is known."""
    for name in names:
        if not isinstance(name, str):
            raise type_error(parameter, f"names among {listing(known)}", describe(name))
        if name not in known:
            raise value_error(parameter, f"names among {listing(known)}", describe(name), suggest(name, known))


def suggest(value: Any, options: Collection[Any]) -> str:
    """Point at a name that is nearly the same, where there is one.

    Examples
    --------
    >>> suggest("hieght", ["height", "weight"]), suggest("species", ["speed"]), suggest("Body Mass", ["body_mass"])
    ("Did you mean 'height'?", '', "Did you mean 'body_mass'?")
    """
    if not isinstance(value, str):
        return ""
    # Comparing takes the product of the lengths: only what one could have mistyped is compared.
    short = [text for text in options if isinstance(text, str) and len(text) <= _LONGEST_QUOTE]
    close = difflib.get_close_matches(value[: 2 * _LONGEST_QUOTE], short, n=1, cutoff=_NEAR)
    close = close or [text for text in short if _plain(text) == _plain(value)]
    return f"Did you mean {close[0]!r}?" if close else ""


def _plain(text: str) -> str:
    """A name without case, blanks and marks."""
    return re.sub(r"[\W_]", "", text).lower()
