"""Tables of every kind of column under every kind of name, in the containers of many libraries."""

# ruff: noqa: ARG005 - all kinds are drawn alike

import datetime
import decimal
import enum
import fractions
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np

Rng = np.random.Generator
Values = list[Any]


class Colour(enum.Enum):
    RED, BLUE = 1, 2


def _normal(rng: Rng, n: int) -> Values:
    return rng.normal(size=n).tolist()


def _scaled(rng: Rng, n: int) -> Values:
    size = 10.0 ** rng.choice([-320, -300, -160, -30, 30, 160, 300, 307])
    return (rng.normal(size=n) * size).tolist()


def _labels(texts: list[Any]) -> Callable[[Rng, int], Values]:
    return lambda rng, n: [texts[place] for place in rng.integers(len(texts), size=n)]


def _some_lost(values: Values, rng: Rng, lost: Any, share: float = 0.15) -> Values:
    return [lost if rng.random() < share else value for value in values]


def _dates(rng: Rng, n: int, zone: datetime.tzinfo | None = None) -> Values:
    start = datetime.datetime(2000, 1, 1, tzinfo=zone)
    return [start + datetime.timedelta(hours=int(hours)) for hours in rng.integers(0, 10**5, size=n)]


WEIRD = [
    "=1+1",
    "a\x00b",
    "\x1b[31mred",
    "\u202eevil",
    "ñ",
    "体重",
    "",
    " ",
    "\ud800",
    "<script>",
    "a;=1",
    "nan",
    "-inf",
]
#: Columns whose values most functions answer for, and those that are often refused.
NUMBERS: dict[str, Callable[[Rng, int], Values]] = {
    "normal": _normal,
    "whole": lambda rng, n: rng.integers(0, 6, size=n).tolist(),
    "binary": lambda rng, n: rng.integers(0, 2, size=n).tolist(),
    "scaled": _scaled,
    "offset": lambda rng, n: (1e16 + rng.normal(size=n)).tolist(),
    "heavy": lambda rng, n: np.clip(rng.standard_cauchy(size=n) ** 3, -1e300, 1e300).tolist(),
    "outlier": lambda rng, n: [*rng.normal(size=max(n - 1, 0)).tolist(), *([1e300] if n else [])],
    "rounded": lambda rng, n: np.round(rng.normal(size=n), 1).tolist(),
    "counted": lambda rng, n: list(range(n)),
    "unsigned": lambda rng, n: [2**64 - 1 - int(step) for step in rng.integers(0, 50, size=n)],
    "negative": lambda rng, n: [-(2**63) + int(step) for step in rng.integers(0, 50, size=n)],
    "constant": lambda rng, n: [3.5] * n,
}
OTHERS: dict[str, Callable[[Rng, int], Values]] = {
    "labels": _labels(["a", "b", "c"]),
    "truth": _labels([True, False]),
    "many labels": lambda rng, n: [f"level {place}" for place in rng.integers(0, max(n // 2, 1), size=n)],
    "weird labels": _labels(WEIRD),
    "lost labels": lambda rng, n: _some_lost(_labels(["a", "b"])(rng, n), rng, None),
    "lost numbers": lambda rng, n: _some_lost(_normal(rng, n), rng, float("nan")),
    "dates": _dates,
    "zoned": lambda rng, n: _dates(rng, n, datetime.UTC),
    "durations": lambda rng, n: [datetime.timedelta(seconds=int(s)) for s in rng.integers(0, 9999, size=n)],
    "decimals": lambda rng, n: [decimal.Decimal(int(cents)) / 100 for cents in rng.integers(0, 999, size=n)],
}
REFUSED: dict[str, Callable[[Rng, int], Values]] = {
    "fractions": lambda rng, n: [fractions.Fraction(int(part), 7) for part in rng.integers(0, 30, size=n)],
    "enums": _labels(list(Colour)),
    "bytes": _labels([b"a", b"b"]),
    "infinite": lambda rng, n: _some_lost(_normal(rng, n), rng, float("inf"), 0.05),
    "all lost": lambda rng, n: [float("nan")] * n,
    "none": lambda rng, n: [None] * n,
    "nested": lambda rng, n: [[int(value)] for value in rng.integers(0, 3, size=n)],
    "records": lambda rng, n: [{"u": int(value)} for value in rng.integers(0, 3, size=n)],
    "complex": lambda rng, n: (rng.normal(size=n) + 1j).tolist(),
    "times of day": lambda rng, n: [datetime.time(int(hour), 5) for hour in rng.integers(0, 24, size=n)],
    "far dates": _labels([datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(2000, 2, 29)]),
    "zones mixed": _labels([datetime.datetime(2000, 1, 1), datetime.datetime(2000, 1, 2, tzinfo=datetime.UTC)]),
    "decimals that are none": _labels(
        [decimal.Decimal(text) for text in ("1.5", "NaN", "Infinity", "-1E+500", "sNaN")]
    ),
    "scalars of numpy": _labels(
        [np.float32(1.5), np.int8(3), np.bool_(True), np.float64("nan"), np.datetime64("NaT", "s")]
    ),
    "sets": lambda rng, n: [{int(value)} for value in rng.integers(0, 3, size=n)],
    "ranges": _labels([range(3), range(4), slice(2)]),
    "identifiers": lambda rng, n: [uuid.UUID(int=int(value)) for value in rng.integers(0, 5, size=n)],
    "truth and numbers": _labels([True, 2, 3.5]),
    "mixed": lambda rng, n: [float(value) if value > 0 else "x" for value in rng.normal(size=n)],
    "huge": lambda rng, n: [10**400 + int(value) for value in rng.integers(0, 9, size=n)],
}
NAMES = ["x", "y", "long " * 60, "\u202ename", "a\nb", "体重", "=name", "a,b", "", "0", "<b>", "\x1b[2J", "e\u0301"]
ROWS = (0, 1, 2, 3, 8, 25, 40, 60)
#: Tables of very many columns: how often, how many columns and rows; the more columns, the less often.
WIDE, WIDE_COLUMNS, WIDE_WEIGHTS, WIDE_ROWS = 0.01, (100, 1_000, 10_000), (0.7, 0.2, 0.1), (2, 3, 8, 25)
ROW_WEIGHTS = (0.02, 0.02, 0.03, 0.04, 0.09, 0.3, 0.3, 0.2)


def draw(rng: Rng, *, numbers_only: bool, most: int) -> dict[str, Values]:
    """A table: some columns, `most` at most, some of which depend on others or repeat them."""
    wide = rng.random() < WIDE
    n = int(rng.choice(WIDE_ROWS) if wide else rng.choice(ROWS, p=ROW_WEIGHTS))
    count = min(int(rng.choice(WIDE_COLUMNS, p=WIDE_WEIGHTS)), most) if wide else int(rng.integers(2, 6))
    columns: dict[str, Values] = {}
    for place in range(count):
        group = NUMBERS if numbers_only or rng.random() < 0.7 else OTHERS if rng.random() < 0.85 else REFUSED
        kind = str(rng.choice(list(group)))
        plain = rng.random() < 0.7
        name = f"{kind} {place}" if plain else str(rng.choice(NAMES))
        if wide and not plain:
            name = f"{name} {place}"  # as many columns as there shall be
        values = group[kind](rng, n)
        some = list(columns.values())[:6]
        earlier = [own for own in some if own and all(type(value) is float for value in own)]
        if earlier and rng.random() < 0.35:
            source = np.array(earlier[0], dtype=float)
            with np.errstate(all="ignore"):
                values = (source if rng.random() < 0.2 else source + 0.3 * np.abs(source) * rng.normal(size=n)).tolist()
        columns[name] = values
    return columns


def _matrix(table: dict[str, Values]) -> np.ndarray:
    return np.array([np.array(values, dtype=np.float64) for values in table.values()]).reshape(len(table), -1).T


def _pandas(table: dict[str, Values]) -> Any:
    import pandas as pd

    return pd.DataFrame({name: pd.Series(values) for name, values in table.items()})


def _nullable(table: dict[str, Values]) -> Any:
    return _pandas(table).convert_dtypes()


def _categories(table: dict[str, Values]) -> Any:
    """Labels as categories, of which some are not used."""
    import pandas as pd

    frame = _pandas(table)
    for name in frame.columns:
        if frame[name].map(lambda value: isinstance(value, str)).all() and len(frame):
            used = list(dict.fromkeys(frame[name]))
            frame[name] = pd.Categorical(frame[name], categories=[*used, "never"])
    return frame


def _odd_names(table: dict[str, Values]) -> Any:
    """Columns whose names are no text: numbers, tuples, dates, nothing."""
    frame = _pandas(table)
    names = [0, 1.5, ("a", "b"), None, float("nan"), datetime.date(2000, 1, 1), True, b"x"]
    frame.columns = [names[place] if place < len(names) else place for place in range(frame.shape[1])]
    return frame


def _same_names(table: dict[str, Values]) -> Any:
    """Columns that share a name."""
    frame = _pandas(table)
    frame.columns = [f"c{place // 2}" for place in range(frame.shape[1])]
    return frame


def _levels(table: dict[str, Values]) -> Any:
    """Names of several levels, and rows that have them, too."""
    import pandas as pd

    frame = _pandas(table)
    frame.columns = pd.MultiIndex.from_tuples([(place % 2, name) for place, name in enumerate(table)])
    frame.index = pd.MultiIndex.from_tuples([(place % 3, place) for place in range(len(frame))], names=["u", "v"])
    return frame


def _polars_categories(table: dict[str, Values]) -> Any:
    """Labels as categories and as enumerations, of which some are not used."""
    import polars as pl

    frame = _polars(table)
    for place, (name, dtype) in enumerate(frame.schema.items()):
        if dtype == pl.String:
            used = frame[name].drop_nulls().unique().to_list()
            frame = frame.with_columns(pl.col(name).cast(pl.Enum([*used, "never"]) if place % 2 else pl.Categorical))
    return frame


def _other_index(table: dict[str, Values]) -> Any:
    """Rows under labels that repeat and do not follow each other."""
    frame = _pandas(table)
    frame.index = [place // 3 for place in reversed(range(len(frame)))]
    return frame


def _of_arrow(table: dict[str, Values]) -> Any:
    return _pandas(table).convert_dtypes(dtype_backend="pyarrow")


def _relation(table: dict[str, Values]) -> Any:
    import duckdb

    return duckdb.from_arrow(_pyarrow(table))


def _dataset(table: dict[str, Values]) -> Any:
    import xarray

    return xarray.Dataset({name: ("row", np.array(values, dtype=np.float64)) for name, values in table.items()})


def _dask(table: dict[str, Values]) -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(_pandas(table), npartitions=2)


def _fields(table: dict[str, Values]) -> Any:
    """A structured array of numpy."""
    columns = [np.array(values, dtype=np.float64) for values in table.values()]
    return np.rec.fromarrays(columns, names=[f"f{place}" for place in range(len(columns))])


def _half(table: dict[str, Values]) -> Any:
    with np.errstate(over="ignore"):
        return _matrix(table).astype(np.float16)


def _sparse(table: dict[str, Values]) -> Any:
    import pandas as pd

    return _pandas(table).astype(pd.SparseDtype("float64", 0.0))


def _polars(table: dict[str, Values]) -> Any:
    import polars as pl

    return pl.DataFrame({name: pl.Series(name, values, strict=False) for name, values in table.items()})


def _lazy(table: dict[str, Values]) -> Any:
    return _polars(table).lazy()


def _pyarrow(table: dict[str, Values]) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(values) for name, values in table.items()})


def _torch(table: dict[str, Values]) -> Any:
    import torch

    return {name: torch.tensor(np.array(values, dtype=np.float64)) for name, values in table.items()}


def _torch_single(table: dict[str, Values]) -> Any:
    import torch

    return torch.tensor(_matrix(table), dtype=torch.float32, requires_grad=True)


def _strict(table: dict[str, Values]) -> Any:
    import array_api_strict

    return {name: array_api_strict.asarray(np.array(values, dtype=np.float64)) for name, values in table.items()}


def _masked(table: dict[str, Values]) -> Any:
    matrix = _matrix(table)
    return np.ma.masked_array(matrix, mask=np.abs(matrix) > 1e200)


def _scipy_sparse(table: dict[str, Values]) -> Any:
    import scipy.sparse

    return scipy.sparse.csr_array(_matrix(table))


#: Those that take any column, and those that take numbers alone.
ANY_CONTAINER: dict[str, Callable[[dict[str, Values]], Any]] = {
    "mapping of lists": dict,
    "mapping of arrays": lambda table: {name: np.array(values, dtype=object) for name, values in table.items()},
    "pandas": _pandas,
    "pandas, nullable": _nullable,
    "pandas, categories": _categories,
    "pandas, index that repeats": _other_index,
    "pandas, of pyarrow": _of_arrow,
    "pandas, names that are no text": _odd_names,
    "pandas, names that repeat": _same_names,
    "pandas, several levels": _levels,
    "polars, categories": _polars_categories,
    "polars": _polars,
    "polars, lazy": _lazy,
    "pyarrow": _pyarrow,
    "duckdb": _relation,
    "dask": _dask,
}
NUMBER_CONTAINERS: dict[str, Callable[[dict[str, Values]], Any]] = {
    "numpy": _matrix,
    "numpy, single": lambda table: _matrix(table).astype(np.float32),
    "numpy, backwards": lambda table: _matrix(table)[::-1, ::-1],
    "numpy, masked": _masked,
    "numpy, big-endian": lambda table: _matrix(table).astype(">f8"),
    "numpy, half": _half,
    "numpy, long": lambda table: _matrix(table).astype(np.longdouble),
    "numpy, read-only": lambda table: np.frombuffer(_matrix(table).tobytes()).reshape(-1, len(table)),
    "numpy, structured": _fields,
    "xarray": _dataset,
    "lists of rows": lambda table: _matrix(table).tolist(),
    "pandas, sparse": _sparse,
    "scipy, sparse": _scipy_sparse,
    "torch": _torch,
    "torch, single, with gradient": _torch_single,
    "torch, half": lambda table: {name: value.half() for name, value in _torch(table).items()},
    "torch, brain": lambda table: {name: value.bfloat16() for name, value in _torch(table).items()},
    "xarray, array": lambda table: _dataset(table).to_dataarray("column").transpose("row", "column"),
    "array-api-strict": _strict,
}
