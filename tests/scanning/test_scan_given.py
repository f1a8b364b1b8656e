"""Scans given columns that are known, and which links are direct."""

import json
import math

import numpy as np
import polars as pl
import pytest

import shearer as sh
from cli.commands import failed_in_one_line
from shearer.kernels import Gaussian
from shearer.report import summary_sentences
from shearer.report.exports import to_csv, to_graphml
from shearer.report.schema import departures


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    age, sex = rng.normal(size=200), rng.choice(["f", "m"], size=200)
    dose = age + (sex == "f") + rng.normal(size=200)
    response = age**2 + rng.normal(size=200)
    effect = dose + age + rng.normal(size=200)
    flag = np.where(effect + rng.normal(size=200) > 0, "yes", "no")
    return {"age": age, "sex": sex, "dose": dose, "response": response, "effect": effect, "flag": flag}


@pytest.fixture
def chain():
    rng = np.random.default_rng(1)
    a = rng.normal(size=300)
    b = a + 0.5 * rng.normal(size=300)
    c = b + 0.5 * rng.normal(size=300)
    return {"a": a, "b": b, "c": c, "alone": rng.normal(size=300)}


def pair_of(document, *names):
    return next(pair for pair in document["pairs"] if set(pair["variables"]) == set(names))


def test_pvalues_are_those_of_the_test(table):
    document = sh.scan(table, given=["age", "sex"]).document
    assert len(document["pairs"]) == 6
    for pair in document["pairs"]:
        first, second = (table[name] for name in pair["variables"])
        expected = sh.independence_test(first, second, given=(table["age"], table["sex"])).pvalue
        assert pair["pvalue"] == pytest.approx(expected, rel=1e-6)
    assert {frozenset(pair["variables"]) for pair in document["pairs"] if pair["reported"]} == {
        frozenset({"dose", "effect"}), frozenset({"effect", "flag"}), frozenset({"dose", "flag"}),
    }  # fmt: skip


def test_strength_is_the_partial_correlation_of_a_normal_law():
    rng = np.random.default_rng(3)
    z, common = rng.normal(size=(2, 1500))
    x, y = z + common + rng.normal(size=1500), -2 * z + common + rng.normal(size=1500)
    pair = sh.scan({"x": x, "y": y, "z": z}, given="z").document["pairs"][0]
    assert pair["strength"] == pytest.approx(0.5, abs=0.08)
    assert pair["strength_low"] < 0.5 < pair["strength_high"]
    assert pair["details"]["pearson"] == pytest.approx(0.5, abs=0.06)
    assert pair["sign"] == "+"  # the columns themselves go against each other
    assert np.corrcoef(x, y)[0, 1] < -0.2


def test_document_words_and_files(table):
    found = sh.scan(table, given=["age", "sex"])
    document = found.document
    assert departures(document) == []
    assert document["settings"]["given"] == ["age", "sex"]
    assert document["settings"]["order"] == 2
    explained = {column["name"]: column.get("explained") for column in document["columns"]}
    assert explained["age"] is None
    assert 0.3 < explained["dose"] < 0.8
    words = summary_sentences(document)
    assert any("once age and sex are known, beyond what chance explains" in sentence for sentence in words)
    assert any("of what is then left" in sentence for sentence in words)
    assert any("given 'age', 'sex'" in note for note in document["notes"])
    header, first, *_ = to_csv(document)[0].splitlines()
    assert header.startswith("first,second,given,warned,strength")
    assert '"age, sex"' in first
    page = found.to_html()
    assert "Known, and taken out of every pair" in page
    assert "warned" in found.pairs.columns
    assert pair_of(document, "effect", "flag")["sign"] is None
    assert json.loads(found.to_json())["settings"]["given"] == ["age", "sex"]


def test_gaps(table):
    table["age"][:10] = math.nan
    table["dose"][50:60] = math.nan
    document = sh.scan(table, given="age").document
    assert any("10 rows were left out" in note for note in document["notes"])
    pair = pair_of(document, "dose", "effect")
    rows = np.r_[10:50, 60:200]
    expected = sh.independence_test(table["dose"][rows], table["effect"][rows], given=table["age"][rows]).pvalue
    assert pair["n"] == 180
    assert pair["pvalue"] == pytest.approx(expected, rel=1e-6)


