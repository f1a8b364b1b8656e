"""Settings of the documentation: no page asks another host for anything."""

import os
import re
import sys
from pathlib import Path

import shearer

sys.path.insert(0, str(Path(__file__).parent))

project = "shearer"
author = "The shearer developers"
version = release = shearer.__version__
copyright = author  # noqa: A001 - the name Sphinx reads

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "numpydoc",
    "sphinx_copybutton",
    "gallery_pages",
]
exclude_patterns = ["_build", "generated/*.rst"]  # the generated parts are included by other pages
smartquotes = False  # options are quoted as they are typed

autosummary_generate = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_use_plots = False

# Links into the documentation of others need their inventories, and so a network: only where it is asked for.
_OTHERS = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
    "sklearn": "https://scikit-learn.org/stable/",
    "pandas": "https://pandas.pydata.org/docs/",
}
_ONLINE = os.environ.get("READTHEDOCS") or os.environ.get("SHEARER_DOCS_ONLINE")
intersphinx_mapping = {name: (address, None) for name, address in _OTHERS.items()} if _ONLINE else {}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"shearer {release}"
html_static_path = ["static"]
html_css_files = ["shearer.css"]
html_theme_options = {
    "sidebar_hide_name": False,
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#0b63a5", "color-brand-content": "#0b63a5"},
    "dark_css_variables": {"color-brand-primary": "#6cb6f0", "color-brand-content": "#6cb6f0"},
}
pygments_style = "friendly"
pygments_dark_style = "native"
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
    >>> print(changelog("- `a|b` added, |z| as well"))
    - ``a|b`` added, \\|z\\| as well
    """
    parts = re.split(r"`([^`]+)`", markdown)  # text and code in turn
    text = "".join(f"``{part}``" if place % 2 else part.replace("|", r"\|") for place, part in enumerate(parts))
    lines = []
    for line in text.splitlines():
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
