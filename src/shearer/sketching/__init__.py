"""Any number of rows: sums that chunks, files and machines add up, and every measure from the sums."""

from shearer.sketching.pair_sketch import PairSketch
from shearer.sketching.sketch import Sketch
from shearer.sketching.sources import open_rows

__all__ = ["PairSketch", "Sketch", "open_rows"]
