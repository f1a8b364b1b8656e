"""The layout for a method of one's own: its method, its program and its tests."""

import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shearer.yardstick import SUITES, Command, Effort, load_method, run, summary

FOLDER = Path(__file__).parents[2] / "examples" / "yardstick_method"


def test_the_methods_of_the_template_are_judged():
    methods = [load_method(f"{FOLDER / 'my_method.py'}:{name}") for name in ("kendall", "kendall_value")]
    found = run(suites=["independence", "strength"], methods=methods, quick=True, effort=Effort(3, 3), isolated=False)
    assert [row["method"] for row in summary(found, "independence")] == ["Kendall"]
    assert [row["method"] for row in summary(found, "strength")] == ["|Kendall|"]
    assert not any(cell["why"] for cell in found["cells"])


def test_the_program_of_the_template_answers_as_its_function():
    x, y = SUITES["independence"].draw("linear", 0)
    method = load_method(f"{FOLDER / 'my_method.py'}:kendall")
    program = Command(shlex.join([sys.executable, str(FOLDER / "my_command.py"), "{x}", "{y}"]))
    assert program(np.asarray(x), y) == pytest.approx(method.answer((x, y), "independence", 0))


def test_the_tests_of_the_template_pass():
    script = "import test_my_method as t; [print(n, f()) for n, f in list(vars(t).items()) if n.startswith('test_')]"
    found = subprocess.run([sys.executable, "-c", script], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert found.stdout.count("None") == 2, found.stderr
