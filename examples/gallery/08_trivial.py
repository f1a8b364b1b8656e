"""Copies, sums and identifiers are recognised

A row number or a column in other units would stand above every real finding: a scan leaves them out and says so. A
total stays in the table, but the summary says that it is one, so that nobody takes its strength for a discovery.
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh

rng = np.random.default_rng(0)
n = 250
length = rng.gamma(9, 4, n)
width = 0.4 * length + rng.normal(0, 3, n)
table = {
    "id": np.arange(1, n + 1),
    "length_cm": length.round(1),
    "length_inch": (length.round(1) / 2.54).round(3),
    "width_cm": width.round(1),
    "both_cm": length.round(1) + width.round(1),
    "colour": rng.choice(["red", "blue", "green"], n),
}
found = sh.scan(table)
for column in found.document["columns"]:
    for note in column["notes"]:
        print(f"{column['name']}: {note}")
for sentence in sh.report.summary_sentences(found.document):
    print(sentence)

plt.scatter(table["length_cm"], table["width_cm"], s=8)
plt.xlabel("length_cm")
plt.ylabel("width_cm")
