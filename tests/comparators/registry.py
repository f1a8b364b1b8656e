"""What each comparator promises, so that one test can ask it of all."""

from shearer import comparators

ALL = {name: getattr(comparators, name) for name in comparators.__all__ if name != "mine"}
MANY = {
    "binned_total_correlation",
    "c_kdm",
    "cmi",
    "dhsic",
    "gaussian_dual_total_correlation",
    "gaussian_total_correlation",
    "idd",
    "ksg",
    "mac",
    "mdhsic",
    "multivariate_spearman",
}
PAIRS = set(ALL) - MANY
CORRELATIONS = {"pearson", "spearman", "kendall", "chatterjee_xi", "multivariate_spearman"}
BINNED = {"binned_mutual_information", "binned_total_correlation"}
COPULAS = {"gaussian_total_correlation", "gaussian_dual_total_correlation", "idd"}
SCALARS = CORRELATIONS | BINNED | {"mic", "mac", "cmi", "c_kdm"}
VECTORS = set(ALL) - SCALARS
# Those that take labels as variables.
LABELS = VECTORS - COPULAS
# The order of rows is part of the statistic.
ORDERED = {"mhsic", "mdhsic", "xhsic"}
ASYMMETRIC = {"chatterjee_xi"}
# Functions of ranks alone.
RANKED = (CORRELATIONS - {"pearson"}) | BINNED | COPULAS | {"mic", "mac", "rdc", "c_kdm"}
# Covariances carry the unit of the data.
SCALED = {"distance_covariance"}
