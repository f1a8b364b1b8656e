"""`PairSketch`: tests and values of all pairs of variables with any number of rows, in two passes."""

from __future__ import annotations

import copy
import hashlib
import json
import operator
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer._files.archive import digest_of
from shearer._validate import describe, type_error, value_error
from shearer.data.variables import Variable
from shearer.inference.permutation.resampling import check_count
from shearer.kernels import Kernel
from shearer.pairs.rungs import spaced_rows
from shearer.pairs.statistics import rungs_of_pairs
from shearer.sketching import saved_sketches
from shearer.sketching.frame import Frame, describe_kernel, kernel_from
from shearer.sketching.landmarks import feature_levels, unpacked
from shearer.sketching.levels import Crossing, Level
from shearer.sketching.pair_answers import PairAnswers
from shearer.sketching.rows import check_alike, read_chunk, taken
from shearer.sketching.sketch import FEWEST_SAMPLE_ROWS
from shearer.spectrum.lowrank.cholesky import ROWS_AT_ONCE

Floats = NDArray[np.float64]

FORMAT = "shearer pair sketch 5"
# How chunks are read, in the order in which files have it.
_SETTINGS = ("groups", "missing", "kinds", "names")
# Numbers in the features of one chunk: 64 megabytes for each level.
_WORK = 2**23
# Rows at a time: what is held of one variable stays in cache.
_MOST_ROWS = 4096


