"""Compare two groups: which relations of columns differ?

The same measurements of benign and malignant nuclei. Single columns differ nearly everywhere; ``compare`` also says
which *relations* between two columns differ beyond that, whatever the columns themselves do.
"""

from sklearn.datasets import load_breast_cancer

import shearer as sh

data = load_breast_cancer(as_frame=True)
names = ["mean texture", "mean smoothness", "mean compactness", "mean concavity", "mean symmetry", "mean area"]
table = data.data[names].rename(columns=lambda name: name.removeprefix("mean "))
table = table.assign(diagnosis=[data.target_names[k] for k in data.target])

found = sh.compare(table, by="diagnosis")
print(found)
for pair in found.document["pairs"]:
    if pair["reported"]:
        strengths = ", ".join(f"{value:.2f}" for value in pair["strength"])
        print(f"  {' and '.join(pair['variables'])}: {pair['change']} ({strengths})")

found.plot()
