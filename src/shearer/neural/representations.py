"""How alike two representations of the same rows are: centered kernel alignment, of tensors, layers and models.

CKA is HSIC(x, y) / sqrt(HSIC(x, x) HSIC(y, y)) (Kornblith et al. 2019). With the unbiased estimates of HSIC (debiased)
it is 0 by chance at any number of rows and features; over minibatches the estimates are averaged (Nguyen et al. 2021).
p-values come from the exact permutation moments of the numerator, as in `shearer.independence_test`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from shearer._validate import describe, type_error, value_error
from shearer.kernels import Gaussian
from shearer.neural import pictures
from shearer.neural.batch_kernels import flatten_batch, kernel_matrix
from shearer.neural.layers import check_model, chosen_layers, put_out
from shearer.neural.matrix_information import centered, check_rows, u_centered
from shearer.neural.robust.estimator_options import check_switch
from shearer.pairs import limits
from shearer.pairs.null_law.moments import PAIRS, TRIPLES, Form, form_of
from shearer.pairs.null_law.tails import moment, upper_tails
from shearer.pairs.sums import centered_sums
from shearer.screening.frames import make_frame

Floats = NDArray[np.float64]
# Powers of two by which numbers are multiplied: one beyond it is none.
_LARGEST_SHIFT = 1000


def cka(x: Any, y: Any, *, kernel: str | Gaussian = "linear", debiased: bool = True) -> float:
    """Centered kernel alignment of two representations of the same rows.

    Parameters
    ----------
    x, y : array or Tensor
        Shapes (n, ...), rows in the same order.
    kernel : "linear" or Gaussian
        Of both. ``Gaussian()`` has the median distance of each for its width.
    debiased : bool, default True
        With unbiased estimates of HSIC, which need four rows: 0 by chance. Without, chance alone gives values near 1
        where features outnumber rows.

    Examples
    --------
    >>> import torch
    >>> from shearer.neural import cka
    >>> _ = torch.manual_seed(0)
    >>> x, y = torch.randn(40, 200), torch.randn(40, 200)
    >>> round(cka(x, 3 * x), 6), abs(cka(x, y)) < 0.05, cka(x, y, debiased=False) > 0.5
    (1.0, True, True)
    """
    sums = _Sums(check_kernel(kernel), check_switch("debiased", debiased))
    sums.add({"x": _tensor("x", x)}, {"y": _tensor("y", y)})
    return float(sums.alignment()[0, 0])


def check_kernel(kernel: Any) -> str | Gaussian:
    """The linear or a Gaussian kernel."""
    if kernel != "linear" and type(kernel) is not Gaussian:
        raise type_error("kernel", '"linear" or a Gaussian kernel', describe(kernel))
    found: str | Gaussian = kernel
    return found


def _tensor(name: str, values: Any) -> Tensor:
    try:
        return values.detach() if isinstance(values, Tensor) else torch.from_numpy(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError, RuntimeError) as error:
        raise type_error(name, "an array or tensor of numbers (n, ...)", describe(values)) from error


class _Sums:
    """HSIC of all pairs of two sets of representations, and its permutation moments, added up over batches."""

    def __init__(self, kernel: str | Gaussian, debiased: bool) -> None:
        self.kernel, self.debiased = kernel, debiased
        self.batches = self.rows = 0
        self.cross: Floats | None = None
        self.own: list[Floats] = []
        self.units: dict[str, float] = {}
        self.statistic: Any = 0.0
        self.second: Any = 0.0
        self.third: Any = 0.0

    def add(self, left: dict[str, Tensor], right: dict[str, Tensor]) -> None:
        """Add a batch; the same set on both sides is looked at once."""
        rows = flatten_batch(
            left | {name if name not in left else f"{name}, other": own for name, own in right.items()}
        )
        matrices = [self._matrix(name, values.double()) for name, values in rows.items()]
        check_rows(matrices[0], 4 if self.debiased else 2)
        n = len(matrices[0])
        without_rows = [u_centered(matrix) for matrix in matrices] if n >= 4 else []
        scale = n * (n - 3) if self.debiased else (n - 1) ** 2
        flat = [own.reshape(-1) for own in (without_rows if self.debiased else map(centered, matrices))]
        first, second = torch.stack(flat[: len(left)]), torch.stack(flat[len(left) :])
        cross = (first @ second.T / scale).cpu().numpy()
        own = [(side.square().sum(dim=1) / scale).cpu().numpy() for side in (first, second)]
        self.cross = cross if self.cross is None else self.cross + cross
        self.own = own if not self.own else [a + b for a, b in zip(self.own, own, strict=True)]
        self._add_moments(without_rows, len(left), n)
        self.batches += 1
        self.rows += n

    def _matrix(self, name: str, values: Tensor) -> Tensor:
        if isinstance(self.kernel, Gaussian):
            return kernel_matrix(name, values, self.kernel, float)
        if not torch.isfinite(values).all():
            raise value_error(name, "finite numbers", "others")
        points = values * self._unit(name, values)
        points = points - points.mean(dim=0)
        return points @ points.T

    def _unit(self, name: str, values: Tensor) -> float:
        """The power of two that brings the first batch that is not 0 below 1: alignment is the same in every unit."""
        largest = float(values.abs().max()) if values.numel() else 0.0
        if largest == 0.0:
            return 1.0
        return self.units.setdefault(name, math.ldexp(1.0, min(_LARGEST_SHIFT, -math.frexp(largest)[1])))

    def _add_moments(self, forms: list[Tensor], count: int, n: int) -> None:
        """Of the sum over pairs of rows of the product of U-centered matrices, when rows are permuted in batches."""
        if n < limits.FEWEST_ROWS:
            self.second = np.nan
            return
        known = []
        for u in forms:
            squares = u * u
            triangles = float(((u @ u) * u).sum())
            known.append(form_of(n, centered_sums(float(squares.sum()), float((squares * u).sum()), triangles)))
        left, right = (_stacked(part) for part in (known[:count], known[count:]))
        first, second = (torch.stack(part).flatten(1) for part in (forms[:count], forms[count:]))
        statistic = first @ second.T / 2.0
        self.statistic = self.statistic + statistic.cpu().numpy()
        self.second = self.second + moment(left.second[:, None], right.second[None], n, PAIRS)
        self.third = self.third + moment(left.third[:, None], right.third[None], n, TRIPLES)

    def alignment(self) -> Floats:
        """CKA; 0 where a representation is constant."""
        if self.cross is None:
            raise value_error("batches", "at least one", "none", "Call update first.")
        with np.errstate(invalid="ignore", divide="ignore"):
            norms = np.sqrt(np.multiply.outer(*self.own))
            return np.where(norms > 0, self.cross / norms, 0.0)

    def pvalues(self) -> Floats:
        """Upper tails of the numerators; nan where they are not to be trusted."""
        assert self.cross is not None
        second = np.broadcast_to(self.second, self.cross.shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            skewness = self.third / second**1.5
            z = self.statistic / np.sqrt(second)
        trusted = (second > 0) & (np.abs(skewness) <= limits.LARGEST_SKEWNESS)
        return upper_tails(np.where(trusted, z, np.nan), np.where(trusted, skewness, np.nan))


def _stacked(forms: list[Form]) -> Form:
    return Form(*(np.stack([getattr(form, key) for form in forms]) for key in ("second", "third", "spread")))


@dataclass(frozen=True, eq=False)
class Similarity:
    """CKA of the layers of a model with those of another, or with each other.

    Attributes
    ----------
    value : array (rows, columns)
        CKA.
    pvalue : array (rows, columns)
        Of independence, by exact permutation moments; nan where these are not to be trusted.
    layers, other_layers : tuple of str
        Names of the rows and of the columns.
    batches, images : int
        How many there were.
    """

    value: Floats
    pvalue: Floats
    layers: tuple[str, ...]
    other_layers: tuple[str, ...]
    batches: int
    images: int

    def to_frame(self, library: str = "polars") -> Any:
        """A row for each pair of layers: layer, other_layer, cka, pvalue."""
        pairs = [(i, j) for i in range(len(self.layers)) for j in range(len(self.other_layers))]
        columns = {
            "layer": [self.layers[i] for i, _ in pairs],
            "other_layer": [self.other_layers[j] for _, j in pairs],
            "cka": [float(self.value[pair]) for pair in pairs],
            "pvalue": [float(self.pvalue[pair]) for pair in pairs],
        }
        return make_frame(columns, library)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the values as a picture of squares; returns matplotlib's axes."""
        return pictures.squares(self.value, self.layers, self.other_layers, "CKA", ax)


