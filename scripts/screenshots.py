"""Take the pictures of the page of `shearer scan` that the README shows: docs/images/scan_*.png.

usage: python scripts/screenshots.py

Scans the penguins table of the data folder that SHEARER_DATA names and opens the page in Chromium (Debian's package
chromium). Pictures of a browser differ in single pixels from machine to machine: they are looked at, not compared.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import shearer as sh

IMAGES = Path(__file__).parent.parent / "docs" / "images"
# File -> width, height, colours, the part of the page that is scrolled to.
SHOTS = {
    "scan_page": (1180, 1250, "light", None),
    "scan_network": (1180, 760, "light", "#network"),
    "scan_dark": (1180, 900, "dark", "#pictures"),
    "scan_phone": (390, 800, "light", None),
}


def main() -> int:
    browser = shutil.which("chromium")
    if browser is None:
        print("chromium is not installed", file=sys.stderr)
        return 1
    penguins = sh.datasets.load_penguins().frame
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "penguins.html"
        sh.scan(penguins, source="penguins.csv").to_html(page_file)
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        for name, (width, height, scheme, place) in SHOTS.items():
            page: Page = chromium.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto(page_file.as_uri())
            if place:
                page.locator(place).scroll_into_view_if_needed()
                page.evaluate("place => document.querySelector(place).scrollIntoView()", place)
            page.wait_for_timeout(500)
            page.screenshot(path=IMAGES / f"{name}.png")
            page.close()
        chromium.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
