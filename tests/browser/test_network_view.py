"""The network: threshold, drag, choice, keys, triangles."""

import pytest

from report import documents

pytestmark = pytest.mark.needs("chromium")

SHOWN = "document.querySelectorAll('#network-picture .link:not([display=none])').length"


@pytest.fixture
def page(open_page):
    return open_page("penguins")


def strengths():
    return sorted(pair["strength"] for pair in documents.example("penguins")[0]["pairs"] if pair["reported"])


def node(page, name):
    return page.locator(f'#network-picture .node[aria-label^="{name},"]')


def test_threshold(page):
    found = strengths()
    assert page.evaluate(SHOWN) == 8 < len(found)
    middle = (found[5] + found[6]) / 2
    page.evaluate(
        "(level) => { const s = Shearer.byId('threshold'); s.value = level; s.dispatchEvent(new Event('input')); }",
        middle,
    )
    assert page.evaluate(SHOWN) == len(found) - 6
    assert page.locator("#threshold-value").inner_text() == f"{middle:.2f} · {len(found) - 6} links"


def test_threshold_by_keyboard(page):
    page.focus("#threshold")
    page.keyboard.press("End")
    assert page.evaluate(SHOWN) == 1
    assert page.locator("#threshold-value").inner_text().endswith("1 link")
    page.keyboard.press("Home")
    assert page.evaluate(SHOWN) == len(strengths())


def test_drag(page):
    mark = node(page, "body_mass_g")
    mark.scroll_into_view_if_needed()
    before, other = mark.get_attribute("transform"), node(page, "species").get_attribute("transform")
    box = mark.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y - 50, steps=5)
    page.mouse.up()
    moved = mark.bounding_box()
    assert mark.get_attribute("transform") != before
    assert moved["x"] - box["x"] == pytest.approx(60, abs=2)
    assert moved["y"] - box["y"] == pytest.approx(-50, abs=2)
    assert node(page, "species").get_attribute("transform") == other
    assert page.locator("#network-picture .chosen").count() == 0
    ends = page.evaluate(
        """() => { const { nodes } = Shearer.network;
             const i = nodes.findIndex((node) => node.name === "body_mass_g");
             return nodes[i].links.every(({ a, line }) => { const end = a === i ? 1 : 2;
               const [x, y] = ["x", "y"].map((axis) => Number(line.getAttribute(axis + end)));
               return Math.hypot(x - nodes[i].x, y - nodes[i].y) < 0.1; }); }"""
    )
    assert ends


def test_choice(page):
    page.focus("#threshold")
    page.keyboard.press("Home")  # all links
    node(page, "species").click()
    pairs = [
        pair
        for pair in documents.example("penguins")[0]["pairs"]
        if pair["reported"] and "species" in pair["variables"]
    ]
    strongest = max(pairs, key=lambda pair: pair["strength"])
    (other,) = set(strongest["variables"]) - {"species"}
    text = page.locator("#network-side").inner_text()
    assert f"depends on {len(pairs)} column" in text
    assert page.locator("#network-side li").first.inner_text().split("\n") == [other, f"{strongest['strength']:.2f}"]
    assert page.locator("#network-picture .node.dim").count() == page.evaluate(
        "Shearer.network.nodes.length"
    ) - 1 - len(pairs)
    page.locator("#network-side button").first.click()
    assert page.locator("#detail-title").inner_text() == " × ".join(strongest["variables"])


def test_keys(page):
    page.locator("#network-picture .node[tabindex='0']").focus()
    assert page.locator("#network-picture .node[tabindex='0']").count() == 1
    visited = set()
    for key in ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"] * 4:
        page.keyboard.press(key)
        visited.add(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert len(visited) >= 4
    before = page.evaluate("document.activeElement.getAttribute('transform')")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowLeft")
    assert page.evaluate("document.activeElement.getAttribute('transform')") != before
    page.keyboard.press("Enter")
    assert page.locator("#network-picture .chosen").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#network-picture .chosen").count() == 0
    assert "Most links" in page.locator("#network-side").inner_text()


def test_shapes_tell_kinds(page):
    assert node(page, "species").locator("rect").count() == 1
    assert node(page, "body_mass_g").locator("rect").count() == 0


def test_triangles(open_page):
    page = open_page("planted")
    assert page.locator("#network-picture .triangle").count() == 1
    assert page.locator("#network-picture .triangle").is_visible()
    page.uncheck("#triangles")
    assert not page.locator("#network-picture .triangle").is_visible()
    labels = page.evaluate(
        "Shearer.network.triangles.map(({ corners }) => corners.map((i) => Shearer.network.nodes[i].name))"
    )
    assert labels == [["switch_a", "switch_b", "lamp"]]


def test_names_do_not_cover_each_other(open_page):
    page = open_page("wide")
    overlaps = page.evaluate(
        """() => { const names = document.querySelectorAll("#network-picture text:not([display=none])");
             const boxes = [...names].map((name) => name.getBoundingClientRect());
             const apart = (a, b) => a.right <= b.left + 1 || a.bottom <= b.top + 3;
             const cover = (a) => (b) => a !== b && !apart(a, b) && !apart(b, a);
             return [boxes.length, boxes.filter((a) => boxes.some(cover(a))).length]; }"""
    )
    assert overlaps[0] > 20
    assert overlaps[1] == 0


def test_only_a_synergistic_triple(open_page):
    document, sample = documents.example("planted")
    pairs = [pair | {"reported": False} for pair in document["pairs"]]
    page = open_page("triple_only", document | {"pairs": pairs}, sample)
    assert page.locator("#network-picture .node").count() == 3
    assert not page.locator("#threshold").is_visible()


def test_direct_links_only(open_page):
    document, sample = documents.example("penguins")
    reported = [pair for pair in document["pairs"] if pair["reported"]]
    indirect = reported[0]["variables"]
    pairs = [
        pair | {"direct": pair["variables"] != indirect if pair["reported"] else None} for pair in document["pairs"]
    ]
    page = open_page("direct", document | {"pairs": pairs}, sample)
    page.focus("#threshold")
    page.keyboard.press("Home")  # all links
    assert page.evaluate(SHOWN) == len(reported)
    page.get_by_label("direct links only").check()
    assert page.evaluate(SHOWN) == len(reported) - 1
    assert page.locator("#threshold-value").inner_text().endswith(f"{len(reported) - 1} links")
    page.get_by_label("direct links only").uncheck()
    assert page.evaluate(SHOWN) == len(reported)


def test_no_box_for_direct_links_where_none_were_looked_for(page):
    assert not page.locator("#direct-label").is_visible()
