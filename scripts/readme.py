"""Rewrite the generated parts of the README: what `shearer demo` prints and its picture.

The other outputs in the README are doctests: the test run compares them.

usage: readme.py [--check]
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "images" / "demo.svg"


def demo_output(picture: Path) -> str:
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    command = [str(Path(sys.executable).parent / "shearer"), "demo"]
    text = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    colour = {**os.environ, "COLUMNS": "100", "FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"}
    subprocess.run([*command, "--svg", str(picture)], env=colour, capture_output=True, check=True)
    return "\n".join(line.rstrip() for line in text.splitlines())


def main() -> int:
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    check = "--check" in sys.argv[1:]
    output = demo_output(PICTURE.with_suffix(".new.svg") if check else PICTURE)
    before = README.read_text(encoding="utf-8")
    block = f"<!-- demo:begin -->\n```text\n{output}\n```\n<!-- demo:end -->"
    after = re.sub(r"<!-- demo:begin -->.*<!-- demo:end -->", lambda _: block, before, flags=re.DOTALL)
    if not check:
        README.write_text(after, encoding="utf-8")
        return 0
    PICTURE.with_suffix(".new.svg").unlink()
    if before != after:
        print("README.md is not what `make readme` writes", file=sys.stderr)
        return 1
    print("README.md is up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
