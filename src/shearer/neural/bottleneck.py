"""The deterministic information bottleneck: a prediction that keeps little of its input (paper, supplement).

Beside it, under the same call, what it has to beat: a penalty on the size of z, and the variational bottleneck.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from shearer._user_warnings import warn_caller
from shearer._validate import describe, type_error, value_error
from shearer.kernels import Gaussian, Kernel
from shearer.neural.layers import check_model, eagerly, named_layers, plain, tensor_of, watching
from shearer.neural.losses import DependenceLoss
from shearer.neural.robust.estimator_options import check_not_negative

# Calls that say how large z is to begin with, and the weight of a later one in the mean size.
_FIRST, _WEIGHT = 20, 0.05
# z has shrunk below this part of its size, and the loss is above that part of what one output for all rows has.
_SMALL, _HIGH = 0.2, 0.95


class PenalizedLoss(nn.Module, ABC):
    """A criterion plus beta times a penalty on what layers put out.

    Attributes
    ----------
    prediction_loss, penalty : float
        The two terms of the last call; `penalty` without beta.
    output : Tensor
        What the model put out in the last call, without its graph: the logits.
    """

    def __init__(
        self,
        model: nn.Module,
        layer: str | Iterable[str],
        beta: float,
        criterion: Callable[[Tensor, Tensor], Tensor] | None,
    ) -> None:
        super().__init__()
        self.model = check_model(model)
        single = isinstance(layer, str) or not isinstance(layer, Iterable)
        self.layers: tuple[str, ...] = (layer,) if single else tuple(layer)  # type: ignore[assignment]
        if not self.layers:
            raise value_error("layer", "the name of a layer, or several", "none")
        named_layers(self.model, "layer", self.layers)
        self.beta = check_not_negative("beta", beta)
        if criterion is not None and not callable(criterion):
            raise type_error("criterion", "a function of outputs and targets", describe(criterion))
        self.criterion = functional.cross_entropy if criterion is None else criterion
        self.prediction_loss = self.penalty = float("nan")
        self.output: Tensor | None = None

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """The loss of a batch."""
        codes: dict[str, Tensor] = {}

        def look(name: str, z: Tensor) -> None:
            codes[name] = z.clone()  # what follows may work in place

        with eagerly(), watching(named_layers(self.model, "layer", self.layers), look):
            returned = plain(self.model)(x)
        output = tensor_of(returned)
        if output is None:
            raise type_error("model", "one that returns a tensor, or one among others", describe(returned))
        missed = [name for name in self.layers if name not in codes]
        if missed:
            raise value_error("layer", "one that the model passes", f"{missed[0]!r}, which it did not")
        prediction: Any = self.criterion(output, y)
        penalty = self.price(x, codes)
        self.output = output.detach()
        self.prediction_loss, self.penalty = float(prediction.detach()), float(penalty.detach())
        self._note(codes, y)
        return prediction + self.beta * penalty

    @abstractmethod
    def price(self, x: Tensor, codes: Mapping[str, Tensor]) -> Tensor:
        """The penalty on what the layers put out."""

    def _note(self, codes: Mapping[str, Tensor], y: Tensor) -> None:
        """Look at a batch, after its terms are known."""

    def extra_repr(self) -> str:
        """The options."""
        layer = self.layers[0] if len(self.layers) == 1 else list(self.layers)
        return f"layer={layer!r}, beta={self.beta:g}"


class InformationBottleneck(PenalizedLoss):
    """Cross entropy plus beta I(x; z), with z what a layer of the network puts out.

    Parameters
    ----------
    model : torch.nn.Module
        Any network that returns a number for each class: as a tensor, as "logits" of a mapping, or first of several.
    layer : str or several
        Name of the layer z, as in ``model.named_modules()``; of several, I(x; z) is added up.
    beta : float
        Price of a bit that z keeps of x, 0 or more.
    alpha : float, default 1.01
        Order of the entropy; the authors'.
    form : {"centered", "raw"}, optional
        As in `DependenceLoss`.
    kernel : Kernel or mapping, optional
        For both, or ``{"x": ..., "z": ...}``. Default: the authors' rule for this loss, ``Gaussian("authors-dib")``.
    normalize : bool or str, default False
        I in bits (the authors'), or as in `shearer.mutual_information`.
    width_gradient : bool, default True
        Whether the gradient knows that the width of z moves with z. I(x; z) is the same for z of any size, and so is
        its price; without this, the gradient says "shrink" all the same, and from some beta on z collapses and the
        network learns nothing. False: as in the authors' program.
    criterion : callable, optional
        ``criterion(output, y) -> loss`` in place of cross entropy.

    Attributes
    ----------
    prediction_loss, information : float
        The two terms of the last call: the criterion, and I(x; z), added up over layers.
    informations : dict
        I(x; z) of each layer.
    output : Tensor
        The logits of the last call, without their graph.

    Notes
    -----
    The layer is watched during a call only: the model itself stays as it is. A layer that is passed several times
    counts as it was the last time. Of a compiled model, what was compiled is called as it is: compiled code has no
    layers to look at. Whether a gain is one of information or one of a small z tells `NormPenalty`.

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
    >>> bool(abs(loss.item() - ib.prediction_loss - 0.01 * ib.information) < 1e-6), ib.output.shape
    (True, torch.Size([64, 3]))
    """

    def __init__(
        self,
        model: nn.Module,
        layer: str | Iterable[str],
        beta: float,
        *,
        alpha: float = 1.01,
        form: str | None = None,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        normalize: bool | str = False,
        width_gradient: bool = True,
        criterion: Callable[[Tensor, Tensor], Tensor] | None = None,
    ) -> None:
        super().__init__(model, layer, beta, criterion)
        self.dependence = _Dependence(
            alpha=alpha,
            form=form,
            kernel=Gaussian("authors-dib") if kernel is None else kernel,
            normalize=normalize,
            width_gradient=width_gradient,
        )
        self.informations: dict[str, float] = {}
        self._first_size, self._size, self._calls = 0.0, 0.0, 0
        self._has_warned = False

    @property
    def information(self) -> float:
        """I(x; z) of the last call, added up over layers."""
        return self.penalty

    def price(self, x: Tensor, codes: Mapping[str, Tensor]) -> Tensor:
        """I(x; z), added up over layers."""
        found = {name: self.dependence.information(x=x, z=codes[name]) for name in self.layers}
        self.informations = {name: float(value.detach()) for name, value in found.items()}
        return torch.stack(list(found.values())).sum()

    def _note(self, codes: Mapping[str, Tensor], y: Tensor) -> None:
        """Warn, once, where z has shrunk and the model puts out nearly the same for all rows."""
        if not self.training or self._has_warned or self.beta == 0:
            return
        size = sum(float((z.detach().float() - z.detach().float().mean(dim=0)).norm()) for z in codes.values())
        self._calls += 1
        if self._calls <= _FIRST:
            self._first_size += (size - self._first_size) / self._calls
            self._size = self._first_size
        else:
            self._size += _WEIGHT * (size - self._size)
        if self._size < _SMALL * self._first_size and self.prediction_loss > _HIGH * self._constant_loss(y):
            self._has_warned = True
            warn_caller(
                f"what the layer puts out has shrunk to {self._size / self._first_size:.2g} of its first size, and the "
                f"prediction is hardly better than one output for all rows: beta={self.beta:g} is too large"
                + ("." if self.dependence.width_gradient else ", or width_gradient=True would help.")
            )

    def _constant_loss(self, y: Tensor) -> float:
        """The prediction loss of the last batch if every row had the mean output."""
        assert self.output is not None
        with torch.no_grad():
            return float(self.criterion(self.output.mean(dim=0, keepdim=True).expand_as(self.output), y))


class _Dependence(DependenceLoss):
    """I(x; z)."""

    names = ("x", "z")


class NormPenalty(PenalizedLoss):
    """Cross entropy plus beta times the mean of |z|^2: a bottleneck's plainest rival.

    Parameters
    ----------
    model, layer, beta, criterion
        As in `InformationBottleneck`; beta is the price of a unit of |z|^2.

    Attributes
    ----------
    prediction_loss, penalty, output
        As in `InformationBottleneck`; `penalty` is the mean of |z|^2, added up over layers.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from shearer.neural import NormPenalty
    >>> model = nn.Sequential(nn.Linear(20, 4), nn.Linear(4, 3))
    >>> x, y = torch.randn(64, 20), torch.randint(3, (64,))
    >>> loss = NormPenalty(model, "0", beta=0.1)
    >>> loss(x, y).backward()
    >>> bool(abs(loss.penalty - model[0](x).square().sum(dim=1).mean().item()) < 1e-4)
    True
    """

    def __init__(
        self,
        model: nn.Module,
        layer: str | Iterable[str],
        beta: float,
        *,
        criterion: Callable[[Tensor, Tensor], Tensor] | None = None,
    ) -> None:
        super().__init__(model, layer, beta, criterion)

    def price(self, _x: Tensor, codes: Mapping[str, Tensor]) -> Tensor:
        """The mean of |z|^2 over rows, added up over layers."""
        return torch.stack([z.flatten(1).square().sum(dim=1).mean() for z in codes.values()]).sum()


class GaussianCode(nn.Module):
    """A stochastic layer: of 2 k numbers, k are means and k make deviations; z is drawn in training, else the mean.

    The deviation is softplus(rho - 5), as in Alemi et al. (2016).

    Attributes
    ----------
    divergence : Tensor or None
        KL of the law of z from the standard normal law, in nats, for each row of the last call.

    Examples
    --------
    >>> import torch
    >>> from shearer.neural import GaussianCode
    >>> code = GaussianCode()
    >>> code(torch.zeros(3, 8)).shape, code.divergence.shape
    (torch.Size([3, 4]), torch.Size([3]))
    """

    def __init__(self) -> None:
        super().__init__()
        self.divergence: Tensor | None = None

    def forward(self, numbers: Tensor) -> Tensor:
        """Z (n, k) of numbers (n, 2 k)."""
        if numbers.ndim != 2 or numbers.shape[1] % 2:
            raise value_error("numbers", "shape (n, 2 k)", f"{tuple(numbers.shape)}")
        mean, rho = numbers.chunk(2, dim=1)
        deviation = functional.softplus(rho - 5.0)
        self.divergence = (0.5 * (mean.square() + deviation.square() - 1.0) - deviation.log()).sum(dim=1)
        return mean + deviation * torch.randn_like(mean) if self.training else mean


class VariationalBottleneck(PenalizedLoss):
    """Cross entropy plus beta KL(z | x || N(0, 1)) (Alemi et al. 2016), of layers that are `GaussianCode`.

    Parameters
    ----------
    model, layer, beta, criterion
        As in `InformationBottleneck`; the layer is a `GaussianCode`, beta the price of a nat.

    Attributes
    ----------
    prediction_loss, penalty, output
        As in `InformationBottleneck`; `penalty` is the mean divergence, added up over layers.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from shearer.neural import GaussianCode, VariationalBottleneck
    >>> model = nn.Sequential(nn.Linear(20, 8), GaussianCode(), nn.Linear(4, 3))
    >>> x, y = torch.randn(64, 20), torch.randint(3, (64,))
    >>> loss = VariationalBottleneck(model, "1", beta=1e-3)
    >>> loss(x, y).backward()
    >>> loss.penalty > 0
    True
    """

    def __init__(
        self,
        model: nn.Module,
        layer: str | Iterable[str],
        beta: float,
        *,
        criterion: Callable[[Tensor, Tensor], Tensor] | None = None,
    ) -> None:
        super().__init__(model, layer, beta, criterion)
        for name, found in named_layers(self.model, "layer", self.layers).items():
            if not isinstance(found, GaussianCode):
                got = f"{name!r}, a {type(found).__name__}"
                raise value_error("layer", "names of layers that are a GaussianCode", got)

    def price(self, _x: Tensor, _codes: Mapping[str, Tensor]) -> Tensor:
        """The mean divergence, added up over layers."""
        layers = named_layers(self.model, "layer", self.layers).values()
        found = [layer.divergence for layer in layers if isinstance(layer, GaussianCode)]
        return torch.stack([each.mean() for each in found if each is not None]).sum()
