"""One column matters: what goes with the progression of diabetes?

Ten measurements of 442 patients, and how far the disease had progressed a year later. With ``target=`` only the
pairs with that column are tested, so that fewer tests share the false discovery rate. The bars are strengths on the
scale of a correlation, with 95 % intervals.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import shearer as sh

table = load_diabetes(as_frame=True, scaled=False).frame
table = table.assign(sex=table["sex"].map({1: "one", 2: "two"})).rename(columns={"target": "progression"})

found = sh.scan(table, target="progression", order=2)
pairs = [pair for pair in found.document["pairs"] if pair["reported"]]
for pair in pairs:
    other = next(name for name in pair["variables"] if name != "progression")
    print(f"{other:>4}  {pair['strength']:.2f}  q = {pair['qvalue']:.1g}")

names = [next(name for name in pair["variables"] if name != "progression") for pair in pairs]
strength = [pair["strength"] for pair in pairs]
below = [pair["strength"] - pair["strength_low"] for pair in pairs]
above = [pair["strength_high"] - pair["strength"] for pair in pairs]
plt.barh(names[::-1], strength[::-1], xerr=(below[::-1], above[::-1]), color="#9CCBEB", ecolor="#333333", capsize=3)
plt.xlabel("strength of the dependence on progression")
plt.xlim(0, 1)
