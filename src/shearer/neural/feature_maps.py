"""Dependence among the feature maps of a layer: of all and of pairs, adjusted for chance, from one batch of images.

At alpha = 2 all pairs are one matrix product of the stacked triangles of the squared kernel matrices, on the device
of the maps (docs: theory, "alpha = 2").
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from shearer._validate import value_error
from shearer.data.arrays import to_numpy
from shearer.kernels import Gaussian, bandwidth
from shearer.kernels.radial import LARGEST_EXPONENT, LARGEST_SINGLE_EXPONENT
from shearer.measures import total_correlation
from shearer.measures.entropies import Subset
from shearer.measures.registry import MUTUAL_INFORMATION, TOTAL_CORRELATION
from shearer.neural.batch_kernels import decay_rate, middle_distance, upper_triangle
from shearer.neural.matrix_information import floor_of
from shearer.screening import pairwise

Floats = NDArray[Any]

# Numbers of a group of maps whose distances are formed at once: its few arrays stay in the second-level cache.
_AT_ONCE = 2**17
# Bits between chance and copies that are more than round-off.
_SMALLEST_ROOM = 1e-9
# Squared distances below this many epsilon of the squared norms, for each root of a coordinate, are round-off.
_ROUND_OFF = 4.0


@dataclass(frozen=True, eq=False)
class MapDependence:
    """How the feature maps of a layer depend on each other.

    Attributes
    ----------
    mean_cka : float
        Mean debiased CKA over all pairs of different maps: 0 by chance, 1 for copies; nan for a single map or fewer
        than four images.
    adjusted : float
        T of order 2 of all maps, from 0 by chance to 1 for copies; nan for a single map. Widths are the rule's times
        the root of the number of maps: narrower ones tell no images apart from none once maps are many.
    total_correlation : float
        T* of all maps, as in the paper.
    information : NDArray or None
        I* of every pair, shape (maps, maps), nan on the diagonal.
    mean_hsic : float
        Mean over all pairs of different maps of tr(K H L H) / (n - 1)^2; nan for a single map.
    """

    mean_cka: float
    adjusted: float
    total_correlation: float
    information: Floats | None
    mean_hsic: float


def map_dependence(
    maps: Tensor, *, alpha: float, kernel: Gaussian, pairs: bool, progress: bool | None = None
) -> MapDependence:
    """Dependence among maps (n, maps, ...) of n images; each map is one variable."""
    n, count = maps.shape[:2]
    if n < 2:
        raise value_error("x", "at least 2 images", f"{n}")
    columns = maps.detach().reshape(n, count, -1)
    if columns.dtype not in (torch.float32, torch.float64):
        columns = columns.float()
    exponents = _scaled_distances(columns, kernel)
    similarities = exponents.neg().exp_()
    squares = similarities.square()
    hsic = _mean_hsic(similarities, squares, n)
    level = _mean_cka(similarities, n), _adjusted(exponents, n)
    if alpha != 2:
        variables = [to_numpy(columns[:, k]) for k in range(count)]
        total = float(total_correlation(*variables, alpha=alpha, kernel=kernel)) if count > 1 else 0.0
        found = _by_spectra(variables, alpha, kernel, progress) if pairs and count > 1 else None
        return MapDependence(*level, total, found, hsic)
    single = _bits(squares.sum(dim=1, dtype=torch.float64), n)
    joint = _bits((exponents.sum(dim=0, dtype=torch.float64) * -2.0).clamp_(min=-LARGEST_EXPONENT).exp_().sum(), n)
    floor = floor_of(squares, n)
    total = 0.0 if count < 2 else float(TOTAL_CORRELATION.values(count, _among(single.tolist(), joint), True, floor))
    if not pairs or count < 2:
        return MapDependence(*level, total, None, hsic)
    joints = _bits((squares @ squares.T).double(), n)
    each = _among([single[:, None], single[None, :]], joints)
    information: Floats = MUTUAL_INFORMATION.values(2, each, True, floor)
    np.fill_diagonal(information, np.nan)
    return MapDependence(*level, total, information, hsic)


def _among(single: Sequence[Any], joint: Any) -> Callable[[Subset], Any]:
    """Entropies of single variables, and of all together, by subset."""
    return lambda subset: single[min(subset)] if len(subset) == 1 else joint


def _by_spectra(variables: list[Floats], alpha: float, kernel: Gaussian, progress: bool | None) -> Floats:
    information: Floats = pairwise(*variables, alpha=alpha, kernel=kernel, progress=progress).value
    np.fill_diagonal(information, np.nan)
    return information


def _bits(triangles: Tensor, n: int) -> Floats:
    """S_2 from the sum of the squared entries above the diagonal, on which all are 1."""
    means: Tensor = (n + 2.0 * triangles) / n**2
    return np.asarray(-np.log2(means.cpu().numpy()))


def _scaled_distances(columns: Tensor, kernel: Gaussian) -> Tensor:
    """|x_i - x_j|^2 / (2 width^2) of every map for all pairs of images i < j, shape (maps, pairs)."""
    n, count, size = columns.shape
    found = columns.new_empty(count, n * (n - 1) // 2)
    group = max(1, _AT_ONCE // (n * max(n, size)))
    for start in range(0, count, group):
        # Double where there is one: rows that are equal, as those of a dead map, must be at distance 0.
        values = columns[:, start : start + group].transpose(0, 1)
        values = values if values.device.type == "mps" else values.double()
        squared = _squared_distances(values).to(found.dtype)
        rates = [decay_rate(_width(kernel, *pair), squared.dtype) for pair in zip(values, squared, strict=True)]
        found[start : start + group] = squared.mul_(squared.new_tensor(rates)[:, None]).clamp_(max=_most(found))
    if not math.isfinite(found.sum()):
        raise value_error("x", "images whose feature maps are finite numbers", "others")
    return found


def _squared_distances(values: Tensor) -> Tensor:
    """Between the rows i < j of each of a stack of matrices; 0 where nothing but round-off is left."""
    centered = values - values.mean(dim=1, keepdim=True)
    products = centered @ centered.mT
    norms = products.diagonal(dim1=1, dim2=2)
    first, second = torch.triu_indices(values.shape[1], values.shape[1], 1, device=values.device)
    sums = norms.index_select(1, first).add_(norms.index_select(1, second))
    upper = torch.as_tensor(upper_triangle(values.shape[1]), device=values.device)
    squared = torch.sub(sums, products.flatten(1).index_select(1, upper), alpha=2.0)
    least = _ROUND_OFF * torch.finfo(values.dtype).eps * math.sqrt(values.shape[2])
    return squared.masked_fill_(squared <= sums.mul_(least), 0.0)


def _width(kernel: Gaussian, values: Tensor, squared: Tensor) -> float:
    rule = bandwidth.check(kernel.bandwidth)
    if isinstance(rule, float):
        return rule
    inner, factor = bandwidth.parted(rule)
    if inner is bandwidth.median:
        return bandwidth.within_floats(factor * middle_distance(squared.cpu().numpy()))
    return bandwidth.resolve(rule, to_numpy(values))


def _most(exponents: Tensor) -> float:
    """Beyond, exp is slow and as good as 0."""
    return LARGEST_EXPONENT if exponents.dtype == torch.float64 else LARGEST_SINGLE_EXPONENT


def _mean_hsic(similarities: Tensor, squares: Tensor, n: int) -> float:
    """From the kernel matrices' triangles: <K, L> - 2 r.s / n + (sum K)(sum L) / n^2, summed over pairs at once."""
    count = len(similarities)
    if count < 2:
        return math.nan
    rows = 1.0 + _row_sums(similarities, n).double()
    each = n + 2.0 * squares.sum(dim=1, dtype=torch.float64)
    total = n * count**2 + 2.0 * similarities.sum(dim=0, dtype=torch.float64).square().sum()
    own = each - 2.0 / n * rows.square().sum(dim=1) + rows.sum(dim=1).square() / n**2
    whole = total - 2.0 / n * rows.sum(dim=0).square().sum() + rows.sum().square() / n**2
    return float(whole - own.sum()) / (count * (count - 1) * (n - 1) ** 2)


