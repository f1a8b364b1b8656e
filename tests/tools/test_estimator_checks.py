"""scikit-learn's own checks, none left out."""

import os
from unittest import mock

import pytest

# scikit-learn 1.6 asks for it when its checks are imported beside array-api-compat; scipy has been imported without.
with mock.patch.dict(os.environ, SCIPY_ARRAY_API="1"):
    from sklearn.utils.estimator_checks import parametrize_with_checks

from shearer.tools import (
    DependenceNetwork,
    DependenceSelector,
    FeatureBagging,
    SubspaceOutlierDetector,
    SubspaceSearch,
)

ESTIMATORS = [
    DependenceNetwork(),
    DependenceNetwork(weight="pvalue", indirect="dpi"),
    DependenceSelector(),
    DependenceSelector(start=2),
    DependenceSelector(0.5, method="mrmr"),
    SubspaceSearch(),
    SubspaceSearch("adjusted", max_size=None),
    SubspaceOutlierDetector(),
    SubspaceOutlierDetector(scheme="paper"),
    SubspaceOutlierDetector(scheme="paper", combination="rank", scale=False, ties="keep"),
    FeatureBagging(combination="breadth_first"),
]


@pytest.fixture(autouse=True)
def array_api(monkeypatch):
    """One of the checks leaves itself out where this is not set."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


# The checks use tables of 10 to 20 rows, of which the 20 neighbors of outlier detectors are too many.
@pytest.mark.filterwarnings("ignore:n_neighbors")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
