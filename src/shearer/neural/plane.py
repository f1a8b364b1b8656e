"""The information plane: what layers know of the inputs and of the targets while a network learns."""

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from shearer._validate import describe, type_error, value_error
from shearer.kernels import Delta, Gaussian, Kernel
from shearer.neural import pictures
from shearer.neural.layers import check_model, chosen_layers, put_out
from shearer.neural.losses import DependenceLoss
from shearer.neural.robust.estimator_options import check_count
from shearer.screening.frames import make_frame

_COLUMNS = ("step", "layer", "input_information", "target_information", "input_above_chance", "target_above_chance")


class InformationPlane:
    """Records I(x; t) and I(t; y) of the layers t of a network, in bits.

    Parameters
    ----------
    model : torch.nn.Module
        Any network; it is left as it is.
    layers : iterable of str
        Names as in ``model.named_modules()``.
    alpha : float, default 1.01
        Order of the entropy.
    kernel : Kernel or mapping, optional
        Of all, or ``{"x": ..., "t": ..., "y": ...}``. Default: Gaussian of median width; of whole numbers y, labels.

    Attributes
    ----------
    rows : list of dict
        step, layer, input_information and target_information, and both less their chance levels (input_above_chance,
        target_above_chance): with few rows and many features information is large by chance. Compare what was observed
        with the same number of rows: the fewer there are, the less of a dependence shows.

    Notes
    -----
    Widths follow the layer: a layer whose numbers grow does not gain information by it. What a width of one's own says
    is another thing; the plane is a picture of similarities, not of the entropies of a deterministic network, which do
    not exist.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from shearer.neural import InformationPlane
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3))
    >>> plane = InformationPlane(model, ["0", "2"])
    >>> rows = plane.observe(torch.randn(60, 5), torch.arange(60) % 3)
    >>> [(row["layer"], row["input_information"] > row["target_information"]) for row in rows]
    [('0', True), ('2', True)]
    """

    def __init__(
        self,
        model: nn.Module,
        layers: Iterable[str],
        *,
        alpha: float = 1.01,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
    ) -> None:
        self.model = check_model(model)
        self.layers = chosen_layers(self.model, "layers", layers, lambda _: False)
        self.kernel = dict(kernel) if isinstance(kernel, Mapping) else kernel
        self._measure = _Information(alpha=alpha, form="raw", kernel=kernel)
        self._labels = _Information(alpha=alpha, form="raw", kernel=self._with_labels())
        self.rows: list[dict[str, Any]] = []

    def observe(self, x: Any, y: Tensor, *, step: int | None = None) -> list[dict[str, Any]]:
        """Show the network a batch, as in evaluation, and record every layer.

        Parameters
        ----------
        x : Tensor, tuple or mapping
            What the model takes; of several, the first stands for the input.
        y : Tensor
            Targets (n, ...); whole numbers are labels.
        step : int, optional
            The time to record. Default: one more than the last.

        Returns
        -------
        list of dict
            The new rows.
        """
        if not isinstance(y, Tensor):
            raise type_error("y", "a tensor of targets", describe(y))
        last = self.rows[-1]["step"] if self.rows else -1
        time = last + 1 if step is None else check_count("step", step, 0)
        shown = next(iter(x.values())) if isinstance(x, Mapping) else x[0] if isinstance(x, tuple) else x
        of_target = self._measure if y.dtype.is_floating_point else self._labels
        rows = []
        for name, t in put_out(self.model, self.layers, x).items():
            with torch.no_grad():
                first, first_above = self._measure.with_chance(x=shown, t=t)
                second, second_above = of_target.with_chance(t=t, y=y)
            rows.append(dict(zip(_COLUMNS, (time, name, first, second, first_above, second_above), strict=True)))
        self.rows += rows
        return rows

    def to_frame(self, library: str = "polars") -> Any:
        """The rows as a table of polars, pandas or pyarrow."""
        return make_frame({name: [row[name] for row in self.rows] for name in _COLUMNS}, library)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw I(t; y) over I(x; t), a line for each layer through its times, chance subtracted; returns axes."""
        if not self.rows:
            raise value_error("rows", "something recorded", "nothing yet", "Call observe(x, y).")
        paths = {
            layer: [
                (row["input_above_chance"], row["target_above_chance"]) for row in self.rows if row["layer"] == layer
            ]
            for layer in self.layers
        }
        ax = pictures.lines(paths, "I(t; y) above chance, bits", ax)
        ax.set(xlabel="I(x; t) above chance, bits")
        return ax

    def _with_labels(self) -> dict[str, Kernel]:
        """The kernels, and the one of labels for y."""
        given = self.kernel
        if isinstance(given, dict):
            return {"y": Delta(), **given}
        general = Gaussian() if given is None else given
        return {"x": general, "t": general, "y": Delta()}


class _Information(DependenceLoss):
    """I of two of x, t and y."""

    names = ("x", "t", "y")

    def with_chance(self, **tensors: Tensor) -> tuple[float, float]:
        """The value, and less its chance level."""
        return float(self.information(**tensors)), self.above_chance
