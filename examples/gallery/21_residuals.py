"""What the conditions leave: a good fit and a bad one.

A test given z is as good as the regressions on z. Upper row: both columns are smooth functions of z and noise. What
the regressions leave shows no shape when drawn against z, the scores are small, and the cloud of the one residual
against the other is round: believe the p-value. Lower row: both columns are waves around the middle of five
conditions, too fast for a regression with 600 rows. What it leaves still has the wave, in both columns, so that the
two residuals go together although nothing links the columns but the conditions. Both scores are large, and the test
warns: its small p-value is not evidence.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh


def draw(axes, x, y, given, shown, name):
    """Residuals against something of the conditions, and against each other."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        found = sh.independence_test(x, y, given=given)
    left = [part[:, 0] for part in found.left]
    order = np.argsort(shown)
    groups = np.array_split(order, 20)
    for axis, part, letter in zip(axes, left, "xy", strict=False):
        axis.scatter(shown, part, s=6, alpha=0.5)
        axis.plot([shown[g].mean() for g in groups], [part[g].mean() for g in groups], color="C3")
        axis.axhline(0, color="black", linewidth=0.6)
        axis.set(xlabel=name, ylabel=f"what is left of {letter}")
    axes[2].scatter(*left, s=6, alpha=0.5)
    axes[2].set(xlabel="what is left of x", ylabel="what is left of y")
    scores = ", ".join(f"{score:.1f}" for score in found.scores)
    axes[1].set_title(f"p = {found.pvalue:.1g}; scores {scores}; {'warned' if raised else 'no warning'}")
    print(f"{name}: p = {found.pvalue:.1g}, scores {scores}")
    print("   ", found.warning or "no warning")


rng = np.random.default_rng(1)
_, axes = plt.subplots(2, 3, figsize=(10, 6))

z = rng.normal(size=600)
x = np.sin(2 * z) + 0.5 * rng.normal(size=600)
y = z**2 / 2 + 0.5 * rng.normal(size=600)
draw(axes[0], x, y, z, z, "z")

z = rng.normal(size=(600, 5))
distance = np.linalg.norm(z, axis=1)
x, y = np.sin(3 * distance) + 0.2 * rng.normal(size=(2, 600))
draw(axes[1], x, y, z, distance, "distance of z from 0")
