"""Arrays and datasets of xarray: names of variables and of dimensions count, not their places."""

import numpy as np
import pytest

import shearer as sh
from shearer.data import read

pytestmark = pytest.mark.needs("xarray")
RNG = np.random.default_rng(11)
X, Y, Z = RNG.normal(size=(3, 40))
Y = Y + X**2
SIDE = np.where(np.arange(40) % 2 == 0, "l", "r")
MATRIX = RNG.normal(size=(40, 3)) + X[:, None]


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.fixture
def xr():
    return pytest.importorskip("xarray")


@pytest.fixture
def dataset(xr):
    return xr.Dataset(
        {
            "wind": ("time", X),
            "rain": ("time", Y),
            "field": (("sensor", "time"), MATRIX.T),
            "side": ("time", SIDE),
        },
        coords={"time": np.arange(40), "sensor": ["a", "b", "c"]},
    )


def test_a_dataset_is_a_table_whose_rows_are_the_dimension_that_all_have(dataset):
    table = read(dataset)
    assert table.names == ("wind", "rain", "field", "side")
    assert (table.rows, table.library) == (40, "pandas")
    plain = {"wind": X, "rain": Y, "field": MATRIX, "side": SIDE}
    same(sh.total_correlation(dataset), sh.total_correlation(plain))
    given = ["field", "side"]
    same(sh.mutual_information(dataset, given=given), sh.mutual_information(plain, given=given))
    same(sh.pairwise(dataset).pvalue, sh.pairwise(plain).pvalue)
    assert sh.scan(dataset, order=2, top=0, progress=False).pairs.shape[0] == 6
    names = {group["name"] for group in sh.compare(dataset, by="side").document["settings"]["groups"]}
    assert names == {"l", "r"}


def test_names_of_arrays(dataset, xr):
    wind, rain, field = dataset["wind"], dataset["rain"], dataset["field"]
    result = sh.independence_test(wind, rain)
    assert result.names == ("wind", "rain")
    same(result.pvalue, sh.independence_test(X, Y).pvalue)
    assert sh.independence_test(wind, field).names == ("wind", "field")
    assert sh.independence_test(wind, Y).names == ("wind", "x2")
    assert sh.independence_test(xr.DataArray(X), xr.DataArray(Y)).names == ("x1", "x2")
    assert sh.independence_test(wind, wind.copy(data=Z)).names == ("wind", "wind (2)")
    same(sh.mutual_information(wind, field), sh.mutual_information(X, MATRIX))


def test_roles(dataset):
    wind, rain, field = dataset["wind"], dataset["rain"], dataset["field"]
    assert sh.independence_test(wind, rain, given=field).given == ("field",)
    same(sh.mutual_information(wind, rain, given=field), sh.mutual_information(X, Y, given=MATRIX))
    both = sh.mutual_information(wind, rain, given=(field, Z))
    same(both, sh.mutual_information(X, Y, given=(MATRIX, Z)))
    same(sh.mutual_information(X, Y, given=dataset[["field"]].transpose()), sh.mutual_information(X, Y, given=MATRIX))
    assert read(field, target=rain).targets == ("rain",)
    assert read(dataset[["wind"]], target=field).targets == ("target",)


def test_a_single_array_of_two_dimensions_has_named_columns(dataset, xr):
    field = dataset["field"].transpose("time", "sensor")
    assert read(field).names == ("a", "b", "c")
    same(sh.total_correlation(field), sh.total_correlation(MATRIX))
    same(sh.entropy(field), sh.entropy(MATRIX))
    assert read(xr.DataArray(MATRIX, dims=("time", "sensor"))).names == ("sensor1", "sensor2", "sensor3")
    assert read(dataset["field"]).names[:2] == ("0", "1")  # the rows are its first dimension, here the sensors


def test_missing_values_and_times(xr):
    gaps = xr.DataArray(np.where(np.arange(40) % 5 == 0, np.nan, X), dims="time", name="gaps")
    days = np.datetime64("2024-01-01", "ns") + np.arange(40) * np.timedelta64(1, "D")
    dates = xr.DataArray(days, dims="time", name="date")
    assert read(gaps, dates, missing="drop").rows == 32
    with pytest.raises(ValueError, match="missing values in 8 of 40 rows"):
        read(gaps, dates)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda x, d: (d["wind"], d["rain"].rename(time="hour")),
            r"a dimension that all variables have.*'time'.*'hour'",
        ),
        (
            lambda x, d: (d["wind"], d["rain"].assign_coords(time=np.arange(40) + 1)),
            r"the labels of 'wind' along 'time'",
        ),
        (lambda x, d: (d["wind"], d["rain"][5:]), r"xarray\.align"),
        (lambda x, d: (d.assign(crs=1),), r"a dimension that all variables have.*drop_vars"),
        (lambda x, d: (d["field"].expand_dims(level=2),), r"at most one more dimension, got.*\.stack\(columns="),
        (lambda x, d: (x.Dataset(),), r"at least one variable, got an empty dataset"),
        (lambda x, d: (x.DataArray(1.0),), r"a dimension that all variables have"),
    ],
)
def test_rows_that_do_not_belong_together(change, message, dataset, xr):
    with pytest.raises(ValueError, match=message):
        sh.independence_test(*change(xr, dataset))


def test_a_list_of_arrays_is_refused(dataset):
    with pytest.raises(TypeError, match="variables one by one, got a list of arrays"):
        sh.total_correlation([dataset["wind"], dataset["rain"]])


def test_an_aligned_pair(dataset, xr):
    late = dataset["rain"][5:]
    found = sh.mutual_information(*xr.align(dataset["wind"], late))
    same(found, sh.mutual_information(X[5:], Y[5:]))
