"""`df.shearer` of pandas and polars, and functions of shearer inside of pandas."""

import inspect
import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import shearer as sh
import shearer.accessors

LIBRARIES = ["polars", pytest.param("pandas", marks=pytest.mark.needs("pandas"))]


@pytest.fixture
def frame(rng):
    x = rng.normal(size=80)
    return pl.DataFrame({"x": x, "y": x**2, "z": rng.normal(size=80), "side": np.where(x > 0, "r", "l")})


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", [name for name in shearer.accessors.METHODS if name not in ("compare", "scan")])
def test_every_method_is_the_function_of_its_name(name, library, frame):
    count = {"mutual_information": 2, "confidence_interval": 2}.get(name, 3)
    own = frame[:, :count]
    own = own.to_pandas() if library == "pandas" else own
    options = {"n_resamples": 9} if name == "permutation_test" else {"size": 2} if name == "shearer_gap" else {}
    method = getattr(own.shearer, name)
    assert repr(method(**options)) == repr(getattr(sh, name)(own, **options))
    assert method.__doc__ == getattr(sh, name).__doc__
    assert inspect.signature(method) == inspect.signature(getattr(sh, name))


def groups(comparison):
    return comparison.document["settings"]["groups"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_scan_and_compare(library, frame):
    own = frame.to_pandas() if library == "pandas" else frame
    found = own.shearer.scan(target="y", order=2, progress=False)
    assert type(found.pairs).__module__.startswith(library)
    assert found.document["pairs"][0]["variables"] == ["x", "y"]
    assert {group["name"] for group in groups(own.shearer.compare(by="side"))} == {"r", "l"}
    assert [group["name"] for group in groups(own.shearer.compare(own, names=["one", "two"]))] == ["one", "two"]


def test_another_variable_beside_the_table(frame):
    found = frame.select("x", "z").shearer.mutual_information(frame["y"])
    assert found == sh.mutual_information(frame.select("x", "z"), frame["y"])


def test_a_lazy_frame_can_be_scanned_and_no_more(frame):
    found = frame.lazy().shearer.scan(order=2, progress=False)
    assert found.document["settings"]["source"] == "a lazy frame"
    assert not hasattr(frame.lazy().shearer, "pairwise")


def test_nothing_is_added_before_the_module_is_imported():
    script = (
        "import json, polars as pl, shearer as sh\n"
        "df = pl.DataFrame({'x': [1.0, 2.0, 3.0], 'y': [1.0, 2.0, 4.0]})\n"
        "sh.total_correlation(df)\n"
        "before = [hasattr(df, 'shearer'), hasattr(sh, 'accessors')]\n"
        "import shearer.accessors\n"
        "print(json.dumps([*before, hasattr(df, 'shearer'), hasattr(sh, 'accessors')]))"
    )
    assert json.loads(subprocess.check_output([sys.executable, "-c", script])) == [False, False, True, True]


def test_without_pandas():
    script = (
        "import sys; sys.modules['pandas'] = None\n"
        "import importlib.util as util\n"
        "found = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'pandas' else found(name, *rest)\n"
        "import polars as pl, shearer.accessors\n"
        "print(round(pl.DataFrame({'a': [1.0, 2.0, 3.0], 'b': [1.0, 2.0, 3.0]}).shearer.total_correlation(), 3))"
    )
    assert float(subprocess.check_output([sys.executable, "-c", script])) > 0


@pytest.mark.needs("pandas")
def test_a_measure_as_the_correlation_of_pandas(frame):
    table = frame.select("x", "y", "z").to_pandas()
    found = table.corr(method=sh.mutual_information)
    assert list(found.columns) == ["x", "y", "z"]
    assert np.allclose(np.diag(found), 1)
    for one, other in (("x", "y"), ("x", "z"), ("y", "z")):
        assert found.loc[one, other] == found.loc[other, one] == sh.mutual_information(table[one], table[other])
    assert sh.pairwise(table, alpha=1).value[0, 1] == pytest.approx(found.loc["x", "y"], abs=1e-9)
    # pandas passes the rows that both columns have, and numbers only.
    table.loc[::7, "x"] = np.nan
    present = table["x"].notna()
    gaps = table.corr(method=sh.mutual_information)
    assert gaps.loc["x", "y"] == sh.mutual_information(table["x"][present], table["y"][present])
    pvalues = table[["y", "z"]].corr(method=lambda a, b: sh.independence_test(a, b).pvalue)
    assert pvalues.loc["y", "z"] == sh.independence_test(table["y"], table["z"]).pvalue
