"""Confidence intervals by the influence of every row."""
