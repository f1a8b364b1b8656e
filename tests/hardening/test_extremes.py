"""Input at the ends of what can be passed: orders, tensors with gradients, nested columns."""

import math
import warnings

import numpy as np
import pytest

import shearer as sh
from shearer import tools
from shearer.inference.intervals import rank_one
from shearer.spectrum import renyi


@pytest.fixture
def pair(rng):
    x = rng.normal(size=50)
    return x, x**2 + 0.1 * rng.normal(size=50)


@pytest.mark.parametrize("alpha", [1e6, 1e17, 1e200, 1.7e308, 10**400 // 10**100])
def test_high_orders_are_close_to_infinity(pair, alpha):
    """Between the entropies of orders alpha and infinity lies a factor of alpha / (alpha - 1) at most."""
    x, y = pair
    highest = sh.entropy(x, alpha=math.inf)
    assert highest * (1 - 1e-12) <= sh.entropy(x, alpha=alpha) <= highest * (1 + 2 / float(alpha) + 1e-12)
    assert sh.entropy(x, alpha=alpha, tol=1e-6) == pytest.approx(highest, rel=1e-5)
    assert sh.pairwise({"x": x, "y": y}, alpha=alpha).value[0, 1] == pytest.approx(
        sh.mutual_information(x, y, alpha=alpha), abs=1e-9
    )
    sketch = sh.Sketch.like(x[:40], y[:40], measures=("mutual_information",), alpha=alpha)
    sketch.update(x, y)
    found = sketch.mutual_information()
    assert found.lower <= sh.mutual_information(x, y, alpha=alpha) + 1e-9
    assert found.upper >= found.value


@pytest.mark.parametrize("alpha", [1e-300, 5e-324])
def test_low_orders_are_close_to_none(pair, alpha):
    assert 0 <= sh.mutual_information(*pair, alpha=alpha) <= 1
    sketch = sh.Sketch.like(*pair, measures=("mutual_information",), alpha=alpha)
    sketch.update(*pair)
    assert sketch.mutual_information().upper >= sketch.mutual_information().lower


def test_intervals_of_low_orders(pair):
    """The integral that leaving rows out takes reaches ever further down, to where its integrand no longer changes."""
    values = [sh.entropy(pair[0], alpha=alpha) for alpha in (1e-300, 1e-7)]
    found = [sh.confidence_interval(*pair, alpha=alpha) for alpha in (1e-300, 1e-7, 1e-3)]
    assert values[0] == pytest.approx(values[1], rel=1e-5)
    assert all(interval.low <= interval.high for interval in found)
    assert found[0].estimate == pytest.approx(found[1].estimate, abs=1e-4)


@pytest.mark.parametrize("alpha", [1e-4, 1e-3, 0.01, 0.1])
def test_the_part_of_the_integral_that_is_known(rng, monkeypatch, alpha):
    """By more of the sum and less of it: the integrand is what it is at 0 long before the sum ends."""
    x = np.repeat(rng.normal(size=(5, 1)), 4, axis=0)
    shares = rank_one.Shares.of_matrix(np.exp(-((x - x.T) ** 2)), 20)
    found = shares.changes(alpha)
    monkeypatch.setattr(rank_one, "_FAR_BELOW", 1e-60)
    assert found == pytest.approx(shares.changes(alpha), rel=5e-6)  # of steps of one


@pytest.mark.parametrize("alpha", [0.3, 1.5, 3.0, 1e5])
def test_bounds_of_a_spectrum_that_may_be_all_error(alpha):
    """Where every eigenvalue could be 0, nothing is known but the number of rows."""
    assert renyi.bounds(np.full(4, 0.25), 0.25, alpha)[1] == pytest.approx(2.0)


@pytest.mark.parametrize("alpha", [0.3, 0.95, 1.0, 1.05, 3.0, 40.0, math.inf])
@pytest.mark.parametrize("spectrum", [[1.0], [0.9, 0.1], [0.97, 0.02, 0.01], [0.25] * 4, [0.5, 0.3, 0.2, 0.0]])
def test_bounds_of_a_spectrum_hold_and_are_tight(alpha, spectrum):
    """Without error they are the entropy; with error they hold that of every spectrum so near."""
    values = np.array(spectrum)
    exact = float(renyi.entropy(values, alpha))
    assert renyi.bounds(values, 0.0, alpha) == pytest.approx((exact, exact), abs=1e-12)
    error = 0.005
    lower, upper = renyi.bounds(values, error, alpha)
    rng = np.random.default_rng(0)
    for _ in range(50):
        near = values + rng.uniform(-error, error, size=len(values))
        near = np.clip(near, 0.0, None)
        if len(values) > 1 and abs(near.sum() - 1.0) < error:
            near[0] += 1.0 - near.sum()
            if abs(near[0] - values[0]) <= error:
                assert lower - 1e-12 <= float(renyi.entropy(near, alpha)) <= upper + 1e-12
    assert 0.0 <= lower <= exact <= upper <= math.log2(len(values)) + 1e-12


@pytest.mark.needs("torch")
def test_tensors_that_require_gradients_are_tested_as_others(pair):
    import torch

    x, y = pair
    tensors = [torch.tensor(column, requires_grad=True) for column in pair]
    table = dict(zip("xy", tensors, strict=True))
    plain = {"x": x, "y": y}
    assert sh.independence_test(*tensors).pvalue == pytest.approx(sh.independence_test(x, y).pvalue)
    found = sh.permutation_test(*tensors, n_resamples=19, rng=0).pvalue
    assert found == sh.permutation_test(x, y, n_resamples=19, rng=0).pvalue
    assert sh.pairwise(table).pvalue[0, 1] == pytest.approx(sh.pairwise(plain).pvalue[0, 1])
    assert sh.confidence_interval(*tensors).low == pytest.approx(sh.confidence_interval(x, y).low)
    assert len(sh.scan(table).pairs) == 1


@pytest.mark.needs("torch")
def test_targets_that_require_gradients(pair):
    import torch

    x, y = pair
    tensor = torch.tensor(y, requires_grad=True)
    assert np.array_equal(tools.dependence_score(x[:, None], tensor), tools.dependence_score(x[:, None], y))


@pytest.mark.needs("pyarrow")
def test_nested_columns_under_a_dictionary_are_refused_in_words(rng):
    import pyarrow as pa

    lists = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 10), pa.array([[1], [2]]))
    table = pa.table({"x": rng.normal(size=20), "y": rng.normal(size=20), "lists": lists})
    with pytest.raises(TypeError, match=r"lists: expected numbers or labels, got objects \(list\)"):
        sh.pairwise(table)
    assert len(sh.scan(table).pairs) == 1


