"""Pages hold together: gallery, names, commands, options, links, pictures, words."""

import importlib
import inspect
import re
from pathlib import Path

import gallery_pages
import pytest
import tables_reproduction
from typer.main import get_command

import shearer as sh
from shearer.cli import app

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.rst"))
API = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("api.rst", "generated/measures.rst"))
# Packages whose public names are the reference.
PACKAGES = (
    "shearer", "shearer.kernels", "shearer.datasets", "shearer.testing", "shearer.inference", "shearer.screening",
    "shearer.comparators", "shearer.tools", "shearer.neural", "shearer.report", "shearer.sketching",
    "shearer.comparing", "shearer.plotting", "shearer.yardstick",
)  # fmt: skip
# Names that need a package that is not there where the tests run.
NEED_OTHERS = {"pgmpy_test", "register_causal_learn"}
# Words of the workshop that a stranger cannot know; those of the source are explained in architecture.rst.
DIALECT = re.compile(r"\brungs?\b|\bladders?\b|less chance|\bremember(?:s|ed)? (?!to\b)\w+", re.IGNORECASE)


def public(package):
    module = importlib.import_module(package)
    own = (name for name, value in vars(module).items() if getattr(value, "__module__", "") == package)
    return [name for name in getattr(module, "__all__", own) if not name.startswith("_")]


@pytest.mark.needs("torch")
@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_in_the_reference(package):
    modules = {name.rpartition(".")[2] for name in PACKAGES} | {"bandwidth"}
    missing = [name for name in public(package) if name not in modules and not re.search(rf":: (\S+\.)?{name}\n", API)]
    assert missing == []


# What classes have for each other and for torch; not promised to users (docs/versions.rst).
INTERNAL = {
    "Kernel": {"gram", "kinds"},
    "Module": {"extra_repr", "forward", "matrices", "price", "information"},
    "DependenceNetwork": {"edge_columns", "graphml"},
    "Scan": {"sample"},
    "Profile": {"among", "counts", "distribution", "numbers", "shown", "strengths", "triple_counts"},
    "Design": {"described"},
    "Method": {"answer", "described", "present"},
}


def undescribed_members(thing, reference):
    """Public methods and properties of a class of ours that neither the reference lists nor the docstring names."""
    own = {
        name
        for parent in thing.__mro__
        if parent.__module__.startswith("shearer")
        for name, value in vars(parent).items()
        if not re.match(r"_|set_\w+_request$", name)  # the latter scikit-learn adds
        and (inspect.isroutine(value) or hasattr(type(value), "__get__"))
    }
    kept = set().union(*(INTERNAL.get(parent.__name__, set()) for parent in thing.__mro__))
    block = re.search(rf":: (?:\S+\.)?{thing.__name__}\n((?:   :.*\n)*)", reference)
    options = dict(re.findall(r"   :([\w-]+):(.*)", block[1] if block else ""))
    listed = {name.strip() for name in options.get("members", "-").split(",")}
    if listed == {""}:
        listed = own if "inherited-members" in options else set(vars(thing))
    return {name for name in own - kept - listed if not re.search(rf"\b{name}\b", thing.__doc__ or "")}


@pytest.mark.needs("torch")
@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_method_is_in_the_reference(package):
    things = [getattr(importlib.import_module(package), name) for name in public(package)]
    classes = [thing for thing in things if isinstance(thing, type) and thing.__module__.startswith("shearer")]
    assert {thing.__name__: found for thing in classes if (found := undescribed_members(thing, API))} == {}


def test_a_method_that_is_not_described_is_found():
    assert undescribed_members(sh.Scan, API.replace("to_graphml, plot", "plot")) == {"to_graphml"}
    assert undescribed_members(sh.sketching.PairSketch, API.replace("   :inherited-members:\n", "")) > {"pvalues"}


def test_public_packages_are_those_of_the_policy():
    policy = (DOCS / "versions.rst").read_text(encoding="utf-8")
    said = set(re.findall(r"``(shearer\.\w+)``", policy)) - {"shearer.__all__", "shearer.accessors"}
    # the functions of plotting are listed by the reference alone
    assert said == set(PACKAGES) - {"shearer", "shearer.plotting"}


@pytest.mark.needs("torch")
@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_an_example(package):
    module = importlib.import_module(package)
    things = {name: getattr(module, name) for name in public(package)}
    shown = shown_in_pages() | NEED_OTHERS
    bare = [name for name, thing in things.items() if callable(thing) and ">>>" not in (thing.__doc__ or "")]
    errors = [name for name in bare if isinstance(things[name], type) and issubclass(things[name], Exception)]
    assert set(bare) - set(errors) - shown == set()


def shown_in_pages():
    """Names in the examples that the pages run."""
    lines = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines() if ">>>" in line]
    return set(re.findall(r"\w+", "\n".join(lines)))


@pytest.mark.needs("torch")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_in_pages_exist(page):
    for path in set(
        re.findall(r"\b(?:sh|shearer)\.([a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)*)", page.read_text(encoding="utf-8"))
    ):
        found, name = sh, "shearer"
        for part in path.split("."):
            name = f"{name}.{part}"
            if not hasattr(found, part):
                importlib.import_module(name)
            found = getattr(found, part)


