"""Level and power of tests of independence given conditions, over named designs, beside causal-learn's.

usage: python -m experiments.conditional [--quick] [--only CASE ...] [--step TRIALS]

A case is "design | method | rows". Writes experiments/results/conditional.json after every 50 trials of a case, and
goes on where it stopped: a larger number in `TRIALS` adds trials to those that are there, with the seeds that follow.
All designs of a method and a number of rows grow together. causal-learn's tests are left out where it is not
installed; FastKCI, which takes seconds, has few trials of few designs. `DEVELOPED` names the designs on which the
method was developed: the first five nulls; with other seeds, the links on which the width of the components, and how
much each of the joined statistics counts, were chosen; and one null further, for which statistics that count more would
exceed the level; and, with other seeds, three nulls given a label, on which the skewness up to which a smooth tail is
taken was chosen. It was not changed after the other nulls were seen to hold their level there; when a joint fit is made
again with more features was decided by what one draw of each design spent, not by p-values.
"""

import importlib.util
import math
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import shearer as sh
from experiments import records

Generator = np.random.Generator
Draw = Callable[[Generator, int], tuple[Any, Any, Any]]

ROWS = (100, 200, 500, 2000)
LEVEL = 0.05
# method -> trials at each number of rows; none where a test takes seconds
TRIALS = {
    "shearer": {100: 1000, 200: 1000, 500: 1000, 2000: 1000},
    "KCI": {200: 200, 100: 200, 500: 50},
    "RCIT": {200: 60, 100: 60},
    "local permutation": {200: 20},
    "FastKCI": {200: 5},
}
# of a method that takes seconds
FEW = ("sin 4z", "linear, 5-D", "z1 z2, 5-D", "heteroscedastic", "common noise, 1-D", "square, 1-D")
DEVELOPED = (
    "sin 4z", "linear, 5-D", "z1 z2, 5-D", "heteroscedastic", "post-nonlinear",
    "square, 1-D", "variance, 1-D", "sine, 2-D", "circle, 1-D", "common noise, 1-D", "sign of z, 1-D",
    "common noise, heteroscedastic", "common noise, t(3), 2-D", "common noise, linear 5-D", "common noise, z1 z2, 5-D",
    "common noise, linear 10-D", "x causes y, slopes by a label", "tanh of a sum, 5-D",
    "30 labels, rare values, a label", "rare events, a label", "Cauchy, a label",
)  # fmt: skip


def _e(g: Generator, *shape: int) -> Any:
    return g.normal(size=shape)


def both(f: Callable[[Any], Any], dimensions: int, noise: float) -> Draw:
    """x and y are the same function of normal conditions, and noise."""

    def draw(g: Generator, n: int) -> tuple[Any, Any, Any]:
        z = _e(g, n, dimensions)
        mean = f(z)
        return mean + noise * _e(g, n), mean + noise * _e(g, n), z

    return draw


def post_nonlinear(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n)
    return (np.tanh(z) + 0.3 * _e(g, n)) ** 3, np.exp(0.5 * z) + 0.3 * _e(g, n), z


def heteroscedastic(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n)
    return z + _e(g, n) * (1 + z**2) / 2, z**2 + _e(g, n) * (1 + z**2) / 2, z


