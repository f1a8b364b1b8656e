"""Classification whose errors do not depend on the inputs (paper, Algorithm 1)."""

from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from torch import Tensor

from shearer._validate import describe, listing, value_error
from shearer.neural.robust.algorithm import RobustEstimator
from shearer.neural.robust.estimator_options import check_count, check_device, check_switch

Floats = NDArray[np.float64]


class RobustClassifier(ClassifierMixin, RobustEstimator):
    """Classification by a network, for labels of which some are wrong (paper, Algorithm 1, and its rivals).

    The network returns a number for each class; errors are indicators of the classes less their probabilities.

    Parameters
    ----------
    module : torch module, function or None
        As in `RobustRegressor`; the outputs are the classes.
    loss : str, torch loss or loss of this package
        As in `RobustRegressor`, and "cross_entropy"; a function is given outputs (n, classes) and positions (n,).
        "auto", the default, is "mae", the mean size of indicators less probabilities: a study chose it for labels of
        which some are wrong (docs: neural, "Robust learning"). Where classes are many it learns slowly: take
        "cross_entropy".
    kernel : Kernel or mapping, optional
        As in `RobustRegressor`; errors have width 1.
    bias_correction : bool or "auto"
        Add the mean error on the training rows to the probabilities.
    standardize : bool
        Scale inputs to mean 0 and standard deviation 1.
    alpha, batch_size, max_epochs, learning_rate, weight_decay, early_stopping, validation_fraction, patience, tol
        As in `RobustRegressor`.
    dtype, device, random_state, progress
        As in `RobustRegressor`.

    Attributes
    ----------
    classes_ : NDArray
        The classes, in order.
    module_, bias_, history_, n_epochs_
        As in `RobustRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shearer.neural import RobustClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RobustClassifier(batch_size=32, max_epochs=60, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    _classification = True

    def fit(self, X: Any, y: Any) -> Self:
        """Train on rows X (n, d), or images (n, ...) where the module takes them, and labels y (n,)."""
        values, labels = self._read(X, y, reset=True)
        self.classes_ = np.unique(labels)
        positions = self._positions(labels)
        self._begin(values, positions)
        hold_out = check_switch("early_stopping", self.early_stopping)
        return self._train(values, positions, check_count("max_epochs", self.max_epochs, 1), hold_out)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Train one epoch more, on these rows.

        Parameters
        ----------
        X, y : array-like
            Rows and their labels.
        classes : array-like
            All labels there will be; needed in the first call.
        """
        first = not hasattr(self, "module_")
        values, labels = self._read(X, y, reset=first)
        if first:
            if classes is None:
                raise value_error("classes", "all labels, in the first call of partial_fit", "None")
            self.classes_ = np.unique(classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise value_error("classes", "those of the first call", describe(classes))
        positions = self._positions(labels)
        if first:
            self._begin(values, positions)
        elif not hasattr(self, "_trainer"):
            self._resume()
        return self._train(values, positions, 1, hold_out=False)

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities (n, classes); those that the bias brings below 0 are 0."""
        corrected = np.maximum(self._probabilities(self._read_inputs(X)) + self.bias_, 0.0)
        probabilities: Floats = corrected / corrected.sum(axis=1, keepdims=True)
        return probabilities

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Floats, NDArray[Any]]:
        values, labels = self._validated(X, y, ensure_min_samples=2, reset=reset)
        self._check_shape(values, reset)
        check_classification_targets(labels)
        return values, labels

    def _positions(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        if len(self.classes_) < 2:
            raise value_error("y", "at least 2 classes", f"1 class, {describe(self.classes_[0])}")
        positions = np.searchsorted(self.classes_, labels)
        known = self.classes_[np.minimum(positions, len(self.classes_) - 1)] == labels
        if not known.all():
            raise value_error("y", f"labels among {listing(self.classes_)}", describe(labels[~known][0]))
        return positions

    def _count_outputs(self, y: NDArray[np.intp]) -> int:
        return len(self.classes_)

    def _targets(self, y: NDArray[np.intp]) -> Tensor:
        return torch.as_tensor(y, device=check_device(self.device))

    def _probabilities(self, X: Floats) -> Floats:
        probabilities: Floats = torch.softmax(torch.from_numpy(self._network_output(X)), dim=1).numpy()
        return probabilities

    def _mean_error(self, X: Floats, y: NDArray[np.intp]) -> Floats:
        """Frequencies of the classes less their mean probabilities."""
        frequencies = np.bincount(y, minlength=self._outputs) / len(y)
        error: Floats = frequencies - self._probabilities(X).mean(axis=0)
        return error
