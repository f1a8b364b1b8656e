"""The page as a file: closed to the network, safe against its own data, small."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from importlib import resources

import numpy as np
import pytest

from report import documents
from shearer.report import render_page
from shearer.report.page import comparison_page, outlier_page, yardstick_page
from shearer.report.page import render as builder

ASSETS = resources.files("shearer.report").joinpath("assets")


class Reader(HTMLParser):
    """Elements, their attributes and texts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.open = [], [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.open = tag if tag in ("script", "style", "title", "h1") else self.open
        if tag in ("script", "style"):
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        self.open = None if tag == self.open else self.open

    def handle_data(self, data):
        if self.open in ("script", "style"):
            self.texts[self.open][-1] += data
        elif self.open:
            self.texts.setdefault(self.open, []).append(data)


@pytest.fixture(scope="module")
def hostile():
    document, sample = documents.example("hostile")
    first = document["columns"][0] | {"notes": [documents.HOSTILE[1]], "members": [documents.HOSTILE[0]]}
    columns = [first, *document["columns"][1:]]
    return render_page(document | {"notes": documents.HOSTILE, "columns": columns}, sample)


def policy(reader):
    (content,) = [
        value for tag, name, value in reader.attributes if name == "content" and value.startswith("default-src")
    ]
    return content


def test_policy_names_the_very_script_and_style(planted):
    reader = Reader(render_page(planted))
    rules = policy(reader)
    assert rules.startswith("default-src 'none';")
    assert "unsafe" not in rules
    for tag, content in (("script", reader.texts["script"][-1]), ("style", reader.texts["style"][0])):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in rules


def test_nothing_refers_to_another_place(planted):
    text = render_page(planted, documents.example("planted")[1])
    reader = Reader(text)
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & set(reader.tags)
    assert not [value for _, name, value in reader.attributes if name in ("src", "srcset", "action", "style")]
    assert all(value.startswith("#") for _, name, value in reader.attributes if name == "href")
    # The name of the SVG language is an address that nobody asks for anything.
    assert set(re.findall(r"https?://[^\"'\s]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(", text)


def test_hostile_names_stay_text(hostile):
    reader = Reader(hostile)
    assert reader.tags.count("script") == 2
    assert "img" not in reader.tags
    assert not [name for _, name, _ in reader.attributes if name.startswith("on")]
    hostile.encode("utf-8")
    data = json.loads(reader.texts["script"][0])
    assert [column["name"] for column in data["columns"]] == documents.HOSTILE


def test_long_names_are_cut_where_they_are_read(hostile):
    words = re.sub(r"<(script|style).*?</\1>", "", hostile, flags=re.DOTALL)
    assert "x" * 400 not in words
    assert "x" * 30 in words


def test_no_markup_is_made_from_data():
    names = (*builder._SCRIPTS, *yardstick_page._SCRIPTS)
    scripts = "".join(ASSETS.joinpath(name).read_text() for name in names)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", scripts)


def test_every_asset_is_used_and_short():
    names = {entry.name for entry in ASSETS.iterdir()}
    compared = {*comparison_page._SCRIPTS, *comparison_page._STYLES, "compare.html"}
    judged = {*yardstick_page._SCRIPTS, *yardstick_page._STYLES, "yardstick.html"}
    standing_out = {*outlier_page._STYLES, "outliers.html"}
    assert names == {*builder._SCRIPTS, *builder._STYLES, "page.html", "head.html"} | compared | judged | standing_out
    for name in names:
        text = ASSETS.joinpath(name).read_text(encoding="utf-8")
        assert len(text.splitlines()) < 300
        assert "</script" not in text or name.endswith(".html")
        assert "</style" not in text or name.endswith(".html")


def test_same_document_same_page(planted):
    assert render_page(planted) == render_page(planted)


def test_three_hundred_columns_fit(wide, rng):
    names = [column["name"] for column in wide["columns"]]
    sample = {"rows": 4000, "columns": {name: {"values": rng.normal(size=4000).tolist()} for name in names}}
    assert len(wide["pairs"]) == 44_850
    assert len(render_page(wide, sample).encode()) < 5_000_000


def test_more_pairs_than_a_page_holds(wide):
    many = wide | {"pairs": wide["pairs"] * 2}
    text = render_page(many)
    assert "The page holds the 80,000 strongest of 89,700 pairs" in text
    assert len(text.encode()) < 5_000_000


def test_figures_and_settings(planted):
    text = render_page(planted)
    for piece in (">55 pairs<", "1 January 2026, 12:00 UTC", "planted.csv", ">0.05<", documents.NOTE.split(";")[0]):
        assert piece.strip("<>") in text
    assert "Remarks" not in text


def test_remarks(planted):
    columns = [*planted["columns"], dict(planted["columns"][0], name="flat", notes=["constant: left out"])]
    group = dict(planted["columns"][0], name="place", members=["lat", "lon"])
    text = render_page(planted | {"columns": [*columns, group]})
    assert "constant: left out" in text
    assert re.search(r"together: <bdi>lat</bdi>, <bdi>lon</bdi>", text)


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_numbers_that_are_not_known(planted, value):
    fields = dict.fromkeys(("strength", "strength_low", "strength_high", "pvalue", "qvalue"), value)
    pairs = [pair | fields | {"reported": False} for pair in planted["pairs"]]
    text = render_page(planted | {"pairs": pairs})
    assert json.loads(Reader(text).texts["script"][0])["pairs"]["count"] == len(pairs)


def test_sections_follow_what_there_is(planted):
    bare = Reader(render_page(planted | {"pairs": [], "triples": []}))
    ids = {value for _, name, value in bare.attributes if name == "id"}
    assert {"summary", "data", "run"} <= ids
    assert not {"map", "network", "pictures", "triples", "pairs"} & ids
    full = Reader(render_page(planted, documents.example("planted")[1]))
    ids = [value for _, name, value in full.attributes if name == "id"]
    assert {"map", "network", "pictures", "triples", "pairs"} <= set(ids)
    assert len(ids) == len(set(ids))
    targets = {value[1:] for _, name, value in full.attributes if name == "href"}
    assert targets <= set(ids)


def test_settings_of_every_kind(planted):
    settings = planted["settings"] | {
        "groups": {"place": ["lat", "lon"]},
        "lags": [0, 1],
        "date": "Tuesday",
        "seconds": 0.25,
    }
    text = render_page(planted | {"settings": settings})
    for piece in ("place: lat, lon", "0, 1", "Tuesday", "0.25"):
        assert piece in text


def test_a_sample_is_checked(planted):
    with pytest.raises(ValueError, match="sample: expected names among"):
        render_page(planted, {"rows": 1, "columns": {"dosis": {"values": [1.0]}}})
    assert np.isfinite(len(render_page(planted, {"rows": 0, "columns": {}})))
