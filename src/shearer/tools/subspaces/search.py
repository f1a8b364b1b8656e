"""`SubspaceSearch`: the sets of columns of a table that depend most, by beam search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from shearer._jobs import check_jobs
from shearer._memory import parse_memory
from shearer._threads import single_threaded_blas
from shearer._validate import check_alpha, check_option, describe, value_error
from shearer.data import read
from shearer.inference.permutation.resampling import check_count
from shearer.kernels import Kernel
from shearer.screening.frames import make_frame
from shearer.tools.estimator_input import check_features, is_table
from shearer.tools.subspaces.joint_entropies import Floats, Index, JointEntropies
from shearer.tools.subspaces.lattice import Columns, joined, not_redundant
from shearer.tools.subspaces.scores import EntropyScores, FunctionScores, Scores, measures

# Beam of a wide and of a narrow table, and where one begins: the defaults of CMI (Nguyen et al. 2013).
_WIDE_BEAM, _NARROW_BEAM, _NARROW = 400, 32, 10
# Decimals to which a column, brought to a largest difference of 1, repeats another.
_DIGITS = 9
# Pairs scored at a time.
_PAIRS = 2**20


class SubspaceSearch(BaseEstimator):
    """The sets of columns that depend most on each other.

    All pairs of columns are scored, the best `beam` kept, every two of them that share all but one column joined, and
    so on (Apriori): a set is looked at if two of its parts were kept. A set that only shows as a whole, such as an
    exclusive or, has no part that scores; for those of three columns there is `exhaustive_triples`.

    Parameters
    ----------
    measure : str or callable, default "total_correlation"
        What a set is scored by: a normalised measure of any number of variables by its name, such as
        "dual_total_correlation"; "adjusted"; or a function. T* and D* grow with the number of columns: the joint
        entropy of n rows cannot exceed log2 n, so that both come near 1 for many columns, independent or not.
        "adjusted" is total correlation brought to a scale on which independent columns reach 0 on average, and as many
        copies of one column 1: on it sets of different sizes compare. A function is one of columns, one array each,
        that returns a number, higher for more dependent ones; it is called for every candidate, and knows no `alpha`
        or `kernel`.
    alpha : float, default 2
        Order. At 2 the entropies of all candidates are matrix products; any other takes the eigenvalues of one matrix
        for each, and has no "adjusted".
    kernel : Kernel or mapping of name -> Kernel, optional
        As in `shearer.total_correlation`. Default: Gaussian of median width.
    n_subspaces : int, default 10
        Sets to return; fewer if there are not so many.
    beam : int, optional
        Sets kept of each size. Default: 400, or 32 with fewer than 10 columns.
    max_size : int or None, default 3
        Columns of the largest sets; None for no limit, which suits "adjusted" only.
    prune : bool, default True
        Leave out a set if a set that contains it was kept and scores higher.
    exhaustive_triples : bool, default False
        Score all triples of columns instead of those that pairs join to.
    keep_copies : bool, default False
        Let columns take part that repeat an earlier one up to scale and shift. A set of copies scores highest of all,
        and no row breaks it.
    max_rows : int or None, default 1000
        Rows searched on, drawn at random if there are more; None for all.
    memory : str or number, optional
        What may be allocated, such as "2GB"; default: half of the machine.
    n_jobs : int, optional
        Threads for alpha other than 2, as joblib counts them.
    random_state : int, RandomState or None, default 0
        Source of the rows drawn.
    progress : bool, optional
        A bar on stderr for what takes more than two seconds. Default: if stderr is a terminal.

    Attributes
    ----------
    subspaces_ : list of tuples of int
        Positions of the columns of each set, the highest score first.
    names_ : list of tuples of str
        Their names; x0, x1, ... where the table has none.
    scores_ : array
        Their scores.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The search ends at `max_size`, where no two sets join, or where no set of a size scores as high as the lowest that
    was kept of the size before. Constant columns are in no set.

    Examples
    --------
    >>> from shearer.datasets import planted_subspace
    >>> from shearer.tools import SubspaceSearch
    >>> planted = planted_subspace(300, sizes=(3,), noise=20)
    >>> found = SubspaceSearch(n_subspaces=1).fit(planted.X)
    >>> found.subspaces_ == list(planted.subspaces)
    True
    """

    def __init__(
        self,
        measure: str | Callable[..., Any] = "total_correlation",
        *,
        alpha: float = 2.0,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        n_subspaces: int = 10,
        beam: int | None = None,
        max_size: int | None = 3,
        prune: bool = True,
        exhaustive_triples: bool = False,
        keep_copies: bool = False,
        max_rows: int | None = 1000,
        memory: str | float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        progress: bool | None = None,
    ) -> None:
        self.measure = measure
        self.alpha = alpha
        self.kernel = kernel
        self.n_subspaces = n_subspaces
        self.beam = beam
        self.max_size = max_size
        self.prune = prune
        self.exhaustive_triples = exhaustive_triples
        self.keep_copies = keep_copies
        self.max_rows = max_rows
        self.memory = memory
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    @single_threaded_blas()
    def fit(self, X: Any, y: Any = None) -> SubspaceSearch:
        """Search.

        Parameters
        ----------
        X : array-like or table, shape (n, d)
            Numbers; in a table also labels and dates.
        y : ignored
            There for pipelines.
        """
        alpha, memory, jobs = self._check_parameters()
        features = check_features(self, X, missing="error", fewest=2)
        names = column_names(self)
        whole = read(features if is_table(X) else dict(zip(names, features.T, strict=True)), fewest=2).as_numpy()
        table = whole.take(_draw(whole.rows, self.max_rows, self.random_state))
        sample = [column.reshape(-1) for column in table.common_columns(range(len(names)))]
        used = _told_apart(sample, self.keep_copies)
        if len(used) < 2:
            hint = "Constant columns and copies of others are left out; keep_copies=True lets copies take part."
            raise value_error("X", "at least 2 columns that vary and differ", f"{len(used)} of {len(names)}", hint)
        columns = {names[column]: sample[column] for column in used}
        if callable(self.measure):
            scores: Scores = FunctionScores(self.measure, list(columns.values()), jobs, self.progress)
        else:
            kernel = _of_columns(self.kernel, columns, names)
            bits = JointEntropies(table.choose(used), kernel, alpha, memory, jobs, self.progress)
            scores = EntropyScores(bits, self.measure, alpha, memory)
        found = self._search(scores, len(used))
        best = not_redundant(found) if self.prune else sorted(found, key=lambda columns: (-found[columns], columns))
        chosen = best[: self.n_subspaces]
        self.subspaces_ = [tuple(used[place] for place in places) for places in chosen]
        self.names_ = [tuple(names[column] for column in subspace) for subspace in self.subspaces_]
        self.scores_ = np.array([found[places] for places in chosen])
        self._library = table.library
        return self

    def to_frame(self) -> Any:
        """One row for each set: its columns, their number, its score."""
        check_is_fitted(self)
        subspaces = [", ".join(names) for names in self.names_]
        columns = {"subspace": subspaces, "size": [len(names) for names in self.names_], "score": self.scores_}
        return make_frame(columns, self._library)

    def _search(self, scores: Scores, count: int) -> dict[Columns, float]:
        """The sets kept of every size, with their scores."""
        beam = self.beam or (_WIDE_BEAM if count >= _NARROW else _NARROW_BEAM)
        largest = count if self.max_size is None else min(count, self.max_size)
        kept: dict[Columns, float] = {}
        for index in _all_pairs(count):
            kept = _best(kept, index, scores.pairs(index), beam)
        found = dict(kept)
        for size in range(3, largest + 1):
            if size == 3 and self.exhaustive_triples:
                index, values = scores.triples()
            else:
                candidates = joined(kept)
                if not candidates:
                    break
                index, values = np.array(candidates, dtype=np.intp), scores.larger(candidates)
            larger = _best({}, index, values, beam)
            if not larger or max(larger.values()) < min(kept.values(), default=-np.inf):
                break
            found |= larger
            kept = larger
        if not found:
            raise value_error("measure", "a number for some set of columns", "nan for all")
        return found

    def _check_parameters(self) -> tuple[float, int, int | None]:
        if not callable(self.measure):
            check_option("measure", self.measure, measures())
        check_count("n_subspaces", self.n_subspaces, 1)
        for name, least in (("beam", 1), ("max_size", 2), ("max_rows", 2)):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name), least)
        for name in ("prune", "exhaustive_triples", "keep_copies"):
            check_option(name, getattr(self, name), (True, False))
        if self.exhaustive_triples and self.max_size == 2:
            raise value_error("max_size", "3 or more with exhaustive_triples", describe(self.max_size))
        return check_alpha(self.alpha), parse_memory(self.memory), check_jobs(self.n_jobs)


def column_names(estimator: Any) -> tuple[str, ...]:
    """The names that a fitted estimator saw, or x0, x1, ... as in scikit-learn."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None or len(set(names)) < len(names):
        return tuple(f"x{column}" for column in range(estimator.n_features_in_))
    return tuple(names)


