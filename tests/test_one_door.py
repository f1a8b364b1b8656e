"""Every public function reads its data once, at the one door, `shearer.data.read`."""

import ast
from pathlib import Path

import numpy as np
import pytest

import shearer as sh
from shearer.data import read, reading
from shearer.data.table import Presence
from shearer.measures.registry import by_name

SOURCE = Path(sh.__file__).parent
RNG = np.random.default_rng(7)
X, Y, Z, W = RNG.normal(size=(4, 40))
LABELS = np.where(RNG.random(40) < 0.5, "left", "right")
MATRIX = np.column_stack([X, Y + X, Z, W - X])
TABLE = {"x": X, "y": Y + X, "z": Z, "w": W, "side": LABELS}
GAPS = {**TABLE, "x": np.where(np.arange(40) % 9 == 0, np.nan, X)}
SEVERAL = (X, Y, Z)


def tools(name):
    """A tool, loaded on first use."""
    return getattr(sh.tools, name)


MEASURES = {
    "entropy": lambda: sh.entropy(*SEVERAL),
    "entropy of a frame": lambda: sh.entropy(TABLE, given="z"),
    "mutual_information": lambda: sh.mutual_information(X, Y, given=Z),
    "total_correlation": lambda: sh.total_correlation(MATRIX),
    "dual_total_correlation": lambda: sh.dual_total_correlation(TABLE, groups={"pose": ["x", "z"]}),
    **{f"{name} of two": lambda name=name: getattr(sh, name)(X, Y) for name in by_name()},
    "shearer_gap": lambda: sh.shearer_gap(*SEVERAL, size=2),
    "Dependence": lambda: sh.Dependence(*SEVERAL).on_rows(slice(0, 30)).total_correlation(),
    "confidence_interval": lambda: sh.confidence_interval(X, Y),
    "adjusted_mutual_information": lambda: sh.inference.adjusted_mutual_information(X, Y),
}
TESTS = {
    "independence_test": lambda: sh.independence_test(X, Y),
    "independence_test of three": lambda: sh.independence_test(*SEVERAL),
    "independence_test by moments": lambda: sh.independence_test(X, Y, method="moments"),
    "independence_test by permutations": lambda: sh.independence_test(X, Y, method="permutation", n_resamples=19),
    "independence_test of a measure": lambda: sh.independence_test(X, Y, measure="total_correlation", n_resamples=19),
    "independence_test on threads": lambda: sh.independence_test(*SEVERAL, n_jobs=2, progress=False),
    "independence_test by permutations on threads": lambda: sh.independence_test(
        X, Y, method="permutation", n_resamples=19, n_jobs=2, progress=False
    ),
    "independence_test of few rows": lambda: sh.independence_test(X[:5], Y[:5], n_resamples=19),
    "independence_test in clusters": lambda: sh.independence_test(X, Y, cluster=np.arange(40) // 4),
    "independence_test given others": lambda: sh.independence_test(X, Y, given=Z),
    "independence_test by local permutations": lambda: sh.independence_test(
        X, Y, given=Z, method="permutation", n_resamples=19
    ),
    "permutation_test": lambda: sh.permutation_test(*SEVERAL, n_resamples=19),
    "permutation_test within blocks": lambda: sh.permutation_test(X, Y, blocks=LABELS, n_resamples=19),
    "permutation_test of a function": lambda: sh.permutation_test(X, Y, statistic=lambda x, y: x @ y, n_resamples=19),
    "permutation_test of a comparator": lambda: sh.permutation_test(
        X, Y, statistic=sh.comparators.hsic, n_resamples=19
    ),
    "interaction_test": lambda: sh.interaction_test(*SEVERAL),
}
TABLES = {
    "pairwise": lambda: sh.pairwise(MATRIX).pvalue,
    "pairwise with a target": lambda: sh.pairwise(TABLE, target="y").pvalue,
    "pairwise at another order": lambda: sh.pairwise(TABLE, alpha=1).value,
    "pairwise with missing values": lambda: sh.pairwise(GAPS, missing="pairwise").strength,
    "pairwise in clusters": lambda: sh.pairwise(TABLE, cluster=np.arange(40) // 4).pvalue,
    "pairwise given others": lambda: sh.pairwise(TABLE, given="z").pvalue,
    "triples": lambda: sh.triples(TABLE, columns=["x", "y", "z"]),
    "scan": lambda: sh.scan(TABLE, order=3, progress=False),
    "scan with a target": lambda: sh.scan(TABLE, target="y", progress=False),
    "scan with missing values": lambda: sh.scan(GAPS, order=3, progress=False),
    "scan in clusters": lambda: sh.scan(TABLE, cluster=np.arange(40) // 4, progress=False),
    "scan over lags": lambda: sh.scan({"x": X, "y": Y}, lags=range(2), progress=False),
    "Sketch.like": lambda: sh.Sketch.like(TABLE),
    "PairSketch.like": lambda: _pair_sketch(TABLE),
}
TOOLS = {
    "DependenceNetwork": lambda: tools("DependenceNetwork")().fit(MATRIX),
    "DependenceNetwork without direct links": lambda: tools("DependenceNetwork")(indirect="conditional").fit(MATRIX),
    "DependenceNetwork by pc": lambda: tools("DependenceNetwork")(indirect="pc").fit(MATRIX),
    "DependenceSelector": lambda: tools("DependenceSelector")(n_features_to_select=2).fit(MATRIX, Y),
    "dependence_score": lambda: tools("dependence_score")(MATRIX, Y),
    "SubspaceSearch": lambda: tools("SubspaceSearch")(exhaustive_triples=True).fit(MATRIX),
    "SubspaceSearch at another order": lambda: tools("SubspaceSearch")(alpha=1, exhaustive_triples=True).fit(MATRIX),
    "SubspaceOutlierDetector": lambda: tools("SubspaceOutlierDetector")(n_neighbors=5).fit(MATRIX),
    "PvalueGiven": lambda: tools("PvalueGiven")(TABLE, labels=[4])("x", "y", ["z"]),
    "comparators": lambda: sh.comparators.distance_correlation(X, Y),
    "comparators of ranks": lambda: sh.comparators.spearman(X, Y),
}
CALLS = MEASURES | TESTS | TABLES | TOOLS


def _pair_sketch(table):
    from shearer.sketching import PairSketch

    return PairSketch.like(table)


@pytest.fixture
def readings(monkeypatch):
    """How often the door was used: every reading names its target, present or not, once."""
    seen = []
    name_target = reading.name_target
    monkeypatch.setattr(reading, "name_target", lambda target: seen.append(1) or name_target(target))
    return seen


@pytest.mark.parametrize("name", CALLS)
def test_data_are_read_once(name, readings):
    CALLS[name]()
    assert len(readings) == 1


def test_every_chunk_of_a_sketch_is_read_once(readings):
    sketch = sh.Sketch.like(TABLE)
    sketch.update(TABLE)
    sketch.update({name: column[:0] for name, column in TABLE.items()})
    assert (len(readings), sketch.rows) == (3, 40)


@pytest.mark.needs("torch")
def test_tensors_are_read_once(readings):
    import torch

    x = torch.tensor(X, requires_grad=True)
    sh.mutual_information(x, torch.tensor(Y)).backward()
    assert x.grad is not None
    sh.independence_test(x, torch.tensor(Y))
    assert len(readings) == 2


def test_nothing_else_reads():
    """Outside of `data`, nobody opens columns but to look at what a caller passed."""
    inner = {"read_opened", "read_frame", "read_matrix_columns", "gather_data", "gather_role", "read_objects"}
    for path in SOURCE.rglob("*.py"):
        if path.parent.name == "data":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shearer.data"):
                assert not inner & {alias.name for alias in node.names}, path


def test_a_matrix_read_at_once_is_what_its_columns_are():
    matrix = RNG.normal(size=(12, 11))
    at_once, one_by_one = read(matrix), read(*matrix.T)
    assert at_once.names == one_by_one.names
    assert (at_once.rows, at_once.dropped, at_once.presence.complete) == (12, 0, True)
    for left, right in zip(at_once.variables, one_by_one.variables, strict=True):
        assert left.kind == right.kind
        np.testing.assert_array_equal(left.blocks[0].values, right.blocks[0].values)


def test_roles():
    table = read(TABLE, given=["z"], target=["y", "x"])
    assert table.names == ("w", "side", "z", "y", "x")
    assert (table.given, table.targets, table.free, table.single_target) == (("z",), ("y", "x"), 2, False)
    assert read(TABLE, target="y").single_target
    assert read(X, target=Y).targets == ("target",)
    assert read(X, target=(Y, Z)).targets == ("target1", "target2")
    chosen = table.choose([4, 0])
    assert (chosen.names, chosen.given, chosen.targets, chosen.free) == (("x", "w"), (), (), 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"given": "z", "target": "z"}, r"target: expected other variables than those given, got 'z'"),
        ({"target": list(TABLE)}, r"target: expected some variable to be left, got all of them"),
        ({"target": "q"}, r"target: expected names among"),
        ({"target": {"x": X}}, r"target: expected names that the data do not use, got 'x'"),
        ({"missing": "pairwise"}, r"missing: expected one of 'error', 'drop', got 'pairwise'"),
        ({"only": ["q"]}, r"names: expected names among"),
        ({"fewest": 9}, r"data: expected at least 9 variables, got 5"),
        ({"kinds": {"q": "label"}}, r"kinds: expected names among"),
    ],
)
def test_roles_and_options_that_cannot_be(options, message):
    with pytest.raises(ValueError, match=message):
        read(TABLE, **options)


