"""Laws that hold for every input, searched for counterexamples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shearer as sh

ALPHAS = st.sampled_from([0.5, 0.9, 1, 1.01, 1.5, 2, 3, 5, np.inf])


@st.composite
def tables(draw, least=2, most=4):
    """Variables of mixed kinds: numbers with ties and heavy tails, vectors, labels, constants."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 24))
    common = rng.normal(size=n)
    kinds = {
        "normal": lambda: rng.normal(size=n),
        "tied": lambda: np.round(common + rng.normal(size=n)),
        "heavy": lambda: rng.standard_cauchy(size=n),
        "vector": lambda: common[:, None] + rng.normal(size=(n, 3)),
        "labels": lambda: np.array(list("abc"))[rng.integers(0, 3, size=n)],
        "function": lambda: common**2,
        "constant": lambda: np.full(n, 3.0),
    }
    chosen = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=least, max_size=most))
    return {f"v{i}": kinds[kind]() for i, kind in enumerate(chosen)}


def measures(table, alpha, **options):
    noun = sh.Dependence(table, alpha=alpha, **options)
    first = noun.names[:2]
    return np.array(
        [
            noun.entropy().value,
            noun.total_correlation().value,
            noun.dual_total_correlation().value,
            noun.mutual_information(*first).value,
            noun.mutual_information(*first, normalize="sqrt").value,
        ]
    )


def tolerance(alpha):
    """Round-off of eigenvalues near 0 enters at the power alpha."""
    return 1e-5 if alpha < 1 else 1e-9


@given(tables(), ALPHAS, st.randoms(use_true_random=False))
def test_order_of_variables(table, alpha, random):
    names = list(table)
    random.shuffle(names)
    before = sh.Dependence(table, alpha=alpha)
    after = sh.Dependence({name: table[name] for name in names}, alpha=alpha)
    for measure in ("total_correlation", "dual_total_correlation", "entropy"):
        assert float(getattr(before, measure)()) == pytest.approx(
            float(getattr(after, measure)()), abs=tolerance(alpha)
        )


@given(tables(), ALPHAS, st.integers(0, 1000))
def test_order_of_rows(table, alpha, seed):
    order = np.random.default_rng(seed).permutation(len(table["v0"]))
    shuffled = {name: column[order] for name, column in table.items()}
    assert measures(table, alpha) == pytest.approx(measures(shuffled, alpha), abs=tolerance(alpha))


@given(tables(), ALPHAS, st.floats(-300, 300), st.integers(-8, 8))
def test_scale_and_shift_of_each_variable(table, alpha, exponent, shift):
    """A power of two and an integer shift change no digit that matters; other factors only round-off."""
    moved = {
        name: column if column.dtype.kind == "U" else (column * 2.0 ** int(exponent)) + shift * 2.0 ** int(exponent)
        for name, column in table.items()
    }
    assert measures(table, alpha) == pytest.approx(measures(moved, alpha), abs=max(tolerance(alpha), 1e-7))


@given(tables())
def test_bounds_at_one(table):
    noun = sh.Dependence(table)
    total, dual = noun.total_correlation(), noun.dual_total_correlation()
    for estimate in (total, dual):
        assert -1e-9 <= estimate.value <= 1 + 1e-9
        assert estimate.lower <= estimate.value <= estimate.upper
    assert 0 <= noun.entropy().value <= np.log2(noun.rows) + 1e-9


@given(tables(), ALPHAS)
def test_upper_bound_at_every_order(table, alpha):
    noun = sh.Dependence(table, alpha=alpha)
    assert noun.total_correlation().value <= 1 + tolerance(alpha)
    assert noun.dual_total_correlation().value <= 1 + tolerance(alpha)


@given(tables(), ALPHAS)
def test_entropy_is_monotone(table, alpha):
    """Adding a variable never lowers the joint entropy, at any order (majorisation)."""
    noun = sh.Dependence(table, alpha=alpha)
    joint = noun.entropy().value
    for left_out in noun.names:
        rest = noun.entropy(*(name for name in noun.names if name != left_out)).value
        assert rest <= joint + tolerance(alpha)


@given(tables(), st.sampled_from([(0.5, 1), (1, 1.01), (1.01, 2), (2, 3), (3, np.inf), (1, np.inf)]))
def test_entropy_falls_with_the_order(table, orders):
    small, large = (sh.entropy(table, alpha=alpha) for alpha in orders)
    assert small >= large - 1e-7


@given(tables(), ALPHAS)
def test_a_constant_changes_nothing(table, alpha):
    n = len(table["v0"])
    with_constant = sh.Dependence({**table, "same": np.zeros(n)}, alpha=alpha)
    assert float(with_constant.total_correlation(normalize=False)) == pytest.approx(
        float(sh.Dependence(table, alpha=alpha).total_correlation(normalize=False)), abs=tolerance(alpha)
    )


@given(tables(least=3, most=3))
def test_conditional_mutual_information_is_not_negative_at_one(table):
    noun = sh.Dependence(table, given="v2")
    assert noun.mutual_information(normalize=False).value >= -1e-9


@given(tables(), ALPHAS)
def test_bounds_contain_the_value(table, alpha):
    noun = sh.Dependence(table, alpha=alpha)
    for estimate in (noun.entropy(), noun.total_correlation(), noun.dual_total_correlation()):
        assert estimate.certified
        assert estimate.lower <= estimate.value <= estimate.upper
