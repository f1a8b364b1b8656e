"""Rivals: what they compute, and that they agree with packages of their own where these are installed."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from shearer import comparators
from shearer.yardstick import METHODS, SUITES
from shearer.yardstick.given_rivals import (
    fisher_pearson_pvalue,
    gcm_pvalue,
    partial_correlation_pvalue,
    product_term_pvalue,
)
from shearer.yardstick.kernel_rivals import hsic_gamma_pvalue, mgc_pvalue
from shearer.yardstick.rank_rivals import hoeffding_d, hoeffding_pvalue, pearson_pvalue, spearman_pvalue, xi_pvalue


def pair(rng, n=60, link=0.4):
    x, e = rng.normal(size=(2, n))
    return x, link * x + e


def test_rank_tests_are_those_of_scipy(rng):
    x, y = pair(rng)
    assert pearson_pvalue(x, y) == stats.pearsonr(x, y).pvalue
    assert spearman_pvalue(x, y) == stats.spearmanr(x, y).pvalue
    found = stats.chatterjeexi(x, y)
    assert xi_pvalue(x, y) == found.pvalue
    assert comparators.chatterjee_xi(x, y) == pytest.approx(found.statistic)
    one = np.ones(60)
    assert [test(one, y) for test in (pearson_pvalue, spearman_pvalue, xi_pvalue)] == [1.0, 1.0, 1.0]


def test_hoeffding_by_its_definition(rng):
    """D = 1/4 mean of phi(x1..x5) phi(y1..y5) over ordered fives, phi differences of two products of indicators."""
    x, y = pair(rng, n=7)

    def phi(v, i, j, k, l, m):  # noqa: E741
        return (float(v[j] < v[i]) - float(v[k] < v[i])) * (float(v[l] < v[i]) - float(v[m] < v[i]))

    total = [phi(x, *five) * phi(y, *five) for five in permutations(range(7), 5)]
    assert hoeffding_d(x, y) == pytest.approx(30 * np.mean(total) / 4)


def test_hoeffding_finds_a_curve_that_spearman_does_not():
    x = np.linspace(-1, 1, 60)
    assert hoeffding_pvalue(x, x**2, rng=0) <= 0.01 < spearman_pvalue(x, x**2)
    assert hoeffding_pvalue(x, x**2, rng=0) == hoeffding_pvalue(x, x**2, rng=0)


def test_gamma_law_of_hsic_is_near_permutations(rng):
    for link in (0.0, 0.3, 0.5):
        x, y = pair(rng, link=link)
        permuted = METHODS["HSIC"].answer((x, y), "independence", 0)
        assert hsic_gamma_pvalue(x, y) == pytest.approx(permuted, abs=0.12)
    assert hsic_gamma_pvalue(np.ones(20), rng.normal(size=20)) == 1.0


def test_graph_correlation_is_that_of_scipy(rng):
    x, y = pair(rng, n=30)
    with pytest.warns(RuntimeWarning, match="number of replications"):
        expected = stats.multiscale_graphcorr(x[:, None], y[:, None], reps=99, random_state=5).pvalue
    assert mgc_pvalue(x, y, rng=5) == expected


def test_partial_correlation_by_the_inverse_covariance(rng):
    z = rng.normal(size=(80, 3))
    x, y = (z @ [1.0, -1.0, 0.5] + rng.normal(size=80) for _ in range(2))
    inverse = np.linalg.inv(np.cov(np.column_stack([x, y, z]).T))
    r = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
    free = 80 - 2 - 3
    expected = 2 * stats.t.sf(abs(r) * np.sqrt(free / (1 - r**2)), free)
    assert partial_correlation_pvalue(x, y, z) == pytest.approx(expected)


def test_generalised_covariance_sees_what_is_left(rng):
    z = rng.normal(size=300)
    x, y = (np.sin(2 * z) + 0.3 * rng.normal(size=300) for _ in range(2))
    assert gcm_pvalue(x, y, z) > 0.01
    assert gcm_pvalue(x, y + 0.5 * x, z) < 1e-4
    assert partial_correlation_pvalue(x, y, z) < 1e-4  # which a curve deceives


def test_product_term_is_a_linear_model(rng):
    a, b, e = rng.normal(size=(3, 200))
    assert product_term_pvalue(a, b, a * b + e) < 1e-6
    assert product_term_pvalue(a, b, a + b + e) > 0.01


def test_fisher_by_hand(rng):
    (x1, y1), (x2, y2) = pair(rng, 50, 0.9), pair(rng, 70, 0.1)
    r = [stats.pearsonr(x1, y1).statistic, stats.pearsonr(x2, y2).statistic]
    z = (np.arctanh(r[0]) - np.arctanh(r[1])) / np.sqrt(1 / 47 + 1 / 67)
    groups = np.repeat(["a", "b"], [50, 70])
    found = fisher_pearson_pvalue(np.concatenate([x1, x2]), np.concatenate([y1, y2]), groups)
    assert found == pytest.approx(2 * stats.norm.sf(abs(z)))


@pytest.mark.parametrize(
    "name", [name for name, method in METHODS.items() if method.present and "strength" not in method.tasks]
)
def test_every_test_gives_a_probability_and_repeats_itself(name):
    method = METHODS[name]
    task = method.tasks[0]
    suite = SUITES[task]
    design = next(one for one in suite.designs if method.applies(one, task) and one.rows <= 300)
    drawn = suite.draw(design.name, 0)
    found = method.answer(drawn, task, 1)
    assert 0 < found <= 1
    assert found == method.answer(drawn, task, 1)


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if "strength" in method.tasks])
def test_every_value_grows_with_dependence(name):
    suite = SUITES["strength"]
    low, high = (
        METHODS[name].answer(suite.draw(f"line, share {share}", 0), "strength", 0) for share in ("0.1", "0.99")
    )
    assert low < high <= 1 + 1e-9


@pytest.mark.needs("dcor")
def test_distance_correlation_agrees_with_dcor(rng):
    import dcor

    x, y = pair(rng, link=0.25)
    found = dcor.distance_correlation(x, y, method="naive")  # the other is compiled first, for minutes
    assert comparators.distance_correlation(x, y) == pytest.approx(float(found))
    theirs = dcor.independence.distance_covariance_test(x, y, num_resamples=999, random_state=0).pvalue
    assert METHODS["dCor"].answer((x, y), "independence", 0) == pytest.approx(theirs, abs=0.1)


@pytest.mark.needs("hyppo")
@pytest.mark.filterwarnings("ignore")
def test_graph_correlation_and_relations_agree_with_hyppo(rng):
    from hyppo.independence import MGC
    from hyppo.tools import linear, multiplicative_noise

    from shearer.yardstick.twenty_relations import relation

    x, y = pair(rng, n=40, link=0.3)
    theirs = MGC().test(x[:, None], y[:, None], reps=99, random_state=3)
    own = stats.multiscale_graphcorr(x[:, None], y[:, None], reps=0, random_state=0)
    assert own.statistic == pytest.approx(theirs.stat, abs=1e-6)
    for function, name in ((linear, "linear"), (multiplicative_noise, "multiplicative noise")):
        np.random.seed(0)  # noqa: NPY002 - what hyppo draws from
        sample = [np.asarray(part) for part in function(4000, 3)]
        mine = relation(name, 3)(np.random.default_rng(0), 4000)
        for theirs_part, own_part in zip(sample, mine, strict=True):
            assert np.std(theirs_part) == pytest.approx(np.std(own_part), rel=0.1)


@pytest.mark.needs("causallearn")
@pytest.mark.parametrize("name", ["kci", "rcit"])
def test_conditional_rivals_are_those_of_causal_learn(rng, name):
    from causallearn.utils.cit import CIT

    z = rng.normal(size=100)
    x, y = (z + rng.normal(size=100) for _ in range(2))
    np.random.seed(3)  # noqa: NPY002 - what causal-learn draws from
    theirs = CIT(np.column_stack([x, y, z]), name)(0, 1, [2])
    assert METHODS[name.upper()].answer((x, y, z), "conditional", 3) == pytest.approx(theirs)
