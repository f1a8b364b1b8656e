"""Names of a package that are loaded on first use."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def load_on_first_use(
    package: dict[str, Any], places: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make `__getattr__` and `__dir__` of a package whose names are loaded when they are asked for.

    Parameters
    ----------
    package : dict
        The package's `globals()`.
    places : mapping of name -> module
        Where each name is found; a module of the package stands for itself.

    Examples
    --------
    >>> places = {"decoder": "json.decoder", "JSONDecodeError": "json.decoder"}
    >>> get, names = load_on_first_use({"__name__": "json"}, places)
    >>> get("decoder").__name__, get("JSONDecodeError").__name__, names()
    ('json.decoder', 'JSONDecodeError', ['JSONDecodeError', '__name__', 'decoder'])
    """

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        module = importlib.import_module(places[name])
        return module if places[name] == f"{package['__name__']}.{name}" else getattr(module, name)

    def names() -> list[str]:
        return sorted({*package, *places})

    return get, names
