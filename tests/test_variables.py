"""Variables as they are read: whatever container the same data come in, they have the same names, kinds and values."""

import datetime
import enum
import importlib
from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import shearer as sh
from shearer.data import read

MATRIX = np.random.default_rng(7).normal(size=(12, 3)) @ [[1.0, 0.5, 0.2], [0.0, 1.0, 0.4], [0.0, 0.0, 1.0]]
X, Y, Z = MATRIX.T
LABELS = list("aabbccabcabc")
FLAGS = [True, False] * 6
COUNTS = [1, 2, 4, 8, 16, 32, 64, 3, 5, 7, 9, 11]


def of(library, name, **options):
    """A constructor of a library that is loaded only when the test runs."""

    def make(*data):
        return getattr(importlib.import_module(library), name)(*data, **options)

    label = " ".join([library, name, *options.values()])
    components = [library, "pyarrow"] if "pyarrow" in label else [library]
    return pytest.param(make, marks=[pytest.mark.needs(component) for component in components], id=label)


ARRAYS = [np.asarray, np.ma.asarray, of("torch", "asarray"), of("array_api_strict", "asarray")]
SERIES = [of("pandas", "Series"), of("polars", "Series"), of("pyarrow", "array")]
VECTORS = [*ARRAYS, *SERIES, list, tuple, deque, memoryview, of("pandas", "Index"), of("pandas", "array")]
VECTORS += [of("pandas", "Series", dtype=dtype) for dtype in ("Float64", "double[pyarrow]", "object")]
FRAMES = [of("pandas", "DataFrame"), of("polars", "DataFrame"), of("pyarrow", "table"), of("pyarrow", "record_batch")]
MATRICES = [*ARRAYS, *FRAMES[:2], np.ndarray.tolist, np.asfortranarray]


def same(value):
    return pytest.approx(value, rel=1e-12)


def kinds(*data, **options):
    return [variable.kind for variable in read(*data, **options).variables]


@pytest.mark.parametrize("container", VECTORS)
def test_columns_of_every_container(container):
    expected = same(sh.mutual_information(X, Y))
    assert float(sh.mutual_information(container(X.copy()), container(Y.copy()))) == expected
    assert float(sh.mutual_information(container(X.copy()), Y)) == expected


@pytest.mark.parametrize("container", MATRICES)
def test_one_matrix_is_a_variable_for_each_column(container):
    d = sh.Dependence(container(MATRIX))
    assert len(d.names) == 3
    assert float(d.total_correlation()) == same(sh.total_correlation(X, Y, Z))


@pytest.mark.parametrize("container", MATRICES)
def test_a_matrix_among_others_is_a_vector(container):
    pair = container(MATRIX[:, :2])
    expected = same(sh.mutual_information(MATRIX[:, :2], Z))
    assert float(sh.mutual_information(pair, Z)) == expected
    assert float(sh.mutual_information({"pair": pair, "z": Z})) == expected
    assert float(sh.entropy(container(MATRIX))) == same(sh.entropy({"all": MATRIX}))


@pytest.mark.parametrize("container", [dict, *FRAMES])
def test_tables_keep_names_and_kinds(container):
    table = container({"x": X, "label": LABELS, "flag": FLAGS, "count": COUNTS})
    assert sh.Dependence(table).names == ("x", "label", "flag", "count")
    assert kinds(table) == ["continuous", "categorical", "categorical", "continuous"]
    assert sh.total_correlation(table) == same(sh.total_correlation(X, LABELS, FLAGS, COUNTS))


@pytest.mark.parametrize("container", FRAMES)
def test_a_frame_among_others_is_a_vector(container):
    table = container({"x": X, "label": LABELS})
    assert kinds(table, Y) == ["mixed", "continuous"]
    expected = sh.mutual_information({"x": X, "label": LABELS, "y": Y}, groups={"both": ["x", "label"]})
    assert sh.mutual_information(table, Y) == same(expected)


def test_rows_of_mixed_items_are_read_column_by_column():
    rows = list(zip(X, LABELS, FLAGS, strict=True))
    assert kinds(rows) == ["continuous", "categorical", "categorical"]
    assert kinds(rows, Y) == ["mixed", "continuous"]
    assert sh.total_correlation(rows) == same(sh.total_correlation(X, LABELS, FLAGS))


