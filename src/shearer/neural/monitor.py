"""Watching how feature maps come to depend on each other while a network learns (paper, "dynamics of learning")."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from shearer._validate import check_option, describe, type_error, value_error
from shearer.kernels import Gaussian
from shearer.neural import pictures
from shearer.neural.feature_maps import map_dependence
from shearer.neural.layers import (
    arguments,
    check_model,
    chosen_layers,
    eagerly,
    named_layers,
    plain,
    tensor_of,
    undisturbed,
    watching,
)
from shearer.neural.robust.estimator_options import check_count, check_order, check_switch
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
    axis : int, optional
        Where the maps are in what a layer puts out. Default: 1. Of (n, tokens, features), -1 takes the features for
        maps and 1 the tokens; layers that put out three axes and are no convolutions need to be told.
    alpha : float, default 2
        Order of the entropy. At 2 all pairs are one matrix product; at any other order every pair needs the
        eigenvalues of a matrix.
    kernel : Gaussian, optional
        Of every map, with a width of its own by the rule. Default: the median distance between its images.
    every : int, optional
        Also record every so many batches that pass in training mode, from the first on, from those batches.
    pairs : bool, default True
        With I* of every pair, or without.
    bins : int
        Of the histogram of I*, from 0 to 1; values below 0 (there can be, unless alpha is 1) count in the first.
    progress : bool, optional
        A bar on stderr where alpha is not 2; default: on a terminal.
    on_row : callable, optional
        Called with each new row, as by `shearer.neural.adapters.tensorboard`.

    Attributes
    ----------
    rows : list of dict
        A row for each layer and time: step, layer, maps, images, cka (mean over pairs of debiased CKA), adjusted (T of
        all maps, from 0 by chance to 1 for copies), total_correlation (T* of all maps, the paper's), mean_information
        (of I* over pairs), mean_hsic (of HSIC over pairs) and histogram (counts of I*). The first two are 0 for maps
        that have nothing to do with each other; T* depends on the numbers of maps and images more than on anything
        else.

    Notes
    -----
    A compiled model is watched by passing a batch once more through what was compiled, in evaluation mode: compiled
    code has no layers to look at.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from shearer.neural import FeatureMapMonitor
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 8, 3))
    >>> monitor = FeatureMapMonitor(model)
    >>> rows = monitor.observe(torch.randn(20, 1, 8, 8), step=0)
    >>> [(row["layer"], row["maps"], 0 < row["cka"] < 1) for row in rows]
    [('0', 4, True), ('2', 8, True)]
    >>> monitor.to_frame().height
    2
    """

    def __init__(
        self,
        model: nn.Module,
        layers: Iterable[str] | None = None,
        *,
        axis: int | None = None,
        alpha: float = 2.0,
        kernel: Gaussian | None = None,
        every: int | None = None,
        pairs: bool = True,
        bins: int = 50,
        progress: bool | None = None,
        on_row: Callable[[Row], None] | None = None,
    ) -> None:
        self.model = check_model(model)
        self.layers = chosen_layers(self.model, "layers", layers, lambda module: isinstance(module, _CONVOLUTIONS))
        if axis is not None and (isinstance(axis, bool) or not isinstance(axis, int) or axis == 0):
            raise value_error("axis", "a whole number other than 0, the axis of the images", describe(axis))
        self.axis = axis
        if on_row is not None and not callable(on_row):
            raise type_error("on_row", "a function of a row", describe(on_row))
        self.on_row = on_row
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

    def observe(self, x: Any, *, step: int | None = None) -> list[Row]:
        """Pass images through the network, as in evaluation, and record every layer.

        Parameters
        ----------
        x : Tensor, tuple or mapping
            A batch that the model takes, as arguments or arguments by name where it takes several; the same one each
            time makes times comparable.
        step : int, optional
            The time to record, such as the epoch. Default: one more than the last.

        Returns
        -------
        list of dict
            The new rows.
        """
        inputs, named = arguments(x)
        last = self.rows[-1]["step"] if self.rows else -1
        time = last + 1 if step is None else check_count("step", step, 0)
        return self._pass(inputs, named, time)

    def _pass(self, inputs: tuple[Any, ...], named: Mapping[str, Any], step: int) -> list[Row]:
        """Pass a batch through the model, as in evaluation and not compiled."""
        rows: list[Row] = []

        def look(name: str, maps: Tensor) -> None:
            rows.append(self._row(step, name, maps))

        model = plain(self.model)
        with eagerly(), undisturbed(model), watching(self.layers, look):
            model(*inputs, **named)
        if not rows:
            raise value_error("layers", "layers that the model passes", f"{list(self.layers)}, none of which it did")
        for row in rows:
            self._add(row)
        return rows

    def _add(self, row: Row) -> None:
        self.rows.append(row)
        if self.on_row is not None:
            self.on_row(row)

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
        names = ("step", "layer", "maps", "images", *pictures.LABELS)
        return make_frame({name: [row[name] for row in self.rows] for name in names}, library)

    def plot(self, value: str = "cka", *, ax: Any = None) -> Any:
        """Draw CKA (or "adjusted", "total_correlation", "mean_information", "mean_hsic") of every layer over time.

        Returns matplotlib's axes.
        """
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
        maps = self._arranged(layer, maps)
        with torch.no_grad(), torch.autocast(maps.device.type, enabled=False):
            found = map_dependence(maps, alpha=self.alpha, kernel=self.kernel, pairs=self.pairs, progress=self.progress)
        row: Row = {"step": step, "layer": layer, "maps": maps.shape[1], "images": len(maps)}
        row |= {"cka": found.mean_cka, "adjusted": found.adjusted, "total_correlation": found.total_correlation}
        row |= {"mean_information": None, "mean_hsic": found.mean_hsic}
        row["histogram"] = [0] * (len(self.edges) - 1)
        if found.information is not None:
            values = found.information[np.triu_indices(maps.shape[1], 1)]
            row["mean_information"] = float(values.mean())
            row["histogram"] = np.histogram(values.clip(0.0, 1.0), self.edges)[0].tolist()
        return row

    def _arranged(self, layer: str, maps: Tensor) -> Tensor:
        """What a layer put out, with the maps at axis 1."""
        shape, axis = tuple(maps.shape), self.axis
        if maps.ndim < 2:
            raise value_error("layers", "layers that put out shape (n, maps, ...)", f"{layer!r}: {shape}")
        if axis is None:
            if maps.ndim == 3 and not isinstance(self.layers[layer], _CONVOLUTIONS):
                hint = "Of (n, tokens, features), -1 takes features for maps, 1 the tokens; of (n, maps, pixels), 1."
                expected = f"where the maps are in what layer {layer!r} puts out, {shape}"
                raise value_error("axis", expected, "None", hint)
            axis = 1
        if not -maps.ndim < axis < maps.ndim:
            raise value_error("axis", f"one of the axes of layer {layer!r}, which puts out {shape}", f"{axis}")
        return maps.movedim(axis, 1)

    def _attach(self, every: int) -> None:
        """Look at the layers in every so many training batches."""
        model = plain(self.model)

        def whole(_module: nn.Module, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
            if model.training:
                self._batches += 1
                if self._batches % every == 1 % every:
                    self._pass(inputs, named, self._batches)

        if model is not self.model:
            self._handles.append(self.model.register_forward_pre_hook(whole, with_kwargs=True))
            return

        def count(module: nn.Module, _inputs: Any) -> None:
            # A copy of the model carries the hooks of the original: its batches do not count.
            if module is self.model and module.training:
                self._batches += 1

        def look(module: nn.Module, _inputs: Any, output: Any, name: str) -> None:
            due = self.model.training and self._batches % every == 1 % every
            maps = tensor_of(output)
            if due and module is self.layers[name] and maps is not None:
                self._add(self._row(self._batches, name, maps))

        # A model that compiles itself, or is compiled later, leaves its graph for the hooks.
        self._handles.append(self.model.register_forward_pre_hook(torch.compiler.disable(count)))
        for name, layer in self.layers.items():
            hook = lambda module, inputs, output, name=name: look(module, inputs, output, name)  # noqa: E731
            self._handles.append(layer.register_forward_hook(torch.compiler.disable(hook)))
