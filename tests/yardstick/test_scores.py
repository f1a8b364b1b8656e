"""Scores, from results that are written by hand."""

import math

import pytest
from scipy import stats

from shearer.yardstick import losses, merge, render, summary
from shearer.yardstick.pictured import page_view
from shearer.yardstick.ranked_scores import upper_tail
from shearer.yardstick.stored import FORMAT
from shearer.yardstick.told import listing_of, told


def design(name, null, **more):
    plain = {
        "rows": 50,
        "family": "plain",
        "law": "x",
        "kind": "numbers",
        "dimension": 1,
        "variables": 2,
        "place": None,
    }
    return {"name": name, "null": null, **plain, **more}


def cell(method, name, rejected, trials=100, suite="independence", seconds=0.1):
    return {
        "method": method, "suite": suite, "design": name, "trials": trials, "answered": trials, "status": "done",
        "why": None, "seconds": seconds, "wall": seconds, "rejected": rejected, "rate": rejected / trials,
        "error": math.sqrt(rejected * (trials - rejected) / trials**3),
        "values": [0.01] * rejected + [0.5] * (trials - rejected),
    }  # fmt: skip


def document(cells, designs, methods, suite="independence", task="independence"):
    return {
        "format": FORMAT, "shearer": "0", "date": "2026-11-18T00:00:00+00:00", "machine": {},
        "settings": {"level": 0.05}, "cells": cells,
        "methods": {name: {"name": name, "tasks": [task], "source": "", "ours": name == "ours"} for name in methods},
        "suites": {suite: {"version": 1, "task": task, "question": "Which?", "designs": designs}},
    }  # fmt: skip


@pytest.fixture
def tests_of_three():
    """Ours is good at a, a rival at b; the third rejects everything."""
    designs = [design("null", True), design("a", False), design("b", False, kind="labels", rows=99)]
    cells = [
        cell("ours", "null", 5), cell("ours", "a", 90), cell("ours", "b", 20),
        cell("rival", "null", 4), cell("rival", "a", 40), cell("rival", "b", 60),
        cell("liberal", "null", 100), cell("liberal", "a", 100), cell("liberal", "b", 100),
        cell("numbers only", "null", 5), cell("numbers only", "a", 50),
        cell("hasty", "null", 0, 5), cell("hasty", "a", 5, 5), cell("hasty", "b", 5, 5),
    ]  # fmt: skip
    return document(cells, designs, ["ours", "rival", "liberal", "numbers only", "hasty"])


def test_upper_tail_is_binomial():
    for count, trials, rate in ((0, 10, 0.05), (1, 10, 0.05), (7, 80, 0.055), (80, 80, 0.5)):
        assert upper_tail(count, trials, rate) == pytest.approx(stats.binom.sf(count - 1, trials, rate))


def test_ranks_and_regrets(tests_of_three):
    rows = {row["method"]: row for row in summary(tests_of_three, "independence")}
    assert [row["method"] for row in summary(tests_of_three, "independence")][-1] == "liberal"
    assert rows["liberal"]["rank"] is None
    assert rows["liberal"]["marked"] == ["null"]
    assert rows["ours"]["power"] == pytest.approx(0.55)
    # The best is taken among those that hold their level and have twenty trials.
    assert rows["ours"]["regret"] == pytest.approx((0.0 + 0.4) / 2)
    assert (rows["ours"]["worst"], rows["ours"]["worst_regret"]) == ("b", pytest.approx(0.4))
    # What a method does not take counts as never found; where it applies stands apart.
    only = rows["numbers only"]
    assert (only["power"], only["power_asked"], only["asked"]) == (pytest.approx(0.25), pytest.approx(0.5), 1)
    assert only["regret"] == pytest.approx((0.4 + 0.6) / 2)
    labels = summary(tests_of_three, "independence", lambda design: design["kind"] == "labels")
    assert "numbers only" not in [row["method"] for row in labels]


def test_what_was_not_run_counts_for_nothing(tests_of_three):
    """Apart from what a method does not take, which counts as not found."""
    tests_of_three["methods"]["numbers only"]["untaken"] = {"independence": []}
    rows = summary(tests_of_three, "independence")
    only = next(row for row in rows if row["method"] == "numbers only")
    assert (only["rank"], only["pending"], only["power"]) == (None, 1, pytest.approx(0.5))
    assert [row["method"] for row in rows][-2:] == ["numbers only", "liberal"]
    assert "unfinished" in told([tests_of_three])
    assert "unfinished" in render(tests_of_three)


def test_losses_are_beyond_chance(tests_of_three):
    first, second = losses(tests_of_three, "independence")
    assert first == {"design": "b", "ours": "ours", "own": 0.2, "rival": "rival", "power": 0.6, "marked": False}
    assert (second["design"], second["rival"], second["marked"]) == ("a", "liberal", True)
    tests_of_three["cells"][5] = cell("rival", "b", 25)
    assert [one["marked"] for one in losses(tests_of_three, "independence")] == [True, True]


