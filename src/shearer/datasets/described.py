"""What a loader returns: data, what is known of them, and where both come from."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Dataset:
    """Data with a target, as the loaders return them.

    Attributes
    ----------
    name : str
        The name of the data set.
    data : polars.DataFrame or NDArray
        The inputs, one row for each observation.
    target : NDArray
        The value or class of each row that the inputs are to predict.
    frame : polars.DataFrame or None
        The whole table as it was published, inputs and target; None where there is no more than `data` and `target`.
    description : str
        What the data are, in a sentence or two.
    source : str
        Who published them.
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
    """A table of variables for which it is known which of them act on which.

    Has the attributes of `Dataset`, and:

    Attributes
    ----------
    target : NDArray[bool]
        Shape (variables, variables): whether the variable of the row acts on the variable of the column.
    condition : NDArray[str]
        The kind of experiment that each row of the table comes from.
    names : tuple of str
        The variables, in the order of the columns.
    undirected : NDArray[bool]
        Whether two variables are linked, in either direction; symmetric.

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
        """The variables, in the order of the columns."""
        return tuple(self.data.columns)

    @property
    def undirected(self) -> NDArray[np.bool_]:
        """Whether two variables are linked, in either direction; symmetric."""
        linked: NDArray[np.bool_] = self.target | self.target.T
        return linked


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Images(Dataset):
    """Labelled pictures, split into training and test data as published.

    Has the attributes of `Dataset`, and:

    Attributes
    ----------
    data : NDArray[uint8]
        Pictures for training, shape (n, height, width), or (n, height, width, 3) in color.
    target : NDArray[uint8]
        The class of each, as a position in `classes`, from 0.
    test, test_target : NDArray[uint8]
        Pictures for testing, and their classes.
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
