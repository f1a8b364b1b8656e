"""The page of a comparison: quiet, tables that sort, pictures of what differs, names that do no harm."""

import numpy as np
import pytest

import shearer as sh
from browser.conftest import WATCH, overflow

pytestmark = pytest.mark.needs("chromium")

NAMES = ("<script>window.ran = 1</script>", '"><img src=x onerror="window.ran = 1">', "price", "</bdi>{{ 7*7 }}\u202e")


@pytest.fixture(scope="module")
def compare_file(tmp_path_factory):
    rng = np.random.default_rng(0)
    tables = []
    for turned in (1, -1):
        x, noise, other = rng.normal(size=(3, 250))
        label = np.where(turned * x + noise > 0, "<b>yes</b>", "no")
        columns = (x, turned * x + 0.3 * noise, other, label)
        tables.append(dict(zip(NAMES, columns, strict=True)))
    found = sh.compare(*tables, names=["<b>old</b>", "new"], triples=True, source="</title><script>1</script>")
    path = tmp_path_factory.mktemp("pages") / "compare.html"
    found.to_html(path)
    return path


@pytest.fixture
def page(browser, compare_file):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, complaints, requests = context.new_page(), [], []
    page.add_init_script(WATCH)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(compare_file.as_uri())
    yield page
    violations = page.evaluate("window.violations")
    context.close()
    assert complaints == []
    assert violations == []
    assert requests == [compare_file.as_uri()]


def cells(page, table, column):
    return page.eval_on_selector_all(f"#{table} tr td:nth-child({column})", "all => all.map(one => one.innerText)")


def test_tables_sort_by_what_is_clicked(page):
    heads = page.locator("#pairs th").all_inner_texts()
    column = heads.index("p") + 1
    before = [float(text) for text in cells(page, "pairs", column)]
    button = page.locator("#pairs th").nth(column - 1).get_by_role("button")
    button.click()
    assert [float(text) for text in cells(page, "pairs", column)] == sorted(before)
    assert page.locator("#pairs th").nth(column - 1).get_attribute("aria-sort") == "ascending"
    button.click()
    assert [float(text) for text in cells(page, "pairs", column)] == sorted(before, reverse=True)
    head = page.locator("#columns th").first.get_by_role("button")
    head.click()
    names = cells(page, "columns", 1)
    assert names[-1] == "price"
    head.click()
    assert cells(page, "columns", 1) == names[::-1]
    assert page.locator("#columns th[aria-sort]").count() == 1


def test_cells_without_a_number_come_last(page):
    heads = page.locator("#columns th").all_inner_texts()
    column = heads.index("p of shift") + 1
    for _ in range(2):
        page.locator("#columns th").nth(column - 1).get_by_role("button").click()
        assert cells(page, "columns", column)[-1] == "–"


def test_the_pair_that_changed_is_drawn(page):
    picture = page.locator("#pictures figure").first
    assert picture.locator("svg circle.point").count() == 2 * 250
    assert picture.locator("svg").bounding_box()["height"] > 100
    assert page.locator("#strengths svg circle.dot").count() >= 2
    assert page.locator("#maps figure").count() == 3


def test_names_do_no_harm(page):
    assert page.evaluate("window.ran") is None
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    assert page.evaluate("document.scripts.length") == 1
    assert page.locator("main b").count() == 0
    assert page.title().startswith("What differs in </title><script>")
    assert NAMES[0] in cells(page, "columns", 1)


def test_fits_a_phone_and_turns_dark(page):
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.locator("#theme").click()
    assert page.evaluate(paper) != light
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(100)
    assert overflow(page) <= 0


def test_triples_have_a_table(page):
    assert len(cells(page, "triples", 1)) == 4
