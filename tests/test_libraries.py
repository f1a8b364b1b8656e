"""One code for every array library: equal values, and the library, floating type and device are kept."""

import copy
import pickle

import numpy as np
import pytest

import shearer as sh
from shearer.measures.registry import by_name

VERBS = by_name()
ALPHAS = [0, 0.5, 1, 1.01, 2, 3, np.inf]


@pytest.fixture
def sample(rng):
    x = rng.normal(size=(40, 2))
    return x, x[:, 0] ** 2 + 0.1 * rng.normal(size=40)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("verb", VERBS)
def test_values_are_equal(library, sample, verb, alpha):
    measure = getattr(sh, verb)
    expected = measure(*sample, alpha=alpha)
    value = measure(*(library.asarray(block) for block in sample), alpha=alpha)
    assert float(value) == pytest.approx(expected, abs=1e-6 if alpha == 0.5 else 1e-10)


@pytest.mark.parametrize("alpha", [1, 2, 3])
def test_the_shearer_family(library, rng, alpha):
    blocks = [rng.normal(size=(25, d)) for d in (1, 2, 1, 3)]
    options = [{"size": 2}, {"size": 3, "normalize": "joint"}, {"cover": [[0, 1], [1, 2, 3]], "weights": [1, 0.5]}]
    for option in options:
        expected = sh.shearer_gap(*blocks, alpha=alpha, **option)
        value = sh.shearer_gap(*(library.asarray(block) for block in blocks), alpha=alpha, **option)
        assert float(value) == pytest.approx(expected, abs=1e-10)


def test_many_dimensions(library, rng):
    x = rng.normal(size=(30, 40)) + 5
    expected = sh.mutual_information(x[:, :20], x[:, 20:])
    assert float(sh.mutual_information(*(library.asarray(b) for b in (x[:, :20], x[:, 20:])))) == pytest.approx(
        expected, abs=1e-11
    )


def test_labels_given_and_missing(library, sample):
    x, y = sample
    y = y.copy()
    y[3] = np.nan
    labels = np.array(list("abcd") * 10)
    expected = sh.mutual_information(x, y, given=labels, missing="drop")
    value = sh.mutual_information(library.asarray(x), library.asarray(y), given=labels, missing="drop")
    assert float(value) == pytest.approx(expected, abs=1e-12)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("verb", VERBS)
def test_tensors_keep_type_and_device(sample, verb):
    import torch

    for dtype in (torch.float32, torch.float64):
        blocks = [torch.tensor(block, dtype=dtype) for block in sample]
        value = getattr(sh, verb)(*blocks)
        assert isinstance(value, torch.Tensor)
        assert value.shape == ()
        assert value.dtype == dtype
        assert value.device == blocks[0].device
        assert float(value) == pytest.approx(getattr(sh, verb)(*sample), abs=1e-3 if dtype == torch.float32 else 1e-10)


def test_numpy_gives_a_float(sample):
    for blocks in (sample, [block.astype(np.float32) for block in sample], [block.tolist() for block in sample]):
        assert type(sh.mutual_information(*blocks)) is float


def test_numpy_is_computed_in_double(rng):
    x = rng.normal(size=50).astype(np.float32)
    y = rng.integers(0, 5, size=50)
    assert sh.mutual_information(x, y) == sh.mutual_information(x.astype(np.float64), y.astype(np.float64))


@pytest.mark.needs("array_api_strict")
def test_strict_gives_its_own_array(sample):
    import array_api_strict as strict

    value = sh.total_correlation(*(strict.asarray(block) for block in sample))
    assert value.__array_namespace__() is strict
    assert value.shape == ()


def test_a_noun_can_be_sent_to_another_process(library, rng):
    x = library.asarray(rng.normal(size=(40, 3)))
    noun = sh.Dependence(x)
    expected = noun.total_correlation()
    for twin in (pickle.loads(pickle.dumps(noun)), copy.deepcopy(noun)):
        assert twin.names == noun.names
        assert float(twin.total_correlation()) == float(expected)
        assert float(twin.dual_total_correlation()) == float(noun.dual_total_correlation())
