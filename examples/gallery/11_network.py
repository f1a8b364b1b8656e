"""A network of dependences, without indirect links

Twelve variables of which some follow others. The default network keeps every link that is more than chance, so that
two variables with a common cause are linked as well; ``indirect="pc"`` takes away links that do not show given
their neighbours.
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh
from shearer.plotting import network as network_plot

planted = sh.datasets.planted_network(300, 12, links=8, rng=4)
truth = planted.undirected
names = list(planted.names)

_, axes = plt.subplots(1, 3, figsize=(12, 4.4))
network_plot(truth.astype(float), names, ax=axes[0])
axes[0].set_title("planted")
for axis, indirect in zip(axes[1:], (None, "pc"), strict=True):
    network = sh.tools.DependenceNetwork(indirect=indirect).fit(planted.data)
    weights = np.zeros(truth.shape)
    for first, second, weight in network.edges_.select("source", "target", "weight").iter_rows():
        weights[names.index(first), names.index(second)] = weight
    right = int((truth & (weights + weights.T > 0)).sum() // 2)
    print(
        f"indirect={indirect!r}: {int((weights > 0).sum())} links, {right} of them planted, of {int(truth.sum() // 2)}"
    )
    network_plot(weights, names, ax=axis)
    axis.set_title(f"indirect={indirect!r}")