class RepresentationSimilarity:
    """CKA between all layers of a model, or of two models, over minibatches.

    Parameters
    ----------
    model : torch.nn.Module
        Any network; it is left as it is.
    other : torch.nn.Module, optional
        Another one, shown the same batches; default: the same model.
    layers, other_layers : iterable of str, optional
        Names as in ``model.named_modules()``. Default: all that have weights of their own and no parts.
    kernel, debiased
        As in `cka`.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from shearer.neural import RepresentationSimilarity
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
    >>> similarity = RepresentationSimilarity(model)
    >>> for _ in range(4):
    ...     similarity.update(torch.randn(32, 5))
    >>> found = similarity.compute()
    >>> found.layers, found.value.shape, bool(found.value[0, 0].round(9) == 1), bool(found.pvalue[0, 1] < 1e-6)
    (('0', '2'), (2, 2), True, True)
    """

    def __init__(
        self,
        model: nn.Module,
        other: nn.Module | None = None,
        layers: Iterable[str] | None = None,
        other_layers: Iterable[str] | None = None,
        *,
        kernel: str | Gaussian = "linear",
        debiased: bool = True,
    ) -> None:
        self.model = check_model(model)
        self.other = None if other is None else check_model(other)
        self.layers = chosen_layers(self.model, "layers", layers, _has_weights)
        second = self.model if self.other is None else self.other
        same = self.other is None and other_layers is None
        self.other_layers = self.layers if same else chosen_layers(second, "other_layers", other_layers, _has_weights)
        self.kernel, self.debiased = check_kernel(kernel), check_switch("debiased", debiased)
        self.reset()

    def reset(self) -> None:
        """Forget all batches."""
        self._sums = _Sums(self.kernel, self.debiased)

    def update(self, x: Any) -> None:
        """Show a batch to the model, or to both: a tensor, several in a tuple, or several by name."""
        if self.other is None:
            wanted = {**self.layers, **self.other_layers}
            found = put_out(self.model, wanted, x)
            first, second = ({name: found[name] for name in some} for some in (self.layers, self.other_layers))
        else:
            first, second = put_out(self.model, self.layers, x), put_out(self.other, self.other_layers, x)
        self._sums.add(first, second)

    def compute(self) -> Similarity:
        """CKA of all pairs of layers, from the batches so far."""
        value = self._sums.alignment()
        names = tuple(self.layers), tuple(self.other_layers)
        return Similarity(value, self._sums.pvalues(), *names, self._sums.batches, self._sums.rows)


def _has_weights(module: nn.Module) -> bool:
    return not any(True for _ in module.children()) and any(True for _ in module.parameters(recurse=False))
