"""Why a raw value needs its sample size

Independent columns score above 0 in a finite sample, the more so the fewer rows there are. The raw measure I* is
therefore comparable only between samples of one size. The strength that a scan shows has chance taken off: it lies
around 0 at every size.
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh

rng = np.random.default_rng(0)
sizes = [25, 50, 100, 200, 400]
raw, strength = [], []
for n in sizes:
    tables = [rng.normal(size=(n, 2)) for _ in range(20)]
    raw.append([sh.mutual_information(*table.T) for table in tables])
    strength.append([sh.pairwise(table).strength[0, 1] for table in tables])
for n, values, strengths in zip(sizes, raw, strength, strict=True):
    print(f"{n:4} rows: mean I* {np.mean(values):.3f}, mean strength {np.mean(strengths):6.3f}")

_, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for axis, values, name in ((axes[0], raw, "I*"), (axes[1], strength, "strength")):
    axis.boxplot(values, tick_labels=[str(n) for n in sizes])
    axis.axhline(0, color="#999999", linewidth=0.8)
    axis.set_title(f"{name} of independent columns")
    axis.set_xlabel("rows")
