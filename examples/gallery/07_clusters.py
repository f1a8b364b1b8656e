"""Rows that belong together: several visits of one patient

Thirty patients with ten rows each; both columns are properties of the patient and have nothing to do with each
other. A test that takes the 300 rows as independent is nearly always wrong. With ``cluster=`` the patients count,
not the rows: the p-values of 60 such tables are then spread evenly.
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh

rng = np.random.default_rng(0)
patients = np.repeat(np.arange(30), 10)
naive, clustered = [], []
for _ in range(60):
    height, income = rng.normal(size=(2, 30))[:, patients] + 0.3 * rng.normal(size=(2, 300))
    naive.append(sh.independence_test(height, income).pvalue)
    clustered.append(sh.independence_test(height, income, cluster=patients).pvalue)
for name, pvalues in (("rows as independent", naive), ("cluster=patients", clustered)):
    print(f"{name}: {np.mean(np.array(pvalues) < 0.05):.0%} of 60 tables of independent columns are called dependent")

plt.hist([naive, clustered], bins=np.linspace(0, 1, 11), label=["rows as independent", "cluster=patients"])
plt.xlabel("p-value")
plt.ylabel("tables")
plt.legend()
