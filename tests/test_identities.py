"""Identities and inequalities among the measures, over random inputs (docs: theory)."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shearer as sh

ORDERS = st.sampled_from([0.5, 1, 1.01, 2, 3, 5, np.inf])
LABELS = np.array(list("abc"))


@st.composite
def tables(draw, least=3, most=4):
    """A few rows of numbers, vectors and labels that depend on each other in part."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(3, 12))
    common = rng.normal(size=rows)
    kinds = {
        "normal": lambda: rng.normal(size=rows),
        "shared": lambda: common + 0.5 * rng.normal(size=rows),
        "square": lambda: common**2,
        "vector": lambda: common[:, None] + rng.normal(size=(rows, 2)),
        "labels": lambda: LABELS[rng.integers(0, 3, size=rows)],
        "sign": lambda: common > 0,
    }
    chosen = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=least, max_size=most))
    return {f"y{i + 1}": kinds[kind]() for i, kind in enumerate(chosen)}


def close(value, alpha=1):
    """Below order 1 the round-off of eigenvalues near 0 enters at the power alpha."""
    return pytest.approx(float(value), abs=1e-5 if alpha < 1 else 1e-9)


def bits(noun, measure, *names):
    """A measure of some of the variables in bits; no dependence where there are fewer than two of them."""
    return getattr(noun, measure)(*names, normalize=False).value if len(names) > 1 else 0.0


def with_rest(noun, name):
    """I(y^i; all the others), from entropies."""
    rest = [other for other in noun.names if other != name]
    return noun.entropy(name).value + noun.entropy(*rest).value - noun.entropy().value


@settings(max_examples=25)
@given(tables())
def test_total_correlation_is_a_chain_in_every_order(table):
    """Paper Eq. 3: T = sum_i H(y^i) - H(y^i | those before it), with conditional entropies from given=."""
    noun = sh.Dependence(table)
    total = noun.total_correlation(normalize=False).value
    unexplained = {
        (name, frozenset(before)): sh.Dependence(table, given=list(before)).entropy(name).value
        for name in table
        for size in range(len(table))
        for before in combinations([other for other in table if other != name], size)
    }
    for order in permutations(table):
        steps = [noun.entropy(y).value - unexplained[y, frozenset(order[:i])] for i, y in enumerate(order)]
        assert min(steps) >= -1e-9
        assert sum(steps) == close(total)


@settings(max_examples=25)
@given(tables())
def test_dual_total_correlation_is_what_no_variable_has_alone(table):
    """Paper Eq. 6: D = H - sum_i H(y^i | all the others); and its chain of conditional informations, in every order."""
    noun = sh.Dependence(table)
    dual = noun.dual_total_correlation(normalize=False).value
    alone = {y: sh.Dependence(table, given=[z for z in table if z != y]).entropy().value for y in table}
    assert noun.entropy().value - sum(alone.values()) == close(dual)
    for order in permutations(table):
        before = [
            noun.entropy(*order[: i + 1]).value - (noun.entropy(*order[:i]).value if i else 0.0)
            for i in range(len(order))
        ]
        steps = [gained - alone[y] for gained, y in zip(before, order, strict=True)]
        assert min(steps) >= -1e-9
        assert sum(steps) == close(dual)


@given(tables())
def test_lemma_one_at_order_one(table):
    """T and D are at least I(y^i; rest), for every i."""
    noun = sh.Dependence(table)
    largest = max(with_rest(noun, name) for name in table)
    assert bits(noun, "total_correlation", *table) >= largest - 1e-9
    assert bits(noun, "dual_total_correlation", *table) >= largest - 1e-9


@given(tables(), ORDERS)
def test_margins_of_lemma_one(table, alpha):
    """T - I(y^i; rest) = T(rest) and D - I(y^i; rest) = D(rest | y^i), at every order."""
    noun = sh.Dependence(table, alpha=alpha)
    for name in table:
        rest = [other for other in table if other != name]
        shared = with_rest(noun, name)
        given_one = sh.Dependence(table, alpha=alpha, given=name)
        assert bits(noun, "total_correlation", *table) - shared == close(bits(noun, "total_correlation", *rest), alpha)
        assert bits(noun, "dual_total_correlation", *table) - shared == close(
            bits(given_one, "dual_total_correlation", *rest), alpha
        )


