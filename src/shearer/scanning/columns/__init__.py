"""The columns of a scan: which take part, and what is trivial, computed, repeated or in the order of time."""
