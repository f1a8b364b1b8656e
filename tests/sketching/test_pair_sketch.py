"""Pairs from sums: the test and the values of rows in memory, at the same widths."""

import numpy as np
import pytest

import shearer as sh
from shearer._blocks import Block
from shearer.inference.aggregated import combine
from shearer.pairs.moments import sums_of
from shearer.inference.tall import cube_factor, pair_of_tall, square_factor, tall, tall_factor
from shearer.inference.totals import Totals
from shearer.kernels import grams
from shearer.kernels.delta import DeltaGram
from shearer.sketching import PairSketch


@pytest.fixture
def data(rng):
    x = rng.normal(size=7000)
    label = rng.choice(["a", "b", "c"], size=7000)
    shifted = rng.normal(size=7000) + 0.1 * (label == "a")
    return {"x": x, "y": 0.04 * x**2 + rng.gamma(2, size=7000), "label": label, "shifted": shifted}


@pytest.fixture
def second(data):
    first = PairSketch.like({name: column[:3000] for name, column in data.items()})
    first.update(data)
    found = first.second_pass()
    found.update(data)
    return found


def test_totals_give_the_sums_of_the_rows(rng):
    """Against the sums of the full centred matrices, entry by entry."""
    x = rng.gamma(2, size=300)
    gram = grams(sh.Dependence(x, x)._variables)[0]
    factor, cube = square_factor(gram), cube_factor(gram)
    u, inner = factor.sum(axis=0), factor.T @ factor
    t, p = factor @ u, np.einsum("ij,ij->i", factor @ inner, factor)
    cubes = float(np.sum(cube.sum(axis=0) ** 2))
    found = Totals(300, u, inner, cubes, float(np.sum(t**3)), float(p @ t))
    known = tall_factor(factor, cubes).known
    matrix = gram.squared().dense()
    np.fill_diagonal(matrix, 0.0)
    rows = matrix.sum(axis=1)
    forms = {
        "raw": matrix / (matrix.sum() / (300 * 299)) - 1,
        "centered": matrix - (rows[:, None] + rows[None, :]) / 298 + matrix.sum() / (299 * 298),
    }
    for name, full in forms.items():
        np.fill_diagonal(full, 0.0)
        direct, from_rows, from_totals = sums_of(full), getattr(known, name), getattr(found, name)
        scale = {"S": 300**2, "B": 1, "c": 1, "rr": 300**3, "qr": 300**3, "rrr": 300**4, "rxr": 300**4, "T": 1, "n": 1}
        for key, size in scale.items():
            tolerance = {"rel": 1e-6, "abs": 1e-9 * size}
            assert getattr(from_totals, key) == pytest.approx(getattr(from_rows, key), rel=1e-9, abs=1e-12 * size)
            assert getattr(from_totals, key) == pytest.approx(getattr(direct, key), **tolerance)


def test_pvalues_are_those_of_rows_in_memory(data, second):
    def operator(variable, level):
        features = second._features[variable][min(level, len(second._features[variable]) - 1)]
        values = data[second.names[variable]]
        if values.dtype.kind == "U":
            return DeltaGram(np.unique(values, return_inverse=True)[1], np.empty(0))
        return features.kernels[0].gram(Block("continuous", values[:, None]), np.empty(0))

    found = second.pvalues()
    for a in range(4):
        for b in range(a + 1, 4):
            components = []
            for level in (1, 2):
                components += pair_of_tall(tall(operator(a, level)), tall(operator(b, level)), "")
            assert found[a, b] == pytest.approx(combine(components), rel=2e-3)
            single = second.independence_test(second.names[a], second.names[b])
            assert single.pvalue == found[a, b]
            assert len(single.components) == len(components)


def test_values_and_adjusted_values_are_those_of_pairwise(data, second):
    kernels = {name: own[0] for name, own in zip(second.names, second._kernels, strict=True)}
    whole = sh.pairwise(data, kernel=kernels)
    upper = np.triu_indices(4, 1)
    assert np.allclose(second.values()[upper], whole.value[upper], atol=1e-6)
    assert np.allclose(second.adjusted()[upper], whole.adjusted[upper], atol=1e-5)
    assert np.allclose(np.diag(second.joint_entropies()), whole.entropy, atol=1e-6)


