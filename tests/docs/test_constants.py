"""Thresholds that pages state in words are those of the source."""

import re
from pathlib import Path

import pytest

from shearer.comparing import (
    change_kinds,
    chunked_groups,
    compared_groups,
    group_tests,
    number_pairs,
    own_columns,
    read_groups,
    tested_triples,
)
from shearer.conditioning import constants as given
from shearer.inference.threeway import interaction
from shearer.pairs import clusters, limits
from shearer.report.page import arrangement, render
from shearer.scanning import direct_links, document, lagged, measuring, screened_triples, series
from shearer.scanning.columns.chosen import affordable_rows
from shearer.spectrum import lanczos, planner, renyi

DOCS = Path(__file__).parent.parent.parent / "docs"


def listed(values, shown="{:g}"):
    """0.06, 0.5, 1.5 and 3.3"""
    *most, last = (shown.format(value) for value in values)
    return f"{', '.join(most)} and {last}" if most else last


WEIGHTS = limits.CENTERED_WEIGHTS
EQUAL = {first: weight for (first, second), weight in WEIGHTS.items() if first == second}
UNEQUAL = {weight for (first, second), weight in WEIGHTS.items() if first != second}

# Page, what stands there with the value in braces, and the value in the source as the page writes it.
STATED = [
    ("inference", "entropy of order 2 is {} bits", listed(limits.RUNG_BITS)),
    ("inference", "The weights ({} for u at equal widths", listed(EQUAL.values())),
    ("inference", "{} for each of the four at unequal", listed(UNEQUAL)),
    ("inference", "the two u, upper tail, at {} bits", listed(limits.RUNG_BITS[k] for k in EQUAL)),
    ("inference", "the last width is at {} of it", f"{limits.LAST_SHARE:g}"),
    ("inference", "a sample of {} rows beyond", f"{limits.PROBES}"),
    ("inference", "rows beyond {}, those farthest out", f"{limits.ALL_PROBES}"),
    ("inference", "negligible up to {} rows", f"{limits.EXACT_ROWS}"),
    ("inference", "where fewer than {} rows are common", f"{limits.FEWEST_ROWS}"),
    ("inference", "there must be {} of them", {8: "eight"}[clusters.FEWEST_CLUSTERS]),
    ("which_test", "{} clusters at the least", {8: "eight"}[clusters.FEWEST_CLUSTERS]),
    ("which_test", "{} rows or more; any shape", f"{limits.FEWEST_ROWS}"),
    ("scan", "With more than {} triples", f"{screened_triples.MOST_TRIPLES:,}"),
    ("scan", "on at most {} rows", f"{screened_triples.FEWEST_SAMPLED_ROWS}"),
    ("scan", "add at least {} bits to their pairs", f"{document.FLOOR:g}"),
    ("scan", "columns, {} rows of 1000.", f"{round(affordable_rows(1000, 0), -3)}"),
    ("scan", "the first {} have an interval", f"{measuring.MOST_INTERVALS}"),
    ("scan", "(at most {} log10(n)", f"{series._ROWS_A_COEFFICIENT}"),
    ("scan", "at most an {} of the rows", {8: "eighth"}[lagged._FEWEST_STRETCHES]),
    ("scan_page", "among the {} strongest", f"{direct_links.MOST_LINKS}"),
    ("scan_page", "in at most {} tests", f"{direct_links.MOST_TESTS}"),
    ("scan_page", "on at most {} rows", f"{direct_links.MOST_ROWS}"),
    ("conditional", "from {} rows to a million", f"{given.FEWEST_ROWS}"),
    ("conditional", "more than a {} as many dimensions", {1 / 3: "third"}[given.MOST_DIMENSIONS_SHARE]),
    ("compare", "joined with weights {}.", listed(number_pairs.WEIGHTS).replace("0.", ".")),
    ("compare", "with fewer than {} such rows", f"{compared_groups.FEWEST_PAIR_ROWS}"),
    ("compare", "rests on fewer than {} clusters", f"{group_tests.FEWEST_UNITS}"),
    ("compare", "A number of at most {} different values", f"{own_columns.FEW_VALUES}"),
    ("compare", "Triples need {} common rows", f"{tested_triples.FEWEST_TRIPLE_ROWS}"),
    ("compare", "At most {} triples are tested", f"{read_groups.MOST_TRIPLES:,}"),
    ("compare", "enter by {} classes", f"{compared_groups.CLASSES}"),
    ("compare", "of at most {} rows is read as a table", f"{chunked_groups.SAMPLE_ROWS:,}"),
    ("compare", "by {} bins of equal numbers", f"{own_columns.NUMBER_BINS}"),
    ("engine", "would take more than {}", {120.0: "two minutes"}[planner._LONGEST]),
    ("engine", "a stated ``tol`` of {} or more", {1e-3: "1e-3"}[lanczos._SMALLEST_TOL]),
    ("theory", "``|α − 1| < {}``", f"{renyi._NEAR_ONE:g}"),
    ("migration", "is {} bits, at every number of rows", listed(limits.RUNG_BITS)),
    ("strength", "(p above {})", f"{limits.UNCLEAR:g}"),
]  # fmt: skip


@pytest.mark.parametrize(("page", "words", "value"), STATED)
def test_a_page_states_the_threshold_of_the_source(page, words, value):
    text = re.sub(r"\s+", " ", (DOCS / f"{page}.rst").read_text(encoding="utf-8"))
    assert words.format(value) in text


def test_kinds_of_change_are_explained():
    text = (DOCS / "compare.rst").read_text(encoding="utf-8")
    assert [kind for kind in change_kinds.KINDS if f'"{kind}"' not in text] == []


def test_what_a_page_leaves_out_is_computed_there():
    text = (DOCS / "scan_page.rst").read_text(encoding="utf-8")
    for value in (render.MOST_PAIRS, render.MOST_TRIPLES, arrangement.MOST_LINKS):
        assert f"{value:,}" in text
    assert interaction.MOST_KIND_ROWS == 1000  # said in the docstring of InteractionResult
