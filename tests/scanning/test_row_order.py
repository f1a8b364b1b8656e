"""Rows that depend on each other are recognised, sorted tables are not taken for such."""

import numpy as np
import pytest

import shearer as sh
from shearer.data import read
from shearer.report import summary_sentences
from shearer.scanning.columns.coded import coded_columns
from shearer.scanning.columns.roles import find_roles
from shearer.scanning.columns.row_order import roughness_score, rows_that_depend, serial_score

DAYS = np.datetime64("2020-01-01") + np.arange(200)


def found_in(table):
    coded = coded_columns(read(table, missing="pairwise", pairwise=True).columns)
    return [(found["kind"], found["columns"]) for found in rows_that_depend(coded, find_roles(coded, (), ()))]


def one_found(table):
    coded = coded_columns(read(table, missing="pairwise", pairwise=True).columns)
    (found,) = rows_that_depend(coded, find_roles(coded, (), ()))
    return found


def walks(rng, rows=200, columns=2):
    return {f"w{k}": rng.normal(size=rows).cumsum() for k in range(columns)}


@pytest.fixture
def plain(rng):
    base = rng.normal(size=200)
    return {"x": base + rng.normal(size=200), "y": base + rng.normal(size=200), "base": base}


class TestTime:
    def test_dates(self, rng, plain):
        assert found_in(walks(rng) | {"date": DAYS}) == [("time", ["date"])]
        assert found_in(plain | {"date": DAYS}) == []

    def test_a_trend_is_enough(self, rng):
        trend = {f"x{k}": np.arange(200) / 50 + rng.normal(size=200) for k in range(2)}
        assert found_in(trend | {"date": DAYS}) == [("time", ["date"])]

    def test_rows_in_another_order(self, rng):
        order = rng.permutation(200)
        mixed = {name: values[order] for name, values in (walks(rng) | {"date": DAYS}).items()}
        coded = coded_columns(read(mixed, missing="pairwise", pairwise=True).columns)
        (found,) = rows_that_depend(coded, find_roles(coded, (), ()))
        assert (found["kind"], found["columns"], found["sorted"]) == ("time", ["date"], False)

    @pytest.mark.parametrize("name", ["year", "t_year", "Year", "time"])
    def test_numbers_by_their_name(self, rng, name):
        assert found_in(walks(rng, 60) | {name: np.arange(1940, 2000)}) == [("time", [name])]

    def test_parts_of_dates(self, rng):
        quarters = {"year": 1960 + np.arange(200) // 4, "quarter": 1 + np.arange(200) % 4}
        assert found_in(walks(rng) | quarters) == [("time", ["year", "quarter"])]
        named = quarters | {"quarter": [f"Q{1 + k % 4}" for k in range(200)]}
        assert found_in(walks(rng) | named) == [("time", ["year", "quarter"])]

    def test_durations_are_no_times(self, rng):
        risk = rng.normal(size=200)
        assert found_in({"time": rng.exponential(np.exp(-risk)), "risk": risk, "age": rng.normal(size=200)}) == []

    def test_a_year_that_many_rows_share_is_a_column_like_others(self, rng):
        year = np.sort(rng.integers(1970, 1983, size=400))
        assert found_in({"year": year, "mpg": year / 4.0 + rng.normal(size=400), "x": rng.normal(size=400)}) == []

    def test_many_rows_of_each_date(self, rng):
        """They are no series; what their dates share is named by how much, not by how it wavers."""
        days = np.arange("2013-01-01", "2013-04-11", dtype="datetime64[D]")
        weather = np.repeat(np.convolve(rng.normal(size=120), np.ones(21) / 4, "valid"), 8)
        fresh = np.repeat(rng.normal(size=100), 8)
        table = {"day": np.repeat(days, 8), "delay": weather + 0.2 * rng.normal(size=800)}
        table |= {"load": fresh + 0.3 * rng.normal(size=800)}
        found = one_found(table)
        assert (found["kind"], found["columns"], found["shared"]) == ("time", ["day"], True)
        assert found["alike"] == ["delay", "load"]
        assert "shared" not in one_found({"day": days, "price": rng.normal(size=100).cumsum()})


class TestUnits:
    @pytest.fixture
    def panel(self, rng):
        country = np.repeat([f"land {k}" for k in range(12)], 15)
        growth = rng.normal(size=(2, 12, 15)).cumsum(axis=2) + 5 * rng.normal(size=(2, 12, 1))
        return {
            "country": country,
            "year": np.tile(np.arange(1990, 2005), 12),
            "a": growth[0].ravel(),
            "b": growth[1].ravel(),
        }

    def test_countries_and_years(self, panel, rng):
        assert found_in(panel) == [("panel", ["country", "year"])]
        order = rng.permutation(180)
        assert found_in({name: values[order] for name, values in panel.items()}) == [("panel", ["country", "year"])]

    def test_storms_and_hours(self, rng):
        """Hardly two rows share a time, as of storms of many years; each is listed from its first hour to its last."""
        begin = np.sort(rng.integers(0, 3000, size=30))
        hours = (begin[:, None] + np.arange(20)).ravel()
        wind = (rng.normal(size=(30, 20)).cumsum(axis=1) + 2 * rng.normal(size=(30, 1))).ravel()
        table = {"storm": np.repeat([f"storm {k}" for k in range(30)], 20), "sex": rng.choice(["a", "b"], size=600)}
        table |= {"day": hours // 24, "hour": hours % 24, "wind": wind, "x": rng.normal(size=600)}
        assert found_in(table) == [("panel", ["storm", "day", "hour"])]
        mixed = rng.permutation(600)
        assert found_in({name: column[mixed] for name, column in table.items() if name != "storm"}) == []

    def test_by_name(self, plain, rng):
        subject = rng.integers(0, 25, size=200)
        assert found_in(plain | {"subject_id": subject}) == [("units", ["subject_id"])]
        assert found_in(plain | {"subject": [f"S{k}" for k in subject]}) == [("units", ["subject"])]
        assert found_in(plain | {"shop": [f"S{k}" for k in subject]}) == []

    def test_by_what_they_repeat(self, plain, rng):
        model = rng.integers(0, 20, size=200)
        seats, engines = rng.integers(20, 300, size=20)[model], rng.choice(list("abc"), size=20)[model]
        table = plain | {"model": [f"m{k}" for k in model], "seats": seats, "engines": engines}
        assert found_in(table) == [("units", ["model"])]


class TestOrder:
    def test_series_without_a_time(self, rng):
        assert found_in(walks(rng)) == [("order", [])]

    def test_tables_that_were_sorted(self, plain, rng):
        order = np.argsort(plain["base"])
        by_number = {name: values[order] for name, values in plain.items()}
        assert found_in(by_number) == []
        group = np.digitize(plain["base"], [-0.5, 0.5])
        order = np.argsort(group, kind="stable")
        by_label = {name: values[order] for name, values in (plain | {"group": np.array(list("abc"))[group]}).items()}
        assert found_in(by_label) == []
        assert found_in({name: by_label[name] for name in ("x", "y", "group")}) == []

    def test_scores_of_exchangeable_rows(self):
        """Mean 0 and variance 1, whatever the values are, within blocks and without."""
        g = np.random.default_rng(0)
        blocks = np.sort(g.integers(0, 10, size=300))
        whole = np.zeros(300, dtype=int)
        for draw in (g.normal, g.exponential, lambda size: g.integers(0, 3, size).astype(float)):
            for rows, score in ((whole, serial_score), (blocks, serial_score), (whole, roughness_score)):
                scores = np.array([score(draw(size=300), rows) for _ in range(400)])
                assert abs(scores.mean()) < 0.3
                assert 0.8 < scores.std() < 1.2


class TestRepeated:
    def test_copies_of_rows(self, plain, rng):
        again = rng.integers(0, 200, size=12)
        table = {name: np.r_[values, values[again]] for name, values in plain.items()}
        assert found_in(table) == [("repeated", [])]

    def test_rows_that_coincide(self, rng):
        few = {name: rng.integers(0, 3, size=300) for name in "abc"}
        assert found_in(few) == []
        zeros = np.where(rng.random(300) < 0.6, 0.0, np.round(rng.exponential(10, 300), 1))
        assert found_in({"zeros": zeros, "label": rng.choice(list("ab"), 300), "other": rng.integers(0, 4, 300)}) == []


class TestSummary:
    def test_says_so_first_and_makes_no_promise(self, rng):
        found = sh.scan(walks(rng, 60) | {"year": np.arange(1960, 2020)}, top=0)
        words = summary_sentences(found.document)
        alike = " and ".join(found.document["dependent_rows"][0]["alike"])
        assert words[0] == f"The rows are in the order of year, and neighbours are alike ({alike})."
        assert words[1].startswith("Such rows are not independent")
        assert words[2] == "Rows in time can be tested as such: --lags 0..5, or lags=range(6) in Python."
        assert not any("in 100" in sentence for sentence in words)
        assert any("cannot be said" in sentence for sentence in words)
        assert "and neighbours are alike" in found.to_html()

    def test_is_as_before_where_rows_are_independent(self, plain):
        words = summary_sentences(sh.scan(plain, top=0).document)
        assert words[0].startswith("table has 200 rows")
        assert any("no more than 5 in 100" in sentence for sentence in words)

    def test_lags_answer_it(self, rng):
        found = sh.scan(walks(rng, 80) | {"year": np.arange(1940, 2020)}, lags=[0, 1])
        assert found.document["dependent_rows"] == []


@pytest.mark.needs("data")
def test_real_tables():
    import polars as pl

    from tests.conftest import data_folder

    penguins = pl.read_csv(data_folder() / "tables" / "penguins.csv", null_values="NA")
    mpg = pl.read_csv(data_folder() / "tables" / "mpg.csv")
    bike = pl.read_csv(data_folder() / "bike" / "hour.csv", try_parse_dates=True)
    assert found_in(penguins) == []
    assert found_in(mpg) == []
    assert found_in(bike) == [("time", ["dteday", "hr"])]


def test_tables_of_scikit_learn():
    from sklearn import datasets

    for load in (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_diabetes):
        found = load()
        assert found_in(dict(zip(found.feature_names, found.data.T, strict=True)) | {"target": found.target}) == []
