"""The Gram operator against the matrix written out."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import shearer as sh
from shearer.data import read
from shearer.kernels.gram import Product, hadamard


def written_out(block, width):
    if block.dtype.kind in "US":
        return (block[:, None] == block[None, :]).astype(float)
    block = block.reshape(len(block), -1)
    return np.exp(-cdist(block, block, "sqeuclidean") / (2 * width**2))


CASES = {
    "scalar": lambda rng: [rng.normal(size=70)],
    "vector": lambda rng: [rng.normal(size=(70, 3)) * 10],
    "many dimensions": lambda rng: [rng.normal(size=(70, 30)) + 100],
    "labels": lambda rng: [rng.choice(list("abc"), size=70)],
    "scalars": lambda rng: [rng.normal(size=70), rng.normal(size=70), rng.normal(size=(70, 9))],
    "mixed": lambda rng: [rng.normal(size=70), rng.choice(list("abc"), size=70), rng.choice(list("uv"), size=70)],
}


@pytest.fixture(params=CASES)
def case(request, rng):
    blocks = CASES[request.param](rng)
    operators = sh.kernels.grams(read(*blocks, vector=True), sh.kernels.Gaussian(2.0))
    matrix = np.prod([written_out(block, 2.0) for block in blocks], axis=0)
    return hadamard(operators), matrix


def test_every_view_of_the_matrix(case):
    gram, matrix = case
    vectors = np.linspace(-1, 1, 140).reshape(70, 2)
    rows, columns = np.array([3, 3, 60]), np.array([60, 0])
    assert gram.dense() == pytest.approx(matrix, abs=1e-13)
    assert gram.columns([5, 69]) == pytest.approx(matrix[:, [5, 69]], abs=1e-13)
    assert gram.block(rows, columns) == pytest.approx(matrix[np.ix_(rows, columns)], abs=1e-13)
    assert gram.block(slice(10, 20), slice(15, 40)) == pytest.approx(matrix[10:20, 15:40], abs=1e-13)
    assert gram.matmul(vectors, size=16) == pytest.approx(matrix @ vectors, abs=1e-12)
    assert gram.matmul(vectors[:, 0], size=100) == pytest.approx(matrix @ vectors[:, 0], abs=1e-12)
    assert gram.restrict(rows).dense() == pytest.approx(matrix[np.ix_(rows, rows)], abs=1e-13)


def test_diagonal_is_exactly_one(case):
    gram, _ = case
    assert (np.diag(gram.dense()) == 1).all()
    assert (gram.diagonal() == 1).all()
    assert gram.block(np.array([7]), np.array([7])) == 1


def test_tiles_cover_the_upper_triangle(case):
    gram, matrix = case
    seen = np.full((70, 70), np.nan)
    for rows, columns, tile in gram.tiles(size=32):
        seen[rows, columns] = tile
    upper = np.triu_indices(70)
    assert seen[upper] == pytest.approx(matrix[upper], abs=1e-13)


def test_components_split_the_matrix(case):
    gram, matrix = case
    parts = gram.components()
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(70))
    for i, part in enumerate(parts):
        for other in parts[i + 1 :]:
            assert not matrix[np.ix_(part, other)].any()


def test_operators_of_one_kind_become_one(rng):
    numbers, labels = rng.normal(size=20), list("ab" * 10)
    operators = sh.kernels.grams(read(numbers, labels, numbers**2, labels, np.zeros(20)))
    joint = hadamard(operators)
    assert isinstance(joint, Product)
    assert len(joint.factors) == 2
    assert hadamard([operators[0], operators[4]]) is operators[0]


def test_entry_error_is_a_bound(case):
    gram, matrix = case
    assert np.abs(gram.dense() - matrix).max() <= 2 * gram.entry_error * np.finfo(float).eps + 1e-15
