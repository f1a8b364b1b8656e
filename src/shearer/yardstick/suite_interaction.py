"""Three variables: is there more than their pairs explain?"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from shearer.yardstick.known_design import Design, Generator, Suite, as_labels


def _normal(g: Generator, n: int) -> tuple[Any, ...]:
    law = np.array([[1.0, 0.5, 0.3], [0.5, 1.0, 0.4], [0.3, 0.4, 1.0]])
    return tuple(g.multivariate_normal(np.zeros(3), law, n, method="cholesky").T)


def _skewed(g: Generator, n: int) -> tuple[Any, ...]:
    return tuple(np.exp(part) for part in _normal(g, n))


def _sum(g: Generator, n: int) -> tuple[Any, ...]:
    a, b, e = g.normal(size=(3, n))
    return a, b, 0.7 * a - 0.7 * b + e


def _curves(g: Generator, n: int) -> tuple[Any, ...]:
    """-(c - f(a) - h(b))^2 / 2 has products of two of c, f(a), h(b) and none of all three: a model of pairs."""
    a, b, e = g.normal(size=(3, n))
    return a, b, np.tanh(2 * a) + 0.5 * b**2 + e


def _coupled(g: Generator, n: int) -> tuple[Any, ...]:
    """Three coins, each pair coupled by the same factor."""
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    pairs = signs[:, 0] * signs[:, 1] + signs[:, 0] * signs[:, 2] + signs[:, 1] * signs[:, 2]
    law = np.exp(0.4 * pairs + 0.2 * signs.sum(axis=1))
    return tuple(as_labels(part) for part in signs[g.choice(8, n, p=law / law.sum())].T)


def _chain(g: Generator, n: int) -> tuple[Any, ...]:
    a = as_labels(g.integers(0, 3, n))
    b = (a == "l1") + 0.8 * g.normal(size=n)
    return a, b, 0.8 * b + 0.6 * g.normal(size=n)


def _product(g: Generator, n: int) -> tuple[Any, ...]:
    a, b, e = g.normal(size=(3, n))
    return a, b, 0.4 * a * b + e


def _product_of_related(g: Generator, n: int) -> tuple[Any, ...]:
    a, u, e = g.normal(size=(3, n))
    b = 0.6 * a + 0.8 * u
    return a, b, 0.5 * a + 0.5 * b + 0.4 * a * b + e


def _signs(g: Generator, n: int) -> tuple[Any, ...]:
    a, b, e = g.normal(size=(3, n))
    return a, b, np.where(g.uniform(size=n) < 0.5, np.sign(a * b), g.choice([-1.0, 1.0], n)) * np.abs(e)


def _wave(g: Generator, n: int) -> tuple[Any, ...]:
    a, b = g.uniform(-np.pi, np.pi, size=(2, n))
    return a, b, np.cos(2 * a + b) + 0.7 * g.normal(size=n)


def _spread(g: Generator, n: int) -> tuple[Any, ...]:
    a, b, e = g.normal(size=(3, n))
    return a, b, np.exp(0.35 * a * b) * e


def _parity(g: Generator, n: int) -> tuple[Any, ...]:
    a, b = g.integers(0, 2, size=(2, n))
    return as_labels(a), as_labels(b), as_labels(a ^ b ^ (g.uniform(size=n) < 0.4))


def _slopes(g: Generator, n: int) -> tuple[Any, ...]:
    k, (b, e) = g.integers(0, 3, size=n), g.normal(size=(2, n))
    return as_labels(k), b, np.array([0.4, 0.0, -0.2])[k] * b + e


def _designs() -> Iterator[Design]:
    rows = 300
    for name, draw, family, kind, law in (
        ("normal", _normal, "numbers", "numbers", "normal, correlations .5, .3, .4"),
        ("log-normal", _skewed, "numbers", "numbers", "exp of the same"),
        ("difference", _sum, "numbers", "numbers", "c = .7 a - .7 b + e: -log p is quadratic"),
        ("curves", _curves, "numbers", "numbers", "c = tanh 2a + b^2 / 2 + e: log p has products of two only"),
        ("three coins", _coupled, "labels", "labels", "log p = .4 (ab + ac + bc) + .2 (a + b + c)"),
        ("chain with a label", _chain, "labels", "mixed", "a -> b -> c: p(a, b) p(c | b)"),
    ):
        yield Design(f"null: {name}", draw, rows, True, family, law, kind=kind, variables=3)
    for name, draw, family, kind, law in (
        ("product", _product, "numbers", "numbers", "c = .4 a b + e"),
        ("product of related", _product_of_related, "numbers", "numbers", "c = (a + b) / 2 + .4 a b + e, r(a, b) = .6"),
        ("signs", _signs, "numbers", "numbers", "sign c = sign a b in half of the rows"),
        ("wave", _wave, "numbers", "numbers", "c = cos(2a + b) + .7 e"),
        ("spread", _spread, "numbers", "numbers", "c = exp(.35 a b) e"),
        ("parity", _parity, "labels", "labels", "c = a xor b, inverted in 40 %"),
        ("slopes by label", _slopes, "labels", "mixed", "c = slope(a) b + e, slopes .4, 0, -.2"),
    ):
        yield Design(name, draw, rows, False, family, law, kind=kind, variables=3)


SUITE = Suite(
    "interaction",
    1,
    "interaction",
    "Does it find what three variables have beyond their pairs, and nothing where a model of pairs holds?",
    tuple(_designs()),
)
