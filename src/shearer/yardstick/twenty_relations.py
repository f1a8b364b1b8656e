"""The twenty relations of Vogelstein et al. (2019, eLife 8:e41690, appendix), from their formulas, in any dimension.

Noise is that of the appendix: kappa = 1 in one dimension, 0 in several.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_option

Generator = np.random.Generator
Array: TypeAlias = NDArray[Any]
Draw: TypeAlias = Callable[[Generator, int], tuple[Any, ...]]
_Formula: TypeAlias = Callable[[Generator, int, int, float], tuple[Array, Array]]


def relation(name: str, dimension: int = 1) -> Draw:
    """One of the relations, with noise in one dimension and without in several.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = relation("linear", 3)(np.random.default_rng(0), 50)
    >>> x.shape, bool(np.allclose(y, x @ [1, 1 / 2, 1 / 3]))
    ((50, 3), True)
    """
    check_option("name", name, RELATIONS)

    def draw(g: Generator, n: int) -> tuple[Any, ...]:
        x, y = RELATIONS[name](g, n, dimension, 1.0 if dimension == 1 else 0.0)
        return (x[:, 0] if dimension == 1 else x), y

    return draw


def _inputs(g: Generator, n: int, p: int, low: float = -1.0) -> Array:
    return g.uniform(low, 1.0, size=(n, p))


def _weighted(x: Array) -> Array:
    return x @ (1.0 / np.arange(1, x.shape[1] + 1))


def _of(f: Callable[[Array], Array], noise: float) -> _Formula:
    """A function of the weighted sum of x, and noise."""

    def draw(g: Generator, n: int, p: int, kappa: float) -> tuple[Array, Array]:
        x = _inputs(g, n, p)
        return x, f(_weighted(x)) + noise * kappa * g.normal(size=n)

    return draw


def _exponential(g: Generator, n: int, p: int, kappa: float) -> tuple[Array, Array]:
    x = g.uniform(0, 3, size=(n, p))
    return x, np.exp(_weighted(x)) + 10 * kappa * g.normal(size=n)


def _joint_normal(g: Generator, n: int, p: int, kappa: float) -> tuple[Array, Array]:
    shared = np.full((p, p), 0.5 / p)
    covariance = np.block([[np.eye(p), shared], [shared, (1 + 0.5 * kappa) * np.eye(p)]])
    both = g.multivariate_normal(np.zeros(2 * p), covariance, size=n, method="cholesky")
    return both[:, :p], both[:, p:] if p > 1 else both[:, p]


def _w_shaped(g: Generator, n: int, p: int, kappa: float) -> tuple[Array, Array]:
    x, u = _inputs(g, n, p), _inputs(g, n, p)
    return x, 4 * ((_weighted(x) ** 2 - 0.5) ** 2 + _weighted(u) / 500) + 0.5 * kappa * g.normal(size=n)


def _spiral(g: Generator, n: int, p: int, _kappa: float) -> tuple[Array, Array]:
    u = g.uniform(0, 5, size=n)
    x = np.empty((n, p))
    x[:, 0] = np.cos(np.pi * u)
    for k in range(1, p):
        x[:, k] = x[:, k - 1] * np.sin(np.pi * u)
        x[:, k - 1] *= np.cos(np.pi * u)
    return u[:, None] * x, u * np.sin(np.pi * u) + 0.4 * p * g.normal(size=n)


def _bernoulli(g: Generator, n: int, p: int, _kappa: float) -> tuple[Array, Array]:
    x = g.integers(0, 2, size=(n, p)) + 0.5 * g.normal(size=(n, p))
    return x, (2 * g.integers(0, 2, size=n) - 1) * _weighted(x) + 0.5 * g.normal(size=n)


def _logarithmic(g: Generator, n: int, p: int, kappa: float) -> tuple[Array, Array]:
    x = g.normal(size=(n, p))
    y = 2 * np.log2(np.abs(x)) + 3 * kappa * g.normal(size=(n, p))
    return x, y if p > 1 else y[:, 0]


def _sine(period: float, noise: float) -> _Formula:
    def draw(g: Generator, n: int, p: int, kappa: float) -> tuple[Array, Array]:
        x = np.repeat(g.uniform(-1, 1, size=(n, 1)), p, axis=1) + 0.02 * p * g.normal(size=(n, p))
        y = np.sin(period * np.pi * x) + noise * kappa * g.normal(size=(n, p))
        return x, y if p > 1 else y[:, 0]

    return draw


def _turned_square(angle: float) -> _Formula:
    def draw(g: Generator, n: int, p: int, _kappa: float) -> tuple[Array, Array]:
        u, v, e = g.uniform(-1, 1, size=(n, p)), g.uniform(-1, 1, size=(n, p)), g.normal(size=(n, p))
        x = u * np.cos(angle) + v * np.sin(angle) + 0.05 * p * e
        y = -u * np.sin(angle) + v * np.cos(angle)
        return x, y if p > 1 else y[:, 0]

    return draw


def _two_parabolas(g: Generator, n: int, p: int, kappa: float) -> tuple[Array, Array]:
    x = _inputs(g, n, p)
    return x, (_weighted(x) ** 2 + 2 * kappa * g.uniform(size=n)) * (g.integers(0, 2, size=n) - 0.5)


def _ellipse(radius: float) -> _Formula:
    def draw(g: Generator, n: int, p: int, kappa: float) -> tuple[Array, Array]:
        u = g.uniform(-1, 1, size=(n, p))
        x = np.empty((n, p))
        x[:, 0] = np.cos(np.pi * u[:, 0])
        for k in range(1, p):
            x[:, k] = x[:, k - 1] * np.sin(np.pi * u[:, k])
            x[:, k - 1] *= np.cos(np.pi * u[:, k])
        return radius * (x + 0.4 * g.normal(size=(n, p)) * (kappa or p / 5)), np.sin(np.pi * u[:, 0])

    return draw


def _multiplied(g: Generator, n: int, p: int, _kappa: float) -> tuple[Array, Array]:
    x, u = g.normal(size=(n, p)), g.normal(size=(n, p))
    return x, x * u if p > 1 else (x * u)[:, 0]


def _multimodal(g: Generator, n: int, p: int, _kappa: float) -> tuple[Array, Array]:
    x, y = (g.normal(size=(n, p)) / 3 + 2 * g.integers(0, 2, size=(n, p)) - 1 for _ in range(2))
    return x, y if p > 1 else y[:, 0]


RELATIONS: dict[str, _Formula] = {
    "linear": _of(lambda s: s, 1.0),
    "exponential": _exponential,
    "cubic": _of(lambda s: 128 * (s - 1 / 3) ** 3 + 48 * (s - 1 / 3) ** 2 - 12 * (s - 1 / 3), 80.0),
    "joint normal": _joint_normal,
    "step": _of(lambda s: 1.0 * (s > 0), 1.0),
    "quadratic": _of(lambda s: s**2, 0.5),
    "W": _w_shaped,
    "spiral": _spiral,
    "uncorrelated Bernoulli": _bernoulli,
    "logarithmic": _logarithmic,
    "fourth root": _of(lambda s: np.abs(s) ** 0.25, 0.25),
    "sine, 4 pi": _sine(4, 1.0),
    "sine, 16 pi": _sine(16, 0.5),
    "square": _turned_square(-np.pi / 8),
    "two parabolas": _two_parabolas,
    "circle": _ellipse(1.0),
    "ellipse": _ellipse(5.0),
    "diamond": _turned_square(-np.pi / 4),
    "multiplicative noise": _multiplied,
    "multimodal independence": _multimodal,
}
#: Those that are no independence.
DEPENDENT = tuple(name for name in RELATIONS if name != "multimodal independence")
