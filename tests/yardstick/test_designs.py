"""Designs: what they draw, that nulls are null by construction, and that versions mean something."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from shearer.yardstick import SUITES
from shearer.yardstick.suite_strength import SHAPES
from shearer.yardstick.suite_tables import TABLES, pairs, predictability, table
from shearer.yardstick.twenty_relations import DEPENDENT, RELATIONS, relation

RECORDED = Path(__file__).parent / "drawn.json"
EVERY = [(suite.name, design.name) for suite in SUITES.values() for design in suite.designs]


def numbers(column):
    """The first coordinate, labels as codes."""
    column = column if column.ndim == 1 else column[:, 0]
    return np.unique(column, return_inverse=True)[1].astype(float) if column.dtype.kind in "US" else column


def classes(column, count=4):
    values = numbers(column)
    distinct = np.unique(values)
    if len(distinct) <= 2 * count:
        return np.searchsorted(distinct, values)
    return np.searchsorted(np.unique(np.quantile(values, np.arange(1, count) / count)), values)


def contingency_pvalue(x, y):
    a, b = classes(x), classes(y)
    found = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(found, (a, b), 1)
    found = found[found.sum(axis=1) > 0][:, found.sum(axis=0) > 0]
    return 1.0 if min(found.shape) < 2 else stats.chi2_contingency(found, correction=False).pvalue


@pytest.mark.parametrize("name", SUITES)
def test_every_design_draws_what_it_says(name):
    suite = SUITES[name]
    assert len({design.name for design in suite.designs}) == len(suite.designs)
    for design in suite.designs:
        drawn = suite.draw(design.name, 3)
        again, other = suite.draw(design.name, 3), suite.draw(design.name, 4)
        assert all(len(column) == design.rows for column in drawn)
        assert all(np.array_equal(a, b) for a, b in zip(drawn, again, strict=True))
        assert name == "tables" or not all(np.array_equal(a, b) for a, b in zip(drawn, other, strict=True))
        tested = drawn[:-1] if suite.task in ("conditional", "change") else drawn
        assert len(tested) == design.variables
        labels = [column.dtype.kind in "US" for column in (drawn if suite.task != "change" else tested)]
        assert design.kind == ("labels" if all(labels) else "mixed" if any(labels) else "numbers")
        assert max(1 if column.ndim == 1 else column.shape[1] for column in drawn) == design.dimension
        assert all(np.isfinite(column).all() for column in drawn if column.dtype.kind == "f")


def test_a_version_stands_for_what_is_drawn():
    """Where this fails a design has changed: raise the suite's version, and record anew what the message holds."""
    found = {}
    for name, suite in SUITES.items():
        own = {design.name: [round(float(np.mean(np.tanh(numbers(c)))), 6) for c in suite.draw(design.name, 0)]
               for design in suite.designs}  # fmt: skip
        found[f"{name} {suite.version}"] = own
    recorded = json.loads(RECORDED.read_text())
    assert recorded.keys() == found.keys()
    for name, own in found.items():
        assert recorded[name].keys() == own.keys()
        for design, means in own.items():
            np.testing.assert_allclose(means, recorded[name][design], atol=1e-5, err_msg=design)


def test_nulls_of_independence_are_null():
    """Far more rows than in the suite: a dependence would show, and 18 designs at 1e-5 each do not fail by chance."""
    g = np.random.default_rng(1)
    for design in SUITES["independence"].designs:
        if design.null:
            drawn = design.draw(g, 6000)
            for i in range(len(drawn)):
                for j in range(i):
                    assert contingency_pvalue(drawn[i], drawn[j]) > 1e-5, design.name


def test_alternatives_that_show_in_a_table_are_none():
    """The same check does reject where there is dependence."""
    g = np.random.default_rng(2)
    found = [contingency_pvalue(*relation(name)(g, 6000)) for name in DEPENDENT]
    assert np.median(found) < 1e-5


# What is left of x and y once the mean given z is taken away, and their spread.
LEFT = {
    "null: line": lambda x, y, z: (x - 1.5 * z, y - 1.5 * z),
    "null: wave": lambda x, y, z: (x - np.sin(3 * z), y - np.sin(3 * z)),
    "null: plane": lambda x, y, z: tuple(part - z @ [1.0, -0.7, 0.5] for part in (x, y)),
    "null: saddle": lambda x, y, z: tuple(part - z[:, 0] * z[:, 1] for part in (x, y)),
    "null: ten conditions": lambda x, y, z: tuple(part - np.tanh(z[:, 0] + z[:, 1]) for part in (x, y)),
    "null: spread by z": lambda x, y, z: ((x - z) / np.exp(z / 2), (y - np.cos(z)) / np.exp(z / 2)),
    "null: skewed": lambda x, y, z: (x - np.log(z), y - np.sqrt(z)),
}