def test_dependence_is_found_and_independence_is_not(second):
    assert second.independence_test("x", "y").pvalue < 0.01
    assert second.independence_test("label", "shifted").pvalue < 0.05
    assert second.independence_test("x", "label").pvalue > 0.001


def test_the_level_is_held(rng):
    """Independent pairs of many shapes at once: 190 p-values, about uniform."""
    columns = {f"n{i}": rng.normal(size=3000) for i in range(8)}
    columns |= {f"t{i}": rng.standard_t(2, size=3000) for i in range(4)}
    columns |= {f"e{i}": rng.exponential(size=3000) for i in range(4)}
    columns |= {f"l{i}": rng.choice(list("abcd"), size=3000) for i in range(4)}
    first = PairSketch.like(columns)
    first.update(columns)
    last = first.second_pass()
    last.update(columns)
    pvalues = last.pvalues()[np.triu_indices(20, 1)]
    assert 0.35 < np.mean(pvalues < 0.5) < 0.65
    assert np.mean(pvalues < 0.05) < 0.12
    assert pvalues.min() > 1e-5


def test_outliers_are_tested_by_ranks(rng):
    x = rng.standard_cauchy(size=6000)
    y = np.sign(x) * rng.exponential(size=6000)
    first = PairSketch.like(x[:2000], y[:2000])
    first.update(x, y)
    last = first.second_pass()
    last.update(x, y)
    assert last.residuals[1:, 0].max() < 1e-4
    assert last.independence_test("x1", "x2").pvalue < 1e-8


def test_vectors_without_low_rank_are_not_tested(rng):
    x, y = rng.normal(size=(2000, 12)), rng.normal(size=2000)
    first = PairSketch.like(x, y)
    first.update(x, y)
    last = first.second_pass()
    last.update(x, y)
    assert np.isnan(last.pvalues()[0, 1])
    assert np.isnan(last.independence_test("x1", "x2").pvalue)


def test_passes_are_told_apart(data):
    first = PairSketch.like(data)
    with pytest.raises(ValueError, match="at least 6 rows"):
        first.second_pass()
    first.update(data)
    with pytest.raises(ValueError, match=r"expected a second pass over the 7000 rows of the first, got none"):
        first.pvalues()
    second = first.second_pass()
    second.update({name: column[:100] for name, column in data.items()})
    with pytest.raises(ValueError, match="got 100 rows"):
        second.independence_test("x", "y")


def test_merging_changes_nothing(data, second):
    start = PairSketch.like({name: column[:3000] for name, column in data.items()})
    parts = [{name: column[rows] for name, column in data.items()} for rows in np.array_split(np.arange(7000), 5)]

    def over(base):
        total = base.empty()
        for part in reversed(parts):
            own = base.empty()
            own.update(part)
            total.merge(own)
        return total

    again = over(over(start).second_pass())
    assert np.allclose(again.pvalues(), second.pvalues(), rtol=1e-6)


def test_names_groups_and_kinds(rng):
    data = {
        "a": rng.normal(size=500),
        "b": rng.normal(size=500),
        "c": rng.integers(0, 3, size=500),
        "d": rng.normal(size=500),
    }
    sketch = PairSketch.like(data, groups={"ab": ["a", "b"]}, kinds={"c": "categorical"}, names=["ab", "c"])
    sketch.update(data)
    assert sketch.names == ("ab", "c")
    assert sketch.joint_entropies()[1, 1] == pytest.approx(sh.entropy(data["c"].astype(str), alpha=2), abs=1e-9)


def test_wrong_calls_are_refused(data, second):
    with pytest.raises(TypeError, match=r"PairSketch\.like"):
        PairSketch()
    with pytest.raises(ValueError, match="at least 2 variables"):
        PairSketch.like(np.arange(20.0))
    with pytest.raises(ValueError, match="sample: expected at least 8 rows"):
        PairSketch.like(np.arange(4.0), np.arange(4.0))
    with pytest.raises(ValueError, match="twice"):
        second.independence_test("x", "x")
    with pytest.raises(ValueError, match="Did you mean"):
        second.independence_test("x", "lable")
    with pytest.raises(TypeError, match="other"):
        second.merge(3)