def _draw(rows: int, most: int | None, random_state: Any) -> Index:
    """At most so many rows, in their order."""
    if most is None or rows <= most:
        return np.arange(rows)
    drawn: Index = check_random_state(random_state).choice(rows, size=most, replace=False)
    return np.sort(drawn)


def _told_apart(columns: Sequence[NDArray[Any]], keep_copies: bool) -> list[int]:
    """The columns that vary and, unless copies are kept, do not repeat an earlier one."""
    varying = [k for k, column in enumerate(columns) if np.any(column != column[0])]
    first: dict[bytes, int] = {}
    for k in varying:
        first.setdefault(_shape(columns[k]), k)
    return varying if keep_copies else list(first.values())


def _shape(column: NDArray[Any]) -> bytes:
    """The same for numbers that differ by a factor and a constant, and for labels that differ by their names."""
    if column.dtype.kind != "f":
        _, places, codes = np.unique(column, return_index=True, return_inverse=True)
        return b"labels" + np.argsort(np.argsort(places))[codes].tobytes()
    differences = column / 2 - column[0] / 2  # of halves, which are finite
    largest = differences[np.argmax(np.abs(differences))] or 1.0
    rounded: Floats = np.round(differences / largest, _DIGITS) + 0.0  # -0.0 becomes 0.0
    return rounded.tobytes()


def _of_columns(kernel: Any, columns: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Without kernels of columns that are left out; a name that no column has is still an error."""
    if not isinstance(kernel, Mapping):
        return kernel
    return {name: own for name, own in kernel.items() if str(name) in columns or str(name) not in names}


def _all_pairs(count: int) -> Iterator[Index]:
    """All pairs a < b, a few rows of the matrix of pairs at a time."""
    height = max(1, _PAIRS // count)
    for start in range(0, count, height):
        first, second = np.triu_indices(min(height, count - start), 1, count - start)
        yield np.stack([first, second], axis=1) + start


def _best(known: dict[Columns, float], index: Index, scores: Floats, most: int) -> dict[Columns, float]:
    """The sets with the highest scores, of those known and some more; none that has no score."""
    order = np.argsort(-scores, kind="stable")[:most]  # nan comes last
    fresh = {tuple(index[k].tolist()): float(scores[k]) for k in order if not np.isnan(scores[k])}
    ranked = sorted((known | fresh).items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:most])
