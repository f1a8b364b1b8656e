"""Whether every link of the built pages leads somewhere: to a file that exists, and to a mark within it.

usage: python docs/check_links.py FOLDER

Links to other hosts are not followed, so that the check needs no network; pages must not load anything from there.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADING = {"img": "src", "script": "src", "link": "href", "iframe": "src"}


class Page(HTMLParser):
    """The links of a page, the marks that others can lead to, and what it loads from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.marks: set[str] = set()
        self.foreign: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect."""
        values = {name: value or "" for name, value in attrs}
        self.marks |= {values[name] for name in ("id", "name") if name in values}
        address = values.get(_LOADING.get(tag, "href"), "")
        if urlsplit(address).scheme in ("http", "https") or address.startswith("//"):
            if tag in _LOADING:
                self.foreign.append(address)
        elif address and not urlsplit(address).scheme:
            self.links.append(address)


def broken(folder: Path) -> list[str]:
    """Every link that leads nowhere, with the page that has it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     _ = Path(name, "a.html").write_text('<a id="x" href="b.html">b</a> <a href="#x">x</a> <a href="#y">y</a>')
    ...     broken(Path(name))
    ['a.html: b.html', 'a.html: #y']
    """
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    places = {path.resolve(): page for path, page in pages.items()}
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            known = places.get(target)
            if not target.exists() or (parts.fragment and known and unquote(parts.fragment) not in known.marks):
                found.append(f"{path.relative_to(folder)}: {link}")
        found += [f"{path.relative_to(folder)}: loads {address}" for address in page.foreign]
    return found


def main() -> int:
    """Print what is broken."""
    found = broken(Path(sys.argv[1]))
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
