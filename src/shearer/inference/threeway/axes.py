"""Variables as axes of a table of cells: numbers in narrow classes, labels as they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shearer._validate import type_error
from shearer.data.arrays import to_numpy
from shearer.data.variables import Variable

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

#: Numbers with no more different values than this are taken as labels: a function of them has as many parameters.
FEW_VALUES = 5
#: Levels of labels that are told apart; the rarer ones count as one.
MOST_LEVELS = 16
#: Leading coordinates of a vector that are told apart.
_COORDINATES = 2
#: Rows of vectors: with more, dependence within the classes of two coordinates, which are wide, is taken for a term.
MOST_VECTOR_ROWS = 1000
# Levels and classes of a vector that holds a label and numbers.
_MIXED_LEVELS, _MIXED_CLASSES = 8, 8
# Degrees of polynomials: of the first functions, and those that only single variables are fitted by.
_HIGHEST, _ALONE = 16, 10**6
# Indicators of labels beyond the most frequent ones are no part of the products that are tested.
_LEADING_LEVELS = 4
# Columns that are combinations of those before them, to round-off.
_DEPENDENT = 1e-7


@dataclass(frozen=True, eq=False)
class Axis:
    """One variable, cut into classes.

    Attributes
    ----------
    codes : array (n,)
        The class of every row.
    basis : array (classes, classes)
        Functions of the classes, orthonormal over the rows; the first is 1.
    degrees : array (classes,)
        Of the polynomial that each function is; labels have functions of degree 1.
    leading : array (classes,)
        Whether a function takes part in the products that are tested.
    """

    codes: Codes
    basis: Floats
    degrees: NDArray[np.intp]
    leading: NDArray[np.bool_]

    @property
    def shares(self) -> Floats:
        """The share of rows in each class."""
        return np.bincount(self.codes, minlength=len(self.basis)) / len(self.codes)

    def functions(self, degree: int) -> Floats:
        """Those of degree 1 to `degree`."""
        return self.basis[:, (self.degrees >= 1) & (self.degrees <= degree)]

    @property
    def saturated(self) -> bool:
        """Whether the functions of degree 1 are all there are, as those of labels."""
        return bool((self.degrees <= 1).all())

    @property
    def tested(self) -> Floats:
        """Those that take part in the products that are tested."""
        return self.basis[:, self.leading]


@dataclass(frozen=True, eq=False)
class _Part:
    """A coordinate or a label: classes of rows, functions of the classes, their degrees."""

    codes: Codes
    functions: Floats
    degrees: tuple[int, ...]


def axes_of(variables: Sequence[Variable], seed: int = 0) -> list[Axis]:
    """Variables of the same rows as axes, numbers in more classes the more rows; of vectors a draw of rows."""
    rows = variables[0].rows
    if rows > MOST_VECTOR_ROWS and any(variable.columns > 1 for variable in variables):
        drawn = np.sort(np.random.default_rng(seed).permutation(rows)[:MOST_VECTOR_ROWS])
        variables = [variable.take(drawn) for variable in variables]
    classes = round(2.2 * variables[0].rows ** 0.26)
    return [axis_of(variable, classes) for variable in variables]


def axis_of(variable: Variable, classes: int, levels: int = MOST_LEVELS, coordinates: int = _COORDINATES) -> Axis:
    """A variable as an axis of so many classes for numbers and levels of labels; a vector by its leading components.

    With one coordinate a vector that holds a label too is that label.

    Examples
    --------
    >>> from shearer.data import read
    >>> table = read(np.arange(100.0) ** 3, np.arange(100) % 3 == 0)
    >>> axis = axis_of(table.variables[0], 8)
    >>> len(axis.basis), bool(np.allclose(axis.basis.T * axis.shares @ axis.basis, np.eye(8)))
    (8, True)
    >>> axis_of(table.variables[1], 8).basis.shape
    (2, 2)
    """
    parts = _parts(variable, classes, levels, coordinates)
    joint = np.ravel_multi_index([part.codes for part in parts], [len(part.functions) for part in parts])
    present, codes = np.unique(joint, return_inverse=True)
    places = np.unravel_index(present, [len(part.functions) for part in parts])
    terms = []
    for choice in product(*(range(part.functions.shape[1]) for part in parts)):
        degree = sum(part.degrees[term] for part, term in zip(parts, choice, strict=True))
        values = [part.functions[place, term] for part, place, term in zip(parts, places, choice, strict=True)]
        terms.append((degree, np.prod(values, axis=0)))
    terms.sort(key=lambda term: term[0])
    return _orthonormal(codes, terms, labels=variable.kind == "categorical" or parts[0].degrees[-1] == 1)


def _parts(variable: Variable, classes: int, levels: int, coordinates: int) -> list[_Part]:
    blocks = variable.blocks
    if any(block.kind == "object" for block in blocks):
        raise type_error(variable.name, "numbers or labels", "objects", "No kernel takes part in this test.")
    if variable.kind == "mixed" and coordinates > 1:
        levels = min(levels, _MIXED_LEVELS)
    labels = [_labels(np.asarray(to_numpy(block.values)), levels) for block in blocks if block.kind == "categorical"]
    numbers = [to_numpy(block.values).astype(np.float64) for block in blocks if block.kind == "continuous"]
    found = labels[:1]
    if numbers and len(found) < coordinates:
        columns = numbers[0].reshape(len(numbers[0]), -1)
        room = coordinates - len(found)
        if found:
            each = min(classes, _MIXED_CLASSES)
        else:
            each = classes if columns.shape[1] == 1 else max(4, round(1.5 * classes ** (2 / 3)))
        found += [_numbers(column, each) for column in _leading_columns(columns, room)]
    return found


def _leading_columns(columns: Floats, most: int) -> Sequence[Floats]:
    """The columns, or if there are more than so many the leading principal components of their normal scores."""
    if columns.shape[1] <= most:
        return list(columns.T)
    scores = np.stack([_scores(column) for column in columns.T], axis=1)
    _, _, axes = np.linalg.svd(scores - scores.mean(axis=0), full_matrices=False)
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    return list((scores @ (axes * signs[:, None])[:most].T).T)


def _scores(values: Floats) -> Floats:
    """Normal scores; equal values share one."""
    from scipy.stats import rankdata  # loaded only where it is used

    scores: Floats = special.ndtri((rankdata(values) - 0.5) / len(values))
    return scores


def _labels(codes: Codes, most: int = MOST_LEVELS) -> _Part:
    """Indicators of the levels, the most frequent first; the rarest together are one level."""
    counts = np.bincount(codes)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    ranked = np.minimum(rank[codes], most - 1)
    levels = int(ranked.max()) + 1
    functions = np.eye(levels)
    functions[:, -1] = 1.0  # the rarest level is what the others are compared with
    return _Part(ranked, np.roll(functions, 1, axis=1), (0, *(1,) * (levels - 1)))


def _numbers(values: Floats, classes: int) -> _Part:
    """Classes of equal width in normal scores, and the powers of the scores."""
    different, codes = np.unique(values, return_inverse=True)
    if len(different) <= FEW_VALUES:
        return _labels(codes)
    scores, rows = _scores(values), len(values)
    end = float(special.ndtri(1.0 - min(0.1, 3.0 / rows)))
    _, codes = np.unique(np.searchsorted(np.linspace(-end, end, classes - 1), scores), return_inverse=True)
    counts = np.bincount(codes)
    powers, power = [], np.ones(rows)
    for _ in range(_HIGHEST + 1):
        powers.append(np.bincount(codes, power) / counts)
        power = power * scores
    return _Part(codes, np.stack(powers, axis=1), tuple(range(_HIGHEST + 1)))


def _orthonormal(codes: Codes, terms: list[tuple[int, Floats]], *, labels: bool) -> Axis:
    """A complete basis of functions of the classes, of terms and, where they do not suffice, of indicators."""
    shares = np.bincount(codes) / len(codes)
    roots = np.sqrt(shares)
    classes = len(shares)
    candidates = [*terms, *((_ALONE, own) for own in np.eye(classes))]
    chosen, degrees = np.empty((0, classes)), []
    for degree, values in candidates:
        vector = values * roots
        length = np.linalg.norm(vector)
        for _ in range(2):  # once more: round-off of the first
            vector = vector - chosen.T @ (chosen @ vector)
        rest = np.linalg.norm(vector)
        if rest > _DEPENDENT * length:
            chosen = np.concatenate([chosen, vector[None] / rest])
            degrees.append(degree)
        if len(chosen) == classes:
            break
    order = np.array(degrees, dtype=np.intp)
    leading = (order >= 1) & (order <= (1 if labels else 2))
    leading &= np.cumsum(leading) <= _LEADING_LEVELS if labels else True
    return Axis(codes, chosen.T / roots[:, None], order, leading)
