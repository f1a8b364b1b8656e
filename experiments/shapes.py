"""How often the word that a scan gives for the shape of a pair is wrong.

usage: python -m experiments.shapes [--quick] [--only NAME ...]

Pairs of known shape at 60, 200 and 1000 rows, each in little, middling and much noise, and independent pairs. A word is
right if it is one of those that the law bears; every word for independent columns is wrong. The laws whose names begin
with "judged" were first run when the others had settled all thresholds, and no threshold was changed after that.

Writes experiments/results/shapes.json after every law, and goes on where it stopped.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from experiments import records
from shearer.scanning.shapes.shape_words import shape_of

Generator = np.random.Generator
Maker = Callable[[Generator, int, float], tuple[Any, Any]]

TRIALS, ROWS, NOISES = 60, (60, 200, 1000), (0.1, 0.4, 1.0)


def along(draw: Callable[[Generator, int], Any], curve: Callable[[Any], Any], tails: float | None = None) -> Maker:
    """A curve with noise, in units of its spread."""

    def make(g: Generator, n: int, noise: float) -> tuple[Any, Any]:
        x = draw(g, n)
        y = curve(x)
        e = g.normal(size=n) if tails is None else g.standard_t(tails, size=n)
        return x, y + noise * y.std() * e

    return make


def uniform(g: Generator, n: int) -> Any:
    return g.uniform(-1, 1, n)


def normal(g: Generator, n: int) -> Any:
    return g.normal(size=n)


def skewed(g: Generator, n: int) -> Any:
    return g.gamma(3.0, size=n)


def ring(wide: float) -> Maker:
    def make(g: Generator, n: int, noise: float) -> tuple[Any, Any]:
        angle = g.uniform(0, 2 * np.pi, n)
        radius = 1 + 0.3 * noise * g.normal(size=n)
        return wide * radius * np.cos(angle), radius * np.sin(angle)

    return make


def groups(centres: Any) -> Maker:
    def make(g: Generator, n: int, noise: float) -> tuple[Any, Any]:
        places = np.asarray(centres, dtype=float)[g.integers(0, len(centres), n)]
        x, y = (places + (0.3 + noise) * g.normal(size=(n, 2))).T
        return x, y

    return make


def fan(trend: float, least: float) -> Maker:
    def make(g: Generator, n: int, noise: float) -> tuple[Any, Any]:
        x = g.uniform(0, 1, n)
        return x, trend * x + (least + x) * (0.2 + noise) * g.normal(size=n)

    return make


def levels(centres: Any, spreads: Any) -> Maker:
    def make(g: Generator, n: int, noise: float) -> tuple[Any, Any]:
        label = g.integers(0, len(centres), n)
        return np.asarray(centres)[label] + np.asarray(spreads)[label] * (0.5 + noise) * g.normal(size=n), label

    return make


def lognormal(g: Generator, n: int, noise: float) -> tuple[Any, Any]:
    x = g.normal(size=n)
    return np.exp(0.7 * x), np.exp(0.7 * (x + noise * g.normal(size=n)))


def apart(one: Callable[[Generator, int], Any], other: Callable[[Generator, int], Any]) -> Maker:
    return lambda g, n, _: (one(g, n), other(g, n))


# Name -> words that are right, and the law. "none": no word is.
DEVELOPED: dict[str, tuple[tuple[str, ...], Maker]] = {
    "line, uniform": (("line",), along(uniform, lambda x: x)),
    "line, normal": (("line",), along(normal, lambda x: -x)),
    "exponential": (("curve",), along(uniform, lambda x: np.exp(2.5 * x))),
    "square root": (("curve",), along(uniform, lambda x: np.sqrt(x + 1.0))),
    "cube": (("curve",), along(uniform, lambda x: x**3)),
    "step": (("step",), along(uniform, lambda x: (x > 0.2) * 1.0)),
    "parabola": (("U",), along(uniform, lambda x: x**2)),
    "parabola, upside down": (("inverted U",), along(normal, lambda x: -(x**2))),
    "parabola, one arm longer": (("U",), along(uniform, lambda x: (x - 0.3) ** 2)),
    "sine, two waves": (("wave",), along(uniform, lambda x: np.sin(2 * np.pi * x))),
    "sine, four waves": (("wave",), along(uniform, lambda x: np.cos(4 * np.pi * x))),
    "ring": (("ring",), ring(1.0)),
    "two groups": (("groups", "curve"), groups([(0, 0), (5, 5)])),
    "three groups": (("groups", "inverted U"), groups([(0, 0), (5, 5), (10, 0)])),
    "funnel": (("widening",), fan(0.0, 0.1)),
    "funnel with a trend": (("widening",), fan(1.0, 0.1)),
    "funnel, narrowing": (("narrowing",), lambda g, n, noise: _turned(*fan(0.0, 0.1)(g, n, noise))),
    "levels shift": (("shift",), levels((0, 1, 2), (1, 1, 1))),
    "levels spread": (("spread",), levels((0, 0, 0), (1, 2, 3))),
    "independent, normal": ((), apart(normal, normal)),
    "independent, skewed": ((), apart(uniform, skewed)),
    "line, skewed": (("line",), along(skewed, lambda x: 2 * x)),
    "line, far-out noise": (("line",), along(normal, lambda x: x, 3)),
    "logarithm": (("curve",), along(skewed, lambda x: np.log(0.1 + x))),
    "logistic": (("curve",), along(normal, lambda x: np.tanh(1.5 * x))),
    "fifth power": (("curve",), along(uniform, lambda x: x**5)),
    "exponential, falling": (("curve",), along(normal, lambda x: np.exp(-x))),
    "step, normal": (("step",), along(normal, lambda x: (x > -0.5) * 1.0)),
    "step, far-out noise": (("step",), along(uniform, lambda x: (x <= 0.0) * 1.0, 4)),
    "amount of x": (("U",), along(normal, lambda x: np.abs(x))),
    "hill": (("inverted U",), along(uniform, lambda x: np.exp(-8 * (x - 0.2) ** 2))),
    "cosine hyperbolic": (("U",), along(uniform, lambda x: np.cosh(3 * x))),
    "sine and trend": (("wave", "curve"), along(uniform, lambda x: np.sin(9 * x) + x)),
    "triangle wave": (("wave",), along(uniform, lambda x: np.abs((3 * x) % 2 - 1))),
    "cubic with turns": (("wave",), along(uniform, lambda x: x**3 - 0.5 * x)),
    "ellipse": (("ring",), ring(7.0)),
    "four groups": (("groups", "wave"), groups([(0, 0), (5, 8), (10, 2), (15, 9)])),
    "groups in one line": (("groups",), groups([(0, 0), (6, 6), (12, 12)])),
    "funnel from 0": (("widening",), fan(0.0, 0.0)),
    "funnel, falling": (("widening",), fan(-0.5, 0.2)),
    "log-normal": (("widening", "curve", "line"), lognormal),
    "two levels shift": (("shift",), levels((0, 0.8), (1, 1))),
    "levels shift and spread": (("shift and spread", "shift", "spread"), levels((0, 1), (1, 2))),
    "two levels spread": (("spread",), levels((0, 0), (1, 3))),
    "independent, far-out": ((), apart(lambda g, n: g.standard_t(2, n), skewed)),
    "independent, counts": (
        (),
        apart(lambda g, n: g.poisson(9, n).astype(float), lambda g, n: g.poisson(20, n).astype(float)),
    ),
    "independent, two peaks": ((), apart(lambda g, n: g.normal(size=n) + 6 * g.integers(0, 2, n), normal)),
    "disc": (("none",), lambda g, n, _: _disc(g, n)),
}
JUDGED: dict[str, tuple[tuple[str, ...], Maker]] = {
    "judged: line, counts": (("line",), along(lambda g, n: g.poisson(12, n).astype(float), lambda x: 3 * x)),
    "judged: line, uniform noise": (
        ("line",),
        lambda g, n, noise: _sum(g.normal(size=n), 2 * noise * g.uniform(-1, 1, n)),
    ),
    "judged: line, skewed noise": (
        ("line",),
        lambda g, n, noise: _sum(g.normal(size=n), noise * (g.exponential(size=n) - 1)),
    ),
    "judged: two to the x": (("curve",), along(normal, lambda x: 2.0 ** (2 * x))),
    "judged: one over x": (("curve",), along(uniform, lambda x: 1 / (x + 1.2))),
    "judged: arc tangent": (("curve",), along(uniform, lambda x: np.arctan(5 * x))),
    "judged: hinge": (("curve",), along(uniform, lambda x: np.maximum(x, 0.0))),
    "judged: saturation": (("curve",), along(lambda g, n: g.uniform(0, 6, n), lambda x: x / (1 + x), 5)),
    "judged: step, late": (("step",), along(uniform, lambda x: (x > 0.6) * 1.0)),
    "judged: step, skewed": (("step",), along(skewed, lambda x: (x > 2.5) * 1.0)),
    "judged: U, flat": (("U",), along(uniform, lambda x: x**4)),
    "judged: U, skewed": (("U",), along(skewed, lambda x: (x - 3) ** 2)),
    "judged: arch": (("inverted U",), along(uniform, lambda x: np.cos(1.5 * x), 5)),
    "judged: tent": (("inverted U",), along(uniform, lambda x: -np.abs(x + 0.1))),
    "judged: beats": (("wave",), along(uniform, lambda x: np.sin(12 * x) + 0.3 * np.sin(5 * x))),
    "judged: wave, normal": (("wave",), along(normal, lambda x: np.cos(3 * x))),
    "judged: ring, uneven": (("ring",), lambda g, n, noise: _uneven(g, n, noise)),
    "judged: two groups, of unlike size": (("groups",), groups([(0, 0), (0, 0), (0, 0), (9, -6)])),
    "judged: groups in a cross": (("groups", "none"), groups([(0, 0), (8, 0), (0, 8)])),
    "judged: relative error": (("widening", "line"), lambda g, n, noise: _relative(g, n, 0.1 + 0.3 * noise)),
    "judged: spread by steps": (("widening",), lambda g, n, _: _spread_by_steps(g, n)),
    "judged: many levels shift": (("shift",), levels(np.arange(6) % 4, np.ones(6))),
    "judged: levels, far-out": (("shift",), lambda g, n, noise: _far_out_levels(g, n, noise)),
    "judged: independent, labels": ((), lambda g, n, _: (g.lognormal(size=n), g.integers(0, 4, n))),
    "judged: independent, uniform": ((), apart(uniform, uniform)),
    "judged: independent, mixed": ((), apart(lambda g, n: g.normal(size=n) + 5 * g.integers(0, 2, n), skewed)),
    "judged: square": (("none",), lambda g, n, _: _turn(*g.uniform(-1, 1, (2, n)))),
}
LAWS = DEVELOPED | JUDGED


def _sum(x: Any, e: Any) -> tuple[Any, Any]:
    return x, x + e


def _turn(x: Any, y: Any) -> tuple[Any, Any]:
    """By an eighth."""
    return x + y, x - y


def _uneven(g: Generator, n: int, noise: float) -> tuple[Any, Any]:
    angle = g.uniform(0, 2 * np.pi, n)
    angle += 0.4 * np.sin(angle)
    return 3 * np.cos(angle) + 0.5 * noise * g.normal(size=n), np.sin(angle) + 0.15 * noise * g.normal(size=n)


def _relative(g: Generator, n: int, error: float) -> tuple[Any, Any]:
    x = g.uniform(1, 10, n)
    return x, x * (1 + error * g.normal(size=n))


def _spread_by_steps(g: Generator, n: int) -> tuple[Any, Any]:
    x = g.normal(size=n)
    return x, np.select([x < -0.5, x < 0.5], [1.0, 2.5], 5.0) * g.normal(size=n)


def _far_out_levels(g: Generator, n: int, noise: float) -> tuple[Any, Any]:
    label = g.integers(0, 3, n)
    return label + (0.3 + noise) * g.standard_t(3, n), label


def _turned(x: Any, y: Any) -> tuple[Any, Any]:
    return -x, y


def _disc(g: Generator, n: int) -> tuple[Any, Any]:
    angle, radius = g.uniform(0, 2 * np.pi, n), np.sqrt(g.uniform(size=n))
    return radius * np.cos(angle), radius * np.sin(angle)


def study(name: str, quick: bool) -> dict[str, Any]:
    right, make = LAWS[name]
    start, words = time.perf_counter(), {}
    for n in ROWS:
        for noise in NOISES:
            found: Counter[str] = Counter()
            for k in range(10 if quick else TRIALS):
                g = np.random.default_rng([list(LAWS).index(name), n, round(10 * noise), k])
                x, y = make(g, n, noise)
                # Either may come first in a table.
                shape = shape_of(x, y) if k % 2 else shape_of(y, x)
                found[shape.word or "no word"] += 1
            words[f"n={n}, noise={noise:g}"] = dict(found)
    return {"right": list(right), "words": words, "seconds": round(time.perf_counter() - start, 1)}


if __name__ == "__main__":
    sys.exit(records.run("shapes", __doc__, LAWS, study))
