"""The page of the yardstick: scores, filters, and what a click on a cell shows."""

import pytest

from shearer.yardstick import Effort, Method, render, run

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def yardstick_file(tmp_path_factory):
    always = Method("always <b>", lambda *_: 0.01, ("independence", "interaction"), variables=9)
    never = Method("never", lambda *_: 0.9, ("independence", "interaction"), labels="refused")
    middle = Method("value", lambda *_: 0.4, ("strength",))
    effort = Effort(nulls=8, alternatives=8)
    found = run(methods=[always, never, middle], quick=True, effort=effort, isolated=False, progress=False)
    path = tmp_path_factory.mktemp("pages") / "yardstick.html"
    path.write_text(render(found), encoding="utf-8")
    return path


@pytest.fixture
def page(browser, yardstick_file):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, complaints, requests = context.new_page(), [], []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(yardstick_file.as_uri())
    yield page
    context.close()
    assert complaints == []
    assert requests == [yardstick_file.as_uri()]


def test_losses_stand_on_the_first_screen(page):
    box = page.locator(".lost").bounding_box()
    assert box["y"] + box["height"] < 900


def test_a_method_that_rejects_everything_is_marked_and_comes_last(page):
    rows = page.locator("#suite-0 .scores tr").all_inner_texts()
    assert rows[1].startswith("1 never")
    assert rows[2].startswith("level always <b>")


def test_a_click_shows_the_design_and_the_answers(page):
    page.locator("#suite-0 .cells button[aria-label='always <b> on linear: 1.00']").click()
    dialog = page.locator("dialog")
    assert "always <b> on linear" in dialog.inner_text()
    assert dialog.locator("circle").count() == 50
    assert dialog.locator("rect.column").count() == 20
    dialog.get_by_role("button", name="Close").click()
    assert not dialog.is_visible()


def test_filters_rank_on_some_designs(page):
    suite = page.locator("#suite-0")
    before = suite.locator(".cells button").count()
    suite.locator("select").select_option(label="kind: labels")
    assert 0 < suite.locator(".cells button").count() < before
    assert "never" not in suite.locator(".scores").inner_text()
    suite.locator("select").select_option(label="all designs")
    suite.get_by_role("searchbox").fill("never")
    assert "always" not in suite.locator(".scores").inner_text()
