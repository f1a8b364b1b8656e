"""Rows that stand out in subspaces of a table."""