@st.composite
def atoms(draw, most_bits=8):
    """How many independent bits each non-empty set of variables shares, and the variables made of them."""
    count = draw(st.integers(2, 4))
    members = [chosen for size in range(1, count + 1) for chosen in combinations(range(count), size)]
    sizes, left = {}, most_bits
    for chosen in draw(st.permutations(members)):
        sizes[chosen] = draw(st.integers(0, min(2, left)))
        left -= sizes[chosen]
    owners = [chosen for chosen, size in sizes.items() for _ in range(size)]
    rows = np.arange(2 ** len(owners))
    table = {}
    for i in range(count):
        held = [bit for bit, owner in enumerate(owners) if i in owner]
        table[f"y{i + 1}"] = np.array([" ".join(str(row >> bit & 1) for bit in held) or "-" for row in rows])
    return sizes, table


@settings(max_examples=30)
@given(atoms().filter(lambda made: len(made[1]["y1"]) > 1), ORDERS)
def test_overlaps(made, alpha):
    """T counts what m variables share m - 1 times, D once; co-information what all share; at every order."""
    sizes, table = made
    noun = sh.Dependence(table, alpha=alpha)
    times = {"total_correlation": lambda m: m - 1, "dual_total_correlation": lambda m: int(m > 1)}
    for measure, multiplicity in times.items():
        expected = sum(size * multiplicity(len(owner)) for owner, size in sizes.items())
        assert bits(noun, measure, *table) == close(expected)
    assert noun.co_information().value == close(sizes[tuple(range(len(table)))])
    for owner, size in sizes.items():
        assert moebius_atom(noun, owner) == close(size)


def moebius_atom(noun, owner):
    """What exactly these variables share, by inclusion and exclusion of joint entropies."""
    names = noun.names
    others = [name for i, name in enumerate(names) if i not in owner]
    inside = [names[i] for i in owner]
    total = 0.0
    for size in range(len(inside) + 1):
        for chosen in combinations(inside, size):
            joint = [*others, *chosen]
            total -= (-1) ** size * (noun.entropy(*joint).value if joint else 0.0)
    return total


@given(tables(), ORDERS)
def test_ends_of_the_family(table, alpha):
    """Single variables give T, all but one give D / (L - 1), at every order."""
    noun = sh.Dependence(table, alpha=alpha)
    last = len(table) - 1
    raw = {size: noun.shearer_gap(size=size, normalize=False).value for size in (1, last)}
    assert noun.shearer_gap(size=1, normalize="marginal").value == close(noun.total_correlation(), alpha)
    assert noun.shearer_gap(size=last, normalize="joint").value == close(noun.dual_total_correlation(), alpha)
    assert raw[1] == close(bits(noun, "total_correlation", *table), alpha)
    assert last * raw[last] == close(bits(noun, "dual_total_correlation", *table), alpha)


@given(tables(least=3, most=5))
def test_gaps_along_the_sizes(table):
    """Han's inequalities at order 1: gaps in bits fall with the size and stay above 0; over the joint they rise.

    With g(k) the mean entropy of k variables, concave in k, the gap is L g(k)/k - g(L), and the gap over the joint is
    proportional to the slope of the chord of g(k) - k g(L)/L from k to L.
    """
    noun = sh.Dependence(table)
    sizes = range(1, len(table))
    raw = [noun.shearer_gap(size=size, normalize=False).value for size in sizes]
    joint = [noun.shearer_gap(size=size, normalize="joint").value for size in sizes]
    assert np.all(np.diff(raw) <= 1e-9)
    assert np.all(np.diff(joint) >= -1e-9)
    assert raw[-1] >= -1e-9
    assert -1e-9 <= joint[0] <= joint[-1] + 1e-9 <= 1 + 1e-8
    for size, value, gap in zip(sizes, joint, raw, strict=True):
        assert value * (len(table) / size - 1) * noun.entropy().value == close(gap)


