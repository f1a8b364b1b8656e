"""Sums from low-rank factors equal those of the full matrices."""

import numpy as np
import pytest

import shearer as sh
from shearer._variables import read_variables
from shearer.inference.similarity import Rung
from shearer.inference.tall import pair_of_tall, tall


@pytest.fixture
def pair(rng):
    x = rng.normal(size=400)
    return {"x": x, "y": 0.2 * x + rng.standard_t(4, size=400), "label": rng.choice(list("abc"), size=400)}


@pytest.mark.parametrize("name", ["x", "y", "label"])
def test_sums(pair, name):
    operator = sh.kernels.grams(read_variables({name: pair[name]}))[0]
    matrix = operator.squared().dense().copy()
    np.fill_diagonal(matrix, 0.0)
    full, factored = Rung(matrix), tall(operator)
    for form in ("raw", "centered"):
        expected, found = getattr(full, form).sums, getattr(factored, form)
        for field in ("B", "c", "T"):
            assert getattr(found, field) == pytest.approx(getattr(expected, field), rel=1e-6)
        scale = expected.B * 400
        for field in ("S", "rr", "qr", "rrr", "rxr"):
            assert getattr(found, field) == pytest.approx(getattr(expected, field), rel=1e-6, abs=1e-8 * scale)


@pytest.mark.parametrize("second", ["y", "label"])
def test_same_pvalues_as_full_matrices(pair, second):
    operators = sh.kernels.grams(read_variables({"x": pair["x"], second: pair[second]}))
    found = pair_of_tall(*(tall(operator) for operator in operators), "here")
    expected = sh.independence_test(pair["x"], pair[second], method="moments").components
    assert [c.pvalue for c in found] == pytest.approx([c.pvalue for c in expected], rel=1e-5)


def test_many_rows(rng):
    x = rng.normal(size=6000)
    assert sh.independence_test(x, x**2 + rng.normal(size=6000)).pvalue < 1e-10
    independent = sh.independence_test(x, rng.standard_cauchy(size=6000))
    assert independent.pvalue > 0.001
    assert {component.name.split()[-2] for component in independent.components} == {"1", "2", "3"}
    labels = np.where(x > 0, "up", "down")
    assert sh.independence_test(labels, rng.permutation(labels)).pvalue > 0.001
    with pytest.raises(ValueError, match="data: expected at most 5000 rows for more than 2 variables, got 6000"):
        sh.independence_test(x, x, x)


def test_no_low_rank_is_refused(rng):
    with pytest.raises(ValueError, match="data: expected a similarity of rank below 400"):
        sh.independence_test(rng.normal(size=6000), rng.normal(size=6000), kernel=sh.kernels.Gaussian(1e-4))


def test_labels_with_more_levels_than_a_factor_has_columns(rng):
    """Labels need no factor; in a small sample, against the full matrices."""
    codes = rng.integers(0, 40, size=(2, 300))
    codes[1, :150] = codes[0, :150]
    labels = np.char.add("level ", codes.astype(str))
    operators = sh.kernels.grams(read_variables(*labels))
    found = pair_of_tall(*(tall(operator) for operator in operators), "here")
    expected = sh.independence_test(*labels).components
    assert [c.pvalue for c in found] == pytest.approx([c.pvalue for c in expected], rel=1e-9)
    tall_labels = np.char.add("level ", rng.integers(0, 1000, size=(2, 6000)).astype(str))
    assert sh.independence_test(*tall_labels).pvalue > 0.001
    assert sh.independence_test(tall_labels[0], np.arange(6000).astype(float)).pvalue > 0.001


def test_identifiers_say_nothing(rng):
    names = np.char.add("row ", np.arange(6000).astype(str))
    assert sh.independence_test(names, rng.normal(size=6000)).pvalue == 1.0
