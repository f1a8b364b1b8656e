"""Alternatives to independence: those that the test was built on, and others that it is judged on.

The rungs and weights of `shearer.pairs.limits` were chosen on `DEVELOPMENT`. `JUDGING` was written afterwards: the
nineteen relations of the simulations in Vogelstein et al. (2019, eLife 8:e41690), with noise, which
`shearer.yardstick.twenty_relations` holds, and others.
"""

from collections.abc import Callable

import numpy as np

from shearer.yardstick.twenty_relations import DEPENDENT, relation

Generator = np.random.Generator
Draw = Callable[[Generator, int], tuple]


def rotated(g: Generator, n: int, angle: float = np.pi / 8) -> tuple:
    """The paper's first test data: a uniform and a Laplace source mixed by a rotation, a noise dimension each."""
    sources = np.column_stack([g.uniform(-np.sqrt(3), np.sqrt(3), size=n), g.laplace(scale=np.sqrt(0.5), size=n)])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    mixed = sources @ turn
    return tuple(np.column_stack([mixed[:, k], g.normal(size=n)]) for k in (0, 1))


def multiplied(g: Generator, n: int) -> tuple:
    """The paper's second test data: y = x * noise in five dimensions."""
    x = g.normal(size=(n, 5))
    return x, x * g.normal(size=(n, 5))


