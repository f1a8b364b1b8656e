"""The paper's subsampling: the mean of a measure over groups of few rows, with its standard error."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from shearer._validate import describe, type_error, value_error
from shearer.kernels import Kernel
from shearer.measures.dependence import Dependence
from shearer.measures.family import FamilyMethods
from shearer.measures.verbs import PaperMethods
from shearer.spectrum import Estimate

# Half-width of a 95 % normal interval in standard errors.
_NORMAL_95 = 1.96


class Subsampling(PaperMethods, FamilyMethods):
    """Measures averaged over random groups of rows (paper, supplement to Property 4).

    Each group has `rows` rows drawn without replacement; kernels and widths are those of all rows. The mean estimates
    the measure of a sample of `rows` rows, which for independent variables is larger than that of all rows: compare
    such values with each other, not with `Dependence`. For an answer about all rows, state `tol` there.

    Parameters
    ----------
    *data, given, alpha, kernel, groups, missing, memory
        As in `Dependence`.
    repeats : int, default 10
        Number of groups.
    rows : int, optional
        Rows of a group; default: 128, or all if there are fewer.
    rng : int, Generator or None
        Source of the groups; the same seed gives the same groups.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.random.default_rng(0).normal(size=(5000, 2))
    >>> estimate = sh.Subsampling(x[:, 0], x[:, 0] + x[:, 1], repeats=10, rows=100).mutual_information()
    >>> estimate.certified, estimate.route, estimate.lower < estimate.value < estimate.upper
    (False, '10 groups of 100 rows', True)
    """

    def __init__(
        self,
        *data: Any,
        repeats: int = 10,
        rows: int | None = None,
        given: Any = None,
        alpha: float = 1.0,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        groups: Mapping[str, Iterable[str]] | None = None,
        missing: str = "error",
        memory: str | float | None = None,
        rng: np.random.Generator | int | None = 0,
    ) -> None:
        whole = Dependence(
            *data, given=given, alpha=alpha, kernel=kernel, groups=groups, missing=missing, memory=memory
        )
        _check_count("repeats", repeats, 2, None)
        rows = min(128, whole.rows) if rows is None else rows
        _check_count("rows", rows, 2, whole.rows)
        generator = np.random.default_rng(rng)
        self._parts = [whole.on_rows(generator.choice(whole.rows, rows, replace=False)) for _ in range(repeats)]
        self._route = f"{repeats} groups of {rows} rows"

    def measure(self, measure: str, *names: str, normalize: bool | str = True) -> Estimate:
        """The mean of a measure by its name; see `Dependence.measure`."""
        return self._average(lambda part: part.measure(measure, *names, normalize=normalize))

    def shearer_gap(
        self,
        *names: str,
        size: int | None = None,
        cover: Iterable[Iterable[Any]] | None = None,
        weights: Iterable[float] | None = None,
        normalize: bool | str = True,
    ) -> Estimate:
        """The mean gap of Shearer's inequality for a cover; see `shearer.shearer_gap`."""
        return self._average(
            lambda part: part.shearer_gap(*names, size=size, cover=cover, weights=weights, normalize=normalize)
        )

    def _average(self, measure: Callable[[Dependence], Estimate]) -> Estimate:
        """Mean over groups, with a 95 % interval from their spread."""
        values = np.array([float(measure(part)) for part in self._parts])
        mean, error = float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))
        return Estimate(mean, mean - _NORMAL_95 * error, mean + _NORMAL_95 * error, False, self._route)


def _check_count(parameter: str, value: Any, least: int, most: int | None) -> None:
    expected = f"a whole number of {least} or more" if most is None else f"a whole number from {least} to {most}"
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise type_error(parameter, expected, describe(value))
    if value < least or (most is not None and value > most):
        raise value_error(parameter, expected, describe(value))
