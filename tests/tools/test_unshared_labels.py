"""Labels that hardly any rows share, such as names: they make no row stand out."""

import numpy as np
import polars as pl
import pytest

from shearer.pairs.null_law.rare import hardly_shared
from shearer.tools import SubspaceOutlierDetector


@pytest.fixture
def frame(rng):
    x = rng.normal(size=120)
    kind = np.where(np.arange(120) % 3 == 0, "u", "v")
    return pl.DataFrame({"x": x, "y": x + 0.1 * rng.normal(size=120), "kind": kind})


def test_names_change_no_score(frame):
    names = [f"name {k if k % 30 else 0}" for k in range(120)]  # four rows share one
    without = SubspaceOutlierDetector().fit(frame)
    found = SubspaceOutlierDetector().fit(frame.with_columns(name=pl.Series(names)))
    assert (without.ignored_, found.ignored_) == ([], ["name"])
    order = np.argsort(found.decision_scores_)[-5:]
    assert set(order) == set(np.argsort(without.decision_scores_)[-5:])
    assert not any("name" in pair for pair in found.names_)
    reasons = found.reasons(frame.with_columns(name=pl.Series(["new"] * 120)))
    assert "name" not in str(reasons)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([1] * 50, True),
        ([2] * 10 + [1] * 30, True),
        ([2] * 25, False),
        ([25, 25], False),
        ([49, 1], False),
        ([40] + [1] * 10, False),
    ],
)
def test_what_is_hardly_shared(times, expected):
    assert hardly_shared(np.array(times)) is expected
