"""Outliers that are ordinary in every single column

Three of 33 columns depend on each other and 6 of 400 rows break that dependence; no single value of theirs is
unusual. The detector looks at single values, at the relations between columns and at distances, and says which columns
made a row an outlier.
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh

planted = sh.datasets.planted_subspace(400, sizes=(3,), noise=30, outliers=6, rng=1)
detector = sh.tools.SubspaceOutlierDetector().fit(planted.X)
worst = np.argsort(detector.decision_scores_)[-6:]
print("planted:", sorted(np.flatnonzero(planted.y).tolist()))
print("found:  ", sorted(worst.tolist()))
print(detector.explain(planted.X[worst[-1:]], by="column").head(3))

first, second, third = planted.subspaces[0]
_, axes = plt.subplots(1, 2, figsize=(9, 4))
for axis, (i, j) in zip(axes, ((first, second), (second, third)), strict=True):
    axis.scatter(planted.X[:, i], planted.X[:, j], s=8, color="#999999")
    axis.scatter(
        planted.X[worst, i], planted.X[worst, j], s=40, facecolors="none", edgecolors="#D55E00", linewidths=1.6
    )
    axis.set_xlabel(f"x{i}")
    axis.set_ylabel(f"x{j}")
