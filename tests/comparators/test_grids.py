"""MIC, MAC, CMI and IDD: noiseless functions, all grids of few rows, closed forms."""

import math
import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shearer.comparators import cmi, idd, mac, mic
from shearer.comparators.cumulative import cumulative_entropy
from shearer.comparators.grids import best_cut, best_information, equal_rows, find_clumps

X = np.linspace(0, 1, 400)
FUNCTIONS = {
    "line": X,
    "cube": X**3,
    "parabola": (X - 0.5) ** 2,
    "sine": np.sin(6 * np.pi * X),
    "exponential": np.exp(5 * X),
    "step": np.floor(4 * X).clip(max=3),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_mic_of_noiseless_functions_is_1(name):
    """Reshef et al. 2011, table 1: every one of them scores 1."""
    assert mic(X, FUNCTIONS[name]) == pytest.approx(1.0, abs=1e-9)


def test_mic_of_a_published_example():
    """The example in the documentation of minepy, the reference program: a noisy sine, alpha=0.6, c=15."""
    x = np.linspace(0, 1, 1000)
    y = np.sin(10 * np.pi * x) + x
    assert mic(x, y) == pytest.approx(1.0, abs=1e-12)
    noise = np.random.RandomState(0).uniform(-1, 1, 1000)
    assert mic(x, y + noise) == pytest.approx(0.505716693417, abs=1e-12)


def test_mic_of_noise_is_small_and_grows_smaller():
    values = [mic(*np.random.default_rng(0).normal(size=(2, n))) for n in (50, 200, 1000)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0.2


def test_equicharacteristic_mic(rng):
    assert mic(X, FUNCTIONS["line"], estimator="equicharacteristic") == pytest.approx(1.0)
    x, y = rng.normal(size=(2, 200))
    assert 0 < mic(x, y, estimator="equicharacteristic") <= mic(x, y)
    assert mic(x, y, estimator="equicharacteristic") == mic(y, x, estimator="equicharacteristic")


def information(left, right):
    """Mutual information of two code columns in nats."""
    counts = np.zeros((left.max() + 1, right.max() + 1))
    np.add.at(counts, (left, right), 1.0 / len(left))
    apart = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0)
    return float(np.sum(counts[counts > 0] * np.log(counts[counts > 0] / apart[counts > 0])))


def all_cuts(x, parts):
    """Every cut of x into that many intervals of its values, as codes."""
    levels = np.unique(x)
    for places in combinations(levels[1:], parts - 1):
        yield np.searchsorted(places, x, side="right")


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), n=st.integers(7, 11), ties=st.booleans())
def test_mic_over_all_grids(seed, n, ties):
    """Rows of equal size, and every possible cut of the other axis: what the dynamic programme finds."""
    rng = np.random.default_rng(seed)
    x, y = rng.permutation(n).astype(float), rng.permutation(n).astype(float)
    if ties:
        x, y = np.floor(x / 2), np.floor(y / 3)
    cells = max(n**0.9, 4)
    best = 0.0
    for a, b in ((x, y), (y, x)):
        for rows in range(2, int(cells // 2) + 1):
            row = np.empty(n, dtype=int)
            row[np.argsort(b, kind="stable")] = equal_rows(np.sort(b), rows)
            for columns in range(2, int(cells // rows) + 1):
                scores = [information(row, cut) for cut in all_cuts(a, columns)]
                best = max([best, *(score / np.log(min(rows, columns)) for score in scores)])
    assert mic(x, y, exponent=0.9, clumps=math.inf) == pytest.approx(min(best, 1.0), abs=1e-9)
    assert mic(x, y, exponent=0.9) == pytest.approx(min(best, 1.0), abs=1e-9)  # 15 clumps a column are all of them


@given(seed=st.integers(0, 10_000), n=st.integers(4, 12), levels=st.integers(1, 4), columns=st.integers(1, 4))
def test_best_cut_reaches_the_best_information(seed, n, levels, columns):
    rng = np.random.default_rng(seed)
    x, labels = np.sort(rng.integers(0, n, size=n)).astype(float), rng.integers(0, levels, size=n)
    ends = find_clumps(x, labels, n)
    found = best_information(labels, levels, ends, columns)
    cut = best_cut(labels, levels, ends, columns)
    assert len(np.unique(cut)) <= columns
    assert all(len(np.unique(cut[x == value])) == 1 for value in x)
    assert information(labels, cut) == pytest.approx(found[-1], abs=1e-12)
    most = min(columns, len(np.unique(x)))
    expected = max(information(labels, c) for parts in range(1, most + 1) for c in all_cuts(x, parts))
    assert found[-1] == pytest.approx(expected, abs=1e-12)


def test_counts_in_pieces_change_nothing(rng, monkeypatch):
    x, y, z = rng.normal(size=(3, 120))
    whole = mic(x, y), mac(x, y, z + x)
    monkeypatch.setattr("shearer.comparators.grids._MOST_COUNTS", 1)
    assert (mic(x, y), mac(x, y, z + x)) == pytest.approx(whole, abs=1e-12)


def test_rows_of_equal_size():
    assert np.bincount(equal_rows(np.arange(12.0), 4)).tolist() == [3, 3, 3, 3]
    assert np.bincount(equal_rows(np.arange(10.0), 3)).tolist() == [3, 3, 4]
    assert equal_rows(np.zeros(5), 3).tolist() == [0] * 5
    assert equal_rows(np.array([0, 0, 0, 0, 1.0]), 2).tolist() == [0, 0, 0, 0, 1]


def test_superclumps():
    """At most as many as asked for, of about equal size, none cutting equal values apart."""
    labels = np.arange(100) % 2
    assert len(find_clumps(np.arange(100.0), labels, 200)) == 100
    joined = find_clumps(np.arange(100.0), labels, 10)
    assert np.diff(joined, prepend=0).tolist() == [10] * 10
    tied = find_clumps(np.floor(np.arange(100) / 7), labels, 10)
    assert len(tied) <= 10
    assert all(end == 100 or end % 7 == 0 for end in tied)


def test_mic_takes_a_fraction_of_a_tenth_of_a_second(rng):
    x, y = rng.normal(size=(2, 136))
    mic(x, y)
    start = time.process_time()
    for _ in range(5):
        mic(x, y)
    assert (time.process_time() - start) / 5 < 0.1


def test_mac_of_two_is_mic_at_its_settings(rng):
    x, y = rng.normal(size=(2, 150))
    y += x**2
    assert mac(x, y) == pytest.approx(mic(x, y, exponent=0.5, clumps=2), abs=1e-12)


def test_mac_of_functions_and_noise(rng):
    assert mac(X, X**2, -X) == pytest.approx(1.0)
    assert mac(X, FUNCTIONS["parabola"], FUNCTIONS["cube"]) == pytest.approx(1.0, abs=1e-9)
    x, y, z = rng.normal(size=(3, 400))
    assert mac(x, y, z) < 0.2 < mac(x, y + x, z + x)
    xor = np.sign(x * y) * np.abs(z)
    assert mac(x, y, xor) > mac(x, y, z)


def test_cumulative_entropy_of_the_uniform_law():
    """-int u ln u du = 1/4 on the unit interval; the unit of x is the unit of h."""
    x = (np.arange(20_000) + 0.5) / 20_000
    assert cumulative_entropy(x) == pytest.approx(0.25, abs=1e-4)
    assert cumulative_entropy(8 * x + 3) == pytest.approx(8 * cumulative_entropy(x))
    assert cumulative_entropy(np.array([1.0, 3.0])) == pytest.approx(-2 * 0.5 * np.log(0.5))


def test_cmi_of_a_line():
    """Ten clusters of a uniform variable leave a tenth of its range: 9/10 of its entropy are gone."""
    x = (np.arange(1000) + 0.5) / 1000
    assert cmi(x, x) == pytest.approx(0.9, abs=0.01)
    assert cmi(x, -x, clusters=5) == pytest.approx(0.8, abs=0.01)
    assert cmi(x, x, normalize=False) == pytest.approx(0.9 * 0.25, abs=0.003)
    assert cmi(x, x, x) == pytest.approx(0.9, abs=0.01)


def test_cmi_of_functions_and_noise(rng):
    x, y, z = rng.uniform(-1, 1, size=(3, 500))
    assert cmi(x, y, z) < 0.1
    assert cmi(x, x**2) > 0.6
    assert cmi(x, y, x * y) > cmi(x, y, z)


def hill(points, k):
    """Levina and Bickel's estimate row by row, averaged."""
    estimates = []
    for i in range(len(points)):
        distances = np.sort(np.linalg.norm(np.delete(points, i, axis=0) - points[i], axis=1))[:k]
        estimates.append(-1 / np.mean(np.log(distances / distances[-1])))
    return np.mean(estimates)


def test_idd_row_by_row(rng):
    columns = rng.normal(size=(60, 3))
    columns[:, 2] += columns[:, 0]
    shares = np.argsort(np.argsort(columns, axis=0), axis=0) / 60
    single = [hill(shares[:, [j]], 15) for j in range(3)]
    expected = (sum(single) - hill(shares, 15)) / (sum(single) - max(single))
    assert idd(columns, neighbors=15) == pytest.approx(expected, abs=1e-12)
    assert idd(columns) == idd(columns, neighbors=15)


@pytest.mark.parametrize("rows", [4, 5, 9])
def test_idd_of_few_rows(rng, rows):
    x = rng.normal(size=rows)
    assert idd(x, 3 * x) == pytest.approx(1.0)
    assert abs(idd(x, rng.normal(size=rows))) < 10


def test_idd_counts_dimensions(rng):
    x, y = rng.uniform(size=(2, 1000))
    assert idd(x, x**3, -x) == pytest.approx(1.0, abs=0.01)
    # 0 and 1/2 but for rows near the edge, whose neighborhoods are cut off
    assert 0.0 < idd(x, y) < 0.25
    assert 0.5 < idd(x, y, x + y) < 0.75


def test_idd_breaks_ties_by_its_seed(rng):
    x, y = np.round(rng.normal(size=(2, 100)))
    assert idd(x, y, rng=1) == idd(x, y, rng=1) != idd(x, y, rng=2)
    smooth = rng.normal(size=(2, 100))
    assert idd(*smooth, rng=1) == idd(*smooth, rng=2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: mic(x, x, exponent=0), ValueError, "exponent: expected a positive"),
        (lambda x: mic(x, x, exponent=1.1), ValueError, "exponent: expected a number from 0 to 1, got 1.1"),
        (lambda x: mic(x, x, clumps=-1), ValueError, "clumps: expected a positive"),
        (lambda x: mic(x, x, estimator="exact"), ValueError, "estimator: expected one of"),
        (lambda x: mac(x, x, exponent=1.5), ValueError, "exponent: expected a number from 0 to 1, got 1.5"),
        (lambda x: mac(x, x, clumps=0), ValueError, "clumps: expected a positive"),
        (lambda x: cmi(x, x, clusters=0), ValueError, "clusters: expected a whole number of 1 or more"),
        (lambda x: cmi(x, x, normalize="yes"), ValueError, "normalize: expected one of"),
        (lambda x: idd(x, x, neighbors=10), ValueError, "neighbors: expected fewer than the 10 rows"),
        (lambda x: idd(x, x, neighbors=1), ValueError, "neighbors: expected a whole number of 3 or more"),
    ],
)
def test_bad_options(call, error, message):
    with pytest.raises(error, match=message):
        call(np.arange(10.0))
