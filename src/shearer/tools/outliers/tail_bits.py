"""Scores of any kind in one unit: bits, by how few of the training rows score as high."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Highest part of the scores whose mean excess says how far beyond them a new score lies.
_TAIL = 0.1
# Scores that differ by less, of the spread of all, are the same.
_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class TailBits:
    """Less the base-2 logarithm of the share of training rows that score at least as high, ties counted half.

    Attributes
    ----------
    ordered : array
        Scores of the training rows, rising.
    excess : float
        Mean by which the highest tenth of them exceeds the lowest of that tenth.
    """

    ordered: Floats
    excess: float

    @classmethod
    def fit(cls, training: Floats) -> "TailBits":
        """Keep the training scores.

        Examples
        --------
        >>> bits = TailBits.fit(np.arange(8.0))
        >>> bits.of(np.array([0.0, 4.0, 7.0])).round(2).tolist()
        [0.09, 1.19, 4.0]
        """
        ordered = np.sort(training)
        tail = ordered[int((1 - _TAIL) * len(ordered)) :]
        return cls(ordered, float((tail - tail[0]).mean()))

    def of(self, scores: Floats) -> Floats:
        """Bits of scores; beyond the highest training score as if the tail went on exponentially."""
        rows, highest = len(self.ordered), float(self.ordered[-1])
        slack = _EQUAL * max(abs(highest), abs(float(self.ordered[0])))
        below = np.searchsorted(self.ordered, scores - slack, side="left")
        upto = np.searchsorted(self.ordered, scores + slack, side="right")
        share = np.maximum(rows - (below + upto) / 2, 0.5) / rows
        found: Floats = -np.log2(share)
        if self.excess > 0:
            found = found + np.maximum(scores - highest, 0.0) / (self.excess * np.log(2.0))
        return found


@dataclass(frozen=True, eq=False)
class TailLine:
    """Bits of scores by how far they lie beyond the others: the tail is taken as exponential.

    Half and nine tenths of the training rows tell how it falls, so that a tenth of them may be outliers. Bits are not
    bounded by the number of rows, as those of `TailBits` are.

    Attributes
    ----------
    end : float
        The score that nine tenths do not reach.
    slope : float
        Score a bit; 0 where half of the rows or more have that score.
    """

    end: float
    slope: float

    @classmethod
    def fit(cls, training: Floats) -> "TailLine":
        """Two quantiles.

        Examples
        --------
        >>> line = TailLine.fit(-np.log2(1 - np.arange(1000) / 1000))  # bits already
        >>> line.of(np.array([1.0, 5.0, 20.0])).round().tolist()
        [0.0, 5.0, 20.0]
        """
        middle, end = np.quantile(training, [0.5, 0.9])
        return cls(float(end), float(end - middle) / np.log2(5.0))

    def of(self, scores: Floats) -> Floats:
        """Bits of scores; 0 for those that more than a tenth of the training rows reach."""
        if self.slope <= 0:
            return np.zeros(len(scores))
        return np.where(scores > self.end, np.log2(10.0) + (scores - self.end) / self.slope, 0.0)
