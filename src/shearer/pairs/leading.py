"""The leading features of variables, few enough that products of two variables' features can be formed."""

import numpy as np
from numpy.typing import NDArray

from shearer.pairs import limits
from shearer.pairs.sides import Ladders

Floats = NDArray[np.float64]

#: Rungs at which products are formed: their number grows as the square of that of features.
HEIGHTS = 3
#: Leading features of a variable that enter products.
MOST_RANK = 12


class LeadingFeatures:
    """Leading centered features of the variables of a table, each found once.

    Parameters
    ----------
    ladders : Ladders
        The variables.
    """

    def __init__(self, ladders: Ladders) -> None:
        self.ladders = ladders
        self._found: dict[tuple[int, int], Floats] = {}

    def of(self, variable: int, height: int) -> Floats:
        """Evaluate them at all rows, 0 at missing values; a variable of fewer widths has its last at every height."""
        place = variable, min(height, self.ladders.heights(variable) - 1)
        if place not in self._found:
            presence = self.ladders.presence
            mask = presence.masks[presence.pattern[variable]]
            own, count = self.ladders.features(*place), int(mask.sum())
            runs = (slice(start, min(start + limits.CHUNK_ROWS, count)) for start in range(0, count, limits.CHUNK_ROWS))
            values = np.concatenate([own.of(run) for run in runs])
            values -= values.mean(axis=0)
            directions = leading_directions(values, MOST_RANK)
            whole = np.zeros((len(mask), directions.shape[1]))
            whole[mask] = values @ directions
            self._found[place] = whole
        return self._found[place]


def leading_directions(values: Floats, most: int) -> Floats:
    """The directions in which rows vary most, at most so many; which ones, where several share the last place, does not
    hang on round-off.

    Rows far from all others have a direction each, all of the same variance: those of the rows that stand out most
    are taken, of equal ones the first.

    Parameters
    ----------
    values : array (n, r)
        Centered features.
    most : int
        How many directions.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.diag([3.0, 1.0, 1.0, 1.0])
    >>> np.abs(leading_directions(values, 2)).round(6).T.tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    """
    shares, directions = np.linalg.eigh(values.T @ values)
    if len(shares) <= most:
        return directions
    tolerance = limits.EQUAL * shares[-1]
    above, equal = shares > shares[-most] + tolerance, np.abs(shares - shares[-most]) <= tolerance
    wanted = most - int(above.sum())
    space = directions[:, equal]
    if wanted < space.shape[1]:
        rows = values @ space
        turned = np.empty((space.shape[1], wanted))
        for place in range(wanted):
            sizes = np.vecdot(rows, rows)
            first = int(np.argmax(sizes >= (1.0 - limits.EQUAL) * sizes.max()))
            turned[:, place] = rows[first] / np.sqrt(sizes[first])
            rows = rows - np.multiply.outer(rows @ turned[:, place], turned[:, place])
        space = space @ turned
    return np.hstack([directions[:, above], space])


def products_of(first: Floats, second: Floats) -> Floats:
    """Multiply every feature of one with every feature of the other, row by row."""
    return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)