@pytest.mark.needs("pyarrow")
def test_nested_columns_are_refused_in_words():
    import pyarrow as pa

    table = pa.table({"a": [1.0, 2.0, 3.0, 4.0], "b": [[1, 2], [3], [4], [5]], "c": [{"u": 1}] * 4})
    for function in (sh.pairwise, sh.total_correlation):
        with pytest.raises(TypeError, match=r"b: expected numbers or labels, got objects \(list\)"):
            function(table)
    with pytest.raises(ValueError, match="expected at least 2 columns that vary, got 0"):
        sh.scan(table)


def test_a_sketch_takes_denormal_numbers_for_nearly_equal(pair):
    """Its widths are ordinary floats, by which such numbers hardly differ; in another unit they do (docs/scale.rst)."""
    x, y = (np.round(40 * column) for column in pair)
    tiny = x * 2.0**-1074

    def sketched(column):
        sketch = sh.Sketch.like(column, y, measures=("mutual_information",))
        sketch.update(column, y)
        return sketch.mutual_information().value

    assert 0 <= sketched(tiny) < 0.5 * sketched(x)
    assert sketched(tiny * 2.0**1000) == pytest.approx(sketched(x), rel=1e-6)
    assert sh.mutual_information(tiny, y) == pytest.approx(sh.mutual_information(x, y), rel=1e-9)


@pytest.mark.parametrize("exponent", [1021, 1022])
def test_vectors_whose_distances_no_float_holds_keep_their_dependence(rng, exponent):
    """Every coordinate is a float and so is its range, the distance of two rows is not: the width was cut off."""
    vectors = np.clip(rng.normal(size=(60, 6)), -1.9, 1.9)
    y = vectors[:, 0] + 0.3 * rng.normal(size=60)
    far = vectors * 2.0**exponent
    assert sh.mutual_information(far, y) == pytest.approx(sh.mutual_information(vectors, y), rel=1e-12)
    assert sh.entropy(far, alpha=2) == pytest.approx(sh.entropy(vectors, alpha=2), rel=1e-12)
    assert sh.independence_test(far, y).pvalue == pytest.approx(sh.independence_test(vectors, y).pvalue, rel=1e-6)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("exponent", [-1070, -600, -270, 270, 500, 1020])
def test_alignment_is_the_same_in_every_unit(rng, exponent):
    """Squares and third powers of activations left the range of floats: 0 or nan for what was nearly the same."""
    import torch

    from shearer.neural import RepresentationSimilarity, cka

    x = np.round(rng.normal(size=(30, 3)) * 16) / 16  # so that denormal numbers hold them
    y = x + np.round(rng.normal(size=(30, 3)) * 16) / 16
    far = x * 2.0 ** max(exponent, -1070)
    assert cka(far, y) == pytest.approx(cka(x, y), rel=1e-9)
    assert cka(far, y, debiased=False) == pytest.approx(cka(x, y, debiased=False), rel=1e-9)
    model = torch.nn.Sequential(torch.nn.Identity())
    answers = []
    for columns in (x, far):
        similarity = RepresentationSimilarity(model, layers=["0"])
        for rows in np.split(columns, 2):
            similarity.update(torch.tensor(rows))
        answers.append(similarity.compute())
    assert answers[1].value == pytest.approx(answers[0].value)
    assert answers[1].pvalue == pytest.approx(answers[0].pvalue, rel=1e-6)


@pytest.mark.needs("torch")
def test_robust_estimators_take_tensors_that_require_gradients(rng):
    import torch

    from shearer.neural import RobustClassifier, RobustRegressor

    x = rng.normal(size=(20, 2))
    tensors = [torch.tensor(values, requires_grad=True) for values in (x, x[:, 0])]
    found = [
        RobustRegressor(max_epochs=2, random_state=0).fit(*data).predict(data[0]) for data in ((x, x[:, 0]), tensors)
    ]
    assert np.array_equal(*found)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="infinity"):
            RobustClassifier(max_epochs=1).fit(np.where(x > 1, np.inf, np.where(x < -1, -np.inf, x)), x[:, 0] > 0)
