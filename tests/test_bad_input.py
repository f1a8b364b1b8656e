"""Bad input is refused in one form, "parameter: expected ..., got .... hint"; missing values are counted or dropped."""

import importlib
import tracemalloc
from decimal import Decimal

import numpy as np
import pytest

import shearer as sh
from shearer._memory import MemoryBudgetError

X, Y, Z = np.random.default_rng(3).normal(size=(3, 8))
LABELS = list("abcabcab")
TABLE = {"length": X, "width": Y, "label": LABELS}
LONG = "n" * 10_000
BAD = (TypeError, ValueError)


def refused(error, parameter, *data, measure=sh.total_correlation, hint="", **options):
    """The message, after a check of its form."""
    with pytest.raises(error) as caught:
        measure(*data, **options)
    text = str(caught.value)
    assert text.startswith(f"{parameter}: expected ")
    assert ", got " in text
    assert hint in text
    assert len(text) < 400
    assert "\n" not in text
    return text


def short(value):
    """What a test is called by."""
    return value if isinstance(value, str) and len(value) < 20 else type(value).__name__


BAD_VALUES = {
    "infinity": (ValueError, np.where(X > 0, np.inf, X), "finite"),
    "infinite decimal": (ValueError, [Decimal("Infinity"), *range(7)], "finite"),
    "long double": (ValueError, np.array(["1e400", *range(7)], dtype=np.longdouble), "finite"),
    "huge integer": (ValueError, [10**400, *range(7)], "finite"),
    "complex array": (TypeError, X + 1j, "imaginary"),
    "complex list": (TypeError, [1j, *range(7)], "imaginary"),
    "0-D": (ValueError, np.array(1.0), "no sample"),
    "number": (TypeError, 1.0, "no sample"),
    "3-D": (ValueError, X.reshape(2, 2, 2), "reshape"),
    "3-D list": (ValueError, X.reshape(2, 2, 2).tolist(), "reshape"),
    "no columns": (ValueError, np.empty((8, 0)), "at least one column"),
    "empty rows": (ValueError, [[]] * 8, "at least one column"),
    "text": (TypeError, LONG, "..."),
    "bytes": (TypeError, b"abcabcab", ""),
    "None": (TypeError, None, ""),
    "set": (TypeError, set(range(8)), ""),
    "mapping": (TypeError, {"a": X}, ""),
    "iterator": (TypeError, dict.fromkeys(X).values(), "list("),
    "function": (TypeError, len, ""),
    "objects": (TypeError, [object()] * 8, "objects (object)"),
    "uneven rows": (TypeError, [[LONG], [1, 2], *[[i] for i in range(6)]], "objects (list)"),
    "text and numbers": (TypeError, ["a", 1, 2.5, *range(5)], "objects (float, int, str)"),
    "fields": (TypeError, np.zeros(8, dtype=[("a", float), ("b", int)]), "field"),
}


@pytest.mark.parametrize(("error", "value", "hint"), BAD_VALUES.values(), ids=BAD_VALUES)
def test_values_that_are_no_variable(error, value, hint):
    refused(error, "x2", X, value, hint=hint)
    refused(error, "bad", {"good": X, "bad": value}, hint=hint)
    refused(error, "given1", X, Y, given=(value,), hint=hint)


def case(component, *values):
    return pytest.param(component, *values, marks=pytest.mark.needs(component))


@pytest.mark.parametrize(
    ("component", "make", "hint"),
    [
        case("torch", lambda torch: torch.asarray(X + 1j), "imaginary"),
        case("torch", lambda torch: torch.asarray(X) / 0, "finite"),
        case("torch", lambda torch: torch.zeros(8, 2, 2), "reshape"),
        case("torch", lambda torch: torch.eye(8).to_sparse(), "to_dense"),
        case("torch", lambda torch: list(torch.ones(8, 2, requires_grad=True)), "Stack"),
        case("torch", lambda torch: list(torch.ones(8, requires_grad=True)), "Stack"),
        case("array_api_strict", lambda strict: strict.asarray(X + 1j), "imaginary"),
        case("scipy.sparse", lambda sparse: sparse.csr_array(np.eye(8)), "toarray"),
        case("polars", lambda polars: polars.LazyFrame({"a": X}), "collect"),
        case("polars", lambda polars: polars.Series([[1], [2, 3]] * 4), "objects (list)"),
        case("pandas", lambda pandas: pandas.DataFrame(np.eye(8), columns=list("abcdefga")), "'a' twice"),
        case("pandas", lambda pandas: pandas.DataFrame(index=range(8)), "at least one column"),
    ],
)
def test_values_of_other_libraries(component, make, hint):
    value = make(importlib.import_module(component))
    refused(BAD, "x2", X, value, hint=hint)
    refused(BAD, "bad", {"good": X, "bad": value}, hint=hint)


