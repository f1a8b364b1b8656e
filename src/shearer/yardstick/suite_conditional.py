"""Two variables given others: independent once these are known, or not."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shearer.yardstick.known_design import Design, Generator, Suite, as_labels

Maker = Callable[[Generator, int], tuple[Any, Any, Any]]


def _normal_given(dimension: int, mean: Callable[[Any], Any], noise: float) -> Maker:
    """Two variables that have one function of normal conditions in common, and noise of their own."""

    def draw(g: Generator, n: int) -> tuple[Any, Any, Any]:
        z = g.normal(size=(n, dimension))
        x, y = (mean(z) + noise * g.normal(size=n) for _ in range(2))
        return x, y, z if dimension > 1 else z[:, 0]

    return draw


def _with(null: Maker, size: float) -> Maker:
    """The same with noise in common."""

    def draw(g: Generator, n: int) -> tuple[Any, Any, Any]:
        x, y, z = null(g, n)
        common = size * g.normal(size=n)
        return x + common, y + common, z

    return draw


def _spread(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = g.uniform(-2, 2, size=n)
    scale = np.exp(0.5 * z)
    return z + scale * g.normal(size=n), np.cos(z) + scale * g.normal(size=n), z


def _skewed(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = g.gamma(2.0, size=n)
    return np.log(z) + 0.4 * g.exponential(size=n), np.sqrt(z) + 0.4 * g.exponential(size=n), z


def _by_label(g: Generator, n: int) -> tuple[Any, Any, Any]:
    k = g.integers(0, 4, size=n)
    return (
        np.array([0.0, 1.0, 2.0, 0.0])[k] + g.normal(size=n),
        np.array([1.0, 0.0, 2.0, 2.0])[k] + g.normal(size=n),
        as_labels(k),
    )


def _label_of_number(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = g.normal(size=n)
    return as_labels(np.digitize(z + 0.6 * g.normal(size=n), [-0.6, 0.6])), z**2 + 0.6 * g.normal(size=n), z


def _linked_label(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z, e = g.normal(size=(2, n))
    x = np.digitize(z + 0.8 * e, [-0.6, 0.6])
    return as_labels(x), z + 0.5 * x + g.normal(size=n), z


def _square(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z, w = g.normal(size=(2, n))
    return np.sin(2 * z) + w, np.sin(2 * z) + 0.4 * w**2 + g.normal(size=n), z


def _scale_of(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z, w = g.normal(size=(2, n))
    return z + w, z + np.exp(0.5 * w) * g.normal(size=n), z


def _where(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z, w = g.normal(size=(2, n))
    return w, np.where(z > 0, 0.8 * w, -0.8 * w) + g.normal(size=n), z


def _effect(g: Generator, n: int) -> tuple[Any, Any, Any]:
    """Both cause z, so that they are independent until z is known."""
    x, y = g.normal(size=(2, n))
    return x, y, 0.6 * x + 0.6 * y + g.normal(size=n)


_LINE = _normal_given(1, lambda z: 1.5 * z[:, 0], 0.6)
_WAVE = _normal_given(1, lambda z: np.sin(3 * z[:, 0]), 0.4)
_PLANE = _normal_given(3, lambda z: z @ np.array([1.0, -0.7, 0.5]), 0.7)
_SADDLE = _normal_given(3, lambda z: z[:, 0] * z[:, 1], 0.6)
_TEN = _normal_given(10, lambda z: np.tanh(z[:, 0] + z[:, 1]), 0.5)


def _designs() -> Iterator[Design]:
    rows = 150
    for name, draw, dimension, law in (
        ("line", _LINE, 1, "x and y = 1.5 z + own noise"),
        ("wave", _WAVE, 1, "x and y = sin 3z + own noise"),
        ("plane", _PLANE, 3, "x and y = z1 - .7 z2 + .5 z3 + own noise"),
        ("saddle", _SADDLE, 3, "x and y = z1 z2 + own noise, z of 3 dimensions"),
        ("ten conditions", _TEN, 10, "x and y = tanh(z1 + z2) + own noise, z of 10 dimensions"),
        ("spread by z", _spread, 1, "x = z + s e, y = cos z + s f, s = exp(z / 2)"),
        ("skewed", _skewed, 1, "x = log z + e, y = sqrt z + f, z gamma, e and f exponential"),
    ):
        yield Design(f"null: {name}", draw, rows, True, f"{dimension} given", law, dimension=dimension)
    yield Design("null: a label", _by_label, rows, True, "labels", "means of x and y by a label z", kind="mixed")
    yield Design(
        "null: x a label", _label_of_number, rows, True, "labels", "x = three classes of z + e, y = z^2 + f",
        kind="mixed",
    )  # fmt: skip
    for name, draw, dimension, law in (
        ("line, common noise", _with(_LINE, 0.35), 1, "as the null, and .35 w in both"),
        ("plane, common noise", _with(_PLANE, 0.4), 3, "as the null, and .4 w in both"),
        ("saddle, common noise", _with(_SADDLE, 0.45), 3, "as the null, and .45 w in both"),
        ("ten conditions, common noise", _with(_TEN, 0.35), 10, "as the null, and .35 w in both"),
        ("square", _square, 1, "x = sin 2z + w, y = sin 2z + .4 w^2 + e"),
        ("spread", _scale_of, 1, "x = z + w, y = z + exp(w / 2) e"),
        ("sign turned by z", _where, 1, "y = +-.8 x + e, the sign that of z"),
        ("common effect", _effect, 1, "z = .6 x + .6 y + e"),
        ("skewed, common noise", _with(_skewed, 0.2), 1, "as the null, and .2 w in both"),
    ):
        yield Design(name, draw, rows, False, f"{dimension} given", law, dimension=dimension)
    yield Design(
        "a label, common noise", _with(_by_label, 0.5), rows, False, "labels", "as the null, and .5 w in both",
        kind="mixed",
    )  # fmt: skip
    yield Design("x a label, linked", _linked_label, rows, False, "labels", "y = z + class of x / 2 + e", kind="mixed")


SUITE = Suite(
    "conditional",
    1,
    "conditional",
    "Does it find dependence that is left once other variables are known, and only that?",
    tuple(_designs()),
)
