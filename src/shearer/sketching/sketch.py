"""`Sketch`: every measure of rows that are seen once, chunk by chunk, on any number of machines."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import numpy as np

from shearer._cached import cached_property
from shearer._jobs import check_jobs
from shearer._validate import (
    check_alpha,
    check_positive,
    describe,
    message,
    type_error,
    value_error,
)
from shearer.data.variables import Variable
from shearer.inference.permutation.resampling import check_count
from shearer.kernels import Kernel, hadamard
from shearer.measures.entropies import Subset
from shearer.measures.measurable import Measurable
from shearer.sketching.declared import SketchedEntropies, check_measures, subsets_of
from shearer.sketching.frame import Frame
from shearer.sketching.opened_rows import open_rows
from shearer.sketching.rows import check_alike, read_chunk, stacked, taken
from shearer.sketching.subset_sums import CountSums, LandmarkSums, SubsetSums, choose_landmarks
from shearer.spectrum import ToleranceError
from shearer.spectrum.lowrank.accumulator import rows_at_once
from shearer.spectrum.request import seed_of

# Of a longer sample so many rows are looked at for widths and landmarks.
SAMPLE_ROWS = 4096
FEWEST_SAMPLE_ROWS = 8
# Bits to which the entropies of a sample are bounded where none are stated, and passes to come closer.
_SAMPLE_TOL, _MOST_PASSES = 1e-3, 6


class Sketch(Measurable):
    """Measures of any number of rows from sums: one pass, constant memory, mergeable.

    Made by `Sketch.like` from a sample, which sets the widths and the landmarks. Every entropy has certified bounds for
    the rows that were added; how close they are depends on how well the sample stands for them, so that one pass cannot
    promise a tolerance. `second_pass` makes a sketch that can come closer.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=20_000)
    >>> y = x + rng.normal(size=20_000)
    >>> s = sh.Sketch.like(x[:2000], y[:2000], measures=("mutual_information",))
    >>> for rows in np.array_split(np.arange(20_000), 7):
    ...     s.update(x[rows], y[rows])
    >>> found = s.mutual_information()
    >>> s.rows, found.certified, found.width < 1e-2
    (20000, True, True)
    >>> bool(found.lower <= sh.mutual_information(x, y, kernel=s.kernels) <= found.upper)
    True
    """

    _entropies: SketchedEntropies
    # The variables as a chunk brings them: kinds and dimensions, no rows.
    _shapes: tuple[Variable, ...]
    _settings: dict[str, Any]
    _names: tuple[str, ...]
    _given: tuple[str, ...]
    _frame: Frame
    _dropped: int
    _step: int

    def __init__(self) -> None:
        raise type_error("Sketch", "Sketch.like(sample)", "Sketch()", "Widths and landmarks come from a sample.")

    @classmethod
    def like(
        cls,
        *sample: Any,
        measures: Iterable[str] = ("total_correlation",),
        given: str | list[str] | None = None,
        alpha: float = 1.0,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        groups: Mapping[str, Iterable[str]] | None = None,
        missing: str = "error",
        tol: float = _SAMPLE_TOL,
        rank: int = 512,
        rng: np.random.Generator | int | None = 0,
    ) -> Sketch:
        """An empty sketch for rows like these.

        Parameters
        ----------
        *sample : array-like, frame or mapping
            Rows such as those to come: a few thousand, drawn at random. They set widths, landmarks, names and kinds,
            and are not counted themselves.
        measures : iterable of str
            What will be asked, by name: "mutual_information" (of all pairs), "dual_total_correlation", "shearer_gap"
            and all others that `shearer` has functions of.
        given : str or list of str, optional
            Names of the variables to condition on.
        alpha : float, default 1
            Order, above 0.
        kernel : Kernel or mapping of name -> Kernel, optional
            Gaussian, Laplacian, Delta or products of them, as in `Dependence`; rules for widths see the sample.
        groups : mapping, optional
            New name -> columns that form one vector variable.
        missing : {"error", "drop"}
            What to do with rows that lack a value.
        tol : float
            Bits to which the entropies of the sample are bounded: more landmarks where it is smaller.
        rank : int
            Landmarks of a subset at most. The time of a row grows with its square.
        rng : int, Generator or None
            Seed of the landmarks.
        """
        order = check_alpha(alpha)
        if order == 0:
            raise value_error("alpha", "a number above 0", "0", "A rank cannot be bounded from above.")
        wanted = check_positive("tol", tol, " of bits")
        check_count("rank", rank, 1)
        if given is not None and not isinstance(given, str) and not _are_names(given):
            raise type_error("given", "names of variables", describe(given), "Chunks bring them as columns.")
        declared = check_measures(measures)
        table = read_chunk(sample, given, groups, None, missing)
        variables, conditions = table.variables, table.given
        if variables[0].rows < FEWEST_SAMPLE_ROWS:
            raise value_error("sample", f"at least {FEWEST_SAMPLE_ROWS} rows", f"{variables[0].rows}")
        seed = seed_of(rng)
        generator = np.random.default_rng(seed)
        frame = Frame.of(variables, kernel)
        few = generator.permutation(variables[0].rows)[:SAMPLE_ROWS]
        rows = taken(frame.prepared(variables), np.sort(few))
        subsets = subsets_of(declared, [item.name for item in variables], conditions)
        grams = frame.sample_grams(rows)
        chosen = {}
        for subset in subsets:
            if not all(frame.is_labels(index) for index in subset):
                gram = hadamard([grams[index] for index in sorted(subset)])
                chosen[subset] = choose_landmarks(gram, wanted, rank, order, generator)
        sketch = cls.__new__(cls)
        sketch._settings = {"given": given, "groups": _plain_groups(groups), "missing": missing, "measures": declared}
        sketch._settings |= {"alpha": order, "rank": int(rank), "seed": seed}
        sketch._shapes = taken(variables, slice(0, 0))
        sketch._names, sketch._given = tuple(item.name for item in variables), conditions
        sketch._freeze(frame, subsets, {subset: taken(rows, places) for subset, places in chosen.items()})
        return sketch

    @classmethod
    def of(
        cls,
        source: Any,
        *,
        measures: Iterable[str] = ("total_correlation",),
        columns: list[str] | None = None,
        given: str | list[str] | None = None,
        alpha: float = 1.0,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        groups: Mapping[str, Iterable[str]] | None = None,
        missing: str = "error",
        tol: float | None = None,
        rank: int = 512,
        rng: np.random.Generator | int | None = 0,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> Sketch:
        """The sketch of all rows of files, of a Dask collection, or of chunks that a function yields.

        One pass draws a sample, one adds the rows; with `tol`, further passes follow until it is met.

        Parameters
        ----------
        source : str, path, list of them, Dask array or dataframe, or callable
            Files: Parquet, Arrow, csv or tsv with a header; a pattern such as ``part-*.parquet`` stands for all that
            match. Text is looked through once more, to find out how it is written. A callable is called anew for each
            pass and yields chunks.
        columns : list of str, optional
            Which columns of files or dataframes; default: all.
        measures, given, alpha, kernel, groups, missing, rank, rng
            As in `Sketch.like`.
        tol : float, optional
            Bits within which every entropy is bounded, by as many passes as that takes; refused where `rank`
            landmarks are not enough. Default: what one pass gives.
        n_jobs : int, optional
            Files at a time, as joblib counts them, or as `joblib.parallel_config` says. Dask collections run on the
            scheduler that is set for Dask.
        progress : bool, optional
            A bar on stderr for what takes more than two seconds. Default: if stderr is a terminal.

        Examples
        --------
        >>> import numpy as np
        >>> import shearer as sh
        >>> def chunks():
        ...     rng = np.random.default_rng(0)
        ...     for _ in range(10):
        ...         x = rng.normal(size=1000)
        ...         yield np.column_stack([x, x**2 + rng.normal(size=1000)])
        >>> s = sh.Sketch.of(chunks, measures=("mutual_information",), tol=1e-4)
        >>> s.rows, s.entropy("x1").width < 1e-4
        (10000, True)
        """
        wanted = None if tol is None else check_positive("tol", tol, " of bits")
        seed, jobs, rows = seed_of(rng), check_jobs(n_jobs), open_rows(source, columns)
        sketch = cls.like(
            rows.sample(SAMPLE_ROWS, seed, jobs, progress),
            measures=measures,
            given=given,
            alpha=alpha,
            kernel=kernel,
            groups=groups,
            missing=missing,
            tol=_SAMPLE_TOL if wanted is None else min(wanted, _SAMPLE_TOL),
            rank=rank,
            rng=seed,
        )
        sketch = rows.add_to(sketch, jobs, progress)
        for _ in range(_MOST_PASSES if wanted is not None else 0):
            if wanted is None or sketch.widest <= wanted:
                return sketch
            more = sketch.second_pass(wanted)
            if more.landmarks == sketch.landmarks:
                break
            sketch = rows.add_to(more, jobs, progress)
        if wanted is not None and sketch.widest > wanted:
            got = f"bounds {sketch.widest:.2g} bits apart with {sketch.landmarks} landmarks"
            hint = "Options: a larger tol=, a larger rank=, wider kernels, fewer variables in a joint."
            raise ToleranceError(message("tol", f"entropies within {wanted:.2g} bits", got, hint))
        return sketch

    def _freeze(self, frame: Frame, subsets: list[Subset], landmarks: Mapping[Subset, tuple[Variable, ...]]) -> None:
        """Begin with no row, landmarks given for each subset that is not labels alone."""
        order, seed = self.alpha, self._settings["seed"]
        everything, places = frame.landmarks, {}
        for subset, rows in landmarks.items():
            start = everything[0].rows
            everything = stacked(everything, rows)
            places[subset] = np.arange(start, everything[0].rows)
        self._frame = frame.with_landmarks(everything)
        parts: dict[Subset, SubsetSums] = {
            subset: LandmarkSums.of(subset, self._frame, places[subset], order, seed)
            if subset in places
            else CountSums(subset, order)
            for subset in subsets
        }
        self._entropies = SketchedEntropies(self._names, parts)
        self._dropped = 0
        self._step = min((rows_at_once(part.rank) for part in parts.values()), default=2**18)

    def __repr__(self) -> str:
        """Rows, variables and order."""
        listed = ", ".join(self.names[:6]) + (", ..." if len(self.names) > 6 else "")
        given = f" given {', '.join(self.given)}" if self.given else ""
        return f"Sketch({self.rows} rows; {listed}{given}; alpha={self.alpha:g})"

    @property
    def all_names(self) -> tuple[str, ...]:
        """The variables, those conditioned on last."""
        return self._names

    @property
    def given(self) -> tuple[str, ...]:
        """The variables conditioned on."""
        return self._given

    @property
    def rows(self) -> int:
        """Rows added."""
        return self._entropies.rows

    @property
    def dropped(self) -> int:
        """Rows left out because a value was missing."""
        return self._dropped

    @property
    def alpha(self) -> float:
        """Order of the entropy."""
        return float(self._settings["alpha"])

    @property
    def landmarks(self) -> int:
        """Landmarks of all subsets together."""
        return self._frame.size

    @property
    def widest(self) -> float:
        """Bits between the bounds of the entropy that is known least."""
        return max(self._entropies(subset).width for subset in self._entropies.parts)

    @property
    def kernels(self) -> dict[str, Kernel]:
        """The kernel of each variable, with its width, for variables of one kind of values."""
        pairs = zip(self._names, self._frame.kernels, strict=True)
        return {name: kernels[0] for name, kernels in pairs if len(kernels) == 1}

    def update(self, *chunk: Any) -> None:
        """Add rows, in the form of the sample: as many arguments, or a table of the same columns."""
        settings = self._settings
        table = read_chunk(chunk, settings["given"], settings["groups"], None, settings["missing"])
        variables = check_alike(table.variables, self._shapes)
        rows = self._frame.prepared(variables)
        for start in range(0, variables[0].rows, self._step):
            piece = taken(rows, slice(start, start + self._step))
            grams = self._frame.grams(piece)
            for part in self._entropies.parts.values():
                part.add(grams, piece, self._frame.size)
        self._entropies.rows += variables[0].rows
        self._dropped += table.dropped

    def merge(self, other: Sketch) -> None:
        """Add the rows of another sketch that began as a copy of the same one."""
        if not isinstance(other, Sketch):
            raise type_error("other", "a Sketch", describe(other))
        if other.fingerprint != self.fingerprint:
            hint = "Make one by Sketch.like, and copies of it by empty() for each share of the rows."
            raise value_error("other", "a sketch with the same landmarks and widths", "another one", hint)
        for subset, part in self._entropies.parts.items():
            part.merge(other._entropies.parts[subset])  # type: ignore[attr-defined]
        self._entropies.rows += other.rows
        self._dropped += other._dropped

    def empty(self) -> Sketch:
        """The same sketch without rows: one for each process or machine, to be merged."""
        fresh = copy.copy(self)
        fresh._entropies = SketchedEntropies(
            self._names, {s: part.empty() for s, part in self._entropies.parts.items()}
        )
        fresh._dropped = 0
        return fresh

    def second_pass(self, tol: float) -> Sketch:
        """An empty sketch with more landmarks, for going over the same rows once more.

        Parameters
        ----------
        tol : float
            Bits within which each entropy shall be bounded. Landmarks are added from the rows that the first ones said
            least of; at most `rank` for a subset, so that it may still not be met.
        """
        wanted = check_positive("tol", tol, " of bits")
        if self.rows < 2:
            raise value_error("data", "at least 2 rows", f"{self.rows}", "The first pass tells which rows are needed.")
        rng = np.random.default_rng([self._settings["seed"], self.rows])
        landmarks = {
            subset: part.further(self._frame, wanted, self._settings["rank"], rng)
            for subset, part in self._entropies.parts.items()
            if isinstance(part, LandmarkSums)
        }
        fresh = copy.copy(self)
        fresh.__dict__.pop("fingerprint", None)
        base = self._frame.with_landmarks(taken(self._frame.landmarks, slice(0, 0)))
        fresh._freeze(base, list(self._entropies.parts), landmarks)
        return fresh

    def explain(self) -> str:
        """For every subset: landmarks, the mass that they leave out, and how far apart the bounds are."""
        lines = [f"{self.rows} rows, {len(self.names)} variables, alpha={self.alpha:g}"]
        for subset, part in self._entropies.parts.items():
            name = ", ".join(self._names[index] for index in sorted(subset))
            if self.rows < 2:
                lines.append(f"  {name}: {part.rank} landmarks")
                continue
            width = self._entropies(subset).width
            if isinstance(part, LandmarkSums):
                found = f"{part.rank} landmarks, {part.sums.missing:.2g} of the mass left out"
            else:
                found = f"counts of {part.rank} labels"
            lines.append(f"  {name}: {found}, bounds {width:.2g} bits apart")
        return "\n".join(lines)

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything to one file, in one step: arrays and JSON, nothing pickled, with a hash."""
        from shearer.sketching.saved_sketches import write

        write(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Sketch:
        """Read what `save` wrote; a file that was cut short or altered is refused."""
        from shearer.sketching.saved_sketches import read

        return read(path)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that two sketches must share to be merged."""
        from shearer.sketching.saved_sketches import fingerprint_of

        return fingerprint_of(self)


def _are_names(given: Any) -> bool:
    return isinstance(given, list | tuple) and all(isinstance(name, str) for name in given)


def _plain_groups(groups: Mapping[str, Iterable[str]] | None) -> dict[str, list[str]] | None:
    return None if groups is None else {name: list(members) for name, members in groups.items()}
