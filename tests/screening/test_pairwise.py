"""A screened pair has the value that the measures give it alone."""

import numpy as np
import pytest

import shearer as sh
from screening.tables import mixed, off_diagonal, pair_by_pair
from shearer.measures.registry import MUTUAL_INFORMATION
from shearer.screening import Pairwise, pairwise

ALPHAS = [0.5, 1, 1.01, 2, 3, np.inf]


@pytest.mark.parametrize("alpha", ALPHAS)
def test_equals_mutual_information(alpha):
    table = mixed()
    m = pairwise(table, alpha=alpha)
    assert np.allclose(off_diagonal(m.value), off_diagonal(pair_by_pair(table, alpha=alpha)), atol=1e-10)
    assert m.names == tuple(table)
    assert m.rows == 40
    assert m.alpha == alpha
    assert np.array_equal(m.value, m.value.T)
    assert np.array_equal(m.joint, m.joint.T)


@pytest.mark.parametrize("alpha", [1, 2])
@pytest.mark.parametrize("normalize", MUTUAL_INFORMATION.options)
def test_every_normalization(alpha, normalize):
    table = mixed()
    expected = pair_by_pair(table, alpha=alpha, normalize=normalize)
    value = pairwise(table, alpha=alpha, normalize=normalize).value
    assert np.allclose(off_diagonal(value), off_diagonal(expected), atol=1e-10)


@pytest.mark.parametrize("alpha", [1, 2])
def test_entropies(alpha):
    table = mixed()
    m = pairwise(table, alpha=alpha)
    noun = sh.Dependence(table, alpha=alpha)
    assert np.allclose(m.entropy, [noun.entropy(name).value for name in table], atol=1e-11)
    assert m.joint[0, 3] == pytest.approx(noun.entropy("x", "ties").value, abs=1e-11)
    assert m.error == 0.0


@pytest.mark.parametrize("alpha", [1, 2])
@pytest.mark.parametrize("normalize", MUTUAL_INFORMATION.options)
def test_diagonal_is_a_variable_with_its_copy(alpha, normalize):
    table = mixed()
    m = pairwise(table, alpha=alpha, normalize=normalize)
    copies = [sh.mutual_information(x, x, alpha=alpha, normalize=normalize) for x in table.values()]
    assert np.allclose(np.diag(m.value), copies, atol=1e-10)
    assert np.isfinite(m.value).all()


@pytest.mark.parametrize(
    "kernel",
    [
        sh.kernels.Laplacian(),
        sh.kernels.Gaussian(0.7),
        sh.kernels.Gaussian("silverman"),
        sh.kernels.Gaussian(sh.kernels.EntropyFraction(0.5)),
        sh.kernels.Delta(),
        sh.kernels.Gaussian(1.0) * sh.kernels.Laplacian(2.0),
        {"x": sh.kernels.Laplacian(1.0), "noisy": sh.kernels.Gaussian(0.2), "ties": sh.kernels.Delta()},
        {"label": sh.kernels.Custom(lambda a, b: float(a == b) + 1)},
    ],
)
def test_every_kernel(kernel):
    table = mixed()
    value = pairwise(table, kernel=kernel).value
    # at width 0.7 "offset" has 1e-6 bits: round-off of its entropy, over that
    assert np.allclose(off_diagonal(value), off_diagonal(pair_by_pair(table, kernel=kernel, alpha=2)), atol=1e-8)


def test_precomputed_kernel(rng):
    x, y = rng.normal(size=(2, 25))
    gram = np.exp(-np.abs(x[:, None] - x))
    kernel = {"gram": sh.kernels.Precomputed()}
    value = pairwise({"gram": gram, "y": y}, kernel=kernel).value[0, 1]
    assert value == pytest.approx(sh.mutual_information({"gram": gram, "y": y}, kernel=kernel, alpha=2), abs=1e-12)


def test_groups():
    table = mixed()
    data = {name: table[name] for name in ("x", "noisy", "label", "ties")}
    groups = {"both": ["x", "label"]}
    m = pairwise(data, groups=groups)
    assert m.names == ("both", "noisy", "ties")
    assert np.allclose(off_diagonal(m.value), off_diagonal(pair_by_pair(data, groups=groups, alpha=2)), atol=1e-11)


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200, 1e305])
def test_extreme_scales(rng, scale):
    x = rng.normal(size=(20, 3))
    assert np.allclose(pairwise(x * scale).value, pairwise(x).value, atol=1e-9)


def test_outlier_beyond_all_widths():
    x = np.append(np.arange(9.0), 1e18)
    assert pairwise(x, x**0.5).value[0, 1] == pytest.approx(sh.mutual_information(x, x**0.5, alpha=2), abs=1e-12)


def test_two_rows():
    m = pairwise([[0.0, 1.0, 5.0], [1.0, 1.0, 5.0]])
    assert m.value[0, 0] == pytest.approx(sh.mutual_information([0.0, 1.0], [0.0, 1.0], alpha=2))
    assert m.value[1, 2] == 0.0
    assert m.value[0, 1] == 0.0


def test_many_columns_in_bands(rng):
    """More columns than are finished at a time, of all kinds in turn."""
    x = rng.normal(size=(9, 150))
    data = {f"c{k}": column if k % 3 else np.where(column > 0, "high", "low") for k, column in enumerate(x.T)}
    m = pairwise(data)
    assert np.array_equal(m.value, m.value.T)
    for i, j in ((0, 1), (3, 149), (64, 63), (65, 129), (148, 2)):
        expected = sh.mutual_information(data[f"c{i}"], data[f"c{j}"], alpha=2)
        assert m.value[i, j] == pytest.approx(expected, abs=1e-11)


@pytest.mark.needs("torch")
def test_tensors_are_taken_as_numbers(rng):
    import torch

    x = rng.normal(size=(20, 3))
    tensor = torch.tensor(x, requires_grad=True)
    assert np.allclose(pairwise(tensor).value, pairwise(x).value)
    assert isinstance(pairwise(tensor).value, np.ndarray)


def test_result_is_frozen_and_short(rng):
    m = pairwise(rng.normal(size=(10, 3)))
    assert isinstance(m, Pairwise)
    assert repr(m) == "Pairwise(3 variables, 10 rows, alpha=2, triangles)"
    with pytest.raises(AttributeError):
        m.alpha = 3
    assert "with 2 targets" in repr(pairwise({"a": [1.0, 2.0], "b": [1.0, 2.0], "c": [1.0, 2.0]}, target=["a", "b"]))


def test_drop(rng):
    x = rng.normal(size=(20, 3))
    x[4, 1] = np.nan
    m = pairwise(x, missing="drop")
    assert m.rows == 19
    assert np.allclose(m.value, pairwise(np.delete(x, 4, axis=0)).value)


def test_a_plain_matrix_is_read_as_any_other(rng):
    x = rng.normal(size=(12, 11))
    for other in (x.tolist(), np.asfortranarray(x), x.astype(object)):
        m = pairwise(other)
        assert m.names == pairwise(x).names == tuple(f"x{k}" for k in range(1, 12))
        assert np.array_equal(m.value, pairwise(x).value)
    x[3, 2] = np.inf
    with pytest.raises(ValueError, match="x3: expected finite numbers"):
        pairwise(x)
