"""Pointing, keys and zoom on the map."""

import pytest

from report import documents

pytestmark = pytest.mark.needs("chromium")

CENTER = """([i, j]) => {
  const { x, y } = Shearer.map.grid.place(i, j);
  const half = Shearer.map.grid.cell / 2;
  return [x + half, y + half];
}"""


def point_at(page, i, j):
    x, y = page.evaluate(CENTER, [i, j])
    page.locator("#map-canvas").hover(position={"x": x, "y": y})


def pair_of(document, names):
    return next(pair for pair in document["pairs"] if set(pair["variables"]) == set(names))


def test_pointing_tells_the_pair(open_page):
    page = open_page("planted")
    document = documents.example("planted")[0]
    order = page.evaluate("Shearer.model.order.map((column) => Shearer.model.names[column])")
    for i, j in [(1, 0), (5, 2), (10, 9)]:
        point_at(page, i, j)
        pair = pair_of(document, [order[i], order[j]])
        text = page.locator("#map-readout").inner_text()
        assert " × ".join(pair["variables"]) in text
        assert f"strength\n{pair['strength']:.2f}".replace("-", "−").replace("−0.00", "0.00") in text
        assert f"n\n{pair['n']}" in text
        assert ("Dependent" in text) == pair["reported"]


def test_every_pair_has_its_cell(open_page):
    page = open_page("planted")
    cells = page.evaluate(
        """() => { const { grid } = Shearer.map; const rows = [];
             for (let i = 1; i < grid.size; i++) for (let j = 0; j < i; j++) rows.push(grid.row(i, j));
             return rows; }"""
    )
    assert sorted(cells) == list(range(55))


def test_colours_follow_strength(open_page):
    page = open_page("planted")
    seen = page.evaluate(
        """() => { const { grid } = Shearer.map; const context = grid.layer.getContext("2d"); const found = {};
             for (let i = 1; i < grid.size; i++) for (let j = 0; j < i; j++) {
               const { x, y } = grid.place(i, j);
               const [r, g, b] = context.getImageData(x + 4, y + 4, 1, 1).data;
               found[grid.row(i, j)] = "#" + [r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("");
             } return found; }"""
    )
    ramp = page.evaluate("Shearer.model.ramp.light")
    pairs = documents.example("planted")[0]["pairs"]
    for row, pair in enumerate(pairs):
        expected = round(max(pair["strength"], 0.06) * 63) if pair["reported"] else 0
        assert seen[str(row)] == ramp[expected]


def test_arrow_keys(open_page):
    page = open_page("planted")
    page.focus("#map-canvas")
    cursor = "({ ...Shearer.map.cursor })"
    page.evaluate("Shearer.map.move({ i: 5, j: 2 })")
    for key, expected in [
        ("ArrowDown", (6, 2)),
        ("ArrowRight", (6, 3)),
        ("ArrowUp", (5, 3)),
        ("ArrowLeft", (5, 2)),
        ("Shift+ArrowDown", (10, 2)),
    ]:
        page.keyboard.press(key)
        at = page.evaluate(cursor)
        assert (at["i"], at["j"]) == expected
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    at = page.evaluate(cursor)
    assert (at["i"], at["j"]) == (10, 9)
    for _ in range(12):
        page.keyboard.press("ArrowUp")
    at = page.evaluate(cursor)
    assert (at["i"], at["j"]) == (1, 0)


def test_enter_and_click_look_closer(open_page):
    page = open_page("planted")
    page.focus("#map-canvas")
    page.keyboard.press("Enter")
    assert page.locator("#detail").is_visible()
    assert page.locator("#detail-title").inner_text() == "dose × response"
    assert "Details" in page.locator("#detail-body").inner_text()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "map-canvas"
    x, y = page.evaluate(CENTER, [1, 0])
    page.locator("#map-canvas").click(position={"x": x, "y": y})
    assert page.locator("#detail").is_visible()
    page.get_by_role("button", name="Close", exact=True).click()
    assert not page.locator("#detail").is_visible()


