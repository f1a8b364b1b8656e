"""Samples of two columns under known laws, for comparisons."""

import numpy as np


def normal_pair(rng, rows, correlation):
    """Two normal columns."""
    x, noise = rng.normal(size=(2, rows))
    return x, correlation * x + np.sqrt(1 - correlation**2) * noise


def labelled(rng, rows, shares, shifts):
    """A label and a number whose law depends on it."""
    codes = rng.choice(len(shares), rows, p=shares)
    return np.array(list("uvwxyz"))[codes], rng.normal(size=rows) * (1 + 0.5 * (codes == 1)) + np.array(shifts)[codes]


def two_labels(rng, rows, law):
    """Two labels with a joint law."""
    cells = rng.choice(law.size, rows, p=law.reshape(-1))
    return np.array(list("abcdef"))[cells // law.shape[1]], np.array(list("uvwxyz"))[cells % law.shape[1]]