def undocumented(reference):
    """Commands, options and arguments that a reference does not name."""
    missing = []
    for name, command in get_command(app).commands.items():
        section = reference.partition(f"shearer {name}\n---")[2].partition("\nshearer ")[0]
        missing += [] if section else [name]
        for option in command.params:
            wanted = [option.metavar] if option.param_type_name == "argument" else option.opts
            lacking = [word for word in wanted if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", section)]
            missing += [f"{name} {word}" for word in lacking if option.name != "help"]
    return missing


def test_every_command_and_option_is_in_the_reference():
    text = (DOCS / "generated" / "cli.rst").read_text(encoding="utf-8")
    assert undocumented(text) == []
    assert undocumented(text.replace("--svg", "--drawing")) == ["demo --svg"]


def test_every_page_can_be_reached():
    linked = set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for tree in re.findall(r"\.\. toctree::\n((?:   .*\n|\n)+)", text):
            linked |= {line.strip() for line in tree.splitlines() if line.strip() and not line.strip().startswith(":")}
        linked |= set(re.findall(r"\.\. include:: (\w+)\.rst", text))
    assert {page.stem for page in PAGES} - linked == {"index"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures(page):
    text = page.read_text(encoding="utf-8")
    made = {example.name for example in gallery_pages.examples()} | {"index"}
    for target in re.findall(r":doc:`(?:[^`<]*<)?([\w/]+)>?`", text):
        folder, _, name = target.rpartition("/")
        assert name in made if folder == "gallery" else (DOCS / f"{target}.rst").exists(), target
    for target in re.findall(r"\.\. (?:image|figure|include):: (\S+)", text):
        if target.startswith("gallery/"):
            assert re.sub(r"_\d\.png$", "", target.removeprefix("gallery/")) in made, target
        else:
            assert (DOCS / target).exists(), target


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_plain_words(page):
    if page.name != "architecture.rst":  # has the words of the source, and what they mean
        assert DIALECT.findall(page.read_text(encoding="utf-8")) == []


@pytest.mark.needs("torch")
@pytest.mark.parametrize("package", PACKAGES)
def test_plain_words_in_docstrings(package):
    module = importlib.import_module(package)
    things = {name: getattr(module, name) for name in public(package)}
    for name, thing in list(things.items()):
        if isinstance(thing, type) and thing.__module__.startswith("shearer"):
            members = (member for member in dir(thing) if not member.startswith("_"))
            things |= {f"{name}.{member}": inspect.getattr_static(thing, member) for member in members}
    documented = {name: getattr(thing, "__doc__", None) or "" for name, thing in things.items()}

    assert {name: found for name, text in documented.items() if (found := DIALECT.findall(text))} == {}


def test_plain_words_in_reports_and_commands():
    assets = [path for path in (ROOT / "src" / "shearer" / "report" / "assets").iterdir() if path.suffix == ".html"]
    assert assets
    for path in [*assets, *(DOCS / "generated").glob("*.rst")]:
        text = re.sub("``[^`]*``", "", path.read_text(encoding="utf-8"))  # names of files of the source are no words
        assert DIALECT.findall(text) == [], path.name


def test_gallery():
    shown = gallery_pages.examples()
    assert len(shown) == len({example.name for example in shown}) >= 15
    for example in shown:
        assert example.title
        assert example.text
        compile(example.code, example.path.name, "exec")
        assert "plt." in example.code or "plot(" in example.code  # leaves a picture
        used = set(re.findall(r"\bsh\.(\w+)", example.code)) - {"report", "plotting"}
        assert used <= set(sh.__all__)


def numbered(kind, text):
    """All n of "Table n" or "Figures n, m and k"."""
    lists = re.findall(rf"{kind}s? (\d+\w?(?:(?:, | and )\d+)*)", text)
    return {int(number) for found in lists for number in re.findall(r"\d+", found)}


def test_every_table_and_figure_of_the_paper_is_on_the_page():
    """The paper has, with its supplement, six tables and eleven figures."""
    _, _, rows = tables_reproduction.reproduction()
    items = ", ".join(row[0] for row in rows)
    assert numbered("Table", items) == set(range(1, 7))
    assert numbered("Figure", items) == set(range(1, 12))
    assert all(row[-1] for row in rows)
    programs = {row[2].strip("`") for row in rows} - {"–"}
    assert programs == set(tables_reproduction.PROGRAMS)
    for kind, drawn in (("Table", {1}), ("Figure", {6})):  # words, and an illustration that a page draws
        assert numbered(kind, ", ".join(tables_reproduction.PROGRAMS.values())) == numbered(kind, items) - drawn


@pytest.mark.parametrize("program", tables_reproduction.PROGRAMS)
def test_the_settings_of_an_experiment_are_on_the_page(program):
    said = tables_reproduction.head(program)
    assert len(said.split()) > 40
    assert "usage" not in said
    assert "Writes" not in said
