"""Two or more variables: independent or not."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from shearer.yardstick.known_design import Design, Generator, Suite, as_labels
from shearer.yardstick.twenty_relations import DEPENDENT, relation

# Of the relations: dimensions of x in which they are tried, and rows there.
_HIGH = {5: 50, 20: 80, 50: 100}
_HIGH_RELATIONS = ("linear", "quadratic", "step", "multiplicative noise", "joint normal", "sine, 4 pi")


def _inflated(g: Generator, n: int, zeros: float) -> Any:
    return np.where(g.uniform(size=n) < zeros, 0.0, g.exponential(size=n))


def _twins(g: Generator, n: int) -> Any:
    """Two coordinates with a correlation of 0.9: of one variable, which is independent of the other."""
    common = g.normal(size=(n, 1))
    return np.sqrt(0.9) * common + np.sqrt(0.1) * g.normal(size=(n, 2))


def _nulls() -> Iterator[Design]:
    def null(name: str, rows: int, family: str, law: str, draw: Any, **more: Any) -> Design:
        return Design(f"null: {name}", draw, rows, True, family, law, **more)

    yield null("normal", 50, "plain", "x, y ~ N(0, 1)", lambda g, n: (g.normal(size=n), g.normal(size=n)))
    yield null("uniform, few rows", 20, "plain", "x, y ~ U(0, 1)", lambda g, n: (g.uniform(size=n), g.uniform(size=n)))
    yield null(
        "normal, many rows", 1000, "plain", "x, y ~ N(0, 1)",
        lambda g, n: (g.normal(size=n), g.normal(size=n)), quick=False,
    )  # fmt: skip
    yield null(
        "multimodal independence", 100, "twenty relations", "x = U/3 + 2B - 1, y the same, U normal, B a coin",
        relation("multimodal independence"),
    )  # fmt: skip
    yield null(
        "Cauchy", 60, "heavy tails", "x, y ~ Cauchy",
        lambda g, n: (g.standard_cauchy(size=n), g.standard_cauchy(size=n)),
    )  # fmt: skip
    yield null(
        "log-normal and t(2)", 60, "heavy tails", "x ~ exp N(0, 1), y ~ t(2)",
        lambda g, n: (g.lognormal(size=n), g.standard_t(2, size=n)),
    )  # fmt: skip
    yield null(
        "rounded normal", 100, "ties", "x, y ~ N(0, 1), rounded to whole numbers",
        lambda g, n: (np.round(g.normal(size=n)), np.round(g.normal(size=n))),
    )  # fmt: skip
    yield null(
        "rare ones", 100, "ties", "x is 1 in 5 % of rows, y in 8 %",
        lambda g, n: (1.0 * (g.uniform(size=n) < 0.05), 1.0 * (g.uniform(size=n) < 0.08)),
    )  # fmt: skip
    yield null(
        "many zeros", 80, "mixtures", "x exponential, 0 in 70 % of rows; y normal",
        lambda g, n: (_inflated(g, n, 0.7), g.normal(size=n)),
    )  # fmt: skip
    yield null(
        "far rows", 100, "mixtures", "x, y ~ N(0, 1), 5 % of rows moved by 50, each for itself",
        lambda g, n: tuple(g.normal(size=n) + 50.0 * (g.uniform(size=n) < 0.05) for _ in range(2)), quick=False,
    )  # fmt: skip
    yield null(
        "3 and 5 labels", 100, "labels", "uniform labels",
        lambda g, n: (as_labels(g.integers(0, 3, n)), as_labels(g.integers(0, 5, n))), kind="labels",
    )  # fmt: skip
    yield null(
        "many labels", 80, "labels", "Zipf(1.6) up to 99, and 60 uniform labels",
        lambda g, n: (as_labels(np.minimum(g.zipf(1.6, n), 99)), as_labels(g.integers(0, 60, n))),
        kind="labels", quick=False,
    )  # fmt: skip
    yield null(
        "4 labels and log-normal", 60, "labels", "uniform labels, y ~ exp N(0, 1)",
        lambda g, n: (as_labels(g.integers(0, 4, n)), g.lognormal(size=n)), kind="mixed",
    )  # fmt: skip
    yield null(
        "5 dimensions", 50, "dimensions", "x, y ~ N(0, I) in 5 dimensions each",
        lambda g, n: (g.normal(size=(n, 5)), g.normal(size=(n, 5))), dimension=5, quick=False,
    )  # fmt: skip
    yield null(
        "50 dimensions", 60, "dimensions", "x, y ~ N(0, I) in 50 dimensions each",
        lambda g, n: (g.normal(size=(n, 50)), g.normal(size=(n, 50))), dimension=50,
    )  # fmt: skip
    yield null(
        "coordinates that depend on each other", 80, "dimensions",
        "x and y of two coordinates each, of correlation 0.9; x independent of y",
        lambda g, n: (_twins(g, n), _twins(g, n)), dimension=2,
    )  # fmt: skip
    yield null(
        "three normal", 50, "more than two", "N(0, I) in 3 variables", lambda g, n: tuple(g.normal(size=(3, n))),
        variables=3,
    )  # fmt: skip
    yield null(
        "five mixed", 60, "more than two", "two normal, a coin, an exponential, an exponential with half of it 0",
        lambda g, n: (
            *g.normal(size=(2, n)), as_labels(g.integers(0, 2, n)), g.exponential(size=n), _inflated(g, n, 0.5),
        ),
        variables=5, kind="mixed", quick=False,
    )  # fmt: skip


def _rotated(g: Generator, n: int) -> tuple[Any, ...]:
    a, b = g.uniform(-np.sqrt(3), np.sqrt(3), size=n), g.laplace(scale=np.sqrt(0.5), size=n)
    return (a + b) / np.sqrt(2), (a - b) / np.sqrt(2)


def _common_scale(g: Generator, n: int) -> tuple[Any, ...]:
    scale = np.sqrt(g.chisquare(1.5, size=n) / 1.5)
    return g.normal(size=n) / scale, g.normal(size=n) / scale


def _heavy_line(g: Generator, n: int) -> tuple[Any, ...]:
    x = g.standard_t(2, size=n)
    return x, 0.4 * x + g.standard_t(2, size=n)


def _labels_kept(g: Generator, n: int) -> tuple[Any, ...]:
    a = g.integers(0, 4, size=n)
    return as_labels(a), as_labels(np.where(g.uniform(size=n) < 0.25, a, g.integers(0, 4, size=n)))


def _spread_by_label(g: Generator, n: int) -> tuple[Any, ...]:
    k = g.integers(0, 3, size=n)
    return as_labels(k), np.array([0.6, 1.0, 1.6])[k] * g.normal(size=n)


def _shift_by_label(g: Generator, n: int) -> tuple[Any, ...]:
    k = g.integers(0, 4, size=n)
    return as_labels(k), np.array([0.0, 0.7, -0.4, 0.3])[k] + g.normal(size=n)


def _logistic_label(g: Generator, n: int) -> tuple[Any, ...]:
    x = g.normal(size=n)
    return x, as_labels(g.uniform(size=n) < 1 / (1 + np.exp(-0.8 * x)))


def _counts(g: Generator, n: int) -> tuple[Any, ...]:
    x = g.normal(size=n)
    return x, 1.0 * g.poisson(np.exp(0.35 * x))


def _rounded_line(g: Generator, n: int) -> tuple[Any, ...]:
    x = g.normal(size=n)
    return np.round(x), np.round(0.4 * x + g.normal(size=n))


def _zeros(g: Generator, n: int) -> tuple[Any, ...]:
    x = g.gamma(2.0, size=n)
    return x, np.where(g.uniform(size=n) < np.exp(-0.5 * x), 0.0, g.exponential(size=n))


def _some_rows(g: Generator, n: int) -> tuple[Any, ...]:
    x = g.normal(size=n)
    return x, np.where(g.uniform(size=n) < 0.2, 2 * x, g.normal(size=n))


def _chain(g: Generator, n: int) -> tuple[Any, ...]:
    a, e, f = g.normal(size=(3, n))
    b = 0.3 * a + e
    return a, b, 0.3 * b + f


def _signs(g: Generator, n: int) -> tuple[Any, ...]:
    a, b, e = g.normal(size=(3, n))
    return a, b, np.where(g.uniform(size=n) < 0.8, np.sign(a * b), g.choice([-1.0, 1.0], n)) * np.abs(e)


def _parity(g: Generator, n: int) -> tuple[Any, ...]:
    a, b = g.integers(0, 2, size=(2, n))
    return as_labels(a), as_labels(b), as_labels(a ^ b ^ (g.uniform(size=n) < 0.3))


# The law of two binary columns: odds ratio 6.
BINARY_LAW = ((0.3, 0.2), (0.1, 0.4))
CORRELATION = 0.4


def _normal_pair(g: Generator, n: int) -> tuple[Any, ...]:
    x, e = g.normal(size=(2, n))
    return x, CORRELATION * x + np.sqrt(1 - CORRELATION**2) * e


def _binary_table(g: Generator, n: int) -> tuple[Any, ...]:
    cells = g.choice(4, n, p=np.ravel(BINARY_LAW))
    return as_labels(cells // 2), as_labels(cells % 2)


def _alternatives() -> Iterator[Design]:
    yield Design("normal pair", _normal_pair, 40, False, "plain", f"normal, r = {CORRELATION}")
    yield Design("binary table", _binary_table, 40, False, "labels", "odds ratio 6", kind="labels")
    for name in DEPENDENT:
        yield Design(name, relation(name), 50, False, "twenty relations", "Vogelstein et al. 2019, one dimension")
    for dimension, rows in _HIGH.items():
        for name in _HIGH_RELATIONS:
            yield Design(
                f"{name}, {dimension}-D", relation(name, dimension), rows, False, "dimensions",
                f"Vogelstein et al. 2019, {dimension} dimensions", dimension=dimension,
                quick=dimension != 20 and name != "sine, 4 pi",
            )  # fmt: skip
    yield Design(
        "rotated sources", _rotated, 150, False, "plain", "uniform and Laplace sources, turned by 45 degrees",
        quick=False,
    )  # fmt: skip
    yield Design("common scale", _common_scale, 80, False, "heavy tails", "normal over one chi(1.5): no correlation")
    yield Design("heavy line", _heavy_line, 40, False, "heavy tails", "y = 0.4 x + e, x and e ~ t(2)")
    yield Design(
        "labels kept", _labels_kept, 100, False, "labels", "y = x in a quarter of rows, else any", kind="labels"
    )
    yield Design("spread by label", _spread_by_label, 80, False, "labels", "spread 0.6, 1, 1.6 by label", kind="mixed")
    yield Design("shift by label", _shift_by_label, 60, False, "labels", "means 0, .7, -.4, .3", kind="mixed")
    yield Design(
        "logistic label", _logistic_label, 50, False, "labels", "P(y) = 1 / (1 + exp(-0.8 x))", kind="mixed",
        quick=False,
    )  # fmt: skip
    yield Design("counts", _counts, 60, False, "ties", "y ~ Poisson(exp(0.35 x))", quick=False)
    yield Design("rounded line", _rounded_line, 60, False, "ties", "0.4 x + e, both rounded to whole numbers")
    yield Design("zeros", _zeros, 60, False, "mixtures", "y is 0 with probability exp(-x / 2)")
    yield Design("some rows", _some_rows, 80, False, "mixtures", "y = 2 x in a fifth of rows, else noise")
    yield Design("chain of three", _chain, 60, False, "more than two", "b = .3 a + e, c = .3 b + f", variables=3)
    yield Design("signs of three", _signs, 100, False, "more than two", "sign c = sign a b in 80 %", variables=3)
    yield Design(
        "parity of three", _parity, 60, False, "more than two", "c = a xor b, inverted in 30 %", kind="labels",
        variables=3,
    )  # fmt: skip


SUITE = Suite(
    "independence",
    1,
    "independence",
    "Does it find dependence of any form, dimension and kind, and stay quiet where there is none?",
    (*_nulls(), *_alternatives()),
)
