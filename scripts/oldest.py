"""Print the oldest versions that pyproject.toml allows of all that a dependency group installs, as constraints for pip.

torch is left to constraints.txt.

usage: oldest.py [GROUP]   (default: test-core)
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[(?P<extras>[^\]]*)\])?(?:>=(?P<oldest>[0-9.]+))?")


def requirements(settings: dict, group: str) -> list[str]:
    """Those of the package and of a group, with the groups and the package's extras that it names."""
    project = settings["project"]
    pending = [("dependency-groups", group)]
    found, seen = list(project["dependencies"]), set()
    tables = {"dependency-groups": settings["dependency-groups"], "extras": project["optional-dependencies"]}
    while pending:
        place = pending.pop()
        if place in seen:
            continue
        seen.add(place)
        for item in tables[place[0]][place[1]]:
            if isinstance(item, dict):
                pending.append(("dependency-groups", item["include-group"]))
                continue
            match = REQUIREMENT.fullmatch(item)
            if match and match["name"] == project["name"]:
                pending += [("extras", extra) for extra in match["extras"].split(",")]
            else:
                found.append(item)
    return found


def constraints(settings: dict, group: str) -> list[str]:
    """`name==oldest` for each requirement; all of them must state what they need at least, and only that."""
    lines = set()
    for text in requirements(settings, group):
        match = REQUIREMENT.fullmatch(text)
        if not match or not match["oldest"]:
            raise SystemExit(f"pyproject.toml: expected name>=version, got {text!r}")
        if match["name"] != "torch":
            lines.add(f"{match['name']}=={match['oldest']}")
    return sorted(lines)


if __name__ == "__main__":
    everything = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    print("\n".join(constraints(everything, *(sys.argv[1:2] or ["test-core"]))))
