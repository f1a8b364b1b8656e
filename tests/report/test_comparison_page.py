"""The page of a comparison: harmless whatever columns and groups are called, true in its sentences."""

import re

import numpy as np
import pytest

import shearer as sh
from shearer.comparing import profile_of
from shearer.report.comparison_terminal import comparison_summary
from shearer.report.comparison_words import comparison_sentences

HOSTILE = (
    "<script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "\u202ereversed\n\x1b[31m",
    "{{ 7*7 }}",
    "=cmd|' /C calc'!A0",
)


@pytest.fixture(scope="module")
def hostile():
    rng = np.random.default_rng(0)
    tables = []
    for turned in (1, -1):
        x, noise = rng.normal(size=(2, 200))
        label = np.where(turned * x + noise > 0, HOSTILE[0], HOSTILE[1])
        other = np.where(x + noise > 0, "a", HOSTILE[2])
        columns = (x, turned * x + 0.3 * noise, label, other, noise, turned * noise + x)
        tables.append(dict(zip(HOSTILE, columns, strict=True)))
    return sh.compare(*tables, names=["<b>old</b>", "</title><script>1</script>"], source="<i>both</i>")


def test_hostile_names_are_harmless(hostile):
    page = hostile.to_html()
    assert page.count("<script>") == 1
    assert not re.search(r"<(img|b|i|title><script)[ >]", page.split("<body>")[1])
    assert " onerror=" not in re.sub(r"&#34;|&quot;|&lt;[^<]*&gt;", "", page.split("<body>")[1])
    assert "{{" not in re.sub(r"\{\{ 7\*7 \}\}", "", page)
    assert "49" not in re.findall(r"<bdi[^>]*>(\d+)</bdi>", page)
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "<script>" not in comparison_summary(hostile.document)
    assert "\x1b" not in "".join("".join(sentence) for sentence in comparison_sentences(hostile.document))


def test_the_policy_names_the_script_and_the_style(hostile):
    page = hostile.to_html(rows=False)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page).group(1)
    assert policy.count("sha256-") == 2
    assert "unsafe" not in policy
    assert ' style="' not in page


def test_rows_stay_out_of_the_page_if_asked(hostile):
    assert 'class="point' in hostile.to_html()
    assert 'class="point' not in hostile.to_html(rows=False)


def test_tables_and_csv_of_hostile_names(hostile, tmp_path):
    hostile.to_csv(tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text() + (tmp_path / "out-columns.csv").read_text()
    assert "'=cmd" in text
    assert not any(line.startswith("=") for line in text.splitlines())
    assert hostile.pairs.height == 15


def test_sentences_say_what_the_document_says():
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=(2, 300))
    before = {"price": x, "mileage": 0.9 * x + 0.4 * noise, "still": rng.normal(size=300)}
    y, more = rng.normal(size=(2, 300))
    after = {"price": 3 + y, "mileage": 0.3 * y + more, "still": rng.normal(size=300)}
    found = sh.compare(before, after, names=["before", "after"])
    words = ["".join(sentence) for sentence in comparison_sentences(found.document)]
    pair = found.document["pairs"][0]
    one, other = pair["strength"]
    assert words[1].startswith(f"price and mileage: {one:.2f} in before, {other:.2f} in after; weaker by")
    assert any(sentence.startswith("Single columns: price (median") for sentence in words)
    assert any("2 pairs show no difference beyond chance" in sentence for sentence in words)


def test_many_groups_and_profiles_have_pages_too():
    rng = np.random.default_rng(2)
    tables = [{"x": rng.normal(size=40), "y": rng.normal(size=40), "l": rng.choice(["a", "b"], 40)} for _ in range(9)]
    assert "9 groups" in sh.compare(*tables).to_html()
    found = sh.compare(profile_of(tables[0]), tables[1])
    assert "<svg" in found.to_html()


def test_a_picture_by_matplotlib(hostile):
    import matplotlib

    matplotlib.use("agg")
    axes = hostile.plot()
    assert axes.get_xlabel() == "strength"
    assert "<table>" in hostile._repr_html_()
