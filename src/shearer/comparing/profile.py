"""What a profile keeps of a table: sums, no rows, so that a later table can be compared with it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._files import write_file
from shearer._files.archive import Arrays, DamagedFileError, read_arrays, undamaged, write_arrays
from shearer._validate import message
from shearer._version import __version__
from shearer.comparing.compared_groups import Counts, Distribution, NumberMeans, Strengths, TableGroup
from shearer.comparing.number_pairs import PRODUCTS

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

SUFFIX = ".shearer"
VERSION = 1
_FORMAT = "profile of a table"
_EXPECTED = "a profile written by shearer compare --save-profile"
# Where the product of features (k, j) stands, for each (j, k).
_TURNED = [PRODUCTS.index((k, j)) for j, k in PRODUCTS]

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Profile:
    """What is known of a table without its rows; made by `shearer.comparing.profile_of`.

    Attributes
    ----------
    name : str
        What it is called.
    rows : int
        Rows of the table.
    kinds : mapping of str -> str
        Columns -> "number" or "label".
    numeric : mapping of str -> bool
        Whether the values are numbers, also where they are compared as labels.
    levels : mapping of str -> tuple of str
        Of labels.
    distributions : mapping of str -> Distribution
        Values (of numbers in bins of equal numbers of rows, codes of labels) and how many rows have them.
    pairs : mapping of (str, str) -> NumberMeans or None
        Two numbers.
    tables : mapping of (str, str) -> array
        Counts of two labels, or of a label and the bins of a number.
    known : Strengths
        Of all columns in the order of `kinds`.
    triples : mapping of (str, str, str) -> array, optional
        Counts of three columns, where rows were read in chunks; not in files.
    sample : TableGroup, optional
        Some of the rows, likewise.

    Examples
    --------
    >>> import shearer as sh
    >>> from shearer.comparing import Profile, profile_of
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "table.shearer")
    ...     profile_of(sh.datasets.planted_table(200).columns).save(path)
    ...     Profile.load(path)
    Profile(200 rows, 11 columns)
    """

    name: str
    rows: int
    kinds: Mapping[str, str]
    numeric: Mapping[str, bool]
    levels: Mapping[str, tuple[str, ...]]
    distributions: Mapping[str, Distribution]
    pairs: Mapping[Pair, NumberMeans | None]
    tables: Mapping[Pair, Floats]
    known: Strengths
    triples: Mapping[tuple[str, ...], Floats] | None = None
    sample: TableGroup | None = None

    def __repr__(self) -> str:
        """Its size."""
        return f"Profile({self.rows:,} rows, {len(self.kinds)} columns)"

    def among(self, name: str, levels: Mapping[str, Sequence[str]]) -> "Profile":
        """The same under a name, with codes for all the labels that the groups of a comparison have."""
        places = {
            column: np.array([levels[column].index(text) for text in own], dtype=np.intp)
            for column, own in self.levels.items()
            if column in levels
        }
        distributions = dict(self.distributions)
        for column, place in places.items():
            if self.kinds[column] == "label":
                own = distributions[column]
                distributions[column] = own._replace(values=place[own.values.astype(np.intp)].astype(np.float64))
        tables = {}
        for pair, table in self.tables.items():
            for axis, column in enumerate(pair):
                if self.kinds[column] == "label" and column in places:
                    shape = [*table.shape]
                    shape[axis] = len(levels[column])
                    wider = np.zeros(shape)
                    np.moveaxis(wider, axis, 0)[places[column]] = np.moveaxis(table, axis, 0)
                    table = wider
            tables[pair] = table
        return replace(self, name=name, distributions=distributions, tables=tables)

    def numbers(self, first: str, second: str) -> NumberMeans | None:
        """Two numbers."""
        if (first, second) in self.pairs:
            return self.pairs[first, second]
        found = self.pairs[second, first]
        if found is None:
            return None
        return NumberMeans(found.means[_TURNED], found.covariance[np.ix_(_TURNED, _TURNED)], found.rows)

    def counts(self, first: str, second: str) -> Counts:
        """Counts of two columns' codes."""
        found = self.tables.get((first, second))
        return Counts(self.tables[second, first].T if found is None else found)

    def triple_counts(self, names: tuple[str, str, str]) -> Floats:
        """Counts of three columns' codes."""
        assert self.triples is not None  # refused before
        return self.triples[names]

    @property
    def shown(self) -> TableGroup | None:
        """The sample of rows, if there is one."""
        return self.sample

    def distribution(self, name: str) -> Distribution:
        """One column."""
        return self.distributions[name]

    def strengths(self, names: Sequence[str], progress: bool | None) -> Strengths:
        """Of the pairs of some columns."""
        every = list(self.kinds)
        chosen = np.array([every.index(name) for name in names], dtype=np.intp)
        return Strengths(*(np.asarray(own)[np.ix_(chosen, chosen)] for own in self.known))

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file, with a hash: `load` refuses one that has been altered."""
        arrays: Arrays = {}
        names = list(self.kinds)
        header: dict[str, Any] = {
            "format": _FORMAT,
            "version": VERSION,
            "shearer": __version__,
            "name": self.name,
            "rows": self.rows,
            "columns": [
                [name, self.kinds[name], self.numeric[name], list(self.levels.get(name, ()))] for name in names
            ],
            "missing": [self.distributions[name].missing for name in names],
        }
        for place, name in enumerate(names):
            arrays[f"values_{place}"] = self.distributions[name].values
            arrays[f"weights_{place}"] = self.distributions[name].weights
        header["numbers"], header["tables"] = [], []
        for (a, b), found in self.pairs.items():
            place = len(header["numbers"])
            header["numbers"].append([names.index(a), names.index(b), None if found is None else found.rows])
            if found is not None:
                arrays[f"means_{place}"], arrays[f"covariance_{place}"] = found.means, found.covariance
        for (a, b), table in self.tables.items():
            arrays[f"table_{len(header['tables'])}"] = table
            header["tables"].append([names.index(a), names.index(b)])
        arrays |= {f"strength_{field}": values for field, values in self.known._asdict().items()}
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        write_file("path", path, write_arrays(arrays))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Profile":
        """Read a file that `save` wrote; an altered one is refused."""
        arrays = read_arrays("path", Path(path), _EXPECTED)
        with undamaged("path", _EXPECTED, "something else"):
            header = json.loads(arrays["header"].tobytes())
            if header["format"] != _FORMAT:
                raise ValueError("another kind of file")
            if header["version"] != VERSION:
                hint = f"Written by shearer {header['shearer']}."
                raise DamagedFileError(message("path", f"a profile of version {VERSION}", str(header["version"]), hint))
            return _unpacked(header, arrays)


def _unpacked(header: Mapping[str, Any], arrays: Arrays) -> Profile:
    names = [column[0] for column in header["columns"]]
    distributions = {
        name: Distribution(arrays[f"values_{k}"], arrays[f"weights_{k}"], int(header["missing"][k]))
        for k, name in enumerate(names)
    }
    pairs: dict[Pair, NumberMeans | None] = {}
    for k, (a, b, rows) in enumerate(header["numbers"]):
        found = None if rows is None else NumberMeans(arrays[f"means_{k}"], arrays[f"covariance_{k}"], int(rows))
        pairs[names[a], names[b]] = found
    return Profile(
        name=str(header["name"]),
        rows=int(header["rows"]),
        kinds={name: kind for name, kind, _, _ in header["columns"]},
        numeric={name: bool(numeric) for name, _, numeric, _ in header["columns"]},
        levels={name: tuple(levels) for name, kind, _, levels in header["columns"] if kind == "label"},
        distributions=distributions,
        pairs=pairs,
        tables={(names[a], names[b]): arrays[f"table_{k}"] for k, (a, b) in enumerate(header["tables"])},
        known=Strengths(**{field: arrays[f"strength_{field}"] for field in Strengths._fields}),
    )
