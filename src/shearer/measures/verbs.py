"""The paper's measures as users type them: a function and, for variables that are asked more than once, a method."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shearer.kernels import Kernel
from shearer.measures.asking import Asked, noun_of
from shearer.spectrum import Estimate

__all__ = ["dual_total_correlation", "entropy", "mutual_information", "total_correlation"]


class PaperMethods(Asked):
    """The measures of this file as methods."""

    def entropy(self, *names: str) -> Estimate:
        """Joint entropy in bits of the named variables (all, if none is named), given the conditions."""
        return self.measure("entropy", *names)

    def mutual_information(self, *names: str, normalize: bool | str = True) -> Estimate:
        """I* (or I in bits) of two variables; see `shearer.mutual_information`."""
        return self.measure("mutual_information", *names, normalize=normalize)

    def total_correlation(self, *names: str, normalize: bool = True) -> Estimate:
        """T* (or T in bits) of two or more variables; see `shearer.total_correlation`."""
        return self.measure("total_correlation", *names, normalize=normalize)

    def dual_total_correlation(self, *names: str, normalize: bool = True) -> Estimate:
        """D* (or D in bits) of two or more variables; see `shearer.dual_total_correlation`."""
        return self.measure("dual_total_correlation", *names, normalize=normalize)


def entropy(
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
    """Joint entropy S_alpha of the variables, in bits.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Several arguments or a mapping: one variable each. A single 2-D array or table: one vector variable, whose
        coordinates share one width. Numbers (integers too) get the kernel, labels (strings, booleans, categories) the
        delta kernel; for integer classes pass strings, or ``kernel={name: Delta()}``. Arguments without a name of
        their own are called x1, x2, ...
    given : optional
        Conditioning variables: the entropy that is left once they are known.
    alpha : float, default 1
        Order, from 0 (log of the rank, with a tolerance of n epsilon) to infinity (-log of the largest eigenvalue).
    kernel : Kernel or mapping of name -> Kernel, optional
        For all continuous variables, or for the named ones. Default: Gaussian of median width; labels: delta.
    groups : mapping, optional
        New name -> columns that form one vector variable; the other columns are then variables of their own. The
        coordinates of a vector share one width: bring columns of different units to one scale first.
    missing : {"error", "drop"}
        What to do with rows that lack a value.
    tol : float, optional
        How far apart the bounds of the answer may be; see `Dependence`.
    memory : str or number, optional
        What one entropy may allocate, such as "2GB"; default: half of the machine.
    rng : int, Generator or None
        Seed of routes that draw at random.

    Returns
    -------
    float or 0-d array
        Bits, in the library of the data; differentiable where the library is.

    Examples
    --------
    >>> import shearer as sh
    >>> sh.entropy(["a", "b", "c", "d"])
    2.0
    >>> sh.entropy(["a", "a", "b", "b"], ["u", "v", "u", "v"], given=["a", "a", "b", "b"])
    1.0
    """
    noun = noun_of(
        *data, given=given, alpha=alpha, kernel=kernel, groups=groups, missing=missing, tol=tol, memory=memory, rng=rng,
        vector=True,
    )  # fmt: skip
    return noun.entropy().value


def mutual_information(
    *data: Any,
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
    """Mutual information of two variables of any dimension, I* (default) or I in bits.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of shape (n,) or (n, d), or one table or mapping of two (after `groups`).
    given : optional
        Conditioning variables: the dependence that they do not explain.
    normalize : bool or str, default True
        True or "max": over the larger entropy (the paper's choice). "min": over the smaller (T* of two). "joint": over
        the joint (D* of two). "mean", "sqrt": over the arithmetic or geometric mean. False: bits.
    alpha : float, default 1
        Order. At 1, I >= 0 and 0 is independence in the population; at other orders I can be negative.
    kernel, groups, missing, tol, memory, rng
        As in `entropy`.

    Returns
    -------
    float or 0-d array
        In the library of the data; differentiable where the library is. Not above 1 when normalised. A finite sample
        of independent variables scores above 0, by an amount that depends on its size and the widths.

    Examples
    --------
    >>> import shearer as sh
    >>> x = ["a", "a", "b", "b"]
    >>> sh.mutual_information(x, x), sh.mutual_information(x, ["u", "v", "u", "v"])
    (1.0, 0.0)
    >>> import numpy as np
    >>> angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> round(sh.mutual_information(np.cos(angle), np.sin(angle)), 4)  # uncorrelated, not independent
    0.1927
    """
    noun = noun_of(
        *data, given=given, alpha=alpha, kernel=kernel, groups=groups, missing=missing, tol=tol, memory=memory, rng=rng
    )
    return noun.mutual_information(normalize=normalize).value


def total_correlation(
    *data: Any,
    given: Any = None,
    normalize: bool = True,
    alpha: float = 1.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    tol: float | None = None,
    memory: str | float | None = None,
    rng: np.random.Generator | int | None = 0,
) -> Any:
    """Total correlation of any number of variables of any dimension, T* (default) or T in bits.

    T = sum S(A^i) - S(A^[L]) counts what m variables share m - 1 times. T* divides by sum S(A^i) - max S(A^i).

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Several arguments: one variable each. One table, mapping or 2-D array: one variable for each column.
    given : optional
        Conditioning variables.
    normalize : bool, default True
        T*, at most 1, or T in bits.
    alpha : float, default 1
        Order. At 1, T >= 0 and 0 is independence in the population; at other orders T can be negative.
    kernel, groups, missing, tol, memory, rng
        As in `entropy`.

    Returns
    -------
    float or 0-d array
        In the library of the data; differentiable where the library is. 0 if there is no entropy to share.

    Examples
    --------
    >>> import shearer as sh
    >>> a, b = [False, False, True, True], [False, True, False, True]
    >>> sh.total_correlation(a, b, [i != j for i, j in zip(a, b)])  # XOR: no pair depends, the three do
    0.5
    """
    noun = noun_of(
        *data, given=given, alpha=alpha, kernel=kernel, groups=groups, missing=missing, tol=tol, memory=memory, rng=rng
    )
    return noun.total_correlation(normalize=normalize).value


def dual_total_correlation(
    *data: Any,
    given: Any = None,
    normalize: bool = True,
    alpha: float = 1.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    tol: float | None = None,
    memory: str | float | None = None,
    rng: np.random.Generator | int | None = 0,
) -> Any:
    """Dual total correlation of any number of variables of any dimension, D* (default) or D in bits.

    D = sum S(A^[L]-i) - (L - 1) S(A^[L]) counts what variables share once, however many share it. D* divides by
    S(A^[L]): the part of all there is to know that more than one variable tells.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Several arguments: one variable each. One table, mapping or 2-D array: one variable for each column.
    given : optional
        Conditioning variables.
    normalize : bool, default True
        D*, at most 1, or D in bits.
    alpha : float, default 1
        Order. At 1, D >= 0 and 0 is independence in the population; at other orders D can be negative.
    kernel, groups, missing, tol, memory, rng
        As in `entropy`.

    Returns
    -------
    float or 0-d array
        In the library of the data; differentiable where the library is. 0 if there is no entropy to share.

    Examples
    --------
    >>> import shearer as sh
    >>> a, b = [False, False, True, True], [False, True, False, True]
    >>> sh.dual_total_correlation(a, b, [i != j for i, j in zip(a, b)])  # XOR
    1.0
    """
    noun = noun_of(
        *data, given=given, alpha=alpha, kernel=kernel, groups=groups, missing=missing, tol=tol, memory=memory, rng=rng
    )
    return noun.dual_total_correlation(normalize=normalize).value
