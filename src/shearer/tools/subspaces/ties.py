"""Values that occur more than once, spread over the room they have."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Decimals, of the range of a column, to which values are the same.
_DIGITS = 9


def spread_ties(values: Floats, random: np.random.RandomState) -> Floats:
    """The same table, with every value that occurs more than once moved by up to half the way to the next value.

    A local density is infinite where more rows than neighbors coincide. Rounded numbers and counts coincide because of
    their resolution, and a uniform law over that resolution is what is known of them. A value that occurs once stays.

    Parameters
    ----------
    values : array (n, d)
        The table.
    random : RandomState
        Source of the moves.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[0.0], [0.0], [2.0], [3.5]])
    >>> moved = spread_ties(counts, np.random.RandomState(0))
    >>> bool(np.all(np.abs(moved - counts)[:2] <= 1)), moved[2:, 0].tolist()
    (True, [2.0, 3.5])
    """
    moved = values.copy()
    for column in moved.T:
        low, high = column.min(), column.max()
        if low == high:
            continue
        size = high / 2 - low / 2  # of halves, which are finite
        places = (column / 2 - low / 2) / size
        distinct, codes, counts = np.unique(np.round(places, _DIGITS), return_inverse=True, return_counts=True)
        if len(distinct) == len(column):
            continue
        gaps = np.diff(distinct)
        room = np.minimum(np.append(np.inf, gaps), np.append(gaps, np.inf)) * (counts > 1)
        # in units of half the range, as `places`
        column += (2 * size * room[codes]) * random.uniform(-0.5, 0.5, size=len(column))
    return moved
