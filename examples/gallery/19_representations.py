"""Representation similarity: what does training change, layer by layer?

A small network that reads handwritten digits, before and after training. Debiased CKA of every layer of one with
every layer of the other, over minibatches: 0 for representations that have nothing in common, 1 for the same up to
rotation and scale.
"""

import torch
from sklearn.datasets import load_digits
from torch import nn

from shearer.neural import RepresentationSimilarity

digits = load_digits()
images = torch.tensor(digits.data / 16, dtype=torch.float32)
labels = torch.tensor(digits.target)


def network(epochs):
    """A small network after so many epochs."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 32), nn.ReLU(), nn.Linear(32, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    for _ in range(epochs):
        for part in torch.randperm(len(images)).split(128):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images[part]), labels[part]).backward()
            optimizer.step()
    return model


layers = ["0", "2", "4"]
similarity = RepresentationSimilarity(network(0), network(30), layers=layers)
for part in images.split(100):
    similarity.update(part)
found = similarity.compute()
print(found.to_frame())
found.plot()
