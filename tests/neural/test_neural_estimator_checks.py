"""scikit-learn's own checks, none left out."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from shearer.neural import RobustClassifier, RobustRegressor

# As by default, but for speed: the checks fit some hundred times. One of them sets alpha=0.01, where gradients rest on
# round-off and fewer epochs are too few on some processors.
BRIEF = {"max_epochs": 20, "batch_size": 32, "learning_rate": 0.01}
ESTIMATORS = [RobustRegressor(**BRIEF), RobustClassifier(**BRIEF)]


@pytest.fixture(autouse=True)
def array_api(monkeypatch):
    """One of the checks leaves itself out where this is not set."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
