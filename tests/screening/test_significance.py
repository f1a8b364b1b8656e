"""p-values of all pairs equal those of one pair at a time."""

import numpy as np
import pytest

import shearer as sh


@pytest.fixture
def table(rng):
    x = rng.normal(size=60)
    return {
        "x": x,
        "linear": x + rng.normal(size=60),
        "square": x**2 + 0.3 * rng.normal(size=60),
        "noise": rng.standard_t(3, size=60),
        "label": rng.choice(list("abc"), size=60),
        "shifted": np.where(x > 0, "up", "down"),
        "vector": rng.normal(size=(60, 3)),
        "constant": np.ones(60),
        "identifier": [f"row {i}" for i in range(60)],
    }


def test_equal_to_one_pair_at_a_time(table):
    m = sh.pairwise(table)
    for i, first in enumerate(m.names):
        for j, second in enumerate(m.names[:i]):
            alone = sh.independence_test({first: table[first], second: table[second]}).pvalue
            assert m.pvalue[i, j] == pytest.approx(alone, rel=1e-6)
    assert np.array_equal(m.pvalue, m.pvalue.T)
    assert (np.diag(m.pvalue) == 1).all()


def test_qvalues_control_the_pairs(table):
    m = sh.pairwise(table)
    upper = np.triu_indices(len(m.names), 1)
    assert m.qvalue[upper] == pytest.approx(sh.inference.adjusted_pvalues(m.pvalue[upper]))
    found = {frozenset((m.names[i], m.names[j])) for i, j in zip(*np.nonzero(m.qvalue < 0.01), strict=True)}
    assert frozenset(("x", "linear")) in found
    assert frozenset(("x", "shifted")) in found
    assert not any("noise" in pair or "constant" in pair or "identifier" in pair for pair in found)


def test_adjusted_values(table):
    names = ("x", "linear", "square", "noise", "label", "vector")
    m = sh.pairwise({name: table[name] for name in names})
    for i, first in enumerate(names):
        for j, second in enumerate(names[:i]):
            alone = sh.inference.adjusted_mutual_information({first: table[first], second: table[second]})
            assert m.adjusted[i, j] == pytest.approx(alone, abs=1e-9)
    assert np.diag(m.adjusted) == pytest.approx(np.ones(len(names)), abs=1e-9)
    assert np.array_equal(m.adjusted, m.adjusted.T)


def test_targets(table):
    whole, one = sh.pairwise(table), sh.pairwise(table, target="x")
    assert one.pvalue == pytest.approx(whole.pvalue[0, 1:], rel=1e-9)
    assert one.adjusted == pytest.approx(whole.adjusted[0, 1:], abs=1e-12)
    assert one.qvalue == pytest.approx(sh.inference.adjusted_pvalues(one.pvalue))
    two = sh.pairwise(table, target=["x", "label"])
    assert two.pvalue.shape == (7, 2)


def test_level_over_many_independent_columns():
    x = np.random.default_rng(0).normal(size=(50, 120))
    p = sh.pairwise(x).pvalue[np.triu_indices(120, 1)]
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.012)
    assert np.mean(p <= 0.01) == pytest.approx(0.01, abs=0.005)


def test_what_has_no_pvalues(rng):
    x = rng.normal(size=(20, 3))
    with pytest.raises(ValueError, match="pvalue: expected alpha=2"):
        _ = sh.pairwise(x, alpha=1).pvalue
    with pytest.raises(ValueError, match="pvalue: expected at least 6 rows, got 5"):
        _ = sh.pairwise(x[5:10]).pvalue
    few = {"a": np.where(np.arange(20) < 8, x[:, 0], np.nan), "b": np.where(np.arange(20) >= 4, x[:, 1], np.nan)}
    with pytest.raises(ValueError, match="pvalue: expected at least 6 rows, got 4"):
        _ = sh.pairwise(few, missing="pairwise", target="b").pvalue


@pytest.fixture
def gappy(rng, table):
    """Gaps of every column its own, one column that leaves hardly any rows to another."""
    found = {name: np.asarray(column).copy() for name, column in table.items() if name not in ("identifier", "vector")}
    for name, column in found.items():
        gaps = rng.choice(60, size=rng.integers(0, 12), replace=False)
        found[name] = column.astype(object if column.dtype.kind == "U" else float)
        found[name][gaps] = None if column.dtype.kind == "U" else np.nan
    found["late"], found["early"] = rng.normal(size=(2, 60))
    found["late"][:30] = np.nan
    found["early"][34:] = np.nan
    return found


