"""Names that a spreadsheet could take for formulas, in whatever way it cuts lines into cells."""

import csv
import re

import pytest

from shearer.report.exports import csv_text

STARTS = "=+-@＝＋－＠"
NAMES = [
    "=1+1",
    'x;=HYPERLINK("http://a.b";"c")',
    "x; =1",
    'x;"=1',
    "x\t=1",
    "x|@SUM(A1)",
    "x,-1",
    "x\n=1",
    "x\r=1",
    "  =1",
    "x;＝1",
    "x;\t;+1",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_no_cell_begins_as_a_formula(name, separator):
    """Cut at any separator and line break, quotes heeded or not; numbers of our own are numbers."""
    text = csv_text(["name", "value"], [[name, 0.5], ["plain", -0.25]])
    cells = [cell for row in csv.reader(text.splitlines(), delimiter=separator) for cell in row]
    cells += re.split(rf"[\n{re.escape(separator)}]", text)
    for cell in cells:
        bare = cell.strip().strip('"').strip()
        assert not bare.startswith(tuple(STARTS)) or bare == "-0.25"


def test_other_names_stay_as_they_are():
    names = ["a-b", "x = 1", "mean; sd", "2,5", "a@b", "c++", "é|ü"]
    rows = list(csv.reader(csv_text(["name"], [[name] for name in names]).splitlines()))
    assert [row[0] for row in rows[1:]] == names
