"""The deterministic information bottleneck: a prediction that keeps little of its input (paper, supplement)."""

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, nn
from torch.nn import functional

from shearer._validate import describe, type_error, value_error
from shearer.kernels import Gaussian, Kernel
from shearer.neural.layers import check_model, named_layers, watching
from shearer.neural.losses import DependenceLoss
from shearer.neural.options import check_not_negative


class InformationBottleneck(nn.Module):
    """Cross entropy plus beta I(x; z), with z what a layer of the network puts out.

    Parameters
    ----------
    model : torch.nn.Module
        Any network that returns a number for each class.
    layer : str
        Name of the layer z, as in ``model.named_modules()``.
    beta : float
        Price of a bit that z keeps of x, 0 or more.
    alpha : float, default 1.01
        Order of the entropy; the authors'.
    kernel : Kernel or mapping, optional
        For both, or ``{"x": ..., "z": ...}``. Default: the authors' rule for this loss, ``Gaussian("authors-dib")``.
    normalize : bool or str, default False
        I in bits (the authors'), or as in `shearer.mutual_information`.
    criterion : callable, optional
        ``criterion(output, y) -> loss`` in place of cross entropy.

    Attributes
    ----------
    prediction_loss, information : float
        The two terms of the last call: the criterion, and I(x; z).

    Notes
    -----
    The layer is watched during a call only: the model itself stays as it is. A layer that is passed several times
    counts as it was the last time.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from shearer.neural import InformationBottleneck
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 4), nn.Linear(4, 3))
    >>> ib = InformationBottleneck(model, "2", beta=0.01)
    >>> x, y = torch.randn(64, 20), torch.randint(3, (64,))
    >>> loss = ib(x, y)
    >>> loss.backward()
    >>> bool(abs(loss.item() - ib.prediction_loss - 0.01 * ib.information) < 1e-6)
    True
    """

    def __init__(
        self,
        model: nn.Module,
        layer: str,
        beta: float,
        *,
        alpha: float = 1.01,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        normalize: bool | str = False,
        criterion: Callable[[Tensor, Tensor], Tensor] | None = None,
    ) -> None:
        super().__init__()
        self.model = check_model(model)
        self.layer = layer
        named_layers(self.model, "layer", [layer])
        self.beta = check_not_negative("beta", beta)
        self.dependence = _Dependence(
            alpha=alpha,
            kernel=Gaussian("authors-dib") if kernel is None else kernel,
            normalize=normalize,
        )
        if criterion is not None and not callable(criterion):
            raise type_error("criterion", "a function of outputs and targets", describe(criterion))
        self.criterion = functional.cross_entropy if criterion is None else criterion
        self.prediction_loss = self.information = float("nan")

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """The loss of a batch."""
        passed: dict[str, Tensor] = {}

        def look(name: str, z: Tensor) -> None:
            passed[name] = z.clone()  # what follows may work in place

        with watching(named_layers(self.model, "layer", [self.layer]), look):
            output = self.model(x)
        if not passed:
            raise value_error("layer", "one that the model passes", f"{self.layer!r}, which it did not")
        prediction: Any = self.criterion(output, y)
        information = self.dependence(x, passed[self.layer])
        self.prediction_loss, self.information = float(prediction.detach()), float(information.detach())
        return prediction + self.beta * information

    def extra_repr(self) -> str:
        """The options."""
        return f"layer={self.layer!r}, beta={self.beta:g}"


class _Dependence(DependenceLoss):
    """I(x; z)."""

    names = ("x", "z")

    def forward(self, x: Tensor, z: Tensor) -> Tensor:
        """Of a batch."""
        return self.information(x=x, z=z)
