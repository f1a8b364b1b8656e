"""What the paper prints against what is true: one test for each erratum in docs/errata.rst that can be computed."""

import csv
import json
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest

import shearer as sh
from experiments import figure2, lemma_one
from shearer.measures import registry
from shearer.measures.normalize import FORMS

ROOT = Path(__file__).parent.parent
DELTA = sh.kernels.Delta()
LN2 = np.log(2.0)


def bits(measure, *data, **options):
    return measure(*data, normalize=False, **options)


def spectral_entropy(matrix, alpha):
    """S_alpha of a matrix scaled to trace 1, from its eigenvalues alone."""
    values = np.clip(np.linalg.eigvalsh(matrix / np.trace(matrix)), 1e-300, None)
    if alpha == 1:
        return -np.sum(values * np.log2(values))
    return np.log2(np.sum(values**alpha)) / (1 - alpha)


def power(matrix, exponent):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * values**exponent) @ vectors.T


@pytest.fixture
def pair(rng):
    """Two well-conditioned kernel matrices with trace 1, and a symmetric direction."""
    x, y = np.linspace(0, 6, 7) + 0.2 * rng.normal(size=7), rng.random(7)
    a, b = (np.exp(-(np.subtract.outer(z, z) ** 2)) / 7 for z in (x, y))
    direction = rng.normal(size=(7, 7))
    return a, b, direction + direction.T


def derivative(function, a, direction, step=1e-6):
    return (function(a + step * direction) - function(a - step * direction)) / (2 * step)


# Counts of the cells 00, 01, 10, 11.
NEGATIVE = {
    0.5: (20, 2, 2, 1),
    0.9: (86, 7, 6, 1),
    1.01: (8379, 777, 777, 67),
    1.1: (163, 18, 18, 1),
    1.5: (68, 16, 16, 0),
    2: (2, 1, 1, 0),
    5: (2, 1, 1, 0),
    np.inf: (2, 1, 1, 0),
}


def table(counts):
    return [np.repeat(cell, counts) for cell in ([0, 0, 1, 1], [0, 1, 0, 1])]


@pytest.mark.parametrize(("alpha", "counts"), NEGATIVE.items())
def test_property_one_fails_from_below(alpha, counts):
    """Not 0 <= T*, D* at orders other than 0 and 1: tables of two binary labels, negative by more than round-off."""
    noun = sh.Dependence(*table(counts), kernel=DELTA, alpha=alpha)
    assert noun.total_correlation().upper < -1e-5
    assert noun.dual_total_correlation().upper < -1e-5
    for order in (0, 1):
        assert sh.total_correlation(*table(counts), kernel=DELTA, alpha=order) >= 0


def test_property_two_fails_at_order_two():
    """T_2 = 0 for variables that depend on each other: counts 1, 5, 5, 7."""
    x, y = table([1, 5, 5, 7])
    assert sh.total_correlation(x, y, kernel=DELTA, alpha=2) == pytest.approx(0.0, abs=1e-14)
    assert sh.total_correlation(x, y, kernel=DELTA) > 0.03


def test_property_two_fails_on_samples(rng):
    """A finite sample of independent numbers scores above 0 at order 1."""
    scores = [sh.total_correlation(*rng.normal(size=(2, 50))) for _ in range(20)]
    assert min(scores) > 0.02


def test_denominators_can_vanish():
    """Constant variables leave nothing to divide by; the package answers 0."""
    constant = np.ones(5)
    assert sh.entropy(constant) == 0.0
    assert sh.total_correlation(constant, constant) == sh.dual_total_correlation(constant, constant) == 0.0


def test_lemma_one_fails_away_from_one():
    """The quick search finds violations at every other order, certified by bounds, and none at order 1."""
    records = lemma_one.run(quick=True)["records"]
    assert not lemma_one.refuted(records)
    for alpha in lemma_one.ALPHAS:
        certified = [r["example"]["bounds"][1] < 0 for r in records if r["alpha"] == alpha and r["family"] == "labels"]
        assert any(certified) == (alpha != 1)


