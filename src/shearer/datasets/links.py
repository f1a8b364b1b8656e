"""Random tables for which it is known which variable acts on which."""

from collections.abc import Callable
from typing import Any

import numpy as np

from shearer._validate import check_positive, describe, value_error
from shearer.datasets.described import Network
from shearer.datasets.networks import adjacency
from shearer.inference.permutation.resampling import check_count

# How a variable can act on another; each is scaled to variance 1 before noise is added.
_EFFECTS: tuple[Callable[[Any], Any], ...] = (lambda x: x, lambda x: np.tanh(2 * x), np.abs, lambda x: np.sin(2 * x))


def planted_network(
    n: int = 300,
    variables: int = 20,
    *,
    links: int = 10,
    noise: float = 0.3,
    rng: np.random.Generator | int | None = 0,
) -> Network:
    """Draw a table in which some variables each depend on one other: along a line, a step, a V or a wave.

    Parameters
    ----------
    n : int, default 300
        Number of rows, 2 or more.
    variables : int, default 20
        Number of columns.
    links : int, default 10
        How many variables depend on another one, fewer than `variables`; the links form trees.
    noise : float, default 0.3
        Standard deviation of the normal noise that is added to the effect, which has standard deviation 1.
    rng : Generator, int or None, default 0
        Source of randomness; the same seed gives the same table and links.

    Returns
    -------
    Network
        `data`: columns v1, v2, ...; `target`: which variable acts on which.

    Examples
    --------
    >>> planted = planted_network(100, 6, links=3)
    >>> planted.names, int(planted.target.sum()), int(planted.undirected.sum())
    (('v1', 'v2', 'v3', 'v4', 'v5', 'v6'), 3, 6)
    """
    check_count("n", n, 2)
    check_count("variables", variables, 1)
    check_count("links", links, 0)
    spread = check_positive("noise", noise)
    if links >= variables:
        raise value_error("links", f"fewer than the {variables} variables", describe(links))
    import polars as pl

    generator = np.random.default_rng(rng)
    names = [f"v{position}" for position in range(1, variables + 1)]
    followers = sorted(1 + generator.permutation(variables - 1)[:links])
    X = generator.normal(size=(n, variables))
    pairs = []
    for turn, follower in enumerate(followers):
        leader = int(generator.integers(follower))
        effect = _EFFECTS[turn % len(_EFFECTS)](X[:, leader])
        moved = (effect - effect.mean()) / effect.std() + spread * X[:, follower]
        X[:, follower] = moved / moved.std()
        pairs.append((names[leader], names[follower]))
    order = generator.permutation(variables)  # or leaders would stand before followers
    return Network(
        name=f"{variables} variables, {links} links",
        data=pl.DataFrame(X[:, order], schema=names),
        target=adjacency(names, pairs)[np.ix_(order, order)],
        condition=np.repeat("drawn", n),
        description=f"{n} drawn rows; {links} of {variables} variables follow one other each.",
        source="drawn at random",
        license="none needed",
    )
