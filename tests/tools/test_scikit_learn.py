"""What scikit-learn expects of estimators: its own checks, unmodified; pipelines, searches over parameters, copies."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from shearer.tools import FeatureBagging, SubspaceOutlierDetector, SubspaceSearch


# The checks use tables of 10 to 20 rows, of which 20 neighbors are too many.
@pytest.mark.filterwarnings("ignore:n_neighbors")
@parametrize_with_checks([SubspaceSearch(), SubspaceOutlierDetector(), FeatureBagging()])
def test_estimator_checks(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it the check of array-API input would leave itself out
    check(estimator)
