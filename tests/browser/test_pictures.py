"""Pictures of pairs and triples, and the window that shows them large."""

import pytest

from report import documents

pytestmark = pytest.mark.needs("chromium")

INK = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const tints = new Set();
  for (let k = 0; k < data.length; k += 4) if (data[k + 3] > 200) tints.add(`${data[k]},${data[k + 1]},${data[k + 2]}`);
  return tints.size;
}"""


def test_gallery(open_page):
    page = open_page("penguins")
    cards = page.locator("#gallery .card")
    assert cards.count() == 9
    for canvas in page.locator("#gallery canvas").all():
        assert canvas.evaluate(INK) > 3
    page.get_by_role("button", name="Show more").first.click()
    assert cards.count() > 9
    assert page.evaluate("document.activeElement === document.querySelectorAll('#gallery .card')[9]")
    titles = [title.split("\n")[0] for title in cards.all_inner_texts()]
    reported = sorted(
        (p for p in documents.example("penguins")[0]["pairs"] if p["reported"]), key=lambda p: -p["strength"]
    )
    assert titles[:3] == [" × ".join(pair["variables"]) for pair in reported[:3]]


def test_picture_of_each_kind(open_page):
    page = open_page("planted")
    for names, title in [("dose × response", "scatter"), ("species × weight", "strips"), ("switch_a × lamp", "mosaic")]:
        page.get_by_label("Search").last.fill(names.replace(" × ", " "))
        page.locator("#pairs-table tbody tr[data-row]").first.click()
        assert page.locator("#detail-title").inner_text() == names, title
        assert page.locator("#detail-body canvas").evaluate(INK) > 3
        page.keyboard.press("Escape")


def test_boxes_stand_at_the_quartiles(open_page):
    page = open_page("planted")
    assert page.evaluate("[0.25, 0.5, 0.75].map((share) => Shearer.quantile([1, 2, 3, 4, 10], share))") == [2, 3, 4]
    assert page.evaluate("Shearer.niceTicks(0.3, 9.8, 5)") == [2, 4, 6, 8]


def test_synergy(open_page):
    page = open_page("planted")
    article = page.locator("#synergies article")
    assert article.count() == 1
    text = article.inner_text()
    assert "switch_a × switch_b × lamp" in text
    assert "No pair shows it, the three together do" in text
    assert article.locator("canvas").count() == 4
    assert article.locator(".together .key").all_inner_texts() == ["False", "True"]
    # The colours of the drawn points are those of the key.
    tints = article.locator(".together canvas").evaluate(
        """(canvas) => { const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
             let blue = 0, orange = 0;
             for (let k = 0; k < data.length; k += 4) { if (data[k + 3] < 100) continue;
               if (data[k + 2] > data[k] + 80) blue += 1; if (data[k] > data[k + 2] + 80) orange += 1; }
             return [blue, orange]; }"""
    )
    assert min(tints) > 500


def test_numbers_as_the_third_column(open_page):
    document, sample = documents.example("planted")
    triple = document["triples"][0] | {"variables": ["dose", "response", "weight"]}
    page = open_page("numbers", document | {"triples": [triple]}, sample)
    keys = page.locator("#synergies .key").all_inner_texts()
    assert keys[1] == "between"
    assert keys[0].startswith("below ")
    assert keys[2].startswith("above ")


def test_no_rows(open_page):
    page = open_page("bare", documents.example("planted")[0])
    assert page.locator("#pictures").count() == 0
    assert not page.locator("#map-picture").is_visible()
    assert page.locator("#synergies canvas").count() == 0
    assert "No pair shows it" in page.locator("#synergies").inner_text()
    page.focus("#map-canvas")
    page.keyboard.press("Enter")
    assert "no rows to draw" in page.locator("#detail-body").inner_text()


def test_nothing_found(open_page):
    page = open_page("noise")
    assert page.locator("#network").count() == 0
    assert "these pairs came closest" in page.locator("#pictures-words").inner_text()
    assert page.locator("#gallery .card").count() == 6
    assert "No synergistic triple was found." in page.locator("#synergies").inner_text()
    assert page.locator("#map-legend").inner_text() == ""


def test_two_columns(open_page):
    columns = dict(list(documents.planted(80).items())[:2])
    page = open_page("two", documents.scan(columns, order=2), documents.sample_of(columns))
    assert page.evaluate("Shearer.map.grid.size") == 2
    assert page.locator("#pairs-table .count").inner_text() == "1 pair"
    assert page.locator("#triples").count() == 0
    assert page.locator("#gallery .card").count() == 1


def test_no_pairs_at_all(open_page):
    document, sample = documents.example("planted")
    nothing = {"pairs": [], "triples": [], "columns": document["columns"][:1]}
    settings = document["settings"] | {"pairs_tested": 0, "triples_tested": 0, "triples_possible": 0}
    page = open_page("no_pairs", document | nothing | {"settings": settings}, sample | {"columns": {}})
    assert "There is no pair of columns to test." in page.locator("#summary").inner_text()


def test_numbers_that_are_not_known(open_page):
    document, sample = documents.example("planted")
    empty = dict.fromkeys(("strength", "strength_low", "strength_high", "pvalue", "qvalue"))
    pairs = [*document["pairs"][:3], *(pair | empty | {"reported": False} for pair in document["pairs"][3:])]
    triples = [triple | dict.fromkeys(("value", "o_information", "pvalue", "qvalue")) for triple in document["triples"]]
    page = open_page("unknown", document | {"pairs": pairs, "triples": triples}, sample)
    assert page.locator('#pairs-table tr[data-place="5"] td').all_inner_texts()[2] == "–"
    page.locator("#pairs-table").get_by_role("button", name="strength").click()
    shown = page.locator("#pairs-table tbody tr[data-row] td:nth-child(3)").all_inner_texts()
    assert shown[:4].count("–") == 1


def test_strength_has_its_interval_everywhere(open_page):
    document, sample = documents.example("planted")
    pair = document["pairs"][0] | {"sign": "+", "determines": "first", "shape": "step", "shape_along": "first"}
    page = open_page("intervals", document | {"pairs": [pair, *document["pairs"][1:]]}, sample)
    low, high = (f"{pair[f'strength_{end}']:.2f}" for end in ("low", "high"))
    row = page.locator('#pairs-table tr[data-place="0"]')
    assert row.locator("td").all_inner_texts()[2:4] == [f"{pair['strength']:.2f}", f"{low}–{high}"]
    assert f"{pair['strength']:.2f} ({low}–{high})" in page.locator("#gallery .card").first.inner_text()
    row.click()
    words = page.locator("#detail-body").inner_text()
    assert f"{low} to {high}" in words
    told = "dose determines response: its value fixes that of response. response jumps at some value of dose"
    assert told in words
    assert "The two rise together." in words
    assert told in page.locator("#gallery .card .relation").first.inner_text()
    assert row.locator("td").all_inner_texts()[4] == "step"
    assert "Pearson" not in words
    page.locator("#detail-body summary").click()
    assert "Pearson" in page.locator("#detail-body").inner_text()
    assert "I*, order 1" in page.locator("#detail-body").inner_text()


def test_far_out_values_are_mentioned(open_page):
    document, sample = documents.example("planted")
    dose = sample["columns"]["dose"]["values"]
    columns = sample["columns"] | {"dose": {"values": [1e9, *dose[1:]]}}
    page = open_page("far", document, sample | {"columns": columns})
    page.locator('#pairs-table tr[data-place="0"]').click()
    assert "1 far-out value drawn at the edge." in page.locator("#detail-body").inner_text()


def test_first_picture_and_verdict_agree_with_the_summary(open_page):
    """A pair of which one column decides the other is not the strongest; dependent rows prove nothing beyond chance."""
    document, sample = documents.example("penguins")
    strongest, second, *_ = (pair["variables"] for pair in document["pairs"] if pair["reported"])
    plain = open_page("penguins without triples", document | {"triples": []}, sample)
    assert plain.locator("#hero figcaption").inner_text() == f"The strongest pair: {' × '.join(strongest)}"
    assert "beyond what chance explains" in plain.locator("#map-readout .verdict").inner_text()
    known = [{"kind": "determines", "columns": strongest, "how": []}]
    rows = [{"kind": "repeated", "columns": [], "alike": [], "rows": 9}]
    other = document | {"triples": [], "known": known, "dependent_rows": rows}
    page = open_page("penguins with dependent rows", other, sample)
    assert page.locator("#hero figcaption").inner_text() == f"The strongest pair: {' × '.join(second)}"
    assert page.locator("#gallery .card .title").first.inner_text() == " × ".join(second)
    assert page.locator("#map-readout h3").inner_text().replace("\n", " ") == " × ".join(second)
    words = "Dependent, by a test that takes rows as independent."
    assert page.locator("#map-readout .verdict").inner_text() == words
    page.evaluate("Shearer.detail.openPair(Shearer.model, 0)")
    assert page.locator("#detail .verdict").first.inner_text() == words
