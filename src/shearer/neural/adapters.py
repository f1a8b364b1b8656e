"""A monitor in other people's training loops: Lightning, Trainer of Hugging Face, TensorBoard."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from shearer._optional import load
from shearer._validate import describe, type_error
from shearer.neural.layers import plain
from shearer.neural.monitor import FeatureMapMonitor, Row
from shearer.neural.robust.estimator_options import check_count

#: What of a row is a number to draw.
SCALARS = ("cka", "adjusted", "total_correlation")


def tensorboard(writer: Any, prefix: str = "feature_maps") -> Callable[[Row], None]:
    """A function of a row, for ``FeatureMapMonitor(..., on_row=)``, that writes its numbers to TensorBoard.

    Parameters
    ----------
    writer : torch.utils.tensorboard.SummaryWriter
        Or anything that has ``add_scalar(name, value, step)``.
    prefix : str
        Of the names: "feature_maps/cka/conv1".

    Examples
    --------
    >>> class Printing:
    ...     def add_scalar(self, name, value, step):
    ...         print(name, value, step)
    >>> tensorboard(Printing())({"step": 3, "layer": "conv1", "cka": 0.5, "adjusted": 0.25, "total_correlation": 0.75})
    feature_maps/cka/conv1 0.5 3
    feature_maps/adjusted/conv1 0.25 3
    feature_maps/total_correlation/conv1 0.75 3
    """
    if not callable(getattr(writer, "add_scalar", None)):
        raise type_error("writer", "a SummaryWriter", describe(writer))

    def write(row: Row) -> None:
        for name, value in scalars([row], prefix).items():
            writer.add_scalar(name, value, row["step"])

    return write


def scalars(rows: list[Row], prefix: str = "feature_maps") -> dict[str, float]:
    """The numbers of some rows by name."""
    return {f"{prefix}/{name}/{row['layer']}": row[name] for row in rows for name in SCALARS}


def lightning(monitor: FeatureMapMonitor, x: Any, *, every: int = 1) -> Any:
    """A callback for ``lightning.Trainer(callbacks=[...])``: records after every so many epochs, and logs.

    Parameters
    ----------
    monitor : FeatureMapMonitor
        Of the module that is trained, or of a part of it.
    x : Tensor, tuple or mapping
        What to show the network; moved to its device.
    every : int, default 1
        Epochs. The first record is that before training, with step 0; steps are those of the optimizer.
    """
    _check_monitor(monitor)
    often = check_count("every", every, 1)
    base = load("lightning.pytorch", "this callback").Callback

    class MonitorCallback(base):  # type: ignore[misc,valid-type]
        """Records feature maps."""

        def on_train_start(self, trainer: Any, pl_module: Any) -> None:
            """Before training."""
            self._record(trainer)

        def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            """After an epoch."""
            if (trainer.current_epoch + 1) % often == 0:
                self._record(trainer)

        def _record(self, trainer: Any) -> None:
            if trainer.is_global_zero:
                rows = monitor.observe(_moved(x, monitor.model), step=trainer.global_step)
                for logger in trainer.loggers:
                    logger.log_metrics(scalars(rows), step=trainer.global_step)

    return MonitorCallback()


def transformers(monitor: FeatureMapMonitor, x: Any, *, every: int = 1) -> Any:
    """A callback for ``transformers.Trainer(callbacks=[...])``: records after every so many epochs.

    Parameters
    ----------
    monitor, x, every
        As in `lightning`; what was recorded is in ``monitor.rows``, and ``on_row=`` passes it on.
    """
    _check_monitor(monitor)
    often = check_count("every", every, 1)
    base = load("transformers", "this callback").TrainerCallback

    class MonitorCallback(base):  # type: ignore[misc,valid-type]
        """Records feature maps."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Before training."""
            self._record(state)

        def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """After an epoch."""
            if round(state.epoch) % often == 0:
                self._record(state)

        def _record(self, state: Any) -> None:
            if state.is_world_process_zero:
                monitor.observe(_moved(x, monitor.model), step=state.global_step)

    return MonitorCallback()


def _check_monitor(monitor: Any) -> None:
    if not isinstance(monitor, FeatureMapMonitor):
        raise type_error("monitor", "a FeatureMapMonitor", describe(monitor))


def _moved(x: Any, model: nn.Module) -> Any:
    """The batch on the device of the model."""
    device = next((parameter.device for parameter in plain(model).parameters()), torch.device("cpu"))
    if isinstance(x, Mapping):
        return {name: _moved(part, model) for name, part in x.items()}
    if isinstance(x, tuple):
        return tuple(_moved(part, model) for part in x)
    return x.to(device) if isinstance(x, Tensor) else x
