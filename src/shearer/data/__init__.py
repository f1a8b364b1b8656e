"""Read whatever a caller passes, once, by `read`, into the one table that every function works on, `Table`."""

from shearer.data.reading import read
from shearer.data.table import Table

__all__ = ["Table", "read"]
