"""The noun behind the verbs: variables whose subset entropies are computed once and shared by every measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._memory import format_bytes
from shearer._validate import describe, value_error
from shearer.data import Table, read
from shearer.kernels import Kernel, grams
from shearer.measures.entropies import SubsetEntropies
from shearer.measures.measurable import Measurable
from shearer.spectrum import Request


class Dependence(Measurable):
    """Dependence among variables, by the matrix-based Rényi entropy.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Several arguments: one variable each, of shape (n,) or (n, d). One table, mapping or 2-D array: one variable
        for each column. Numbers (integers too), labels (strings, booleans, categories) and dates; arrays of any
        array-API library.
    given : optional
        Variables to condition on, in every measure: names of the table, an array, a tuple of arrays, a mapping.
    alpha : float, default 1
        Order of the entropy, from 0 to infinity. 1: every bound is a theorem. 2: fastest.
    kernel : Kernel or mapping of name -> Kernel, optional
        For all continuous variables, or for the named ones. Default: Gaussian of median width; labels: delta.
    groups : mapping, optional
        New name -> columns that form one vector variable, whose coordinates share one width.
    missing : {"error", "drop"}
        What to do with rows that lack a value.
    tol : float, optional
        How far apart the bounds of an answer may be: bits, or the unit of a normalised measure. An answer that cannot
        meet it is refused. Default: exact to round-off where that takes seconds (by few columns if that is cheaper),
        else entropies within 1e-6 bits. 0: all eigenvalues, however long they take.
    memory : str or number, optional
        What one entropy may allocate, such as "2GB"; default: half of the machine.
    rng : int, Generator or None
        Seed of routes that draw at random; the same seed gives the same answer.

    Examples
    --------
    >>> import shearer as sh
    >>> a, b = [0, 0, 1, 1], [0, 1, 0, 1]
    >>> xor = [i ^ j for i, j in zip(a, b)]
    >>> labels = {"a": map(str, a), "b": map(str, b), "xor": map(str, xor)}
    >>> d = sh.Dependence({name: list(column) for name, column in labels.items()})
    >>> d.mutual_information("a", "xor").value, d.total_correlation().value, d.dual_total_correlation().value
    (0.0, 0.5, 1.0)
    """

    _entropies: SubsetEntropies

    def __init__(
        self,
        *data: Any,
        given: Any = None,
        alpha: float = 1.0,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        groups: Mapping[str, Iterable[str]] | None = None,
        missing: str = "error",
        tol: float | None = None,
        memory: str | float | None = None,
        rng: np.random.Generator | int | None = 0,
    ) -> None:
        self._request = Request.checked(alpha, memory, tol, rng)
        self._table = read(*data, given=given, groups=groups, missing=missing)
        self._entropies = SubsetEntropies(grams(self._table, kernel), self._request)

    @classmethod
    def of_table(
        cls, table: Table, request: Request, kernel: Kernel | Mapping[str, Kernel] | None = None
    ) -> Dependence:
        """Measure a table that was read already."""
        noun = cls.__new__(cls)
        noun._request = request
        noun._table = table
        noun._entropies = SubsetEntropies(grams(table, kernel), request)
        return noun

    def __repr__(self) -> str:
        """Rows, variables and order."""
        left_out = f" ({self.dropped} dropped)" if self.dropped else ""
        listed = ", ".join(self.names[:6]) + (", ..." if len(self.names) > 6 else "")
        given = f" given {', '.join(self.given)}" if self.given else ""
        return f"Dependence({self.rows} rows{left_out}; {listed}{given}; alpha={self.alpha:g})"

    @property
    def all_names(self) -> tuple[str, ...]:
        """The variables, those conditioned on last."""
        return self._table.names

    @property
    def given(self) -> tuple[str, ...]:
        """The variables conditioned on."""
        return self._table.given

    @property
    def entropies(self) -> SubsetEntropies:
        """The entropies of subsets of the variables, each computed once."""
        return self._entropies

    @property
    def rows(self) -> int:
        """Rows used."""
        return self._entropies.rows

    @property
    def dropped(self) -> int:
        """Rows left out because a value was missing."""
        return self._table.dropped

    @property
    def alpha(self) -> float:
        """Order of the entropy."""
        return self._request.alpha

    def explain(self) -> str:
        """How entropies of single variables and of the joint are computed, why, and in how much time and memory.

        Nothing is factored: a look at a few hundred rows tells what is to be expected.
        """
        stated = 0.0 if self._request.exact else self._request.tol
        tol = "none stated" if stated is None else f"{stated:.2g}"
        size = f"{self.rows} rows, {len(self.names)} variables, alpha={self.alpha:g}, tol {tol}"
        lines = [f"{size}; at most {format_bytes(self._request.memory)}"]
        kinds = {"continuous": "number", "categorical": "label"}
        wanted = [
            (f"{item.name} ({kinds.get(item.kind, item.kind)})", frozenset([i]))
            for i, item in enumerate(self._table.variables)
        ]
        wanted.append(("joint", frozenset(range(len(self._table.names)))))
        lines += [f"  {name}: {self._entropies.explain(subset)}" for name, subset in wanted]
        return "\n".join(lines)

    def on_rows(self, rows: Any) -> Dependence:
        """The same variables with the same kernels and widths, on some of the rows.

        Parameters
        ----------
        rows : slice, boolean mask or list of positions
            Which rows.

        Examples
        --------
        >>> import numpy as np
        >>> import shearer as sh
        >>> x = np.arange(10.0)
        >>> sh.Dependence(x, x**2).on_rows(x > 6).rows
        3
        """
        expected = f"a slice, a mask of length {self.rows} or positions from 0 to {self.rows - 1}"
        try:
            index = np.arange(self.rows)[rows if isinstance(rows, slice) else np.asarray(rows)]
        except IndexError as error:
            raise value_error("rows", expected, describe(rows)) from error
        if index.ndim != 1 or len(index) < 2:
            raise value_error("rows", "at least 2 rows", f"{index.size}")
        part = copy(self)
        part._entropies = self._entropies.restricted(index)
        return part

    def shuffled(self, orders: Sequence[NDArray[np.intp]]) -> Dependence:
        """The same variables with the rows of each in an order of its own."""
        other = copy(self)
        other._entropies = self._entropies.shuffled(orders)
        return other