def uniform_cosine(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = g.uniform(-2, 2, size=n)
    return np.cos(3 * z) + 0.3 * _e(g, n), np.cos(3 * z) + z**2 + 0.3 * _e(g, n), z


def correlated(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n, 2) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    return z.sum(axis=1) + 0.5 * _e(g, n), z[:, 0] - z[:, 1] + 0.5 * _e(g, n), z


def post_nonlinear_5(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n, 5)
    s = z.sum(axis=1) / 2
    return np.exp(0.7 * (s + 0.4 * _e(g, n))), np.cbrt(s + 0.4 * _e(g, n)), z


def heavy_noise(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n, 2)
    return z.sum(axis=1) + 0.5 * g.standard_t(3, size=n), z[:, 0] ** 2 + 0.5 * g.standard_t(3, size=n), z


def log_normal(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = g.lognormal(size=n)
    return np.log1p(z) + 0.2 * _e(g, n), np.sqrt(z) + 0.2 * _e(g, n), z


def cauchy_noise(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n)
    return 2 * z + 0.3 * g.standard_cauchy(size=n), np.sin(2 * z) + 0.3 * g.standard_cauchy(size=n), z


def scale_5(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n, 5)
    scale = np.exp(z[:, 0] / 2)
    return z[:, 1] + scale * _e(g, n), z[:, 1] + z[:, 2] + scale * _e(g, n), z


def one_label(g: Generator, n: int) -> tuple[Any, Any, Any]:
    label = g.integers(0, 3, size=n)
    return label + 0.5 * _e(g, n), (label - 1) ** 2 + _e(g, n) * (1 + label) / 2, label.astype(str)


def two_labels(g: Generator, n: int) -> tuple[Any, Any, Any]:
    a, b = g.integers(0, 3, size=n), g.integers(0, 4, size=n)
    x = np.array(list("uvw"))[(a + b + (g.uniform(size=n) < 0.3)) % 3]
    return x, a * b + _e(g, n), (np.array(list("abc"))[a], np.array(list("klmn"))[b])


def _stratum(g: Generator, n: int) -> Any:
    return g.choice(["a", "b", "c"], size=n, p=[0.6, 0.25, 0.15])


def _rarely(g: Generator, n: int) -> Any:
    return np.where(g.random(n) < 0.06, g.choice([0.25, 0.5, 1.0, 2.0, 5.0], size=n), 0.0)


def many_labels(g: Generator, n: int) -> tuple[Any, Any, Any]:
    return np.char.add("g", g.integers(0, 30, size=n).astype(str)), _rarely(g, n), _stratum(g, n)


def rare_events(g: Generator, n: int) -> tuple[Any, Any, Any]:
    return g.random(n) < 0.03, g.random(n) < 0.03, _stratum(g, n)


def cauchy_by_label(g: Generator, n: int) -> tuple[Any, Any, Any]:
    return g.standard_cauchy(n), g.standard_cauchy(n), _stratum(g, n)


def in_groups(rows: int, link: float) -> Draw:
    """Each group of rows is a label of its own and has a mean of its own."""

    def draw(g: Generator, n: int) -> tuple[Any, Any, Any]:
        mean = np.repeat(_e(g, -(-n // rows)), rows)[:n]
        x = mean + _e(g, n)
        return x, mean + link * (x - mean) + _e(g, n), np.char.add("s", (np.arange(n) // rows).astype(str))

    return draw


def slopes(g: Generator, n: int) -> tuple[Any, Any, Any]:
    label, z = g.integers(0, 3, size=n), _e(g, n)
    slope = np.array([-1.0, 0.5, 2.0])[label]
    return slope * z + 0.5 * _e(g, n), slope * z + label + 0.5 * _e(g, n), (np.array(list("abc"))[label], z)


def label_and_numbers(g: Generator, n: int) -> tuple[Any, Any, Any]:
    label, z = g.integers(0, 2, size=n), _e(g, n, 2)
    mean = np.where(label == 1, z[:, 0] * z[:, 1], np.sin(2 * z[:, 0]))
    return mean + 0.5 * _e(g, n), mean + 0.5 * _e(g, n), (np.array(list("ab"))[label], z)


def binary(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n, 2)
    return z.sum(axis=1) + 0.7 * _e(g, n) > 0, z[:, 0] * z[:, 1] + z.sum(axis=1) + 0.5 * _e(g, n), z


def counts(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n)
    return 1.0 * g.poisson(np.exp(1 + 0.5 * z)), 1.0 * g.poisson(2 + z**2), z


def levels(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n)
    return np.array(list("abc"))[np.digitize(z + 0.5 * _e(g, n), [-0.5, 0.5])], np.cos(2 * z) + 0.4 * _e(g, n), z


def vector(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n, 2)
    x = np.column_stack([z[:, 0], np.sin(2 * z[:, 1]), z.prod(axis=1)]) + 0.5 * _e(g, n, 3)
    return x, z.sum(axis=1) + 0.5 * _e(g, n), z


def multiplied(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z = _e(g, n)
    return np.exp(0.8 * z + 0.5 * _e(g, n)), np.exp(0.5 * _e(g, n) - 0.8 * z), z


NULLS: dict[str, Draw] = {
    "sin 4z": both(lambda z: np.sin(4 * z[:, 0]), 1, 0.2),
    "linear, 5-D": both(lambda z: z.sum(axis=1) / 2, 5, 0.5),
    "z1 z2, 5-D": both(lambda z: z[:, 0] * z[:, 1], 5, 0.5),
    "heteroscedastic": heteroscedastic,
    "post-nonlinear": post_nonlinear,
    "cosine, uniform z": uniform_cosine,
    "linear, correlated 2-D": correlated,
    "z1 sin 2 z2, 2-D": both(lambda z: z[:, 0] * np.sin(2 * z[:, 1]), 2, 0.4),
    "tanh of a sum, 5-D": both(lambda z: 2 * np.tanh(z @ np.arange(1, 6) / 4), 5, 0.4),
    "post-nonlinear, 5-D": post_nonlinear_5,
    "linear, 10-D": both(lambda z: z.sum(axis=1) / 3, 10, 0.5),
    "z1 z2 + z3^2 / 2, 10-D": both(lambda z: z[:, 0] * z[:, 1] + z[:, 2] ** 2 / 2, 10, 0.7),
    "two sines, 10-D": both(lambda z: np.sin(2 * z[:, 0]) + np.sin(2 * z[:, 1]), 10, 0.5),
    "t(3) noise, 2-D": heavy_noise,
    "log-normal z": log_normal,
    "Cauchy noise": cauchy_noise,
    "heteroscedastic, 5-D": scale_5,
    "a label": one_label,
    "two labels, x a label": two_labels,
    "slopes by a label": slopes,
    "label and 2 numbers": label_and_numbers,
    "binary x, 2-D": binary,
    "counts": counts,
    "x of 3 labels": levels,
    "x a vector, 2-D": vector,
    "multiplicative noise": multiplied,
    "30 labels, rare values, a label": many_labels,
    "rare events, a label": rare_events,
    "Cauchy, a label": cauchy_by_label,
    "pairs of rows": in_groups(2, 0.0),
    "groups of 8 rows": in_groups(8, 0.0),
}


def linked(dimensions: int, f: Callable[[Any], Any], link: Callable[[Any, Generator], tuple[Any, Any]]) -> Draw:
    """x and y have a function of the conditions and noise in common."""

    def draw(g: Generator, n: int) -> tuple[Any, Any, Any]:
        z = _e(g, n, dimensions)
        x, y = link(_e(g, n), g)
        return f(z) + x, f(z) + y, z

    return draw


def with_link(null: str, size: float) -> Draw:
    """A null design with common noise added to both."""

    def draw(g: Generator, n: int) -> tuple[Any, Any, Any]:
        x, y, z = NULLS[null](g, n)
        common = size * _e(g, n)
        return x + common, y + common, z

    return draw


def by_sign(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z, w = _e(g, n), _e(g, n)
    return z + w, z + np.sign(z) * w + 1.5 * _e(g, n), z


def circle(g: Generator, n: int) -> tuple[Any, Any, Any]:
    z, angle = _e(g, n), g.uniform(0, 2 * np.pi, size=n)
    return z + np.cos(angle) + 0.3 * _e(g, n), z + np.sin(angle) + 0.3 * _e(g, n), z


def in_labels(g: Generator, n: int) -> tuple[Any, Any, Any]:
    x, y, z = one_label(g, n)
    return x, y + 0.7 * x, z


def cause(g: Generator, n: int) -> tuple[Any, Any, Any]:
    x, y, z = slopes(g, n)
    return x, y + 0.4 * x, z


LINKS: dict[str, Draw] = {
    "common noise, 1-D": linked(1, lambda z: z[:, 0], lambda w, g: (0.5 * w + _e(g, len(w)), 0.5 * w + _e(g, len(w)))),
    "square, 1-D": linked(1, lambda z: np.sin(2 * z[:, 0]), lambda w, g: (w, 0.5 * w**2 + _e(g, len(w)))),
    "variance, 1-D": linked(1, lambda z: z[:, 0], lambda w, g: (w, np.exp(0.4 * w) * _e(g, len(w)))),
    "sine, 2-D": linked(2, lambda z: z.sum(axis=1), lambda w, g: (w, np.sin(2.5 * w) + 0.7 * _e(g, len(w)))),
    "sign of z, 1-D": by_sign,
    "circle, 1-D": circle,
    "common noise, linear 5-D": with_link("linear, 5-D", 0.4),
    "common noise, z1 z2, 5-D": with_link("z1 z2, 5-D", 0.4),
    "common noise, linear 10-D": with_link("linear, 10-D", 0.4),
    "common noise, t(3), 2-D": with_link("t(3) noise, 2-D", 0.4),
    "common noise, heteroscedastic": with_link("heteroscedastic", 0.5),
    "x causes y, a label": in_labels,
    "x causes y, slopes by a label": cause,
    "x causes y, pairs of rows": in_groups(2, 0.4),
    "x causes y, groups of 8 rows": in_groups(8, 0.4),
}
DESIGNS = NULLS | LINKS
#: Numbered after those that were there before, whose seeds stay what they are.
LATER = (
    "30 labels, rare values, a label", "rare events, a label", "Cauchy, a label", "pairs of rows", "groups of 8 rows",
    "x causes y, pairs of rows", "x causes y, groups of 8 rows",
)  # fmt: skip


def by_shearer(x: Any, y: Any, z: Any, _: int) -> tuple[float, bool]:
    found = sh.independence_test(x, y, given=z)
    return found.pvalue, bool(getattr(found, "warning", ""))


def by_permutation(x: Any, y: Any, z: Any, trial: int) -> tuple[float, bool]:
    from shearer.inference.permutation.local import conditional_test

    return conditional_test(x, y, given=z, n_resamples=99, rng=trial, most_numbers=10).pvalue, False


def by_causal_learn(name: str) -> Callable[[Any, Any, Any, int], tuple[float, bool]]:
    def test(x: Any, y: Any, z: Any, trial: int) -> tuple[float, bool]:
        from causallearn.utils.cit import CIT
        from joblib import parallel_config

        np.random.seed(trial)  # noqa: NPY002 - what causal-learn draws from
        parts = [_numbers(x), _numbers(y), *map(_numbers, z if isinstance(z, tuple) else (z,))]
        bounds = np.cumsum([0, *(part.shape[1] for part in parts)])
        if bounds[1] > 1 or bounds[2] > bounds[1] + 1:
            return math.nan, False  # takes single columns
        data = np.column_stack(parts)
        with parallel_config("sequential"):  # FastKCI: on one core, as the others
            return float(CIT(data, name)(0, 1, list(range(2, data.shape[1])))), False

    return test


def _numbers(values: Any) -> Any:
    """Columns of numbers; labels as codes where they are tested (two levels), as indicators where they are given."""
    array = np.asarray(values)
    if array.dtype.kind in "US":
        found, codes = np.unique(array, return_inverse=True)
        return np.eye(len(found))[codes][:, 1:]
    return array.astype(np.float64).reshape(len(array), -1)


METHODS = {
    "shearer": by_shearer,
    "KCI": by_causal_learn("kci"),
    "RCIT": by_causal_learn("rcit"),
    "local permutation": by_permutation,
    "FastKCI": by_causal_learn("fastkci"),
}


def wanted() -> dict[str, int]:
    """Trials of each case: one method and number of rows after the other, ours first."""
    present = importlib.util.find_spec("causallearn") is not None
    methods = [name for name in TRIALS if present or name in ("shearer", "local permutation")]
    found: dict[str, int] = {}
    for method in methods:
        for rows in (size for size in ROWS if size in TRIALS[method]):
            designs = FEW if method == "FastKCI" else DESIGNS
            found |= {f"{design} | {method} | {rows}": TRIALS[method][rows] for design in designs}
    return found


def study(case: str, trials: range) -> dict[str, Any]:
    """Shares of trials with a p-value up to the level, with a warning, and without an answer."""
    design, method, size = case.split(" | ")
    rows = int(size)
    seed = [*sorted(DESIGNS.keys() - set(LATER)), *LATER].index(design)
    start = time.process_time()
    found = []
    for trial in trials:
        x, y, z = DESIGNS[design](np.random.default_rng([21, seed, rows, trial]), rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found.append(METHODS[method](x, y, z, trial))
            except (ValueError, np.linalg.LinAlgError):
                found.append((math.nan, False))
    pvalues, warned = (np.array(part) for part in zip(*found, strict=True))
    quiet = ~warned & np.isfinite(pvalues)
    return {
        "null": design in NULLS,
        "developed": design in DEVELOPED,
        "trials": len(trials),
        "rejected": float(np.mean(pvalues <= LEVEL)),
        "quiet": int(quiet.sum()),
        "rejected_quiet": float(np.mean(pvalues[quiet] <= LEVEL)) if quiet.any() else None,
        "warned": float(np.mean(warned)),
        "refused": float(np.mean(~np.isfinite(pvalues))),
        "seconds": round((time.process_time() - start) / len(trials), 4),
    }


def joined(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """What two runs of different trials found, as of one run.

    Examples
    --------
    >>> few = {"trials": 3, "rejected": 1 / 3, "quiet": 2, "rejected_quiet": 0.5, "warned": 1 / 3, "refused": 0.0}
    >>> many = {"trials": 7, "rejected": 0.0, "quiet": 0, "rejected_quiet": None, "warned": 1.0, "refused": 0.0}
    >>> both = joined(few | {"seconds": 0.2}, many | {"seconds": 0.1})
    >>> both["trials"], both["rejected"], both["quiet"], both["rejected_quiet"], both["warned"], both["seconds"]
    (10, 0.1, 2, 0.5, 0.8, 0.13)
    """
    runs = first, second
    trials, quiet = (sum(run[count] for run in runs) for count in ("trials", "quiet"))
    found = first | {"trials": trials, "quiet": quiet}
    for field in ("rejected", "warned", "refused"):
        found[field] = sum(round(run[field] * run["trials"]) for run in runs) / trials
    rejected = sum(round((run["rejected_quiet"] or 0.0) * run["quiet"]) for run in runs)
    found["rejected_quiet"] = rejected / quiet if quiet else None
    found["seconds"] = round(sum(run["seconds"] * run["trials"] for run in runs) / trials, 4)
    return found


if __name__ == "__main__":
    sys.exit(records.run_trials("conditional", __doc__, wanted(), study, joined))
