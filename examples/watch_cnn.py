"""Watch the feature maps of a small convolutional network while it learns to read digits.

How alike the maps of each layer are (CKA, T adjusted for chance, and the paper's T*) is recorded before training and
after every epoch, from the same 100 images; the training itself does not notice.

usage: python examples/watch_cnn.py [--epochs N] [--picture FILE]
"""

import argparse
from collections.abc import Sequence

import torch
from sklearn.datasets import load_digits
from torch import nn

from shearer.neural import FeatureMapMonitor


def network() -> nn.Module:
    """Three convolutions."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(64 * 4 * 4, 10),
    )


def main(arguments: Sequence[str] | None = None) -> FeatureMapMonitor:
    """Train, watch, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--picture", help="where to draw CKA over the epochs, such as watched.svg")
    options = parser.parse_args(arguments)
    images, labels = load_digits(return_X_y=True)
    x = torch.tensor(images, dtype=torch.float32).reshape(-1, 1, 8, 8) / 16
    y = torch.tensor(labels)
    torch.manual_seed(0)
    model = network()
    monitor = FeatureMapMonitor(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    monitor.observe(x[:100], step=0)
    for epoch in range(1, options.epochs + 1):
        for rows in torch.randperm(1500).split(100):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
            optimizer.step()
        monitor.observe(x[:100], step=epoch)
    print(monitor.to_frame())
    with torch.no_grad():
        right = (model(x[1500:]).argmax(dim=1) == y[1500:]).float().mean()
    print(f"right on {len(x) - 1500} new digits: {float(right):.1%}")
    if options.picture:
        monitor.plot().figure.savefig(options.picture)
    return monitor


if __name__ == "__main__":
    main()
