"""What each comparator promises, so that one test can ask it of all."""

import shearer as sh

C = sh.comparators
# MINE trains a network: a few steps are enough where only the shape of the answer matters.
PAIRS = {
    name: getattr(C, name)
    for name in (
        "pearson spearman kendall chatterjee_xi binned_mutual_information mic distance_covariance distance_correlation "
        "hsic kcca qmi_cs rdc mhsic xhsic"
    ).split()
}
MANY = {
    name: getattr(C, name)
    for name in (
        "multivariate_spearman binned_total_correlation ksg dhsic c_kdm idd mac cmi mdhsic gaussian_total_correlation "
        "gaussian_dual_total_correlation"
    ).split()
}
ALL = PAIRS | MANY
SCALARS = set(
    "pearson spearman kendall chatterjee_xi mic multivariate_spearman c_kdm mac cmi "
    "binned_mutual_information binned_total_correlation".split()
)
VECTORS = sorted(set(ALL) - SCALARS)
LABELS = sorted(set(VECTORS) - {"gaussian_total_correlation", "gaussian_dual_total_correlation", "idd"})
# The order of rows is part of the statistic.
ORDERED = {"mhsic", "mdhsic", "xhsic"}
ASYMMETRIC = {"chatterjee_xi"}
# Functions of ranks alone.
RANKED = set(
    "spearman kendall chatterjee_xi multivariate_spearman binned_mutual_information binned_total_correlation mic mac rdc "
    "c_kdm idd gaussian_total_correlation gaussian_dual_total_correlation".split()
)
# Covariances carry the unit of the data.
SCALED = {"distance_covariance"}
