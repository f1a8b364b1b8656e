"""Thresholds that pages state are those of the source; no other number in their text looks measured."""

import re
from pathlib import Path

import pytest
import tables_reproduction

from experiments import again, strength
from experiments.reliability import memory as budgets
from experiments.reliability import odd_tables, public_calls
from shearer._files import chunks
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
from shearer.conditioning import strata_moments
from shearer.inference import independence
from shearer.inference.intervals import confidence
from shearer.inference.threeway import interaction
from shearer.pairs import clusters, limits
from shearer.pairs.null_law import pearson3
from shearer.report.page import arrangement, render
from shearer.scanning import (
    direct_links,
    document,
    lagged,
    measuring,
    screened_quadruples,
    screened_triples,
    series,
)
from shearer.scanning.columns.chosen import affordable_rows
from shearer.spectrum import lanczos, planner, renyi, request
from shearer.spectrum.lowrank import certified

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
    ("strength", "{} rows eight times as far", f"{100 * strength.FAR_SHARE:g} in 100"),
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
    ("conditional", "is estimated from {} of them", f"{strata_moments.MOST_COMPARED}"),
    ("conditional", "skewness is below {},", f"{given.LEAST_SKEWNESS:g} or above {given.LARGEST_SKEWNESS:g}"),
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
    ("migration", "- {} bits - six fractions", listed(limits.RUNG_BITS[:3])),
    ("migration", "add at least {} bits to their pairs", f"{document.FLOOR:g}"),
    ("migration", "the same number to {} bits", f"{certified.ROUND_OFF:g}"),
    ("strength", "(p above {})", f"{limits.UNCLEAR:g}"),
    ("inference", "also at {} bits of the other", "{3:g} bits of one variable and {0:g}".format(*limits.RUNG_BITS)),
    ("inference", "and at {} bits, in both directions", listed(limits.RUNG_BITS[k] for k in (1, 0))),
    ("inference", "covariance of the two g at {} bits", listed(limits.RUNG_BITS[k] for k in (0, 2))),
    ("inference", "to these, with a weight of {}", f"{independence.THOROUGH_WEIGHT:g}"),
    ("inference", "the uncertainty of the bias, taken as {} of it", f"{confidence._DOUBT:g}"),
    ("inference", "to a relative error below {}", {1e-8: "1e-8"}[pearson3.ERROR]),
    ("engine", "to be worth less than {} bits", f"{certified.ROUND_OFF:g}"),
    ("engine", "({} of the entropy, below one bit)", f"{certified.ROUND_OFF:g}"),
    ("engine", "else entropies certified to {} bits", {1e-6: "1e-6"}[request.DEFAULT_TOL]),
    ("engine", "Entropies below {} bits", f"{certified._LEAST_ENTROPY:g}"),
    ("scale", "With a stated ``tol`` of {} bits", {1e-3: "1e-3"}[lanczos._SMALLEST_TOL]),
    ("widths", "the test over {} widths", {4: "four"}[len(limits.RUNG_BITS)]),
    ("reproduction", "a mean distance of at most {}", f"{tables_reproduction.CLOSE:g}"),
    ("reproduction", "a number differs by more than {}", f"{again.TOLERANCE:g}"),
    ("reliability", "beside a floor of {} MB", f"{budgets.UNCOUNTED // 10**6}"),
    ("reliability", "2 to {} columns for functions of all variables", f"{max(odd_tables.WIDE_COLUMNS):,}"),
    ("reliability", "and {} for those that look at pairs", f"{public_calls.MOST_COLUMNS}"),
    ("cli", "told by the first {} MB", f"{chunks._BLOCK_BYTES >> 20}"),
    ("cli", "not closed within {} MB", f"{chunks._LONGEST_RECORD * chunks._BLOCK_BYTES >> 20}"),
    ("scan", "every four of up to {} columns", {487_635: "60"}[screened_quadruples.MOST_QUADRUPLES]),
    ("scan", "the {} clearest triples are grown", f"{screened_quadruples.BEAM}"),
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


