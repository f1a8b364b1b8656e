"""Variables of many dimensions: which part of a picture tells the digit?

A variable may be a vector: here each eighth of the 8 x 8 pictures of handwritten digits, row by row and column by
column, against the label. The value is I*, mutual information over the larger entropy.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import shearer as sh

digits = load_digits()
images, labels = digits.images[:400] / 16, [str(k) for k in digits.target[:400]]
rows = [sh.mutual_information(images[:, k, :], labels) for k in range(8)]
columns = [sh.mutual_information(images[:, :, k], labels) for k in range(8)]
print(f"whole picture: {sh.mutual_information(images.reshape(400, -1), labels):.2f}")
print("rows:   ", " ".join(f"{value:.2f}" for value in rows))
print("columns:", " ".join(f"{value:.2f}" for value in columns))

_, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
left.imshow(images[:20].mean(axis=0), cmap="gray_r")
left.set_title("mean of twenty pictures")
right.plot(range(8), rows, marker="o", label="row")
right.plot(range(8), columns, marker="s", label="column")
right.set_xlabel("position")
right.set_ylabel("I* with the digit")
right.legend()
