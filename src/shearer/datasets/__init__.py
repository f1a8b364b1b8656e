"""Data to try things on: random samples with known answers, and real data from a folder or an address."""

from shearer.datasets.described import Dataset, Images, Network
from shearer.datasets.files import Entry, fetch, registry
from shearer.datasets.images import load_cifar10, load_fashion_mnist, load_mnist
from shearer.datasets.laws import Law, gaussian_pair, ring, xor
from shearer.datasets.links import planted_network
from shearer.datasets.networks import load_dream4, load_sachs
from shearer.datasets.planted_outliers import PlantedSubspaces, planted_subspace
from shearer.datasets.real_tables import load_bike, load_mpg, load_odds, load_penguins
from shearer.datasets.synthetic import Planted, planted_table

__all__ = [
    "Dataset",
    "Entry",
    "Images",
    "Law",
    "Network",
    "Planted",
    "PlantedSubspaces",
    "fetch",
    "gaussian_pair",
    "load_bike",
    "load_cifar10",
    "load_dream4",
    "load_fashion_mnist",
    "load_mnist",
    "load_mpg",
    "load_odds",
    "load_penguins",
    "load_sachs",
    "planted_network",
    "planted_subspace",
    "planted_table",
    "registry",
    "ring",
    "xor",
]
