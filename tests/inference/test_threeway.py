"""Three-way terms: what models of pairs explain is not rejected, what they do not is found, of every kind."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg, stats

import shearer as sh
from shearer.data import read
from shearer.inference.threeway import contingency
from shearer.inference.threeway.axes import MOST_VECTOR_ROWS, axes_of, axis_of
from shearer.inference.threeway.contingency import count_test, fit_margins, unpaired
from shearer.inference.threeway.interaction import join_strata
from shearer.inference.threeway.loglinear import PairwiseFunctions, fit_pairwise, lift
from shearer.inference.threeway.term import ThreeWay, bytes_needed, three_way, three_way_of_axes
from shearer.pairs import limits


def rejected(draw, rows, trials, seed=11):
    pvalues = [three_way(read(*draw(np.random.default_rng([seed, k]), rows)).variables).pvalue for k in range(trials)]
    return np.mean(np.array(pvalues) <= 0.05)


def collider(g, n):
    a, b, e = g.normal(size=(3, n))
    return a, b, a + b + e


def curved(g, n):
    a, b, e = g.normal(size=(3, n))
    return a, b, np.sin(2 * a) + b**2 + 0.5 * e


def label_and_number(g, n):
    a, label = g.normal(size=n), g.integers(0, 3, n)
    return a, label.astype(str), a + label + g.normal(size=n)


def vectors(g, n):
    v = g.normal(size=(n, 2))
    return v, g.normal(size=n), v.sum(axis=1) + g.normal(size=n)


@pytest.mark.parametrize("draw", [collider, curved, label_and_number, vectors])
def test_models_of_pairs_are_not_rejected(draw):
    assert rejected(draw, 300, 10) <= 0.3  # 5 % in the long run: experiments/threeway.py


@pytest.mark.parametrize("rows", [300, 2000])
def test_products_are_found(rows):
    g = np.random.default_rng(1)
    a, b, e = g.normal(size=(3, rows))
    label = g.choice(["u", "v"], rows)
    sign = np.where(label == "u", 1, -1)
    for third in (a * b + e, np.sign(a * b) * np.abs(e), np.stack([a * b + e, g.normal(size=rows)], axis=1)):
        assert three_way(read(a, b, third).variables).pvalue < 1e-3
    found = three_way(read(label, b, sign * np.sign(b) * np.abs(e)).variables)
    assert found.pvalue < 1e-6
    assert found.added > 5 * found.error > 0


def test_beyond_doubt_is_not_a_pvalue_of_zero(rng):
    a, b = rng.normal(size=(2, 20000))
    numbers = three_way(read(a, b, a * b).variables)
    labels = count_test(np.array([[[9e3, 0, 10], [0, 9e3, 10]], [[0, 9e3, 10], [9e3, 0, 10]]]))
    assert numbers.pvalue == labels.pvalue == limits.SMALLEST_PVALUE


def test_bits_of_an_exclusive_or():
    """1 - h(0.2) bits, with the error that the spread over samples has."""
    values = []
    for seed in range(20):
        g = np.random.default_rng(seed)
        a, b = g.integers(0, 2, size=(2, 400))
        values.append(three_way(read(a, b, a ^ b ^ (g.random(400) < 0.2)).variables))
    added = np.array([one.added for one in values])
    assert abs(added.mean() - 0.278) < 4 * added.std() / np.sqrt(20)
    assert 0.5 < np.mean([one.error for one in values]) / added.std() < 2


def test_exact_law_of_eight_cells():
    """Given the margins one count is free: all tables with the same margins, gone through."""
    counts = np.array([[[5, 1], [2, 3]], [[0, 4], [3, 1]]], dtype=float)
    sign = np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])
    weights = {}
    for step in range(-10, 11):
        table = counts + step * sign
        if (table >= 0).all():
            weights[step] = 1 / np.prod([float(np.prod(np.arange(1, c + 1))) for c in table.ravel()])
    expected = sum(w for w in weights.values() if w <= weights[0] * (1 + 1e-9)) / sum(weights.values())
    assert np.isclose(count_test(counts).pvalue, expected)


@pytest.mark.parametrize("shape", [(3, 3, 3), (5, 4, 3), (2, 3, 2, 3)])
def test_degrees_are_the_ways_in_which_tables_of_the_same_margins_differ(shape):
    """Also of few rows, where margins leave no rows to many cells and tables fall into parts."""
    for seed in range(30):
        g = np.random.default_rng(seed)
        counts = np.zeros(shape)
        np.add.at(counts, tuple(g.integers(0, size, 10) // g.integers(1, 3, 10) for size in shape), 1)
        axes = range(counts.ndim)
        possible = np.logical_and.reduce([np.broadcast_to(counts.sum(k, keepdims=True) > 0, shape) for k in axes])
        sums = []
        for cell in np.argwhere(possible):
            one = np.zeros(shape)
            one[tuple(cell)] = 1
            sums.append(np.concatenate([one.sum(axis=axis).ravel() for axis in axes]))
        assert count_test(counts).degrees == linalg.null_space(np.array(sums).T).shape[1]


def test_bits_of_a_table_err_as_a_mean_over_its_rows(rng):
    """Logarithms of what is observed over what is expected, as one number for each row."""
    counts = rng.integers(20, 60, size=(3, 3, 2)).astype(float)
    counts[0, 0, 0] += 200
    found = count_test(counts)
    ratios = np.log2(counts / fit_margins(counts[None])[0])
    every = np.repeat(ratios.ravel(), counts.ravel().astype(int))
    assert found.error == pytest.approx(every.std() / np.sqrt(len(every)))
    assert found.added == pytest.approx(every.mean() - 4 / (2 * len(every) * np.log(2)))


def test_tables_whose_margins_leave_nothing_open():
    """Of one level, and with rows where each label has a level of its own: there is nothing to test."""
    diagonal = np.zeros((3, 3, 3))
    diagonal[np.arange(3), np.arange(3), np.arange(3)] = 7.0
    for counts in (np.ones((1, 3, 3)), diagonal):
        assert count_test(counts) == (0.0, 1.0, 0, 0.0, 0.0)


def test_fitted_margins():
    rng = np.random.default_rng(0)
    table = rng.integers(1, 20, size=(3, 4, 2)).astype(float)
    fitted = fit_margins(table[None])[0]
    for axis in range(3):
        assert np.allclose(fitted.sum(axis), table.sum(axis), atol=0.1)
    odds = np.log(fitted)
    contrast = odds[:, :, 1] - odds[:, :, 0]
    assert np.allclose(contrast - contrast[:1] - contrast[:, :1] + contrast[0, 0], 0, atol=1e-8)  # no three-way term


def test_rare_labels_hold_the_level():
    def draw(g, n):
        return tuple((g.random(n) < 0.1).astype(int) + (g.random(n) < 0.3).astype(int) for _ in range(3))

    assert rejected(draw, 60, 12) <= 0.3


def small_model():
    rng = np.random.default_rng(3)
    data = rng.normal(size=200), rng.choice(list("abc"), 200), rng.normal(size=(200, 2))
    axes = [axis_of(item, 7) for item in read(*data).variables]
    return rng, axes, tuple(len(axis.basis) for axis in axes)


def test_sums_and_information_are_those_of_the_functions():
    rng, axes, shape = small_model()
    functions = PairwiseFunctions.of(axes, 3)
    functions = PairwiseFunctions(functions.single, functions.paired, rng.normal(size=(2, *shape)))
    table = rng.random(shape)
    matrix = np.stack([functions.combine(unit).ravel() for unit in np.eye(sum(functions.sizes))], axis=1)
    assert np.allclose(functions.sums(table), matrix.T @ table.ravel())
    assert np.allclose(functions.information(table), matrix.T * table.ravel() @ matrix)


def test_a_fit_has_the_sums_of_the_table_and_residuals_are_orthogonal():
    rng, axes, shape = small_model()
    codes = np.ravel_multi_index([axis.codes for axis in axes], shape)
    observed = np.bincount(codes, minlength=np.prod(shape)).reshape(shape) / 200
    coarse, functions = PairwiseFunctions.of(axes, 1), PairwiseFunctions.of(axes, 2)
    fit = fit_pairwise(observed, coarse, 200)
    assert np.allclose(functions.combine(lift(fit.weights, coarse, functions)), coarse.combine(fit.weights))
    fit = fit_pairwise(observed, functions, 200, lift(fit.weights, coarse, functions))
    assert np.allclose(functions.sums(fit.fitted), functions.sums(observed), atol=2e-3)
    values = rng.normal(size=(2, *shape))
    assert np.allclose(functions.sums(fit.residuals(values)[0] * fit.fitted), 0, atol=1e-3)
    left = unpaired(values, fit.fitted)
    for axis in range(3):
        assert np.abs((left * fit.fitted).sum(axis + 1)).max() < 1e-3


def test_projections_are_those_of_least_squares_also_where_cells_are_empty(rng):
    law = rng.uniform(0.5, 1.5, size=(3, 4, 5))
    law[0, 1] = law[:, 2, 3] = 0.0
    law /= law.sum()
    cells = np.indices(law.shape).reshape(3, -1)
    indicators = []
    for sizes, codes in (((3, 4), cells[:2]), ((4, 5), cells[1:]), ((3, 5), cells[::2])):
        indicators.append(np.eye(np.prod(sizes))[np.ravel_multi_index(tuple(codes), sizes)])
    roots, values = np.sqrt(law.ravel()), rng.normal(size=(2, *law.shape))
    functions = np.concatenate(indicators, axis=1) * roots[:, None]
    weighted = values.reshape(2, -1).T * roots[:, None]
    expected = weighted - functions @ np.linalg.lstsq(functions, weighted, rcond=None)[0]
    assert np.allclose(unpaired(values, law).reshape(2, -1).T * roots[:, None], expected, atol=1e-3)


def test_what_a_term_adds_errs_as_much_as_it_says():
    """Bits that a product adds, over samples: they spread as their standard errors say."""
    found = []
    for seed in range(40):
        a, b, e = np.random.default_rng(seed).normal(size=(3, 300))
        found.append(three_way(read(a, b, a * b + e).variables))
    added, errors = np.array([[one.added, one.error] for one in found]).T
    assert errors.mean() == pytest.approx(added.std(ddof=1), rel=0.4)


def test_where_few_polynomials_do_not_fit_more_are_fitted(monkeypatch):
    """A richer model of pairs leaves less to what all three add; no more is left to it by what is not needed."""
    a, b, e = np.random.default_rng(0).normal(size=(3, 1000))
    variables = read(a, b, a * b + e).variables
    whole = three_way(variables)
    monkeypatch.setattr("shearer.inference.threeway.term.DEGREES", (3,))
    few = three_way(variables)
    assert few.added - whole.added > 2 * whole.error
    assert whole.added > 10 * whole.error


def test_functions_of_labels_are_1_and_indicators(rng):
    """The first is 1 and all others are of degree 1; of many levels the most frequent four take part in products."""
    for levels in (2, 3, 9):
        codes = np.concatenate([np.arange(levels), rng.integers(0, levels, 200)])
        axis = axis_of(read(codes.astype(str)).variables[0], 8)
        assert axis.basis[:, 0] == pytest.approx(np.ones(levels))
        assert axis.degrees.tolist() == [0] + [1] * (levels - 1)
        assert axis.saturated
        assert axis.tested.shape == (levels, min(levels - 1, 4))
        assert axis.basis.T * axis.shares @ axis.basis == pytest.approx(np.eye(levels), abs=1e-9)


def test_a_label_beside_numbers_takes_part_by_functions_of_degree_1(rng):
    for levels in ("uv", "uvw"):
        labels, number = rng.choice(list(levels), size=300), rng.normal(size=300)
        (joined,) = read({"a": labels, "b": number}, groups={"both": ["a", "b"]}).variables
        axis = axis_of(joined, 8)
        assert (axis.degrees[axis.leading] == 1).all()
        assert axis.leading.sum() == len(levels)  # indicators of all levels but one, and the number


def test_a_variable_of_one_class_has_no_term(rng):
    found = three_way(read(*rng.normal(size=(2, 50)), np.zeros(50)).variables)
    assert found == ThreeWay(statistic=0.0, pvalue=1.0, degrees=0, added=0.0, error=0.0)


def test_more_tables_are_drawn_where_few_leave_it_open():
    """A hundred tables cannot tell a chance of 0.055 from one of 0.06; where there is nothing, they are enough."""
    expected = np.full((3, 3, 3), 1.0)
    open_one, plain = (contingency._drawn(statistic, expected, 27.0, 0) for statistic in (14.0, 5.0))
    assert 0.01 < open_one < 0.2 < plain
    assert abs(1000 * open_one - round(1000 * open_one)) < 1e-6 < 1e-3 < abs(100 * open_one - round(100 * open_one))
    assert abs(100 * plain - round(100 * plain)) < 1e-6


def test_beyond_what_draws_show_a_gamma_law_counts():
    """Of a table of many rows it is that of chi-square, which has it as a case."""
    expected = np.full((3, 3, 3), 20.0)
    found = contingency._drawn(40.0, expected, expected.sum(), 0)
    assert np.log10(found) == pytest.approx(np.log10(stats.chi2.sf(40.0, 8)), abs=1.0)


@pytest.mark.parametrize(
    "data",
    [
        lambda g, n: (np.zeros(n), g.normal(size=n), g.normal(size=n)),
        lambda g, n: (g.normal(size=n),) * 3,
        lambda g, n: tuple(g.standard_cauchy((3, n)) * 1e300**0.5),
        lambda g, n: (g.poisson(0.1, n), g.poisson(0.1, n).astype(float), g.normal(size=n)),
        lambda g, n: (np.array([f"v{k}" for k in range(n)]), g.normal(size=n), g.normal(size=n)),
        lambda g, n: (g.normal(size=(n, 6)), g.normal(size=(n, 3)), g.normal(size=(n, 4))),
    ],
    ids=["constant", "copies", "Cauchy", "rare counts", "identifiers", "vectors"],
)
@pytest.mark.parametrize("rows", [6, 60])
def test_strange_input_has_an_answer(data, rows):
    found = three_way(read(*data(np.random.default_rng(0), rows)).variables)
    assert 0 <= found.pvalue <= 1
    assert found.pvalue > 0.001
    assert np.isfinite([found.statistic, found.added, found.error]).all()


def test_order_and_monotone_changes_do_not_matter():
    g = np.random.default_rng(2)
    a, b, e = g.normal(size=(3, 200))
    c = a * b + e
    first = three_way(read(a, b, c).variables)
    moved = three_way(read(c**3, np.exp(a), 5 * b).variables)
    assert np.isclose(first.statistic, moved.statistic, rtol=1e-2)


def test_two_claims():
    g = np.random.default_rng(0)
    a, b, e = g.normal(size=(3, 300))
    total = sh.interaction_test(a, b, a + b + e)
    assert total.split_pvalue < 1e-6 < 0.05 < total.pvalue
    assert total.kind == "synergistic"
    product = sh.interaction_test(a, b, a * b + e)
    assert max(product.pvalue, product.split_pvalue) < 1e-6
    assert product.kind == "synergistic"
    assert "adds" in str(product)
    alike = sh.interaction_test(a, a + 0.3 * b, a + 0.3 * e)
    assert alike.kind == "redundant"
    assert sh.interaction_test(*g.normal(size=(3, 300))).kind == "unclear"
    assert sh.interaction_test(*g.normal(size=(3, 10))).kind == "unclear"


class TestGivenLabels:
    def test_within_levels(self, rng):
        a, b, e = rng.normal(size=(3, 300))
        label = rng.choice(["u", "v"], size=300)
        found = sh.interaction_test(a, b, np.where(label == "u", a * b, -a * b) + e, given=label)
        assert found.pvalue < 1e-3  # of both levels together the term cancels
        assert found.given == ("given1",)
        assert "given given1" in str(found)
        assert found.rows == 300

    def test_shifts_by_a_label_are_no_term(self, rng):
        label = rng.integers(0, 2, size=300)
        shifted = rng.normal(size=(3, 300)) + 3 * label
        found = sh.interaction_test(*shifted, given=np.where(label == 1, "u", "v"))
        assert found.split_pvalue > 0.01
        assert found.pvalue > 0.01

    def test_one_level_is_the_test_of_its_rows(self, rng):
        a, b, c = rng.normal(size=(3, 80))
        label = np.array(["u"] * 70 + ["v"] * 10)  # too few of the second
        found = sh.interaction_test(a, b, c, given=label)
        assert found.pvalue == sh.interaction_test(a[:70], b[:70], c[:70]).pvalue
        assert found.rows == 70

    def test_levels_are_joined_by_their_rows(self, rng):
        """Means over rows, their errors as those of a weighted mean, and Fisher's p-value."""
        few, many = (sh.interaction_test(*rng.normal(size=(3, rows))) for rows in (100, 300))
        few, many = (replace(own, added_error=error) for own, error in ((few, 0.4), (many, 0.1)))
        found = join_strata([few, many], ("label",))
        assert found.rows == 400
        assert found.added == pytest.approx(few.added / 4 + 3 * many.added / 4)
        assert found.added_error == pytest.approx(np.hypot(0.4 / 4, 3 * 0.1 / 4))
        errors = few.o_information_error / 4, 3 * many.o_information_error / 4
        assert found.o_information_error == pytest.approx(np.hypot(*errors))
        both = few.pvalue * many.pvalue
        assert found.pvalue == pytest.approx(both * (1 - np.log(both)))

    def test_what_is_refused(self, rng):
        a, b, c = rng.normal(size=(3, 60))
        with pytest.raises(ValueError, match="given: expected labels, got numbers"):
            sh.interaction_test(a, b, c, given=rng.normal(size=60))
        with pytest.raises(ValueError, match="at least 20 rows of a level"):
            sh.interaction_test(a, b, c, given=[f"row {k // 6}" for k in range(60)])
        with pytest.raises(ValueError, match="exactly 3 variables besides given"):
            sh.interaction_test(a, b, given=["u", "v"] * 30)