@pytest.mark.needs("torch")
@pytest.mark.needs("polars")
def test_torch_beside_other_libraries():
    import polars
    import torch

    x, single = torch.asarray(X), torch.asarray(X, dtype=torch.float32)
    assert float(sh.mutual_information(x, polars.Series(Y))) == same(sh.mutual_information(X, Y))
    assert float(sh.mutual_information(x, torch.asarray(FLAGS))) == same(sh.mutual_information(X, FLAGS))
    assert sh.mutual_information(Y, single).dtype == torch.float32
    assert sh.mutual_information(single, x).dtype == torch.float64
    assert float(sh.mutual_information(single.half(), Y)) == pytest.approx(sh.mutual_information(X, Y), abs=1e-3)


def test_numpy_views_and_types():
    frozen = X.copy()
    frozen.flags.writeable = False
    for view in (frozen, np.repeat(X, 2)[::2], X[::-1][::-1], X.astype(">f8"), X.astype(np.longdouble), X[:, None]):
        assert sh.mutual_information(view, Y) == same(sh.mutual_information(X, Y))
    assert sh.total_correlation(MATRIX.view(np.matrix)) == sh.total_correlation(MATRIX)
    half = X.astype(np.float16)
    assert sh.mutual_information(half, Y) == sh.mutual_information(half.astype(float), Y)


def test_sizes_at_the_edge_of_floats():
    for size in (2.0**1000, 2.0**-1000):
        assert sh.mutual_information(X * size, Y) == same(sh.mutual_information(X, Y))
    for extreme in (np.sign(X) * 1.7e308, X * 1e-321, np.where(X > 0, 1.7e308, X)):
        assert 0 <= sh.mutual_information(extreme, Y) <= 1


def test_nothing_changes_its_input():
    inputs = [X.copy(), MATRIX.copy(), np.arange(12) + 2**60, np.ma.array(X, mask=X > 1), [None, *LABELS[1:]]]
    before = [values.copy() for values in inputs]
    for alpha in (0.5, 1, 2, 3):
        sh.total_correlation(*inputs, alpha=alpha, missing="drop")
    for values, copy in zip(inputs, before, strict=True):
        assert repr(values) == repr(copy)


Name = enum.Enum("Name", "a b c")
Code = enum.IntEnum("Code", "a b c")
LABEL_FORMS = [
    LABELS,
    np.array(LABELS),
    np.array(LABELS, dtype="S"),
    np.array(LABELS, dtype=object),
    np.array(LABELS, dtype=np.dtypes.StringDType()),
    [Name[label] for label in LABELS],
    [Code[label] for label in LABELS],
    [label.replace("b", "a\0") for label in LABELS],
]


@pytest.mark.parametrize("labels", LABEL_FORMS)
def test_labels_get_the_delta_kernel(labels):
    assert sh.entropy(labels) == same(np.log2(3))
    assert sh.entropy(labels, kernel=sh.kernels.Gaussian(9.0)) == same(np.log2(3))


@pytest.mark.parametrize("container", [*ARRAYS, *SERIES, list, of("pandas", "Series", dtype="boolean")])
def test_truth_values_are_labels(container):
    assert sh.entropy(container(FLAGS)) == same(1.0)


@pytest.mark.parametrize("container", [of("pandas", "Series", dtype="category"), of("pandas", "Categorical")])
@pytest.mark.parametrize("values", [LABELS, [ord(label) for label in LABELS], np.digitize(X, [-1, 1])])
def test_categories_are_labels_whatever_they_hold(container, values):
    assert kinds(container(values)) == ["categorical"]
    assert sh.entropy(container(values)) == same(sh.entropy([str(value) for value in values]))


@pytest.mark.needs("polars")
@pytest.mark.needs("pyarrow")
def test_categories_of_polars_and_arrow():
    import polars
    import pyarrow

    series = [polars.Series(LABELS, dtype=dtype) for dtype in (polars.Categorical, polars.Enum(["a", "b", "c"]))]
    assert kinds(*series, pyarrow.array([1, 2, 3] * 4).dictionary_encode()) == ["categorical"] * 3


