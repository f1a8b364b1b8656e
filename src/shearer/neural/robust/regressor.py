"""Regression under noise that squared error does not bear (paper, Algorithm 1)."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from torch import Tensor

from shearer._validate import value_error
from shearer.neural.robust.algorithm import RobustEstimator
from shearer.neural.robust.estimator_options import check_count, check_switch

Floats = NDArray[np.float64]


class RobustRegressor(RegressorMixin, RobustEstimator):
    """Regression by a network whose errors have little entropy, or do not depend on its inputs (paper, Algorithm 1).

    Parameters
    ----------
    module : torch module, function or None
        The network: a module (a copy is trained), a function of the numbers of inputs and outputs that makes one, or
        None: two hidden layers sized from the data.
    loss : str, torch loss or loss of this package
        "error_entropy" (H(e); what "auto", the default, takes), "dependence" (I(x; e)), "hsic", "mse", "mae"; an
        instance of `DependenceLoss`, `ErrorEntropyLoss`, `HSICLoss`; or any function of outputs and targets, as torch's
        ``HuberLoss()``. The default was chosen by a study (docs: neural, "Robust learning").
    alpha : float, default 1.01
        Order of the entropy in "dependence" and "error_entropy". At 2 a step is several times faster, and "dependence"
        has the centered form (docs: neural, "Which order").
    kernel : Kernel or mapping, optional
        Of inputs and errors, ``{"x": ..., "e": ...}``, in units of the scaled data. Default: Gaussian, for inputs of
        median width, for errors of width 0.5 ("hsic": median).
    batch_size : int
        Rows a step, about: batches of an epoch are of equal size.
    max_epochs : int
        Passes over the data.
    learning_rate, weight_decay : float
        Of the Adam optimizer.
    bias_correction : bool or "auto"
        Add the mean error on the training rows to the output. "auto": for losses that a constant error does not
        change ("dependence", "error_entropy", "hsic").
    standardize : bool
        Scale inputs to mean 0 and standard deviation 1, targets by median and quartiles.
    early_stopping : bool
        Hold out `validation_fraction` of the rows, stop after `patience` epochs in which the loss on them did not fall
        by `tol`, and keep the weights that did best.
    validation_fraction : float
        Above 0, below 1.
    patience : int
        Epochs.
    tol : float
        What counts as a fall, as a part of the loss.
    dtype : {"float64", "float32"}
        Of the network.
    device : str or torch.device
        Where it is trained.
    random_state : int, RandomState or None
        Of initial weights, batches, validation rows and dropout. The global generator of torch is left alone.
    progress : bool, optional
        A bar on stderr; default: on a terminal.

    Attributes
    ----------
    module_ : torch.nn.Module
        The trained network, of scaled inputs and targets.
    bias_ : NDArray
        What is added to its output, in units of the target.
    history_ : list of dict
        Epoch, loss and validation loss.
    n_epochs_ : int
        Epochs trained.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.neural import RobustRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(200, 2))
    >>> y = 10 + X[:, 0] - X[:, 1] + rng.exponential(0.3, size=200)
    >>> model = RobustRegressor(max_epochs=40, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.7), bool(abs(np.mean(y - model.predict(X))) < 1e-9)
    (True, True)
    """

    _classification = False

    def fit(self, X: Any, y: Any) -> Self:
        """Train on rows X (n, d), or images (n, ...) where the module takes them, and targets y (n,) or (n, q)."""
        values, targets = self._read(X, y, reset=True)
        self._begin(values, targets)
        hold_out = check_switch("early_stopping", self.early_stopping)
        return self._train(values, targets, check_count("max_epochs", self.max_epochs, 1), hold_out)

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Train one epoch more, on these rows; scales are those of the first call, the bias is that of the last."""
        first = not hasattr(self, "module_")
        values, targets = self._read(X, y, reset=first)
        if first:
            self._begin(values, targets)
        elif not hasattr(self, "_trainer"):
            self._resume()
        if self._count_outputs(targets) != self._outputs:
            raise value_error("y", f"{self._outputs} outputs, as before", f"{self._count_outputs(targets)}")
        return self._train(values, targets, 1, hold_out=False)

    def predict(self, X: Any) -> Floats:
        """Targets (n,), or (n, q) where y was given so."""
        output = self._unscaled(self._network_output(self._read_inputs(X))) + self.bias_
        return output[:, 0] if self._flat else output

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Floats, Floats]:
        values, targets = self._validated(X, y, multi_output=True, y_numeric=True, ensure_min_samples=2, reset=reset)
        self._check_shape(values, reset)
        if reset:
            self._flat = targets.ndim == 1
        return values, np.asarray(targets, dtype=np.float64).reshape(len(targets), -1)

    def _count_outputs(self, y: Floats) -> int:
        return int(y.shape[1])

    def _targets(self, y: Floats) -> Tensor:
        return self._tensor(y if self.target_scaling_ is None else self.target_scaling_.apply(y))

    def _unscaled(self, output: Floats) -> Floats:
        return output if self.target_scaling_ is None else self.target_scaling_.undo(output)

    def _mean_error(self, X: Floats, y: Floats) -> Floats:
        """The mean of y less the mean of f(x)."""
        error: Floats = np.mean(y - self._unscaled(self._network_output(X)), axis=0)
        return error

    def __sklearn_tags__(self) -> Any:
        """Several targets are welcome."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