class PairSketch(PairAnswers):
    """Independence tests and alpha = 2 values of all pairs, from sums over rows that merge.

    The test is that of `independence_test`, at widths that a sample tells; its moments need sums over rows of what only
    the totals of a first pass tell. After one pass values are known, after two p-values.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.sketching import PairSketch
    >>> x = np.random.default_rng(0).normal(size=(20_000, 3))
    >>> x[:, 2] = x[:, 0] ** 2 + 5 * x[:, 2]
    >>> first = PairSketch.like(x[:2000])
    >>> first.update(x)
    >>> second = first.second_pass()
    >>> second.update(x)
    >>> second.independence_test("x1", "x3").pvalue < 1e-6 < second.independence_test("x1", "x2").pvalue
    True
    """

    def __init__(self) -> None:
        raise type_error("PairSketch", "PairSketch.like(sample)", "PairSketch()", "Widths come from a sample.")

    _settings: dict[str, Any]
    _kernels: tuple[tuple[Kernel, ...], ...]
    _dropped: int

    @classmethod
    def like(
        cls,
        *sample: Any,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        groups: Mapping[str, Iterable[str]] | None = None,
        kinds: Mapping[str, str] | None = None,
        missing: str = "error",
        names: Sequence[str] | None = None,
        rows: int | None = None,
    ) -> PairSketch:
        """An empty sketch for rows like these.

        Parameters
        ----------
        *sample : array-like, frame or mapping
            Rows such as those to come; see `Sketch.like`.
        kernel : Kernel or mapping of name -> Kernel, optional
            One width in place of the several widths of the test, as in `independence_test`.
        groups : mapping, optional
            New name -> columns that form one vector variable.
        kinds : mapping, optional
            Column -> "continuous" or "categorical", where what it looks like is not what it is.
        missing : {"error", "drop"}
            What to do with rows that lack a value in any variable.
        names : sequence of str, optional
            The variables, where a table has others too; default: all.
        rows : int, optional
            How many rows are to come, where the sample is `RowSource.spaced` of them: p-values are then those of the
            same rows in memory. Default: those of the sample.
        """
        only = None if names is None else list(names)
        variables = read_chunk(sample, None, groups, kinds, missing, only).variables
        if len(variables) < 2:
            raise value_error("sample", "at least 2 variables", f"{len(variables)}")
        if variables[0].rows < FEWEST_SAMPLE_ROWS:
            raise value_error("sample", f"at least {FEWEST_SAMPLE_ROWS} rows", f"{variables[0].rows}")
        frame = Frame.of(variables, kernel)
        count = variables[0].rows if rows is None else rows
        check_count("rows", count, 1)
        few = taken(frame.prepared(variables), spaced_rows(variables[0].rows))
        sketch = cls.__new__(cls)
        chosen = set(kernel) if isinstance(kernel, Mapping) else None if kernel is None else {i.name for i in variables}
        sketch._features = [
            feature_levels(frame, place, item, item.name in (chosen or ()), count) for place, item in enumerate(few)
        ]
        sketch._settings = {"groups": groups and {k: list(v) for k, v in groups.items()}, "missing": missing}
        sketch._settings |= {"kinds": None if kinds is None else dict(kinds), "names": only}
        sketch._shapes, sketch._kernels = taken(variables, slice(0, 0)), frame.kernels
        sketch._begin()
        return sketch

    def _begin(self) -> None:
        height = max(len(own) for own in self._features)
        self._levels = []
        for level in range(height):
            members = [min(level, len(own) - 1) for own in self._features]
            ranks = [own[member].rank for own, member in zip(self._features, members, strict=True)]
            self._levels.append(Level.of(members, ranks))
        # The rungs of a ladder stand above the first level.
        crossed = {(max(a, b) + 1, min(a, b) + 1) for a, b in rungs_of_pairs(height - 1) if a != b}
        self._crossings = [Crossing.of((a, b), self._levels[a], self._levels[b]) for a, b in sorted(crossed)]
        self._rows, self._second_rows, self._dropped = 0, None, 0

    def __repr__(self) -> str:
        """Rows and variables."""
        passed = "" if self._second_rows is None else f", {self._second_rows} of them again"
        return f"PairSketch({self._rows} rows{passed}; {len(self.names)} variables)"

    @property
    def dropped(self) -> int:
        """Rows left out because a value was missing, in the pass that is under way."""
        return self._dropped

    def update(self, *chunk: Any) -> None:
        """Add rows, in the form of the sample."""
        table = read_chunk(chunk, None, *(self._settings[name] for name in ("groups", "kinds", "missing", "names")))
        frame = Frame(self._kernels, ())
        rows = frame.prepared(check_alike(table.variables, self._shapes))
        widest = max(level.products.shape[0] for level in self._levels)
        step = min(_MOST_ROWS, max(ROWS_AT_ONCE, _WORK // widest))
        count = rows[0].rows
        for start in range(0, count, step):
            self._add(taken(rows, slice(start, start + step)))
        if self._second_rows is None:
            self._rows += count
        else:
            self._second_rows += count
        self._dropped += table.dropped

    def _add(self, rows: tuple[Variable, ...]) -> None:
        # Levels beyond the first share the features of variables that have one width only.
        known: dict[tuple[int, int], Floats] = {}
        crossed = {place for one in self._crossings for place in one.levels}
        stacks: dict[int, Floats] = {}
        vectors: dict[int, tuple[Floats, Floats]] = {}
        for at, level in enumerate(self._levels):
            stack = np.empty((rows[0].rows, level.products.shape[0]))
            for variable, member in enumerate(level.members):
                place = variable, member
                if place not in known:
                    known[place] = self._features[variable][member].of(rows[variable])
                stack[:, level.own(variable)] = known[place]
                if self._second_rows is None:
                    level.residuals[variable] += len(stack) - float(np.vdot(known[place], known[place]))
            if self._second_rows is None:
                level.add(stack)
                if at in crossed:
                    stacks[at] = stack
            else:
                vectors[at] = level.add_again(stack, self._rows)
            known = {place: found for place, found in known.items() if len(self._features[place[0]]) == 1}
        for one in self._crossings:
            if self._second_rows is None:
                one.add(*(stacks[place] for place in one.levels))
            else:
                one.add_again(*(vectors[place] for place in one.levels))

    @property
    def _sums(self) -> list[Level | Crossing]:
        """All sums over rows."""
        return [*self._levels, *self._crossings]

    def merge(self, other: PairSketch) -> None:
        """Add the rows of another sketch that began as a copy of the same one, in the same pass."""
        if not isinstance(other, PairSketch):
            raise type_error("other", "a PairSketch", describe(other))
        if other.fingerprint != self.fingerprint:
            hint = "Make one by PairSketch.like or second_pass, and copies of it by empty()."
            raise value_error("other", "a sketch with the same landmarks, in the same pass", "another one", hint)
        second = self._second_rows is not None
        for mine, others in zip(self._sums, other._sums, strict=True):
            for name in mine.SECOND if second else mine.FIRST:
                setattr(mine, name, getattr(mine, name) + getattr(others, name))
        if self._second_rows is not None and other._second_rows is not None:
            self._second_rows += other._second_rows
        else:
            self._rows += other._rows
        self._dropped += other._dropped

    def empty(self) -> PairSketch:
        """The same sketch without rows of the pass that is under way."""
        fresh = copy.copy(self)
        if self._second_rows is None:
            fresh._begin()
            return fresh
        return self.second_pass()

    def second_pass(self) -> PairSketch:
        """The totals of the first pass, and no row of a second one yet."""
        self._check_rows()
        fresh = copy.copy(self)
        fresh._levels = [copy.copy(level) for level in self._levels]
        fresh._crossings = [copy.copy(one) for one in self._crossings]
        for sums in fresh._sums:
            sums.begin_again()
        fresh._second_rows, fresh._dropped = 0, 0
        if self._second_rows is None:
            fresh.__dict__.pop("fingerprint", None)  # the totals of the first pass are part of it from now on
        return fresh

    @cached_property
    def fingerprint(self) -> str:
        """A hash of what two sketches must share to be merged: landmarks, and in a second pass the first's totals."""
        header, arrays = self._frozen()
        if self._second_rows is not None:
            header["rows"] = self._rows
            arrays |= {f"sums{place}": sums.products for place, sums in enumerate(self._sums)}
        digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
        digest.update(digest_of(arrays))
        return digest.hexdigest()

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything to one file, in one step: arrays and JSON, nothing pickled, with a hash."""
        saved_sketches.write_archive(path, *self._packed())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> PairSketch:
        """Read what `save` wrote; a file that was cut short or altered is refused."""
        sketch = cls.__new__(cls)
        with saved_sketches.read_archive(path, FORMAT) as (header, arrays):
            sketch._settings = {name: header["settings"][name] for name in _SETTINGS}
            sketch._shapes = saved_sketches.unpack_rows("shape", header["shapes"], arrays)
            sketch._kernels = tuple(tuple(kernel_from(kernel) for kernel in own) for own in header["kernels"])
            sketch._features = [
                [unpacked(one, f"feature{i}_{j}", arrays) for j, one in enumerate(own)]
                for i, own in enumerate(header["features"])
            ]
            sketch._begin()
            for place, sums in enumerate(sketch._sums):
                for name in (*sums.FIRST, *sums.SECOND):
                    setattr(sums, name, arrays[f"sums{place}_{name}"])
            sketch._rows, sketch._dropped = (operator.index(header[name]) for name in ("rows", "dropped"))
            second = header["second_rows"]
            sketch._second_rows = None if second is None else operator.index(second)
            if not len(sketch._shapes) == len(sketch._kernels) == len(sketch._features):
                raise ValueError("variables that do not fit each other")
        return sketch

    def _packed(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Everything as plain data and arrays."""
        header, arrays = self._frozen()
        header |= {"rows": self._rows, "second_rows": self._second_rows, "dropped": self._dropped}
        for place, sums in enumerate(self._sums):
            arrays |= {f"sums{place}_{name}": getattr(sums, name) for name in (*sums.FIRST, *sums.SECOND)}
        return header, arrays

    def _frozen(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What was settled before the first row."""
        arrays: dict[str, NDArray[Any]] = {}
        header = {
            "format": FORMAT,
            "version": saved_sketches.VERSION,
            "settings": self._settings,
            "shapes": saved_sketches.pack_rows("shape", self._shapes, arrays),
            "kernels": [[describe_kernel(kernel) for kernel in own] for own in self._kernels],
            "features": [
                [one.packed(f"feature{i}_{j}", arrays) for j, one in enumerate(own)]
                for i, own in enumerate(self._features)
            ],
        }
        return header, arrays
