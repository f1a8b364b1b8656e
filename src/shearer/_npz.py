"""Arrays in one file, as numpy's savez writes them, with every version of numpy."""

import zipfile
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray


def write_npz(file: IO[bytes], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays by name; nothing is pickled, and the archive is closed where a disk is full.

    numpy's own function takes `allow_pickle` for the name of an array in some versions, and leaves the archive open
    after an error in some.

    Examples
    --------
    >>> import io
    >>> contents = io.BytesIO()
    >>> write_npz(contents, {"x": np.arange(3)})
    >>> np.load(io.BytesIO(contents.getvalue()))["x"]
    array([0, 1, 2])
    """
    with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as part:
                np.lib.format.write_array(part, np.asanyarray(array), allow_pickle=False)
