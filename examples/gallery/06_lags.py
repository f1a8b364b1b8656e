"""Time series: who follows whom, and after how long?

Three series that follow their own past; one also follows another by two steps. Such series look dependent to a test
that takes rows as independent, whether they are or not. With ``lags=`` the parts of the series that their own past
does not predict are compared, at every lag and in both directions.
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh

rng = np.random.default_rng(1)
n = 400
rain, river, market = np.zeros((3, n))
for t in range(2, n):
    rain[t] = 0.6 * rain[t - 1] + rng.normal()
    river[t] = 0.5 * river[t - 1] + 0.9 * rain[t - 2] + rng.normal()
    market[t] = 0.9 * market[t - 1] + rng.normal()

found = sh.scan({"rain": rain, "river": river, "market": market}, lags=range(6), order=2)
for pair in found.document["pairs"]:
    if pair["reported"]:
        first, second = pair["variables"]
        print(f"{first} and {second}: strength {pair['strength']:.2f} at lag {pair['lag']}, q = {pair['qvalue']:.1g}")

_, (above, below) = plt.subplots(2, 1, figsize=(8, 4.4), sharex=True)
for axis, names in ((above, {"rain": rain, "river": river}), (below, {"market": market})):
    for name, series in names.items():
        axis.plot(series[:120], label=name, linewidth=1.2)
    axis.legend(loc="upper right", fontsize=8)
below.set_xlabel("row")
