"""Tables to screen, and the measures one pair at a time."""

import numpy as np

import shearer as sh


def mixed(rows: int = 40, seed: int = 3) -> dict[str, object]:
    """Numbers, ties, labels, a constant, vectors, a mixed group's parts."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    return {
        "x": x,
        "noisy": x + 0.3 * rng.normal(size=rows),
        "label": rng.choice(list("abc"), rows),
        "ties": rng.integers(0, 4, rows).astype(float),
        "constant": np.full(rows, 7.0),
        "plane": np.stack([x**2, rng.normal(size=rows)], axis=1),
        "offset": 1e9 + 1e-3 * rng.normal(size=rows),
        "flag": x > 0.5,
        "many": rng.normal(size=(rows, 12)),
    }


def pair_by_pair(table, **options):
    """I of every pair from the measures themselves, nan on the diagonal."""
    normalize = options.pop("normalize", True)
    noun = sh.Dependence(table, **options)
    values = np.full((len(noun.names),) * 2, np.nan)
    for i, first in enumerate(noun.names):
        for j, second in enumerate(noun.names):
            if i != j:
                values[i, j] = noun.mutual_information(first, second, normalize=normalize).value
    return values


def off_diagonal(matrix):
    return matrix[~np.eye(len(matrix), dtype=bool)]