def test_zoom_pan_and_fit(open_page):
    page = open_page("wide", height=1400, reduced_motion="reduce")
    small = page.evaluate("Shearer.map.grid.cell")
    assert small < 8
    page.focus("#map-canvas")
    for _ in range(6):
        page.keyboard.press("+")
    assert page.evaluate("Shearer.map.grid.cell") == pytest.approx(36)
    before = page.evaluate("({ ...Shearer.map.grid.offset })")
    box = page.locator("#map-canvas").bounding_box()
    page.mouse.move(box["x"] + 400, box["y"] + 400)
    page.mouse.down()
    page.mouse.move(box["x"] + 340, box["y"] + 330, steps=4)
    page.mouse.up()
    after = page.evaluate("({ ...Shearer.map.grid.offset })")
    assert after["x"] > before["x"] + 30
    assert after["y"] > before["y"] + 30
    assert not page.locator("#detail").is_visible()
    for _ in range(15):
        page.keyboard.press("ArrowUp")
    visible = page.evaluate(
        "(() => { const g = Shearer.map.grid; return g.place(Shearer.map.cursor.i, Shearer.map.cursor.j); })()"
    )
    assert 0 <= visible["x"] <= box["width"]
    assert 0 <= visible["y"] <= box["height"]
    page.get_by_role("button", name="Fit").click()
    assert page.evaluate("Shearer.map.grid.cell") == pytest.approx(small)


@pytest.mark.parametrize(("name", "cells"), [("noise", 5), ("planted", 11)])
def test_few_columns_have_large_cells_and_no_zoom(open_page, name, cells):
    page = open_page(name)
    assert page.evaluate("Shearer.map.grid.cell") > 40
    assert page.evaluate("Shearer.map.grid.size") == cells
    assert not page.locator("#map-in").is_visible()


def test_strongest_lag(open_page):
    page = open_page("lagged")
    document = documents.example("lagged")[0]
    best = max((pair for pair in document["pairs"] if pair["reported"]), key=lambda pair: pair["strength"])
    text = page.locator("#map-readout").inner_text()
    assert " × ".join(best["variables"]) in text
    assert f"lag\n{best['lag']} row" in text
    assert page.evaluate("[Shearer.apart(2)(5), Shearer.apart(-2)(5)]") == [[5, 7], [7, 5]]


def test_target_has_a_ranking(open_page):
    document = documents.with_target(documents.example("planted")[0], "weight")
    page = open_page("target", document, documents.example("planted")[1])
    assert page.locator("#map-canvas").count() == 0
    bars = page.locator("#ranking li").all_inner_texts()
    assert len(bars) == 10
    assert bars[0].startswith("species")
    strengths = [float(text.split("\n")[-1].replace("−", "-")) for text in bars]
    assert strengths == sorted(strengths, reverse=True)
    page.locator("#ranking button").first.click()
    assert page.locator("#detail-title").inner_text() == "species × weight"


def test_columns_that_were_left_out_have_no_place(open_page):
    document, sample = documents.example("planted")
    flat = document["columns"][0] | {"name": "flat", "notes": ["constant: left out"]}
    page = open_page("flat", document | {"columns": [*document["columns"], flat]}, sample)
    names = page.evaluate("Shearer.model.order.map((column) => Shearer.model.names[column])")
    assert sorted(names) == sorted(column["name"] for column in document["columns"])


def test_columns_that_were_not_tested(open_page):
    document, sample = documents.example("planted")
    odd = document["columns"][0] | {"name": "odd"}
    page = open_page("odd", document | {"columns": [*document["columns"], odd]}, sample)
    assert "Gray cells were not tested." in page.locator("#map-hint").inner_text()
    place = page.evaluate("Shearer.model.order.map((column) => Shearer.model.names[column]).indexOf('odd')")
    point_at(page, *((place, 0) if place else (1, 0)))
    assert "Not among the pairs of this page." in page.locator("#map-readout").inner_text()