def common(table, *names):
    """The rows that some columns have, and nothing else of them."""
    rows = np.flatnonzero([all(table[name][i] == table[name][i] != None for name in names) for i in range(60)])  # noqa: E711
    return {name: table[name][rows] for name in names}, rows


def alone(table, first, second):
    """The kernel of each column as it is on all rows that the column has."""
    kernels = {}
    for name in (first, second):
        if table[name].dtype != object:
            kernels[name] = sh.kernels.Gaussian(sh.kernels.bandwidth.median(common(table, name)[0][name][:, None]))
    return kernels


def test_missing_values(gappy):
    m = sh.pairwise(gappy, missing="pairwise")
    single = sh.pairwise(gappy, missing="pairwise", kernel=sh.kernels.Gaussian())
    assert np.nanmax(np.abs(single.adjusted - m.adjusted)) < 1e-12
    for i, first in enumerate(m.names):
        for j, second in enumerate(m.names[:i]):
            pair, rows = common(gappy, first, second)
            assert m.rows[i, j] == len(rows)
            if len(rows) < 6:
                assert {first, second} == {"late", "early"}
                assert np.isnan([m.pvalue[i, j], m.qvalue[i, j], m.adjusted[i, j]]).all()
                continue
            kernel = alone(gappy, first, second)
            expected = sh.independence_test(pair, kernel=kernel).pvalue
            assert single.pvalue[i, j] == pytest.approx(expected, rel=1e-6)
            expected = sh.inference.adjusted_mutual_information(pair, kernel=kernel)
            assert m.adjusted[i, j] == pytest.approx(expected, abs=1e-9)
    upper = np.triu_indices(len(m.names), 1)
    tested = ~np.isnan(m.pvalue[upper])
    assert m.qvalue[upper][tested] == pytest.approx(sh.inference.adjusted_pvalues(m.pvalue[upper][tested]))
    for matrix in (m.pvalue, m.qvalue, m.adjusted):
        assert np.array_equal(matrix, matrix.T, equal_nan=True)
    one = sh.pairwise(gappy, missing="pairwise", target="x")
    assert one.pvalue == pytest.approx(m.pvalue[0, 1:], rel=1e-9)
    assert one.adjusted == pytest.approx(m.adjusted[0, 1:], abs=1e-12)


def test_missing_values_under_a_kernel_that_hardly_varies(gappy):
    """Similarities of spread 1e-4: each matrix is centred by itself."""
    kernel = sh.kernels.Gaussian(100.0)
    m = sh.pairwise(gappy, missing="pairwise", kernel=kernel)
    pair, _ = common(gappy, "x", "linear")
    assert m.pvalue[0, 1] == pytest.approx(sh.independence_test(pair, kernel=kernel).pvalue, rel=1e-6)


def test_many_rows(rng):
    x = rng.normal(size=(5100, 3))
    x[:, 2] += 0.05 * x[:, 0]
    expected = sh.independence_test(x[:, 0], x[:, 2]).pvalue
    assert sh.pairwise(x).pvalue[0, 2] == pytest.approx(expected, rel=1e-6)


def test_a_kernel_that_hardly_varies(rng):
    """Spreads of 1e-5: the statistics cannot be had from the joint entropies."""
    x = rng.normal(size=(60, 3))
    x[:, 2] += x[:, 0]
    kernel = sh.kernels.Gaussian(300.0)
    m = sh.pairwise(x, kernel=kernel)
    for i, j in ((0, 1), (0, 2)):
        assert m.pvalue[i, j] == pytest.approx(sh.independence_test(x[:, i], x[:, j], kernel=kernel).pvalue, rel=1e-5)


def test_long_table_with_pvalues(table, gappy):
    m = sh.pairwise(table)
    frame = m.to_frame(pvalues=True)
    assert frame.columns == ["first", "second", "value", "joint", "pvalue", "qvalue", "adjusted"]
    upper = np.triu_indices(len(m.names), 1)
    for name in ("pvalue", "qvalue", "adjusted"):
        assert np.array_equal(frame[name].to_numpy(), getattr(m, name)[upper])
    assert m.to_frame().columns == ["first", "second", "value", "joint"]
    target = sh.pairwise(gappy, missing="pairwise", target=["x", "late"]).to_frame("long", pvalues=True)
    assert target.columns[-2:] == ["adjusted", "rows"]
    assert target.height == 2 * (len(gappy) - 2)
    with pytest.raises(ValueError, match='pvalues: expected False with layout="wide", got True'):
        m.to_frame("wide", pvalues=True)
    with pytest.raises(ValueError, match="pvalues: expected one of False, True, got 1"):
        m.to_frame(pvalues=1)
