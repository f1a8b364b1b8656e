"""The 18 source densities of Bach and Jordan's ICA benchmark, a to r, each scaled to variance 1.

Parameters: Bach and Jordan 2002, "Kernel independent component analysis", as public packages of ICA densities list
them; the spreads of Gaussian components are standard deviations.
"""

import numpy as np

Generator = np.random.Generator
Floats = np.ndarray

# letter -> weights, means and standard deviations of the Gaussian components
MIXTURES: dict[str, tuple[list[float], list[float], list[float]]] = {
    "g": ([1, 1], [-0.5, 0.5], [0.15] * 2),
    "h": ([1, 1], [-0.5, 0.5], [0.4] * 2),
    "i": ([1, 1], [-0.5, 0.5], [0.5] * 2),
    "j": ([1, 3], [-0.5, 0.5], [0.15] * 2),
    "k": ([1, 2], [-0.7, 0.5], [0.4] * 2),
    "l": ([1, 2], [-0.7, 0.5], [0.5] * 2),
    "m": ([1, 2, 2, 1], [-1, -0.33, 0.33, 1], [0.16] * 4),
    "n": ([1, 2, 2, 1], [-1, -0.2, 0.2, 1], [0.2, 0.3, 0.3, 0.2]),
    "o": ([1, 2, 2, 1], [-0.7, -0.2, 0.2, 0.7], [0.2, 0.3, 0.3, 0.2]),
    "p": ([1, 1, 2, 1], [-1, 0.3, -0.3, 1.1], [0.2] * 4),
    "q": ([1, 3, 2, 0.5], [-1, -0.2, 0.3, 1], [0.2, 0.3, 0.2, 0.2]),
    "r": ([1, 2, 2, 1], [-0.8, -0.2, 0.2, 0.5], [0.22, 0.3, 0.3, 0.2]),
}
# f: two Laplace components at -1 and 1 of standard deviation 0.5
LETTERS = "abcdef" + "".join(MIXTURES)


def draw(letter: str, g: Generator, n: int) -> Floats:
    """A sample of the density, less its mean, over its standard deviation."""
    if letter in MIXTURES:
        weights, means, spreads = (np.array(part, dtype=float) for part in MIXTURES[letter])
        weights /= weights.sum()
        component = g.choice(len(weights), size=n, p=weights)
        mean = weights @ means
        variance = weights @ (spreads**2 + means**2) - mean**2
        return (g.normal(means[component], spreads[component]) - mean) / np.sqrt(variance)
    match letter:
        case "a":
            return g.standard_t(3, size=n) / np.sqrt(3)
        case "b":
            return g.laplace(scale=np.sqrt(0.5), size=n)
        case "c":
            return g.uniform(-np.sqrt(3), np.sqrt(3), size=n)
        case "d":
            return g.standard_t(5, size=n) / np.sqrt(5 / 3)
        case "e":
            return g.exponential(size=n) - 1
        case "f":
            return (g.choice([-1.0, 1.0], size=n) + g.laplace(scale=0.5 / np.sqrt(2), size=n)) / np.sqrt(1.25)
    raise ValueError(f"letter: expected one of {LETTERS}, got {letter!r}.")


def rotated(g: Generator, n: int, angle: float, dimensions: int) -> tuple[Floats, Floats]:
    """Two sources mixed by a rotation, noise dimensions beside each, each vector turned at random (paper, Fig. 1a)."""
    first, second = (draw(letter, g, n) for letter in g.choice(list(LETTERS), size=2))
    mixed = np.cos(angle) * first - np.sin(angle) * second, np.sin(angle) * first + np.cos(angle) * second
    noisy = (np.column_stack([source, g.normal(size=(n, dimensions - 1))]) for source in mixed)
    x, y = (vectors @ _orthogonal(g, dimensions) for vectors in noisy)
    return x, y


def _orthogonal(g: Generator, dimensions: int) -> Floats:
    """Uniform over the orthogonal matrices: the QR factor of a normal matrix with signs fixed."""
    q, r = np.linalg.qr(g.normal(size=(dimensions, dimensions)))
    return q * np.sign(np.diag(r))
