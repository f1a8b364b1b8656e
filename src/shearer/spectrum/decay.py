"""How fast an error falls with the rank, and whether a goal is within reach of the ranks allowed."""

import math

# An attempt is judged from this part of the largest rank on: by then it has cost the square of it.
_JUDGED_FROM = 0.2


class Decay:
    """An error at growing ranks, extended by its last pace.

    The logarithm of the error is followed over the second half of the ranks so far. Where kernels are smooth and data
    have several dimensions its slope falls from rank to rank, so the rank that the last slope promises is too small
    rather than too large. Where the slope grows instead (narrow kernels of one dimension, heavy tails) it is given
    credit for twice as much.

    Parameters
    ----------
    goal : float
        Error that is wanted.
    most : int
        The largest rank allowed.

    Examples
    --------
    >>> decay = Decay(goal=1e-6, most=100)
    >>> [decay.is_hopeless(rank, 2.0**-rank) for rank in (10, 20)], round(decay.needed)
    ([False, False], 20)
    >>> decay = Decay(goal=1e-6, most=100)
    >>> [decay.is_hopeless(rank, 1 / rank) for rank in (10, 20, 40)]
    [False, True, True]
    """

    def __init__(self, goal: float, most: int) -> None:
        self.goal = goal
        self.most = most
        #: Rank at which the goal is expected; infinity where the error no longer falls, 0 before it can be told.
        self.needed = 0.0
        self._points: list[tuple[int, float]] = []

    def is_hopeless(self, rank: int, error: float) -> bool:
        """Note the error at a rank; True if the goal is expected beyond the largest rank."""
        if error <= self.goal:
            self.needed = float(rank)
            return False
        if not self._points or rank > self._points[-1][0]:
            self._points.append((rank, math.log(error)))
        if rank < _JUDGED_FROM * self.most or len(self._points) < 2:
            return False
        middle = self._before(rank / 2)
        slope = self._slope(middle, len(self._points) - 1)
        if slope <= 0:
            self.needed = math.inf
            return True
        first = self._before(self._points[middle][0] / 2)
        credit = 2.0 if middle > first and slope > self._slope(first, middle) else 1.0
        self.needed = rank + (self._points[-1][1] - math.log(self.goal)) / (credit * slope)
        return self.needed > self.most

    @property
    def outlook(self) -> str:
        """For a message: the rank expected to be needed, where it is beyond the largest one."""
        if self.needed <= self.most:
            return ""
        if math.isinf(self.needed):
            return ", which more columns do not improve"
        return f"; at this pace about {self.needed:.2g} columns would be needed, {self.most} being the most"

    def _before(self, rank: float) -> int:
        """The last point at or below a rank, else the first."""
        return max([i for i, (known, _) in enumerate(self._points[:-1]) if known <= rank], default=0)

    def _slope(self, start: int, end: int) -> float:
        (first, high), (last, low) = self._points[start], self._points[end]
        return (high - low) / (last - first)