def test_missing_values_by_policy():
    with pytest.raises(ValueError, match=r'missing="drop" to leave those rows out\.$'):
        read(GAPS)
    with pytest.raises(ValueError, match=r'Or missing="pairwise", for each pair the rows that both have\.$'):
        read(GAPS, pairwise=True)
    dropped = read(GAPS, missing="drop")
    assert (dropped.rows, dropped.dropped, dropped.presence.complete) == (35, 5, True)
    kept = read(GAPS, missing="pairwise", pairwise=True)
    assert (kept.rows, kept.dropped, kept.presence.complete) == (40, 0, False)
    assert [variable.rows for variable in kept.variables] == [35, 40, 40, 40, 40]
    assert kept.common([1, 0]).names == ("y", "x")
    assert kept.common([1, 0]).rows == 35
    assert read(GAPS, missing="error", only=["y", "z"]).names == ("y", "z")
    everywhere = {"x": np.full(40, np.nan), "y": Y}
    with pytest.raises(ValueError, match=r"at least 2 rows with a value in every variable, got 0 of 40 in 'x'"):
        read(everywhere, missing="pairwise", pairwise=True)
    assert read(everywhere, missing="pairwise", pairwise=True, fewest_rows=0).variables[0].rows == 0


def test_rows_of_a_table():
    table = read(GAPS, missing="pairwise", pairwise=True)
    mask = np.arange(40) % 3 == 0
    by_mask, by_place = table.take(mask), table.take(np.flatnonzero(mask))
    for taken in (by_mask, by_place):
        assert taken.rows == 14
        present = ~np.isnan(GAPS["x"][mask])
        np.testing.assert_array_equal(taken.presence.masks[taken.presence.pattern[0]], present)
        np.testing.assert_array_equal(taken.variables[0].blocks[0].values[:, 0], GAPS["x"][mask][present])
    turned = table.take([5, 1])
    np.testing.assert_array_equal(turned.variables[0].blocks[0].values[:, 0], X[[5, 1]])
    sample = table.sample(10, seed=0)
    assert (sample.rows, table.sample(40, seed=0) is table) == (10, True)
    assert set(sample.variables[1].blocks[0].values[:, 0]) <= set(TABLE["y"])


def test_stacked_variables_keep_their_labels():
    first, second = (read(labels).variables[0] for labels in (["a", "b", "a"], ["c", "b"]))
    (block,) = first.stack(second).blocks
    assert [block.levels[code] for code in block.values] == ["a", "b", "a", "c", "b"]


@pytest.mark.parametrize("rows", [1, 8, 13])
def test_patterns_of_missing_values_are_the_distinct_rows_of_the_masks(rows):
    present = RNG.random((30, rows)) < 0.7
    found = Presence.of(present)
    masks, pattern = np.unique(present, axis=0, return_inverse=True)
    np.testing.assert_array_equal(found.masks, masks)
    np.testing.assert_array_equal(found.pattern, pattern.reshape(-1))
    np.testing.assert_array_equal(found.masks[found.pattern], present)
