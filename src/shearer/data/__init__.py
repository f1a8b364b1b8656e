"""The table that every function works on: named variables, and the rows that each of them has."""
