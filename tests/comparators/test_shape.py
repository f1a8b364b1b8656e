"""One call shape for all: inputs, errors, seeds, symmetries, and use as the statistic of a permutation test."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shearer as sh
from comparators.registry import ALL, ASYMMETRIC, BINNED, LABELS, MANY, ORDERED, PAIRS, RANKED, SCALARS, SCALED, VECTORS

every = pytest.mark.parametrize("name", sorted(ALL))


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(5)
    x = rng.normal(size=60)
    return x, np.sin(2 * x) + 0.3 * rng.normal(size=60)


@every
def test_returns_a_plain_float_from_any_container(name, sample):
    x, y = sample
    value = ALL[name](x, y)
    assert type(value) is float
    assert np.isfinite(value)
    others = [
        ALL[name](list(x), list(y)),
        ALL[name](np.column_stack(sample)),
        ALL[name]({"a": x, "b": y}),
        ALL[name](pd.DataFrame({"a": x, "b": y})),
        ALL[name](pl.DataFrame({"a": x, "b": y})),
        ALL[name](pd.Series(x, name="a"), pl.Series("b", y)),
    ]
    assert others == [value] * len(others)


@every
@pytest.mark.needs("torch")
def test_tensors(name, sample):
    import torch

    x, y = (torch.tensor(column, requires_grad=True) for column in sample)
    assert ALL[name](x, y) == pytest.approx(ALL[name](*sample), rel=1e-9)


@every
def test_order_of_rows_is_no_matter(name, sample):
    x, y = sample
    order = np.random.default_rng(1).permutation(len(x))
    if name in ORDERED:
        assert ALL[name](x[order], y[order]) != ALL[name](x, y)
    else:
        assert ALL[name](x[order], y[order]) == pytest.approx(ALL[name](x, y), abs=1e-9)


@every
def test_order_of_variables_is_no_matter(name, sample):
    x, y = sample
    if name in ASYMMETRIC:
        assert ALL[name](y, x) != ALL[name](x, y)
    else:
        assert ALL[name](y, x) == pytest.approx(ALL[name](x, y), abs=1e-9)


@every
def test_unit_and_offset_are_no_matter(name, sample):
    x, y = sample
    moved = ALL[name](3.0 + 250.0 * x, y - 1e3)
    value = ALL[name](x, y)
    assert moved == pytest.approx(value * np.sqrt(250.0) if name in SCALED else value, rel=1e-6, abs=1e-9)


@every
@pytest.mark.parametrize("size", [1e-290, 1e-160, 1e160, 1e307])
def test_any_magnitude(name, size, sample):
    x, y = sample[0] / np.abs(sample[0]).max(), sample[1]
    expected = ALL[name](x, y)
    assert ALL[name](x * size, y) == pytest.approx(expected * np.sqrt(size) if name in SCALED else expected, rel=1e-9)


@pytest.mark.parametrize("name", sorted(RANKED))
def test_rising_functions_are_no_matter(name, sample):
    x, y = sample
    assert ALL[name](np.exp(x), y**3) == pytest.approx(ALL[name](x, y), abs=1e-12)


@pytest.mark.parametrize("name", sorted(VECTORS))
def test_vectors(name, rng):
    x = rng.normal(size=(80, 3))
    y = x[:, :2] ** 2
    assert np.isfinite(ALL[name](x, y))
    table = pd.DataFrame(np.hstack([x, y]), columns=list("abcde"))
    assert ALL[name](table, groups={"x": list("abc"), "y": list("de")}) == ALL[name](x, y)


@pytest.mark.parametrize("name", sorted(SCALARS))
def test_scalars_only_says_so(name, rng):
    with pytest.raises(ValueError, match="x1: expected one column, got 2"):
        ALL[name](rng.normal(size=(20, 2)), rng.normal(size=20))


@pytest.mark.parametrize("name", sorted(LABELS))
def test_labels_are_apart_or_equal(name, rng):
    labels = np.array(list("abcd"))[rng.integers(0, 4, size=60)]
    renamed = np.array(list("wzyx"))[[list("abcd").index(label) for label in labels]]
    y = rng.normal(size=60)
    assert ALL[name](labels, y) == pytest.approx(ALL[name](renamed, y), rel=1e-9)


@pytest.mark.parametrize("name", sorted(set(ALL) - LABELS - BINNED))
def test_labels_have_no_order(name):
    with pytest.raises(TypeError, match="x1: expected numbers, got labels"):
        ALL[name](list("aabbab"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


@pytest.mark.parametrize("name", sorted(MANY))
def test_more_than_two(name, rng):
    x, y, z = rng.normal(size=(3, 60))
    value = ALL[name](x, y, z + x)
    assert np.isfinite(value)
    if name not in ORDERED:
        assert ALL[name](z + x, x, y) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_pairs_only_says_so(name, rng):
    with pytest.raises(ValueError, match="exactly 2 variables, got 3"):
        ALL[name](*rng.normal(size=(3, 20)))


@every
def test_bad_data(name):
    with pytest.raises(ValueError, match=r"(at least|exactly) 2 variables"):
        ALL[name]([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="same number of rows"):
        ALL[name]([1.0, 2.0, 3.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="no missing values"):
        ALL[name]([1.0, np.nan, 3.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="finite numbers"):
        ALL[name]([1.0, np.inf, 3.0], [1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="unexpected keyword"):
        ALL[name]([1.0, 2.0], [1.0, 2.0], bandwith=1)


@every
def test_missing_rows_are_dropped(name, sample):
    x, y = (column.copy() for column in sample)
    x[3], y[7] = np.nan, np.nan
    kept = np.delete(np.arange(60), [3, 7])
    assert ALL[name](x, y, missing="drop") == ALL[name](x[kept], y[kept])


@every
def test_constants_share_nothing(name):
    x = np.arange(30.0)
    value = ALL[name](x, np.ones(30))
    assert np.isfinite(value)
    if name not in {"multivariate_spearman", "c_kdm"}:  # ties at the mean rank are not uniform
        assert value == pytest.approx(0.0, abs=1e-9)


@every
@given(seed=st.integers(0, 10_000), levels=st.integers(1, 5))
@settings(max_examples=30)  # of each measure
def test_ties_are_taken(name, seed, levels):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, levels + 1, size=(2, 25)).astype(float)
    value = ALL[name](x, y)
    assert not np.isnan(value)
    if name not in ORDERED | {"idd"}:  # which breaks ties by noise, row by row
        order = rng.permutation(25)
        assert ALL[name](x[order], y[order]) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("name", sorted(set(ALL) - ORDERED))
def test_statistic_of_a_permutation_test(name):
    x = np.random.default_rng(3).normal(size=40)
    found = sh.permutation_test(x, x + 0.01 * np.sin(9 * x), statistic=ALL[name], n_resamples=39, rng=0)
    assert found.pvalue == 1 / 40
    assert found.method.startswith(name)
    assert found.statistic == pytest.approx(ALL[name](x, x + 0.01 * np.sin(9 * x)), rel=1e-9)


FORMED_ONCE = sorted(name for name in ALL if hasattr(ALL[name], "rearranged"))


def test_which_form_matrices_once():
    assert FORMED_ONCE == ["dhsic", "distance_correlation", "distance_covariance", "hsic", "kcca", "qmi_cs"]


@pytest.mark.parametrize("name", FORMED_ONCE)
@pytest.mark.parametrize("kind", ["scalar", "vector", "label"])
def test_matrices_formed_once_change_nothing(name, kind, rng):
    x = rng.normal(size=(25, 2)) if kind == "vector" else rng.normal(size=25)
    y = np.array(list("abc"))[rng.integers(0, 3, size=25)] if kind == "label" else rng.normal(size=25)
    data = (x, y, rng.normal(size=25)) if name == "dhsic" else (x, y)
    quick = sh.permutation_test(*data, statistic=ALL[name], n_resamples=19, rng=4)
    # A partial has no attributes of the function: it is called on the permuted data, labels as codes.
    if kind != "label":
        slow = sh.permutation_test(*data, statistic=partial(ALL[name]), n_resamples=19, rng=4)
        np.testing.assert_allclose(quick.null_distribution, slow.null_distribution, rtol=1e-8, atol=1e-12)
        assert quick.pvalue == slow.pvalue
    assert quick.statistic == pytest.approx(ALL[name](*data), rel=1e-9, abs=1e-12)


def test_too_many_rows_for_matrices_are_refused():
    many = np.arange(1_000_000.0)
    with pytest.raises(sh.MemoryBudgetError, match="2 matrices of 1000000 x 1000000"):
        sh.comparators.hsic(many, many)
    with pytest.raises(sh.MemoryBudgetError, match="matrices"):
        sh.comparators.distance_correlation(many, np.stack([many, many], axis=1))
    assert sh.comparators.distance_correlation(many[:20_000], -many[:20_000]) == pytest.approx(1.0)