@pytest.mark.parametrize("number", [int, float, Decimal, Fraction, np.int8, np.float32, lambda i: i + 10**400])
def test_numbers_of_any_type_are_continuous(number):
    assert sh.entropy([number(count) for count in COUNTS]) == same(sh.entropy(COUNTS))
    assert sh.entropy(np.array([number(count) for count in COUNTS], dtype=object)) == same(sh.entropy(COUNTS))


@pytest.mark.parametrize("offset", [np.int64(2**60), np.uint64(2**63)])
@pytest.mark.parametrize("container", [*ARRAYS, *SERIES, list])
def test_integers_beyond_floats_stay_apart(container, offset):
    values = np.array(COUNTS, dtype=offset.dtype) + offset
    assert float(sh.entropy(container(values))) == pytest.approx(sh.entropy(COUNTS), rel=1e-6)


DAYS = [0, 1, 3, 4, 9, 12, 13, 20, 25, 26, 27, 40]
DATES = [datetime.date(2020, 2, 1) + datetime.timedelta(days) for days in DAYS]
TIMES = [datetime.datetime(2020, 2, 1, 7) + datetime.timedelta(days) for days in DAYS]
ZONED = [time.replace(tzinfo=datetime.UTC) for time in TIMES]
DURATIONS = [datetime.timedelta(days) for days in DAYS]
CLOCK = [datetime.time(minutes // 60, minutes % 60, 7, 500) for minutes in (30 * days for days in DAYS)]


@pytest.mark.parametrize("container", [list, np.array, *SERIES])
@pytest.mark.parametrize(
    "moments", [DATES, TIMES, ZONED, DURATIONS, CLOCK], ids=["dates", "times", "zoned", "durations", "clock"]
)
def test_times_are_numbers(container, moments):
    assert sh.entropy(container(moments)) == same(sh.entropy(DAYS))
    assert sh.entropy(container([*moments[:-1], None]), missing="drop") == same(sh.entropy(DAYS[:-1]))


@pytest.mark.parametrize("dtype", ["M8[D]", "M8[s]", "m8[h]"])
def test_times_of_numpy(dtype):
    times = np.array(DAYS).astype(dtype)
    masked = np.ma.array(times, mask=np.arange(12) == 0)
    assert sh.entropy(times) == same(sh.entropy(DAYS))
    assert sh.entropy(masked, missing="drop") == same(sh.entropy(DAYS[1:]))
    times[0] = "NaT"
    assert sh.entropy(times, missing="drop") == same(sh.entropy(DAYS[1:]))


def test_names():
    assert sh.Dependence(MATRIX).names == ("x1", "x2", "x3")
    assert sh.Dependence({1: X, "b": Y}).names == ("1", "b")
    d = sh.Dependence(X, Y, given=(Z, LABELS))
    assert (d.names, d.given) == (("x1", "x2"), ("given1", "given2"))


@pytest.mark.needs("pandas")
@pytest.mark.parametrize("name", ["length", "a\nb", "x" * 5000], ids=["plain", "of two lines", "long"])
def test_a_series_brings_its_name(name):
    import pandas

    d = sh.Dependence(pandas.Series(X, name=name), pandas.Series(Y, name=name), Z, given=pandas.Series(Y, name=name))
    assert (d.names, d.given) == ((name, f"{name} (2)", "x3"), (f"{name} (3)",))


@pytest.mark.needs("pandas")
def test_column_labels_that_are_no_text():
    import pandas

    frame, kernel = pandas.DataFrame(MATRIX), sh.kernels.Gaussian(1.0)
    assert sh.Dependence(frame, groups={"pair": [0, 1]}, given="2").names == ("pair",)
    assert sh.total_correlation(frame, kernel={0: kernel}) == sh.total_correlation(X, Y, Z, kernel={"x1": kernel})
    frame.columns = pandas.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
    assert sh.Dependence(frame).names == ("('a', 1)", "('a', 2)", "('b', 1)")


@pytest.mark.parametrize("container", [dict, *FRAMES])
def test_groups_join_columns_in_place(container):
    table = container({"a": X, "b": LABELS, "c": Y, "d": Z})
    d = sh.Dependence(table, groups={"late": ["d", "c"], "b": "b"})
    assert d.names == ("a", "b", "late")
    assert float(d.total_correlation()) == same(sh.total_correlation(X, LABELS, MATRIX[:, 1:]))
    swapped = read(table, groups={"a": ["b", "c"], "b": ["a"]})
    assert swapped.names == ("b", "a", "d")
    assert swapped.variables[1].kind == "mixed"


def test_groups_of_unnamed_variables():
    assert sh.Dependence(MATRIX, groups={"pair": ["x1", "x3"]}).names == ("pair", "x2")
    assert sh.Dependence(X, Y, Z, groups={"pair": ["x1", "x3"]}).names == ("pair", "x2")
    assert sh.entropy(MATRIX, groups={"all": ["x1", "x2", "x3"]}) == sh.entropy(MATRIX)


@pytest.mark.parametrize("container", [dict, *FRAMES])
def test_given_by_name_or_from_outside(container):
    table = container({"x": X, "y": Y, "z": Z, "label": LABELS})
    conditions = container({"z": Z, "label": LABELS})
    expected = same(sh.mutual_information(X, Y, given=(Z, LABELS)))
    assert sh.mutual_information(table, given=["z", "label"]) == expected
    assert sh.mutual_information(X, Y, given=conditions) == expected
    assert sh.mutual_information(table, given="both", groups={"both": ["z", "label"]}) == expected
    assert sh.Dependence(table, given=("z", "label")).names == ("x", "y")
    assert sh.Dependence(table, given=[]).names == ("x", "y", "z", "label")


@pytest.mark.parametrize("container", FRAMES)
def test_entropy_of_a_table_given_one_of_its_columns(container):
    table = container({"x1": LABELS, "x": X, "y": Y})
    assert sh.entropy(table, given="x1") == same(sh.entropy(MATRIX[:, :2], given=LABELS))


def test_arrays_have_the_names_that_results_show():
    matrix = np.stack([X, Y, Z], axis=1)
    for names in ("x3", ["x3"], ("x3",)):
        assert sh.mutual_information(matrix, given=names) == same(sh.mutual_information(X, Y, given=Z))
        assert sh.mutual_information(X, Y, Z, given=names) == same(sh.mutual_information(X, Y, given=Z))
    labels = ["x1" if value > 0 else "x2" for value in Z]  # a variable, not names
    assert sh.mutual_information(X, Y, given=labels) == same(sh.mutual_information(X, Y, given=np.array(labels)))


def test_kernels_for_all_or_by_name():
    narrow = sh.kernels.Gaussian(0.3)
    table = {"x": X, "y": Y, "label": LABELS}
    assert sh.total_correlation(table, kernel=narrow) == sh.total_correlation(table, kernel={"x": narrow, "y": narrow})
    assert sh.total_correlation(table, kernel={"x": narrow}) != sh.total_correlation(table, kernel=narrow)
    assert sh.entropy(COUNTS, kernel=sh.kernels.Delta()) == same(np.log2(12))
    conditioned = sh.mutual_information(X, Y, given=Z, kernel={"given1": narrow})
    assert conditioned != sh.mutual_information(X, Y, given=Z)


def test_numbers_as_text_are_suspected():
    texts = [f"{value:.3f}" for value in np.linspace(0, 1, 60)]
    with pytest.warns(UserWarning, match="x1: 60 of 60 different texts are numbers, taken as labels") as warned:
        sh.entropy(texts)
    assert {one.filename for one in warned} == {__file__}  # the caller's own line
    with pytest.warns(UserWarning, match="Convert them to numbers"):
        sh.entropy(np.array(texts))
    assert sh.entropy(["1", "2", "3"] * 20) == pytest.approx(np.log2(3))  # classes written as text


def test_a_table_on_its_side_is_suspected(rng):
    with pytest.warns(UserWarning, match="data: 100 variables of 3 rows each; is the array transposed") as warned:
        sh.total_correlation(rng.normal(size=(3, 100)))
    assert {one.filename for one in warned} == {__file__}  # the caller's own line
