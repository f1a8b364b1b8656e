"""Sets of columns that depend on each other most."""
