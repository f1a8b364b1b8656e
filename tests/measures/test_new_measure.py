"""A new measure is three places: tried on a copy of the source, and by every route that a measure has."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shearer as sh
from measures import routes
from shearer.measures.registry import MEASURES, dependence_measures

ROOT = Path(__file__).parent.parent.parent

NAME = "dual_per_variable"
ENTRY = f'''
def {NAME}(variables: Sequence[int]) -> Combination:
    """D / L."""
    return dual_total_correlation(variables) * (1.0 / len(variables))


_ENTRIES = (
    Measure("{NAME}", "D/L", {NAME}, offered("joint")),
'''
METHOD = f'''class FamilyMethods(Asked):
    """The measures of this file as methods."""

    def {NAME}(self, *names: str, normalize: bool = True) -> Estimate:
        """D / L; see `shearer.{NAME}`."""
        return self.measure("{NAME}", *names, normalize=normalize)
'''
FUNCTION = f'''

def {NAME}(
    *data: Any,
    given: Any = None,
    normalize: bool = True,
    alpha: float = 1.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    tol: float | None = None,
    memory: str | float | None = None,
    rng: np.random.Generator | int | None = 0,
) -> Any:
    """Dual total correlation for each variable.

    >>> import shearer as sh
    >>> sh.{NAME}(["a", "b"], ["a", "b"])
    0.5
    """
    noun = noun_of(
        *data, given=given, alpha=alpha, kernel=kernel, groups=groups, missing=missing, tol=tol, memory=memory, rng=rng
    )
    return noun.{NAME}(normalize=normalize).value
'''
ORACLE = f"""
    def {NAME}(self, normalize):
        return self.dual_total_correlation(normalize) / len(self.kernels)
"""
# Three places: the formula with its entry; the function and method that users type; the formula once more, as a test.
PLACES = {
    "src/shearer/measures/registry.py": {"\n_ENTRIES = (\n": ENTRY},
    "src/shearer/measures/family.py": {
        '__all__ = ["co_information", ': f'__all__ = ["{NAME}", "co_information", ',
        'class FamilyMethods(Asked):\n    """The measures of this file as methods."""\n': METHOD,
        "\n\ndef shearer_gap(": FUNCTION + "\n\ndef shearer_gap(",
    },
    "tests/reference/oracle.py": {"\n    def o_information(self):": ORACLE + "\n    def o_information(self):"},
}


@pytest.fixture
def copied(tmp_path):
    """The source with what the routes read beside it, and a measure added to it."""
    # with the compiled files, which belong to the sources' times
    shutil.copytree(ROOT / "src", tmp_path / "src", copy_function=shutil.copy2)
    shutil.copytree(ROOT / "tests" / "reference", tmp_path / "tests" / "reference")
    for place, changes in PLACES.items():
        path = tmp_path / place
        text = path.read_text(encoding="utf-8")
        for old, new in changes.items():
            assert text.count(old) == 1, (place, old)
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_three_places_are_enough(copied):
    assert len(PLACES) == 3
    folders = [copied / "src", copied / "tests", ROOT / "docs"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    run = subprocess.run(
        [sys.executable, routes.__file__, str(copied), NAME],
        env=environment, cwd=copied, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert Path(run.stdout.strip()).is_relative_to(copied)  # it was the copy that knew it
    assert NAME not in MEASURES


@pytest.mark.parametrize("name", dependence_measures())
def test_every_measure_is_known_on_every_route(name, tmp_path):
    routes.check(name, tmp_path)


def test_an_entry_alone_is_no_function(monkeypatch):
    """What the registry does not do by itself is not pretended."""
    monkeypatch.setitem(MEASURES, NAME, MEASURES["dual_total_correlation"])
    with pytest.raises(AttributeError, match=NAME):
        getattr(sh, NAME)
    with pytest.raises(AssertionError):
        routes.check_exports(NAME)
