"""Any number of rows: sums that chunks, files and machines add up, and every measure from the sums."""

from shearer.sketching.sketch import Sketch

__all__ = ["Sketch"]
