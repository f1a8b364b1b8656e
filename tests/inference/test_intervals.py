"""Confidence intervals: what they are made of, seeds, limits. Their coverage is in experiments/coverage.py."""

import numpy as np
import pytest

import shearer as sh
from shearer.inference.intervals.confidence import METHODS, confidence_interval
from shearer.measures.registry import dependence_measures


def linear(rng, n=60):
    x = rng.normal(size=n)
    return x, x + rng.normal(size=n)


@pytest.mark.parametrize("method", METHODS)
def test_center_and_ends(rng, method):
    data = linear(rng)
    found = confidence_interval(*data, method=method)
    assert found.value == pytest.approx(sh.mutual_information(*data))
    assert found.low < found.estimate < found.high
    assert found.high - found.estimate == pytest.approx(found.estimate - found.low)
    # A sample scores above its population: the correction goes down.
    assert found.estimate < found.value
    assert method in found.method
    assert "95%" in str(found)


@pytest.mark.parametrize("method", METHODS)
def test_wider_at_a_higher_level_and_with_fewer_rows(rng, method):
    x, y = linear(rng, 160)
    widths = [
        confidence_interval(x[:rows], y[:rows], confidence_level=level, method=method)
        for rows, level in ((160, 0.8), (160, 0.99), (40, 0.99))
    ]
    lengths = [found.high - found.low for found in widths]
    assert lengths[0] < lengths[1] < lengths[2]


@pytest.mark.parametrize("method", ["jackknife", "subsampling"])
def test_seeds(rng, method):
    data = linear(rng)
    first, same, other = (confidence_interval(*data, method=method, rng=seed) for seed in (1, 1, 2))
    assert first == same
    assert first.low != other.low


@pytest.mark.parametrize("method", METHODS)
def test_holds_the_population_value(method):
    """Ten samples, a population value from 3000 rows at the same fixed width."""
    kernel = sh.kernels.Gaussian(1.0)
    truth = sh.mutual_information(*linear(np.random.default_rng(0), 3000), kernel=kernel, tol=1e-3)
    found = [
        confidence_interval(*linear(np.random.default_rng(seed)), kernel=kernel, method=method) for seed in range(1, 11)
    ]
    assert sum(one.low <= truth <= one.high for one in found) >= 8
    # Without the correction every sample would be too high on average.
    assert np.mean([one.value for one in found]) > truth
    assert abs(np.mean([one.estimate for one in found]) - truth) < np.mean([one.value for one in found]) - truth + 0.02


@pytest.mark.parametrize("measure", [name for name in dependence_measures() if name != "mutual_information"])
def test_measures(rng, measure):
    data = rng.normal(size=(3, 40))
    found = confidence_interval(*data, measure=measure, alpha=2)
    assert found.value == pytest.approx(float(getattr(sh.Dependence(*data, alpha=2), measure)()))
    assert found.low < found.high


def test_bits_and_conditions(rng):
    x, y = linear(rng)
    bits = confidence_interval(x, y, normalize=False)
    assert bits.value == pytest.approx(sh.mutual_information(x, y, normalize=False))
    given = confidence_interval(x, y, given=x + y)
    assert given.value == pytest.approx(sh.mutual_information(x, y, given=x + y))
    table = np.column_stack([x, y])
    assert confidence_interval(table, measure="entropy").value == pytest.approx(sh.entropy(table))


def test_constant_variable_has_a_sure_zero():
    found = confidence_interval(np.arange(30.0), np.ones(30))
    assert found.low == pytest.approx(0, abs=1e-9)
    assert found.high == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence_level": 95}, "confidence_level: expected a number between 0 and 1, got 95"),
        ({"confidence_level": True}, "confidence_level: expected"),
        ({"method": "bootstrap"}, "method: expected one of 'influence', 'jackknife', 'subsampling'"),
        ({"measure": "mutual_info"}, "Did you mean 'mutual_information'"),
        ({"normalize": "median"}, "normalize: expected one of"),
        ({"rng": -1}, "rng: expected a seed"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        confidence_interval(np.arange(30.0), np.arange(30.0) ** 2, **options)


def test_few_rows():
    with pytest.raises(ValueError, match="at least 20 rows, got 19"):
        confidence_interval(np.arange(19.0), np.arange(19.0))
