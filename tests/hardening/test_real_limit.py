"""A real memory limit of the system, where a process may be started within one: the default budget follows it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LIMIT = 600 * 2**20
CODE = "from shearer._memory import parse_memory; print(parse_memory(None))"
#: A folder of version 2 that is handed to this process, and counts memory for its own.
GROUP = Path(os.environ.get("SHEARER_CONTROL_GROUP", "/nowhere"))


def by_systemd():
    command = ["systemd-run", "--quiet", "--scope", "--collect", "-p", f"MemoryMax={LIMIT}"]
    command += [] if os.geteuid() == 0 else ["--user"]
    return subprocess.run([*command, sys.executable, "-c", CODE], capture_output=True, text=True, timeout=120)


def by_folder():
    own = GROUP / f"shearer-{os.getpid()}"
    own.mkdir()
    try:
        (own / "memory.max").write_text(str(LIMIT))
        enter = f"open({str(own / 'cgroup.procs')!r}, 'w').write('0'); "
        return subprocess.run([sys.executable, "-c", enter + CODE], capture_output=True, text=True, timeout=120)
    finally:
        own.rmdir()


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(by_systemd, marks=pytest.mark.needs("systemd")),
        pytest.param(by_folder, marks=pytest.mark.needs("control_group")),
    ],
)
def test_the_default_budget_is_half_of_a_real_limit(run):
    done = run()
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == LIMIT // 2
