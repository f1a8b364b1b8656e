"""Numbers far from 0, or of any size: the answer is that of the values which the floats there can hold."""

import math

import numpy as np
import pytest

import shearer as sh
from shearer.kernels.bandwidth import RULES
from shearer.tools import DependenceNetwork

ROWS = 60


def whole_numbers():
    """Four columns of small whole numbers: two depend, and a third with them."""
    rng = np.random.default_rng(1)
    a, c = rng.integers(0, 40, size=(2, ROWS)).astype(float)
    b = np.round(a + 8 * rng.normal(size=ROWS))
    return a, b, c, np.round((a - 20) * (c - 20) / 10)


def sketched(a, b):
    sketch = sh.Sketch.like(a[:40], b[:40], measures=("mutual_information",))
    sketch.update(a, b)
    return sketch.mutual_information().value


def wide(*columns):
    """One variable of so many coordinates that distances are matrix products."""
    return np.column_stack([*columns] * 3)


def by_rule(rule):
    def measure(a, b, c, d):
        kernel = sh.kernels.Gaussian(rule)
        return [sh.mutual_information(a, b, kernel=kernel), sh.mutual_information(wide(a, b, c, d), c, kernel=kernel)]

    return measure


def frame(table):
    numbers = [name for name, kind in table.schema.items() if kind.is_numeric()]
    return table.sort(*table.columns[:2]).select(numbers).to_numpy()


def scanned(*columns):
    """Pairs and triples of one scan, which takes longer than all other calls."""
    found = sh.scan(np.column_stack(columns))
    return np.concatenate([frame(found.pairs).ravel(), frame(found.triples).ravel()])


CALLS = {
    "mutual information": lambda a, b, c, d: sh.mutual_information(a, b),
    "alpha 2": lambda a, b, c, d: sh.mutual_information(a, b, alpha=2),
    "Laplacian": lambda a, b, c, d: sh.mutual_information(a, b, kernel=sh.kernels.Laplacian()),
    "given": lambda a, b, c, d: sh.mutual_information(a, b, given=c),
    "vectors": lambda a, b, c, d: sh.mutual_information(np.column_stack([a, c]), np.column_stack([b, d])),
    "total correlation": lambda a, b, c, d: sh.total_correlation(a, b, c),
    "independence": lambda a, b, c, d: sh.independence_test(a, b).pvalue,
    "independence of three": lambda a, b, c, d: sh.independence_test(a, b, c).pvalue,
    "independence of vectors": lambda a, b, c, d: sh.independence_test(wide(a, b, c, d), c).pvalue,
    "conditional": lambda a, b, c, d: sh.independence_test(a, b, given=c, n_resamples=99, rng=0).pvalue,
    "interaction": lambda a, b, c, d: sh.interaction_test(a, c, d).pvalue,
    "permutations": lambda a, b, c, d: sh.permutation_test(a, b, n_resamples=39, rng=0).pvalue,
    "pairs": lambda *columns: frame(sh.pairwise(np.column_stack(columns)).to_frame(pvalues=True)),
    "pairs, alpha 1": lambda *columns: frame(sh.pairwise(np.column_stack(columns), alpha=1).to_frame()),
    "triples": lambda *columns: frame(sh.triples(np.column_stack(columns)).to_frame()),
    "scan": scanned,
    "network": lambda *columns: DependenceNetwork().fit(np.column_stack(columns)).pvalues_,
    "sketch": lambda a, b, c, d: sketched(a, b),
    "interval": lambda a, b, c, d: sh.confidence_interval(a, b).low,
    **{f"width by {rule}": by_rule(rule) for rule in RULES},
}


@pytest.fixture(scope="module")
def known():
    columns = whole_numbers()
    return {name: np.asarray(call(*columns)) for name, call in CALLS.items()}


#: Offset and step, of which every multiple that occurs is a float.
EXACT = [
    (1e8, 1.0),
    (1e15, 0.125),
    (1e16, 2.0),
    (-1e16, 2.0),
    (1e17, 16.0),
    (1e300, math.ulp(1e300)),
    (-1e300, math.ulp(1e300)),
    (0.0, 2.0**-990),
    (0.0, 2.0**1016),
    (2.0**-900, 2.0**-952),
    (0.0, 2.0**-1074),
    (2.0**-1030, 2.0**-1074),
]


