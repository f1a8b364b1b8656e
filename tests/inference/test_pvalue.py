"""P-value arithmetic against enumeration and other libraries."""

import numpy as np
import pytest
from scipy import stats

from shearer.inference.pvalue import adjusted_pvalues, exact_pvalue, rank_pvalue, sequential_pvalue
from shearer.pairs.null_law.combined_pvalue import _stable_tail, half_cauchy
from shearer.pairs.null_law.pearson3 import upper_tail


def test_ranks_with_ties():
    assert rank_pvalue([0.0] * 9, 1.0) == 0.1
    assert rank_pvalue([1.0] * 9, 1.0) == 1.0
    assert rank_pvalue([1.0 - 1e-13] * 9, 1.0) == 1.0  # the same sum in another order
    assert rank_pvalue([1.0 - 1e-6] * 9, 1.0) == 0.1
    assert rank_pvalue([], 3.0) == 1.0
    assert exact_pvalue([1, 2, 3, 3], 3) == 0.5


def test_rank_pvalues_are_valid(rng):
    """Under the null, P(p <= level) <= level at every level, ties or not."""
    for draw in (lambda size: rng.normal(size=size), lambda size: rng.integers(0, 4, size=size).astype(float)):
        values = [rank_pvalue(draw(19), draw(1)[0]) for _ in range(4000)]
        for level in (0.05, 0.1, 0.5):
            assert np.mean(np.array(values) <= level) <= level + 3 * np.sqrt(level * (1 - level) / 4000)


def test_sequential_stopping(rng):
    calls = []

    def draw(count):
        calls.append(count)
        return rng.normal(size=count)

    pvalue, null = sequential_pvalue(draw, -1.0, most=10_000, exceedances=10)
    assert pvalue == 10 / len(null)
    assert np.sum(null >= -1.0) == 10
    assert null[-1] >= -1.0
    assert sum(calls) < 100
    pvalue, null = sequential_pvalue(draw, 50.0, most=999, exceedances=10)
    assert pvalue == 1 / 1000
    assert len(null) == 999


def test_sequential_pvalues_are_valid(rng):
    values = [sequential_pvalue(lambda k: rng.normal(size=k), rng.normal(), 199, 5)[0] for _ in range(4000)]
    for level in (0.025, 0.05, 0.2, 0.5):
        assert np.mean(np.array(values) <= level) <= level + 3 * np.sqrt(level * (1 - level) / 4000)


@pytest.mark.parametrize("method", ["bh", "by"])
def test_false_discovery_rates_against_scipy(rng, method):
    p = rng.uniform(size=(7, 5)) ** 2
    assert adjusted_pvalues(p, method) == pytest.approx(
        stats.false_discovery_control(p.ravel(), method=method).reshape(7, 5)
    )


def test_weights_by_hand():
    # p / w with w = (1.5, 0.5): 0.02 / 1.5 and 0.02 / 0.5, then Benjamini-Hochberg of the two.
    assert adjusted_pvalues([0.02, 0.02], weights=[3, 1]) == pytest.approx([2 * 0.02 / 1.5, 0.04])
    p = np.random.default_rng(0).uniform(size=20)
    assert adjusted_pvalues(p, weights=np.full(20, 7.0)) == pytest.approx(adjusted_pvalues(p))
    for bad in ([1.0], [1.0, -1.0], [1.0, np.nan], [0.0, 1.0]):
        with pytest.raises(ValueError, match="weights: expected positive numbers"):
            adjusted_pvalues([0.1, 0.2], weights=bad)


def test_weighted_holm(rng):
    """Holm 1979: p / w times the weights of all that are not yet rejected; any false rejection at most at the level."""
    assert adjusted_pvalues([1e-10, 0.09], "holm", weights=[0.1, 1.9]) == pytest.approx([2e-9, 0.09])
    weights = [0.05] * 4 + [4.8]
    false = 0
    for _ in range(2000):  # the four of little weight are false, and always found
        p = [*[1e-12] * 4, rng.uniform()]
        false += adjusted_pvalues(p, "holm", weights=weights)[-1] <= 0.05
    assert false / 2000 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


def test_holm_by_hand():
    assert adjusted_pvalues([0.01, 0.02, 0.03, 0.9], "holm") == pytest.approx([0.04, 0.06, 0.06, 0.9])
    assert adjusted_pvalues([], "holm").shape == (0,)


@pytest.mark.parametrize("bad", [[0.5, 1.2], [-0.1], [np.nan]])
def test_bad_pvalues(bad):
    with pytest.raises(ValueError, match="pvalues: expected numbers from 0 to 1"):
        adjusted_pvalues(bad)
    with pytest.raises(ValueError, match="method: expected one of"):
        adjusted_pvalues([0.1], "bonferroni")


@pytest.mark.parametrize("count", [2, 6, 12])
def test_combination_holds_its_level(count):
    rng = np.random.default_rng(count)
    p = half_cauchy(rng.uniform(size=(400_000, count)))
    for level in (0.1, 0.05, 0.01, 0.001):
        assert np.mean(p <= level) == pytest.approx(level, abs=0.11 * level + 4 * np.sqrt(level / 400_000))


def test_combination_is_monotone_and_decided_by_the_smallest():
    assert half_cauchy([0.3]) == 0.3
    assert half_cauchy([1e-8, 0.9, 0.9]) == pytest.approx(3e-8, rel=0.05)
    assert half_cauchy([1.0, 1.0]) > 0.8
    grid = np.linspace(0.001, 0.999, 50)
    combined = half_cauchy(np.column_stack([grid, np.full(50, 0.5)]))
    assert (np.diff(combined) > 0).all()
    assert half_cauchy([0.0, 0.5]) > 0


def test_stable_tail_against_scipy():
    stats.levy_stable.parameterization = "S1"
    for x in (-2.0, -1.0, 0.0, 1.0, 5.0, 20.0, 100.0):
        assert float(_stable_tail(x)) == pytest.approx(stats.levy_stable.sf(x, 1, 1), rel=1e-3)


def test_upper_tails_do_not_end():
    z = np.linspace(0.0, 6.0, 25)
    for skewness in (-2.5, -0.8, -0.1, 0.0):
        assert np.allclose(upper_tail(z, skewness), stats.norm.sf(z), rtol=1e-9)
    assert np.allclose(upper_tail(z, 0.7), stats.pearson3.sf(z, 0.7), rtol=1e-7)
    assert np.isnan(upper_tail(1.0, np.nan))
