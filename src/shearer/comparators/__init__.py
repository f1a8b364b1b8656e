"""Measures of dependence by other authors, each called as ``name(*variables, options)`` and returning a float.

Each can be the `statistic` of `shearer.permutation_test`: larger values mean more dependence, for signed coefficients
more positive dependence.
"""

from shearer.comparators.binned_information import binned_mutual_information, binned_total_correlation
from shearer.comparators.canonical import kcca, rdc
from shearer.comparators.copulas import c_kdm, gaussian_dual_total_correlation, gaussian_total_correlation
from shearer.comparators.correlations import kendall, pearson, spearman
from shearer.comparators.cumulative import cmi
from shearer.comparators.dimension import idd
from shearer.comparators.distance_covariance import distance_correlation, distance_covariance
from shearer.comparators.hilbert_schmidt import dhsic, hsic
from shearer.comparators.martingale import mdhsic, mhsic, xhsic
from shearer.comparators.maximal import mac, mic
from shearer.comparators.neighbors import ksg
from shearer.comparators.quadratic import qmi_cs
from shearer.comparators.ranks import chatterjee_xi, multivariate_spearman
from shearer.comparators.variational import mine

__all__ = [
    "binned_mutual_information",
    "binned_total_correlation",
    "c_kdm",
    "chatterjee_xi",
    "cmi",
    "dhsic",
    "distance_correlation",
    "distance_covariance",
    "gaussian_dual_total_correlation",
    "gaussian_total_correlation",
    "hsic",
    "idd",
    "kcca",
    "kendall",
    "ksg",
    "mac",
    "mdhsic",
    "mhsic",
    "mic",
    "mine",
    "multivariate_spearman",
    "pearson",
    "qmi_cs",
    "rdc",
    "spearman",
    "xhsic",
]
