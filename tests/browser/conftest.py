"""Pages in a real browser; a page that complains or asks the network for anything fails its test."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from report import documents
from shearer.report import render_page

WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        chromium = driver.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        yield chromium
        chromium.close()


@dataclass
class Log:
    """What a page said and what it asked for."""

    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def page_file(tmp_path_factory):
    """The file of an example, rendered once; or of a document of one's own."""
    folder: Path = tmp_path_factory.mktemp("pages")
    rendered: dict[str, Path] = {}

    def write(name, document=None, sample=None):
        if name not in rendered:
            if document is None:
                document, sample = documents.example(name)
            rendered[name] = folder / f"{name}.html"
            rendered[name].write_text(render_page(document, sample), encoding="utf-8")
        return rendered[name]

    return write


@pytest.fixture
def open_page(browser, page_file):
    """Open an example, and check in the end that the page was quiet."""
    opened = []

    def show(name, document=None, sample=None, *, width=1280, height=900, quiet=True, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True, **options)
        page, log = context.new_page(), Log()
        page.add_init_script(WATCH)
        page.set_default_timeout(10_000)
        page.on("console", lambda message: log.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: log.complaints.append(str(error)))
        page.on("request", lambda request: log.requests.append(request.url))
        address = page_file(name, document, sample).as_uri()
        page.goto(address)
        opened.append((context, page, log, address, quiet))
        return page

    yield show
    for context, page, log, address, quiet in opened:
        violations = page.evaluate("window.violations")
        context.close()
        if quiet:
            # Tests read pixels back, of which the browser says that it is slow.
            assert [text for text in log.complaints if "readback" not in text] == []
            assert violations == []
            assert [url for url in log.requests if not url.startswith("blob:")] == [address]


def overflow(page) -> int:
    """Pixels by which the page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
