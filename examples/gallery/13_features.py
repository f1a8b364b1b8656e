"""Feature selection: features that tell something only together

The class is the sign of the product of two features of twelve, and neither tells anything alone. A filter that
scores features one by one cannot find them; the selector that looks at what features tell together does.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_selection import mutual_info_classif

from shearer.tools import DependenceSelector

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 12))
y = X[:, 2] * X[:, 7] > 0

alone = mutual_info_classif(X, y, random_state=0)
selector = DependenceSelector().fit(X, y)
chosen = selector.get_support(indices=True)
print("best two by scores one by one:", np.sort(np.argsort(alone)[-2:]))
print("chosen together:              ", chosen)

plt.bar(range(12), alone, color="#BBBBBB")
plt.plot(chosen, [0, 0], "^", color="#D55E00", markersize=12, clip_on=False, label="chosen by DependenceSelector")
plt.legend()
plt.xticks(range(12))
plt.xlabel("feature")
plt.ylabel("mutual_info_classif, one by one")
