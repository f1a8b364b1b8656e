"""What is trivial in a table is said and left out, and nothing else is."""

import numpy as np
import polars as pl
import pytest

import shearer as sh
from shearer.data import read
from shearer.report import summary_sentences
from shearer.report.notebook import notebook_summary
from shearer.report.schema import departures
from shearer.scanning.columns.coded import coded_columns
from shearer.scanning.columns.roles import find_roles, is_identifier

N = 60


def roles_of(table, keep=(), targets=()):
    return find_roles(coded_columns(read(table, missing="pairwise", pairwise=True).columns), keep, targets)


def notes_of(found):
    return {column["name"]: column["notes"] for column in found.document["columns"] if column["notes"]}


@pytest.fixture
def pair(rng):
    x = rng.normal(size=N)
    return {"x": x, "y": x + rng.normal(size=N)}


@pytest.mark.parametrize(
    ("counter", "reason"),
    [
        (np.arange(1, N + 1), "counts the rows, 1 to 60"),
        (np.arange(N)[::-1], "counts the rows, 0 to 59"),
        (1000 + 10 * np.arange(N), "counts the rows, 1000 to 1590 in steps of 10"),
        (np.random.default_rng(1).permutation(N), "counts the rows, not in their order, 0 to 59"),
        (np.r_[1, 1100, np.arange(2, N)], "counts the rows, not in their order, 1 to 1100 with gaps"),
        (np.delete(np.arange(80), np.s_[::4]), "counts the rows, 1 to 79 with gaps"),
        (np.delete(np.arange(80), np.s_[::4])[::-1] * 5, "counts the rows, 5 to 395 in steps of 5 with gaps"),
    ],
)
def test_columns_that_count_the_rows_are_left_out(pair, counter, reason):
    found = sh.scan(pair | {"counter": counter}, top=0)
    assert notes_of(found) == {"counter": [reason]}
    assert [record["variables"] for record in found.document["pairs"]] == [["x", "y"]]
    assert any("Left out: 'counter'" in note for note in found.document["notes"])
    kept = sh.scan(pair | {"counter": counter}, top=0, keep="counter")
    assert notes_of(kept) == {}
    assert len(kept.document["pairs"]) == 3


def test_numbers_that_name_the_rows(pair, rng):
    distinct = np.sort(rng.permutation(100_000)[:N])
    assert roles_of(pair | {"customer_id": distinct}).left_out == {"customer_id": "a number of its own in every row"}
    assert roles_of(pair | {"income": distinct}).left_out == {}
    texts = sh.scan(pair | {"name": [f"n{k}" for k in range(N)]}, top=0)
    assert notes_of(texts) == {"name": ["a label of its own in every row"]}


