"""Print the oldest version that pyproject.toml allows of everything an extra installs, as constraints for pip.

torch is left to constraints.txt.

usage: oldest.py [EXTRA]   (default: test-core)
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[(?P<extras>[^\]]*)\])?(?:>=(?P<oldest>[0-9.]+))?")


def requirements(project: dict, extra: str) -> list[str]:
    """Those of the package and of an extra, with the extras that it names."""
    pending, found = [extra], list(project["dependencies"])
    seen = set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for text in project["optional-dependencies"][name]:
            match = REQUIREMENT.fullmatch(text)
            if match and match["name"] == project["name"]:
                pending += match["extras"].split(",")
            else:
                found.append(text)
    return found


def constraints(project: dict, extra: str) -> list[str]:
    """`name==oldest` for each requirement; all of them must state what they need at least, and only that."""
    lines = set()
    for text in requirements(project, extra):
        match = REQUIREMENT.fullmatch(text)
        if not match or not match["oldest"]:
            raise SystemExit(f"pyproject.toml: expected name>=version, got {text!r}")
        if match["name"] != "torch":
            lines.add(f"{match['name']}=={match['oldest']}")
    return sorted(lines)


if __name__ == "__main__":
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    print("\n".join(constraints(settings["project"], *(sys.argv[1:2] or ["test-core"]))))
