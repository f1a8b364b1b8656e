"""Algorithm 1 of the paper around any network: what the regressor and the classifier share."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from os import PathLike
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor

from shearer._validate import check_positive, value_error
from shearer.data.arrays import without_graph
from shearer.kernels import Kernel
from shearer.neural.robust import saved_estimators
from shearer.neural.robust.default_network import check_output, make_network
from shearer.neural.robust.estimator_options import (
    check_count,
    check_device,
    check_dtype,
    check_fraction,
    check_not_negative,
    check_switch,
)
from shearer.neural.robust.objectives import make_objective
from shearer.neural.robust.scaling import Scaling
from shearer.neural.robust.training import Course, Trainer, seeded

Floats = NDArray[np.float64]

# Rows that go through the network at once when nothing is learned.
_AT_ONCE = 8192


class RobustEstimator(BaseEstimator, ABC):
    """Options, training in minibatches, the bias, predictions, files."""

    _classification: bool

    def __init__(
        self,
        module: Any = None,
        *,
        loss: Any = "auto",
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
        standardize = check_switch("standardize", self.standardize)
        self.input_scaling_ = Scaling.standard(X) if standardize else Scaling.identity(X.shape[1:])
        self.target_scaling_ = Scaling.robust(y) if standardize and not self._classification else None
        self.bias_ = np.zeros(self._outputs)
        device = check_device(self.device)
        with seeded(self._draw_seed(), device):
            network = make_network(self.module, len(X), X.shape[1], self._outputs)
        self.module_ = network.to(device=device, dtype=check_dtype(self.dtype))
        self._prepare()

    def _prepare(self) -> None:
        """Objective and optimizer, for a network that is there."""
        self.objective_ = make_objective(self.loss, self._classification, self.alpha, self.kernel)
        self.objective_.to(check_device(self.device))
        rate = check_positive("learning_rate", self.learning_rate)
        decay = check_not_negative("weight_decay", self.weight_decay)
        optimizer = torch.optim.Adam(self.module_.parameters(), lr=rate, weight_decay=decay)
        self._trainer = Trainer(self.module_, self.objective_, optimizer, self._outputs)

    def _resume(self) -> None:
        """Go on after `load`: weights and history are there, the optimizer begins anew."""
        self._random_state = check_random_state(self.random_state)
        self._prepare()
        self._trainer.history = self.history_

    def _train(self, X: Floats, y: NDArray[Any], epochs: int, hold_out: bool) -> Self:
        """Some epochs, then the bias of the rows trained on."""
        x, target = self._inputs(X), self._targets(y)
        course = Course(
            epochs,
            check_count("batch_size", self.batch_size, 2),
            check_count("patience", self.patience, 1) if hold_out else None,
            check_not_negative("tol", self.tol),
            self.progress,
        )
        corrects = self._corrects_bias()
        with seeded(self._draw_seed(), x.device):
            kept, held = self._split(len(x), hold_out)
            held_out = (x[held], target[held]) if len(held) else None
            self._trainer.run(x[kept], target[kept], held_out, course)
        self.history_ = self._trainer.history
        self.n_epochs_ = len(self.history_)
        if corrects:
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

    @abstractmethod
    def _count_outputs(self, y: NDArray[Any]) -> int:
        """Columns that the network returns."""

    @abstractmethod
    def _targets(self, y: NDArray[Any]) -> Tensor:
        """What the objective compares outputs with."""

    @abstractmethod
    def _mean_error(self, X: Floats, y: NDArray[Any]) -> Floats:
        """What the outputs lack on average."""

    def _draw_seed(self) -> int:
        return int(self._random_state.randint(2**31 - 1))

    def _inputs(self, X: Floats) -> Tensor:
        return self._tensor(self.input_scaling_.apply(X))

    def _tensor(self, values: Floats) -> Tensor:
        return torch.as_tensor(values, dtype=check_dtype(self.dtype), device=check_device(self.device))

    def _network_output(self, X: Floats) -> Floats:
        """What the network makes of the rows, on the host."""
        self.module_.eval()
        with torch.no_grad():
            parts = [
                check_output(self.module_(part), len(part), self._outputs).double().cpu()
                for part in self._inputs(X).split(_AT_ONCE)
            ]
        output: Floats = torch.cat(parts).numpy()
        return output

    def _read_inputs(self, X: Any) -> Floats:
        check_is_fitted(self)
        values: Floats = self._validated(X, reset=False)
        self._check_shape(values, reset=False)
        return values

    def _validated(self, *data: Any, **rules: Any) -> Any:
        """Inputs, and targets, by scikit-learn's rules, which adds all numbers up to see whether they are finite."""
        with np.errstate(invalid="ignore", over="ignore"):
            return validate_data(self, *map(without_graph, data), dtype=np.float64, allow_nd=True, **rules)

    def _check_shape(self, values: Floats, reset: bool) -> None:
        """Images need a module that takes them, and have one shape."""
        shape = values.shape[1:]
        if reset and len(shape) > 1 and self.module is None:
            raise value_error("module", f"a network for inputs of shape {shape}", "None", "The default one takes rows.")
        if not reset and shape != self.input_scaling_.center.shape:
            raise value_error("X", f"inputs of shape {self.input_scaling_.center.shape}, as before", f"{shape}")

    def save(self, path: str | PathLike[str]) -> None:
        """Write what predicts to one file: weights and settings, no code.

        Parameters
        ----------
        path : path
            A file of numpy's npz format, whatever its name ends on. A module of the user's own is not in it, only its
            weights: `load` is given the module again.
        """
        check_is_fitted(self)
        saved_estimators.write(self, path)

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
        estimator: Self = saved_estimators.read(cls, path, module, loss)
        return estimator
