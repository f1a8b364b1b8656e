"""The influence of every row on a measure, by way of the entropies that the measure is made of."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer.inference.intervals.influence import COPIES, MOST_DENSE, Influence, NoFactorError, influence
from shearer.kernels.delta import DeltaGram
from shearer.measures import Dependence
from shearer.measures.entropies import Entropies, Subset
from shearer.measures.measurable import Measurable
from shearer.spectrum import Estimate

Floats = NDArray[np.float64]
Value = Callable[[Measurable], float]

# Rows whose influence is found: spread and bias of more are known well from as many.
MOST_ROWS = 20_000
# Parts of the largest spread, or of a change, below which a difference is round-off.
_ROUND_OFF = 1e-7
# Steps in units of the spread: a smaller one where the measure does not exist so far away.
_STEPS = (1.0, 0.25, 1.0 / 16)


@dataclass(frozen=True)
class RowInfluences:
    """What rows do to the entropies of a measure.

    Attributes
    ----------
    measure : callable
        The measure, of a change of each entropy.
    changes : array (sample, entropies)
        The entropies without each row, less those of all of the sample.
    rows : int
        Rows that the measure is of; the sample may have fewer.
    """

    measure: Callable[[Floats], float]
    changes: Floats
    rows: int

    @property
    def words(self) -> str:
        """Of how many rows."""
        sample = len(self.changes)
        return f"influence of {self.rows} rows" if sample == self.rows else f"influence of {sample} of {self.rows} rows"

    def value(self, shift: Floats | None = None) -> float:
        """The measure with its entropies moved by so much."""
        return self.measure(np.zeros(self.changes.shape[1]) if shift is None else shift)

    def bias(self, rate: float) -> Floats:
        """Of each entropy, if it is c n^-rate: without a row it is larger by (n/(n - 1))^rate."""
        sample = len(self.changes)
        ratio = ((sample / (sample - 1)) ** rate - 1.0) / (sample / self.rows) ** rate
        found: Floats = self.changes.mean(axis=0) / ratio
        return found

    def alike(self) -> list[NDArray[np.bool_]]:
        """Masks of entropies that are one number, such as those of copies; together they are all."""
        masks: list[NDArray[np.bool_]] = []
        for column in self.changes.T:
            same = np.abs(self.changes.T - column).max(axis=1) <= _ROUND_OFF * np.abs(column).max()
            if not any(np.array_equal(same, known) for known in masks):
                masks.append(same)
        return masks

    def spread(self) -> tuple[float, float]:
        """Standard error of the measure, and the kurtosis of the rows' influences on it.

        The covariance of the entropies is that of the jackknife that leaves each row out in turn. The measure is moved
        along its axes, one standard error up and one down: where a maximum changes hands, both sides count.
        """
        sample, count = self.changes.shape
        centered = self.changes - self.changes.mean(axis=0)
        squares, axes = np.linalg.eigh((sample - 1) / self.rows * centered.T @ centered)
        sizes = np.sqrt(np.maximum(squares, 0.0))
        present = sizes > _ROUND_OFF * sizes[-1]
        moved = np.array([self._moved(axes[:, k] * sizes[k]) if present[k] else 0.0 for k in range(count)])
        slopes = moved / np.where(present, sizes, 1.0)
        own = centered @ (axes @ slopes)
        variance = float(np.mean(own**2))
        kurtosis = float(np.mean(own**4)) / variance**2 if variance > 0 else 1.0
        return float(np.linalg.norm(moved)), kurtosis

    def _moved(self, step: Floats) -> float:
        """Half the difference of the measure one step up and one step down."""
        for part in _STEPS:
            difference = self.value(part * step) - self.value(-part * step)
            if np.isfinite(difference):
                break
        return difference / (2.0 * part)


class _Known(Entropies):
    """Entropies that are numbers."""

    def __init__(self, values: dict[Subset, float], rows: int) -> None:
        self._values = values
        self._rows = rows

    def __call__(self, subset: Subset | set[int], tol: float | None = None) -> Estimate:
        value = self._values[frozenset(subset)] if subset else 0.0
        return Estimate(value, value, value, True, "known")

    def meet(self, build: Callable[[float | None], Estimate], weight: float) -> Estimate:
        return build(None)

    @property
    def rows(self) -> int:
        return self._rows


class _Collected(_Known):
    """Entropies that are computed with the influence of every row when they are asked for."""

    def __init__(self, noun: Dependence) -> None:
        super().__init__({}, noun.rows)
        self.found: dict[Subset, Influence] = {}
        self._noun = noun

    def __call__(self, subset: Subset | set[int], tol: float | None = None) -> Estimate:
        key = frozenset(subset)
        if key and key not in self.found:
            self.found[key] = influence(self._noun.entropies.joint(key), self._noun.entropies.request)
            self._values[key] = self.found[key].entropy
        return super().__call__(key, tol)


class _Standing(Measurable):
    """The variables of another, with entropies of its own."""

    def __init__(self, noun: Dependence, entropies: Entropies) -> None:
        self._noun = noun
        self._entropies = entropies

    @property
    def all_names(self) -> tuple[str, ...]:
        return self._noun.all_names

    @property
    def given(self) -> tuple[str, ...]:
        return self._noun.given


def row_influences(whole: Dependence, value: Value, rng: np.random.Generator) -> RowInfluences:
    """The influences of the rows, or of a sample of them, on all entropies that a measure asks for.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=50)
    >>> noun = sh.Dependence(x, x + rng.normal(size=50))
    >>> found = row_influences(noun, lambda noun: noun.mutual_information(normalize=False).value, rng)
    >>> found.changes.shape, found.words  # two entropies of one variable and one of both
    ((50, 3), 'influence of 50 rows')
    >>> without_first = noun.on_rows(np.arange(1, 50)).mutual_information(normalize=False)
    >>> bool(np.isclose(found.value(found.changes[0]), without_first.value))
    True
    """
    fewer = min(MOST_DENSE, int(math.sqrt(whole.entropies.request.memory / (8 * COPIES))))
    for size in (min(whole.rows, MOST_ROWS), min(whole.rows, fewer)):
        part = whole if size == whole.rows else whole.on_rows(np.sort(rng.choice(whole.rows, size, replace=False)))
        collected = _Collected(part)
        try:
            value(_Standing(part, collected))
            break
        except NoFactorError:
            continue
    subsets = list(collected.found)
    if part is whole:
        entropies = {subset: collected.found[subset].entropy for subset in subsets}
    else:
        value(whole)
        entropies = {subset: float(whole.entropies(subset)) for subset in subsets}

    def measure(shift: Floats) -> float:
        moved = {subset: entropies[subset] + float(by) for subset, by in zip(subsets, shift, strict=True)}
        return value(_Standing(whole, _Known(moved, whole.rows)))

    return RowInfluences(measure, np.stack([collected.found[s].changes for s in subsets], axis=1), whole.rows)


def rare_cells(noun: Dependence) -> float:
    """Rows that the rarest combination of labels would have if the labels were independent; infinity without labels."""
    shares = []
    for index in range(len(noun.all_names)):
        operator = noun.entropies.joint(frozenset([index]))
        if isinstance(operator, DeltaGram) and not operator.is_constant:
            shares.append(operator.counts.min() / noun.rows)
    return float(noun.rows * np.prod(shares)) if shares else np.inf
