"""Seconds of one call, in rows and in columns."""

from collections.abc import Iterator
from typing import Any

from shearer.yardstick.known_design import Design, Generator, Suite

_TRIALS = 3
_ROWS = (100, 300, 1000, 3000, 10_000)
_DIMENSIONS = (1, 10, 50)
_QUICK_ROWS = 1000


def _vectors(dimension: int) -> Any:
    def draw(g: Generator, n: int) -> tuple[Any, ...]:
        shape = (n, dimension) if dimension > 1 else n
        return g.normal(size=shape), g.normal(size=shape)

    return draw


def _designs() -> Iterator[Design]:
    for rows in _ROWS:
        yield Design(
            f"rows: {rows}", _vectors(1), rows, True, "rows", "independent normal", place=float(rows), most=_TRIALS,
            quick=rows <= _QUICK_ROWS,
        )  # fmt: skip
    for dimension in _DIMENSIONS:
        yield Design(
            f"columns: {dimension}", _vectors(dimension), 300, True, "columns", "independent normal",
            dimension=dimension, place=float(dimension), most=_TRIALS,
        )  # fmt: skip


SUITE = Suite(
    "scaling",
    1,
    "independence",
    "How long does one call take, and how does that grow with rows and columns?",
    tuple(_designs()),
)
