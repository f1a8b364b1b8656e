"""Pairs from sums: the test and the values of rows in memory, at the same widths."""

import numpy as np
import pytest

import shearer as sh
from shearer.data import read
from shearer.pairs.engine import PairTests
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


def test_pvalues_are_those_of_rows_in_memory(data, second):
    """At widths of a sample of rows, against widths of all."""
    found = second.pvalues()
    expected = PairTests.of(read(data)).pvalues(slice(None), slice(None))
    upper = np.triu_indices(4, 1)
    assert np.allclose(np.log(found[upper]), np.log(expected[upper]), rtol=0.15, atol=0.1)
    for a, b in zip(*upper, strict=True):
        single = second.independence_test(second.names[a], second.names[b])
        assert single.pvalue == found[a, b]
        # Labels have one width: nothing to cross.
        assert len(single.components) == (6 if "label" in single.names else 9)


def test_chunks_change_nothing(data):
    """Rows in one chunk or in many, in one process or in several, to 1e-8."""
    start = PairSketch.like({name: column[:3000] for name, column in data.items()})
    found = []
    for cuts in (1, 7):
        parts = [{k: v[rows] for k, v in data.items()} for rows in np.array_split(np.arange(7000), cuts)]
        first = start.empty()
        for part in parts:
            first.update(part)
        second = first.second_pass()
        for part in parts:
            second.update(part)
        found.append(np.log(second.pvalues()))
    assert found[1] == pytest.approx(found[0], rel=1e-8, abs=1e-8)


def test_values_and_adjusted_values_are_those_of_pairwise(data, second):
    kernels = {name: own[0] for name, own in zip(second.names, second._kernels, strict=True)}
    whole = sh.pairwise(data, kernel=kernels)
    upper = np.triu_indices(4, 1)
    assert np.allclose(second.values()[upper], whole.value[upper], atol=1e-6)
    assert np.allclose(second.adjusted()[upper], whole.adjusted[upper], atol=1e-5)
    assert np.allclose(np.diag(second.joint_entropies()), whole.entropy, atol=1e-6)


def test_dependence_is_found_and_independence_is_not(second):
    assert second.independence_test("x", "y").pvalue < 0.02
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


def test_outliers_leave_a_test(rng):
    x = rng.standard_cauchy(size=6000)
    y = np.sign(x) * rng.exponential(size=6000)
    first = PairSketch.like(x[:2000], y[:2000])
    first.update(x, y)
    last = first.second_pass()
    last.update(x, y)
    assert last.residuals[1:, 0].max() < 0.25
    assert last.independence_test("x1", "x2").pvalue < 1e-8


def test_vectors_without_low_rank_are_tested_at_what_their_features_tell(rng):
    x, y = rng.normal(size=(2000, 12)), rng.normal(size=2000)
    first = PairSketch.like(x, y)
    first.update(x, y)
    last = first.second_pass()
    last.update(x, y)
    assert last.pvalues()[0, 1] > 0.001
    assert last.residuals.max() > 0.1


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
