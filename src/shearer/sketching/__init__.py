"""Any number of rows: sums that chunks, files and machines add up, and every measure from the sums."""

from shearer.sketching.opened_rows import open_rows
from shearer.sketching.pair_sketch import PairSketch
from shearer.sketching.sketch import Sketch

__all__ = ["PairSketch", "Sketch", "open_rows"]
