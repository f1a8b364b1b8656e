"""The one door and the one table: `read` turns what a caller passes into a `Table` of named variables."""

from shearer.data.reading import read
from shearer.data.table import Table

__all__ = ["Table", "read"]
