"""Quadratic mutual information: densities compared by an angle instead of by a logarithm under the integral."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shearer.comparators.inputs import Floats, compared
from shearer.comparators.matrices import kernel_matrices, rearranges
from shearer.kernels import Kernel


def _log_angle(left: Floats, right: Floats) -> float:
    rows = left.mean(axis=0), right.mean(axis=0)
    joint, apart = float(np.vdot(left, right)) / len(left) ** 2, float(rows[0].mean() * rows[1].mean())
    cross = float(rows[0] @ rows[1]) / len(left)
    return math.log(joint) + math.log(apart) - 2 * math.log(cross)


@rearranges(kernel_matrices, _log_angle)
def qmi_cs(
    *data: Any,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> float:
    """Compute the Cauchy-Schwarz quadratic mutual information of two variables of any dimension, in nats.

    ln(V_J V_M / V_C^2) with V_J = mean_ij K_ij L_ij, V_M = mean(K) mean(L), V_C = mean_i(mean_j K_ij mean_j L_ij). This
    is -2 ln of the cosine of the angle between the joint density and the product of the marginal ones, as kernel
    density estimates (Xu et al. 1998; Principe 2010, "Information theoretic learning").

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of shape (n,) or (n, d), or one table of two.
    kernel : Kernel or mapping of name -> Kernel, optional
        K and L; default as in `hsic`. For a density estimate of bandwidth h pass ``Gaussian(sqrt(2) * h)``, as the
        integral of the product of two of its kernels is sqrt(2) times as wide. The sources do not say which h. With
        Silverman's, in several dimensions, hardly any two rows are alike, and the measure tells nothing.
    groups, missing
        As in `shearer.entropy`.

    Returns
    -------
    float
        Not negative; 0 if the two estimates are equal.

    Examples
    --------
    >>> import shearer as sh
    >>> labels = ["a", "a", "b", "b"]
    >>> round(sh.comparators.qmi_cs(labels, labels), 6)  # ln 2
    0.693147
    >>> sh.comparators.qmi_cs(labels, ["u", "v", "u", "v"])
    0.0
    """
    return _log_angle(*kernel_matrices(compared(data, groups, missing, exactly=2), kernel))