# The width that a sketch keeps is an ordinary float.
@pytest.mark.parametrize(
    ("name", "offset", "step"),
    [(name, *case) for name in CALLS for case in EXACT if name != "sketch" or case[1] >= np.finfo(float).tiny],
)
def test_an_offset_and_a_unit_change_nothing(known, name, offset, step):
    whole = whole_numbers()
    columns = [offset + step * column for column in whole]
    np.testing.assert_array_equal([(column - offset) / step for column in columns], whole)
    np.testing.assert_allclose(np.asarray(CALLS[name](*columns)), known[name], rtol=1e-6, atol=1e-12)


@pytest.mark.needs("torch")
def test_tensors_of_denormal_numbers_keep_dependence_and_gradient():
    import torch

    a, b, _, _ = (torch.tensor(column) for column in whole_numbers())
    tiny = (a * 2.0**-1074).requires_grad_()
    found = sh.mutual_information(tiny, b)
    found.backward()
    assert float(found.detach()) == pytest.approx(float(sh.mutual_information(a, b)), rel=1e-9)
    assert tiny.grad.shape == a.shape


@pytest.mark.parametrize("size", [2.0**-1074, 2.0**1018])
def test_comparators_keep_dependence_at_the_ends_of_floats(size):
    a, b, _, _ = whole_numbers()
    for measure in (sh.comparators.pearson, sh.comparators.cmi, sh.comparators.hsic, sh.comparators.spearman):
        assert measure(size * a, size * b) == pytest.approx(measure(a, b), rel=1e-9)


def normal(offset, step):
    return lambda column: offset + step * (column + np.random.default_rng(len(column)).normal(size=len(column)))


ODD = {
    "normal at 1e16": normal(1e16, 1.0),
    "narrow normal at 1e16": normal(1e16, 0.1),
    "normal at -1e16": normal(-1e16, 1.0),
    "normal at 1e17": normal(1e17, 1.0),
    "normal at 1e300": normal(1e300, 1e284),
    "last digits": normal(1.0, 1e-16),
    "nearly the largest": normal(-1.7e308, 1e305),
    "denormal": lambda column: column * 2.0**-1074,
    "largest range": lambda column: np.where(column > 20, 1.0, -1.0) * (1.7e308 - 1e306 * np.abs(column)),
    "denormal steps": lambda column: 2.0**-1022 + column * 2.0**-1074,
    "all but one alike": lambda column: 1e16 + 2.0 * (np.arange(len(column)) == column[0]),
    "all but one 0": lambda column: 1e-320 * (np.arange(len(column)) == 3),
    "two values": lambda column: 1e16 + 2.0 * (column > 20),
    "two values far apart": lambda column: np.where(column > 20, 1e300, -1e300),
    "one far from the others": lambda column: np.where(np.arange(len(column)) == 5, -1e16, column + 0.3),
    "a third at 1e16": lambda column: np.where(column > 30, 1e16, column),
    "constant": lambda column: np.full(len(column), 1e16),
}
#: Of these a scan takes the columns that vary, and says so where there are none.
REFUSED = ("constant",)
UNANSWERED = ("all but one 0", "one far from the others")


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", ODD)
def test_any_numbers_have_an_answer(name, kind):
    columns = [ODD[kind](column) for column in whole_numbers()]
    if kind in REFUSED and name == "scan":
        with pytest.raises(ValueError, match="data: expected at least 2 columns that vary, got 0"):
            CALLS[name](*columns)
        return
    with np.errstate(invalid="ignore"):  # scikit-learn adds all numbers up to see whether they are finite
        found = np.asarray(CALLS[name](*columns), dtype=float)
    assert not np.any(np.isinf(found))
    # A scan leaves cells empty of what it did not measure; a conditional test has no answer where all but one row of a
    # condition are alike, and says so.
    if name != "scan" and not (name == "conditional" and kind in UNANSWERED):
        assert not np.any(np.isnan(found))
    if any(word in name for word in ("independence", "permutations", "interaction", "conditional", "network")):
        assert np.all((found >= 0) & (found <= 1) | np.isnan(found))


def test_a_column_of_few_values_is_one_of_labels_at_narrow_widths(rng):
    """At 1e16 doubles are 2 apart: what is left of the column decides."""
    x, y = 1e16 + rng.normal(size=ROWS), rng.normal(size=ROWS)
    assert len(np.unique(x)) <= 5
    assert sh.mutual_information(x, y) == pytest.approx(sh.mutual_information(x - 1e16, y), rel=1e-12)
    labels = [str(value) for value in x]
    narrow = {"x1": sh.kernels.Gaussian(1e-3)}
    assert sh.mutual_information(x, y, kernel=narrow) == pytest.approx(sh.mutual_information(labels, y), rel=1e-9)
