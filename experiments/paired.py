"""The exact test of a mean of paired differences."""

import itertools
from collections.abc import Sequence

import numpy as np


def sign_test(differences: Sequence[float]) -> float:
    """Two-sided p-value of the mean difference under all changes of signs.

    Examples
    --------
    >>> sign_test([1.0, 2.0, 3.0])  # 2 of 8
    0.25
    """
    d = np.array(differences)
    signs = np.array(list(itertools.product((1, -1), repeat=len(d))))
    return float(np.mean(np.abs(signs @ d) >= abs(d.sum()) - 1e-12))