class TestVectors:
    def test_more_rows_reject_no_model_of_pairs(self):
        """Classes of two coordinates are wide: with all rows this was always rejected, and took gigabytes."""
        rejections = 0
        for seed in range(4):
            g = np.random.default_rng(seed)
            x = g.normal(size=(20_000, 2))
            y = np.tanh(x @ g.normal(size=(2, 2))) + 0.5 * g.normal(size=x.shape)
            z = x**2 + 0.7 * g.normal(size=x.shape)
            axes = axes_of(read(x, y, z).variables)
            assert len(axes[0].codes) == MOST_VECTOR_ROWS
            assert bytes_needed(axes) < 1e9
            rejections += three_way_of_axes(axes).pvalue <= 0.01
        assert rejections <= 1

    def test_a_product_of_coordinates_is_found(self, rng):
        x, y, e = rng.normal(size=(3, 3000, 2))
        assert sh.interaction_test(x, y, x * y + 0.3 * e).pvalue < 1e-6

    def test_rare_levels_beside_numbers_count_as_one(self, rng):
        labels, number = rng.integers(0, 12, size=800).astype(str), rng.normal(size=800)
        (joined,) = read({"a": labels, "b": number}, groups={"both": ["a", "b"]}).variables
        assert len(axis_of(joined, 13).basis) <= 64

    def test_memory_is_asked_for(self, rng):
        with pytest.raises(sh.MemoryBudgetError, match="fewer rows"):
            sh.interaction_test(*rng.normal(size=(3, 400, 2)), memory="1MB")


def test_bands_of_cells_do_not_matter(monkeypatch, rng):
    variables = read(*rng.normal(size=(3, 400))).variables
    whole = three_way(variables)
    monkeypatch.setattr("shearer.inference.threeway.loglinear._BAND", 100)
    monkeypatch.setattr("shearer.inference.threeway.contingency._BAND", 1)
    assert three_way(variables).pvalue == pytest.approx(whole.pvalue, rel=1e-6)
