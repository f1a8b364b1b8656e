"""Sums over rows of features against whole matrices; rungs, features and probes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shearer as sh
from pairs import dense
from shearer.data import read
from shearer.kernels import Gaussian
from shearer.pairs import limits, rungs
from shearer.pairs.features import fit
from shearer.pairs.null_law.moments import Form
from shearer.pairs.rungs import Ladder, rung_widths, sample_rows, spaced_rows
from shearer.pairs.sides import Ladders, Side
from shearer.pairs.sums import RowSums, Totals


def variable(values):
    return read(values, np.arange(float(len(values)))).variables[0]


def marginal(features, offset, cuts=1):
    """Two passes, in so many chunks."""
    chunks = np.array_split(features, cuts)
    totals = Totals.of(len(features), sum(c.sum(axis=0) for c in chunks), sum(c.T @ c for c in chunks), offset)
    sums = RowSums(totals)
    for chunk in chunks:
        sums.add(totals.terms(chunk))
    return sums.marginal(features - totals.center, np.ones(len(features)))


def close(found: Form, expected: Form, rel=1e-9):
    for name in ("second", "third", "spread"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert np.allclose(ours, theirs, rtol=rel, atol=rel * np.abs(theirs).max())


def test_rows_that_a_similarity_rests_on(rng):
    """Against the diagonal of the matrix less its row and column means."""
    for values in (rng.normal(size=40), rng.standard_cauchy(size=40), rng.choice(list("abc"), size=40)):
        operator = Ladder.of(variable(values)).rungs[0]
        matrix = np.asarray(operator.dense(), dtype=float)
        center = np.eye(40) - 1 / 40
        diagonal = np.diag(center @ matrix @ center)
        features = fit(operator, np.arange(40), limits.EXACT_RESIDUAL)
        found = marginal(features.of(np.arange(40)), features.offset).bearing
        assert found == pytest.approx(diagonal.sum() ** 2 / (diagonal @ diagonal), rel=1e-4)


KINDS = {
    "normal": lambda g: g.normal(size=50),
    "vector": lambda g: g.normal(size=(50, 3)),
    "labels": lambda g: g.choice(list("abcd"), size=50),
    "ties": lambda g: np.round(g.normal(size=50)),
    "heavy": lambda g: g.standard_cauchy(50),
    "two": lambda g: (g.uniform(size=50) < 0.3).astype(float),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cuts", [1, 4])
def test_forms_of_whole_matrices(rng, kind, cuts):
    for gram in Ladder.of(variable(KINDS[kind](rng))).rungs:
        own = fit(gram, np.arange(50), limits.EXACT_RESIDUAL)
        found = marginal(own.of(slice(0, 50)), own.offset, cuts)
        matrix = np.array(gram.dense())
        close(found.centered, dense.form(dense.centered(matrix)), 1e-7)
        assert found.raw == pytest.approx(dense.form(dense.raw(matrix)).second, rel=1e-7, abs=1e-9)
        g = dense.additive(matrix)
        assert found.two == pytest.approx(g @ g, rel=1e-7, abs=1e-12)
        assert found.three == pytest.approx(np.sum(g**3), rel=1e-7, abs=1e-12)
        off = matrix - np.eye(50)
        assert found.mean == pytest.approx(off.sum() / (50 * 49), rel=1e-9)
        assert found.squares == pytest.approx(np.sum(off**2), rel=1e-7)


def test_a_kernel_that_hardly_varies(rng):
    """A width a thousand times the spread: nothing may be a difference of large numbers."""
    x = rng.normal(size=80)
    gram = Gaussian(1000.0).gram(variable(x).blocks[0], np.empty(0)).squared()
    own = fit(gram, np.arange(80), limits.EXACT_RESIDUAL)
    found = marginal(own.of(slice(0, 80)), own.offset)
    exact = np.exp(-(np.subtract.outer(x, x).astype(np.longdouble) ** 2) / np.longdouble(1000.0) ** 2)
    expected = dense.form(dense.centered(np.expm1(-(np.subtract.outer(x, x) ** 2) / 1000.0**2)))
    assert found.centered.spread == pytest.approx(float(expected.spread), rel=1e-4)
    assert found.mean == pytest.approx(float((exact.sum() - 80) / (80 * 79)), rel=1e-12)


def test_cubes_by_probes(rng):
    """Beyond some rows a sample stands for all in the sum of cubes, which then counts for little."""
    n = 3 * limits.ALL_PROBES
    x = rng.normal(size=n)
    table = read(x, rng.normal(size=n))
    for height in range(4):
        side = Side(Ladders.of(table), np.array([0]), height, 10**9)
        found = side.rows(0, 0).marginal.centered.third
        f = side.centered(0)
        near = f @ f.T
        d = np.diag(near).copy()
        h = d / (n - 2) - d.sum() / (2 * (n - 1) * (n - 2))
        u = near + h[:, None] + h
        np.fill_diagonal(u, 0.0)
        expected = dense.form(u).third
        weights = np.array([0.5 * n**2, 3 * n**3, 0, n**3, 0, 0, 0, 0])
        assert abs(np.sum(weights * found**2) / np.sum(weights * expected**2) - 1) < 0.02


@given(st.integers(6, 400), st.sampled_from(["normal", "ties", "heavy", "vector"]), st.integers(0, 100))
def test_rungs_have_their_bits(n, kind, seed):
    g = np.random.default_rng(seed)
    values = {
        "normal": g.normal(size=(n, 1)),
        "ties": np.round(2 * g.normal(size=(n, 1))),
        "heavy": g.standard_cauchy((n, 1)),
        "vector": g.normal(size=(n, 3)),
    }[kind]
    widths = rung_widths(values)
    assert sorted(widths, reverse=True) == widths
    squared = np.sum((values[:, None] - values) ** 2, axis=-1)
    bits = [-np.log2(np.mean(np.exp(-squared / width**2))) for width in widths]
    largest = -np.log2(np.mean(squared == 0))
    if largest == 0:
        assert widths == [1.0]
        return
    for found, wanted in zip(bits, limits.RUNG_BITS, strict=False):
        assert found == pytest.approx(min(wanted, limits.LAST_SHARE * largest), rel=0.01)


def test_rungs_do_not_depend_on_units(rng):
    x = rng.lognormal(size=(300, 1))
    assert rung_widths(1e-7 * x) == pytest.approx([1e-7 * width for width in rung_widths(x)], rel=1e-3)
    assert rung_widths(x + 1e6) == pytest.approx(rung_widths(x), rel=1e-6)


def test_many_rows_have_the_widths_of_few(rng):
    x = rng.normal(size=(50_000, 1))
    assert rung_widths(x) == pytest.approx(rung_widths(x[:4000]), rel=0.05)
    rows = sample_rows(x)
    assert len(rows) == limits.SAMPLE_ROWS
    assert x[rows].min() == x[spaced_rows(50_000)].min()
    assert x[rows].max() == x[spaced_rows(50_000)].max()
    assert len(sample_rows(rng.normal(size=(3000, 2)))) == limits.SAMPLE_ROWS


@pytest.mark.parametrize("draw", ["normal", "standard_cauchy", "uniform", "exponential"])
def test_features_leave_out_no_more_than_they_say(draw):
    x = getattr(np.random.default_rng(1), draw)(size=20_000)
    for gram in Ladder.of(variable(x)).rungs:
        own = fit(gram, sample_rows(x[:, None]))
        features = own.of(slice(0, 20_000)) + own.offset
        left = 1 - np.einsum("ij,ij->i", features, features)
        assert left.min() > -1e-6  # what is left is positive semidefinite
        # Outliers that no landmark is near are left out; elsewhere little is.
        assert left.mean() < (0.1 if draw == "standard_cauchy" else 4 * limits.RESIDUAL)
        assert own.rank <= 200


def test_features_are_as_few_as_what_may_be_left_out_allows(rng):
    """As many as eigenvalues of the similarity have to be kept, half way between two of these."""
    x = rng.normal(size=200)
    for gram in Ladder.of(variable(x)).rungs:
        matrix = np.asarray(gram.dense(), dtype=float)
        left = np.cumsum(np.maximum(np.linalg.eigvalsh(matrix), 0.0)) / 200
        for rank in (3, 5):
            residual = (left[-rank - 1] + left[-rank]) / 2 / (1 - matrix.mean())
            if residual > limits.LANDMARK_RESIDUAL:
                assert fit(gram, np.arange(200), residual).rank == rank


def test_the_residual_is_what_features_leave_out_of_the_diagonal(rng):
    x = rng.normal(size=30)
    for gram in Ladder.of(variable(x)).rungs:
        for allowed in (limits.EXACT_RESIDUAL, 0.2):
            own = fit(gram, np.arange(30), allowed)
            features = own.of(slice(0, 30)) + own.offset
            left = 1 - np.mean(np.sum(features**2, axis=1))
            assert marginal(own.of(slice(0, 30)), own.offset).residual == pytest.approx(left, abs=1e-9)
            assert (left > 1e-3) == (allowed == 0.2)


def test_levels_beyond_the_most_frequent(rng):
    labels = np.char.add("level ", rng.integers(0, 600, size=5000).astype(str))
    gram = Ladder.of(variable(labels)).rungs[0]
    own = fit(gram, np.arange(5000))
    assert own.rank == limits.MOST_LEVELS
    features = own.of(slice(0, 5000)) + own.offset
    assert set(np.unique(features)) == {0.0, 1.0}
    assert np.array_equal(features[:50] @ features[:50].T * 1.0, (features[:50] @ features[:50].T).round())


def test_joined_ladders(rng):
    x, y = rng.normal(size=(2, 60))
    label = rng.choice(list("ab"), size=60)
    both = Ladder.of(variable(x)).joined(Ladder.of(variable(1000 * y)))
    assert both.numbers is not None
    assert np.ptp(both.numbers, axis=0) == pytest.approx(np.ptp(both.numbers), rel=0.5)
    mixed = both.joined(Ladder.of(variable(label)))
    assert len(mixed.rungs) == len(both.rungs)
    same = np.equal.outer(label, label)
    assert (np.array(mixed.rungs[0].dense())[~same] == 0).all()


def test_at_most_two_values():
    assert rungs._at_most_two(np.array([[1.0]]))
    assert rungs._at_most_two(np.array([[1.0], [1.0]]))
    assert rungs._at_most_two(np.array([[1.0], [2.0], [1.0]]))
    assert not rungs._at_most_two(np.array([[1.0], [2.0], [3.0]]))


def test_more_than_two_variables_beyond_whole_matrices(rng):
    a, b, e = rng.normal(size=(3, 21_000))
    found = sh.independence_test(a, b, np.sign(a * b) * abs(e))
    assert found.pvalue < 1e-100
    assert all("against those before" in one.name for one in found.components)
    assert sh.independence_test(a, b, e).pvalue > 0.001


@pytest.mark.parametrize("rows", [5, 8192, 8193, 16_383, 196_585])
def test_spaced_rows(rows):
    """Ascending, none twice, and out of step with a day of 24 rows."""
    found = spaced_rows(rows)
    assert len(found) == min(rows, limits.SPACED_ROWS)
    assert (np.diff(found) > 0).all()
    assert 0 <= found[0] <= found[-1] < rows
    if rows > 100:
        assert np.bincount(found % 24, minlength=24).min() > 0.7 * len(found) / 24