def test_lemma_one_as_published_with_the_docs():
    """The committed search: nothing at order 1, and its examples give what they are said to give."""
    records = json.loads((ROOT / "experiments" / "results" / "lemma_one.json").read_text())["records"]
    assert not lemma_one.refuted(records)
    families = {kind.name: kind for kind in (lemma_one.Labels, lemma_one.GaussianKernels)}
    for record in records:
        family = families[record["family"]](record["variables"])
        again = lemma_one.certified_margin(family, record["example"], record["alpha"], record["bound"])
        assert float(again) == pytest.approx(record["example"]["margin"], abs=1e-6)


def test_two_variables_reduce_to_three_different_values(rng):
    """T* = I/min, D* = I/joint and the appendix's I* = I/max agree in bits only."""
    x = rng.normal(size=40)
    y = np.round(x + rng.normal(size=40))
    assert bits(sh.total_correlation, x, y) == pytest.approx(bits(sh.dual_total_correlation, x, y))
    assert bits(sh.total_correlation, x, y) == pytest.approx(bits(sh.mutual_information, x, y))
    dual, larger, total = sh.dual_total_correlation(x, y), sh.mutual_information(x, y), sh.total_correlation(x, y)
    assert dual + 0.01 < larger < total - 0.01


def test_pairwise_independence_is_not_enough():
    """T and D are not zero in case of pairwise independence: XOR has independent pairs, T = 1 and D = 2 bits."""
    a, b = np.array(list(product([False, True], repeat=2))).T
    noun = sh.Dependence({"a": a, "b": b, "xor": a ^ b})
    for pair in combinations(noun.names, 2):
        assert noun.mutual_information(*pair).value == pytest.approx(0.0, abs=1e-14)
    assert noun.total_correlation(normalize=False).value == pytest.approx(1.0)
    assert noun.dual_total_correlation(normalize=False).value == pytest.approx(2.0)


@pytest.mark.parametrize("alpha", [0.8, 1, 1.01, 2, 3.5])
def test_chain_holds_in_every_order(rng, alpha):
    """Eq. 3 is an identity in each of the L! orders; only estimates of its terms depend on the order."""
    columns = rng.normal(size=(4, 12)) + rng.normal(size=12)
    noun = sh.Dependence(*columns, alpha=alpha)
    total = noun.total_correlation(normalize=False).value
    for order in permutations(noun.names):
        joint = [0.0] + [noun.entropy(*order[: i + 1]).value for i in range(4)]
        chain = sum(noun.entropy(name).value - (joint[i + 1] - joint[i]) for i, name in enumerate(order))
        assert chain == pytest.approx(total, abs=1e-7)


def test_covers_must_be_exact():
    """At least k times makes an inequality, exactly k times a measure: else independent variables have a gap."""
    a, b, c = np.array(list(product([False, True], repeat=3))).T
    assert bits(sh.shearer_gap, a, b, c, cover=[[0], [1], [2]]) == pytest.approx(0.0, abs=1e-14)
    assert bits(sh.shearer_gap, a, b, c, cover=[[0, 1], [1, 2]]) == pytest.approx(1.0)


@pytest.mark.parametrize("alpha", [0.7, 1.5, 2, 3])
def test_gradient_of_entropy_lacks_a_constant(pair, alpha):
    """dS/dA as printed lacks 1/ln 2, and the term that keeps the trace at 1."""
    a, _, direction = pair
    measured = derivative(lambda m: spectral_entropy(m, alpha), a, direction)
    printed = alpha / (1 - alpha) * power(a, alpha - 1) / np.trace(power(a, alpha))
    correct = (printed - alpha / (1 - alpha) * np.eye(7) / np.trace(a)) / LN2
    assert np.sum(correct * direction) == pytest.approx(measured, rel=1e-5)
    assert np.sum(printed * direction) != pytest.approx(measured, rel=0.05)
    without_trace = direction - np.trace(direction) / 7 * np.eye(7)
    measured = derivative(lambda m: spectral_entropy(m, alpha), a, without_trace)
    assert np.sum(printed * without_trace) / LN2 == pytest.approx(measured, rel=1e-5)


