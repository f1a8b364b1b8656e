"""Terms of four and more variables: models of fewer are not rejected, parities are found, of every kind."""

import math
from functools import reduce
from itertools import combinations, product

import numpy as np
import pytest
from scipy import optimize, special

import shearer as sh
from shearer.data import read
from shearer.inference.threeway.axes import axis_of
from shearer.inference.threeway.contingency import count_test, fit_margins, unpaired
from shearer.inference.threeway.set_term import (
    _Fit,
    _lower_functions,
    joint_products,
    rank_functions,
    set_axes,
    set_term,
)
from shearer.inference.threeway.term import score_test, three_way


def chain(g, n):
    a, e, f, h = g.normal(size=(4, n))
    b = a + e
    c = b + f
    return a, b, c, c + h


def products_of_two(g, n):
    a, b, e, f = g.normal(size=(4, n))
    c = a * b + e
    return a, b, c, a * np.tanh(c) + f


def labels_of_three(g, n):
    a, b = g.integers(0, 2, size=(2, n))
    c = a ^ b ^ (g.random(n) < 0.1)
    return a, b, c, c ^ (g.random(n) < 0.2)


@pytest.mark.parametrize("draw", [chain, products_of_two, labels_of_three])
def test_models_of_three_are_not_rejected(draw):
    pvalues = [set_term(read(*draw(np.random.default_rng([5, k]), 400)).variables).pvalue for k in range(8)]
    assert np.mean(np.array(pvalues) <= 0.05) <= 0.25  # 5 % in the long run: experiments/setterms.py


def test_functions_of_fewer_variables_have_the_degrees_of_their_stage(rng):
    """Of two variables at most 3 each and two beyond one each, of three at most 2 each and one beyond."""
    axes = [axis_of(variable, 5) for variable in read(*rng.normal(size=(4, 400))).variables]
    count = len(list(_lower_functions(axes, ((3, 2), (2, 1)))))
    pairs = sum(a + b <= 4 for a, b in product((1, 2, 3), repeat=2))
    threes = sum(a + b + c <= 4 for a, b, c in product((1, 2), repeat=3))
    assert count == 1 + 4 * 4 + 6 * pairs + 4 * threes


@pytest.mark.parametrize("count", [4, 5])
def test_parities_are_found(count):
    g = np.random.default_rng(2)
    numbers = g.normal(size=(count, 600))
    numbers[-1] = np.abs(numbers[-1]) * np.sign(numbers[:-1].prod(axis=0))
    found = set_term(read(*numbers).variables)
    assert found.pvalue < 1e-12
    assert found.added > 5 * found.error
    labels = set_term(read(*np.sign(numbers)).variables)
    assert labels.added == pytest.approx(1.0, abs=0.02)
    mixed = [np.where(numbers[0] > 0, "u", "v"), *numbers[1:]]
    assert set_term(read(*mixed).variables).pvalue < 1e-12


def test_a_fit_has_the_greatest_likelihood_also_where_margins_are_empty():
    """But for what a small square of all weights takes from it: a hundredth of a row, against another minimiser."""
    counts = np.ones((2, 2, 2, 2))
    counts[0, 0] = counts[1, 1] = counts[:, 0, 1, 0] = 0
    shares, rows = counts / counts.sum(), 1000
    signs = [np.array([-1.0, 1.0]).reshape([-1 if axis == place else 1 for axis in range(4)]) for place in range(4)]
    sets = [some for size in range(4) for some in combinations(signs, size)]
    functions = np.stack([math.prod(some, start=np.ones(counts.shape)).ravel() for some in sets])
    margins = [shares.sum(axis=tuple({*range(4)} - {place})) for place in range(4)]
    base = reduce(np.multiply.outer, margins).ravel()

    def loss(weights):
        logs = weights @ functions
        return rows * (base @ np.exp(logs) - shares.ravel() @ logs) + 0.01 / 2 * weights @ weights

    best = optimize.minimize(loss, np.zeros(len(functions)), method="BFGS").fun
    assert loss(np.zeros(len(functions))) > best + 500
    assert loss(_Fit(shares, functions, rows, None).weights) == pytest.approx(best, abs=0.01)