@pytest.mark.parametrize(
    "column",
    [
        np.arange(1950, 1950 + N),
        np.datetime64("2020-01-01") + np.arange(N),
        np.linspace(0, 1, N),
        np.repeat(np.arange(N // 2), 2),
        np.random.default_rng(2).permutation(4 * N)[:N],
    ],
    ids=["years", "dates", "a grid", "twice", "numbers far apart"],
)
def test_columns_that_only_look_as_if_they_counted(pair, column):
    assert roles_of(pair | {"column": column}).left_out == {}


def test_names_of_identifiers():
    assert all(map(is_identifier, ("id", "ID", "patient_id", "PassengerId", "customerID", "uuid", "index")))
    assert not any(map(is_identifier, ("acid", "humid", "consumer_price_index", "video", "keyboard", "Madrid")))


def test_two_columns_one_of_which_counts_are_what_there_is(rng):
    found = sh.scan({"t": np.arange(N), "y": rng.normal(size=N)}, top=0)
    assert [record["variables"] for record in found.document["pairs"]] == [["t", "y"]]


def test_copies_are_one_finding(rng):
    celsius = np.round(rng.normal(15, 8, size=N), 1)
    table = {
        "temp_c": celsius,
        "temp_f": np.round(1.8 * celsius + 32, 1),
        "other": celsius + rng.normal(size=N),
        "temp_c_copy": celsius,
    }
    found = sh.scan(table, top=0)
    assert set(notes_of(found)) == {"temp_f", "temp_c_copy"}
    assert [record["variables"] for record in found.document["pairs"]] == [["temp_c", "other"]]
    said = "temp_c, temp_f and temp_c_copy are the same column on different scales; temp_c stands for all of them."
    assert said in summary_sentences(found.document)
    both = sh.scan(table, top=0, keep=["temp_f", "temp_c_copy"])
    assert len(both.document["pairs"]) == 6
    assert "temp_c, temp_f and temp_c_copy are the same column on different scales." in summary_sentences(both.document)


def test_a_target_stands_for_its_copies(rng):
    x = rng.normal(size=N)
    found = sh.scan({"copy": 3 * x, "x": x, "y": rng.normal(size=N)}, target="x", top=0)
    assert set(notes_of(found)) == {"copy"}
    assert [record["variables"] for record in found.document["pairs"]] == [["y", "x"]]


@pytest.mark.parametrize(
    ("make", "how"),
    [
        (lambda x: x, "equal"),
        (lambda x: -2.5 * x + 7, "scaled"),
        (lambda x: np.round(x / 2.54, 2), "scaled"),
        (np.log, "curved"),
        (np.sqrt, "curved"),
        (lambda x: 1 / x, "curved"),
        (lambda x: np.round(np.log(x), 3), "curved"),
    ],
)
def test_functions_of_a_column(make, how, rng):
    x = np.round(rng.lognormal(3, 1, size=N), 2) + 0.5
    (found,) = roles_of({"x": x, "y": make(x)}).known
    assert (found["kind"], found["columns"], found["how"]) == ("same", ["x", "y"], [how])


@pytest.mark.parametrize(
    "make",
    [
        lambda x, g: x + 0.01 * g.normal(size=N),
        lambda x, g: np.round(x),
        lambda x, g: np.abs(x - x.mean()),
        lambda x, g: np.argsort(np.argsort(x)).astype(float) ** 1.1 + 0.5,
        lambda x, g: np.where(np.arange(N) == 7, 0.0, x),
    ],
    ids=["noise", "rounded away", "folded", "in the same order", "but for one row"],
)
def test_what_is_no_copy(make, rng):
    x = np.round(rng.normal(size=N), 3)
    assert roles_of({"x": x, "y": make(x, rng)}).known == []


def test_labels_under_other_names(rng):
    month = rng.integers(0, 12, size=200)
    names = np.array(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])[month]
    found = roles_of({"month": names, "number": month + 1, "rate": rng.normal(size=12)[month]})
    assert found.known[0] == {"kind": "same", "columns": ["month", "number", "rate"], "how": ["renamed"]}
    few = roles_of({"a": [True] * 19 + [False], "b": ["x"] * 19 + ["y"]})
    assert few.known == []  # twenty rows with one exception agree by chance


def test_a_label_that_determines_another(rng):
    city = rng.integers(0, 30, size=300)
    table = {"city": [f"city {k}" for k in city], "country": [f"land {k % 4}" for k in city], "x": rng.normal(size=300)}
    found = sh.scan(table, top=0)
    assert found.document["known"] == [{"kind": "determines", "columns": ["city", "country"], "how": []}]
    words = " ".join(summary_sentences(found.document))
    assert "city determines country: rows of one city never differ in it." in words
    assert "city with country" not in words  # it is no discovery
    one_off = table | {"country": ["land 9", *table["country"][1:]]}
    assert roles_of(one_off).known == []


def test_a_date_determines_its_parts(rng):
    dates = np.datetime64("2024-01-01") + rng.integers(0, 90, size=400)
    month = dates.astype("datetime64[M]").astype(int) % 12 + 1
    found = roles_of({"date": dates, "month": month, "x": rng.normal(size=400)})
    assert found.determined == {"date": ["month"]}


def test_hardly_repeated_labels_determine_nothing(rng):
    labels = [f"l{k}" for k in rng.permutation(60) // 2]
    assert roles_of({"a": labels, "b": rng.integers(0, 2, 60), "c": rng.normal(size=60)}).determined == {}


def test_sums_and_differences(rng):
    a, b, c = (np.round(rng.lognormal(3, 1, size=N), 2) for _ in range(3))
    found = roles_of({"a": a, "b": b, "total": np.round(a + b, 2), "c": c, "rest": np.round(a - c, 1)}).known
    assert found == [
        {"kind": "computed", "columns": ["total", "a", "b"], "how": ["plus", "plus"], "exceptions": 0},
        {"kind": "computed", "columns": ["rest", "a", "c"], "how": ["plus", "less"], "exceptions": 0},
    ]
    assert roles_of({"a": a, "b": b, "total": a + b + 0.1 * rng.normal(size=N)}).known == []
    whole, other = rng.integers(0, 30, size=(2, N))
    assert roles_of({"a": whole, "b": other, "c": whole + other + rng.integers(-1, 2, size=N)}).known == []
    assert len(roles_of({"a": whole, "b": other, "c": whole + other}).known) == 1


def test_sums_and_products_of_columns_that_lack_a_few_values(rng):
    """A house without a cellar has no areas of one: the sum holds in all the others."""
    a, b = np.round(rng.lognormal(3, 1, size=(2, N)), 2)
    gaps = np.arange(N) % 37 == 5
    parts = {"a": np.where(gaps, np.nan, a), "b": np.where(gaps, np.nan, b)}
    (found,) = roles_of(parts | {"total": np.round(parts["a"] + parts["b"], 2)}).known
    assert (found["columns"], found["how"], found["exceptions"]) == (["total", "a", "b"], ["plus", "plus"], 0)
    (found,) = roles_of(parts | {"area": np.round(parts["a"] * parts["b"], 4)}).known
    assert (found["columns"], found["how"]) == (["area", "a", "b"], ["times", "times"])
    half = np.where(np.arange(N) % 2, a, np.nan)
    assert roles_of({"a": half, "b": b, "total": half + b}).known == []


def test_sums_with_a_constant(rng):
    """Years of experience are age less years of school less 6."""
    school, age = rng.integers(5, 19, size=200), rng.integers(25, 65, size=200)
    experience = age - school - 6
    experience[0] += 4
    table = {"education": school, "age": age, "experience": experience}
    (found,) = roles_of(table).known
    assert (found["columns"][0], found["how"], found["constant"]) == ("experience", ["less", "plus"], -6.0)
    scanned = sh.scan(table, top=0)
    assert departures(scanned.document) == []
    words = "experience is age less education less 6, in all rows but 1."
    assert words in " ".join(summary_sentences(scanned.document))
    a, b = (np.round(rng.normal(size=200), 2) for _ in range(2))
    (found,) = roles_of({"a": a, "b": b, "c": np.round(a + b + 273.15, 1)}).known
    assert found["constant"] == pytest.approx(273.15, abs=0.06)
    assert roles_of({"a": a, "b": b, "c": a + b + np.round(rng.normal(5, 0.2, size=200), 2)}).known == []


def test_products_and_ratios(rng):
    """A product, a percentage, a rate, a body mass index, rounded as one writes them; said once each."""
    wide, high = np.round(rng.uniform(1, 9, N), 1), np.round(rng.uniform(20, 90, N), 1)
    made = {
        "area": (np.round(wide * high, 1), ["times", "times"], 1.0, "area is wide times high."),
        "share": (np.round(100 * wide / high, 1), ["times", "over"], 100.0, "share is 100 times wide over high."),
        "slope": (np.round(high / wide, 2), ["times", "over"], 1.0, "slope is high over wide."),
        "index": (
            np.round(high / wide**2, 2),
            ["times", "over the square of"],
            1.0,
            "index is high over the square of",
        ),
    }
    for name, (column, how, factor, words) in made.items():
        (found,) = roles_of({"wide": wide, "high": high, name: column}).known
        assert (found["kind"], found["columns"][0], found["how"]) == ("computed", name, how)
        assert found["factor"] == pytest.approx(factor)
        scanned = sh.scan({"wide": wide, "high": high, name: column}, top=0)
        assert departures(scanned.document) == []
        assert words in " ".join(summary_sentences(scanned.document))


def test_what_is_no_product(rng):
    wide, high = rng.uniform(1, 9, N), rng.uniform(20, 90, N)
    for other in (
        wide * high * np.exp(0.02 * rng.normal(size=N)),
        rng.permutation(wide * high),
        np.ones(N),
        0.0 * wide,
    ):
        assert roles_of({"wide": wide, "high": high, "other": other}).known == []
    small, tiny = rng.integers(1, 4, size=(2, N))
    assert roles_of({"a": small, "b": tiny, "c": small * tiny}).known == []  # so few values fit many formulas
    enormous = {"a": 1e140 * wide, "b": 1e140 * high, "c": rng.uniform(size=N)}
    assert roles_of(enormous).known == []


def test_a_triple_that_is_a_formula_is_told_as_one(rng):
    bill, inflation = (np.round(rng.normal(4, 2, size=300), 2) for _ in range(2))
    found = sh.scan({"bill": bill, "infl": inflation, "real": np.round(bill - inflation, 2)})
    triples = [
        triple | {"reported": True, "kind": "synergistic", "qvalue": 0.01} for triple in found.document["triples"]
    ]
    shown = notebook_summary(found.document | {"triples": triples, "known": []})
    assert "real is bill less infl." not in shown
    assert "<td>real is bill less infl.</td>" in notebook_summary(found.document | {"triples": triples})


def test_a_sum_but_for_a_row(rng):
    bill, inflation = (np.round(rng.normal(4, 2, size=200), 2) for _ in range(2))
    real = np.round(bill - inflation, 2)
    real[0] = 0.0
    (found,) = sh.scan({"bill": bill, "infl": inflation, "real": real}, top=0).document["known"]
    assert (found["columns"], found["how"], found["exceptions"]) == (["real", "bill", "infl"], ["plus", "less"], 1)
    real[:5] = 0.0
    assert roles_of({"bill": bill, "infl": inflation, "real": real}).known == []


@pytest.mark.needs("data")
def test_bike():
    from tests.conftest import data_folder

    bike = pl.read_csv(data_folder() / "bike" / "hour.csv", try_parse_dates=True)
    found = find_roles(coded_columns(read(bike, missing="pairwise", pairwise=True).columns), (), ())
    assert found.left_out == {"instant": "counts the rows, 1 to 17379"}
    assert found.known[-1]["columns"] == ["cnt", "casual", "registered"]
    assert (found.known[-1]["how"], found.known[-1]["exceptions"]) == (["plus", "plus"], 0)


def test_real_tables_without_trivia():
    from sklearn import datasets

    for load in (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_diabetes):
        table = load()
        found = roles_of(dict(zip(table.feature_names, table.data.T, strict=True)) | {"target": table.target})
        assert (found.left_out, found.known) == ({}, [])


def test_monotone_functions(rng):
    """A cube is the same column put otherwise; of a curve without a formula the summary says that each determines."""
    x, z = rng.normal(size=(2, 200))
    cube = sh.scan({"x": x, "cube": x**3, "z": z}, top=0)
    assert "x and cube are the same column, put differently; x stands for both." in summary_sentences(cube.document)
    bent = sh.scan({"x": x, "bent": np.sinh(2 * x), "z": z}, top=3)
    assert "x and bent determine each other." in summary_sentences(bent.document)
