"""Tables of which it is known who acts on whom."""

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
    """A table in which some variables follow one other each, along a line, a step, a V or a wave.

    Parameters
    ----------
    n : int
        Rows.
    variables : int
        Columns.
    links : int
        How many of them follow another; the links form trees.
    noise : float
        Standard deviation of what is added to the effect, whose own is 1.
    rng : Generator, int or None
        Source of randomness; the same seed gives the same table and links.

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
