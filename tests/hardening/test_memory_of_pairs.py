"""Tests of all pairs keep to their budget, and answer the same to the last bit under any."""

import tracemalloc

import numpy as np
import pytest

from shearer.data import read
from shearer.pairs import cross_products, engine
from shearer.pairs.null_law import combined_pvalue


def peak_of(call):
    """Bytes that Python's allocators and numpy's arrays had at most beyond what was there before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_tables_of_tails_are_made_piece_by_piece():
    """The one of joined p-values took 60 MB for a moment, whatever the budget."""
    assert peak_of(combined_pvalue._stable_table.__wrapped__) < 2 * 10**6


@pytest.mark.parametrize("tile", [128, 16])
def test_little_memory_gives_the_same_bits(tile, monkeypatch):
    """Of one tile of variables, and of several; with so many rows that features are multiplied."""
    monkeypatch.setattr(engine, "WIDE_TILE", tile)
    pieces = []
    real = cross_products._norms_by_pieces
    monkeypatch.setattr(cross_products, "_norms_by_pieces", lambda *sides: pieces.append(1) or real(*sides))
    table = np.random.default_rng(0).normal(size=(270, 24))
    table[:, 1] += table[:, 0] ** 2
    whole, found = (
        engine.PairTests.of(read(table), memory=memory).pvalues(slice(0, 24), slice(0, 24)) for memory in (10**9, 10**6)
    )
    assert pieces
    assert np.array_equal(found, whole)