@pytest.mark.parametrize("alpha", [0.7, 1.5, 2, 3])
def test_gradient_of_information_has_the_wrong_sign(pair, alpha):
    """dI/dA = dS(A)/dA - dS(A, B)/dA; the paper prints a plus."""
    a, b, direction = pair
    measured = derivative(lambda m: spectral_entropy(m, alpha) - spectral_entropy(m * b, alpha), a, direction)
    m = a * b
    factor = alpha / ((1 - alpha) * LN2)
    single = factor * (power(a, alpha - 1) / np.trace(power(a, alpha)) - np.eye(7) / np.trace(a))
    joint = factor * (power(m, alpha - 1) * b / np.trace(power(m, alpha)) - np.eye(7) * b / np.trace(m))
    assert np.sum((single - joint) * direction) == pytest.approx(measured, rel=1e-5)
    assert np.sum((single + joint) * direction) != pytest.approx(measured, rel=0.05)
    as_written = power(m, alpha - 1) * b / np.trace(m) ** alpha  # tr(A o B)^alpha read as (tr)^alpha
    wrong = factor * (as_written - np.eye(7) * b / np.trace(m))
    assert np.sum((single - wrong) * direction) != pytest.approx(measured, rel=0.05)


def test_gradient_at_order_one(pair):
    """-(ln A + S_nats I) / ln 2, which the printed form, 0/0 at order 1, does not give."""
    a, _, direction = pair
    values, vectors = np.linalg.eigh(a)
    nats = -np.sum(values * np.log(values))
    correct = -((vectors * np.log(values)) @ vectors.T + nats * np.eye(7)) / LN2
    measured = derivative(lambda m: spectral_entropy(m, 1), a, direction)
    assert np.sum(correct * direction) == pytest.approx(measured, rel=1e-5)


def test_an_eigenvalue_that_repeats_has_no_gradient():
    """d(lambda_i)/dA = v_i v_i^T needs a simple eigenvalue: at the identity the largest one has a kink."""
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    up, down = (np.linalg.eigvalsh(np.eye(2) / 2 + step * swap)[-1] - 0.5 for step in (1e-6, -1e-6))
    assert up == pytest.approx(1e-6)
    assert down == pytest.approx(1e-6)


def test_bound_on_the_error_entropy_needs_its_half():
    """H(e) <= 1/2 + 1/2 ln 2 pi + 1/2 ln E(e^2), equal for normal errors; without the last 1/2 it is no bound."""
    for spread in (0.1, 1.0, 10.0):
        normal = 0.5 * np.log(2 * np.pi * np.e * spread**2)
        assert normal == pytest.approx(0.5 + 0.5 * np.log(2 * np.pi) + 0.5 * np.log(spread**2))
    assert 0.5 * np.log(2 * np.pi * np.e * 0.1**2) > 0.5 + 0.5 * np.log(2 * np.pi) + np.log(0.1**2)


@pytest.mark.parametrize("count", [2, 3, 6])
def test_number_of_decompositions(count):
    """T* takes the L + 1 entropies of T, not one decomposition; D* takes L + 1, not 2 L; alpha = 2 takes none."""
    variables = range(count)
    total, dual = registry.total_correlation(variables), registry.dual_total_correlation(variables)
    ceiling = FORMS["rest"](variables)
    assert len(total.terms.keys() | set().union(*(part.terms for part in ceiling.parts))) == count + 1
    assert len(dual.terms) == count + 1
    columns = np.random.default_rng(0).normal(size=(count, 9))
    noun = sh.Dependence(*columns, alpha=2)
    assert noun.total_correlation().route == noun.dual_total_correlation().route == "frobenius"


def test_theorem_one_is_not_true_of_the_matrix_entropy(rng):
    """H(e | x) = H(y | x) for e = y - f(x): true of labels, false of kernels, so min I(x; e) is not min S(e)."""
    x = rng.integers(0, 3, size=60)
    y = x + rng.integers(0, 2, size=60)
    unexplained = [bits_left(y - f, x, DELTA) for f in (0 * x, x, x**2 - 5)]
    assert unexplained == pytest.approx([unexplained[0]] * 3)
    x = rng.normal(size=60)
    y = x + 0.3 * rng.normal(size=60)
    unexplained = [bits_left(y - f, x, sh.kernels.Gaussian(0.5)) for f in (0 * x, x, x**2)]
    assert max(unexplained) - min(unexplained) > 0.3