@pytest.mark.needs("torch")
@pytest.mark.needs("array_api_strict")
def test_libraries_that_do_not_mix():
    import array_api_strict
    import torch

    refused(TypeError, "data", torch.asarray(X), array_api_strict.asarray(Y), hint="array_api_strict")
    refused(ValueError, "x2", torch.asarray(X, dtype=torch.float32), Y * 1e300, hint="float64")


def test_rows():
    refused(ValueError, "data", X, Y[:-1], hint="'x1': 8, 'x2': 7")
    refused(ValueError, "data", X, Y, given=Z[:-1], hint="'given1': 7")
    refused(ValueError, "data", [1.0], [2.0], hint="at least 2 rows")
    for empty in ([], np.empty(0), np.empty((0, 3))):
        refused(ValueError, "data", empty, measure=sh.entropy, hint="at least 2 rows")
    refused(ValueError, "data", {}, hint="at least one variable")
    refused(TypeError, "data", hint="at least one variable")


@pytest.mark.parametrize("variables", [[X, Y], (X, Y), [np.stack([X, Y])] * 2])
def test_lists_of_variables(variables):
    refused(TypeError, "data", variables, hint="Unpack it")
    refused(TypeError, "data", variables, hint="Unpack it", measure=sh.entropy)
    refused(TypeError, "given", X, Y, given=list(variables), hint="tuple")


@pytest.mark.needs("pandas")
def test_series_and_frames():
    import pandas

    refused(TypeError, "data", [pandas.Series(X), pandas.Series(Y)], hint="Unpack it")
    refused(ValueError, "data", pandas.DataFrame({"a": X}), pandas.DataFrame({"a": Y[:-1]}), hint="7")
    refused(ValueError, "data", pandas.DataFrame({1: X, "1": Y}), hint="'1' twice")
    name = f"{LONG}\n{LONG}"
    refused(ValueError, "data", pandas.Series(np.where(X > 0, X, np.nan), name=name), Y, hint="...")
    refused(ValueError, f"'{'n' * 37}...{'n' * 38}'", pandas.Series(np.where(X > 0, X, np.inf), name=name), Y)


OPTIONS = {
    "alpha": [-1, -0.1, np.nan, -np.inf, 10**400, "1", None, True, np.True_, 1j, np.complex64(1), [1], X],
    "normalize": ["maxx", "max", 1, None, np.array([True]), LONG],
    "missing": ["dorp", None, True, X, LONG],
    "memory": ["2 GBs", "GB", "", "-1GB", "nan", 0, -1, np.nan, np.inf, True, [1], 10**400, LONG],
    "kernel": [sh.kernels.Gaussian, "gaussian", 1, [sh.kernels.Gaussian()], len, {"width": sh.kernels.Gaussian}],
    "groups": [["width"], "width", X, 1, {"g": 1}, {"g": None}, {"g": []}, {"g": [X]}, {"g": {"a": 1}}, {"g": LONG}],
    "given": [1.0, {1.0}, LONG, ["width", X], ["width", "width"], ["length", "width", "label"], [LONG]],
}


@pytest.mark.parametrize(
    ("option", "value"), [(name, value) for name, values in OPTIONS.items() for value in values], ids=short
)
def test_options(option, value):
    parameter = "given1" if option == "given" and value in (1.0, {1.0}) else option
    refused(BAD, parameter, TABLE, **{option: value})


@pytest.mark.parametrize("returned", [-1, 0, np.nan, np.inf])
def test_rules_that_return_no_width(returned):
    refused(BAD, "bandwidth", X, Y, kernel=sh.kernels.Gaussian(lambda values: returned))


@pytest.mark.parametrize("returned", ["a", None, [1.0, 2.0]])
def test_rules_that_return_no_number(returned):
    refused(BAD, "bandwidth", X, Y, kernel=sh.kernels.Gaussian(lambda values: returned))


@pytest.mark.parametrize("bandwidth", [0, -1, np.nan, np.inf, "mediann", None, True, 1j, [1.0], 10**400], ids=short)
def test_bandwidths(bandwidth):
    with pytest.raises(BAD, match=r"^bandwidth: expected .*, got"):
        sh.kernels.Gaussian(bandwidth)


def test_misspelt_names_are_suggested():
    refused(ValueError, "given", TABLE, given="widht", hint="Did you mean 'width'?")
    refused(ValueError, "groups", TABLE, groups={"g": ["lenght"]}, hint="Did you mean 'length'?")
    refused(ValueError, "kernel", TABLE, kernel={"labl": sh.kernels.Delta()}, hint="Did you mean 'label'?")
    refused(ValueError, "missing", TABLE, missing="dorp", hint="Did you mean 'drop'?")
    refused(ValueError, "normalize", X, Y, normalize="mn", measure=sh.mutual_information, hint="Did you mean 'min'?")


