"""Shapes in words: crafted ones are told, from either side; where nothing is clear no word is given."""

import json
from pathlib import Path

import numpy as np
import pytest

import shearer as sh
from shearer.report.pair_sentences import pair_sentences
from shearer.scanning.shapes.shape_words import SHAPES, shape_of

ROWS = 600


def crafted(rng):
    x, e, f = rng.uniform(-1, 1, ROWS), rng.normal(size=ROWS), rng.normal(size=ROWS)
    angle, group = rng.uniform(0, 2 * np.pi, ROWS), rng.integers(0, 3, ROWS)
    return {
        "line": (x, 3 - 2 * x + 0.3 * e),
        "curve": (x, np.exp(3 * x) + 0.5 * e),
        "step": (x, (x > 0.1) + 0.2 * e),
        "U": (x, x**2 + 0.1 * e),
        "inverted U": (x, -np.abs(x) + 0.1 * e),
        "wave": (x, np.sin(9 * x) + 0.3 * e),
        "ring": (np.cos(angle) + 0.1 * e, 30 * np.sin(angle) + 3 * f),
        "groups": (8 * group + e, np.array([0, 9, 4])[group] + f),
        "widening": (x, (x + 1.1) * e),
        "narrowing": (x, (1.1 - x) * f),
        "shift": (e + group, group),
        "spread": (e * (1 + 2 * group), group),
        "shift and spread": ((e + 4) * (1 + group), group),
    }


@pytest.mark.parametrize("word", SHAPES)
@pytest.mark.parametrize("turned", [False, True])
def test_crafted_shapes(rng, word, turned):
    one, other = crafted(rng)[word]
    found = shape_of(other, one) if turned else shape_of(one, other)
    assert found.word == word
    if word in ("step", "U", "inverted U", "wave", "widening", "narrowing"):
        assert found.along == int(turned)
    if other.dtype.kind == "i":
        assert found.along == int(not turned)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_units_do_not_matter(rng, scale):
    x, y = crafted(rng)["U"]
    with np.errstate(all="raise", under="ignore"):
        assert shape_of(x * scale, y).word == "U"


def test_independent_columns_have_none(rng):
    columns = [rng.normal(size=200), rng.exponential(size=200), rng.integers(0, 9, 200) * 1.0, rng.integers(0, 3, 200)]
    for place, one in enumerate(columns):
        for other in columns[:place]:
            assert shape_of(one, other).word is None


@pytest.mark.parametrize(
    "column",
    [
        np.zeros(50),
        np.r_[1.0, np.zeros(49)],
        np.r_[1e300, -1e300, np.zeros(48)],
        np.arange(50.0),
        np.repeat([0.0, 1.0], 25),
    ],
)
def test_odd_columns(rng, column):
    """Constants, a single value that differs, enormous ones, ties: an answer, and no warning."""
    for other in (rng.normal(size=50), column, rng.integers(0, 2, 50), np.zeros(50, dtype=int)):
        with np.errstate(all="raise", under="ignore"):
            for shape in (shape_of(column, other), shape_of(other, column)):
                assert shape.word is None or shape.word in SHAPES


def test_few_rows_have_none():
    assert shape_of(np.arange(20.0), np.arange(20.0)).word is None


def test_a_scan_tells_shapes(rng):
    x, y = crafted(rng)["U"]
    (pair,) = sh.scan({"x": x, "y": y}).document["pairs"]
    assert (pair["shape"], pair["shape_along"]) == ("U", "first")
    found = sh.scan({"x": x, "y": y})
    assert found.pairs["shape"][0] == "U"
    assert "y falls and then rises as x rises" in found._repr_html_()
    (pair,) = sh.scan({"x": x, "y": y}, top=0).document["pairs"]
    assert pair["shape"] is None


@pytest.mark.parametrize("word", SHAPES)
def test_every_shape_has_a_sentence(word):
    pair = {"variables": ["{seen}", "b\n"], "shape": word, "shape_along": "second", "sign": None, "determines": None}
    (sentence,) = pair_sentences(pair)
    assert "{seen}" in sentence
    assert "b" in sentence


@pytest.mark.parametrize("judged", [False, True])
def test_words_of_the_committed_study_are_right(judged):
    """Every word in at least 95 % of the cases in which it was given; independent columns have none."""
    path = Path(__file__).parents[2] / "experiments" / "results" / "shapes.json"
    given, right = dict.fromkeys(SHAPES, 0), dict.fromkeys(SHAPES, 0)
    for law, found in json.loads(path.read_text()).items():
        if law.startswith("judged") == judged:
            for words in found["words"].values():
                words = {word: times for word, times in words.items() if word != "no word"}
                for word, times in words.items():
                    given[word] += times
                    right[word] += times if word in found["right"] else 0
    assert sum(given.values()) > 5000
    assert all(right[word] >= 0.95 * given[word] for word in SHAPES)


def test_what_turns_has_no_direction(rng):
    """Seasons by month: ranks rise together over nearly all rows, and December falls back."""
    month = np.repeat(np.arange(1.0, 13.0), 50)
    season = np.array([1, 1, 1.4, 2, 2, 2.3, 3, 3, 3.3, 4, 4, 2.9])[month.astype(int) - 1]
    (pair,) = sh.scan({"month": month, "season": season + 0.3 * rng.normal(size=600)}).document["pairs"]
    assert pair["details"]["spearman"] > 0.8
    assert (pair["shape"], pair["sign"]) == ("inverted U", None)


def test_far_rows_that_go_together_give_a_direction(rng):
    """Most delays are small and by chance; the long ones, which are the relation, rise together."""
    late = np.where(rng.random(800) < 0.15, rng.exponential(30, 800), 0.0)
    (pair,) = sh.scan({"dep": late + rng.normal(size=800), "arr": late + rng.normal(size=800)}).document["pairs"]
    assert pair["details"]["spearman"] < 0.75 * pair["strength"]
    assert pair["sign"] == "+"
