"""Watching how feature maps come to depend on each other while a network learns (paper, "dynamics of learning")."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from shearer._validate import check_option, describe, type_error, value_error
from shearer.kernels import Gaussian
from shearer.neural import pictures
from shearer.neural.feature_maps import map_dependence
from shearer.neural.layers import check_model, named_layers, watching
from shearer.neural.options import check_count, check_order, check_switch
from shearer.screening.frames import make_frame

LIBRARIES = ("polars", "pandas", "pyarrow")
_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
Row = dict[str, Any]


class FeatureMapMonitor:
    """Records, layer by layer, how the feature maps of a network depend on each other.

    Training goes on as it would without: no gradient, no random number, no change of mode, bit for bit.

    Parameters
    ----------
    model : torch.nn.Module
        Any network.
    layers : iterable of str, optional
        Names as in ``model.named_modules()``, of layers that put out shape (n, maps, ...). Default: all convolutions.
    alpha : float, default 2
        Order of the entropy. At 2 all pairs are one matrix product; at any other order every pair needs the
        eigenvalues of a matrix.
    kernel : Gaussian, optional
        Of every map, with a width of its own by the rule. Default: the median distance between its images.
    every : int, optional
        Also record every so many batches that pass in training mode, from the first on, from those batches.
    pairs : bool, default True
        With I* of every pair, or with T* and HSIC only.
    bins : int
        Of the histogram of I*, from 0 to 1; values below 0 (there can be, unless alpha is 1) count in the first.
    progress : bool, optional
        A bar on stderr where alpha is not 2; default: on a terminal.

    Attributes
    ----------
    rows : list of dict
        A row for each layer and time: step, layer, maps, images, total_correlation (T* of all maps),
        mean_information (of I* over pairs), mean_hsic (of HSIC over pairs) and histogram (counts of I*).

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from shearer.neural import FeatureMapMonitor
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 8, 3))
    >>> monitor = FeatureMapMonitor(model)
    >>> rows = monitor.observe(torch.randn(20, 1, 8, 8), step=0)
    >>> [(row["layer"], row["maps"], 0 < row["total_correlation"] < 1) for row in rows]
    [('0', 4, True), ('2', 8, True)]
    >>> monitor.to_frame().height
    2
    """

    def __init__(
        self,
        model: nn.Module,
        layers: Iterable[str] | None = None,
        *,
        alpha: float = 2.0,
        kernel: Gaussian | None = None,
        every: int | None = None,
        pairs: bool = True,
        bins: int = 50,
        progress: bool | None = None,
    ) -> None:
        self.model = check_model(model)
        self.layers = _chosen_layers(self.model, layers)
        self.alpha = check_order(alpha)
        if kernel is not None and type(kernel) is not Gaussian:
            raise type_error("kernel", "a Gaussian kernel", describe(kernel))
        self.kernel = Gaussian() if kernel is None else kernel
        self.pairs = check_switch("pairs", pairs)
        self.edges = np.linspace(0.0, 1.0, check_count("bins", bins, 1) + 1)
        self.progress = progress
        self.rows: list[Row] = []
        self._batches = 0
        self._handles: list[Any] = []
        if every is not None:
            self._attach(check_count("every", every, 1))

    def observe(self, x: Tensor, *, step: int | None = None) -> list[Row]:
        """Pass images through the network, as in evaluation, and record every layer.

        Parameters
        ----------
        x : Tensor
            A batch that the model takes; the same one each time makes times comparable.
        step : int, optional
            The time to record, such as the epoch. Default: one more than the last.

        Returns
        -------
        list of dict
            The new rows.
        """
        if not isinstance(x, Tensor):
            raise type_error("x", "a tensor that the model takes", describe(x))
        last = self.rows[-1]["step"] if self.rows else -1
        time = last + 1 if step is None else check_count("step", step, 0)
        rows: list[Row] = []

        def look(name: str, maps: Tensor) -> None:
            rows.append(self._row(time, name, maps))

        with _undisturbed(self.model), watching(self.layers, look):
            self.model(x)
        if not rows:
            raise value_error("layers", "layers that the model passes", f"{list(self.layers)}, none of which it did")
        self.rows += rows
        return rows

    def remove(self) -> None:
        """Stop recording in passing; needed before a model that is watched with `every` is pickled."""
        while self._handles:
            self._handles.pop().remove()

    def __enter__(self) -> Self:
        """Itself; leaving the block removes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop recording in passing."""
        self.remove()

    def to_frame(self, library: str = "polars") -> Any:
        """The rows as a table, without the histograms.

        Parameters
        ----------
        library : {"polars", "pandas", "pyarrow"}
            Whose table.
        """
        check_option("library", library, LIBRARIES)
        names = ("step", "layer", "maps", "images", "total_correlation", "mean_information", "mean_hsic")
        return make_frame({name: [row[name] for row in self.rows] for name in names}, library)

    def plot(self, value: str = "total_correlation", *, ax: Any = None) -> Any:
        """Draw T* (or "mean_information", "mean_hsic") of every layer over time; returns matplotlib's axes."""
        check_option("value", value, tuple(pictures.LABELS))
        self._require_rows()
        lines = {
            layer: [(row["step"], row[value]) for row in self.rows if row["layer"] == layer] for layer in self.layers
        }
        return pictures.lines(lines, pictures.LABELS[value], ax)

    def plot_histogram(self, layers: Iterable[str] | None = None, *, ax: Any = None) -> Any:
        """Draw how I* of the pairs is spread over 0 to 1, a line for each time, layers averaged; returns axes."""
        self._require_rows()
        chosen = tuple(self.layers) if layers is None else tuple(named_layers(self.model, "layers", layers))
        if not self.pairs:
            raise value_error("pairs", "True, to have a histogram", "False")
        steps = sorted({row["step"] for row in self.rows})
        shares = {}
        for step in steps:
            counts = [row["histogram"] for row in self.rows if row["step"] == step and row["layer"] in chosen]
            counts = [np.asarray(count) / sum(count) for count in counts if sum(count)]
            if counts:
                shares[step] = np.mean(counts, axis=0)
        return pictures.histograms(shares, self.edges, ax)

    def _require_rows(self) -> None:
        if not self.rows:
            raise value_error("rows", "something recorded", "nothing yet", "Call observe(x), or pass every=.")

    def _row(self, step: int, layer: str, maps: Tensor) -> Row:
        if maps.ndim < 2:
            raise value_error("layers", "layers that put out shape (n, maps, ...)", f"{layer!r}: {tuple(maps.shape)}")
        with torch.no_grad(), torch.autocast(maps.device.type, enabled=False):
            found = map_dependence(maps, alpha=self.alpha, kernel=self.kernel, pairs=self.pairs, progress=self.progress)
        row: Row = {"step": step, "layer": layer, "maps": maps.shape[1], "images": len(maps)}
        row |= {"total_correlation": found.total_correlation, "mean_information": None, "mean_hsic": found.mean_hsic}
        row["histogram"] = [0] * (len(self.edges) - 1)
        if found.information is not None:
            values = found.information[np.triu_indices(maps.shape[1], 1)]
            row["mean_information"] = float(values.mean())
            row["histogram"] = np.histogram(values.clip(0.0, 1.0), self.edges)[0].tolist()
        return row

    def _attach(self, every: int) -> None:
        """Look at the layers in every so many training batches."""

        def count(module: nn.Module, _inputs: Any) -> None:
            # A copy of the model carries the hooks of the original: its batches do not count.
            if module is self.model and module.training:
                self._batches += 1

        def look(module: nn.Module, _inputs: Any, output: Any, name: str) -> None:
            due = self.model.training and self._batches % every == 1 % every
            if due and module is self.layers[name] and isinstance(output, Tensor):
                self.rows.append(self._row(self._batches, name, output))

        self._handles.append(self.model.register_forward_pre_hook(count))
        for name, layer in self.layers.items():
            hook = lambda module, inputs, output, name=name: look(module, inputs, output, name)  # noqa: E731
            self._handles.append(layer.register_forward_hook(hook))


def _chosen_layers(model: nn.Module, layers: Iterable[str] | None) -> dict[str, nn.Module]:
    if layers is not None:
        if isinstance(layers, str):
            raise type_error("layers", "a list of names", describe(layers), f"Did you mean [{layers!r}]?")
        chosen = named_layers(model, "layers", list(layers))
    else:
        chosen = {name: module for name, module in model.named_modules() if name and isinstance(module, _CONVOLUTIONS)}
    if not chosen:
        raise value_error("layers", "names of layers", "none", "The model has no convolutions of its own: name layers.")
    return chosen


@contextmanager
def _undisturbed(model: nn.Module) -> Iterator[None]:
    """Evaluation mode without gradients; modes and random generators are afterwards what they were."""
    modes = {module: module.training for module in model.modules()}
    devices = sorted({p.device.index or 0 for p in model.parameters() if p.device.type == "cuda"})
    with torch.random.fork_rng(devices), torch.no_grad():
        try:
            for module in modes:
                module.training = False
            yield
        finally:
            for module, mode in modes.items():
                module.training = mode
