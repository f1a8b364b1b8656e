"""Other measures under one call: who sees what?

Twenty-six measures of other people are in ``shearer.comparators``. Here are five of them beside I* on four relations
of 200 rows. Each bar is a share of the value that the measure has on a straight line, so that bars can be compared.
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh
from shearer import comparators

rng = np.random.default_rng(0)
x, noise = rng.uniform(-1, 1, 200), 0.1 * rng.normal(size=200)
relations = {
    "line": x + noise,
    "parabola": x**2 + noise,
    "wave": np.sin(6 * x) + noise,
    "independent": rng.permutation(x),
}
measures = {
    "I*": sh.mutual_information,
    "|Pearson|": lambda a, b: comparators.pearson(a, b, signed=False),
    "distance correlation": comparators.distance_correlation,
    "HSIC": comparators.hsic,
    "MIC": comparators.mic,
    "KSG, bits": comparators.ksg,
}
values = {name: [measure(x, y) for y in relations.values()] for name, measure in measures.items()}
print(f"{'':>22}" + "".join(f"{name:>13}" for name in relations))
for name, row in values.items():
    print(f"{name:>22}" + "".join(f"{value:13.3f}" for value in row))

for place, (name, row) in enumerate(values.items()):
    plt.bar(np.arange(3) + 0.13 * (place - 2.5), np.array(row[1:]) / row[0], width=0.12, label=name)
plt.xticks(range(3), list(relations)[1:])
plt.ylabel("share of the value on the line")
plt.legend(fontsize=8)
