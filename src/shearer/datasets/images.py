"""Labelled pictures: digits, clothes, and animals and vehicles."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import value_error
from shearer.datasets.described import Images
from shearer.datasets.files import Where, fetch
from shearer.datasets.real_tables import read_npz

_CLOTHES = (
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
)  # fmt: skip
_UNSIGNED_BYTE = 8


def load_mnist(*, where: Where = None) -> Images:
    """Load MNIST, handwritten digits: 60000 pictures for training and 10000 for testing, 28 x 28 pixels.

    Parameters
    ----------
    where : path or str, optional
        Folder or address of the files; see `fetch`.

    Returns
    -------
    Images
        `data` and `test`: bytes of shape (n, 28, 28); `target` and `test_target`: classes from 0 to 9.

    Examples
    --------
    >>> from shearer import datasets
    >>> pictures = datasets.load_mnist()  # doctest: +SKIP
    >>> pictures.data.shape, pictures.test.shape  # doctest: +SKIP
    ((60000, 28, 28), (10000, 28, 28))
    """
    return Images(
        name="MNIST",
        **_split("mnist", where),
        classes=tuple("0123456789"),
        description="Handwritten digits, 28 x 28 in 256 shades of grey.",
        source="LeCun, Cortes and Burges",
        license="CC BY-SA 3.0 (as commonly stated)",
    )


def load_fashion_mnist(*, where: Where = None) -> Images:
    """Load Fashion-MNIST, clothes: 60000 pictures for training and 10000 for testing, 28 x 28 pixels.

    Parameters
    ----------
    where : path or str, optional
        Folder or address of the files; see `fetch`.

    Returns
    -------
    Images
        `data` and `test`: bytes of shape (n, 28, 28); `target` and `test_target`: classes from 0 to 9.

    Examples
    --------
    >>> from shearer import datasets
    >>> pictures = datasets.load_fashion_mnist()  # doctest: +SKIP
    >>> pictures.data.shape, pictures.test.shape  # doctest: +SKIP
    ((60000, 28, 28), (10000, 28, 28))
    """
    return Images(
        name="Fashion-MNIST",
        **_split("fashion_mnist", where),
        classes=_CLOTHES,
        description="Articles of clothing, 28 x 28 in 256 shades of grey.",
        source="Xiao, Rasul and Vollgraf 2017 (Zalando Research)",
        license="MIT",
    )


def load_cifar10(*, where: Where = None) -> Images:
    """Load a fixed subset of CIFAR-10: 10000 color pictures for training and 2000 for testing, 32 x 32 pixels.

    Parameters
    ----------
    where : path or str, optional
        Folder or address of the files; see `fetch`.

    Returns
    -------
    Images
        `data` and `test`: bytes of shape (n, 32, 32, 3); `target` and `test_target`: classes from 0 to 9.

    Examples
    --------
    >>> from shearer import datasets
    >>> pictures = datasets.load_cifar10()  # doctest: +SKIP
    >>> pictures.data.shape, pictures.classes[:3]  # doctest: +SKIP
    ((10000, 32, 32, 3), ('airplane', 'automobile', 'bird'))
    """
    arrays = read_npz(fetch("cifar10_subset.npz", where=where))
    return Images(
        name="CIFAR-10, subset",
        data=arrays["X_train"],
        target=arrays["y_train"],
        test=arrays["X_test"],
        test_target=arrays["y_test"],
        classes=tuple(map(str, arrays["classes"])),
        description="1000 pictures of each class to train on and 200 to test on, drawn from the published ones.",
        source="Krizhevsky 2009",
        license="none stated; cite Krizhevsky 2009",
    )


def read_idx(path: Path) -> NDArray[np.uint8]:
    """An array of bytes in the format of MNIST, compressed: two zeros, type, dimensions, sizes, values."""
    with gzip.open(path, "rb") as file:
        content = file.read()
    expected = "a compressed idx file of bytes"
    if len(content) < 4 or content[:3] != bytes((0, 0, _UNSIGNED_BYTE)) or len(content) < 4 + 4 * content[3]:
        raise value_error(path.name, expected, "another header")
    dimensions = content[3]
    shape = tuple(int(size) for size in np.frombuffer(content, dtype=">u4", count=dimensions, offset=4))
    values = np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * dimensions)
    if values.size != np.prod(shape, dtype=np.int64):
        raise value_error(path.name, f"{expected}, {shape}", f"{values.size} values")
    return values.reshape(shape).copy()  # of its own: one that can be written to


def _split(folder: str, where: Where) -> dict[str, Any]:
    """The four arrays of a folder."""
    parts = {
        "data": "train-images-idx3", "target": "train-labels-idx1",
        "test": "t10k-images-idx3", "test_target": "t10k-labels-idx1",
    }  # fmt: skip
    return {part: read_idx(fetch(f"{folder}/{name}-ubyte.gz", where=where)) for part, name in parts.items()}
