"""Rows that do not fit in memory: one pass, certified bounds

A sketch takes rows in chunks of any size. Its answer has bounds between which the value of all rows added so far
lies. The rows here are drawn chunk by chunk; files and Dask collections go in the same way (``shearer.Sketch.of``).
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh


def chunk(number):
    """Twenty thousand rows."""
    x, noise = np.random.default_rng(number).normal(size=(2, 20_000))
    return {"x": x, "y": 0.7 * x + 0.7 * noise}


sketch = sh.Sketch.like({name: column[:2000] for name, column in chunk(99).items()}, measures=("mutual_information",))
rows, low, high = [], [], []
for number in range(10):
    sketch.update(chunk(number))
    answer = sketch.mutual_information("x", "y")
    rows.append(sketch.rows)
    low.append(answer.lower)
    high.append(answer.upper)
print(f"{rows[-1]:,} rows: I* between {low[-1]:.4f} and {high[-1]:.4f}, certified: {answer.certified}")

plt.fill_between(rows, low, high, alpha=0.4, label="certified bounds of the rows so far")
plt.plot(rows, (np.array(low) + high) / 2, linewidth=1)
plt.xlabel("rows")
plt.ylabel("I* of x and y")
plt.legend()