# What looks measured: digits after a point, powers of ten, and counts with a unit.
UNITS = "%|percent|times|seconds?|minutes?|hours?|s|ms|kB|MB|GB|bits?|digits|points?"
MEASURED = re.compile(rf"(?<![\w.])(?:\d+\.\d+|\d[\d,]*e-?\d+|\d[\d,]* (?:{UNITS})(?!\w)|\d+ (?:of|in|out of) \d+)")
# What need not be generated, by page: settings, levels, formulas, definitions, versions, and tolerances of named tests.
TYPED = {
    "architecture": ["to 1e-8, for numbers", "with 50 digits"],
    "cli": ["31.01.2024 (day first)"],
    "coming_from": ["hyppo 0.5.2, dcor 0.7, hoi 0.0.7 and phik 0.12.5"],
    "comparators": ["α = 1.01"],
    "compare": ["the same rows in memory, to 1e-8"],
    "conditional": ["tigramite 5.2.10", "dowhy 0.14"],
    "engine": ["a 95 % confidence interval"],
    "errata": ["T is 1 bit and D 2 bits", "at level 0.05", "is below 0.05", "the code 1.001 or 1"],
    "faq": ["What does 0.3 mean?"],
    "glossary": ["in 95 of 100 samples", "q = 0.05 is", "a rate of 5 %", "such as 5 %", "m − 1 times"],
    "howto": ["(false discovery rate 5 %"],
    "index": ["such as 0.3 means"],
    "inference": [
        "at 5 % and 1 % the level", "0.1 and 0.1 for g", "with 3 of 100 and 5 of 100 rows marked",
        "about 2.2 n", "to 2e-5 bits or better", "Power at the 5 % level",
    ],
    "learning": [
        "test at 5 %", '"confirmed" at 5 %', "with the 5 % shared out", "α = 1.01", "log2 100 bits", "At 0.01, ten",
    ],
    "libraries": ["to 1e-8 in their logarithm"],
    "migration": ["1, 2 and 3 bits beyond", "twice too small at 5 %"],
    "neural": ["α = 1.01", "β = 0.03 and 0.1"],
    "properties": ["α = 1.01"],
    "reliability": [
        "numbers of 1e300", "from 1e-150 to 1e150", "took 60 MB", "some 70 MB more", "such as 0.1",
        "orders 0, 1e-6, 0.01, 0.5, 0.9, within 1e-12 and 1e-6 of 1, up to 1e8",
        "order 1 - 1e-6 on", "entropies of some 1e-17 bits", "of 1e-6 that round-off", "0.01 is one percent",
        "1e-9 of values and 1e-6 of p-values", "is amplified (1e-6)", "bounds of a sketch 1e-7",
        "by 5 % at most and strengths by 1e-5", "The 5 % were set", "offsets of 1e16",
    ],
    "scale": [
        "not below 2.2e-308", "some 5 % of those reported", "a 95 % confidence interval", "wider than 95 % needs",
    ],
    "start": ["Python 3.11"],
    "strength": [
        "What does 0.3 mean?", "What 0.1, 0.3 and 0.7 look like", "About 0.1 is", "About 0.3 is", "At 0.7", "At 0.95",
    ],
    "table": ["a false discovery rate of 5 %"],
    "tools_network": ["α = 1.01", "a correlation of 0.15", "up to 0.15", "whose floor of 0.15"],
    "tools_outliers": ["about 1.4 for an ordinary row", "significant at 5 %"],
    "versions": ["version 1.0"],
    "which_test": ["A p-value of 0.01", "about 5 % may be false alarms"],
    "widths": ["f = 0.4", "coarse (0.1) to fine (0.8)"],
}  # fmt: skip
PAGES = sorted(path.stem for path in DOCS.glob("*.rst"))


def typed_text(page):
    """A page without what is run, generated or code: literal blocks, examples, directives, names in double quotes."""
    kept, hidden, example = [], None, False
    for line in page.splitlines():
        bare, indent = line.strip(), len(line) - len(line.lstrip())
        if hidden is not None and (not bare or indent > hidden):
            continue
        hidden = None
        example = bool(bare) and (example or bare.startswith(">>>"))
        if re.match(r"\.\. (?!figure|list-table|glossary)\S", bare):
            hidden = indent
        elif not example:
            kept.append(line)
            hidden = indent if bare.endswith("::") and not bare.startswith("..") else None
    return re.sub(r"\s+", " ", re.sub(r"\\? ?:[\w:]+:`[^`]*`", " ", "\n".join(kept)))


def measured_looking(name, page):
    """What in the text of a page looks measured and is neither the source's nor listed."""
    text = typed_text(page)
    known = [words.format(value) for stated, words, value in STATED if stated == name] + TYPED.get(name, [])
    for words in known:
        text = text.replace(words, " ")
    return MEASURED.findall(re.sub(r"``.*?``", " ", text))


@pytest.mark.parametrize("name", PAGES)
def test_no_number_in_the_text_looks_measured(name):
    page = (DOCS / f"{name}.rst").read_text(encoding="utf-8")
    assert measured_looking(name, page) == []
    assert [words for words in TYPED.get(name, []) if words not in typed_text(page)] == []


def test_a_number_that_is_typed_is_found():
    typed, shown = "It takes 3 s, half of 1.7 s,\nof ``tol=0.1``", "::\n\n   2.5 s\n\n>>> 0.25\n0.25\n"
    page = f"{typed}{shown}\n.. image:: 1.5.png\n\n3 of 7 by 1e-9.\n"
    assert measured_looking("new", page) == ["3 s", "1.7", "3 of 7", "1e-9"]


def test_rows_of_thirty_columns():
    assert affordable_rows(30, 0) > 1e6
    for name in ("faq", "scan"):
        assert "over a million rows of 30 columns" in re.sub(r"\s+", " ", (DOCS / f"{name}.rst").read_text())
