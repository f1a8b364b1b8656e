"""Values: 0 at independence, growing as noise falls, equal for equal noise, the same for any rows and kinds."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shearer.yardstick.known_design import Design, Generator, Suite, as_labels

_TRIALS = 20
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
# Functions of x uniform on [-1, 1].
SHAPES: dict[str, Callable[[Any], Any]] = {
    "line": lambda x: x,
    "parabola": lambda x: x**2,
    "two waves": lambda x: np.sin(2 * np.pi * x),
    "exponential": lambda x: np.exp(3 * x),
    "step": lambda x: 1.0 * (x > 0.3),
}


def _noisy(shape: str, share: float) -> Callable[[Generator, int], tuple[Any, ...]]:
    """A function of x and noise, of which the function has the stated share of the variance."""
    f = SHAPES[shape]
    grid = (np.arange(20_000) + 0.5) / 10_000 - 1
    spread = np.sqrt(np.var(f(grid)) * (1 - share) / share)

    def draw(g: Generator, n: int) -> tuple[Any, ...]:
        x = g.uniform(-1, 1, size=n)
        return x, f(x) + spread * g.normal(size=n)

    return draw


def _normal(g: Generator, n: int, r: float) -> tuple[Any, Any]:
    x, e = g.normal(size=(2, n))
    return x, r * x + np.sqrt(1 - r * r) * e


def _classes(x: Any, count: int) -> Any:
    """Labels of equally frequent classes."""
    ranks = np.argsort(np.argsort(x, kind="stable"), kind="stable")
    return as_labels(ranks * count // len(x))


_INDEPENDENT: dict[str, tuple[str, Callable[[Generator, int], tuple[Any, ...]]]] = {
    "normal": ("numbers", lambda g, n: tuple(g.normal(size=(2, n)))),
    "Cauchy": ("numbers", lambda g, n: tuple(g.standard_cauchy(size=(2, n)))),
    "number and 5 labels": ("mixed", lambda g, n: (g.normal(size=n), as_labels(g.integers(0, 5, n)))),
    "5 and 8 labels": ("labels", lambda g, n: (as_labels(g.integers(0, 5, n)), as_labels(g.integers(0, 8, n)))),
}


def _designs() -> Iterator[Design]:
    for name, (kind, draw) in _INDEPENDENT.items():
        for rows in (30, 100, 400):
            yield Design(
                f"independent: {name}, n={rows}", draw, rows, None, "zero", "independent", kind=kind, most=_TRIALS,
                place=0.0, quick=rows != 400,
            )  # fmt: skip
    for shape in SHAPES:
        for share in _SHARES:
            yield Design(
                f"{shape}, share {share:g}", _noisy(shape, share), 200, None, f"noise: {shape}",
                f"y = f(x) + e, f(x) has {share:g} of the variance", place=share, most=_TRIALS,
                quick=share in (0.1, 0.5, 0.9),
            )  # fmt: skip
    for rows in (50, 200, 800):
        yield Design(
            f"rows: normal, n={rows}", lambda g, n: _normal(g, n, 0.6), rows, None, "rows", "normal, r = .6",
            place=float(rows), most=_TRIALS,
        )  # fmt: skip
    law = "normal, r = .7"
    for name, kind, draw in (
        ("as it is", "numbers", lambda g, n: _normal(g, n, 0.7)),
        ("x skewed", "numbers", lambda g, n: (lambda x, y: (np.exp(2 * x), y))(*_normal(g, n, 0.7))),
        ("x of 8 labels", "mixed", lambda g, n: (lambda x, y: (_classes(x, 8), y))(*_normal(g, n, 0.7))),
        ("both of 8 labels", "labels", lambda g, n: tuple(_classes(part, 8) for part in _normal(g, n, 0.7))),
    ):
        yield Design(f"kinds: {name}", draw, 300, None, "kinds", law, kind=kind, place=0.7, most=_TRIALS)


SUITE = Suite(
    "strength",
    1,
    "strength",
    "Is its value 0 at independence, larger for less noise, and comparable between shapes, rows and kinds?",
    tuple(_designs()),
)
