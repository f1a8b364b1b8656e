"""Lags: memory by transforms, and more rows than matrices hold."""

import numpy as np
import pytest

import shearer as sh
from shearer.scanning import lagged


def remembering(rng, rows, share):
    """A series that keeps a share of what it was."""
    found = rng.normal(size=rows)
    for row in range(1, rows):
        found[row] += share * found[row - 1]
    return found


@pytest.mark.parametrize("rows", [60, 121])
def test_memory_is_where_near_rows_are_no_more_alike(rng, rows):
    features = np.column_stack([remembering(rng, rows, 0.7) for _ in range(20)])
    similar = features @ features.T
    profile = [np.diagonal(similar, gap).mean() for gap in range(1, rows // 2)]
    far = np.array(profile[rows // 4 - 1 :])
    near = np.flatnonzero(np.array(profile[: rows // 4 - 1]) <= far.mean() + 2 * far.std())
    assert lagged.memory_length(features) == (near[0] + 1 if len(near) else rows // 4)


def test_more_rows_than_a_matrix_holds(rng):
    """A lag that is there, and none that is not."""
    x = remembering(rng, 5_500, 0.5)
    table = {"x": x, "later": np.roll(x, 3) + rng.normal(size=5_500), "other": remembering(rng, 5_500, 0.5)}
    document = sh.scan(table, lags=[0, 3], progress=False).document
    found = {tuple(pair["variables"]): pair for pair in document["pairs"]}
    pair = found["x", "later"]
    assert pair["lag"] == 3
    assert pair["pvalue"] <= 0.001
    assert all(other["pvalue"] > 0.001 for names, other in found.items() if "other" in names)
