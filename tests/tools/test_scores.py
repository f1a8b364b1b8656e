"""Joint entropies and scores of many sets, against the measures one set at a time."""

from itertools import combinations

import numpy as np
import pytest

import shearer as sh
from shearer.data import read
from shearer.inference.adjust import adjusted_total_correlation
from shearer.kernels import EntropyFraction, Gaussian, Laplacian
from shearer.tools.subspaces.joint_entropies import JointEntropies
from shearer.tools.subspaces.scores import Adjusted, EntropyScores, FunctionScores

ALL = [columns for size in (1, 2, 3, 4, 5) for columns in combinations(range(5), size)]


@pytest.fixture
def table(rng):
    x, y, z = rng.normal(size=(3, 60))
    ties = np.round(2 * x)
    return {"x": x, "noisy": x + 0.3 * y, "ties": ties, "z": z, "product": np.exp(x * z)}


def columns_of(table, columns):
    names = list(table)
    return {names[column]: table[names[column]] for column in columns}


KERNELS = [None, Laplacian(), Gaussian(EntropyFraction(0.6)), {"noisy": Laplacian(), "z": Gaussian(0.5)}]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("alpha", [2.0, 1.01])
def test_joint_entropies_are_those_of_the_measures(table, kernel, alpha):
    noun = sh.Dependence(table, alpha=alpha, kernel=kernel)
    names = list(table)
    expected = [noun.entropy(*(names[column] for column in columns)).value for columns in ALL]
    bits = JointEntropies(read(table), kernel, alpha, 10**9, None, False)
    np.testing.assert_allclose(bits(ALL), expected, atol=1e-9)


def test_entropies_of_sets_of_one_size(table):
    bits = JointEntropies(read(table), None, 2.0, 10**9, None, False)
    for size in (1, 2, 3, 4):
        sets = list(combinations(range(5), size))
        np.testing.assert_allclose(bits.of(np.array(sets)), [bits([columns])[0] for columns in sets], atol=1e-12)


@pytest.mark.parametrize(
    ("measure", "function"),
    [
        ("total_correlation", lambda part: sh.total_correlation(part, alpha=2)),
        ("dual_total_correlation", lambda part: sh.dual_total_correlation(part, alpha=2)),
        ("adjusted", adjusted_total_correlation),
    ],
)
def test_scores_are_the_measures(table, measure, function):
    scores = EntropyScores(JointEntropies(read(table), None, 2.0, 10**9, None, False), measure, 2.0, 10**9)
    pairs, triples = (list(combinations(range(5), size)) for size in (2, 3))
    found = scores.pairs(np.array(pairs))
    np.testing.assert_allclose(found, [function(columns_of(table, c)) for c in pairs], atol=1e-9)
    index, found = scores.triples()
    assert index.tolist() == [list(columns) for columns in triples]
    expected = [function(columns_of(table, columns)) for columns in triples]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(scores.larger(triples), expected, atol=1e-9)
    four = list(combinations(range(5), 4))
    np.testing.assert_allclose(
        scores.larger(four), [function(columns_of(table, columns)) for columns in four], atol=1e-9
    )


def test_adjusted_is_zero_on_average_at_every_size_where_the_paper_s_measure_is_not():
    sizes = (2, 3, 5)
    adjusted, raw = ({size: [] for size in sizes} for _ in range(2))
    for seed in range(30):
        rng = np.random.default_rng(seed)
        table = {f"c{k}": column for k, column in enumerate(rng.normal(size=(5, 40)))}
        bits = JointEntropies(read(table), None, 2.0, 10**9, None, False)
        for size in sizes:
            for measure, found in (("adjusted", adjusted), ("total_correlation", raw)):
                scores = EntropyScores(bits, measure, 2.0, 10**9)
                first = tuple(range(size))
                found[size] += (scores.pairs(np.array([first])) if size == 2 else scores.larger([first])).tolist()
    for size in sizes:
        standard_error = np.std(adjusted[size]) / np.sqrt(len(adjusted[size]))
        assert abs(np.mean(adjusted[size])) < 4 * standard_error + 0.002
    assert np.mean(raw[5]) > 2 * np.mean(raw[2]) > 0.02


def test_adjusted_is_one_for_copies_of_any_number(rng):
    x = rng.gamma(1.0, size=50)
    table = {"a": x, "b": 3 - 2 * x, "c": 7 * x, "d": x - 1}
    bits = JointEntropies(read(table), None, 2.0, 10**9, None, False)
    for size in (2, 3, 4):
        sets = list(combinations(range(4), size))
        np.testing.assert_allclose(Adjusted(bits)(np.array(sets), bits(sets)), 1.0, atol=1e-9)


def test_function_scores_call_the_function_with_the_columns(table):
    calls = []

    def count(*columns):
        calls.append(columns)
        return len(columns)

    scores = FunctionScores(count, list(table.values()), None, False)
    assert scores.pairs(np.array([[0, 3]])).tolist() == [2.0]
    assert calls[0][1] is table["z"]
    index, found = scores.triples()
    assert index.shape == (10, 3)
    assert set(found) == {3.0}
    with pytest.raises(TypeError, match=r"measure: expected a function of columns that returns a number, got 'much'"):
        FunctionScores(lambda *columns: "much", list(table.values()), None, False).larger([(0, 1, 2)])


def test_adjusted_refuses_what_has_no_formula(table):
    bits = JointEntropies(read(table), None, 1.5, 10**9, None, False)
    with pytest.raises(ValueError, match=r'alpha: expected 2 with measure="adjusted", got 1\.5'):
        EntropyScores(bits, "adjusted", 1.5, 10**9)
    short = {name: column[:5] for name, column in table.items()}
    with pytest.raises(ValueError, match=r"at least 6 rows"):
        EntropyScores(JointEntropies(read(short), None, 2.0, 10**9, None, False), "adjusted", 2.0, 10**9)
    with pytest.raises(sh.MemoryBudgetError, match="chance of 60 rows"):
        EntropyScores(JointEntropies(read(table), None, 2.0, 10**9, None, False), "adjusted", 2.0, 10**4)
