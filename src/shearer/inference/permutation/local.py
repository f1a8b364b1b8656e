"""Conditional independence by local permutation: rows change places only with rows of nearly the same condition."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._jobs import spread
from shearer._progress import track
from shearer._threads import single_threaded_blas
from shearer._validate import type_error, value_error
from shearer.data import read
from shearer.data.arrays import to_numpy
from shearer.data.variables import Variable
from shearer.inference.answers import TestResult
from shearer.inference.permutation.rearranged import DECIMALS, is_constant
from shearer.inference.permutation.rearrangements import Order, Within, codes_of, rows_of_each
from shearer.inference.permutation.resampling import check_count
from shearer.inference.pvalue import rank_pvalue
from shearer.kernels import Gram, Kernel, grams, hadamard
from shearer.spectrum import Request, solve

# Neighbors of a row, itself included (Runge 2018 found 5 to 10 to hold the level from 50 rows to 2000).
DEFAULT_NEIGHBORS = 5
# Numeric coordinates of the conditions that neighbors can stand for: given five, at 200 rows, nearly all independent
# pairs were found dependent.
DEFAULT_NUMBERS = 1
# Rearrangements made at once: their loop over rows is shared.
_BATCH = 64
# Rows with equal conditions are neighbors at random: ranks are moved by less than two of them can differ.
_JITTER = 1e-6


@single_threaded_blas()
def conditional_test(
    *data: Any,
    given: Any,
    n_resamples: int = 499,
    alpha: float = 2.0,
    neighbors: int | None = None,
    most_numbers: int = DEFAULT_NUMBERS,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    memory: str | float | None = None,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> TestResult:
    """Test if two variables are independent once others are known.

    The statistic is the conditional mutual information in bits. Under the null the rows of the first variable could be
    exchanged between rows with the same condition; they are exchanged between rows whose conditions are near (Runge
    2018, "Conditional independence testing based on a nearest-neighbor estimator of conditional mutual information").

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables; with a table, all columns but those of `given`. The first one is rearranged.
    given : array-like, tuple, mapping, or names of the table
        The conditions. Numbers: neighbors in the ranks of their columns. Labels: only rows with the same labels change
        places, and with labels alone any of them, which is an exact test.
    n_resamples : int, default 499
        Rearrangements.
    alpha : float, default 2
        Order of the entropy; 2 takes sums of squared kernels only.
    neighbors : int, optional
        Rows, itself included, among which a row is exchanged; each is used at most once where possible. More of them
        blur a strong effect of the condition into dependence, fewer leave too little to exchange. Default 5.
    most_numbers : int, default 1
        Conditions with more numeric coordinates than this are refused: the nearest rows are then not near, and what the
        condition does is taken for dependence. `independence_test(x, y, given=z)` takes any number of them.
    kernel, groups, missing, memory, rng, n_jobs, progress
        As in `permutation_test`.

    Returns
    -------
    TestResult
        The p-value is (1 + rearrangements as large) / (1 + all). It is approximate where the condition is a number: it
        takes the first variable to be nearly exchangeable among rows whose conditions are near.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.inference.permutation.local import conditional_test
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=100)
    >>> x, y = z + rng.normal(size=(2, 100))
    >>> conditional_test(x, y, given=z, n_resamples=99).pvalue > 0.05
    True
    >>> conditional_test(x, x + y, given=z, n_resamples=99).pvalue
    0.01
    """
    check_count("n_resamples", n_resamples, 1)
    if given is None:
        raise type_error("given", "at least one variable", "None", "permutation_test tests without conditions.")
    table = read(*data, given=given, groups=groups, missing=missing)
    if table.free != 2:
        hint = "Group columns into vector variables with groups=."
        raise value_error("data", "exactly 2 variables besides given", f"{table.free}", hint)
    if not table.given:
        raise value_error("given", "at least one variable", "none", "permutation_test tests without conditions.")
    _check_numbers(table.variables[2:], most_numbers)
    if neighbors is not None:
        check_count("neighbors", neighbors, 2)
        if neighbors > table.rows:
            raise value_error("neighbors", f"at most {table.rows}, the number of rows", f"{neighbors}")
    request = Request.checked(alpha, memory, None, rng)
    first, second, *conditions = grams(table, kernel)
    statistic = ConditionalInformation.of(first, second, hadamard(conditions), request)
    observed = statistic(np.arange(table.rows))
    names = table.names
    title = f"conditional mutual information at alpha={request.alpha:g} given {', '.join(names[2:])}"
    constant = [item.name for item in table.variables[:2] if is_constant(item)]
    if constant:
        reason = f"{title}, nothing to test: {', '.join(map(repr, constant))} constant"
        return TestResult(observed, 1.0, reason, (), np.empty(0), table.rows, names[:2])
    orders = local_orders(table.variables[2:], neighbors or DEFAULT_NEIGHBORS, n_resamples, request.seed)
    values = track(spread(statistic, orders, n_jobs), n_resamples, "rearrangements", progress)
    null = np.fromiter(values, dtype=np.float64, count=n_resamples)
    method = f"{title}, {n_resamples} local permutations"
    return TestResult(observed, rank_pvalue(null, observed), method, (), null, table.rows, names[:2])


def _check_numbers(conditions: tuple[Variable, ...], most: int) -> None:
    """Refuse conditions of which neighbors are not near."""
    check_count("most_numbers", most, 0)
    blocks = [block for variable in conditions for block in variable.blocks]
    found = sum(block.values.shape[1] for block in blocks if block.kind == "continuous")
    if found > most:
        hint = 'Local permutation takes what they do for dependence; independence_test(..., method="auto") serves them.'
        raise value_error("given", f"at most {most} numeric coordinate(s)", f"{found}", hint)


@dataclass(frozen=True)
class ConditionalInformation:
    """I(x; y | z) in bits with the rows of x rearranged: only the two entropies that hold x change."""

    first: Gram
    condition: Gram
    others: Gram
    request: Request
    fixed: float

    @classmethod
    def of(cls, first: Gram, second: Gram, condition: Gram, request: Request) -> "ConditionalInformation":
        """With S(y, z) - S(z), which stays."""
        others = hadamard([second, condition])
        fixed = float(solve(others, request)) - float(solve(condition, request))
        return cls(first, condition, others, replace(request, seed=0), fixed)

    def __call__(self, order: Order) -> float:
        """S(x, z) + S(y, z) - S(x, y, z) - S(z)."""
        moved = self.first.restrict(order)
        pair, triple = (float(solve(hadamard([moved, rest]), self.request)) for rest in (self.condition, self.others))
        return round(self.fixed + pair - triple, DECIMALS)


def local_orders(conditions: tuple[Variable, ...], neighbors: int, count: int, seed: int) -> Iterator[Order]:
    """Random orders that take each row from one with the same labels and near numbers."""
    blocks = [block for variable in conditions for block in variable.blocks]
    numbers = [to_numpy(block.values) for block in blocks if block.kind == "continuous"]
    labels = tuple(block for block in blocks if block.kind != "continuous")
    rows = np.arange(blocks[0].values.shape[0])
    parts = rows_of_each(codes_of(Variable("labels", labels))) if labels else [rows]
    if len(parts) == len(rows):
        hint = "A row that is alone in its condition has none to change places with."
        raise value_error("given", "labels that repeat", "different ones on every row", hint)
    rng = np.random.default_rng(seed)
    if not numbers:
        return (Within(tuple(parts)).draw(rng) for _ in range(count))
    table = neighborhoods(standard_ranks(np.hstack(numbers), rng), parts, neighbors)
    batches = (min(_BATCH, count - start) for start in range(0, count, _BATCH))
    return (order for batch in batches for order in _choose(table, batch, rng))


def neighborhoods(points: NDArray[np.float64], parts: list[Order], count: int) -> Order:
    """The nearest rows of each row within its part, itself included, shape (n, count); -1 where there are too few."""
    from scipy.spatial import cKDTree  # loaded only where it is used

    table = np.full((len(points), count), -1, dtype=np.intp)
    for rows in parts:
        wanted = np.arange(1, min(count, len(rows)) + 1)
        table[rows, : len(wanted)] = rows[cKDTree(points[rows]).query(points[rows], k=wanted)[1]]
    return table


def standard_ranks(values: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
    """Ranks of each column from 0 to 1, equal values next to each other in a random order."""
    from scipy.stats import rankdata  # loaded only where it is used

    ranks = np.asarray(rankdata(values, axis=0), dtype=np.float64)
    return (ranks + _JITTER * rng.uniform(size=ranks.shape)) / len(values)


def _choose(table: Order, count: int, rng: np.random.Generator) -> Order:
    """That many orders at once, shape (count, n): no row is used twice where that is possible (Runge 2018).

    Rows choose one after the other, in a random order, the first of their shuffled neighbors that is not taken.
    """
    n, most = table.shape
    every = np.arange(count)
    taken = np.zeros((count, n), dtype=bool)
    orders = np.empty((count, n), dtype=np.intp)
    turns = rng.permuted(np.broadcast_to(np.arange(n), (count, n)), axis=1)
    for turn in turns.T:
        # Shuffled by a random key; places without a neighbor come after all others, those taken before them.
        key = rng.uniform(size=(count, most))
        candidates = table[turn]
        key += 1.0 * taken[every[:, None], candidates] + 3.0 * (candidates < 0)
        chosen = candidates[every, np.argmin(key, axis=1)]
        orders[every, turn] = chosen
        taken[every, chosen] = True
    return orders
