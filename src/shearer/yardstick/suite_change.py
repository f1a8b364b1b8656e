"""Two groups of rows: does a pair depend alike in both, whatever its single columns do?

The hypothesis: the copula of two numbers, the odds ratios of two labels, or the law of a number's ranks within the
levels of a label, is the same. Increasing changes of a number and other shares of labels leave it as it is.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shearer.yardstick.known_design import Design, Generator, Suite, as_labels

Pair = tuple[Any, Any]
One = Callable[[Generator, int], Pair]


def _groups(first: One, second: One, share: float = 0.5) -> Callable[[Generator, int], tuple[Any, ...]]:
    """Rows of two groups below each other, and which is which."""

    def draw(g: Generator, n: int) -> tuple[Any, ...]:
        m = round(share * n)
        parts = [first(g, m), second(g, n - m)]
        x, y = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        return x, y, np.repeat(["a", "b"], [m, n - m])

    return draw


def _normal(r: float) -> One:
    def draw(g: Generator, n: int) -> Pair:
        x, e = g.normal(size=(2, n))
        return x, r * x + np.sqrt(1 - r * r) * e

    return draw


def _moved(one: One) -> One:
    """The same copula: both columns changed by increasing functions."""

    def draw(g: Generator, n: int) -> Pair:
        x, y = one(g, n)
        return 3 + 2 * np.exp(x), np.arctan(y)

    return draw


def _parabola(slope: float) -> One:
    def draw(g: Generator, n: int) -> Pair:
        x, e = g.normal(size=(2, n))
        return x, slope * x**2 + e

    return draw


def _ring(g: Generator, n: int) -> Pair:
    angle = g.uniform(0, 2 * np.pi, n)
    return np.cos(angle) + 0.25 * g.normal(size=n), np.sin(angle) + 0.25 * g.normal(size=n)


def _lower_tail(g: Generator, n: int) -> Pair:
    """Clayton's copula with theta = 2: Kendall's tau 1/2, as that of a normal pair with r = sin(pi / 4)."""
    common = g.gamma(0.5, size=n)
    x, y = ((1 + g.exponential(size=n) / common) ** -0.5 for _ in range(2))
    return x, y


def _table(odds: float, tilt: float = 1.0) -> One:
    """Two binary labels; the tilt changes the shares and leaves the odds ratio."""
    law = np.array([[odds * tilt, tilt], [1.0, 1.0]]).ravel()

    def draw(g: Generator, n: int) -> Pair:
        cells = g.choice(4, n, p=law / law.sum())
        return as_labels(cells // 2), as_labels(cells % 2)

    return draw


def _shifted(shifts: tuple[float, ...], shares: tuple[float, ...]) -> One:
    def draw(g: Generator, n: int) -> Pair:
        k = g.choice(len(shares), n, p=shares)
        return as_labels(k), np.array(shifts)[k] + g.normal(size=n)

    return draw


def _designs() -> Iterator[Design]:
    even, odd = (1 / 3, 1 / 3, 1 / 3), (0.6, 0.2, 0.2)
    for name, rows, draw, kind, law in (
        ("line", 200, _groups(_normal(0.5), _normal(0.5)), "numbers", "normal, r = .5 in both"),
        ("line, strong", 120, _groups(_normal(0.9), _normal(0.9)), "numbers", "normal, r = .9 in both"),
        ("other margins", 200, _groups(_normal(0.7), _moved(_normal(0.7))), "numbers", "r = .7; exp and arctan in b"),
        ("unequal sizes", 240, _groups(_normal(0.6), _normal(0.6), 1 / 6), "numbers", "r = .6; 40 and 200 rows"),
        ("ring, other margins", 200, _groups(_ring, _moved(_ring)), "numbers", "a ring; exp and arctan in b"),
        ("labels, other shares", 200, _groups(_table(4), _table(4, 3)), "labels", "odds ratio 4, other shares"),
        ("shifts, other shares", 200, _groups(_shifted((0, 1, 0), even), _shifted((0, 1, 0), odd)), "mixed",
         "means 0, 1, 0 by label; other shares of labels"),
    ):  # fmt: skip
        yield Design(f"null: {name}", draw, rows, True, kind, law, kind=kind)
    for name, draw, kind, law in (
        ("line grows", _groups(_normal(0.2), _normal(0.55)), "numbers", "r = .2 and .55"),
        ("line turns", _groups(_normal(0.25), _normal(-0.2)), "numbers", "r = .25 and -.2"),
        ("strong line weakens", _groups(_normal(0.9), _normal(0.8)), "numbers", "r = .9 and .8"),
        ("grows, other margins", _groups(_normal(0.2), _moved(_normal(0.6))), "numbers", "r = .2 and .6; exp, arctan"),
        ("parabola turns", _groups(_parabola(0.35), _parabola(-0.35)), "numbers", "y = .35 x^2 + e and -.35 x^2 + e"),
        ("ring dissolves", _groups(_ring, _normal(0.0)), "numbers", "a ring, and independent normal"),
        ("tail", _groups(_lower_tail, _normal(float(np.sin(np.pi / 4)))), "numbers", "Clayton and normal of one tau"),
        ("odds ratio falls", _groups(_table(6), _table(1.5)), "labels", "odds ratios 6 and 1.5"),
        ("shifts grow", _groups(_shifted((0, 0.2, 0), even), _shifted((0, 1.1, 0), even)), "mixed",
         "means 0, .2, 0 and 0, 1.1, 0 by label"),
    ):  # fmt: skip
        yield Design(name, draw, 200, False, kind, law, kind=kind)


SUITE = Suite(
    "change",
    1,
    "change",
    "Does it find that a dependence differs between two groups, and not that single columns do?",
    tuple(_designs()),
)
