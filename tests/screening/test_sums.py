"""Sums that the moments of pairs need: by whole matrices, by polynomials, and on the rows that others leave."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shearer.pairs.moments import PAIRS, TRIPLES
from shearer.inference.similarity import Rung
from shearer.kernels import Gaussian, Laplacian
from shearer.kernels.width_rules import widths_of_distances
from shearer.screening.bands import band_sums, reach
from shearer.screening.marginals import marginals
from shearer.screening.polynomials import groups_of, polynomial_sums
from shearer.screening.restricted import restricted
from shearer.screening.similarities import Similarities
from shearer.screening.sums import marginals_of
from shearer.data.table import read_table
from shearer.screening.widths import ladder_widths


def similarities(columns, kernel=None, missing="error"):
    return Similarities(read_table(dict(enumerate_columns(columns)), missing=missing), kernel)


def enumerate_columns(columns):
    return ((f"c{k}", column) for k, column in enumerate(columns))


def means(form, k=0):
    return np.concatenate([form.second[k], form.third[k]])


@pytest.mark.parametrize("width", [0.05, 0.3, 1.0, 5.0, 100.0])
def test_matrices_against_the_definition(rng, width):
    x = rng.normal(size=(3, 40))
    matrices = np.exp(-((x[:, :, None] - x[:, None, :]) ** 2) / width**2) * (1 - np.eye(40))
    found = marginals(matrices.copy())
    for k, matrix in enumerate(matrices):
        rung = Rung(matrix)
        for form, ours in ((rung.raw, found.raw), (rung.centered, found.centered)):
            expected = form.sums.means()
            expected = np.array([expected[name] for name in (*PAIRS, *TRIPLES)])
            assert means(ours, k) == pytest.approx(expected, rel=1e-9 if width < 50 else 1e-5)
            assert ours.spread[k] == pytest.approx(form.spread, rel=1e-9)


@pytest.mark.parametrize("n", [60, 400])
@pytest.mark.parametrize("law", ["normal", "uniform", "exponential", "ties", "clusters"])
def test_polynomials_against_matrices(rng, n, law):
    columns = {
        "normal": rng.normal(size=(4, n)),
        "uniform": rng.uniform(size=(4, n)) * 1e5 + 1e9,
        "exponential": rng.exponential(size=(4, n)),
        "ties": rng.integers(0, 5, size=(4, n)).astype(float),
        "clusters": rng.normal(size=(4, n)) * 0.01 + rng.integers(0, 2, size=(4, n)),
    }[law]
    source = similarities(columns)
    groups = groups_of(source.scalars, 10**5)
    if n == 400 and law in ("normal", "uniform", "ties"):
        assert sum(len(group) for group, _ in groups) == 4
    for group, step in groups:
        found = polynomial_sums(source.scalars, group, step)
        for k, column in enumerate(group):
            whole = marginals(source.matrices(slice(int(column), int(column) + 1)))
            assert found.mean[k] == pytest.approx(whole.mean[0], rel=1e-12)
            assert np.allclose(found.slope[k], whole.slope[0], rtol=0, atol=1e-11)
            assert np.allclose(found.shift[k], whole.shift[0], rtol=0, atol=1e-13)
            for form in ("raw", "centered"):
                ours, expected = means(getattr(found, form), k), means(getattr(whole, form))
                assert np.allclose(ours, expected, rtol=1e-8, atol=1e-10 * np.abs(expected).max())


def agree(found, expected, k=0, j=0):
    """Two accounts of one variable, as far as its pairs need them."""
    assert found.mean[k] == pytest.approx(expected.mean[j], rel=1e-11)
    assert found.usable[k] == expected.usable[j]
    assert np.allclose(found.slope[k], expected.slope[j], rtol=0, atol=1e-9 * max(1.0, np.abs(expected.slope[j]).max()))
    for form in ("raw", "centered"):
        ours, whole = means(getattr(found, form), k), means(getattr(expected, form), j)
        assert np.allclose(ours, whole, rtol=1e-8, atol=1e-9 * np.abs(whole).max())


@pytest.mark.parametrize("width", [0.003, 0.02, 0.1])
def test_bands(rng, width):
    columns = [rng.normal(size=500), rng.exponential(size=500), np.round(rng.normal(size=500), 1)]
    source = similarities(columns, Gaussian(width))
    assert (reach(columns[0], float(source.scalars.rates[0])) < 0.5) == (width < 0.1)
    expected = marginals(source.matrices(slice(0, 3)))
    for k in range(3):
        agree(band_sums(source.scalars, k), expected, 0, k)


def test_labels_of_any_number(rng):
    columns = [rng.choice(list("ab"), 70), np.arange(70).astype(str).astype(object), ["one"] * 70, ["a"] * 69 + ["b"]]
    columns[1] = np.array([f"row {i}" for i in range(70)])
    source = similarities(columns)
    found, expected = marginals_of(source), marginals(source.matrices(slice(0, 4)))
    agree(found, expected, 0, 0)
    assert not found.usable[1]
    assert found.raw.spread[2] == 0
    assert found.centered.spread[3] == 0  # only one row differs: M is additive
    assert means(found.raw, 3) == pytest.approx(means(expected.raw, 3), rel=1e-10)


def test_factors(rng):
    """Outliers, vectors and other kernels, of enough rows; where there is no low rank, whole matrices."""
    n = 1100
    columns = [rng.standard_cauchy(n), rng.normal(size=(n, 2)), rng.normal(size=(n, 6))]
    source = similarities(columns, {"c2": Laplacian()})
    found = marginals_of(source)
    for k in range(3):
        agree(found, marginals(source.matrices(slice(k, k + 1))), k)


def test_all_ways_at_once(rng):
    """Normal, heavy-tailed, constant, hardly varying and labelled columns side by side, in the order of the table."""
    n = 80
    columns = [rng.normal(size=n), rng.standard_cauchy(n), np.ones(n), rng.choice(list("ab"), n), rng.uniform(size=n)]
    columns += [np.eye(n)[0] + 1e-9 * rng.normal(size=n), rng.normal(size=(n, 2)), rng.normal(size=n)]
    source = similarities(columns)
    found = marginals_of(source)
    for k in range(len(columns)):
        expected = marginals(source.matrices(slice(k, k + 1)))
        assert found.mean[k] == pytest.approx(expected.mean[0], rel=1e-12)
        assert found.usable[k] == expected.usable[0]
        assert means(found.raw, k) == pytest.approx(means(expected.raw), rel=1e-7, abs=1e-14)
    assert found.rows == n


def test_hardly_varying_columns_are_left_to_matrices(rng):
    """The third moment of a similarity of spread 1e-3 keeps its digits."""
    source = similarities(rng.normal(size=(2, 50)), Gaussian(30.0))
    found, expected = marginals_of(source), marginals(source.matrices(slice(0, 2)))
    assert found.centered.third == pytest.approx(expected.centered.third, rel=1e-12)


@given(st.integers(0, 10**6), st.integers(8, 40), st.floats(0.02, 0.7))
def test_restricted_against_matrices_of_these_rows(seed, n, share):
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n), rng.integers(0, 3, n).astype(float), rng.exponential(size=n)]
    for column in columns:
        gaps = rng.random(n) < share
        gaps[rng.choice(n, 2, replace=False)] = False
        column[gaps] = np.nan
    source = similarities(columns, missing="pairwise")
    sets = np.vstack([source.presence.masks, rng.random((2, n)) < 0.5])
    found = restricted(source, sets)
    for k in range(3):
        own = source.presence.masks[source.presence.pattern[k]]
        for j, wanted in enumerate(sets):
            rows = np.flatnonzero(own & wanted)
            assert found.rows[k, j] == len(rows)
            if len(rows) < 6 or found.flat[k, j]:
                continue
            expected = marginals(source.restrict(np.array([k]), rows).matrices(slice(0, 1)))
            assert found.mean[k, j] == pytest.approx(expected.mean[0], rel=1e-12)
            assert found.usable[k, j] == expected.usable[0]
            assert found.shift[k, j][rows] == pytest.approx(expected.shift[0], rel=1e-12)
            for form in ("raw", "centered"):
                both = getattr(found, form), getattr(expected, form)
                ours, whole = np.concatenate([both[0].second[k, j], both[0].third[k, j]]), means(both[1])
                if both[0].spread[k, j] == 0:
                    assert both[1].spread[0] < 1e-7
                    continue
                assert np.allclose(ours, whole, rtol=1e-6, atol=1e-9 * np.abs(whole).max())


@given(st.lists(st.floats(-300, 300), min_size=3, max_size=60), st.integers(3, 2000))
def test_ladder_widths_are_those_of_the_rule(exponents, n):
    """Distances of any scale, with plateaus between scales."""
    squared = np.exp(np.array(exponents))
    fractions = (0.1, 0.25, 0.4, 0.55, 0.7, 0.82)
    expected = widths_of_distances(squared, n, fractions)
    assert ladder_widths(squared, n, fractions) == pytest.approx(expected, rel=1e-8)


def test_ladder_widths_of_equal_distances():
    assert ladder_widths(np.zeros(10), 5, (0.1, 0.5)) == [1.0, 1.0]
    assert ladder_widths(np.full(10, 4.0), 5, (0.1, 0.5)) == pytest.approx(
        widths_of_distances(np.full(10, 4.0), 5, (0.1, 0.5)), rel=1e-11
    )
