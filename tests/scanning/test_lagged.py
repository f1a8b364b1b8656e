"""Lags: features against whole matrices, and more rows than matrices hold."""

import numpy as np
import pytest

import shearer as sh
from shearer.data import read
from shearer.kernels import grams
from shearer.scanning import lagged


def remembering(rng, rows, share):
    """A series that keeps a share of what it was."""
    found = rng.normal(size=rows)
    for row in range(1, rows):
        found[row] += share * found[row - 1]
    return found


def matrix(values):
    return np.asarray(grams(read(values, values), None)[0].squared().dense())


@pytest.mark.parametrize("kind", ["numbers", "labels", "vector"])
def test_features_are_the_similarities(rng, kind):
    values = {
        "numbers": remembering(rng, 120, 0.7),
        "labels": np.where(remembering(rng, 120, 0.7) > 0, "up", "down"),
        "vector": rng.normal(size=(120, 3)),
    }[kind]
    found = lagged.features_of(grams(read(values, values), None)[0].squared())
    similar = matrix(values)
    assert np.allclose(found @ found.T, similar, atol=1e-5)
    profile = [np.diagonal(similar, gap).mean() for gap in range(1, 60)]
    far = np.array(profile[29:])
    near = np.flatnonzero(np.array(profile[:29]) <= far.mean() + 2 * far.std())
    assert lagged.memory_length(found) == (near[0] + 1 if len(near) else 30)


def test_matrices_and_features_agree(rng):
    """The sums at every lag, of rows in their order and in another."""
    x = remembering(rng, 150, 0.5)
    first, second = (gram.squared() for gram in grams(read(x, np.roll(x, 2)), None))
    middle, shifted = slice(3, 147), [slice(3 + lag, 147 + lag) for lag in (-3, 0, 2)]
    by_features = lagged._sums_of_features(lagged.features_of(first), lagged.features_of(second), middle, shifted)
    by_matrices = lagged._sums_of_matrices(first, second, middle, shifted)
    for order in (np.arange(144), rng.permutation(144)):
        assert by_features(order) == pytest.approx(by_matrices(order), rel=1e-9)


def test_more_rows_than_a_matrix_holds(rng):
    """12,000 rows: a lag that is there, and none that is not."""
    x = remembering(rng, 12_000, 0.5)
    table = {"x": x, "later": np.roll(x, 3) + rng.normal(size=12_000), "other": remembering(rng, 12_000, 0.5)}
    document = sh.scan(table, lags=range(4), progress=False).document
    found = {tuple(pair["variables"]): pair for pair in document["pairs"]}
    pair = found["x", "later"]
    assert pair["lag"] == 3
    assert pair["pvalue"] <= 0.001
    assert all(other["pvalue"] > 0.001 for names, other in found.items() if "other" in names)
