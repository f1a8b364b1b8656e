"""The joint entropies of many sets of columns of one table."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer._progress import track
from shearer.data import Table
from shearer.kernels import Gram, Kernel
from shearer.screening.all_pairs import compare
from shearer.screening.all_triples import compare_triples
from shearer.screening.entropies import tiles
from shearer.screening.entropies.pair_entropies import collision_bits
from shearer.screening.entropies.similarities import Similarities, operators
from shearer.screening.entropies.spectra import entropies
from shearer.tools.subspaces.lattice import Columns, by_stem

Floats = NDArray[np.float64]
Index = NDArray[np.intp]

# Entries of a tile, of all columns in play: two megabytes stay in the second-level cache.
_ENTRIES, _FEWEST, _MOST = 2**18, 512, 8192


class JointEntropies:
    """S_alpha in bits of the joint of any set of columns, each computed once.

    Parameters
    ----------
    table : Table
        Columns of numbers or labels, without missing values.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in the measures.
    alpha : float
        Order: at 2 sums of products of similarities, else one spectrum for each set.
    memory : int
        Bytes.
    n_jobs : int or None
        Threads for spectra.
    progress : bool or None
        A bar on stderr.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.random.default_rng(0).normal(size=(2, 30))
    >>> from shearer.data import read
    >>> bits = JointEntropies(read({"x": x, "y": y, "sum": x + y}), None, 2.0, 10**8, None, False)
    >>> bits([(0,), (0, 1), (0, 1, 2)]).round(2)  # the third tells little that the first two do not
    array([1.16, 2.2 , 2.72])
    """

    def __init__(
        self,
        table: Table,
        kernel: Kernel | Mapping[str, Kernel] | None,
        alpha: float,
        memory: int,
        n_jobs: int | None,
        progress: bool | None,
    ) -> None:
        self._table, self._kernel, self._alpha, self._memory = table, kernel, alpha, memory
        self._n_jobs, self._progress = n_jobs, progress
        self._known: dict[Columns, float] = {}
        found = compare(table, kernel, memory, alpha, normalize=False, n_jobs=n_jobs, progress=progress)
        #: Entropies of the columns, and of their pairs as a symmetric matrix.
        self.single: Floats = found.entropy
        self.pair: Floats = found.joint

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self._table.rows

    @cached_property
    def operators(self) -> list[Gram]:
        """The Gram operator of every column."""
        return operators(self._table, self._kernel)

    @cached_property
    def _similarities(self) -> Similarities:
        return Similarities(self._table, self._kernel)

    def triples(self) -> tuple[Index, Floats]:
        """All triples, shape (m, 3), and their entropies."""
        found = compare_triples(
            self._table, self._kernel, self._memory, self._alpha, n_jobs=self._n_jobs, progress=self._progress
        )
        return found.index, found.joint

    def __call__(self, sets: Sequence[Columns]) -> Floats:
        """The entropies of some sets."""
        wanted = list(dict.fromkeys(columns for columns in sets if len(columns) > 2 and columns not in self._known))
        if wanted:
            found = self._by_products(wanted) if self._alpha == 2 else self._by_spectra(wanted)
            self._known.update(zip(wanted, found.tolist(), strict=True))
        return np.array([self._look_up(columns) for columns in sets])

    def of(self, index: Index) -> Floats:
        """The entropies of sets of one size, shape (m, size)."""
        if index.shape[1] == 1:
            return self.single[index[:, 0]]
        return self.pair[tuple(index.T)] if index.shape[1] == 2 else self(list(map(tuple, index.tolist())))

    def _look_up(self, columns: Columns) -> float:
        if len(columns) == 1:
            return float(self.single[columns])
        return float(self.pair[columns]) if len(columns) == 2 else self._known[columns]

    def _by_products(self, sets: Sequence[Columns]) -> Floats:
        """S_2 from sum_{i<j} of the product of similarities: one of a stem, and one product with the last column."""
        used = sorted({column for columns in sets for column in columns})
        place = {column: k for k, column in enumerate(used)}
        work = []
        for stem, ends in by_stem(sets).items():
            last = [place[column] for _, column in ends]
            work.append(([place[column] for column in stem], [position for position, _ in ends], last))
        source = self._similarities.restrict(np.array(used, dtype=np.intp))
        size = min(max(_ENTRIES // len(used), _FEWEST), _MOST)
        totals = np.zeros(len(sets))
        label, count = f"sets of {len(sets[0])} columns", tiles.count(self.rows, size)
        for tile in track(tiles.cut(self.rows, size), count, label, self._progress):
            entries = np.ascontiguousarray(source.stack(tile).T)
            for parts, positions, last in work:
                totals[positions] += entries[last] @ np.multiply.reduce(entries[parts], axis=0)
        return collision_bits(totals, self.rows)

    def _by_spectra(self, sets: Sequence[Columns]) -> Floats:
        joints = [[self.operators[column] for column in columns] for columns in sets]
        return entropies(joints, self._alpha, self._memory, self._n_jobs, self._progress).values
