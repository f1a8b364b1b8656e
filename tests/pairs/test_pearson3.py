"""The table of Pearson type III tails against fifty digits, and against the incomplete gamma function everywhere."""

import mpmath
import numpy as np
import pytest

from shearer.pairs.null_law import pearson3
from shearer.pairs.null_law.pearson3 import ERROR, pearson3_tail, pearson3_tails


def exact(z, skewness):
    """The tail with fifty digits."""
    with mpmath.workdps(50):
        z, skewness = mpmath.mpf(float(z)), mpmath.mpf(float(skewness))
        shape = 4 / skewness**2
        at = shape + mpmath.sign(skewness) * mpmath.sqrt(shape) * z
        if at <= 0:
            return float(skewness > 0)
        upper = mpmath.gammainc(shape, at, regularized=True)
        return float(upper if skewness > 0 else 1 - upper)


def test_against_fifty_digits(rng):
    skewness = np.concatenate([rng.uniform(-0.4, 3, 150), [0.01, -0.01, 0.1, 2.0, np.sqrt(8), 2.99]])
    z = rng.uniform(-2, 6, len(skewness))
    padded = [np.concatenate([part, np.zeros(pearson3._FEWEST)]) for part in (z, skewness)]
    found = pearson3_tails(*padded)[: len(z)]
    expected = np.array([exact(*pair) for pair in zip(z, skewness, strict=True)])
    assert found == pytest.approx(expected, rel=ERROR, abs=1e-300)


@pytest.mark.parametrize(("low", "high"), [(-3.5, 0.0), (0.0, 4.0), (4.0, 40.0)])
def test_everywhere(rng, low, high):
    z, skewness = rng.uniform(low, high, 100_000), rng.uniform(-3.2, 3.2, 100_000)
    expected = pearson3_tail(z, skewness)
    assert np.allclose(pearson3_tails(z, skewness), expected, rtol=ERROR, atol=0)


def test_at_the_nodes_of_the_table_and_between(rng):
    """Along lines of the grid, half way between them, and just inside and outside of it."""
    w = np.concatenate([-3.5 + 0.05 * np.arange(151), -3.525 + 0.05 * np.arange(151), [-3.5000001, 3.9999999]])
    t = np.concatenate([-0.209 + 0.022 * np.arange(79), -0.198 + 0.022 * np.arange(79), [1.4999999, 1.5000001]])
    w, t = (part.ravel() for part in np.meshgrid(w, t))
    z = pearson3._excess(w * t) / t
    expected = pearson3_tail(z, 2 * t)
    assert np.allclose(pearson3_tails(z, 2 * t), expected, rtol=ERROR, atol=0)


def test_hostile_numbers():
    z = np.resize([0.0, -0.0, np.inf, -np.inf, 1e308, -1e308, 1e-320, np.nan], 8192)
    skewness = np.repeat([0.0, 1e-12, -1e-12, 1e-3, 1.0, -1.0, 2.0, np.nan], 1024)
    found, expected = pearson3_tails(z, skewness), pearson3_tail(z, skewness)
    assert np.allclose(found, expected, rtol=ERROR, atol=0, equal_nan=True)
    assert ((found >= 0) & (found <= 1) | np.isnan(found)).all()


def test_few_and_shapes(rng):
    z = rng.normal(size=(3, 5))
    assert np.array_equal(pearson3_tails(z, 1.5), pearson3_tail(z, 1.5))
    wide = rng.normal(size=(70, 1)) + np.zeros(130)
    found = pearson3_tails(wide, np.linspace(0.1, 2.5, 130))
    assert found.shape == (70, 130)
    assert np.allclose(found, pearson3_tail(wide, np.linspace(0.1, 2.5, 130)), rtol=ERROR, atol=0)


@pytest.mark.parametrize("skewness", [4.1e-3, 3.9e-3, 2e-4, 1e-6])
def test_nearly_normal_laws_against_their_densities(skewness):
    """Where the incomplete gamma functions lose digits, those of a negative skewness most: up to a tail of 1e-89."""
    z = np.array([-6.0, -1e-3, 0.5, 4.6, 10.0, 20.0])
    for t in (mpmath.mpf(skewness) / 2, -mpmath.mpf(skewness) / 2):
        expected = []
        with mpmath.workdps(35):
            shape = 1 / t**2
            constant = shape * mpmath.log(shape) - shape - mpmath.loggamma(shape) + mpmath.log(abs(t))

            def density(u, t=t, shape=shape, constant=constant):
                return mpmath.exp((shape - 1) * mpmath.log1p(t * u) - shape * t * u + constant)

            for start in z:
                ends = [start + step for step in (0, 0.2, 0.7, 2, 5, 15)]
                expected.append(float(mpmath.quad(density, ends)))
        assert pearson3_tail(z, 2 * float(t)) == pytest.approx(np.array(expected), rel=ERROR, abs=0)


def test_nearly_normal_laws_end_and_have_limits():
    for skewness in (0.0, 1e-320, 1e-12, -1e-12, 1e-3, -1e-3):
        found = pearson3_tail([np.inf, 1e308, 1e4, 3e3, -3e3, -1e4, -1e308, -np.inf], skewness)
        assert found.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert np.isnan(pearson3_tail([np.nan, 1.0], [1e-3, np.nan])).all()