def test_target_and_functions_of_what_is_given(table):
    table["square"] = table["age"] ** 2
    document = sh.scan(table, given="age", target="effect", keep="square").document
    assert {pair["variables"][1] for pair in document["pairs"]} == {"effect"}
    assert not any("square" in pair["variables"] for pair in document["pairs"])
    own = next(column for column in document["columns"] if column["name"] == "square")
    assert own["notes"] == ["a function of what is given"]
    assert any("Not tested: 'square'" in note for note in document["notes"])


def test_resumed_is_the_same(table, tmp_path):
    first = sh.scan(table, given="age", shards=tmp_path / "parts").document
    again = sh.scan(table, given="age", shards=tmp_path / "parts", resume=True).document
    assert again["pairs"] == first["pairs"]
    with pytest.raises(ValueError, match="shards"):
        sh.scan(table, given="sex", shards=tmp_path / "parts", resume=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"given": "height"}, "given: .*'height'"),
        ({"given": []}, "given: expected at least one column"),
        ({"given": 3}, "given: expected the name of a column"),
        ({"given": "age", "target": "age"}, "given: expected columns that are no targets"),
        ({"given": "age", "lags": [1]}, "given: expected no lags beside it"),
        ({"given": "age", "cluster": "sex"}, "given: expected no cluster beside it"),
        ({"given": "age", "kernel": Gaussian()}, "given: expected no kernel beside it"),
        ({"given": ["age", "sex", "dose", "response", "effect"]}, "given: expected at least two other columns"),
        ({"given": "same"}, "given: expected columns that vary, got 'same', constant"),
        ({"given": "age", "direct": True}, "direct: expected no given beside it"),
    ],
)
def test_what_cannot_be_asked(table, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        sh.scan(table | {"same": np.ones(200)}, **options)


def test_more_dimensions_than_rows_allow(table):
    wide = {f"z{k}": np.random.default_rng(k).normal(size=40) for k in range(20)}
    few = {name: values[:40] for name, values in table.items()}
    with pytest.raises(ValueError, match=r"given: .*20 dimensions leave too little of 40 rows"):
        sh.scan(few | wide, given=list(wide))


def test_command(call, table, tmp_path):
    path = tmp_path / "t.csv"
    pl.DataFrame(table).write_csv(path)
    result = call("scan", path, "--given", "age,sex", "--json", tmp_path / "out.json")
    assert result.returncode == 0, result.stderr
    assert "once age and sex are known" in " ".join(result.stdout.split())
    assert json.loads((tmp_path / "out.json").read_text())["settings"]["given"] == ["age", "sex"]
    assert failed_in_one_line(call("scan", path, "--drop", "flag", "--given", "age", "--lags", "0..2"))
    assert failed_in_one_line(call("scan", path, "--drop", "flag", "--given", "height"))
    assert "rows in memory" in call("scan", path, "--given", "age", "--stream").stderr


def test_direct_links_of_a_chain(chain):
    found = sh.scan(chain, direct=True)
    document = found.document
    assert departures(document) == []
    kinds = {frozenset(pair["variables"]): pair["direct"] for pair in document["pairs"]}
    assert kinds[frozenset("ab")] is True
    assert kinds[frozenset("bc")] is True
    assert kinds[frozenset("ac")] is False
    assert kinds[frozenset({"a", "alone"})] is None
    assert any(note.startswith("Direct links: 2 of the 3 links still show") for note in document["notes"])
    assert "direct" in to_csv(document)[0].splitlines()[0]
    assert 'attr.name="direct"' in to_graphml(document)
    assert "direct" in found.pairs.columns


def test_limits_of_the_search_are_said(chain, monkeypatch):
    from shearer.scanning import direct_links

    monkeypatch.setattr(direct_links, "MOST_LINKS", 2)
    monkeypatch.setattr(direct_links, "MOST_ROWS", 100)
    monkeypatch.setattr(direct_links, "MOST_TESTS", 0)
    document = sh.scan(chain, direct=True).document
    assert [pair["direct"] for pair in document["pairs"]].count(None) == len(document["pairs"])
    note = next(note for note in document["notes"] if note.startswith("Direct links"))
    assert "Direct links: 0 of the 2 strongest of 3 links still show" in note
    assert "Of 2 links it cannot be said (the search ended after 0 tests)" in note
    assert "a random sample of 100 rows; that a link does not show, of all 300" in note


def test_a_link_that_few_rows_do_not_show_is_tried_on_more(rng):
    common, x, e, f = rng.normal(size=(4, 5000))
    table = {"common": common, "x": common + x, "y": common + 0.06 * x + e, "z": common + f}
    document = sh.scan(table, direct=True, order=2, top=0).document
    assert {tuple(pair["variables"]): pair["direct"] for pair in document["pairs"]}["x", "y"] is True
    words = "of a random sample of 1,000 rows; that a link does not show, of all 5,000"
    assert any(words in note for note in document["notes"])


def test_links_whose_tests_cannot_be_done_are_not_called_direct(rng):
    """No row has all three: nothing can be said of any link given the third column."""
    a = rng.normal(size=300)
    b, c = a + 0.3 * rng.normal(size=(2, 300))
    table = {"a": a.copy(), "b": b, "c": c}
    for name, gone in zip("abc", (slice(0, 100), slice(100, 200), slice(200, 300)), strict=True):
        table[name][gone] = np.nan
    document = sh.scan(table, direct=True).document
    assert [pair["direct"] for pair in document["pairs"] if pair["reported"]] == [None] * 3
    assert any("Of 3 links it cannot be said (too few rows have all values" in note for note in document["notes"])


def test_what_determines_a_column_takes_no_link_of_it_away(rng):
    """The class of a number is a function of it: given the number nothing is left of the class."""
    x = rng.normal(size=400)
    table = {"x": x, "class": np.digitize(x, [-1, 0, 1]).astype(str), "y": x + 0.5 * rng.normal(size=400)}
    document = sh.scan(table, direct=True).document
    kinds = {frozenset(pair["variables"]): pair["direct"] for pair in document["pairs"]}
    assert kinds[frozenset({"x", "y"})] is True
    assert kinds[frozenset({"class", "y"})] is True


class TestColumnsOfFewValues:
    """What is left of columns of few values is near functions of the conditions, which both columns have."""

    @pytest.mark.parametrize("kinds", [("binary", "binary"), ("label", "few"), ("label", "label"), ("zeros", "counts")])
    def test_strengths_of_independent_columns_are_near_0(self, kinds):
        def column(g, kind):
            return {
                "binary": lambda: 1.0 * (g.random(300) < 0.15),
                "few": lambda: g.integers(0, 3, 300).astype(float),
                "label": lambda: g.choice(["u", "v", "w"], 300),
                "zeros": lambda: g.exponential(size=300) * (g.random(300) < 0.4),
                "counts": lambda: g.poisson(3, 300).astype(float),
            }[kind]()

        found = []
        for seed in range(6):
            g = np.random.default_rng(seed)
            table = {"x": column(g, kinds[0]), "y": column(g, kinds[1]), "z": g.normal(size=300)}
            found.append(sh.scan(table, given=["z"], order=2, top=0).document["pairs"][0]["strength"])
        assert abs(np.mean(found)) < 0.08

    def test_strengths_are_those_without_conditions_that_say_nothing(self, rng):
        code = rng.integers(0, 3, 1000)
        table = {
            "label": np.array(["u", "v", "w"])[code],
            "other": np.array(["k", "l", "m"])[np.where(rng.random(1000) < 0.5, code, rng.integers(0, 3, 1000))],
            "number": code + rng.normal(size=1000),
        }
        given = sh.scan(table | {"z": rng.normal(size=1000)}, given=["z"], order=2, top=0).document["pairs"]
        plain = {frozenset(pair["variables"]): pair["strength"] for pair in sh.scan(table).document["pairs"]}
        assert len(given) == 3
        for pair in given:
            assert pair["strength"] == pytest.approx(plain[frozenset(pair["variables"])], abs=0.05)

    def test_what_is_left_determines_no_column(self, rng):
        z, x = rng.normal(size=(2, 200))
        table = {"x": x, "square": x**2, "z": z}
        assert sh.scan(table).document["pairs"][0]["determines"] == "first"
        assert sh.scan(table, given=["z"]).document["pairs"][0]["determines"] is None


def test_no_direct_links_without_links():
    rng = np.random.default_rng(0)
    document = sh.scan(rng.normal(size=(60, 3)), direct=True).document
    assert not any(note.startswith("Direct links") for note in document["notes"])