def test_names_of_variables():
    d = sh.Dependence(TABLE)
    refused(ValueError, "names", "lenght", measure=d.entropy, hint="Did you mean 'length'?")
    refused(ValueError, "names", "length", "length", measure=d.total_correlation, hint="once")
    for wrong in (X, ["length", "width"], 1):
        refused(TypeError, "names", wrong, "label", measure=d.mutual_information)


def test_names_that_do_not_fit():
    refused(ValueError, "data", {1: X, "1": Y}, hint="'1' twice")
    refused(ValueError, "groups", TABLE, groups={"label": ["length"]}, hint="'label'")
    refused(ValueError, "groups", TABLE, groups={"a": ["length"], "b": ["length"]}, hint="'a' and 'b'")
    refused(ValueError, "groups", TABLE, groups={1: ["length"], "1": ["width"]}, hint="twice")
    refused(ValueError, "given", TABLE, given={"label": X}, hint="'label'")
    refused(ValueError, "given", X, Y, given="width", hint="among 'x1', 'x2'")
    refused(TypeError, "kernel", TABLE, kernel={"label": sh.kernels.Gaussian()}, hint="delta")


def test_number_of_variables():
    for data in ([X], [X, Y, Z], [np.stack([X, Y, Z], axis=1)]):
        refused(ValueError, "data", *data, measure=sh.mutual_information, hint="exactly 2")
    for measure in (sh.total_correlation, sh.dual_total_correlation):
        refused(ValueError, "data", X, measure=measure, hint="at least 2")


def test_memory_is_refused_before_it_is_taken():
    x = np.arange(200_000.0)
    tracemalloc.start()
    text = refused(MemoryBudgetError, "memory", x, x[::-1], alpha=0, memory="4GB", hint="at most 4 GB")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * x.nbytes
    assert "960 GB" in text
    assert "alpha=2" in text


COLUMNS = {"x": X.tolist(), "label": LABELS, "flag": [True, False] * 4, "count": list(range(8))}
GAPS = {"x": 1, "label": 3, "flag": 3, "count": 6}
KEPT = [0, 2, 4, 5, 7]
HOLED = {name: [None if row == GAPS[name] else value for row, value in enumerate(COLUMNS[name])] for name in COLUMNS}


MISSING = [None, np.nan, Decimal("NaN"), Decimal("sNaN"), np.ma.masked, np.datetime64("NaT", "D")]


@pytest.mark.parametrize("missing", MISSING)
def test_missing_values_are_counted(missing):
    table = {name: [missing if value is None else value for value in column] for name, column in HOLED.items()}
    counts = "3 of 8 rows ('x': 1, 'label': 1, 'flag': 1, 'count': 1)"
    assert 'missing="drop"' in refused(ValueError, "data", table, hint=counts)


def masked(values):
    return np.ma.array([values[0] if value is None else value for value in values], mask=[v is None for v in values])


@pytest.mark.parametrize(
    ("component", "make"),
    [
        case("numpy", lambda numpy: HOLED),
        case("numpy", lambda numpy: {name: numpy.array(values, dtype=object) for name, values in HOLED.items()}),
        case("numpy", lambda numpy: {name: masked(values) for name, values in HOLED.items()}),
        case("pandas", lambda pandas: pandas.DataFrame(HOLED)),
        case("pandas", lambda pandas: pandas.DataFrame(HOLED).convert_dtypes()),
        case("polars", lambda polars: polars.DataFrame(HOLED)),
        case("pyarrow", lambda pyarrow: pyarrow.table(HOLED)),
    ],
)
def test_dropping_is_dropping_by_hand(component, make):
    d = sh.Dependence(make(importlib.import_module(component)), missing="drop")
    by_hand = {name: [values[row] for row in KEPT] for name, values in COLUMNS.items()}
    assert (d.rows, d.dropped) == (5, 3)
    assert float(d.total_correlation()) == pytest.approx(sh.total_correlation(by_hand), rel=1e-12)


@pytest.mark.needs("torch")
def test_dropping_keeps_the_graph():
    import torch

    whole = torch.asarray(X, requires_grad=True)
    part = torch.asarray(X[KEPT], requires_grad=True)
    holed = torch.where(torch.asarray([row in KEPT for row in range(8)]), whole, torch.nan)
    sh.mutual_information(holed, Y, missing="drop").backward()
    sh.mutual_information(part, Y[KEPT]).backward()
    np.testing.assert_allclose(whole.grad[KEPT], part.grad, rtol=1e-10)
    assert float(whole.grad.abs().sum()) == pytest.approx(float(part.grad.abs().sum()))


def test_too_little_is_left():
    refused(ValueError, "data", [1.0, None, None], [1, 2, 3], missing="drop", hint="2 of 3 lack a value")
