"""Rows of numbers and labels as one matrix of finite numbers, and back to what a reader knows them by."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import describe, listing, type_error, value_error
from shearer.pairs.null_law.rare import hardly_shared
from shearer.tools.estimator_input import check_features, is_table, validated

Floats = NDArray[np.float64]

# What a label is coded by that the training rows do not have.
_NEW = -1.0
_NO_LABEL = "(missing)"


@dataclass(frozen=True, eq=False)
class RowReader:
    """How the columns of a table become numbers.

    Attributes
    ----------
    levels : tuple
        For each column its labels, in alphabetical order; None for numbers. Labels that hardly any rows share, such as
        names, tell nothing about a row: there are none, and all rows are alike.
    exponents : array of int
        Powers of two by which numbers are divided: no square of them overflows.
    """

    levels: tuple[tuple[str, ...] | None, ...]
    exponents: NDArray[np.intc]

    @classmethod
    def fit(cls, estimator: Any, X: Any) -> tuple["RowReader", Floats]:
        """Learn the columns of a table, and read it."""
        columns = _columns(estimator, X, None, reset=True)
        levels = tuple(None if own.dtype.kind == "f" else _levels(own) for own in columns)
        exponents = np.zeros(len(columns), dtype=np.intc)
        for place, own in enumerate(columns):
            if levels[place] is None:
                exponents[place] = np.frexp(np.abs(own).max())[1]
        reader = cls(levels, exponents)
        return reader, reader._coded(columns)

    @property
    def is_label(self) -> NDArray[np.bool_]:
        """Which columns hold labels."""
        return np.array([own is not None for own in self.levels])

    def read(self, estimator: Any, X: Any) -> Floats:
        """Read rows of the same columns; labels never seen are -1."""
        return self._coded(_columns(estimator, X, self.levels, reset=False))

    def shown(self, column: int, value: float) -> str:
        """A value as a reader knows it."""
        levels = self.levels[column]
        if levels is None:
            return f"{np.ldexp(value, self.exponents[column]):.4g}"
        return levels[int(value)] if value >= 0 else "(a new label)"

    def number(self, column: int, value: float) -> float:
        """A number in the unit of its column."""
        return float(np.ldexp(value, self.exponents[column]))

    def _coded(self, columns: list[NDArray[Any]]) -> Floats:
        coded = []
        for own, levels, exponent in zip(columns, self.levels, self.exponents, strict=True):
            if levels is None:
                coded.append(np.ldexp(own, -exponent))
            elif not levels:
                coded.append(np.zeros(len(own)))
            else:
                places = {level: float(place) for place, level in enumerate(levels)}
                coded.append(np.array([places.get(label, _NEW) for label in own.tolist()]))
        return np.stack(coded, axis=1)


def _levels(labels: NDArray[Any]) -> tuple[str, ...]:
    different, times = np.unique(labels.astype(str), return_counts=True)
    return () if len(different) > 1 and hardly_shared(times) else tuple(different.tolist())


def _columns(
    estimator: Any, X: Any, levels: tuple[tuple[str, ...] | None, ...] | None, *, reset: bool
) -> list[NDArray[Any]]:
    """The columns as doubles or as texts; without levels a column is what it looks like."""
    if not is_table(X) or (levels is None and not _has_labels(X)):
        if levels is not None and any(own is not None for own in levels):
            raise type_error("X", "a table with the columns of the fit, some of which are labels", describe(type(X)))
        fewest = 2 if reset else 1
        values = validated(estimator, X, ensure_min_samples=fewest, ensure_min_features=fewest, reset=reset)
        return list(values.T)
    import narwhals.stable.v2 as nw

    check_features(estimator, X, missing="error", fewest=2, reset=reset)
    frame = nw.from_native(X, eager_only=True)
    if reset and (frame.shape[0] < 2 or frame.shape[1] < 2):
        raise value_error("X", "2 or more rows and 2 or more columns", f"{frame.shape[0]} and {frame.shape[1]}")
    found = []
    for place, own in enumerate(frame.iter_columns()):
        if _is_number(own.dtype) if levels is None else levels[place] is None:
            found.append(_numbers(own))
        else:
            found.append(
                np.array([_NO_LABEL if label is None else str(label) for label in own.to_list()], dtype=object)
            )
    return found


def _numbers(column: Any) -> Floats:
    try:
        values = np.asarray(column.to_numpy(), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type_error("X", f"numbers in {describe(column.name)}, as in the fit", "other values") from error
    if not np.isfinite(values).all():
        raise value_error("X", "finite numbers", f"NaN or infinity in {listing([column.name])}", "Leave such rows out.")
    return values


def _has_labels(X: Any) -> bool:
    import narwhals.stable.v2 as nw

    return any(not _is_number(kind) for kind in nw.from_native(X, eager_only=True).schema.values())


def _is_number(kind: Any) -> bool:
    import narwhals.stable.v2 as nw

    return bool(kind.is_numeric() or kind == nw.Boolean)
