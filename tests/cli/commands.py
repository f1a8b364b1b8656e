"""The installed command, and how it fails."""

import os
import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).parent / "shearer"


def run(*arguments, stdin=None, **environment):
    """The installed command in a process of its own."""
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **environment}
    arguments = [COMMAND, *map(str, arguments)]
    return subprocess.run(arguments, capture_output=True, text=True, env=env, input=stdin, check=False)


def failed_in_one_line(result, code=1):
    assert result.returncode == code, result.stderr
    assert result.stderr.startswith("shearer: ")
    assert result.stderr.count("\n") == 1
    return True
