"""A design: a law to draw from, and what is known about it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np

Generator = np.random.Generator
#: Generator and rows -> the variables; of conditional designs the last is what is given, of changes the groups.
Draw: TypeAlias = Callable[[Generator, int], tuple[Any, ...]]

#: What columns hold.
KINDS = ("numbers", "labels", "mixed")
#: How the variables of a design are passed on.
TASKS = {
    "independence": "method(x, y, ...) -> p that they are independent",
    "interaction": "method(a, b, c) -> p that a model of pairs holds",
    "conditional": "method(x, y, given=z) -> p that x and y are independent given z",
    "change": "method(x, y, groups) -> p that x and y depend alike in both groups of rows",
    "strength": "method(x, y) -> how strongly they depend",
}


@dataclass(frozen=True)
class Design:
    """A named distribution with a known answer.

    Attributes
    ----------
    name : str
        Within its suite.
    draw : callable
        Generator and rows -> the variables.
    rows : int
        How many rows are drawn.
    null : bool or None
        Whether the hypothesis of the suite holds by construction; None where a value is asked for.
    family : str
        Designs that belong together: a filter of the page, and what scores of strengths compare.
    kind : {"numbers", "labels", "mixed"}
        What the columns hold.
    dimension : int
        Of the widest variable.
    variables : int
        That are tested.
    quick : bool
        Whether it is part of the quick selection.
    law : str
        Formula, or words.
    place : float or None
        What scores compare within a family: the share of variance of a strength, the predictability of a pair of a
        table, rows or dimensions of a scaling.
    most : int or None
        Trials beyond which more tell nothing; a pair of a table is drawn once.

    Examples
    --------
    >>> from shearer.yardstick import SUITES
    >>> design = SUITES["independence"].design("linear")
    >>> design.rows, design.null
    (50, False)
    """

    name: str
    draw: Draw = field(repr=False)
    rows: int
    null: bool | None
    family: str
    law: str
    kind: str = "numbers"
    dimension: int = 1
    variables: int = 2
    quick: bool = True
    place: float | None = None
    most: int | None = None

    def described(self) -> dict[str, Any]:
        """What a result says about it, as plain values."""
        return {
            "name": self.name,
            "rows": self.rows,
            "null": self.null,
            "family": self.family,
            "law": self.law,
            "kind": self.kind,
            "dimension": self.dimension,
            "variables": self.variables,
            "place": self.place,
        }


@dataclass(frozen=True)
class Suite:
    """Designs that ask one question.

    Attributes
    ----------
    name : str
        What it is called.
    version : int
        Raised whenever a design is changed or taken away; results of different versions are not merged.
    task : str
        One of `TASKS`: what a method is called with, and gives.
    question : str
        In words.
    designs : tuple of Design
        With names of their own.

    Examples
    --------
    >>> from shearer.yardstick import SUITES
    >>> SUITES["interaction"].task, all(design.null is not None for design in SUITES["interaction"].designs)
    ('interaction', True)
    """

    name: str
    version: int
    task: str
    question: str
    designs: tuple[Design, ...]

    def design(self, name: str) -> Design:
        """The design of that name."""
        return next(one for one in self.designs if one.name == name)

    def draw(self, name: str, trial: int, seed: int = 0) -> tuple[Any, ...]:
        """The variables of one trial: the same for every method, and whatever other designs there are.

        Examples
        --------
        >>> from shearer.yardstick import SUITES
        >>> x, y = SUITES["independence"].draw("linear", 0)
        >>> x.shape, y.shape
        ((50,), (50,))
        """
        design = self.design(name)
        stream = crc32(f"{self.name}/{name}".encode())
        return design.draw(np.random.default_rng([seed, stream, trial]), design.rows)


def as_labels(codes: Any) -> Any:
    """Labels of whole numbers.

    Examples
    --------
    >>> as_labels(np.array([0, 2])).tolist()
    ['l0', 'l2']
    """
    return np.char.add("l", np.asarray(codes).astype(str))
