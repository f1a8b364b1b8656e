"""The page of a scan: one file for any browser."""
