"""Run the examples of examples/gallery and make a page of each: its text, its code, what it prints, its pictures.

A Sphinx extension, and a command: ``python docs/gallery_pages.py [NAME ...]`` runs the named examples, or all, and says
how long each takes. An example is a plain program. The first line of its docstring is the title, the rest the text; its
figures are those that are open when it ends. What has been run is kept in docs/gallery until the example or the package
changes.
"""

import ast
import hashlib
import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
EXAMPLES = ROOT / "examples" / "gallery"
PAGES = DOCS / "gallery"
LIMIT = 20.0  # seconds of one processor that an example may take
_CELLS = re.compile(r"\S {2,}\S|[│┆]")  # a line of a table: wrapped it could not be read
LINE = 100  # characters of a printed sentence that fit beside each other on a page

# What runs in a process of its own: the example, then its figures; its last line on stderr is the time it took.
_RUN = """
import runpy, sys, time
import matplotlib
matplotlib.use("Agg")
matplotlib.rcParams |= {"figure.figsize": (8.0, 4.2), "figure.dpi": 110, "figure.constrained_layout.use": True}
runpy.run_path(sys.argv[1], run_name="__main__")
import matplotlib.pyplot as plt
for place, number in enumerate(plt.get_fignums(), start=1):
    plt.figure(number).savefig(f"{sys.argv[2]}_{place}.png")
print(time.process_time(), file=sys.stderr)
"""


@dataclass(frozen=True)
class Example:
    """One program of the gallery."""

    path: Path

    @property
    def name(self) -> str:
        """What its page and pictures are called."""
        return self.path.stem.partition("_")[2]

    @property
    def docstring(self) -> str:
        """Title, empty line, text."""
        return ast.get_docstring(ast.parse(self.path.read_text(encoding="utf-8"))) or ""

    @property
    def title(self) -> str:
        """The first line."""
        return self.docstring.partition("\n")[0].rstrip(".")

    @property
    def text(self) -> str:
        """What follows the title."""
        return self.docstring.partition("\n")[2].strip()

    @property
    def code(self) -> str:
        """The program without its docstring."""
        source = self.path.read_text(encoding="utf-8")
        first = ast.parse(source).body[0]
        return "\n".join(source.splitlines()[first.end_lineno :]).strip()

    @property
    def stamp(self) -> Path:
        """The file that says what the page was made of."""
        return PAGES / f"{self.name}.stamp"

    @property
    def pictures(self) -> list[Path]:
        """The figures that it left."""
        return sorted(PAGES.glob(f"{self.name}_[0-9].png"))


def examples() -> list[Example]:
    """All of them, in the order of the numbers that their file names begin with."""
    return [Example(path) for path in sorted(EXAMPLES.glob("[0-9][0-9]_*.py"))]


def digest(example: Example) -> str:
    """Of everything that a page depends on: the example, the package, and this file."""
    found = hashlib.sha256()
    for path in [example.path, Path(__file__), *sorted((ROOT / "src" / "shearer").rglob("*.py"))]:
        found.update(path.read_bytes())
    return found.hexdigest()


def run(example: Example) -> float:
    """Run it, write its page, and return the seconds of processor time that it took."""
    PAGES.mkdir(exist_ok=True)
    for path in example.pictures:
        path.unlink()
    command = [sys.executable, "-W", "ignore", "-c", _RUN, str(example.path), str(PAGES / example.name)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    answer = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    if answer.returncode:
        raise RuntimeError(f"{example.path.name} ended with an error:\n{answer.stderr[-3000:]}")
    seconds = float(answer.stderr.splitlines()[-1])
    if seconds > LIMIT:
        raise RuntimeError(
            f"{example.path.name} took {seconds:.0f} s of processor time; an example may take {LIMIT:.0f}"
        )
    (PAGES / f"{example.name}.rst").write_text(page(example, answer.stdout), encoding="utf-8")
    example.stamp.write_text(digest(example), encoding="utf-8")
    return seconds


def page(example: Example, printed: str) -> str:
    """The page of an example."""
    lines = [":orphan:", "", example.title, "=" * len(example.title), "", example.text, ""]
    for picture in example.pictures:
        lines += [f".. image:: {picture.name}", f"   :alt: {example.title}", "   :class: gallery", ""]
    lines += [".. code-block:: python", "", indented(example.code), ""]
    if printed.strip():
        lines += ["What it prints:", ""]
        for part in re.split(r"\n{2,}", printed.strip("\n")):
            wide = ["   :class: table-output"] if _CELLS.search(part) else []
            lines += [".. code-block:: text", *wide, "", indented(folded(part)), ""]
    lines += [f"The program: ``examples/gallery/{example.path.name}``.", ""]
    return "\n".join(lines)


def folded(printed: str) -> str:
    """Long sentences in several lines; lines of a table, whose cells stand below each other, as they are.

    Examples
    --------
    >>> [len(line) for line in folded("word " * 21 + "end").splitlines()]
    [99, 8]
    >>> folded("a    1   " * 30) == "a    1   " * 30
    True
    """
    lines = printed.split("\n")
    return "\n".join(line if _CELLS.search(line) else textwrap.fill(line, LINE) for line in lines)


def indented(text: str) -> str:
    """As the content of a directive."""
    return "\n".join(f"   {line}".rstrip() for line in text.splitlines())


def index(shown: list[Example]) -> str:
    """All examples, each with its first picture."""
    title = "Gallery"
    lines = [title, "=" * len(title), ""]
    lines += [
        "Programs that run as they are, each in a few seconds, on data that scikit-learn ships or that are drawn on"
    ]
    lines += ["the spot. Every page is made by running the program when this documentation is built.", ""]
    lines += [".. container:: cards", ""]
    for example in shown:
        lines += ["   .. container:: card", ""]
        if example.pictures:
            lines += [
                f"      .. image:: {example.pictures[0].name}",
                "         :alt:",
                f"         :target: {example.name}.html",
                "",
            ]
        lines += [f"      :doc:`{example.title} <{example.name}>`", ""]
    lines += [".. toctree::", "   :hidden:", "", *(f"   {example.name}" for example in shown), ""]
    return "\n".join(lines)


def build(*_: Any) -> None:
    """Run what has changed, and write the index."""
    shown = examples()
    names = {example.name for example in shown}
    for path in PAGES.glob("*.rst"):
        if path.stem not in {*names, "index"}:
            path.unlink()
    for example in shown:
        if not example.stamp.exists() or example.stamp.read_text(encoding="utf-8") != digest(example):
            print(f"gallery: {example.name}", flush=True)
            run(example)
    text = index(shown)
    target = PAGES / "index.rst"
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Before Sphinx looks for pages."""
    app.connect("builder-inited", build)
    return {"parallel_read_safe": True}


def main() -> int:
    """Run the named examples, or all."""
    chosen = [example for example in examples() if example.name in sys.argv[1:] or not sys.argv[1:]]
    for example in chosen:
        print(f"{example.name:<24} {run(example):5.1f} s", flush=True)
    (PAGES / "index.rst").write_text(index(examples()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
