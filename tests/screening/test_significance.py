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
            alone = sh.independence_test({first: table[first], second: table[second]}, method="moments").pvalue
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


@pytest.mark.parametrize("options", [{"alpha": 1}, {"missing": "pairwise"}])
def test_what_has_no_pvalues(rng, options):
    x = rng.normal(size=(20, 3))
    x[0, 0] = np.nan if "missing" in options else 1.0
    with pytest.raises(ValueError, match="pvalue: expected alpha=2"):
        _ = sh.pairwise(x, **options).pvalue
    with pytest.raises(ValueError, match="pvalue: expected at least 6 rows, got 5"):
        _ = sh.pairwise(x[5:10]).pvalue
