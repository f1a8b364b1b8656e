"""A small variational autoencoder whose code is asked to have independent coordinates: total correlation as a penalty.

The images are bars: one coordinate of the truth is where a vertical bar stands, the other where a horizontal one does.

usage: python examples/disentangled_vae.py [--images N] [--epochs N] [--weights W ...]
"""

import argparse
from collections.abc import Sequence

import torch
from torch import Tensor, nn

import shearer as sh
from shearer.neural import TotalCorrelationLoss

SIDE, CODES = 12, 4


def bars(count: int, generator: torch.Generator) -> Tensor:
    """Images (count, SIDE * SIDE) with a soft vertical and a soft horizontal bar."""
    place = SIDE * torch.rand(count, 2, 1, generator=generator)
    grid = torch.arange(SIDE) + 0.5
    across, down = torch.exp(-((grid - place) ** 2) / 2).unbind(dim=1)
    return torch.maximum(across[:, None, :], down[:, :, None]).flatten(1)


class Autoencoder(nn.Module):
    """An encoder to means and log-variances of a code, and a decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(SIDE**2, 64), nn.ReLU(), nn.Linear(64, 2 * CODES))
        self.decoder = nn.Sequential(nn.Linear(CODES, 64), nn.ReLU(), nn.Linear(64, SIDE**2))

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Means and log-variances of the code."""
        mean, log_variance = self.encoder(images).chunk(2, dim=1)
        return mean, log_variance

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The rebuilt images, a drawn code, and the divergence of its law from the standard normal one."""
        mean, log_variance = self.encode(images)
        code = mean + torch.exp(log_variance / 2) * torch.randn_like(mean)
        divergence = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum(dim=1).mean()
        return self.decoder(code), code, divergence


def train(images: Tensor, weight: float, epochs: int) -> tuple[float, float]:
    """Squared error of the rebuilt images, and T* of the code's coordinates, after training."""
    torch.manual_seed(0)
    model = Autoencoder()
    # alpha=1.01: at 2 the penalty could be driven below 0 instead of to independence. The width is the prior's: one
    # that followed the code would let it shrink until nothing but noise is left.
    dependence = TotalCorrelationLoss(alpha=1.01, kernel=sh.kernels.Gaussian(1.0))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(epochs):
        for batch in images[torch.randperm(len(images))].split(100):
            rebuilt, code, divergence = model(batch)
            error = (rebuilt - batch).square().sum(dim=1).mean()
            loss = error + 0.02 * divergence + weight * dependence(code)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        code, _ = model.encode(images[:300])
        error = (model.decoder(code) - images[:300]).square().sum(dim=1).mean()
        return float(error), float(sh.total_correlation(code))


def main(arguments: Sequence[str] | None = None) -> dict[float, tuple[float, float]]:
    """Train with each weight of the penalty and print what it costs and brings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=600)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--weights", type=float, nargs="*", default=[0.0, 1.0, 3.0])
    options = parser.parse_args(arguments)
    images = bars(options.images, torch.Generator().manual_seed(0))
    print(f"{'weight of T':>12}{'error of an image':>20}{'T* of the code':>18}")
    found = {}
    for weight in options.weights:
        found[weight] = train(images, weight, options.epochs)
        print(f"{weight:>12g}{found[weight][0]:>20.3f}{found[weight][1]:>18.3f}")
    return found


if __name__ == "__main__":
    main()
