"""Direct links: which dependences remain once the neighbours are known?

Mean measurements of cell nuclei and a diagnosis, 300 of the 569 rows. Nearly everything depends on everything.
``direct=True`` asks of the strongest links whether they still show once one or two of the columns linked with
either end are known; the second picture keeps those that do. Near-copies have to go first: radius, perimeter and
area are one measurement three times, and each would explain away the links of the others. Here radius stands for
all three.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import shearer as sh
from shearer.plotting import network as network_plot

data = load_breast_cancer(as_frame=True)
table = data.data[[name for name in data.data if name.startswith("mean ")]]
table = table.rename(columns=lambda name: name.removeprefix("mean ")).drop(columns=["perimeter", "area"])
table = table.assign(diagnosis=[data.target_names[k] for k in data.target]).sample(300, random_state=0)

found = sh.scan(table, order=2, direct=True)
reported = [pair for pair in found.document["pairs"] if pair["reported"]]
direct = [pair for pair in reported if pair.get("direct")]
print(f"{len(reported)} of {len(found.document['pairs'])} pairs depend; {len(direct)} links are direct:")
for pair in direct:
    print(f"  {pair['strength']:.2f}  {' - '.join(pair['variables'])}")

names = list(table.columns)
_, axes = plt.subplots(1, 2, figsize=(11, 5))
for axis, pairs, title in ((axes[0], reported, "all links"), (axes[1], direct, "direct links")):
    weights = np.zeros((len(names), len(names)))
    for pair in pairs:
        weights[tuple(names.index(name) for name in pair["variables"])] = pair["strength"]
    network_plot(weights, names, ax=axis)
    axis.set_title(title)
