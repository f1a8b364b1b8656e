"""What an autoregression leaves of a series, and steps from row to row."""

import numpy as np
import pytest
from scipy.signal import lfilter

from shearer.data import read
from shearer.scanning.lagged import memory_length
from shearer.scanning.series import autoregression, differences, whitened


@pytest.mark.parametrize("coefficients", [[0.5], [0.95], [1.0], [0.5, -0.4]])
def test_the_noise_that_drove_a_series_is_left(rng, coefficients):
    noise = rng.normal(size=600)
    left, order = autoregression(lfilter([1.0], [1.0, *(-c for c in coefficients)], noise))
    assert len(coefficients) <= order <= 27
    assert np.isnan(left[:order]).all()
    assert np.corrcoef(left[order:], noise[order:])[0, 1] > 0.97


def test_residuals_are_those_of_least_squares(rng):
    series = np.cumsum(rng.normal(size=80))
    left, order = autoregression(series)
    rows = range(order, 80)
    design = np.array([[1.0, *series[row - order : row][::-1]] for row in rows])
    expected = series[order:] - design @ np.linalg.lstsq(design, series[order:], rcond=None)[0]
    assert np.allclose(left[order:] * np.ptp(expected), expected * np.ptp(left[order:]))


@pytest.mark.parametrize(
    "series",
    [np.zeros(30), np.full(30, 1e300), np.arange(30.0), 1e-300 * np.arange(30), np.array([1.0, -1.0] * 15), np.ones(1)],
)
def test_nothing_is_left_of_what_is_determined(series):
    left, order = autoregression(series)
    assert not left[order:].any()


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_any_scale(rng, scale):
    series = np.cumsum(rng.normal(size=60))
    ours, theirs = autoregression(series * scale), autoregression(series)
    assert ours[1] == theirs[1]
    assert np.allclose(ours[0], theirs[0], equal_nan=True)


def test_white_noise_stays_about_as_it_is(rng):
    noise = rng.normal(size=500)
    left, order = autoregression(noise)
    assert np.corrcoef(left[order:], noise[order:])[0, 1] > 0.97


def test_vectors_by_column_and_labels_untouched(rng):
    walks = rng.normal(size=(100, 2)).cumsum(axis=0)
    table = read({"v": walks, "label": list("ab") * 50})
    found, dropped = whitened(table)
    assert found.rows == 100 - dropped
    assert found.variables[0].blocks[0].values.shape == (100 - dropped, 2)
    assert np.array_equal(found.variables[1].blocks[0].values, table.variables[1].blocks[0].values[dropped:])
    assert not np.isnan(found.variables[0].blocks[0].values).any()


def test_differences_of_groups_dates_and_flags():
    dates = np.array(["2024-01-01", "2024-01-03", "2024-01-04"], dtype="datetime64[D]")
    sources = read(
        {"day": dates, "flag": [True, False, True], "v": np.arange(6.0).reshape(3, 2)},
        missing="pairwise",
        pairwise=True,
    ).columns
    found = differences(sources)
    assert [part.rows for parts in found.values() for part in parts] == [2, 2, 2]
    assert not found["day"][0].time
    assert np.ptp(found["day"][0].values) > 0
    assert np.array_equal(found["v"][0].values, np.full((2, 2), 2.0))


def test_memory_of_labels_that_stay():
    assert memory_length(np.eye(10)[np.arange(200) // 20]) == 20
    assert memory_length(np.eye(2)[np.random.default_rng(0).integers(0, 2, size=400)]) <= 2
