"""Algorithm 1 of the paper as scikit-learn estimators: training on I(x; e), or any other loss, around any network."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor

from shearer._validate import check_positive, describe, type_error, value_error
from shearer.kernels import Kernel
from shearer.neural import archive
from shearer.neural.networks import check_output, make_network
from shearer.neural.objectives import make_objective
from shearer.neural.options import check_count, check_device, check_dtype, check_fraction, check_switch
from shearer.neural.scaling import Scaling
from shearer.neural.training import Course, Trainer, seeded

Floats = NDArray[np.float64]

# Rows that go through the network at once when nothing is learned.
_AT_ONCE = 8192


class RobustEstimator(BaseEstimator):  # type: ignore[misc]
    """What regressor and classifier share: reading, training in minibatches, the bias, predictions, files."""

    _classification = False

    def __init__(
        self,
        module: Any = None,
        *,
        loss: Any = "dependence",
        alpha: float = 1.01,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        batch_size: int = 128,
        max_epochs: int = 200,
        learning_rate: float = 3e-3,
        weight_decay: float = 0.0,
        bias_correction: bool | str = "auto",
        standardize: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        patience: int = 20,
        tol: float = 1e-4,
        dtype: str = "float64",
        device: Any = "cpu",
        random_state: Any = None,
        progress: bool | None = None,
    ) -> None:
        self.module = module
        self.loss = loss
        self.alpha = alpha
        self.kernel = kernel
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.bias_correction = bias_correction
        self.standardize = standardize
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.tol = tol
        self.dtype = dtype
        self.device = device
        self.random_state = random_state
        self.progress = progress

    def _begin(self, X: Floats, y: NDArray[Any]) -> None:
        """Scales, network, objective and optimizer for these data."""
        self._random_state = check_random_state(self.random_state)
        self._outputs = self._count_outputs(y)
        check_switch("standardize", self.standardize)
        self.input_scaling_ = Scaling.standard(X) if self.standardize else Scaling.identity(X.shape[1])
        self.target_scaling_ = self._target_scaling(y)
        self.bias_ = np.zeros(self._outputs)
        device = check_device(self.device)
        with seeded(self._draw_seed(), device):
            network = make_network(self.module, len(X), X.shape[1], self._outputs)
        self.module_ = network.to(device=device, dtype=check_dtype(self.dtype))
        self.objective_ = make_objective(self.loss, self._classification, self.alpha, self.kernel)
        self.objective_.to(device)
        rate = check_positive("learning_rate", self.learning_rate)
        decay = 0.0 if self.weight_decay == 0 else check_positive("weight_decay", self.weight_decay)
        optimizer = torch.optim.Adam(self.module_.parameters(), lr=rate, weight_decay=decay)
        self._trainer = Trainer(self.module_, self.objective_, optimizer, self._outputs)

    def _train(self, X: Floats, y: NDArray[Any], epochs: int, hold_out: bool) -> Self:
        """Some epochs, then the bias of the rows trained on."""
        x, target = self._inputs(X), self._targets(y)
        course = Course(
            epochs,
            check_count("batch_size", self.batch_size, 2),
            check_count("patience", self.patience, 1) if hold_out else None,
            self._check_tol(),
            self.progress,
        )
        with seeded(self._draw_seed(), x.device):
            kept, held = self._split(len(x), hold_out)
            held_out = (x[held], target[held]) if len(held) else None
            self._trainer.run(x[kept], target[kept], held_out, course)
        self.history_ = self._trainer.history
        self.n_epochs_ = len(self.history_)
        if self._corrects_bias():
            self.bias_ = self._mean_error(X[kept.numpy()], y[kept.numpy()])
        return self

    def _split(self, rows: int, hold_out: bool) -> tuple[Tensor, Tensor]:
        """Rows to learn from and rows to judge by, two at least of each."""
        order = torch.randperm(rows)
        if not hold_out:
            return order, order[:0]
        fraction = check_fraction("validation_fraction", self.validation_fraction)
        count = max(2, round(fraction * rows))
        if rows - count < 2:
            hint = "early_stopping=False trains on all of them."
            raise value_error("early_stopping", "at least 4 rows", f"{rows}", hint)
        return order[count:], order[:count]

    def _corrects_bias(self) -> bool:
        if self.bias_correction == "auto":
            return bool(self.objective_.blind_to_shifts)
        return check_switch("bias_correction", self.bias_correction, ' or "auto"')

    def _check_tol(self) -> float:
        return 0.0 if self.tol == 0 else check_positive("tol", self.tol)

    def _draw_seed(self) -> int:
        return int(self._random_state.randint(2**31 - 1))

    def _inputs(self, X: Floats) -> Tensor:
        scaled = self.input_scaling_.apply(X)
        return torch.as_tensor(scaled, dtype=check_dtype(self.dtype), device=check_device(self.device))

    def _network_output(self, X: Floats) -> Floats:
        """What the network makes of the rows, on the host."""
        self.module_.eval()
        with torch.no_grad():
            parts = [
                check_output(self.module_(part), len(part), self._outputs).double().cpu()
                for part in self._inputs(X).split(_AT_ONCE)
            ]
        return torch.cat(parts).numpy()

    def _read_inputs(self, X: Any) -> Floats:
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)  # type: ignore[no-any-return]

    def save(self, path: str | PathLike[str]) -> None:
        """Write what predicts to one file: weights and settings, no code.

        Parameters
        ----------
        path : path
            A file of numpy's npz format, whatever its name ends on. A module of the user's own is not in it, only its
            weights: `load` is given the module again.
        """
        check_is_fitted(self)
        archive.write(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str], *, module: Any = None, loss: Any = None) -> Self:
        """Read what `save` wrote; nothing in the file is run.

        Parameters
        ----------
        path : path
            The file.
        module : torch module or function, optional
            As the estimator was made with; needed unless that was the default.
        loss : function, optional
            To train on, where the estimator was made with a function and not with a name.
        """
        return archive.read(cls, path, module, loss)


class RobustRegressor(RegressorMixin, RobustEstimator):  # type: ignore[misc]
    """Regression by a network trained so that its errors do not depend on its inputs (paper, Algorithm 1).

    Parameters
    ----------
    module : torch module, function or None
        The network: a module (a copy is trained), a function of the numbers of inputs and outputs that makes one, or
        None: two hidden layers sized from the data.
    loss : str, torch loss or loss of this package
        "dependence" (I(x; e), default), "error_entropy" (H(e)), "hsic", "mse", "mae"; an instance of
        `DependenceLoss`, `ErrorEntropyLoss`, `HSICLoss`; or any function of outputs and targets, as torch's
        ``HuberLoss()``.
    alpha : float, default 1.01
        Order of the entropy in "dependence" and "error_entropy". At 2 a step is several times faster, but I can be
        negative, and a network can find functions that make it so instead of fitting (docs: neural, "Which order").
    kernel : Kernel or mapping, optional
        Of inputs and errors, ``{"x": ..., "e": ...}``, in units of the scaled data. Default: Gaussian, median width;
        for "error_entropy" ``Gaussian(0.5)``.
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
        Of the loss.
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

    def fit(self, X: Any, y: Any) -> Self:
        """Train on rows X (n, d) and targets y (n,) or (n, q)."""
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
        if self._count_outputs(targets) != self._outputs:
            raise value_error("y", f"{self._outputs} outputs, as before", f"{self._count_outputs(targets)}")
        return self._train(values, targets, 1, hold_out=False)

    def predict(self, X: Any) -> Floats:
        """Targets (n,), or (n, q) where y was given so."""
        output = self.target_scaling_.undo(self._network_output(self._read_inputs(X))) + self.bias_
        return output[:, 0] if self._flat else output

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Floats, Floats]:
        values, targets = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True, ensure_min_samples=2, reset=reset
        )
        self._flat = targets.ndim == 1
        return values, np.asarray(targets, dtype=np.float64).reshape(len(targets), -1)

    def _count_outputs(self, y: Floats) -> int:
        return y.shape[1]

    def _target_scaling(self, y: Floats) -> Scaling:
        return Scaling.robust(y) if self.standardize else Scaling.identity(y.shape[1])

    def _targets(self, y: Floats) -> Tensor:
        return self._tensor(self.target_scaling_.apply(y))

    def _mean_error(self, X: Floats, y: Floats) -> Floats:
        """b = mean y - mean f(x)."""
        return (y - self.target_scaling_.undo(self._network_output(X))).mean(axis=0)

    def __sklearn_tags__(self) -> Any:
        """Several targets are welcome."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
