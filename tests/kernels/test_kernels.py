"""Kernels beyond the Gaussian: values, checks, and the errors of those that are none."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import shearer as sh

Custom, Delta, Gaussian, Laplacian, Precomputed = (
    getattr(sh.kernels, name) for name in ("Custom", "Delta", "Gaussian", "Laplacian", "Precomputed")
)


@pytest.fixture
def blocks(rng):
    x = rng.normal(size=(40, 1))
    return x, np.hstack([x**2, rng.normal(size=(40, 12))])


def gaussian_matrix(block, width):
    return np.exp(-cdist(block, block, "sqeuclidean") / (2 * width**2))


@pytest.mark.parametrize("alpha", [0.5, 1, 1.01, 2, 3, np.inf])
def test_precomputed_equals_the_kernel_it_came_from(blocks, alpha):
    expected = sh.total_correlation(*blocks, alpha=alpha, kernel=Gaussian(2.0))
    matrices = [gaussian_matrix(block, 2.0) for block in blocks]
    value = sh.total_correlation(*matrices, alpha=alpha, kernel=Precomputed())
    assert value == pytest.approx(expected, abs=1e-6 if alpha < 1 else 1e-11)


def test_precomputed_is_normalised(blocks):
    matrix = gaussian_matrix(blocks[0], 1.0)
    scale = np.linspace(0.1, 50, 40)
    scaled = matrix * scale[:, None] * scale[None, :]
    assert sh.entropy(scaled, kernel=Precomputed()) == pytest.approx(
        sh.entropy(matrix, kernel=Precomputed()), abs=1e-12
    )


@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("alpha", [1, 2, 3])
def test_custom_equals_the_kernel_it_writes_out(blocks, alpha, vectorized):
    def one(a, b):
        return np.exp(-np.sum((a - b) ** 2) / 8)

    function = (lambda a, b: gaussian_matrix(np.asarray(a), 2.0)) if vectorized else one
    expected = sh.mutual_information(*blocks, alpha=alpha, kernel=Gaussian(2.0))
    value = sh.mutual_information(*blocks, alpha=alpha, kernel=Custom(function, vectorized=vectorized))
    assert value == pytest.approx(expected, abs=1e-11)


def spectrum_kernel(a, b, length=2):
    """Shared substrings, the kernel of string classification."""
    parts = [{s[i : i + length] for i in range(len(s) - length + 1)} for s in (a, b)]
    return len(parts[0] & parts[1])


def test_strings_through_a_kernel_of_their_own(rng):
    words = ["banana", "bandana", "ananas", "kiwi", "kiwano", "wiki"]
    chosen = rng.integers(0, 6, size=60)
    taste = np.where(chosen < 3, "sweet", "sour")
    column = [words[i] for i in chosen]
    similar = sh.mutual_information({"word": column, "taste": taste}, kernel={"word": Custom(spectrum_kernel)})
    apart = sh.mutual_information({"word": column, "taste": taste})
    assert apart < similar <= 1


def test_sequences_of_any_length_through_a_kernel_of_their_own(rng):
    """Sets of numbers, compared by overlap; equal sequences are the same value."""

    def jaccard(a, b):
        return len(set(a) & set(b)) / len(set(a) | set(b))

    shopping = [[1, 2, 3], [1, 2], [7, 8, 9, 10], [8, 9]] * 10
    kind = ["breakfast", "breakfast", "dinner", "dinner"] * 10
    value = sh.mutual_information({"basket": shopping, "kind": kind}, kernel={"basket": Custom(jaccard)})
    assert value > 0.5
    with pytest.raises(TypeError, match=r"basket: expected .*, got objects \(list\)"):
        sh.mutual_information({"basket": shopping, "kind": kind})


def test_custom_is_called_on_distinct_values_only():
    calls = []

    def equal(a, b):
        calls.append((a, b))
        return float(a == b)

    labels = ["a", "b"] * 50
    assert sh.entropy(labels, kernel={"x1": Custom(equal)}) == pytest.approx(1.0)
    assert len(calls) == 4


def test_product_of_kernels(blocks):
    x = blocks[0]
    both = Gaussian(1.0) * Laplacian(2.0) * Delta()
    matrix = np.exp(-((x - x.T) ** 2) / 2) * np.exp(-np.abs(x - x.T) / 2) * (x == x.T)
    assert sh.entropy(x, kernel=both) == pytest.approx(sh.entropy(matrix, kernel=Precomputed()), abs=1e-12)


def test_laplacian_in_many_dimensions(blocks, library):
    y = blocks[1]
    matrix = np.exp(-cdist(y, y, "cityblock") / 5.0)
    expected = sh.entropy(matrix, kernel=Precomputed())
    assert float(sh.entropy(library.asarray(y), kernel=Laplacian(5.0))) == pytest.approx(expected, abs=1e-11)


@pytest.mark.needs("torch")
def test_gradients_through_the_other_kernels(blocks):
    import torch

    x = torch.linspace(0, 3, 6, dtype=torch.float64)[:, None] + torch.rand(6, 1, dtype=torch.float64) / 4
    for kernel in (Laplacian(0.7), Gaussian(1.0) * Laplacian(2.0)):
        assert torch.autograd.gradcheck(lambda a, k=kernel: sh.entropy(a, kernel=k), (x.clone().requires_grad_(),))
    wide = torch.rand(5, 11, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a: sh.entropy(a, kernel=Laplacian(3.0)), (wide,))
    matrix = torch.tensor(gaussian_matrix(np.arange(5.0)[:, None], 1.0), requires_grad=True)
    half = matrix / 2 + matrix.T / 2
    sh.entropy(half, kernel=Precomputed()).backward()
    assert torch.isfinite(matrix.grad).all()


BAD = {
    "asymmetric": (lambda a, b: 1.0 if a <= b else 0.5, "a symmetric matrix"),
    "indefinite": (lambda a, b: 1.0 if a == b else -0.9, "a positive semidefinite matrix"),
    "a distance": (lambda a, b: abs(a - b)[0], "a positive diagonal"),
    "infinite": (lambda a, b: np.inf, "finite entries"),
    "not a number": (lambda a, b: np.nan, "finite entries"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_kernel(case):
    function, expected = BAD[case]
    with pytest.raises(ValueError, match=f"kernel: expected {expected}, got"):
        sh.entropy(np.arange(5.0), kernel=Custom(function))


def test_functions_that_fail():
    with pytest.raises(TypeError, match=r"kernel: expected a function of two values .* It raised ValueError"):
        sh.entropy(np.arange(5.0), kernel=Custom(lambda a, b: "text"))
    with pytest.raises(TypeError, match="function: expected a function"):
        Custom("gaussian")
    with pytest.raises(ValueError, match=r"kernel: expected a function that returns a 5 x 5 matrix"):
        sh.entropy(np.arange(5.0), kernel=Custom(lambda a, b: np.ones((2, 2)), vectorized=True))
    with pytest.raises(ValueError, match="tolerance: expected a positive"):
        Custom(min, tolerance=0.0)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (np.ones((3, 4)), "a square Gram matrix"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "a positive semidefinite matrix"),
        (np.array([[1.0, 0.2], [0.1, 1.0]]), "a symmetric matrix"),
        (np.zeros((3, 3)), "a positive diagonal"),
    ],
)
def test_matrices_that_are_no_gram_matrix(matrix, expected):
    with pytest.raises(ValueError, match=f"kernel: expected {expected}.*, got"):
        sh.entropy(matrix, kernel=Precomputed())


def test_round_off_is_not_an_error(rng):
    """A Gram matrix of rank one computed in floating point has eigenvalues just below 0."""
    x = rng.normal(size=(200, 3)) * 1e6
    linear = x @ x.T
    assert sh.entropy(linear, kernel=Precomputed()) > 0


def test_product_with_something_else():
    with pytest.raises(TypeError, match="kernel: expected a product of kernels"):
        Gaussian(1.0) * 2.0


@pytest.mark.parametrize("tol", [None, 1e-5])
def test_matrices_of_many_rows_take_the_low_rank_route(rng, tol):
    x = rng.normal(size=600)
    matrix = gaussian_matrix(x[:, None], 1.0)
    exact = sh.entropy(matrix, kernel=Precomputed())
    assert sh.entropy(matrix, kernel=Precomputed(), tol=1e-5) == pytest.approx(exact, abs=1e-5)
    labels = [f"{code}" for code in rng.integers(0, 40, size=3000)]
    kernel = {"x1": Custom(lambda a, b: np.exp(-((int(a) - int(b)) ** 2) / 50))}
    assert 0 < sh.entropy(labels, kernel=kernel, tol=tol) < np.log2(40)


def test_own_kernels_on_some_rows():
    kernel = Custom(lambda a, b: 1.0 if a == b else 0.3)
    noun = sh.Dependence({"A": list("abca" * 5), "B": list("abcd" * 5)}, kernel={"A": kernel, "B": kernel})
    part = noun.on_rows([0, 1, 2])  # a, b, c in both
    matrix = np.full((3, 3), 0.3) + 0.7 * np.eye(3)
    assert part.mutual_information().value == pytest.approx(
        sh.mutual_information(matrix, matrix, kernel=Precomputed()), abs=1e-12
    )


def test_slightly_indefinite_matrices_are_projected(rng):
    """Bounds hold for positive semidefinite matrices; one that is so only within the tolerance is brought there."""
    factor = rng.normal(size=(60, 6))
    matrix = (factor @ factor.T).astype(np.float32).astype(float)
    codes = rng.integers(0, 60, size=2000)
    labels = {"x": [f"{code:02d}" for code in codes]}
    kernel = {"x": Custom(lambda a, b: matrix[int(a), int(b)])}
    dense = sh.Dependence(labels, kernel=kernel).entropy()
    low_rank = sh.Dependence(labels, kernel=kernel, tol=1e-6).entropy()
    assert low_rank.lower - 1e-12 <= dense.upper
    assert dense.lower - 1e-12 <= low_rank.upper
