"""What whole tables of odd columns have found (experiments/reliability/fuzz.py)."""

import warnings

import numpy as np
import polars as pl
import pytest

import shearer as sh
from cli.commands import failed_in_one_line
from shearer.inference import conditional_test
from shearer.scanning.columns.roles import ordinary
from shearer.tools import DependenceNetwork, DependenceSelector, FeatureBagging, SubspaceSearch, dependence_score


@pytest.mark.needs("torch")
def test_estimators_take_tensors_that_require_gradients(rng):
    import torch

    matrix = rng.normal(size=(30, 4))
    tensor = torch.tensor(matrix, requires_grad=True)
    labels = rng.integers(0, 2, size=30)
    assert np.allclose(DependenceNetwork().fit(tensor).pvalues_, DependenceNetwork().fit(matrix).pvalues_)
    SubspaceSearch(n_subspaces=2).fit(tensor)
    bagging = FeatureBagging(n_estimators=2, n_neighbors=5).fit(tensor)
    assert np.allclose(bagging.decision_function(tensor), bagging.decision_function(matrix))
    assert DependenceSelector(n_features_to_select=1).fit(tensor, labels).get_support().sum() == 1
    assert np.allclose(dependence_score(tensor, labels)[0], dependence_score(matrix, labels)[0])


@pytest.mark.parametrize("fit", [SubspaceSearch().fit, DependenceNetwork().fit, FeatureBagging(n_estimators=2).fit])
def test_infinite_numbers_are_refused_without_a_warning(rng, fit):
    matrix = rng.normal(size=(30, 3))
    matrix[:2, 0] = np.inf, -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="infinity"):
            fit(matrix)


@pytest.mark.needs("array_api_strict")
def test_constant_variables_of_a_strict_library(rng):
    import array_api_strict as xp

    constant, other = xp.ones(20), xp.asarray(rng.normal(size=20))
    assert float(sh.total_correlation(constant, other)) == pytest.approx(0.0)
    assert float(sh.entropy(constant)) == 0.0


@pytest.mark.needs("array_api_strict")
def test_numbers_far_apart_in_a_strict_library(rng):
    import array_api_strict as xp

    far = rng.normal(size=20)
    far[0] = 1e300
    found = sh.mutual_information(xp.asarray(far), xp.asarray(rng.normal(size=20)))
    assert 0 <= float(found) <= 1


@pytest.mark.parametrize("size", [1e300, 1e-300, 1.0])
def test_a_scan_finds_copies_of_any_size(rng, size):
    """Lines through numbers whose squares are no floats were no lines, and ended a scan."""
    x = np.round(rng.normal(size=40), 3)
    found = sh.scan({"x": size * x, "y": 2 * size * x, "z": rng.normal(size=40)})
    assert {"x", "z"} == {name for pair in found.document["pairs"] for name in pair["variables"]}


def test_ordinary_numbers_are_left_alone():
    values = np.array([0.1, -2.5])
    assert ordinary(values) is values
    assert ordinary(np.empty(0)).size == 0
    assert np.array_equal(ordinary(values * 2.0**-1000), values * 2.0**-2)


@pytest.mark.parametrize("count", [3, 4])
def test_interactions_of_objects_are_refused_in_words(rng, count):
    """A nested column among four ended in an error of numpy: the test of a term has no kernel that compares it."""
    table = {name: rng.normal(size=40) for name in "abcd"[: count - 1]}
    table["nested"] = [[int(value)] for value in rng.integers(0, 3, size=40)]
    with pytest.raises(TypeError, match="nested: expected numbers or labels, got objects"):
        sh.interaction_test(pl.DataFrame(table))


def test_a_network_of_labels_alone(rng):
    """Of a table without numbers nothing was weighed: an empty stack of matrices has no shape."""
    first = rng.choice(["a", "b", "c"], size=80)
    table = pl.DataFrame({"first": first, "copy": np.char.add(first, "!"), "other": rng.choice(["u", "v"], size=80)})
    found = DependenceNetwork().fit(table)
    assert [edge[:2] for edge in found.edges_.rows()] == [("first", "copy")]
    weights = found.weights_
    assert weights[0, 1] == weights.max() > 0.9


@pytest.mark.needs("array_api_strict")
def test_a_local_permutation_test_of_a_strict_library(rng):
    import array_api_strict as xp

    x, y, z = rng.normal(size=(3, 40))
    found = conditional_test(xp.asarray(x), xp.asarray(y), given=xp.asarray(z), n_resamples=19)
    assert found.pvalue == conditional_test(x, y, given=z, n_resamples=19).pvalue


def test_columns_that_are_infinite_are_refused_in_words_by_the_command(call, tmp_path, rng):
    x = rng.normal(size=(20, 2))
    x[3, 1] = np.inf
    pl.DataFrame(x, schema=["x", "y"]).write_parquet(tmp_path / "t.parquet")
    for target in "xy":
        done = call("select", tmp_path / "t.parquet", target, "-q")
        assert failed_in_one_line(done)
        assert "'y': expected finite numbers, got infinity in 1 of 20 rows" in done.stderr


@pytest.mark.parametrize("far", [1e160, 1e300])
def test_many_columns_with_a_row_that_is_far_away_do_not_warn(rng, far):
    table = rng.normal(size=(25, 80))
    table[3, ::7] = far
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0 <= sh.mutual_information(table, rng.normal(size=25)) <= 1
        assert 0 <= sh.permutation_test(table, rng.normal(size=25), n_resamples=19, rng=0).pvalue <= 1
