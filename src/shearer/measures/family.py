"""The rest of the family, functions and methods: gaps of Shearer's inequality, and sums and differences of T and D."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shearer.kernels import Kernel
from shearer.measures.asking import Asked, noun_of
from shearer.spectrum import Estimate

__all__ = ["co_information", "o_information", "s_information", "shearer_gap"]


class FamilyMethods(Asked):
    """The measures of this file as methods."""

    @abstractmethod
    def shearer_gap(
        self,
        *names: str,
        size: int | None = None,
        cover: Iterable[Iterable[Any]] | None = None,
        weights: Iterable[float] | None = None,
        normalize: bool | str = True,
    ) -> Estimate:
        """The gap of Shearer's inequality for a cover of the variables; see `shearer.shearer_gap`."""

    def o_information(self, *names: str) -> Estimate:
        """T - D in bits; see `shearer.o_information`."""
        return self.measure("o_information", *names)

    def s_information(self, *names: str) -> Estimate:
        """T + D in bits; see `shearer.s_information`."""
        return self.measure("s_information", *names)

    def co_information(self, *names: str) -> Estimate:
        """What all variables share, in bits; see `shearer.co_information`."""
        return self.measure("co_information", *names)


def shearer_gap(
    *data: Any,
    size: int | None = None,
    cover: Iterable[Iterable[Any]] | None = None,
    weights: Iterable[float] | None = None,
    given: Any = None,
    normalize: bool | str = True,
    alpha: float = 1.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    tol: float | None = None,
    memory: str | float | None = None,
    rng: np.random.Generator | int | None = 0,
) -> Any:
    """How far Shearer's inequality is from an equality, for one cover of the variables by subsets.

    G = (1/c) sum_F S(A^F) - S(A^[L]), where every variable lies in at least c of the subsets F (in subsets of total
    weight c, if weighted). Each cover stresses another part of the dependence: single variables give T, all but one
    give D / (L - 1).

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Several arguments: one variable each. One table, mapping or 2-D array: one variable for each column.
    size : int, optional
        Cover by all subsets of this many variables, 1 to L - 1.
    cover : list of subsets, optional
        Subsets as lists of names, or of positions from 0. Every variable must occur.
    weights : list of numbers, optional
        A positive weight for each subset: a fractional cover (Madiman and Tetali).
    normalize : bool or str, default True
        True or "marginal": over (1/c) sum_F S(A^F) - max_F S(A^F), the best bound that these entropies give; with
        size=1 this is T*. "joint": over (|F|/c - 1) S(A^[L]); with size=L-1 this is D*. False: bits.
    given, alpha, kernel, groups, missing, tol, memory, rng
        As in `entropy`. At alpha other than 1 the gap can be negative, and so, rarely, can the marginal bound: the
        quotient is then nan.

    Returns
    -------
    float or 0-d array
        In the library of the data; differentiable where the library is. Not above 1 when normalised.

    Examples
    --------
    >>> import shearer as sh
    >>> a, b = [False, False, True, True], [False, True, False, True]
    >>> xor = [i != j for i, j in zip(a, b)]
    >>> sh.shearer_gap(a, b, xor, size=1) == sh.total_correlation(a, b, xor)
    True
    >>> sh.shearer_gap(a, b, xor, size=2, normalize="joint") == sh.dual_total_correlation(a, b, xor)
    True
    >>> sh.shearer_gap(a, b, xor, cover=[[0, 1], [2]], normalize=False)  # I(a, b; xor)
    1.0
    """
    noun = noun_of(
        *data, given=given, alpha=alpha, kernel=kernel, groups=groups, missing=missing, tol=tol, memory=memory, rng=rng
    )
    return noun.shearer_gap(size=size, cover=cover, weights=weights, normalize=normalize).value


def o_information(
    *data: Any,
    given: Any = None,
    alpha: float = 1.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    tol: float | None = None,
    memory: str | float | None = None,
    rng: np.random.Generator | int | None = 0,
) -> Any:
    """O-information T - D in bits: above 0 redundancy outweighs, below 0 synergy.

    A finite sample of independent variables does not give 0, and a dependent pair beside a noise column tends to give
    less than 0: read the sign only together with a test.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Several arguments: one variable each. One table, mapping or 2-D array: one variable for each column.
    given, alpha, kernel, groups, missing, tol, memory, rng
        As in `entropy`.

    Returns
    -------
    float or 0-d array
        Bits, in the library of the data; differentiable where the library is.

    Examples
    --------
    >>> import shearer as sh
    >>> a, b = [False, False, True, True], [False, True, False, True]
    >>> xor = [i != j for i, j in zip(a, b)]
    >>> sh.o_information(a, b, xor), sh.o_information(a, a, a)
    (-1.0, 1.0)
    """
    noun = noun_of(
        *data, given=given, alpha=alpha, kernel=kernel, groups=groups, missing=missing, tol=tol, memory=memory, rng=rng
    )
    return noun.o_information().value


def s_information(
    *data: Any,
    given: Any = None,
    alpha: float = 1.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    tol: float | None = None,
    memory: str | float | None = None,
    rng: np.random.Generator | int | None = 0,
) -> Any:
    """S-information T + D in bits: the sum over variables of what each shares with all the others.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Several arguments: one variable each. One table, mapping or 2-D array: one variable for each column.
    given, alpha, kernel, groups, missing, tol, memory, rng
        As in `entropy`.

    Returns
    -------
    float or 0-d array
        Bits, in the library of the data; differentiable where the library is.

    Examples
    --------
    >>> import shearer as sh
    >>> a, b = [False, False, True, True], [False, True, False, True]
    >>> xor = [i != j for i, j in zip(a, b)]
    >>> sh.s_information(a, b, xor)
    3.0
    """
    noun = noun_of(
        *data, given=given, alpha=alpha, kernel=kernel, groups=groups, missing=missing, tol=tol, memory=memory, rng=rng
    )
    return noun.s_information().value


def co_information(
    *data: Any,
    given: Any = None,
    alpha: float = 1.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    tol: float | None = None,
    memory: str | float | None = None,
    rng: np.random.Generator | int | None = 0,
) -> Any:
    """Co-information in bits: what all variables share, by inclusion and exclusion.

    Of two variables it is the mutual information, of three the O-information. It can be negative. "Interaction
    information" differs from it by a factor (-1)^L. It takes the entropies of all subsets: 16 variables at most.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Several arguments: one variable each. One table, mapping or 2-D array: one variable for each column.
    given, alpha, kernel, groups, missing, tol, memory, rng
        As in `entropy`.

    Returns
    -------
    float or 0-d array
        Bits, in the library of the data; differentiable where the library is.

    Examples
    --------
    >>> import shearer as sh
    >>> a, b = [False, False, True, True], [False, True, False, True]
    >>> xor = [i != j for i, j in zip(a, b)]
    >>> sh.co_information(a, b, xor), sh.co_information(a, a, a)
    (-1.0, 1.0)
    """
    noun = noun_of(
        *data, given=given, alpha=alpha, kernel=kernel, groups=groups, missing=missing, tol=tol, memory=memory, rng=rng
    )
    return noun.co_information().value
