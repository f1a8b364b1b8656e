"""Every claim stands where the list says, and the command that checks it exists."""

import re
from pathlib import Path

import claims_list
import pytest

ROOT = Path(__file__).parent.parent.parent
# Numbers of README that are definitions, names, or exact by themselves.
KNOWN = (
    "AAAI 2021", "2 x 2", "1/4", "1/2", "BSD-3-Clause", "`alpha=1`", "`alpha=2`", "are 0 exactly", "reach 1", "m - 1",
    "(1 is Shannon's, 2 is fastest)", "p(0,1)", "p(1,0)", "p(1,1)", "x1, x2", "tol=1e-3", "0-d tensor",
)  # fmt: skip
CLAIMS = [pytest.param(claim, id=claim.quote[:40]) for claim in claims_list.CLAIMS]


def words(text):
    """Text with its line breaks taken for blanks."""
    return re.sub(r"\s+", " ", text)


def prose(markdown):
    """README without code, generated parts, links and pictures: what is left was typed."""
    text = re.sub(r"<!-- (\w+):begin -->.*?<!-- \1:end -->", " ", markdown, flags=re.DOTALL)
    text = re.sub(r"```.*?```", " ", text, flags=re.DOTALL)
    return words(re.sub(r"\]\([^)]*\)", "]", text))


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_is_in_its_page(claim):
    assert claim.quote in words((ROOT / claim.page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_command_exists(claim):
    program, *arguments = claim.command.split()
    if program == "pytest":
        path, _, function = arguments[0].partition("::")
        assert (ROOT / path).exists()
        assert not function or f"def {function}(" in (ROOT / path).read_text(encoding="utf-8")
    elif program == "python":
        package, *rest = arguments[1].split(".")
        name = rest[0] if rest else arguments[2]
        assert (ROOT / package / f"{name}.py").exists()
        assert (ROOT / package / "results" / f"{name}.json").exists()
    else:
        assert program == "make"
        assert re.search(rf"^{arguments[0]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_numbers_in_readme_are_claimed():
    text = prose((ROOT / "README.md").read_text(encoding="utf-8"))
    for claim in claims_list.CLAIMS:
        if claim.page == "README.md":
            text = text.replace(claim.quote, " ")
    for known in KNOWN:
        text = text.replace(known, " ")
    assert re.findall(r"\S*\d[\d.,]*\S*", text) == []