def linear(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, 0.5 * x + g.normal(size=n)


def negative_lognormal(g: Generator, n: int) -> tuple:
    x, e = g.normal(size=(2, n))
    return np.exp(x), np.exp(-0.5 * x + np.sqrt(0.75) * e)


def scale_mixture(g: Generator, n: int) -> tuple:
    scale = np.where(g.uniform(size=n) < 0.5, 0.2, 2.0)
    return scale * g.normal(size=n), scale * g.normal(size=n)


def circle(g: Generator, n: int) -> tuple:
    angle = g.uniform(0, 2 * np.pi, size=n)
    return np.cos(angle) + 0.2 * g.normal(size=n), np.sin(angle) + 0.2 * g.normal(size=n)


def parabola(g: Generator, n: int) -> tuple:
    x = g.uniform(-1, 1, size=n)
    return x, x**2 + 0.3 * g.normal(size=n)


def sine(g: Generator, n: int) -> tuple:
    x = g.uniform(-1, 1, size=n)
    return x, np.sin(4 * np.pi * x) + 0.5 * g.normal(size=n)


def cross(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, np.where(g.uniform(size=n) < 0.5, x, -x) + 0.5 * g.normal(size=n)


def checkerboard(g: Generator, n: int) -> tuple:
    cell = g.integers(0, 4, size=n)
    other = (cell + 2 * g.integers(0, 2, size=n)) % 4
    return cell + g.uniform(size=n), other + g.uniform(size=n)


def shifted_labels(g: Generator, n: int) -> tuple:
    label = g.integers(0, 3, size=n)
    return np.array(list("abc"))[label], 0.5 * label + g.normal(size=n)


def noisy_spread(g: Generator, n: int) -> tuple:
    x = g.uniform(0, 1, size=n)
    return x, (0.3 + x) * g.normal(size=n)


def one_of_five(g: Generator, n: int) -> tuple:
    x = g.normal(size=(n, 5))
    y = g.normal(size=(n, 5))
    y[:, 0] += x[:, 0]
    return x, y


def heavy_linear(g: Generator, n: int) -> tuple:
    x = g.standard_t(2, size=n)
    return x, 0.5 * x + g.standard_t(2, size=n)


def saturating(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, np.tanh(2 * x) + g.normal(size=n)


def cubic(g: Generator, n: int) -> tuple:
    x = g.uniform(-1, 1, size=n)
    return x, x**3 + 0.4 * g.normal(size=n)


def exponential(g: Generator, n: int) -> tuple:
    x = g.uniform(0, 3, size=n)
    return x, np.exp(x) + 8 * g.normal(size=n)


def weak_linear(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, 0.35 * x + g.normal(size=n)


def uniform_linear(g: Generator, n: int) -> tuple:
    x = g.uniform(-1, 1, size=n)
    return x, 0.7 * x + 0.8 * g.uniform(-1, 1, size=n)


def bent(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, np.abs(x) + 0.6 * g.normal(size=n)


def wave(g: Generator, n: int) -> tuple:
    x = g.uniform(-1, 1, size=n)
    return x, np.sin(2 * np.pi * x) + 0.9 * g.normal(size=n)


def short_wave(g: Generator, n: int) -> tuple:
    x = g.uniform(-1, 1, size=n)
    return x, np.sin(6 * np.pi * x) + 0.3 * g.normal(size=n)


def ring(g: Generator, n: int) -> tuple:
    angle, radius = g.uniform(0, 2 * np.pi, size=n), 1 + 0.15 * g.normal(size=n)
    return radius * np.cos(angle), radius * np.sin(angle)


def clusters(g: Generator, n: int) -> tuple:
    k = g.integers(0, 4, size=n)
    centers = np.array([-1, 1, -1, 1]), np.array([0, 0, 2, -2])
    return centers[0][k] + 0.5 * g.normal(size=n), centers[1][k] + 0.9 * g.normal(size=n)


def threshold(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, 1.5 * (x > 1) + g.normal(size=n)


def some_rows(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, np.where(g.uniform(size=n) < 0.15, 3 * x, g.normal(size=n))


def volatility(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, np.exp(0.6 * np.abs(x)) * g.normal(size=n)


def five_labels(g: Generator, n: int) -> tuple:
    k = g.integers(0, 5, size=n)
    return np.array(list("abcde"))[k], np.array([0, 0.8, 0, -0.8, 0.4])[k] + g.normal(size=n)


def counts(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, g.poisson(np.exp(0.45 * x)).astype(float)


def two_labels(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, np.where(g.uniform(size=n) < 1 / (1 + np.exp(-x)), "u", "v")


def five_linear(g: Generator, n: int) -> tuple:
    x = g.normal(size=(n, 5))
    return x, 0.25 * x @ g.normal(size=(5, 5)) + g.normal(size=(n, 5))


def five_bent(g: Generator, n: int) -> tuple:
    x, y = g.normal(size=(2, n, 5))
    y[:, 0] += 1.5 * np.abs(x[:, 0])
    y[:, 1] += np.sin(3 * x[:, 1])
    return x, y


def heavier_linear(g: Generator, n: int) -> tuple:
    x = g.standard_t(3, size=n)
    return x, 0.4 * x + g.standard_t(3, size=n)


DEVELOPMENT: dict[str, tuple[int, Draw]] = {
    "rotated sources (paper 1a), n=256": (256, rotated),
    "multiplied noise (paper 1b), n=25": (25, multiplied),
    "multiplied noise (paper 1b), n=50": (50, multiplied),
    "linear, n=40": (40, linear),
    "negative log-normal, n=40": (40, negative_lognormal),
    "scale mixture, n=25": (25, scale_mixture),
    "circle, n=60": (60, circle),
    "parabola, n=60": (60, parabola),
    "sine, n=60": (60, sine),
    "cross, n=60": (60, cross),
    "checkerboard, n=100": (100, checkerboard),
    "labels that shift, n=60": (60, shifted_labels),
    "noisy spread, n=150": (150, noisy_spread),
    "one of five dimensions, n=60": (60, one_of_five),
    "heavy-tailed linear, n=40": (40, heavy_linear),
    "saturating, n=50": (50, saturating),
    "cubic, n=50": (50, cubic),
    "exponential, n=50": (50, exponential),
    "weak linear, n=100": (100, weak_linear),
    "linear, uniform noise, n=50": (50, uniform_linear),
    "bent, n=50": (50, bent),
    "wave, n=50": (50, wave),
    "short wave, n=60": (60, short_wave),
    "ring, n=40": (40, ring),
    "four clusters, n=60": (60, clusters),
    "threshold, n=100": (100, threshold),
    "some rows, n=100": (100, some_rows),
    "volatility, n=100": (100, volatility),
    "five labels, n=100": (100, five_labels),
    "counts, n=50": (50, counts),
    "two labels, n=50": (50, two_labels),
    "five dimensions, linear, n=50": (50, five_linear),
    "five dimensions, bent, n=80": (80, five_bent),
    "heavy-tailed linear, t(3), n=50": (50, heavier_linear),
}


#: The monotone ones among them.
MONOTONE = ("linear", "exponential", "cubic", "joint normal", "step", "Clayton copula", "logistic", "ordered labels")


def _clayton(g: Generator, n: int) -> tuple:
    u, t, theta = g.uniform(size=n), g.uniform(size=n), 0.9
    return u, (u**-theta * (t ** (-theta / (1 + theta)) - 1) + 1) ** (-1 / theta)


def _t_copula(g: Generator, n: int) -> tuple:
    return tuple(g.normal(size=(2, n)) / np.sqrt(g.chisquare(1.5, size=n) / 1.5))


def _logistic(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, (g.uniform(size=n) < 1 / (1 + np.exp(-0.9 * x))).astype(float)


def _disc(g: Generator, n: int) -> tuple:
    angle, radius = g.uniform(0, 2 * np.pi, size=n), np.sqrt(g.uniform(size=n))
    return radius * np.cos(angle), radius * np.sin(angle)


def _two_lines(g: Generator, n: int) -> tuple:
    x, side = g.uniform(-1, 1, size=n), g.integers(0, 2, size=n)
    return x, np.where(side == 1, 1.5 * x + 0.5, -0.5) + 0.5 * g.normal(size=n)


def _sawtooth(g: Generator, n: int) -> tuple:
    x = g.uniform(0, 3, size=n)
    return x, x % 1 + 0.3 * g.normal(size=n)


def _spread_by_label(g: Generator, n: int) -> tuple:
    k = g.integers(0, 3, size=n)
    return np.array(list("abc"))[k], np.array([0.5, 1.0, 2.0])[k] * g.normal(size=n)


def _two_label_columns(g: Generator, n: int) -> tuple:
    a = g.integers(0, 3, size=n)
    return np.array(list("abc"))[a], np.array(list("uvw"))[
        np.where(g.uniform(size=n) < 0.3, a, g.integers(0, 3, size=n))
    ]


def _ordered_labels(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, np.digitize(0.5 * x + g.normal(size=n), [-0.7, 0, 0.7]).astype(float)


def _zero_inflated(g: Generator, n: int) -> tuple:
    x = g.gamma(2.0, size=n)
    return x, np.where(g.uniform(size=n) < np.exp(-0.6 * x), 0.0, g.exponential(size=n))


def _radius_in_five(g: Generator, n: int) -> tuple:
    x = g.normal(size=(n, 5))
    return x, np.sqrt(np.sum(x**2, axis=1)) + 0.8 * g.normal(size=n)


def _five_to_label(g: Generator, n: int) -> tuple:
    x = g.normal(size=(n, 5))
    return x, np.where(x[:, 0] + x[:, 1] + 1.5 * g.normal(size=n) > 0, "u", "v")


def _five_shared_scale(g: Generator, n: int) -> tuple:
    scale = np.exp(0.5 * g.normal(size=(n, 1)))
    return scale * g.normal(size=(n, 5)), scale * g.normal(size=(n, 5))


_OTHERS: dict[str, tuple[int, Draw]] = {
    "Clayton copula, n=50": (50, _clayton),
    "t copula without correlation, n=100": (100, _t_copula),
    "logistic, n=50": (50, _logistic),
    "disc, n=100": (100, _disc),
    "two lines, n=50": (50, _two_lines),
    "sawtooth, n=100": (100, _sawtooth),
    "spread by label, n=50": (50, _spread_by_label),
    "two label columns, n=100": (100, _two_label_columns),
    "ordered labels, n=50": (50, _ordered_labels),
    "zero-inflated, n=50": (50, _zero_inflated),
    "radius in five dimensions, n=100": (100, _radius_in_five),
    "five dimensions to a label, n=50": (50, _five_to_label),
    "shared scale in five dimensions, n=50": (50, _five_shared_scale),
}
_IN_FIVE = ("linear", "quadratic", "step", "multiplicative noise", "joint normal")
JUDGING: dict[str, tuple[int, Draw]] = (
    {f"{name}, n=50": (50, relation(name)) for name in DEPENDENT}
    | {f"{name}, n=100": (100, relation(name)) for name in DEPENDENT}
    | _OTHERS
    | {f"{name} in five dimensions, n=50": (50, relation(name, 5)) for name in _IN_FIVE}
)
