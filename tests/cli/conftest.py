"""A table to try commands on."""

import polars as pl
import pytest

from shearer.datasets import planted_table


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "planted.csv"
    pl.DataFrame(planted_table(80, rng=0).columns).write_csv(path)
    return path
