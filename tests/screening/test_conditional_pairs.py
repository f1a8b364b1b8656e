"""All pairs given the same columns."""

import numpy as np
import polars as pl
import pytest

import shearer as sh


@pytest.fixture
def frame(rng):
    age, sex = rng.normal(size=120), rng.choice(["f", "m"], size=120)
    base = age + (sex == "f")
    columns = {name: base + 0.5 * rng.normal(size=120) for name in "abc"}
    return pl.DataFrame({**columns, "d": columns["a"] + 0.3 * rng.normal(size=120), "age": age, "sex": sex})


def test_pairs_are_those_of_the_test(frame):
    found = sh.pairwise(frame, given=["age", "sex"])
    assert found.names == ("a", "b", "c", "d")
    assert found.given == ("age", "sex")
    one = sh.independence_test(frame["a", "d", "age", "sex"], given=["age", "sex"])
    assert found.pvalue[0, 3] == found.pvalue[3, 0] == pytest.approx(one.pvalue, rel=1e-9)
    assert found.explained[[0, 3]] == pytest.approx(one.explained)
    assert found.pvalue[0, 3] < 1e-6
    assert np.all(found.qvalue >= found.pvalue - 1e-12)
    assert (sh.pairwise(frame["a", "b", "c"]).value > 0.1).all()  # without the conditions all depend


def test_table(frame):
    table = sh.pairwise(frame, given="age").to_frame()
    assert table.columns == ["first", "second", "pvalue", "qvalue", "warned"]
    assert len(table) == 10
    assert table["pvalue"].is_sorted()
    assert type(sh.pairwise(frame.to_pandas(), given="age").to_frame()).__module__.startswith("pandas")


def test_constants_functions_and_bad_options(frame):
    more = frame.with_columns(one=pl.lit(1.0), copy=pl.col("age"))
    found = sh.pairwise(more, given=["age", "sex"])
    assert np.all(found.pvalue[4, [0, 1, 2, 3, 5]] == 1)
    assert np.isnan(found.pvalue[5, 0])
    assert np.isnan(found.explained[4])
    assert found.explained[5] == 1
    with pytest.raises(ValueError, match="target: expected none with given"):
        sh.pairwise(frame, given="age", target="a")
    with pytest.raises(ValueError, match="at least 2 variables besides given"):
        sh.pairwise(frame["a", "age"], given="age")
