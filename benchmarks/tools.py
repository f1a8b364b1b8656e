"""A network of thousands of genes and a choice among many features: beside the bare product, GENIE3's forests, KSG."""

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_selection import mutual_info_regression

from benchmarks.cases import Case, best
from benchmarks.pairs import bare_product, columns
from shearer.tools import DependenceNetwork, DependenceSelector

GENES, FEATURES, ROWS = 2000, 200, 500
# Forests are timed on a few targets, as GENIE3 grows them, and multiplied.
TARGETS, TREES = 2, 100


def network() -> list[Case]:
    x = columns(GENES)
    ours = best(lambda: DependenceNetwork(weight="value").fit(x), 3)
    cases = [Case(f"network of {GENES} genes beside its product", ours, best(bare_product(GENES, "float64"), 3), "s")]

    def forests() -> None:
        for target in range(TARGETS):
            others = np.delete(x, target, axis=1)
            RandomForestRegressor(TREES, max_features="sqrt", random_state=0).fit(others, x[:, target])

    note = f"{TARGETS} of {GENES} targets timed"
    reference = best(forests, 1) * GENES / TARGETS
    return [*cases, Case(f"network of {GENES} genes beside GENIE3", ours, reference, "s", at_least=50, note=note)]


def selection() -> list[Case]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, FEATURES))
    y = x[:, 0] + x[:, 1] ** 2 + 0.3 * rng.normal(size=ROWS)
    ours = best(lambda: DependenceSelector(10, method="joint").fit(x, y), 3)
    reference = best(lambda: mutual_info_regression(x, y, random_state=0), 3)
    note = "KSG scores every feature once"
    return [Case(f"10 of {FEATURES} features by joint information", ours, reference, "s", note=note)]


def run() -> list[Case]:
    return network() + selection()
