"""Data to try things on: synthetic tables with known answers."""

from shearer.datasets.synthetic import Planted, planted_table

__all__ = ["Planted", "planted_table"]
