"""One list of statistics of pairs: what is added there is in every test."""

import numpy as np
import pytest

import shearer as sh
from shearer.data import read
from shearer.kernels import Gaussian
from shearer.pairs import limits, statistics
from shearer.pairs.engine import PairTests
from shearer.pairs.null_law.tails import correlated, upper_tails
from shearer.pairs.statistics import Statistic
from shearer.sketching import PairSketch


def alike(sample):
    """The dummy that no other file has heard of: only densities that go together count."""
    return correlated(sample.slopes, sample.n, sample.both("two"), sample.both("three"), sample.usable)


def one_sided(z, skewness, _least):
    return upper_tails(z, skewness)


@pytest.fixture
def dummy(monkeypatch):
    new = Statistic("alike", {(1, 1): 0.3}, alike, one_sided)
    monkeypatch.setattr(statistics, "STATISTICS", [*statistics.STATISTICS, new])
    return new.name


@pytest.fixture
def columns(rng):
    scale = np.exp(0.4 * rng.normal(size=300))
    x, y = scale * rng.normal(size=(2, 300))
    return {"x": x, "y": y, "label": rng.choice(list("ab"), size=300)}


def names(result):
    return {component.name.split()[0] for component in result.components}


def test_every_test_takes_a_new_statistic(request, columns):
    before = sh.independence_test(columns["x"], columns["y"])
    request.getfixturevalue("dummy")
    after = sh.independence_test(columns["x"], columns["y"])
    assert names(after) == names(before) | {"alike"}
    own = next(component for component in after.components if component.name.startswith("alike"))
    assert own.name == f"alike at {limits.RUNG_BITS[1]:g} bits"
    assert own.weight == 0.3
    assert after.pvalue != before.pvalue
    assert sh.pairwise(columns).pvalue[0, 1] == pytest.approx(after.pvalue, rel=1e-9)
    document = sh.scan(columns, progress=False).document
    pair = next(one for one in document["pairs"] if set(one["variables"]) == {"x", "y"})
    assert pair["pvalue"] == pytest.approx(after.pvalue, rel=1e-9)


@pytest.mark.usefixtures("dummy")
def test_streams_take_a_new_statistic(columns):
    sketch = PairSketch.like(columns, rows=300)
    sketch.update(columns)
    sketch = sketch.second_pass()
    sketch.update(columns)
    assert np.log(sketch.pvalues()[0, 1]) == pytest.approx(np.log(sh.pairwise(columns).pvalue[0, 1]), abs=1e-8)
    assert "alike" in names(sketch.independence_test("x", "y"))


def test_missing_values_take_a_new_statistic(dummy, columns):
    columns["x"][:30] = np.nan
    kept = {name: values[30:] for name, values in columns.items()}
    found = sh.pairwise(columns, missing="pairwise").pvalue
    assert found[0, 1] == pytest.approx(sh.pairwise(kept).pvalue[0, 1], rel=0.2)
    assert dummy in names(sh.independence_test(kept["x"], kept["y"]))


def test_work_is_that_of_the_products_of_features():
    """A multiplication and an addition for each entry of the products, at all rungs that meet."""
    ranks = limits.TYPICAL_RANKS
    entries = sum(ranks[first] * ranks[second] for first, second in statistics.rungs_of_pairs(len(ranks)))
    assert limits.work_of_pair() == 2 * entries


def test_weights_do_not_depend_on_the_order_of_two_variables():
    """Nor is anything worth as much as both variables at their widest rungs, by which most dependence is seen."""
    assert statistics.STATISTICS
    for one in statistics.STATISTICS:
        assert {(second, first): weight for (first, second), weight in one.weights.items()} == dict(one.weights)
    every = {heights: sum(statistics.weights_of([heights])) for heights in statistics.rungs_of_pairs(4)}
    assert max(every, key=every.get) == (0, 0)
    assert every[0, 0] > sum(weight for heights, weight in every.items() if max(heights) > 0)


def test_what_chance_gives_is_that_of_whole_matrices_and_of_permutations(rng):
    x, y = rng.normal(size=30), rng.exponential(size=30)
    found = PairTests.of(read(x, y), Gaussian(0.7)).chances(slice(0, 1), slice(1, 2))
    one, other = (np.exp(-(np.subtract.outer(own, own) ** 2) / 0.7**2) for own in (x, y))
    single, joint = ([-np.log2(np.mean(own**power)) for own in (one, other)] for power in (1, 2))
    assert found.entropies[0, 0] == pytest.approx(sum(single), rel=1e-6)
    assert found.own[0, 0] == pytest.approx(2 * sum(single) - sum(joint), rel=1e-6)  # of each with itself
    off = ~np.eye(30, dtype=bool)
    assert found.mean[0, 0] == pytest.approx(one[off].mean() * other[off].mean(), rel=1e-6)
    orders = (rng.permutation(30) for _ in range(4000))
    sums = [np.sum(np.triu(one * other[np.ix_(order, order)], 1)) for order in orders]
    assert np.mean(sums) == pytest.approx(30 * 29 / 2 * found.mean[0, 0], rel=0.02)
    assert np.var(sums) == pytest.approx(found.variance[0, 0], rel=0.15)
