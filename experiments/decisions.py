"""Tests of independence from shuffles, decided by the paper's rule and by ours, for many statistics of the same data.

The paper rejects where the statistic exceeds the 95 % quantile of 100 shuffles; ours where (1 + c) / (1 + 100) <= 5 %,
c the number of shuffles at least as large. Both accept once six are: no more shuffles are drawn then.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch

from shearer.comparators import distance_correlation, hsic, kcca, qmi_cs
from shearer.comparators.matrices import Rearranged, kernel_matrices
from shearer.data import read
from shearer.data.table import Table
from shearer.inference.pvalue import TIE, rank_pvalue
from shearer.kernels import Gaussian
from shearer.kernels.bandwidth import silverman
from shearer.spectrum import renyi

LEVEL, SHUFFLES, ENOUGH = 0.05, 100, 6
RULES = ("paper", "ours")
ORDERS = (1.01, 2.0, 5.0)
DENSITY = Gaussian(lambda values: np.sqrt(2.0) * silverman(values))
# QMI_CS twice: with kernels of median width like the others, and with those of a density estimate of Silverman's width.
RIVALS: dict[str, Callable[[Table], Rearranged]] = {
    "HSIC": hsic.__dict__["rearranged"],
    "dCor": distance_correlation.__dict__["rearranged"],
    "KCCA": kcca.__dict__["rearranged"],
    "QMI_CS": qmi_cs.__dict__["rearranged"],
    "QMI_CS (Silverman)": lambda table: replace(
        qmi_cs.__dict__["rearranged"](table), matrices=kernel_matrices(table, DENSITY)
    ),
}
Floats = np.ndarray
Decision = dict[str, bool]


def shuffles(rows: int, g: np.random.Generator) -> list[np.ndarray]:
    return [g.permutation(rows) for _ in range(SHUFFLES)]


def judged(observed: Floats, null: Iterator[Floats]) -> list[Decision]:
    """Whether each of several statistics of the same shuffles rejects, by either rule."""
    drawn: list[Floats] = []
    bar = observed - TIE * np.abs(observed)
    for values in null:
        drawn.append(values)
        if np.all(np.sum(np.array(drawn) >= bar, axis=0) >= ENOUGH):
            return [dict.fromkeys(RULES, False)] * len(observed)
    columns = np.array(drawn).T
    return [
        {"paper": bool(value > np.quantile(column, 1 - LEVEL)), "ours": rank_pvalue(column, value) <= LEVEL}
        for value, column in zip(observed, columns, strict=True)
    ]


def rivals(x: Floats, y: Floats, orders: Sequence[np.ndarray]) -> dict[str, Decision]:
    """The rivals of Figure 1 at their defaults, kernels and distances formed once."""
    table = read(x, y)
    same = np.arange(table.rows)
    found = {}
    for name, prepare in RIVALS.items():
        statistic = prepare(table)
        null = (np.array([statistic([same, order])]) for order in orders)
        found[name] = judged(np.array([statistic([same, same])]), null)[0]
    return found


def entropies(
    x: Floats, y: Floats, orders: Sequence[np.ndarray], kernel: Gaussian | None = None
) -> dict[str, Decision]:
    """I* at the paper's orders: entropies of single variables are fixed, so minus the joint entropy decides."""
    left, right = kernel_matrices(read(x, y), kernel)
    n = len(left)
    observed = -joint_entropies((left * right)[None] / n)[0]
    step = max(1, 4096 // n)
    batches = (orders[start : start + step] for start in range(0, len(orders), step))
    products = (np.stack([left * right[np.ix_(order, order)] for order in batch]) / n for batch in batches)
    null = (-row for batch in products for row in joint_entropies(batch))
    return {f"I*({alpha:g})": decision for alpha, decision in zip(ORDERS, judged(observed, null), strict=True)}


def joint_entropies(matrices: Floats, alphas: Sequence[float] = ORDERS) -> Floats:
    """S_alpha of a stack of matrices of trace 1, a row for each and a column for each order."""
    spectra = torch.linalg.eigvalsh(torch.from_numpy(matrices)).numpy()
    return np.array([[float(renyi.entropy(spectrum, alpha)) for alpha in alphas] for spectrum in spectra])


def rates(decisions: list[dict[str, Decision]], reject: bool) -> dict[str, dict[str, float]]:
    """Method -> rule -> share of trials that reject, or accept."""
    return {
        method: {rule: float(np.mean([trial[method][rule] == reject for trial in decisions])) for rule in RULES}
        for method in decisions[0]
    }


def both(decide: Callable[[], bool]) -> Decision:
    """A test that has a p-value of its own decides the same by either rule."""
    return dict.fromkeys(RULES, decide())
