"""Anyone's method: a function, or a command that reads npy files."""

import importlib.util
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shearer._validate import check_names, check_option, describe, type_error, value_error
from shearer.yardstick.known_design import TASKS, Design

#: How a method takes labels: as arrays of texts, as indicator columns (of two levels one column), or not at all.
LABELS = ("native", "indicators", "refused")


@dataclass(frozen=True)
class Method:
    """A method to be judged.

    Parameters
    ----------
    name : str
        In tables.
    call : callable
        What is called, with the arguments that `shearer.yardstick.TASKS` states for each task.
    tasks : tuple of str
        What it can be asked: of `shearer.yardstick.TASKS`. All but "strength" expect a p-value.
    labels : {"native", "indicators", "refused"}
        How it takes labels: as arrays of texts, as indicator columns, or not.
    vectors : bool, default True
        Whether variables may be arrays (n, d).
    variables : int, default 2
        The most that it tests at once for independence.
    seeded : bool, default False
        Whether it draws at random and takes ``rng=`` a whole number.
    source : str
        Where it comes from: paper, package, options.
    ours : bool, default False
        Whether it is shearer's.
    needs : str, optional
        A module without which it is left out.

    Examples
    --------
    >>> from scipy.stats import kendalltau
    >>> Method("Kendall", lambda x, y: kendalltau(x, y).pvalue, labels="refused", vectors=False).name
    'Kendall'
    """

    name: str
    call: Callable[..., Any] = field(repr=False)
    tasks: tuple[str, ...] = ("independence",)
    labels: str = "native"
    vectors: bool = True
    variables: int = 2
    seeded: bool = False
    source: str = ""
    ours: bool = False
    needs: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise value_error("name", "a name", describe(self.name))
        if not callable(self.call):
            raise type_error("call", "a function", describe(self.call), "A command is Command('program {x} {y}').")
        check_names("tasks", self.tasks, TASKS)
        if not self.tasks:
            raise value_error("tasks", f"one or more of {', '.join(TASKS)}", "none")
        check_option("labels", self.labels, LABELS)

    @property
    def present(self) -> bool:
        """Whether what it needs is installed."""
        return self.needs is None or importlib.util.find_spec(self.needs) is not None

    def applies(self, design: Design, task: str) -> bool:
        """Whether it says that it can answer a design."""
        if task not in self.tasks or (design.kind != "numbers" and self.labels == "refused"):
            return False
        several = design.dimension > 1 and task != "conditional"  # there the conditions are what is wide
        return not (several and not self.vectors) and not (task == "independence" and design.variables > self.variables)

    def answer(self, drawn: Sequence[Any], task: str, seed: int) -> float:
        """Its p-value or value of the variables that a design has drawn."""
        drawn = [as_taken(part, self.labels) for part in drawn[:-1]] + [
            drawn[-1] if task == "change" else as_taken(drawn[-1], self.labels)
        ]
        more: dict[str, Any] = {"rng": seed} if self.seeded else {}
        if task == "conditional":
            *drawn, more["given"] = drawn
        return float(self.call(*drawn, **more))

    def described(self) -> dict[str, Any]:
        """What a result says about it."""
        return {"name": self.name, "tasks": list(self.tasks), "source": self.source, "ours": self.ours}


def as_taken(column: Any, labels: str) -> Any:
    """A column as a method takes it: indicators in place of labels where it wants them.

    Examples
    --------
    >>> as_taken(np.array(["a", "b", "a"]), "indicators").tolist()
    [0.0, 1.0, 0.0]
    """
    if labels != "indicators" or column.dtype.kind not in "US":
        return column
    levels, codes = np.unique(column, return_inverse=True)
    return codes.astype(float) if len(levels) <= 2 else np.eye(len(levels))[codes]


@dataclass(frozen=True)
class Command:
    """A program that is given npy files and prints a number in the last line of its standard output.

    Parameters
    ----------
    line : str
        What to run. Words ``{x}``, ``{y}``, ``{z}`` (a third variable, or groups), ``{given}`` and ``{rng}`` are
        replaced by names of files and the seed; without any, names of files are put at the end in this order.

    Examples
    --------
    >>> import sys
    >>> program = "import sys, numpy; print(numpy.load(sys.argv[1]).mean())"
    >>> Command(shlex.join([sys.executable, "-c", program, "{x}"]))(np.ones(3), np.zeros(3))
    1.0
    """

    line: str

    def __call__(self, *variables: Any, given: Any = None, rng: int = 0) -> float:
        """Write the files, run, and read what it prints."""
        if len(variables) > 3:
            raise value_error("variables", "at most three for a command", str(len(variables)))
        with tempfile.TemporaryDirectory(prefix="yardstick-") as folder:
            files = {}
            for name, column in [*zip("xyz", variables, strict=False), ("given", given)]:
                if column is not None:
                    files[name] = str(Path(folder, f"{name}.npy"))
                    np.save(files[name], np.asarray(column), allow_pickle=False)
            words = {**files, "rng": str(rng)}
            parts = shlex.split(self.line)
            filled = [words.get(part[1:-1], part) if part.startswith("{") else part for part in parts]
            done = subprocess.run(
                filled if filled != parts else [*parts, *files.values()],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            )  # fmt: skip
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["nothing on its standard error"]
            raise value_error("command", "exit code 0", f"{done.returncode}", last[0][:300])
        lines = done.stdout.strip().splitlines()
        try:
            return float(lines[-1])
        except (IndexError, ValueError) as error:
            raise value_error("command", "a number in its last line", describe(done.stdout[-80:])) from error


def load_method(text: str, tasks: tuple[str, ...] = ("independence",)) -> Method:
    """A method of a Python file: ``path/to/file.py:name``, where the name is a function or a `Method`.

    Parameters
    ----------
    text : str
        File and name.
    tasks : tuple of str
        Of a function: what it can be asked.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from shearer.yardstick import load_method
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "mine.py").write_text("def half(x, y): return 0.5")
    ...     load_method(f"{folder}/mine.py:half").name
    'half'
    """
    path, sign, name = text.rpartition(":")
    place = Path(path)
    if not sign or not name.isidentifier() or place.suffix != ".py":
        raise value_error("method", "FILE.py:NAME", describe(text))
    if not place.is_file():
        raise value_error("method", "a file that exists", describe(path))
    spec = importlib.util.spec_from_file_location(f"yardstick_{place.stem}", place.resolve())
    if spec is None or spec.loader is None:
        raise value_error("method", "a Python file", describe(path))
    module = importlib.util.module_from_spec(spec)
    # Known by name while it is read, and forgotten after, so that its functions travel to other processes as they are.
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    found = getattr(module, name, None)
    if isinstance(found, Method):
        return found
    if not callable(found):
        raise value_error("method", f"a function or Method called {name!r} in {place.name}", describe(found))
    return Method(name, found, tasks, source=f"{place.name}:{name}")