def test_nulls_given_others_are_null():
    g = np.random.default_rng(3)
    suite = SUITES["conditional"]
    for design in suite.designs:
        x, y, z = design.draw(g, 6000)
        if design.name in LEFT:
            left = LEFT[design.name](x, y, z)
            assert contingency_pvalue(*left) > 1e-4, design.name
            assert contingency_pvalue(left[0], z if z.ndim == 1 else z[:, 0]) > 1e-4, design.name
        elif design.name == "null: a label":
            assert min(contingency_pvalue(x[z == own], y[z == own]) for own in np.unique(z)) > 1e-4
        elif design.name == "null: x a label":
            assert contingency_pvalue(x[np.abs(z) < 0.05], (y - z**2)[np.abs(z) < 0.05]) > 1e-4
        else:
            assert design.null is False
    assert set(LEFT) < {design.name for design in suite.designs}


def test_three_coins_have_no_three_way_term():
    drawn = SUITES["interaction"].design("null: three coins").draw(np.random.default_rng(4), 200_000)
    a, b, c = (numbers(part).astype(int) for part in drawn)
    counts = np.bincount(4 * a + 2 * b + c, minlength=8).reshape(2, 2, 2).astype(float)
    signs = np.array([1, -1])
    term = np.sum(np.log(counts) * signs[:, None, None] * signs[None, :, None] * signs[None, None, :])
    assert abs(term) < 4 * np.sqrt(np.sum(1 / counts))


def test_groups_of_null_designs_depend_alike():
    g = np.random.default_rng(5)
    for design in SUITES["change"].designs:
        if design.null and design.kind == "numbers":
            x, y, groups = design.draw(g, 8000)
            tau = [stats.kendalltau(x[groups == own], y[groups == own]).statistic for own in "ab"]
            squares = [
                stats.spearmanr(np.abs(stats.rankdata(x[groups == own]) / np.sum(groups == own) - 0.5),
                                np.abs(stats.rankdata(y[groups == own]) / np.sum(groups == own) - 0.5)).statistic
                for own in "ab"
            ]  # fmt: skip
            assert abs(tau[0] - tau[1]) < 0.06, design.name
            assert abs(squares[0] - squares[1]) < 0.1, design.name
        elif design.null and design.kind == "labels":
            x, y, groups = design.draw(g, 40_000)
            odds = [stats.contingency.odds_ratio(
                stats.contingency.crosstab(x[groups == own], y[groups == own]).count, kind="sample").statistic
                for own in "ab"]  # fmt: skip
            assert odds == pytest.approx([4, 4], rel=0.15)


@pytest.mark.parametrize("shape", SHAPES)
def test_noise_has_the_share_that_is_said(shape):
    for design in SUITES["strength"].designs:
        if design.family == f"noise: {shape}":
            x, y = design.draw(np.random.default_rng(6), 100_000)
            assert np.corrcoef(SHAPES[shape](x), y)[0, 1] ** 2 == pytest.approx(design.place, abs=0.01)


def test_twenty_relations_in_one_and_more_dimensions():
    assert len(RELATIONS) == 20
    for name in RELATIONS:
        for dimension in (1, 3, 50):
            x, y = relation(name, dimension)(np.random.default_rng(0), 30)
            assert x.shape == ((30,) if dimension == 1 else (30, dimension))
            assert len(y) == 30
            assert np.isfinite(x).all()
            assert np.isfinite(y).all()
    with pytest.raises(ValueError, match="linear"):
        relation("linaer")


def test_pairs_of_tables_are_those_that_are_kept():
    kept = {(design.family, design.name.split(": ", 1)[1]) for design in SUITES["tables"].designs}
    assert kept == {(name, ", ".join(pair)) for name in TABLES for pair in pairs(name)}


def test_predictability_is_what_is_kept():
    """Forests of other versions of scikit-learn may differ a little."""
    columns = table("iris")
    x, y = columns["petal length (cm)"], columns["target"]
    kept = SUITES["tables"].design("iris: petal length (cm), target").place
    assert predictability(x, y) == pytest.approx(kept, abs=0.05)
    assert abs(predictability(x, np.random.default_rng(0).permutation(x))) < 0.25
