"""The strength of a pair against whole matrices, what is known of it, and its interval."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import shearer as sh
from shearer.data import read
from shearer.kernels import Gaussian
from shearer.pairs import limits
from shearer.pairs.engine import PairTests
from shearer.pairs.rungs import rung_widths, unit_scale
from shearer.pairs.sides import Ladders
from shearer.pairs.statistics import rungs_of_pairs
from shearer.pairs.strength import (
    Influences,
    Turned,
    chance_deviation,
    gain_of_choice,
    signed_root,
    squared_interval,
)
from shearer.pairs.sums import drawn_together
from shearer.sketching import PairSketch


def u_centered(similar):
    n = len(similar)
    m = similar - np.diag(np.diag(similar))
    r = m.sum(axis=1)
    u = m - np.add.outer(r, r) / (n - 2) + r.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(u, 0.0)
    return u


def alignment(x, y):
    return np.vdot(x, y) / np.sqrt(np.vdot(x, x) * np.vdot(y, y))


def gaussian(x, width):
    return np.exp(-(np.subtract.outer(x, x) ** 2) / width**2)


def kernel_at(x, width):
    return u_centered(gaussian(x, width))


def judged(**columns):
    return PairTests.of(read(columns, missing="pairwise", pairwise=True)).judged(slice(None), slice(None))


def centered_eigenvalues(similar):
    center = np.eye(len(similar)) - 1 / len(similar)
    return np.linalg.eigvalsh(center @ similar @ center)[::-1]


def lawley(eigenvalues, n):
    """One eigenvalue after the other."""
    some = np.maximum(eigenvalues, 0.0)
    found = []
    for a in some:
        moved = sum(a * b / n * (a - b) / ((a - b) ** 2 + a * b / n) for b in some if a * b > 0)
        found.append(max(a - moved, 0.0))
    return np.array(found)


def share(first, second):
    """The alignment of two similarities over the cosine of their eigenvalues, from whole matrices."""
    one, other = (lawley(centered_eigenvalues(own), len(own)) for own in (first, second))
    attainable = one @ other / np.sqrt((one @ one) * (other @ other))
    return alignment(u_centered(first), u_centered(second)) / attainable


def test_one_width_is_the_share_of_whole_matrices(rng):
    x, y = rng.normal(size=(2, 60))
    y = y + x**2
    found = PairTests.of(read({"x": x, "y": y}), Gaussian(0.8)).judged(slice(0, 1), slice(1, 2))
    assert found.squared[0, 0] == pytest.approx(share(gaussian(x, 0.8), gaussian(y, 0.8)), abs=1e-7)
    labels, other = rng.choice(list("abc"), size=60), rng.choice(list("de"), size=60)
    found = judged(a=labels, b=other)
    same = [np.equal.outer(own, own).astype(float) for own in (labels, other)]
    assert found.squared[0, 1] == pytest.approx(share(*same), abs=1e-9)


def test_a_narrow_and_a_wide_rung_are_one_of_each_variable(rng):
    x = rng.uniform(-1, 1, size=80)
    y = np.sin(2 * np.pi * x) + 0.3 * rng.normal(size=80)
    scaled = [own * unit_scale(own[:, None]) for own in (x, y)]
    widths = [rung_widths(own[:, None]) for own in scaled]
    found = judged(x=x, y=y)
    a, b = rungs_of_pairs(4)[found.rungs[0, 1]]
    assert (a, b) == rungs_of_pairs(4)[found.rungs[1, 0]][::-1] == (3, 0)
    both = share(gaussian(scaled[0], widths[0][a]), gaussian(scaled[1], widths[1][b]))
    raw = alignment(kernel_at(scaled[0], widths[0][a]), kernel_at(scaled[1], widths[1][b]))
    gain = gain_of_choice(80, 4, 4)
    assert found.squared[0, 1] == pytest.approx((raw - gain) / (raw / both - gain), abs=1e-6)


@pytest.mark.parametrize("shape", [lambda x: np.sin(2 * np.pi * x), lambda x: x**2, np.abs])
def test_no_more_than_the_best_prediction_explains(rng, shape):
    for noise in (0.3, 1.0):
        squares = []
        for _ in range(4):
            x, e = rng.uniform(-1, 1, size=400), rng.normal(size=400)
            signal = shape(x)
            squares.append(judged(x=x, y=signal + noise * signal.std() * e).squared[0, 1])
        explained = 1 / (1 + noise**2)
        assert 0.6 * explained < np.mean(squares) < 1.02 * explained


def test_known_measures_of_labels(rng):
    # Of labels of equal frequency: Cramér's V, and the correlation ratio of a number.
    label = np.repeat(list("abcd"), 500)
    other = np.where(rng.uniform(size=2000) < 0.5, np.isin(label, ["a", "b"]), np.arange(2000) % 2 == 0).astype(str)
    number = 0.5 * np.isin(label, ["a", "b"]) + rng.normal(size=2000)
    found = judged(label=label, other=other, number=number).squared
    counts = np.array([[np.sum((label == a) & (other == b)) for b in np.unique(other)] for a in "abcd"])
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / 2000
    assert found[0, 1] == pytest.approx(np.sum((counts - expected) ** 2 / expected) / 2000, abs=0.02)
    means = np.array([number[label == a].mean() for a in "abcd"])
    assert found[0, 2] == pytest.approx(means.var() / number.var(), abs=0.02)


def test_sample_eigenvalues_lie_further_apart(rng):
    drawn = np.array([np.linalg.eigvalsh(np.cov(rng.normal(size=(5, 100))))[::-1] for _ in range(200)])
    together = drawn_together(drawn, np.full(200, 100)).mean(axis=0)
    assert drawn.mean(axis=0)[0] > 1.25
    assert np.abs(together - 1).max() < 0.75 * np.abs(drawn.mean(axis=0) - 1).max()
    assert drawn_together(np.array([3.0, 0.0, -1e-17]), 50).tolist() == [3.0, 0.0, 0.0]


def test_spread_over_permutations_is_of_the_rows_alone(rng):
    x = u_centered(np.exp(-(np.subtract.outer(*2 * [rng.normal(size=12)]) ** 2)))
    y = u_centered(np.equal.outer(*2 * [rng.integers(0, 3, size=12)]).astype(float))
    drawn = [alignment(x, y[np.ix_(order, order)]) for order in (rng.permutation(12) for _ in range(5000))]
    assert np.std(drawn) == pytest.approx(chance_deviation(12), rel=0.06)
    assert np.mean(drawn) == pytest.approx(0.0, abs=0.01)


def test_copies_constants_and_independent_columns(rng):
    x = rng.normal(size=300)
    label = np.where(x > 0.3, "high", "low")
    found = judged(
        x=x, scaled=3 - 2 * x, exp=np.exp(x), label=label, other=np.where(label == "low", "u", "v"),
        constant=np.ones(300), noise=rng.normal(size=300),
    )  # fmt: skip
    strength = signed_root(found.squared)
    assert strength[0, :2] == pytest.approx(1.0, abs=1e-9)
    assert strength[0, 2] > 0.9
    assert strength[3, 4] == pytest.approx(1.0, abs=1e-12)
    assert (strength[5] == 0).all()
    assert np.abs(strength[6, [0, 1, 2, 3, 4]]).max() < 0.2
    assert np.array_equal(strength, strength.T)


@pytest.mark.parametrize("rows", [30, 100])
@pytest.mark.parametrize("kinds", ["nn", "nl", "ll"])
def test_zero_in_mean(rng, rows, kinds):
    makers = {"n": lambda: rng.normal(size=rows), "l": lambda: rng.choice(list("abcd"), size=rows)}
    squares = []
    for _ in range(12):
        columns = {f"{kind}{side}{k}": makers[kind]() for side, kind in enumerate(kinds) for k in range(8)}
        found = PairTests.of(read(columns)).judged(slice(0, 8), slice(8, 16))
        squares.append(found.squared.mean())
    assert abs(np.mean(squares)) < 0.01


@pytest.mark.parametrize("r", [0.3, 0.7, 0.95])
def test_a_correlation_of_normal_variables(rng, r):
    squares = []
    for _ in range(4):
        x, e = rng.normal(size=(2, 400))
        squares.append(judged(x=x, y=r * x + np.sqrt(1 - r * r) * e).squared[0, 1])
    assert signed_root(np.mean(squares)) == pytest.approx(r, abs=0.05)


def test_choice_is_paid_for_by_rungs_alone():
    assert gain_of_choice(100, 1, 1) == 0
    assert gain_of_choice(100, 4, 4) > gain_of_choice(100, 4, 1) > gain_of_choice(100, 3, 1) > 0
    assert gain_of_choice(100, 4, 4) > gain_of_choice(100, 4, 4, shares=False)


def test_influences_are_those_of_the_jackknife(rng):
    x, e = rng.normal(size=(2, 80))
    y = 0.6 * x + 0.8 * e
    ladders = Ladders.of(read({"x": x, "y": y}), Gaussian(1.0))
    first, second = (np.exp(-(np.subtract.outer(own, own) ** 2)) for own in (x, y))
    left = [np.delete(np.arange(80), row) for row in range(80)]
    drawn = np.array([alignment(*(u_centered(own[np.ix_(rows, rows)]) for own in (first, second))) for rows in left])
    jackknife = 79 / 80 * np.sum((drawn - drawn.mean()) ** 2)
    found = Influences(ladders).of(0, 1, (0, 0))
    assert found.variance / 80 == pytest.approx(jackknife / found.attainable**2, rel=0.15)
    assert 0 < found.share <= 1
    eigenvalues = [np.linalg.eigvalsh(u_centered(own)) for own in (first, second)]
    assert found.attainable == pytest.approx(alignment(*eigenvalues), abs=0.03)


@pytest.mark.parametrize("common", [2, 4])
def test_the_fewer_rows_influences_rest_on_the_more_their_variance_is_raised(common):
    """Two rare labels, whose share rests on four rows or so: a quarter more than influences of given similarities."""
    rows = np.arange(200)
    labels = [np.where(rows < 5, "a", "b"), np.where((rows >= 5 - common) & (rows < 10 - common), "a", "b")]
    one, other = (u_centered(np.equal.outer(label, label).astype(float)) for label in labels)

    def share(weights):
        together = np.multiply.outer(weights, weights)
        return alignment(np.sqrt(together) * one, np.sqrt(together) * other)

    steps = 1e-4 * np.eye(200)
    influences = np.array([share(1 + step) - share(1 - step) for step in steps]) * 200 / 2e-4
    effective = np.sum(influences**2) ** 2 / np.sum(influences**4)
    found = Influences(Ladders.of(read(*labels))).of(0, 1, (0, 0))
    assert found.attainable == pytest.approx(1.0)
    assert found.squared == pytest.approx(alignment(one, other), rel=0.1)
    assert 200 * found.share == pytest.approx(effective, rel=0.1)
    assert effective < 5
    assert found.variance == pytest.approx(np.mean(influences**2) * (1 + 1 / effective), rel=0.1)


def test_influences_on_the_attainable_are_those_of_the_jackknife(rng):
    x, e = rng.normal(size=(2, 120))
    ladders = Ladders.of(read({"x": x, "y": np.sin(x) + 0.3 * e}))
    f, g = (ladders.features(k, height).of(slice(0, 120)) for k, height in ((0, 2), (1, 0)))

    def logarithm(rows):
        one, other = (np.linalg.eigvalsh(np.cov(own[rows].T))[::-1] for own in (f, g))
        shared = min(len(one), len(other))
        return np.log(one[:shared] @ other[:shared] / np.sqrt((one @ one) * (other @ other)))

    drawn = np.array([logarithm(np.delete(np.arange(120), row)) for row in range(120)])
    jackknife = 119 / 120 * np.sum((drawn - drawn.mean()) ** 2)
    found = Influences(ladders).of(0, 1, (2, 0))
    assert found.unsettled / 120 == pytest.approx(jackknife, rel=0.1)


@pytest.mark.parametrize(("height", "larger"), [(2, 0), (3, 1)])
def test_influences_on_shares_of_what_is_attainable_are_those_of_the_jackknife(height, larger):
    """A narrow rung and the widest: the larger variance counts, with what is attainable fixed or moved by rows too."""
    x, e = np.random.default_rng(0).normal(size=(2, 300))
    ladders = Ladders.of(read({"x": x, "y": np.sin(x) + 0.3 * e}))
    f, g = (ladders.features(*place).of(slice(0, 300)) for place in ((0, height), (1, 0)))

    def parts(rows):
        one, other = (np.linalg.eigvalsh(np.cov(own[rows].T))[::-1] for own in (f, g))
        shared = min(len(one), len(other))
        attainable = one[:shared] @ other[:shared] / np.sqrt((one @ one) * (other @ other))
        return alignment(*(u_centered(own[rows] @ own[rows].T) for own in (f, g))), attainable

    found = Influences(ladders).of(0, 1, (height, 0))
    raw, attainable = np.array([parts(np.delete(np.arange(300), row)) for row in range(300)]).T
    # What is attainable of the law is a little less than of the sample.
    shares = np.array([raw, raw * attainable.mean() / attainable]) / found.attainable
    both = 299 / 300 * np.sum((shares - shares.mean(axis=1, keepdims=True)) ** 2, axis=1)
    assert both.argmax() == larger
    assert found.variance / 300 == pytest.approx(both.max(), rel=0.1)


def test_influences_add_up_to_0(rng):
    x = rng.normal(size=90)
    ladders = Ladders.of(read({"x": x, "y": x**2 + rng.normal(size=90), "label": rng.choice(list("abc"), 90)}))
    for first, second in ((0, 1), (0, 2), (2, 1)):
        one, other = (Influences(ladders)._centered(k, 0, 0) for k in (first, second))
        _, influence = one.attainable_with(other)
        assert abs(influence.sum()) < 1e-6 * np.abs(influence).sum()


def test_row_sums_are_those_of_whole_matrices(rng):
    """Products of two U-centered similarities, of rows that count much and little, up to terms of 1 / n."""
    f, g = rng.standard_t(4, size=(300, 2)), rng.normal(size=(300, 3))
    g[:, 0] += f[:, 0]
    one, other = (own - own.mean(axis=0) for own in (f, g))
    expected = (u_centered(one @ one.T) * u_centered(other @ other.T)).sum(axis=1)
    found = Turned(one).row_sums(Turned(other))
    assert np.abs(found - expected).max() < 0.02 * np.abs(expected).max()
    assert found.sum() == pytest.approx(expected.sum(), rel=0.02)


def test_interval():
    low, high = squared_interval(np.array([0.3, 1.0, np.nan]), np.array([0.002, 0.0, 0.1]), np.full(3, 200.0), 200)
    assert low[0] < 0.3 < high[0]
    assert (low[1], high[1]) == (pytest.approx(1.0, abs=1e-3), 1.0)
    assert np.isnan([low[2], high[2]]).all()
    coarse, _ = squared_interval(np.array([1.0]), np.zeros(1), np.full(1, 50.0), 50, coarse=True)
    assert 0.7 < coarse[0] < 0.99  # equal labels in 50 rows do not exclude some that differ
    given = np.array([0.9]), np.array([0.001]), np.full(1, 200.0), 200
    sure, unsure = (squared_interval(*given, attainable=0.5, unsettled=own) for own in (0.0, 0.004))
    assert unsure.high[0] > sure.high[0]
    nothing = np.zeros(1), np.zeros(1), np.full(1, 200.0), 200
    crossed, equal = squared_interval(*nothing, attainable=0.5), squared_interval(*nothing)
    assert equal.high[0] < crossed.high[0] < 2 * equal.high[0]


def chance_at(v, n, squared, variance, freedom, attainable, unsettled):
    """Spread of a share whose true value is v: a multiple of 4 v (1 - v)^p / n, of permutations, of the attainable."""
    power = 1 + 0.75 * freedom / (freedom + limits.FEW_ROWS)
    permuted = [(chance_deviation(n) / attainable) ** 2 * (1 - own) ** 2 for own in (v, squared)]
    model = [4 * own * (1 - own) ** power / n for own in (v, squared)]
    rest = variance - permuted[1] - unsettled * squared**2  # what the rows' influences leave to the model
    factor = rest / (model[1] + permuted[1])
    return factor * model[0] + permuted[0] + unsettled * v**2


def test_ends_are_as_far_from_the_estimate_as_chance_allows():
    n, squared, variance, freedom, attainable, unsettled = given = 24, 0.4, 0.03, 15.0, 0.7, 0.06
    some = (np.array([own]) for own in (squared, variance, freedom))
    low, high = squared_interval(*some, n, attainable, unsettled)
    quantile = stats.t.ppf(0.975, freedom)
    assert 0.01 < low[0] < squared < high[0] < 0.99
    for end in (low[0], high[0]):
        assert abs(end - squared) == pytest.approx(quantile * np.sqrt(chance_at(end, *given)), rel=1e-4)


def test_an_estimate_near_1_varies_no_less_than_the_model_says():
    """Where influences say less than the model does at one error below it; the model is that of a phi coefficient."""
    n, freedom = 150, 150.0
    low, high = squared_interval(np.ones(1), np.array([4e-4]), np.array([freedom]), n, coarse=True)
    spread = 4 / n * low[0] * (1 - low[0]) + chance_deviation(n) ** 2 * (1 - low[0]) ** 2
    assert 1 - low[0] == pytest.approx(stats.t.ppf(0.975, freedom) * np.sqrt(spread), rel=1e-4)
    assert high[0] == 1.0


def test_an_estimate_of_1_with_an_error_has_an_interval_that_says_something(rng):
    """A label that decides a coarser one: the estimate can reach 1 and still vary from sample to sample."""
    found = []
    for _ in range(20):
        city = rng.integers(0, 4, 150)
        found.append(sh.pairwise({"city": city.astype(str), "country": np.where(city == 3, "a", "b")}))
    at_the_end = [m for m in found if m.strength[0, 1] > 0.999]
    assert at_the_end
    assert all(0.5 < m.strength_low[0, 1] < 0.999 for m in at_the_end)
    low, _ = squared_interval(np.ones(2), np.array([0.0, 0.01]), np.full(2, 150.0), 150, coarse=True)
    assert 0.5 < low[1] < low[0] < 1.0


def test_one_row_that_breaks_a_relation_leaves_an_interval_that_says_something(rng):
    x = np.exp(rng.normal(size=400))
    y = 9 * x * np.exp(0.02 * rng.normal(size=400))
    y[np.argsort(x)[-3]] /= 4
    m = sh.pairwise({"x": x, "y": y})
    assert 0.97 < m.strength_low[0, 1] < m.strength[0, 1] < m.strength_high[0, 1] < 1


def test_what_one_row_decides_at_the_widest_rung_does_not_raise_the_upper_end(rng):
    x = rng.integers(0, 5, size=150).astype(float)
    y = 10 * x + 8 * rng.normal(size=150)
    y[[3, 4]] = 300, 150
    m = sh.pairwise({"x": x, "y": y})
    assert 0.7 < m.strength[0, 1] < m.strength_high[0, 1] < 0.95


def test_the_widest_rung_raises_the_upper_end_where_a_narrow_one_was_chosen(rng):
    """Of a straight line the widest rung has the larger share: the interval of a narrow one reaches as far."""
    x, e = rng.normal(size=(2, 200))
    table = read({"x": x, "y": x + 0.5 * e})
    tests, pair = PairTests.of(table), np.array([[0, 1]])
    every, influences = rungs_of_pairs(4), Influences(Ladders.of(table))
    narrow, wide = (influences.of(0, 1, rungs) for rungs in ((3, 3), (0, 0)))
    assert narrow.squared + 0.1 < wide.squared
    place = np.array([every.index((3, 3))])
    found = tests.intervals(pair, np.array([narrow.squared]), place, np.zeros(1))
    own = squared_interval(
        *np.array([[wide.squared], [wide.variance / 200], [wide.share * 200]]),
        200,
        wide.attainable,
        wide.unsettled / 200,
    )
    assert found.high[0] == pytest.approx(np.sqrt(own.high[0]), abs=1e-9)
    assert found.low[0] ** 2 < narrow.squared < wide.squared < found.high[0] ** 2
    unclear = tests.intervals(pair, np.array([narrow.squared]), place, np.ones(1))
    assert unclear.high[0] < found.high[0]


def test_intervals_of_gaps_are_those_of_the_common_rows(rng):
    """At a stated width, with gaps of each and of both."""
    x, e = rng.normal(size=(2, 160))
    y = x + e
    gaps = {"x": np.where(np.arange(160) < 60, np.nan, x), "y": np.where(np.arange(160) >= 130, np.nan, y)}
    common, pair = slice(60, 130), np.array([[0, 1]])
    ends = []
    for columns in (gaps, {"x": x[common], "y": y[common]}):
        tests = PairTests.of(read(columns, missing="pairwise", pairwise=True), Gaussian(1.0))
        found = tests.judged(slice(0, 1), slice(1, 2))
        ends.append(
            [
                found.squared[0, 0],
                *tests.intervals(pair, *(own[0] for own in (found.squared, found.rungs)), found.pvalue[0]),
            ]
        )
    for whole, alone in zip(*ends, strict=True):
        assert whole == pytest.approx(alone, rel=1e-5)


@pytest.mark.parametrize("r", [0.0, 0.7])
def test_intervals_hold_the_truth(rng, r):
    held = []
    for _ in range(15):
        x, e = rng.normal(size=(2, 100))
        m = sh.pairwise({"x": x, "y": r * x + np.sqrt(1 - r * r) * e})
        held.append(m.strength_low[0, 1] <= r + 0.01 and r - 0.01 <= m.strength_high[0, 1])
    assert np.mean(held) >= 0.8


def test_where_independence_cannot_be_excluded_the_interval_begins_at_0(rng):
    x = rng.normal(size=(60, 6))
    m = sh.pairwise(x)
    pvalue = PairTests.of(read(x)).pvalues(slice(None), slice(None))
    unclear = pvalue > 0.05
    np.fill_diagonal(unclear, False)
    assert (m.strength_low[unclear] == 0).all()
    assert (m.strength_high[unclear] > 0).all()


def test_missing_values_and_few_rows(rng):
    x = rng.normal(size=120)
    y = x + 0.3 * rng.normal(size=120)
    gaps = np.where(rng.uniform(size=120) < 0.3, np.nan, y)
    few = np.where(np.arange(120) < 4, y, np.nan)
    m = sh.pairwise({"x": x, "gaps": gaps, "few": few}, missing="pairwise")
    assert m.strength[0, 1] > 0.9
    assert m.strength_low[0, 1] < m.strength[0, 1] < m.strength_high[0, 1]
    assert np.isnan([m.strength[0, 2], m.strength_low[0, 2], m.strength_high[0, 2]]).all()


def test_targets_orders_and_refusals(rng):
    x = rng.normal(size=(50, 3))
    whole = sh.pairwise(x)
    one = sh.pairwise({f"x{k}": x[:, k] for k in range(3)}, target="x2", alpha=1.0)
    assert one.strength == pytest.approx(whole.strength[:2, 2], abs=1e-9)
    assert one.strength_high.shape == (2,)
    frame = whole.to_frame(strengths=True)
    assert frame.columns[-3:] == ["strength", "strength_low", "strength_high"]
    with pytest.raises(ValueError, match="strength: expected at least 6 rows, got 5"):
        _ = sh.pairwise(x[:5]).strength
    with pytest.raises(ValueError, match='strengths: expected False with layout="wide"'):
        whole.to_frame("wide", strengths=True)


def test_vectors(rng):
    points = rng.normal(size=(200, 3))
    m = sh.pairwise(points, np.linalg.norm(points, axis=1))
    assert m.strength[0, 1] > 0.3


def test_the_same_in_every_rectangle(rng):
    tests = PairTests.of(read(rng.normal(size=(100, 7))))
    whole, part = tests.judged(slice(None), slice(None)), tests.judged(slice(2, 4), slice(3, 7))
    assert np.array_equal(whole.squared[2:4, 3:7], part.squared)
    assert np.array_equal(whole.rungs[2:4, 3:7], part.rungs)


def test_streams(rng):
    x = rng.normal(size=500)
    label = np.where(x + 0.5 * rng.normal(size=500) > 0, "a", "b")
    frame = pl.DataFrame({"x": x, "y": np.sin(2 * x) + 0.2 * rng.normal(size=500), "label": label})
    sketch = PairSketch.like(frame)
    for chunk in (frame[:200], frame[200:]):
        sketch.update(chunk)
    second = sketch.second_pass()
    for chunk in (frame[:200], frame[200:]):
        second.update(chunk)
    assert second.strengths() == pytest.approx(sh.pairwise(frame).strength, abs=0.02)


def test_any_basis_of_equal_eigenvalues_gives_the_same_influences(rng):
    """As of three labels of the same frequency, whose eigenvectors differ from one processor to another."""
    indicators = np.eye(3)[np.arange(60) % 3]
    centered = indicators - indicators.mean(axis=0)
    vectors = np.linalg.eigh(centered.T @ centered).eigenvectors[:, :0:-1]
    features = np.c_[centered @ vectors, 0.1 * rng.normal(size=60)]
    angle = 0.7
    turned = features.copy()
    turned[:, :2] = features[:, :2] @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    one, other = Turned(features), Turned(turned)
    np.testing.assert_allclose(one.added, other.added, atol=1e-12)
    assert np.ptp(turned[:, 0] ** 2) > 0.1
    np.testing.assert_allclose(one.added.sum(axis=0), one.eigenvalues, rtol=1e-9)