def bits_left(e, x, kernel):
    return sh.entropy(e, given=x, kernel=kernel)


def test_infinite_divisibility_is_not_needed(rng):
    """cos(s - t) is a kernel with negative entries, so no root of it is one; every bound holds all the same."""
    angles = rng.uniform(0, 2 * np.pi, size=(3, 9))
    kernels = {f"y{i}": np.cos(np.subtract.outer(t, t)) for i, t in enumerate(angles)}
    assert min(kernel.min() for kernel in kernels.values()) < -0.5
    for alpha in (0.5, 1, 1.01, 2, 5, np.inf):
        noun = sh.Dependence(kernels, alpha=alpha, kernel=sh.kernels.Precomputed())
        joint = noun.entropy().value
        assert all(noun.entropy(*pair).value <= joint + 1e-6 for pair in combinations(noun.names, 2))
        assert noun.total_correlation().value <= 1 + 1e-6
        if alpha == 1:
            assert noun.total_correlation().value >= 0
            assert noun.dual_total_correlation().value >= 0


def test_definition_two_needs_a_unit_diagonal():
    """Products of kernels that are not normalised: the joint can have less entropy than a variable."""
    first, second = np.eye(2), np.diag([1.0, 1e-3])
    assert spectral_entropy(first, 1) == pytest.approx(1.0)
    assert spectral_entropy(first * second, 1) < 0.02
    unit = second / np.sqrt(np.outer(np.diag(second), np.diag(second)))
    assert spectral_entropy(first * unit, 1) == pytest.approx(1.0)


def test_hsic_is_bounded_for_bounded_kernels(rng):
    """With 0 <= k <= 1, tr(KHLH)/n^2 <= 1: what is missing is a value that means full dependence, not a bound."""
    center = np.eye(20) - 1 / 20
    for width in (0.01, 0.3, 1.0, 5.0):
        x = rng.normal(size=20)
        kernel = np.exp(-(np.subtract.outer(x, x) ** 2) / (2 * width**2))
        assert 0 <= np.trace(kernel @ center @ kernel @ center) / 20**2 <= 1


@pytest.mark.parametrize("ours", [[0.68, 0.71, 0.75, 0.73, 0.58], [0.68, 0.71, 0.70, 0.83, 0.54]])
def test_signed_rank_test_of_table_four(ours):
    """T* and D* against LOF: four differences that are not 0, all of one sign, so p = 1/16 one-sided at best."""
    lof = [0.68, 0.46, 0.68, 0.42, 0.36]
    differences = [a - b for a, b in zip(ours, lof, strict=True) if a != b]
    assert len(differences) == 4
    ranks = np.argsort(np.argsort(np.abs(differences))) + 1
    observed = np.sum(ranks[np.array(differences) > 0])
    signs = np.array(list(product([0, 1], repeat=4)))
    assert np.mean(signs @ ranks >= observed) == 1 / 16 > 0.05


@pytest.mark.parametrize("panel", ["A", "B"])
def test_data_of_figure_two(panel):
    """Spearman's curve, which no kernel width enters, is that of the source's program and not that of the text."""
    lines = (ROOT / "experiments" / "published.csv").read_text().splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    drawn = {
        int(row["x"]): float(row["y"])
        for row in rows
        if row["item"] == f"fig2{panel.lower()}" and row["series"] == "Spearman"
    }

    def largest_distance(reading):
        apart = []
        for x, value in drawn.items():
            tables = [figure2.RELATIONS[f"{panel}-{reading}"](np.random.default_rng([x, k]), x + 1) for k in range(5)]
            found = np.mean([abs(sh.comparators.multivariate_spearman(table)) for table in tables])
            apart.append(abs(found - value))
        return max(apart)

    assert largest_distance("source") < 0.03
    assert largest_distance("text") > 0.3
