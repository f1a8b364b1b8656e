"""Independence given conditions, without permutations: level, power, kinds, and what cannot be answered."""

import math
import warnings

import numpy as np
import pytest

import shearer as sh
from shearer.conditioning import constants, covariance
from shearer.conditioning.designs import Conditions
from shearer.conditioning.pair import PairsGiven
from shearer.conditioning.residual import _spread
from shearer.conditioning.ridge import Choice, Fit, Smoother
from shearer.conditioning.similarity import Similarities
from shearer.data import read


def share_found(draw, rows, trials):
    """How often p <= 0.05, a warning not counted."""
    found = []
    for trial in range(trials):
        x, y, z = draw(np.random.default_rng([9, trial]), rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = sh.independence_test(x, y, given=z)
        found.append(result.pvalue <= 0.05 and not result.warning)
    return np.mean(found)


def same(f, dimensions, noise):
    def draw(g, n):
        z = g.normal(size=(n, dimensions))
        return f(z) + noise * g.normal(size=n), f(z) + noise * g.normal(size=n), z

    return draw


def by_labels(g, n):
    label = g.integers(3, size=n)
    return label + g.normal(size=n), label**2 + g.normal(size=n), label.astype(str)


@pytest.mark.parametrize(
    "draw",
    [
        same(lambda z: z.sum(axis=1) / 2, 5, 0.5),
        same(lambda z: np.sin(4 * z[:, 0]), 1, 0.2),
        same(lambda z: z[:, 0] * z[:, 1], 5, 0.5),
        by_labels,
    ],
    ids=["linear", "sine", "product", "labels"],
)
def test_level(draw):
    # With a level of 5 %, 4 of 8 or more have a chance of 0.0004.
    assert share_found(draw, 100, 8) < 4 / 8


@pytest.mark.parametrize(
    "link",
    [lambda x, g: x, lambda x, g: x**2, lambda x, g: np.exp(0.7 * x) * g.normal(size=len(x))],
    ids=["linear", "square", "variance"],
)
def test_power(link):
    def draw(g, n):
        z, own = g.normal(size=(n, 2)), g.normal(size=n)
        return z.sum(axis=1) + own, z[:, 0] + link(own, g) + 0.5 * g.normal(size=n), z

    assert share_found(draw, 200, 5) > 0.7


def test_link_that_changes_its_sign_with_the_condition(rng):
    z, own = rng.normal(size=(2, 200))
    assert sh.independence_test(own, own * np.sign(z) + rng.normal(size=200), given=z).pvalue < 1e-3
    label = rng.choice(["a", "b"], size=200)
    found = sh.independence_test(own, np.where(label == "a", own, -own) + rng.normal(size=200), given=label)
    assert found.pvalue < 1e-3


KINDS = {
    "numbers": lambda g, n: g.normal(size=n),
    "vector": lambda g, n: g.normal(size=(n, 3)),
    "labels": lambda g, n: g.choice(list("abc"), size=n),
    "flags": lambda g, n: g.uniform(size=n) < 0.3,
    "counts": lambda g, n: g.poisson(2, size=n),
    "wide": lambda g, n: g.normal(size=(n, 30)),
}


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("given", [["numbers"], ["labels"], ["labels", "numbers"], ["vector", "flags", "labels"]])
def test_every_kind(rng, first, given):
    x, y = KINDS[first](rng, 60), KINDS["numbers"](rng, 60)
    found = sh.independence_test(x, y, given=tuple(KINDS[kind](rng, 60) for kind in given))
    assert 0 < found.pvalue <= 1
    assert all(0 <= share <= 1 for share in found.explained)
    assert found.reason == ""


def test_mixed_group_and_names(rng):
    table = {"a": rng.normal(size=80), "l": rng.choice(list("uv"), size=80), "y": rng.normal(size=80)}
    found = sh.independence_test(table | {"z": table["a"] + table["y"]}, groups={"m": ["a", "l"]}, given=["z"])
    assert (found.names, found.given) == (("m", "y"), ("z",))
    assert found.pvalue < 1e-3  # a collider
    assert "given z" in str(found)


def test_units_do_not_matter(rng):
    z = rng.normal(size=(100, 2))
    x, y = z[:, 0] + rng.normal(size=100), z[:, 1] + rng.normal(size=100)
    expected = sh.independence_test(x, y, given=z).pvalue
    assert sh.independence_test(y, x, given=z).pvalue == pytest.approx(expected, rel=1e-6)
    assert sh.independence_test(1e9 * x - 5, 1e-9 * y, given=1e6 * z + 1e7).pvalue == pytest.approx(expected, rel=1e-3)


def in_order(rows, values):
    return [values[k] for k in rows] if isinstance(values, list) else values[rows]


ROWS_ALIKE = {
    # far from all landmarks in narrow widths many rows are equally far: all similarities are 0
    "number": lambda g, n: (g.normal(size=n), g.normal(size=n), g.standard_t(2, size=n)),
    "vector": lambda g, n: (g.normal(size=(n, 2)), g.normal(size=n), g.normal(size=(n, 4))),
    "ties": lambda g, n: (g.normal(size=n), g.poisson(3, size=n), np.round(2 * g.normal(size=n))),
    "labels as they appear": lambda g, n: (
        g.choice(list("uvwx"), size=n).tolist(),
        g.normal(size=n),
        g.choice(list("abc"), size=n).tolist(),
    ),
    "labels and a number": lambda g, n: (
        g.choice(list("uv"), size=n).tolist(),
        g.normal(size=n),
        (g.choice(list("abc"), size=n).tolist(), np.round(g.normal(size=n), 1)),
    ),
}


@pytest.mark.parametrize("kind", ROWS_ALIKE)
@pytest.mark.parametrize("n", [90, 600])
def test_order_of_rows_does_not_matter(rng, kind, n):
    x, y, z = ROWS_ALIKE[kind](rng, n)
    rows = rng.permutation(n)
    given = tuple(in_order(rows, part) for part in z) if isinstance(z, tuple) else in_order(rows, z)
    expected = sh.independence_test(x, y, given=z)
    found = sh.independence_test(in_order(rows, x), in_order(rows, y), given=given)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.scores == pytest.approx(expected.scores, rel=1e-9)
    assert found.explained == pytest.approx(expected.explained, rel=1e-9)
    for one, other in zip(found.left, expected.left, strict=True):
        np.testing.assert_allclose(one, other[rows], atol=1e-9)


def test_pairs_do_not_depend_on_other_variables(rng):
    label = rng.choice(list("abc"), size=400)
    x, y, other = rng.normal(size=(3, 400))
    together = sh.pairwise({"x": x, "other": other, "y": y, "label": label}, given="label")
    assert together.pvalue[0, 2] == pytest.approx(sh.independence_test(x, y, given=label).pvalue, rel=1e-9)


def test_explained_is_what_the_condition_explains(rng):
    z = rng.normal(size=2000)
    found = sh.independence_test(np.sin(2 * z) + rng.normal(size=2000), rng.normal(size=2000), given=z)
    expected = np.var(np.sin(2 * z)) / (np.var(np.sin(2 * z)) + 1)
    assert found.explained == (pytest.approx(expected, abs=0.06), pytest.approx(0.0, abs=0.03))


def test_what_regressions_missed_is_warned_of():
    g = np.random.default_rng(1)
    z = g.normal(size=(600, 5))
    mean = 2 * np.abs(z).max(axis=1)
    with pytest.warns(UserWarning, match="still depends on the conditions") as warned:
        found = sh.independence_test(mean + 0.3 * g.normal(size=600), mean + 0.3 * g.normal(size=600), given=z)
    assert {one.filename for one in warned} == {__file__}  # the caller's own line
    assert min(found.scores) > 1
    assert "warning:" in str(found)


def test_what_cannot_be_answered(rng):
    x, y, z = rng.normal(size=(3, 60))
    equal = sh.independence_test(x, y, given=x)
    assert math.isnan(equal.pvalue)
    assert "'x1' is a function of what is given" in equal.reason
    assert "not tested" in str(equal)
    assert "60 dimensions" in sh.independence_test(x, y, given=rng.normal(size=(60, 60))).reason
    assert "share their labels" in sh.independence_test(x, y, given=[f"row {k}" for k in range(60)]).reason
    assert "too few" in sh.independence_test(x[:12], y[:12], given=z[:12]).reason
    constant = sh.independence_test(np.ones(60), y, given=z)
    assert (constant.pvalue, constant.reason) == (1.0, "'x1' is constant")
    with pytest.raises(TypeError, match="objects"):
        sh.independence_test(x, y, given=[{"a": 1}] * 60)


def test_constant_and_collinear_conditions_say_nothing_more(rng):
    x, y, z = rng.normal(size=(3, 100))
    expected = sh.independence_test(x, y, given=z).pvalue
    assert sh.independence_test(x, y, given=(z, np.ones(100))).pvalue == pytest.approx(expected, rel=1e-9)
    assert sh.independence_test(x, y, given=np.column_stack([z, 2 * z])).pvalue > 0.01
    assert 0 < sh.independence_test(x, y, given=np.ones(100)).pvalue <= 1


def test_extreme_values(rng):
    x, y = rng.standard_cauchy(size=(2, 80)) * 1e150
    assert 0 < sh.independence_test(x, y, given=rng.standard_cauchy(size=80) * 1e-150).pvalue <= 1
    assert 0 < sh.independence_test(x, y, given=rng.standard_cauchy(size=(80, 3))).pvalue <= 1


def test_values_far_from_zero(rng):
    z = rng.integers(0, 40, size=80) * 2.0
    x, y = z + 20.0 * rng.integers(-3, 4, size=80), rng.normal(size=80)
    expected = sh.independence_test(x, y, given=z).pvalue
    assert sh.independence_test(x + 2.0**52, y, given=z + 2.0**53).pvalue == pytest.approx(expected, rel=1e-6)


def test_permutation_is_still_there(rng):
    x, y, z = rng.normal(size=(3, 60))
    assert "19 local permutations" in sh.independence_test(x, y, given=z, method="permutation", n_resamples=19).method
    with pytest.raises(ValueError, match="given: expected at most 1 numeric"):
        sh.independence_test(x, y, given=rng.normal(size=(60, 5)), method="permutation")


def test_regression_is_that_of_a_dense_formula(rng):
    z = rng.normal(size=(80, 1))
    z = (z - z.mean()) / z.std()
    conditions = Conditions.of(z, [])
    column = np.sin(3 * z) + rng.normal(size=(80, 1))
    start = Fit.start(column, conditions.base)
    fit = start.further(conditions.smoothers[:1])
    smoother, shrinkage = fit.choices[0].smoother, fit.choices[0].shrinkage
    features = smoother.at(slice(0, 80), np.ones(len(shrinkage)))
    np.testing.assert_allclose(features.T @ features, np.eye(len(shrinkage)), atol=1e-6)
    np.testing.assert_allclose(features.T @ conditions.base, 0, atol=1e-6)
    hat = (features * shrinkage) @ features.T + conditions.base @ conditions.base.T
    np.testing.assert_allclose(fit.residuals, column - hat @ column, atol=1e-6)
    assert fit.freedom[0] == pytest.approx(np.trace(hat))


@pytest.mark.parametrize(("rank", "worth"), [(10, True), (60, False)])
def test_more_features_are_tried_where_they_could_spend_more(rng, rank, worth):
    similar = Similarities.of(rng.normal(size=(90, 3)), (1.0,))
    source, left_out = next(similar.features((0,), 90, rank))
    missing = 90 - np.sum(source(np.arange(90)) ** 2)  # every row is as similar to itself as can be
    smoother = Smoother.of(np.full((90, 1), 90**-0.5), source, left_out, lambda: None)
    assert smoother.missing == pytest.approx(missing)
    shrinkage = smoother.values / (smoother.values + 1.0)
    assert (missing > constants.FINER_SHARE * shrinkage.sum()) == worth
    assert (Choice(smoother, shrinkage).finer is not None) == worth


def test_many_rows_in_chunks_are_those_of_one(rng, monkeypatch):
    z = rng.normal(size=(300, 2))
    x, y = z.prod(axis=1) + rng.normal(size=300), z.sum(axis=1) + rng.normal(size=300)
    expected = sh.independence_test(x, y, given=z).pvalue
    monkeypatch.setattr(constants, "CHUNK_ROWS", 64)
    assert sh.independence_test(x, y, given=z).pvalue == pytest.approx(expected, rel=1e-6)
    monkeypatch.setattr(constants, "ROOM", 0)
    assert sh.independence_test(x, y, given=z).pvalue == pytest.approx(expected, rel=1e-6)


def test_residuals_are_found_once(rng):
    variables = read(*rng.normal(size=(4, 50)), given=rng.normal(size=50)).variables
    tests = PairsGiven(variables[:4], variables[4:])
    answers = [tests.answer(i, j).pvalue for i in range(4) for j in range(i)]
    assert tests.residual(0) is tests.residual(0)
    assert all(0 < p <= 1 for p in answers)


def test_features_are_those_of_the_dense_similarity(rng):
    z, codes = rng.normal(size=(90, 3)), rng.integers(0, 2, size=90)
    similar = Similarities.of(z, (1.0, 2.0), codes)
    everything = slice(0, 90)
    scaled = similar.values
    for place, width in enumerate(similar.widths):
        dense = np.exp(-((scaled[:, None] - scaled[None]) ** 2).sum(axis=2) / width**2) * (codes[:, None] == codes)
        np.testing.assert_allclose(similar.between(everything, everything, place), dense, atol=1e-12)
        for sample in (90, 60):  # all rows, and landmarks among some
            source, left_out = next(similar.features((place,), sample, 90))
            features = source(everything)
            assert np.trace(dense - features @ features.T) / 90 < 0.2
            assert np.linalg.eigvalsh(dense - features @ features.T)[0] > -1e-8
            if sample == 90:
                assert left_out == pytest.approx(np.trace(dense - features @ features.T) / 90, abs=1e-10)


@pytest.mark.parametrize("sample", [60, 30, 20])  # all rows; some of few rows, whose features are kept; of many rows
def test_features_of_landmarks_are_nystroms(rng, sample, monkeypatch):
    from shearer.conditioning import similarity

    monkeypatch.setattr(similarity, "_MOST_TIMES", 2)
    similar = Similarities.of(rng.normal(size=(60, 1)), (2.0,))
    source, _ = next(similar.features((0,), sample, 7))
    features = source(slice(0, 60))
    dense = similar.between(slice(0, 60), slice(0, 60), 0)
    landmarks = np.flatnonzero(np.abs(np.sum(features**2, axis=1) - 1) < 1e-9)  # rows of which nothing is left out
    assert len(landmarks) == 7
    expected = dense[:, landmarks] @ np.linalg.solve(dense[np.ix_(landmarks, landmarks)], dense[landmarks])
    np.testing.assert_allclose(features @ features.T, expected, atol=1e-7)
    some = np.array([50, 3, 3])
    np.testing.assert_allclose(source(some), features[some], atol=1e-7)
    kept = features.copy()
    features *= 2  # belongs to the caller
    np.testing.assert_allclose(source(slice(0, 60)), kept, atol=1e-7)


def test_what_is_left_can_be_looked_at(rng):
    z, noise = rng.normal(size=200), rng.normal(size=200)
    x, y = np.sin(2 * z) + noise, np.column_stack([z, rng.normal(size=200)]) + rng.normal(size=(200, 2))
    found = sh.independence_test(x, y, given=z)
    assert [part.shape for part in found.left] == [(200, 1), (200, 2)]
    for part in found.left:
        np.testing.assert_allclose(part.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(part.std(axis=0), 1, atol=1e-9)
        assert np.max(np.abs(part.T @ z)) / 200 < 0.02
    assert np.corrcoef(found.left[0][:, 0], noise)[0, 1] > 0.85
    assert found == sh.independence_test(x, y, given=z)
    assert sh.independence_test(x, y, given=x).left == ()
    label = rng.choice(list("ab"), size=200)
    within = sh.independence_test(x + (label == "a"), label == "a", given=rng.choice(list("kl"), size=200)).left
    assert [part.shape for part in within] == [(200, 1), (200, 1)]


def test_spread_is_found_where_there_is_one(rng):
    z = rng.normal(size=(400, 1))
    z = (z - z.mean()) / z.std()
    conditions = Conditions.of(z, [])
    noise, leverages = rng.normal(size=(400, 1)), np.zeros((400, 1))
    assert (_spread(noise, leverages, conditions.base, conditions.smoothers) == 1).all()
    found = _spread(noise * np.exp(z), leverages, conditions.base, conditions.smoothers)
    assert np.corrcoef(np.log(found[:, 0]), z[:, 0])[0, 1] > 0.8
    assert found.min() > 0


def test_a_row_that_draws_the_fit_to_itself_keeps_its_spread(rng):
    z = np.linspace(-1.7, 1.7, 200)[:, None]
    conditions = Conditions.of(z, [])
    leverages = np.where(np.abs(z) > 1, 0.75, 0.0)
    left = np.exp(z**2) * rng.normal(size=(200, 1))
    shrunk = left * np.sqrt(1 - leverages)
    found = _spread(shrunk, leverages, conditions.base, conditions.smoothers)
    np.testing.assert_allclose(found, _spread(left, 0 * leverages, conditions.base, conditions.smoothers))
    lost = _spread(shrunk, 0 * leverages, conditions.base, conditions.smoothers)
    outside = np.abs(z) > 1
    assert found[outside].mean() / found[~outside].mean() > 1.5 * lost[outside].mean() / lost[~outside].mean()


@pytest.mark.parametrize("weights", [1, 3], ids=["fewer products than rows", "more"])
def test_cumulants_are_those_over_all_signs_of_the_rows(rng, weights, monkeypatch):
    n, spent = 10, 2.0
    first, second, changing = rng.normal(size=(n, 2)), rng.standard_t(3, size=(n, 2)), rng.normal(size=(n, weights))
    seen = []
    monkeypatch.setattr(covariance, "cumulant_tail", lambda *cumulants: seen.append(cumulants))
    covariance.quadratic_tail(first, second, changing, spent)
    products = np.einsum("ia,ib,iw->iabw", first, second, changing).reshape(n, -1)
    mean = products.mean(axis=0)
    products -= mean
    assert (products.shape[1] > n) == (weights == 3)
    signs = 1.0 - 2.0 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)
    drawn = np.sum((signs @ products) ** 2, axis=1) / (n - spent)
    expected = drawn.mean(), drawn.var(), np.mean((drawn - drawn.mean()) ** 3)
    assert seen[0][0] == pytest.approx(n * mean @ mean)
    np.testing.assert_allclose(seen[0][1:], expected, rtol=1e-9, atol=1e-9 * abs(drawn).max() ** 3)


def test_leverages_are_the_diagonal_of_the_regressions(rng):
    z = rng.normal(size=(60, 2))
    conditions = Conditions.of((z - z.mean(axis=0)) / z.std(axis=0), [])
    columns = np.column_stack([np.sin(2 * z[:, 0]) + z[:, 1] ** 2, z[:, 0]]) + 0.3 * rng.normal(size=(60, 2))
    start = Fit.start(columns, conditions.base)
    once = start.further(conditions.smoothers)
    twice = once.further(list(conditions.of_index(columns[:, :1])))
    for fit in (start, once, twice):
        assert fit.leverages().sum(axis=0) == pytest.approx(fit.freedom)
    smoother, shrinkage = once.choices[0].smoother, once.choices[0].shrinkage
    features = smoother.at(slice(0, 60), np.ones(len(shrinkage)))
    hat = (features * shrinkage) @ features.T + conditions.base @ conditions.base.T
    np.testing.assert_allclose(once.leverages()[:, 0], np.diag(hat))


def test_a_covariance_that_noise_drowns_at_some_conditions_is_found_by_precision(rng):
    z, common = rng.normal(size=(2, 300))
    size = np.exp(z)
    x, y = (common / 2 + size * rng.normal(size=300) for _ in range(2))
    found = {one.name: one.pvalue for one in sh.independence_test(x, y, given=z).components}
    assert found["linear by precision"] < found["linear"]
    plain = sh.independence_test(z + rng.normal(size=300), z + rng.normal(size=300), given=z)
    assert "linear by precision" not in [one.name for one in plain.components]


def test_a_link_is_not_drowned_by_rows_of_large_spread():
    def draw(g, n):
        z, common = g.normal(size=(2, n))
        size = (1 + z**2) / 2
        return z + common / 2 + g.normal(size=n) * size, z**2 + common / 2 + g.normal(size=n) * size, z

    assert share_found(draw, 300, 6) > 0.5
