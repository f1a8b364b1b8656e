"""What a call has made is free when it has ended, without a search for circles of references."""

import gc
import tracemalloc

import numpy as np
import pytest

import shearer as sh


@pytest.mark.parametrize("end", ["strength_low", "pvalue"])
def test_intervals_of_strengths_keep_nothing(rng, end):
    """Features of all variables stayed until Python looked for circles: beside those of the next table."""
    table = rng.normal(size=(600, 6))
    np.asarray(getattr(sh.pairwise(table), end))
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        np.asarray(getattr(sh.pairwise(table), end))
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert peak > 2_000_000
    assert kept < 0.1 * peak