def _mean_cka(similarities: Tensor, n: int) -> float:
    """The mean over pairs of <u_k, u_l> / (|u_k| |u_l|), u being U-centered kernel matrices; of constants, 0."""
    count = len(similarities)
    if count < 2 or n < 4:
        return math.nan
    sums = _row_sums(similarities, n)
    shifts = sums / (n - 2) - sums.sum(dim=1, keepdim=True) / (2 * (n - 1) * (n - 2))
    first, second = torch.triu_indices(n, n, 1, device=similarities.device)
    total = similarities.new_zeros(similarities.shape[1], dtype=torch.float64)
    own = 0.0
    group = max(1, _AT_ONCE // similarities.shape[1])
    for some, shift in zip(similarities.split(group), shifts.split(group), strict=True):
        u = some - shift.index_select(1, first)
        u -= shift.index_select(1, second)
        norms = u.norm(dim=1)
        varies = norms > _ROUND_OFF * torch.finfo(u.dtype).eps * n
        weights = torch.where(varies, 1.0 / norms, 0.0)
        total += weights @ u
        own += float(varies.sum())
    return (float(total.square().sum()) - own) / (count * (count - 1))


def _adjusted(exponents: Tensor, n: int) -> float:
    """(T - chance) / (copies - chance) at order 2.

    By chance the mean product of similarities is the product of their means. It is never above the geometric mean of
    what it would be if all maps were copies of one (Hölder), which is reached by copies.
    """
    count = len(exponents)
    if count < 2:
        return math.nan
    means = exponents.mul(-2.0 / count).exp_().mean(dim=1, dtype=torch.float64)
    off = n * (n - 1)
    chance = math.log2(n + off * float(means.log().sum().exp()))
    joint = math.log2(n + off * float((exponents.mean(dim=0, dtype=torch.float64) * -2.0).exp_().mean()))
    copies = float(torch.log2(n + off * exponents.mul(-2.0).exp_().mean(dim=1, dtype=torch.float64)).mean())
    room = copies - chance
    return (joint - chance) / room if room > _SMALLEST_ROOM else 0.0


def _row_sums(triangles: Tensor, n: int) -> Tensor:
    """Sums off the diagonal of symmetric matrices given by what is above it, shape (maps, n)."""
    sums = triangles.new_zeros(len(triangles), n)
    for ends in torch.triu_indices(n, n, 1, device=triangles.device):
        sums.index_add_(1, ends, triangles)
    return sums
