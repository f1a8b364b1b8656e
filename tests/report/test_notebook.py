"""What a notebook shows of a scan."""

import base64
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import shearer as sh
from report import hostile_documents
from shearer.report.notebook import notebook_summary
from shearer.report.small_pictures import picture


@pytest.fixture(scope="module")
def found():
    return sh.scan(sh.datasets.planted_table(200).columns, top=3)


def drawn(shown):
    return [base64.b64decode(data).decode() for data in re.findall(r"svg\+xml;base64,([^\"]*)", shown)]


def test_sentences_bars_intervals_and_pictures(found):
    shown = found._repr_html_()
    first = found.document["pairs"][0]
    assert f'<meter min="0" max="1" value="{first["strength"]:.3f}"></meter> {first["strength"]:.2f}' in shown
    assert f"<td>{first['strength_low']:.2f}–{first['strength_high']:.2f}</td>" in shown
    assert "of the 55 pairs of columns are dependent" in shown
    assert "synergistic" in shown
    assert len(drawn(shown)) == 3
    for svg in drawn(shown):
        ElementTree.fromstring(svg)
    assert "<script" not in shown


def test_hostile_names_stay_text():
    for lags in (False, True):
        document = hostile_documents.document(hostile_documents.HOSTILE, lags=lags)
        columns = {name: {"values": [1.0, None, 3.0]} for name in hostile_documents.HOSTILE}
        shown = notebook_summary(document, {"rows": 3, "columns": columns})
        assert "<script" not in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        for svg in drawn(shown):
            ElementTree.fromstring(svg)


@pytest.mark.parametrize("values", [[None, None], [1e308, -1e308], [5.0, 5.0], []])
def test_odd_columns_are_drawn(values):
    labels = {"codes": [None if value is None else 0 for value in values], "levels": ["</svg>"]}
    columns = ({"values": values}, labels)
    with np.errstate(all="raise"):
        for one in columns:
            for other in columns:
                ElementTree.fromstring(picture(["a", "b"], [one, other]))


def test_numbers_are_drawn_where_they_are():
    svg = ElementTree.fromstring(picture(["a", "b"], [{"values": [0.0, 1.0, None]}, {"values": [1.0, 0.0, 0.5]}]))
    first, second = svg.iter("{http://www.w3.org/2000/svg}circle")
    assert float(first.get("cx")) < float(second.get("cx"))
    assert float(first.get("cy")) < float(second.get("cy"))  # downwards in a picture


def test_no_rate_is_below_its_p_value_and_one_order_for_all(found):
    pairs = found.document["pairs"]
    assert all(pair["qvalue"] >= pair["pvalue"] for pair in pairs)
    order = [(not pair["reported"], -pair["strength"]) for pair in pairs]
    assert order == sorted(order)
    shown = re.findall(r"<tr><td>(\w+) &middot; (\w+)</td>", found._repr_html_())
    assert [list(names) for names in shown] == [pair["variables"] for pair in pairs if pair["reported"]]
