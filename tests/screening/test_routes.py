"""Every way to the same numbers: tiles of any size, single precision, factors, threads."""

import numpy as np
import pytest

import shearer as sh
from screening.tables import mixed, off_diagonal, pair_by_pair
from shearer.kernels import Gaussian
from shearer.screening import all_pairs, pairwise
from shearer.screening.entropies import low_rank, products, tiles, triangles, widths
from shearer.screening.entropies.factors import factor

# Bits: what the documentation of dtype promises of single precision.
SINGLE = 1e-5


@pytest.mark.parametrize("rows", [2, 3, 7, 64, 137])
@pytest.mark.parametrize("size", [1, 2, 5, 31, 512, 10**6])
def test_tiles_hold_every_pair_once(rows, size):
    cut = list(tiles.cut(rows, size))
    pairs = [(row, column) for tile in cut for row, columns in tile.strips() for column in range(rows)[columns]]
    assert sorted(pairs) == [(i, j) for i in range(rows) for j in range(i + 1, rows)]
    assert max(tile.size for tile in cut) <= size
    assert len(cut) == tiles.count(rows, size)


def test_pieces_of_a_tile_are_the_tile():
    tile = tiles.Tile(slice(3, 9), slice(4, 20))
    block = np.arange(6 * 16.0).reshape(6, 16)
    for most in (1, 4, 7, 100):
        pieces = list(tile.pieces(most))
        picked = [
            block[row - 3, column - 4] for _, piece in pieces for row, cols in piece for column in range(20)[cols]
        ]
        assert picked == tile.pick(block).tolist()
        assert all(sum(c.stop - c.start for _, c in piece) <= most for _, piece in pieces)


@pytest.mark.parametrize("size", [1, 13, 100])
def test_tiles_of_odd_sizes(monkeypatch, size):
    whole = pairwise(mixed())
    monkeypatch.setattr(triangles, "_FEWEST", size)
    monkeypatch.setattr(triangles, "_ENTRIES", 1)
    assert np.allclose(pairwise(mixed()).value, whole.value, atol=1e-12)


@pytest.mark.parametrize("every", [1, 2, 1000])
def test_single_precision(monkeypatch, every):
    monkeypatch.setattr(triangles, "_FEWEST", 50)
    monkeypatch.setattr(triangles, "_ENTRIES", 1)
    monkeypatch.setattr(products, "TILES_IN_SINGLE", every)
    table = mixed()
    m = pairwise(table, dtype="float32", normalize=False)
    assert m.value.dtype == m.joint.dtype == np.float32
    exact = pair_by_pair(table, alpha=2, normalize=False)
    assert np.abs(off_diagonal(m.value) - off_diagonal(exact)).max() < SINGLE
    assert np.abs(m.entropy - pairwise(table).entropy).max() < SINGLE


def test_single_precision_does_not_see_size_offset_or_outliers(rng):
    x = rng.normal(size=(60, 4))
    x[0, 0] = 1e9
    shifted = np.array([1e-6, 1e12, 1.0, 1e6]) * x + np.array([0.0, 1e15, 1e7, 0.0])
    assert np.allclose(pairwise(shifted, dtype="float32").value, pairwise(shifted).value, atol=SINGLE)


def test_single_precision_of_constants_is_zero(rng):
    x = np.column_stack([rng.normal(size=30), np.ones(30), np.zeros(30)])
    for normalize in ("max", "min", "joint", "mean", "sqrt"):
        value = pairwise(x, dtype=np.float32, normalize=normalize).value
        assert np.abs(value[1:]).max() < SINGLE


@pytest.fixture
def tall(monkeypatch):
    """Factors for tables that are not tall at all."""
    monkeypatch.setattr(all_pairs, "_TALL", 100)
    monkeypatch.setattr(low_rank, "_ENTRY", 10**6)
    monkeypatch.setattr(low_rank.LowRank, "_most_rank", 200)


def tall_table(rows=600):
    table = mixed(rows)
    return {name: table[name] for name in ("x", "noisy", "label", "ties", "constant", "plane", "flag")}


@pytest.mark.parametrize(("dtype", "round_off"), [("float64", 1e-11), ("float32", SINGLE)])
def test_factors_are_within_their_bound(tall, dtype, round_off):
    table = tall_table()
    m = pairwise(table, dtype=dtype, normalize=False)
    assert m.route == "low rank"
    assert 0 < m.error < (1e-6 if dtype == "float64" else 1e-3)
    exact = pair_by_pair(table, alpha=2, normalize=False)
    assert np.abs(off_diagonal(m.value) - off_diagonal(exact)).max() < m.error + round_off


