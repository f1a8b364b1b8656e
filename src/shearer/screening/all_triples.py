"""`triples`: the dependence of all triples of variables in one call."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer._jobs import check_jobs
from shearer._memory import parse_memory, require
from shearer._progress import track
from shearer._threads import single_threaded_blas
from shearer._validate import check_alpha, check_names, check_option, check_positive, value_error
from shearer.data import Table, read
from shearer.kernels import Kernel
from shearer.measures.combination import no_entropy
from shearer.measures.entropies import Subset
from shearer.measures.registry import MEASURES
from shearer.screening.all_pairs import check_dtype
from shearer.screening.entropies import tiles
from shearer.screening.entropies.pair_entropies import collision_bits
from shearer.screening.entropies.products import CrossSum, SymmetricSum, mirror
from shearer.screening.entropies.similarities import Similarities, operators
from shearer.screening.entropies.spectra import entropies
from shearer.screening.frames import make_frame, pick_names

Floats = NDArray[Any]

# Entries of a stack: with its products with one variable it stays in the second-level cache.
_ENTRIES, _FEWEST = 2**15, 512
# Bytes a triple takes in the result and on the way to it.
_BYTES_A_TRIPLE = 160
_OPTIONS = 'Options: columns=, to look at fewer variables; dtype="float32"; a larger memory=.'


@dataclass(frozen=True, eq=False, repr=False)
class Triples:
    """Dependence of triples of variables.

    Attributes
    ----------
    total_correlation, dual_total_correlation : NDArray
        T* and D* of each triple.
    o_information : NDArray
        T - D in bits: above 0 redundancy outweighs, below 0 synergy. A pair that depends beside a third that does not
        also has an O below 0: look at the pairs before speaking of synergy.
    joint : NDArray
        Joint entropies in bits.
    index : NDArray
        Positions of the three variables in `names`, shape (m, 3), ascending.
    entropy : NDArray
        Entropies in bits of the variables.
    names : tuple of str
        The variables.
    rows : int
        Rows used.
    alpha : float
        Order of the entropy.
    library : str
        Whose tables `to_frame` makes.

    Examples
    --------
    >>> import shearer as sh
    >>> a, b = [False, False, True, True], [False, True, False, True]
    >>> found = sh.triples({"a": a, "b": b, "xor": [i != j for i, j in zip(a, b, strict=True)]})
    >>> len(found), found.total_correlation.round(3).tolist()
    (1, [0.5])
    """

    total_correlation: Floats
    dual_total_correlation: Floats
    o_information: Floats
    joint: Floats
    index: NDArray[np.intp]
    entropy: Floats
    names: tuple[str, ...]
    rows: int
    alpha: float
    library: str

    def __repr__(self) -> str:
        """What was compared."""
        size = f"{len(self.index)} triples of {len(self.names)} variables"
        return f"Triples({size}, {self.rows} rows, alpha={self.alpha:g})"

    def __len__(self) -> int:
        """Number of triples."""
        return len(self.index)

    def top(self, k: int, by: str = "total_correlation", *, ascending: bool = False) -> "Triples":
        """The k triples with the largest value of a measure, largest first; or smallest, if ascending.

        Examples
        --------
        >>> import numpy as np
        >>> from shearer.screening import triples
        >>> a, b = np.array(list("0011") * 5), np.array(list("0101") * 5)
        >>> t = triples({"a": a, "xor": np.where(a == b, "0", "1"), "b": b, "c": np.repeat(list("01"), 10)})
        >>> t.top(1, by="o_information", ascending=True).to_frame().rows()  # the most synergistic
        [('a', 'xor', 'b', 0.5, 1.0, -1.0)]
        """
        check_option("by", by, _measures())
        if check_positive("k", k) != int(k):
            raise value_error("k", "a whole number", f"{k}")
        values = getattr(self, by)
        # nan, a ratio without a meaning, comes last either way
        order = np.argsort(values if ascending else -values, kind="stable")[: int(k)]
        arrays = {name: getattr(self, name)[order] for name in (*_measures(), "joint", "index")}
        return replace(self, **arrays)

    def to_frame(self) -> Any:
        """One row for each triple: the names first, second and third, and the three measures."""
        columns = {
            position: pick_names(self.names, self.index[:, place])
            for place, position in enumerate(("first", "second", "third"))
        }
        return make_frame(columns | {name: getattr(self, name) for name in _measures()}, self.library)


def _measures() -> tuple[str, ...]:
    """The measures that a result holds."""
    return tuple(field.name for field in fields(Triples) if field.name != "entropy" and field.name in MEASURES)


@single_threaded_blas()
def triples(
    *data: Any,
    columns: Iterable[str] | None = None,
    alpha: float = 2.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    memory: str | float | None = None,
    dtype: Any = "float64",
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Triples:
    """T*, D* and O-information of all triples of variables.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        One table, mapping or 2-D array: one variable for each column. Several arguments: one variable each.
    columns : iterable of str, optional
        The variables to look at, after grouping. Default: all.
    alpha : float, default 2
        Order. At 2 triples are matrix products; any other takes the eigenvalues of one matrix for each.
    kernel, groups, memory, dtype, n_jobs, progress
        As in `pairwise`.
    missing : {"error", "drop"}
        What to do with rows that lack a value.

    Returns
    -------
    Triples
        `total_correlation`, `dual_total_correlation`, `o_information`, `index`, `names`, `top()`, `to_frame()`.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.screening import triples
    >>> a, b = np.array(list("0011")), np.array(list("0101"))
    >>> t = triples(a, b, np.where(a == b, "0", "1"))
    >>> t.total_correlation, t.dual_total_correlation, t.o_information
    (array([0.5]), array([1.]), array([-1.]))
    """
    order, budget, precision = check_alpha(alpha), parse_memory(memory), check_dtype(dtype)
    jobs = check_jobs(n_jobs)
    everything = read(*data, groups=groups, missing=missing, fewest=3).as_numpy()
    table = _choose(everything, columns)
    own_kernel = _kernels_of(kernel, everything.names, table.names)
    return compare_triples(table, own_kernel, budget, order, precision, jobs, progress)


def compare_triples(
    table: Table,
    kernel: Kernel | Mapping[str, Kernel] | None,
    budget: int = sys.maxsize,
    alpha: float = 2.0,
    dtype: Any = np.float64,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Triples:
    """Measure all triples of a table that was read already and lacks no value; options as in `triples`, checked."""
    precision = np.dtype(dtype)
    count = len(table.variables)
    needed = _BYTES_A_TRIPLE * count * (count - 1) * (count - 2) // 6
    require(needed, budget, f"all triples of {count} variables", _OPTIONS)
    if alpha == 2:
        found = _by_products(table, kernel, precision, progress)
    else:
        found = _by_spectra(table, kernel, alpha, budget, n_jobs, progress)
    return _measure(table, alpha, precision, found)


class Entropies(NamedTuple):
    """In bits: of the variables, of pairs as a symmetric matrix, of triples in ascending order."""

    single: Floats
    pair: Floats
    triple: Floats


def _choose(table: Table, columns: Iterable[str] | None) -> Table:
    """The variables that were asked for, in that order."""
    if columns is None:
        return table
    wanted = list(dict.fromkeys([columns] if isinstance(columns, str) else columns))
    check_names("columns", wanted, table.names)
    if len(wanted) < 3:
        raise value_error("columns", "at least 3 names", f"{len(wanted)}")
    return table.choose([table.names.index(name) for name in wanted])


def _kernels_of(
    kernel: Kernel | Mapping[str, Kernel] | None, names: tuple[str, ...], chosen: tuple[str, ...]
) -> Kernel | Mapping[str, Kernel] | None:
    """Without the kernels of variables that were not chosen; a name that none has is still an error."""
    if not isinstance(kernel, Mapping):
        return kernel
    return {name: own for name, own in kernel.items() if str(name) in chosen or str(name) not in names}


def _by_products(
    table: Table, kernel: Kernel | Mapping[str, Kernel] | None, dtype: np.dtype[Any], progress: bool | None
) -> Entropies:
    """S_2 of single variables, pairs and triples: M^a o M^b for all a < b against all c > b."""
    source = Similarities(table, kernel)
    count, rows = source.count, source.rows
    size = max(_FEWEST, _ENTRIES // count)
    marginal, pairs = np.zeros(count), SymmetricSum(count, dtype)
    thirds = {b: CrossSum(b, count - 1 - b) for b in range(1, count - 1)}
    for tile in track(tiles.cut(rows, size), tiles.count(rows, size), "triples", progress):
        entries = np.ascontiguousarray(source.stack(tile, dtype=dtype).T)  # long rows multiply faster than short ones
        marginal += entries.sum(axis=1, dtype=np.float64)
        pairs.add(entries.T, entries.T)
        for b, total in thirds.items():
            total.add((entries[:b] * entries[b]).T, entries[b + 1 :].T)
    pair = np.array(pairs.result(), dtype=np.float64)
    mirror(pair)
    triple = [thirds[b].result()[a] for a, b in combinations(range(count - 1), 2)]
    return Entropies(*(collision_bits(halves, rows) for halves in (marginal, pair, np.concatenate(triple))))


def _by_spectra(
    table: Table,
    kernel: Kernel | Mapping[str, Kernel] | None,
    alpha: float,
    budget: int,
    n_jobs: int | None,
    progress: bool | None,
) -> Entropies:
    """S_alpha of single variables, pairs and triples, one spectrum each."""
    grams = operators(table, kernel)
    single, pairs, triple = (
        entropies(list(combinations(grams, size)), alpha, budget, n_jobs, progress).values for size in (1, 2, 3)
    )
    pair = np.zeros((len(grams), len(grams)))
    pair[np.triu_indices(len(grams), 1)] = pairs
    return Entropies(single, pair + pair.T, triple)


def _measure(table: Table, alpha: float, dtype: np.dtype[Any], found: Entropies) -> Triples:
    index = np.concatenate(list(_indices(len(found.single))))
    a, b, c = index.T
    single, pair = found.single, found.pair
    bits: dict[Subset, Floats] = {frozenset([k]): single[own] for k, own in enumerate((a, b, c))}
    bits |= {frozenset([0, 1]): pair[a, b], frozenset([0, 2]): pair[a, c], frozenset([1, 2]): pair[b, c]}
    bits[frozenset([0, 1, 2])] = found.triple
    floor = no_entropy(table.rows, dtype)
    values = {
        name: MEASURES[name].values(3, bits.__getitem__, MEASURES[name].is_normalized, floor).astype(dtype)
        for name in _measures()
    }
    return Triples(
        **values,
        joint=found.triple.astype(dtype),
        index=index,
        entropy=found.single,
        names=table.names,
        rows=table.rows,
        alpha=alpha,
        library=table.library,
    )


def _indices(count: int) -> Iterator[NDArray[np.intp]]:
    """All a < b < c in ascending order, in runs of equal a."""
    for a in range(count - 2):
        others = np.triu_indices(count - 1 - a, 1)
        first = np.full(len(others[0]), a)
        yield np.stack([first, *(a + 1 + other for other in others)], axis=1)
