"""What estimators are given: arrays as scikit-learn checks them, tables as the rest of the library reads them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from shearer._validate import describe, type_error
from shearer.data.arrays import without_graph
from shearer.data.sources import is_frame, open_source


def check_features(estimator: Any, X: Any, *, missing: str, fewest: int, reset: bool = True) -> Any:
    """Check features by scikit-learn's rules: a table stays as it is, anything else becomes a matrix of finite doubles.

    What comes back is then read by `shearer.data.read`.

    Sets `n_features_in_` and, where columns have names, `feature_names_in_` of the estimator.

    Parameters
    ----------
    estimator : BaseEstimator
        Whose features they are.
    X : table or array-like
        One row for each observation.
    missing : str
        Anything but "error" lets nan pass.
    fewest : int
        Features needed, of arrays.
    reset : bool
        True when fitting; else the features must be those of the fit.
    """
    if is_table(X):
        validate_data(estimator, X, skip_check_array=True, reset=reset)
        return X
    finite: Any = True if missing == "error" else "allow-nan"
    return validated(
        estimator, X, ensure_min_samples=2, ensure_min_features=fewest, ensure_all_finite=finite, reset=reset
    )


def validated(estimator: Any, X: Any, **rules: Any) -> Any:
    """A matrix of doubles by scikit-learn's rules, and what the estimator should know of it."""
    with _quietly():
        return validate_data(estimator, without_graph(X), dtype=np.float64, **rules)


def checked_array(X: Any, **rules: Any) -> Any:
    """The same without an estimator."""
    with _quietly():
        return check_array(without_graph(X), dtype=np.float64, **rules)


def _quietly() -> Any:
    """Scikit-learn adds all numbers up to see whether they are finite; numpy warns where the sum is not."""
    return np.errstate(invalid="ignore", over="ignore")


def is_table(X: Any) -> bool:
    """True for a table of any library, whose columns may be of any kind; refused if it is not in memory."""
    if isinstance(X, Mapping):
        hint = "Make a table of it; shearer.pairwise takes mappings."
        raise type_error("X", "a table or an array of shape (n, p)", describe(X), hint)
    # asked of the type: a lazy table would have to find out its columns
    named = hasattr(type(X), "columns") or hasattr(type(X), "column_names")
    return named and is_frame(open_source(X, "X"))
