"""The paper's subsampling as an estimator."""

import numpy as np
import pytest

import shearer as sh


def test_mean_and_interval_of_groups(rng):
    x = rng.normal(size=(400, 2))
    data = x[:, 0], x.sum(axis=1)
    estimate = sh.Subsampling(*data, repeats=12, rows=50, rng=3).mutual_information()
    generator = np.random.default_rng(3)
    whole = sh.Dependence(*data)
    parts = [whole.on_rows(generator.choice(400, 50, replace=False)) for _ in range(12)]
    values = [part.mutual_information().value for part in parts]
    assert estimate.value == pytest.approx(np.mean(values))
    assert estimate.width == pytest.approx(2 * 1.96 * np.std(values, ddof=1) / np.sqrt(12))
    assert not estimate.certified
    assert estimate.route == "12 groups of 50 rows"


def test_all_rows_in_every_group_is_the_measure_itself(rng):
    x = rng.normal(size=(60, 3))
    part, whole = sh.Subsampling(x, repeats=2, rows=60), sh.Dependence(x)
    for measure in ("entropy", "total_correlation", "dual_total_correlation"):
        estimate = getattr(part, measure)()
        assert estimate.value == pytest.approx(getattr(whole, measure)().value, abs=1e-12)
        assert estimate.width == pytest.approx(0, abs=1e-12)


def test_seeds_and_dependence(rng):
    x = rng.normal(size=1000)
    y, noise = x + 0.5 * rng.normal(size=1000), rng.normal(size=1000)
    first, same, other = (sh.Subsampling(x, y, rng=seed).mutual_information() for seed in (0, 0, 1))
    assert first == same
    assert first.value != other.value
    assert first.lower > sh.Subsampling(x, noise).mutual_information().upper


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 1}, "repeats: expected a whole number of 2 or more, got 1"),
        ({"rows": 1}, "rows: expected a whole number from 2 to 50, got 1"),
        ({"rows": 51}, "rows: expected a whole number from 2 to 50, got 51"),
        ({"rows": 2.5}, r"rows: expected a whole number from 2 to 50, got 2\.5"),
        ({"repeats": True}, "repeats: expected a whole number"),
    ],
)
def test_bad_counts(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        sh.Subsampling(np.arange(50.0), np.arange(50.0), **options)


def test_rows_that_are_not_there(rng):
    noun = sh.Dependence(rng.normal(size=10), rng.normal(size=10))
    assert noun.on_rows([0, 9]).rows == 2
    for rows in ([0, 10], np.ones(11, dtype=bool)):
        with pytest.raises(
            ValueError, match="rows: expected a slice, a mask of length 10 or positions from 0 to 9, got"
        ):
            noun.on_rows(rows)
    with pytest.raises(ValueError, match="rows: expected at least 2 rows, got 1"):
        noun.on_rows([9])


def test_shuffled_rows_keep_what_single_variables_have_alone(rng):
    """Where all entropies are known before, those of several variables are found again."""
    x, e, order = rng.normal(size=60), rng.normal(size=60), rng.permutation(60)
    noun = sh.Dependence(x, x + 0.3 * e, kernel=sh.kernels.Gaussian(1.0))
    before = noun.mutual_information(normalize=False).value
    shuffled = noun.shuffled([np.arange(60), order])
    expected = sh.Dependence(x, (x + 0.3 * e)[order], kernel=sh.kernels.Gaussian(1.0))
    assert shuffled.mutual_information(normalize=False).value < before / 2
    assert shuffled.mutual_information(normalize=False).value == pytest.approx(
        expected.mutual_information(normalize=False).value, abs=1e-9
    )
    assert all(shuffled.entropies({k}).value == noun.entropies({k}).value for k in range(2))
