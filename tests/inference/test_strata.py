"""Labels alone as conditions: moments over all rearrangements within strata, level, and what is found."""

from itertools import pairwise, permutations, product

import numpy as np
import pytest

import shearer as sh
from shearer.conditioning import constants, strata_moments
from shearer.conditioning.strata import Strata
from shearer.conditioning.strata_moments import rearranged


def features(sizes, heavy, widths=(2, 3)):
    """Strata of these sizes, and features of mean 0 in each."""
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    strata = Strata.of([codes], len(codes))
    draw = (lambda shape: rng.standard_t(2, size=shape)) if heavy else (lambda shape: rng.normal(size=shape))
    return strata, *(strata._centered(draw((len(codes), width))) for width in widths)


def statistics(strata, first, second):
    """Both statistics from their definition: products of every row with every other."""
    products = (first @ first.T) * (second @ second.T)
    np.fill_diagonal(products, 0.0)
    same = strata.codes[:, None] == strata.codes
    return products.sum(), np.sum(products * same / strata.counts[strata.codes][:, None])


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("sizes", [[6], [3, 3], [2, 2], [4, 3], [5, 2], [5, 4], [2, 2, 3, 3], [4, 4, 2], [1, 4, 3]])
def test_moments_are_those_of_all_rearrangements(sizes, heavy):
    strata, first, second = features(sizes, heavy)
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    orders = product(*(permutations(range(*own)) for own in pairwise(bounds)))
    every = np.array([statistics(strata, first, second[np.concatenate(order)]) for order in orders])
    observed = statistics(strata, first, second)
    away = every - every.mean(axis=0)
    for k, found in enumerate(rearranged(first, second, strata.codes, strata.counts)):
        scale = np.abs(every[:, k]).max()
        assert found.statistic == pytest.approx(observed[k], abs=1e-9 * scale)
        assert found.mean == pytest.approx(every[:, k].mean(), abs=1e-9 * scale)
        assert found.variance == pytest.approx(np.mean(away[:, k] ** 2), abs=1e-9 * scale**2)
        assert found.third == pytest.approx(np.mean(away[:, k] ** 3), abs=1e-9 * scale**3)


def test_moments_by_pieces_are_those_at_once(monkeypatch):
    strata, first, second = features([40, 40, 7, 7, 7, 3, 2], heavy=True)
    expected = rearranged(first, second, strata.codes, strata.counts)
    monkeypatch.setattr(strata_moments, "_ROOM", 30)
    for found, whole in zip(rearranged(first, second, strata.codes, strata.counts), expected, strict=True):
        assert vars(found) == pytest.approx(vars(whole), rel=1e-9)


def test_third_moments_of_a_draw_of_strata_are_near_those_of_all(monkeypatch):
    strata, first, second = features([5] * 400, heavy=False)
    whole = rearranged(first, second, strata.codes, strata.counts)[0]
    monkeypatch.setattr(strata_moments, "MOST_COMPARED", 100)
    drawn = rearranged(first, second, strata.codes, strata.counts)[0]
    assert drawn.third != whole.third
    assert drawn.third == pytest.approx(whole.third, rel=0.02)
    assert (drawn.mean, drawn.variance) == (whole.mean, whole.variance)


def test_nothing_varies_where_rearrangements_change_nothing():
    strata, first, second = features([2] * 30, heavy=False)
    joint, apart = rearranged(first, second, strata.codes, strata.counts)
    assert joint.variance > 0 == apart.variance
    assert len(strata.tails(first, second)) == 1


def test_a_skewness_of_no_smooth_law_is_answered_by_cantelli():
    strata, first, second = features([300, 20], heavy=False, widths=(1, 1))
    first[0], second[0] = 1e4, -1e4
    first, second = strata._centered(first), strata._centered(second)
    moments = rearranged(first, second, strata.codes, strata.counts)
    beyond = 0
    for found, tail in zip(moments, strata.tails(first, second), strict=True):
        skewness = found.third / found.variance**1.5
        assert tail.skewness == pytest.approx(skewness)
        if not constants.LEAST_SKEWNESS <= skewness <= constants.LARGEST_SKEWNESS:
            beyond += 1
            z = (found.statistic - found.mean) / found.variance**0.5
            assert tail.pvalue == pytest.approx(1.0 / (1.0 + max(z, 0.0) ** 2))
    assert beyond


def rare_values(g, n):
    return np.where(g.random(n) < 0.06, g.choice([0.25, 0.5, 1, 2, 5], n), 0.0)


NULLS = {
    "30 labels, rare values": lambda g, n: (np.char.add("g", g.integers(0, 30, n).astype(str)), rare_values(g, n)),
    "100 labels, log-normal": lambda g, n: (
        np.char.add("g", g.integers(0, 100, n).astype(str)),
        np.exp(2 * g.normal(size=n)),
    ),
    "rare values": lambda g, n: (rare_values(g, n), rare_values(g, n)),
    "rare events": lambda g, n: (g.random(n) < 0.03, g.random(n) < 0.03),
    "Cauchy": lambda g, n: (g.standard_cauchy(n), g.standard_cauchy(n)),
}


@pytest.mark.parametrize("null", NULLS)
def test_rare_labels_and_long_tails_within_strata_keep_the_level(null):
    """By the covariance alone up to a fifth of these were rejected at 5 %, up to a tenth at 0.1 %."""
    pvalues = []
    for seed in range(60):
        g = np.random.default_rng([17, seed])
        stratum = g.choice(["a", "b", "c"], 300, p=[0.6, 0.25, 0.15])
        x, y = NULLS[null](g, 300)
        pvalues.append(sh.independence_test(x, y, given=stratum).pvalue)
    assert np.sum(np.array(pvalues) <= 0.05) <= 8  # a chance of 0.8 % at 5 %
    assert np.sum(np.array(pvalues) <= 0.001) <= 1


@pytest.mark.parametrize("size", [2, 3, 8, 100])
def test_small_strata_keep_the_level(size):
    pvalues = []
    for seed in range(60):
        g = np.random.default_rng([18, seed])
        strata = np.char.add("s", (np.arange(300) // size).astype(str))
        pvalues.append(sh.independence_test(g.normal(size=300), g.normal(size=300), given=strata).pvalue)
    assert np.sum(np.array(pvalues) <= 0.05) <= 8
    assert np.min(pvalues) > 1e-4


@pytest.mark.parametrize("size", [2, 3, 8, 100])
def test_links_within_strata_are_found(rng, size):
    strata = np.char.add("s", (np.arange(300) // size).astype(str))
    x = rng.normal(size=300)
    links = [x + rng.normal(size=300), np.where(x + rng.normal(size=300) > 0, "u", "v"), x**2 + rng.normal(size=300)]
    for y in links if size > 3 else links[:2]:  # of two or three rows the bend of a curve is hardly seen
        assert sh.independence_test(x, y, given=strata).pvalue < 1e-4


def test_rare_events_that_coincide_are_found(rng):
    event = rng.random(400) < 0.03
    stratum = rng.choice(["a", "b", "c"], 400)
    assert sh.independence_test(event, event | (rng.random(400) < 0.005), given=stratum).pvalue < 0.01
