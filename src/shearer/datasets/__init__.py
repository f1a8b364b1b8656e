"""Data to try things on: synthetic tables with known answers."""

from shearer.datasets.subspaces import PlantedSubspaces, planted_subspace
from shearer.datasets.synthetic import Planted, planted_table

__all__ = ["Planted", "PlantedSubspaces", "planted_subspace", "planted_table"]
