"""scikit-learn's own checks, none left out."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from shearer.tools import DependenceNetwork, DependenceSelector

ESTIMATORS = [
    DependenceNetwork(),
    DependenceNetwork(weight="pvalue", indirect="dpi"),
    DependenceSelector(),
    DependenceSelector(start=2),
    DependenceSelector(0.5, method="mrmr"),
]


@pytest.fixture(autouse=True)
def array_api(monkeypatch):
    """One of the checks leaves itself out where this is not set."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
