"""Settings of the documentation: no page asks another host for anything."""

import re
from pathlib import Path

import shearer

project = "shearer"
author = "The shearer developers"
version = release = shearer.__version__
copyright = author  # noqa: A001 - the name Sphinx reads

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
exclude_patterns = ["_build", "generated/*.rst"]  # the generated parts are included by other pages
smartquotes = False  # options are quoted as they are typed

autosummary_generate = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_use_plots = False

html_theme = "alabaster"
html_theme_options = {
    "description": "Dependence by matrix-based Rényi entropy",
    "page_width": "1080px",
    "sidebar_width": "200px",
    "fixed_sidebar": True,
    "show_powered_by": False,
    "font_family": "system-ui, sans-serif",
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False

_CHANGELOG = Path(__file__).parent.parent / "CHANGELOG.md"


def changelog(markdown: str) -> str:
    """Turn the Markdown of the changelog (headings, lists, code) into reStructuredText.

    Examples
    --------
    >>> print(changelog("## 1.0 (today)"))
    1.0 (today)
    -----------
    >>> print(changelog("- `entropy` added"))
    - ``entropy`` added
    """
    lines = []
    for line in re.sub(r"`([^`]+)`", r"``\1``", markdown).splitlines():
        heading = re.match(r"(#+) (.*)", line)
        lines += [heading[2], "=-~"[len(heading[1]) - 1] * len(heading[2])] if heading else [line]
    return "\n".join(lines)


def insert_changelog(_app, docname, source):
    """Fill the page that stands for the changelog."""
    if docname == "changelog":
        source[0] = changelog(_CHANGELOG.read_text(encoding="utf-8"))


def escape_bars(*event):
    """Keep the bars of |x - y| in docstrings as they are: to Sphinx a pair of them is a substitution."""
    lines = event[-1]
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = line.split("``")  # what is between double backquotes is code
            lines[i] = "``".join(
                re.sub(r"(?<!\\)\|", r"\|", part) if k % 2 == 0 else part for k, part in enumerate(parts)
            )


def hide_private(*event):
    """Leave parameters that begin with an underscore out of signatures."""
    signature, returned = event[-2:]
    return (re.sub(r", _\w+=[^,)]+", "", signature), returned) if signature else None


def setup(app):
    """Connect the above."""
    app.connect("source-read", insert_changelog)
    app.connect("autodoc-process-docstring", escape_bars, priority=400)
    app.connect("autodoc-process-signature", hide_private)
