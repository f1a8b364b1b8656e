"""Given other columns: does the link remain once age is known?

Shoe size and reading score of children both grow with age. The test of the two columns finds them dependent; given
age, nothing is found. A real effect, of lessons on reading, remains. (At a level of 5 % one sample of independent
columns in twenty is rejected all the same.)
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh

rng = np.random.default_rng(1)
n = 300
age = rng.uniform(5, 12, n)
shoe = 20 + 1.6 * age + rng.normal(0, 1.2, n)
lessons = rng.poisson(3, n).astype(float)
reading = 8 * np.sqrt(age - 4) + 0.8 * lessons + rng.normal(0, 2, n)

for name, column in (("shoe size", shoe), ("lessons", lessons)):
    alone = sh.independence_test(column, reading)
    known = sh.independence_test(column, reading, given=age)
    print(f"{name:>9} and reading: p = {alone.pvalue:.1g}; given age p = {known.pvalue:.1g}")

_, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for axis, column, name in ((axes[0], shoe, "shoe size"), (axes[1], lessons, "lessons")):
    points = axis.scatter(column, reading, c=age, s=12)
    axis.set_xlabel(name)
axes[0].set_ylabel("reading")
plt.colorbar(points, label="age")