def test_all_functions_of_coarse_classes_count_where_polynomials_reject():
    """A weak parity: the p-value is that of a table of four classes each, against every model of three of them."""
    g = np.random.default_rng(17)
    a, b, c, d = g.normal(size=(4, 400))
    d = np.where(g.random(400) < 0.13, np.abs(d) * np.sign(a * b * c), d)
    variables = read(a, b, c, d).variables
    axes = set_axes(variables)[1]
    table = np.zeros([len(axis.basis) for axis in axes])
    np.add.at(table, tuple(axis.codes for axis in axes), 1 / 400)
    fitted = fit_margins(table[None])[0]
    products = joint_products([rank_functions(axis) for axis in axes])
    expected = score_test(table, fitted, unpaired(products, fitted), 400)
    assert 1e-4 < expected.pvalue < 0.1
    assert set_term(variables).pvalue == pytest.approx(expected.pvalue, rel=1e-6)


def test_exact_test_of_sixteen_cells(rng):
    """Given all margins of three one count is free: its law over all tables that these margins allow."""
    counts = rng.integers(1, 6, size=(2, 2, 2, 2)).astype(float)
    sign = np.array([(-1.0) ** sum(cell) for cell in product((0, 1), repeat=4)]).reshape(2, 2, 2, 2)
    tables = [counts + step * sign for step in range(-10, 11)]
    chances = [np.exp(-special.gammaln(table + 1).sum()) if table.min() >= 0 else 0.0 for table in tables]
    own = np.exp(-special.gammaln(counts + 1).sum())
    expected = sum(chance for chance in chances if chance <= own * (1 + 1e-9)) / sum(chances)
    assert count_test(counts).pvalue == pytest.approx(expected)
    fitted = fit_margins(counts[None])[0]
    for axis in range(4):
        np.testing.assert_allclose(fitted.sum(axis=axis), counts.sum(axis=axis), rtol=1e-3)
    free = rng.integers(1, 9, size=(3, 2, 3, 2)).astype(float)
    assert count_test(free).degrees == 2 * 1 * 2 * 1


def test_functions_of_ranks_are_bounded_and_orthonormal(rng):
    for values in (rng.standard_cauchy(200), np.exp(3 * rng.normal(size=200)), rng.integers(0, 12, 200)):
        axis = axis_of(read(np.asarray(values, dtype=float)).variables[0], 8)
        functions = rank_functions(axis)
        np.testing.assert_allclose(functions.T * axis.shares @ functions, np.eye(2), atol=1e-9)
        np.testing.assert_allclose(axis.shares @ functions, 0.0, atol=1e-9)
        assert np.abs(functions).max() < 3.0


def test_order_and_monotone_changes_do_not_matter(rng):
    a, b, c, e = rng.normal(size=(4, 300))
    d = a * b * c + e
    first = set_term(read(a, b, c, d).variables)
    again = set_term(read(np.exp(d), c, b**3, a).variables)
    assert again.pvalue == pytest.approx(first.pvalue, rel=0.05)
    assert again.added == pytest.approx(first.added, abs=3e-3)


def test_strange_input_has_an_answer(rng):
    constant = set_term(read(*rng.normal(size=(3, 50)), np.ones(50)).variables)
    assert (constant.pvalue, constant.added) == (1.0, 0.0)
    copies = rng.normal(size=200)
    assert set_term(read(copies, copies, copies, copies).variables).pvalue > 0.001
    for rows in (6, 20):
        assert 0 <= set_term(read(*rng.normal(size=(4, rows))).variables).pvalue <= 1
    levels = [np.char.add("v", rng.integers(0, 30, 300).astype(str)) for _ in range(4)]
    assert 0 <= set_term(read(*levels).variables).pvalue <= 1
    vectors = rng.normal(size=(4, 200, 2))
    assert set_term(read(*vectors).variables).pvalue > 0.001


def test_interaction_test_of_four(rng):
    a, b, c, e = rng.normal(size=(4, 300))
    found = sh.interaction_test(a, b, c, np.sign(a * b * c) * np.abs(e))
    assert found.pvalue < 1e-9
    assert found.components == ()
    assert np.isnan(found.split_pvalue)
    assert "(fewer explain them)" in str(found)
    three = sh.interaction_test(a, b, a * b + e)
    assert three.pvalue == three_way(read(a, b, a * b + e).variables).pvalue
    assert "(pairs explain them)" in str(three)
    with pytest.raises(ValueError, match="3 to 6 variables"):
        sh.interaction_test(*rng.normal(size=(7, 50)))
    with pytest.raises(ValueError, match="exactly 3 variables besides given"):
        sh.interaction_test(a, b, c, e, given=np.where(a > 0, "u", "v"))
