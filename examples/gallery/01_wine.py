"""Scan a table: 178 wines

Thirteen chemical measurements of wines from three growers. The scan tests every pair of columns for any kind of
dependence, numbers and the label alike, and sorts what it finds by strength. The map shows the strength of every
pair; columns that depend on the same things stand together.
"""

from sklearn.datasets import load_wine

import shearer as sh

wine = load_wine(as_frame=True)
table = wine.data.assign(grower=[f"grower {number}" for number in wine.target])

found = sh.scan(table, order=2)
for sentence in sh.report.summary_sentences(found.document):
    print(sentence)
print()
print(found.pairs[["first", "second", "strength", "shape"]].head(8).round(2).to_string())

found.plot()
