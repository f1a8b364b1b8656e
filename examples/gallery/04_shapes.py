"""Shapes that a correlation misses

Six relations of two columns, 300 rows each, with Pearson's correlation and the strength of the dependence above
each. Where the relation is not monotone the correlation is near 0; the p-value of the test needs no permutations.
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh

rng = np.random.default_rng(0)
n = 300
x, noise, other = rng.uniform(-1, 1, n), 0.15 * rng.normal(size=n), 0.15 * rng.normal(size=n)
angle = rng.uniform(0, 2 * np.pi, n)
shapes = {
    "line": (x, x + 2 * noise),
    "parabola": (x, x**2 + noise),
    "wave": (x, np.sin(6 * x) + 2 * noise),
    "ring": (np.cos(angle) + noise, np.sin(angle) + other),
    "cross": (x, rng.choice([-1, 1], n) * x + noise),
    "independent": (x, rng.uniform(-1, 1, n)),
}
_, axes = plt.subplots(2, 3, figsize=(9, 6))
for axis, (name, (first, second)) in zip(axes.flat, shapes.items(), strict=True):
    strength = sh.pairwise({"first": first, "second": second}).strength[0, 1]
    test = sh.independence_test(first, second)
    correlation = np.corrcoef(first, second)[0, 1]
    print(f"{name:>11}: correlation {correlation:5.2f}, strength {strength:5.2f}, p = {test.pvalue:.1g}")
    axis.scatter(first, second, s=6)
    axis.set_title(f"{name}: r = {correlation:.2f}, strength = {strength:.2f}", fontsize=9)
    axis.set_xticks([])
    axis.set_yticks([])
