"""What a loader returns: the data, the answer that is known, and where both are from."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Dataset:
    """Data with a target.

    Attributes
    ----------
    name : str
        What it is called.
    data : polars.DataFrame or NDArray
        The inputs: one row for each observation.
    target : NDArray
        What is known of each row.
    frame : polars.DataFrame or None
        The whole table as it was published, inputs and target; None for arrays.
    description : str
        What it is, in a sentence or two.
    source : str
        Who made it.
    license : str
        Under which terms.

    Examples
    --------
    >>> import numpy as np
    >>> Dataset(name="two", data=np.eye(2), target=np.array([0, 1]), description="", source="", license="")
    Dataset(two, 2 x 2)
    """

    name: str
    data: Any
    target: NDArray[Any]
    frame: Any = None
    description: str
    source: str
    license: str

    def __repr__(self) -> str:
        """The name and the shape."""
        return f"{type(self).__name__}({self.name}, {' x '.join(map(str, self.data.shape))})"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Network(Dataset):
    """Measurements of variables between which the true links are known.

    Attributes
    ----------
    target : NDArray[bool]
        Which variable acts on which: row acts on column.
    condition : NDArray[str]
        The kind of experiment that each row is from.

    Examples
    --------
    >>> from shearer.datasets import planted_network
    >>> planted = planted_network(50, 4, links=2, rng=0)
    >>> planted.data.shape, int(planted.undirected.sum()) // 2
    ((50, 4), 2)
    """

    condition: NDArray[np.str_]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return tuple(self.data.columns)

    @property
    def undirected(self) -> NDArray[np.bool_]:
        """Which variables are linked, either way; symmetric."""
        linked: NDArray[np.bool_] = self.target | self.target.T
        return linked


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Images(Dataset):
    """Labelled pictures, split as published.

    Attributes
    ----------
    data : NDArray[uint8]
        Pictures to train on, shape (n, height, width) or (n, height, width, 3).
    target : NDArray
        The class of each, as a position in `classes`.
    test, test_target : NDArray
        Pictures to test on and their classes.
    classes : tuple of str
        Names of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> pictures = np.zeros((3, 8, 8), dtype=np.uint8)
    >>> words = {"description": "", "source": "", "license": ""}
    >>> classes = {"target": np.zeros(3, dtype=int), "test_target": np.zeros(1, dtype=int), "classes": ("night",)}
    >>> Images(name="dark", data=pictures, test=pictures[:1], **classes, **words)
    Images(dark, 3 x 8 x 8)
    """

    test: NDArray[Any]
    test_target: NDArray[Any]
    classes: tuple[str, ...]
