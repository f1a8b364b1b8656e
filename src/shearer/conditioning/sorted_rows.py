"""Rows in an order that their values decide, so that what is found does not depend on the order in which they came.

Landmarks, samples and neighbors among rows that serve equally well are chosen by their places: of two rows as far from
all landmarks the first one is the next. In the order of the values the same row is the first of them, in whatever order
rows were passed.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shearer.data.variables import Block, Variable

Indices = NDArray[np.intp]


def recoded(variable: Variable) -> Variable:
    """The same variable with the codes of labels in the order of their names, not of their appearance."""
    return Variable(variable.name, tuple(map(_recoded, variable.blocks)))


def _recoded(block: Block) -> Block:
    if block.kind != "categorical":
        return block
    order = sorted(range(len(block.levels)), key=lambda code: repr(block.levels[code]))
    codes = np.empty(len(order), dtype=np.intp)
    codes[order] = np.arange(len(order))
    return Block(block.kind, codes[block.values], [block.levels[code] for code in order])


def by_values(variables: Sequence[Variable], groups: Indices | None = None) -> tuple[Indices, Indices]:
    """The order of rows by their values, and the group of rows of the same values that each is then in.

    Parameters
    ----------
    variables : sequence of Variable
        In numpy, without missing rows, recoded; the first column decides first.
    groups : array (n,), optional
        What decides before them.

    Examples
    --------
    >>> order, groups = by_values([Variable("a", (Block("continuous", np.array([[2.0], [1.0], [2.0]])),))])
    >>> order.tolist(), groups.tolist()
    ([1, 0, 2], [0, 1, 1])
    """
    blocks = [np.asarray(block.values) for variable in variables for block in variable.blocks]
    keys = [column for values in blocks for column in values.reshape(len(values), -1).T]
    if groups is not None:
        keys.insert(0, groups)
    order = np.lexsort(keys[::-1])
    differs = np.zeros(len(order), dtype=np.intp)
    for key in keys:
        ascending = key[order]
        differs[1:] |= ascending[1:] != ascending[:-1]
    return order, np.cumsum(differs)
