"""What is said of rows that depend on each other, and what is offered."""

import pytest

from shearer.report.remedies import OFFERED, about_dependent_rows
from shearer.report.trivia import about_trivia, trivial_pairs


def document(*kinds, rows=100, missing=0, ordered=True):
    dependent = [
        {"kind": kind, "columns": ["country", "year"] if kind == "panel" else ["who"], "alike": ["x"], "rows": 12}
        | {"sorted": ordered}
        for kind in kinds
    ]
    columns = [{"name": "x", "missing": missing, "notes": []}]
    return {"dependent_rows": dependent, "settings": {"rows": rows}, "columns": columns}


def words(*arguments, offered=OFFERED, **options):
    return " ".join("".join(sentence) for sentence in about_dependent_rows(document(*arguments, **options), offered))


def test_nothing_is_said_of_independent_rows():
    assert words() == ""
    assert about_dependent_rows({"settings": {"rows": 3}, "columns": []}) == []


@pytest.mark.parametrize("kind", ["time", "panel", "units", "order", "repeated"])
def test_only_options_that_exist_are_offered(kind):
    assert ("--cluster" in words(kind)) == (kind in ("panel", "units"))
    assert ("--difference" in words(kind)) == (kind == "time")
    assert "--difference" not in words(kind, ordered=False)
    assert not any(f"--{option}" in words(kind, offered=set()) for option in ("cluster", "difference"))


def test_options_are_filled_in():
    assert "--cluster country" in words("panel", offered={"cluster"})
    assert "--cluster who" in words("units", offered={"cluster"})
    assert "--lags 0..5, or lags=range(6)" in words("time")
    assert "--lags 0..2," in words("time", rows=20)
    assert words("time", ordered=False).count("Sorted by who, rows in time can be tested as such: --lags") == 1


def test_rows_that_share_a_time_are_no_series():
    told = {"kind": "time", "columns": ["hour_of_flight", "minute"], "alike": ["delay"], "rows": 900, "sorted": False}
    found = {"dependent_rows": [told | {"shared": True}], "settings": {"rows": 900}, "columns": []}
    said = " ".join("".join(sentence) for sentence in about_dependent_rows(found))
    assert "--lags" not in said
    assert "Rows of one hour_of_flight can be kept together: --cluster hour_of_flight" in said
    assert said.endswith("Rows near in time are still alike.")


def test_what_lags_take_is_said():
    assert "--lags" not in words("time", rows=17)
    assert "as such: --lags" in words("time", rows=5001)
    assert "as such, once missing values are filled in: --lags" in words("time", missing=3)


def test_many_relations_are_cut():
    known = [{"kind": "computed", "columns": [f"t{k}", "a", "b"], "how": ["plus", "less"]} for k in range(9)]
    sentences = about_trivia({"known": known, "columns": []})
    assert len(sentences) == 7
    assert "".join(sentences[-1]) == "There are 3 more relations of this kind."
    assert about_trivia({"columns": []}) == []


def test_a_sum_begins_with_what_is_added():
    known = [{"kind": "computed", "columns": ["z", "a", "b", "c"], "how": ["less", "plus", "less"]}]
    assert "".join(about_trivia({"known": known, "columns": []})[0]) == "z is b less a less c."


def test_pairs_that_are_no_discovery():
    known = [{"kind": "determines", "columns": ["city", "land"], "how": []}]
    assert trivial_pairs({"known": known}) == {frozenset(("city", "land"))}
    assert trivial_pairs({}) == set()
