"""Three columns that no pair shows: two switches and a lamp

The lamp is on if exactly one of the two switches is. No two of the three columns depend on each other; the three
together do. A scan tests triples as well as pairs.
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh

planted = sh.datasets.planted_table(200)
found = sh.scan(planted.columns)
for triple in found.document["triples"]:
    if triple["reported"]:
        print(", ".join(triple["variables"]), "-", triple["kind"], f"(q = {triple['qvalue']:.1g})")

a, b, lamp = (np.asarray(planted.columns[name]) for name in ("switch_a", "switch_b", "lamp"))
pairs = {"a, b": (a, b), "a, lamp": (a, lamp), "b, lamp": (b, lamp)}
values = {name: sh.mutual_information(*pair) for name, pair in pairs.items()}
values |= {"a, b, lamp: T*": sh.total_correlation(a, b, lamp), "a, b, lamp: D*": sh.dual_total_correlation(a, b, lamp)}
plt.bar(list(values), list(values.values()), color=["#9CCBEB"] * 3 + ["#0072B2"] * 2)
plt.ylabel("normalised dependence")
plt.ylim(0, 1.05)