@given(tables(), ORDERS, st.randoms(use_true_random=False))
def test_order_of_the_variables(table, alpha, random):
    names = list(table)
    random.shuffle(names)
    noun, shuffled = (sh.Dependence({name: table[name] for name in order}, alpha=alpha) for order in (table, names))
    for size in range(1, len(table)):
        raw = {"size": size, "normalize": False}
        assert noun.shearer_gap(**raw).value == close(shuffled.shearer_gap(**raw), alpha)
    for measure in ("o_information", "s_information", "co_information"):
        assert getattr(noun, measure)().value == close(getattr(shuffled, measure)(), alpha)
        assert getattr(noun, measure)(*names).value == close(getattr(noun, measure)(), alpha)


@given(tables(least=3, most=3), ORDERS, st.floats(0.1, 10))
def test_fractional_covers(table, alpha, weight):
    """Half of every pair of three covers each variable once: the gap of size 2, whatever the common weight."""
    noun = sh.Dependence(table, alpha=alpha)
    pairs = [list(pair) for pair in combinations(table, 2)]
    for normalize in (False, "joint"):
        expected = noun.shearer_gap(size=2, normalize=normalize).value
        for weights in ([0.5] * 3, [weight] * 3, None):
            found = noun.shearer_gap(cover=pairs, weights=weights, normalize=normalize).value
            assert found == close(expected, alpha)


@given(tables(least=3, most=3), st.floats(0.05, 0.95))
def test_mixtures_of_covers(table, share):
    """Covers that are exact may be mixed: the gap of the mixture is the mixture of the gaps."""
    noun = sh.Dependence(table)
    a, b, c = table
    singles, split = [[a], [b], [c]], [[a, b], [c]]
    gaps = [noun.shearer_gap(cover=cover, normalize=False).value for cover in (singles, split)]
    weights = [share] * 3 + [1 - share] * 2
    mixed = noun.shearer_gap(cover=[*singles, *split], weights=weights, normalize=False).value
    assert mixed == close(share * gaps[0] + (1 - share) * gaps[1])
    assert min(*gaps, mixed) >= -1e-9


@given(tables(least=2), ORDERS)
def test_sums_and_differences(table, alpha):
    """O = T - D, S = T + D = sum_i I(y^i; rest), at every order."""
    noun = sh.Dependence(table, alpha=alpha)
    total, dual = (bits(noun, f"{kind}total_correlation", *table) for kind in ("", "dual_"))
    assert noun.o_information().value == close(total - dual, alpha)
    assert noun.s_information().value == close(total + dual, alpha)
    assert noun.s_information().value == close(sum(with_rest(noun, name) for name in table), alpha)


@given(tables(least=3, most=3), ORDERS)
def test_co_information_of_two_and_three(table, alpha):
    """I of two variables; O of three, which is also I(a; b) - I(a; b | c)."""
    noun = sh.Dependence(table, alpha=alpha)
    a, b, c = table
    shared = noun.mutual_information(a, b, normalize=False).value
    explained = sh.Dependence(table, alpha=alpha, given=c).mutual_information(normalize=False).value
    assert noun.co_information(a, b).value == close(shared, alpha)
    assert noun.co_information().value == close(noun.o_information(), alpha)
    assert noun.co_information().value == close(shared - explained, alpha)


@given(tables(least=2, most=2), ORDERS)
def test_two_variables(table, alpha):
    """T = D = I in bits; T* = I/min, D* = I/joint, I* = I/max by default."""
    noun = sh.Dependence(table, alpha=alpha)
    shared = noun.mutual_information(normalize=False).value
    assert bits(noun, "total_correlation", *table) == close(shared, alpha)
    assert bits(noun, "dual_total_correlation", *table) == close(shared, alpha)
    assert noun.total_correlation().value == close(noun.mutual_information(normalize="min"), alpha)
    assert noun.dual_total_correlation().value == close(noun.mutual_information(normalize="joint"), alpha)
    assert noun.mutual_information().value == close(noun.mutual_information(normalize="max"), alpha)