def test_coarse_factors_are_within_their_bound(tall, monkeypatch):
    """Where the bound is far above round-off: entropies are too large, by no more than it says."""
    monkeypatch.setattr(low_rank, "_TOLERANCE", {8: 1e-3, 4: 1e-3})
    table = tall_table()
    m = pairwise(table, normalize=False)
    monkeypatch.undo()
    exact = pairwise(table, normalize=False)
    assert exact.route == "triangles"
    assert 1e-4 < m.error < 1
    assert np.all(m.joint >= exact.joint - 1e-12)
    assert np.all(m.entropy >= exact.entropy - 1e-12)
    assert 1e-7 < np.abs(m.value - exact.value).max() <= m.error


def test_factors_in_narrow_groups(tall, monkeypatch):
    whole = pairwise(tall_table())
    monkeypatch.setattr(low_rank, "_WIDTH", 40)
    monkeypatch.setattr(low_rank, "_ROWS", 77)
    assert np.allclose(pairwise(tall_table()).value, whole.value, atol=1e-12)


def test_factors_that_are_not_kept_are_formed_again(tall, monkeypatch):
    table = {name: column for name, column in tall_table(2000).items() if name != "plane"}
    whole = pairwise(table)
    monkeypatch.setattr(low_rank, "_ROWS", 100)
    formed = []
    monkeypatch.setattr(low_rank, "factor", lambda gram, *rest: formed.append(gram) or factor(gram, *rest))
    m = pairwise(table, memory="2MB")
    assert m.route == "low rank"
    assert len(formed) > len(table)
    assert np.allclose(m.value, whole.value, atol=1e-12)


def test_factors_against_a_target(tall):
    whole, m = pairwise(tall_table()), pairwise(tall_table(), target="noisy")
    assert m.route == "low rank"
    assert np.allclose(m.value, np.delete(whole.value[:, 1], 1), atol=1e-9)


def test_no_low_rank_takes_tiles(tall, rng):
    x = rng.normal(size=(300, 12))
    table = {"many": x, "narrow": x[:, 0]}
    kernel = sh.kernels.Gaussian(0.05)
    m = pairwise(table, kernel=kernel)
    assert m.route == "triangles"
    expected = sh.mutual_information(table, kernel=kernel, alpha=2)
    assert m.value[0, 1] == pytest.approx(expected, abs=1e-12)


def test_tall_table_takes_factors_by_itself(rng):
    x = rng.normal(size=2500)
    y = x + 0.5 * rng.normal(size=2500)
    m = pairwise(x, y, rng.normal(size=2500))
    assert m.route == "low rank"
    assert m.value[0, 1] == pytest.approx(sh.mutual_information(x, y, alpha=2), abs=m.error + 1e-11)


def test_factor_says_what_it_leaves(rng):
    from shearer.data.variables import Block

    gram = Gaussian(0.5).gram(Block("continuous", rng.normal(size=(300, 1))), np.empty(0))
    for rank in (5, 10, 15):
        F, residual = factor(gram, 1e-9, rank)
        rest = gram.dense() - F @ F.T
        assert F.shape == (300, rank)
        assert residual == pytest.approx(np.trace(rest) / 300, rel=1e-6)
        assert np.linalg.eigvalsh(rest)[0] > -1e-11


@pytest.mark.parametrize("alpha", [0.5, 1, 3])
def test_threads_change_nothing(alpha):
    table = mixed(30)
    one, two = (pairwise(table, alpha=alpha, n_jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one.value, two.value)
    assert one.route == "spectra"


@pytest.mark.parametrize("rows", [2, 3, 4, 9, 50, 136])
def test_widths_of_many_columns(rng, rows):
    columns = [rng.normal(size=rows), rng.integers(0, 3, rows) * 1.0, np.ones(rows), rng.standard_t(1, size=rows)]
    columns += [np.where(np.arange(rows) == 0, 5.0, 1.0), rng.normal(size=rows) + 9 * (rng.random(rows) < 0.5)]
    expected = [sh.kernels.bandwidth.median(column[:, None]) for column in columns]
    assert widths.medians(np.array(columns)).tolist() == expected
