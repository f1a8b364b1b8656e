"""Experiments: one module for each result, run as ``python -m experiments.NAME``, each with a JSON file in results/."""