def test_no_chance_marks_a_level_that_holds():
    """At most one of a hundred families of designs at the level is marked."""
    allowed = 0.01 / 10
    most = next(count for count in range(81) if upper_tail(count, 80, 0.055) < allowed)
    assert 10 * stats.binom.sf(most - 1, 80, 0.05) < 0.01


def test_strengths():
    designs = [design("null", None, family="zero", place=0.0)]
    designs += [design(f"{s} {p}", None, family=f"noise: {s}", place=p) for s in ("line", "wave") for p in (0.1, 0.9)]
    designs += [design(f"n {n}", None, family="rows", place=n) for n in (50.0, 200.0)]
    designs += [design(f"kind {k}", None, family="kinds", place=0.7, kind=k) for k in ("numbers", "labels")]

    def value(name, mean, spread=0.01):
        values = [mean - spread, mean + spread]
        return cell("m", name, 0, 2, "strength") | {"values": values, "mean": mean, "error": spread}

    means = {"null": 0.05, "line 0.1": 0.2, "line 0.9": 0.9, "wave 0.1": 0.1, "wave 0.9": 0.1, "n 50.0": 0.5,
             "n 200.0": 0.6, "kind numbers": 0.7}  # fmt: skip
    found = document([value(*one) for one in means.items()], designs, ["m"], "strength", "strength")
    (row,) = summary(found, "strength")
    span = 0.9 - 0.05
    assert row["zero"] == pytest.approx(0.05 / 0.9)
    assert row["disorder"] == pytest.approx(2 * (0.0 + 0.5) / 2)
    assert row["inequity"] == pytest.approx((0.1 + 0.8) / 2 / span)
    assert row["rows"] == pytest.approx(0.1 / span)
    assert row["kinds"] is None
    assert row["score"] == pytest.approx((0.05 / 0.9 + 0.5 + 0.45 / span + 0.1 / span + 1) / 5)
    # A value that says the same of everything has no span, and is the worst in all that is measured by it.
    flat = document([value(name, 0.3) for name in means], designs, ["m"], "strength", "strength")
    assert [summary(flat, "strength")[0][key] for key in ("zero", "inequity", "rows")] == [1.0, 1.0, 1.0]


def test_growth_is_an_exponent():
    designs = [design(f"rows: {n}", True, family="rows", place=float(n)) for n in (100, 300, 1000, 3000)]
    cells = [cell("m", one["name"], 0, 3, "scaling", 1e-9 * one["place"] ** 2) for one in designs]
    (row,) = summary(document(cells, designs, ["m"], "scaling"), "scaling")
    assert row["growth"] == pytest.approx(2.0)
    assert row["seconds"] == pytest.approx(1e-3)


def test_tables_agree_by_ranks():
    designs = [design(str(k), None, place=k / 10) for k in range(6)]
    cells = [cell("m", str(k), 0, 1, "tables") | {"values": [k**2], "mean": float(k**2)} for k in range(1, 6)]
    (row,) = summary(document(cells, designs, ["m"], "tables", "strength"), "tables")
    assert (row["agreement"], row["asked"]) == (pytest.approx(1.0), 5)  # without an answer it ranks last, as it should


def test_pages_escape_what_they_hold(tests_of_three):
    hostile = "</script><img src=x onerror=alert(1)>"
    tests_of_three["methods"][hostile] = {"name": hostile, "tasks": [], "source": hostile, "ours": False}
    tests_of_three["cells"].append(cell(hostile, "a", 5) | {"why": hostile})
    page = render(tests_of_three)
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_a_page_holds_histograms_and_filters(tests_of_three):
    view = page_view([tests_of_three])
    found = view["cells"]["independence"]["ours"]["b"]
    assert (found["bins"][0], found["bins"][9], sum(found["bins"])) == (20, 80, 100)
    names = [one["name"] for one in view["suites"][0]["views"]]
    assert names[0] == "all designs"
    assert "kind: labels" in names
    assert "up to 60 rows" in names
    assert view["suites"][0]["designs"][1]["sample"] is None  # no design of this version has that name


def test_results_of_several_are_one_table(tests_of_three):
    designs = tests_of_three["suites"]["independence"]["designs"]
    other = document([cell("theirs", "null", 3), cell("theirs", "a", 99)], designs,
                     ["theirs"])  # fmt: skip
    merged = merge([tests_of_three, other])
    assert {row["method"] for row in summary(merged, "independence")} >= {"ours", "theirs"}
    assert len(merged["runs"]) == 2
    assert "theirs" in told([tests_of_three, other])
    assert "loses: b: ours 0.20, rival 0.60" in told([tests_of_three])


def test_the_listing_names_everything():
    from shearer.yardstick import METHODS, SUITES

    text = listing_of(SUITES, METHODS)
    assert all(name in text for name in (*SUITES, *METHODS))
