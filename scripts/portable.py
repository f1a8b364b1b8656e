"""Run the numeric tests and the doctests as other machines would: other arithmetic, locales, orders and folders.

Each run is a row of the table below. What this machine cannot do, such as a locale that it cannot make, is an error and
not left out.

usage: portable.py [NAME...]   (default: every run but those beside busy loops)
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
# What computes. The rest of the tests reads files, starts browsers and programs or trains for minutes.
NUMERIC = (
    "README.md",
    "docs",
    "src",
    "tests/comparators",
    "tests/experiments/test_learning.py",
    "tests/inference",
    "tests/kernels",
    "tests/measures",
    "tests/neural",
    "tests/pairs",
    "tests/properties",
    "tests/recorded",
    "tests/reference",
    "tests/scanning/test_scan.py",
    "tests/screening",
    "tests/sketching/test_pair_sketch.py",
    "tests/sketching/test_sketch.py",
    "tests/spectrum",
    "tests/test_bad_input.py",
    "tests/test_closed_forms.py",
    "tests/test_cover.py",
    "tests/test_errata.py",
    "tests/test_gradients.py",
    "tests/test_identities.py",
    "tests/test_libraries.py",
    "tests/test_offsets.py",
    "tests/test_subsampling.py",
    "tests/test_variables.py",
    "tests/tools",
)
# Besides, where text and names of files matter.
READING = (
    "tests/cli",
    "tests/datasets",
    "tests/report",
    "tests/scanning",
    "tests/test_chunks.py",
    "tests/test_files.py",
)
TURKISH = "tr_TR.UTF-8"


@dataclass(frozen=True)
class Run:
    """Environment variables, BLAS threads, numpy's instructions, and what else is unusual."""

    blas: str  # whose kernels OpenBLAS takes
    threads: int
    numpy: str = ""  # the newest instructions that numpy may take; "" for all
    variables: dict[str, str] = field(default_factory=dict)
    tests: tuple[str, ...] = NUMERIC
    shuffle: bool = False
    moved: bool = False  # in a copy of this folder, whose name has spaces and umlauts
    loops: int = 0  # busy loops beside the tests
    times: int = 1  # how often, one after the other


AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}
PLAIN = {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41", "MKL_ENABLE_INSTRUCTIONS": "SSE4_2"}
RUNS = {
    "haswell": Run("Haswell", 1, "X86_V3", {**AVX2, "PYTHONHASHSEED": "1"}),
    "zen": Run("Zen", 2, "X86_V3", {**AVX2, "PYTHONHASHSEED": "2"}, shuffle=True),
    "nehalem": Run("Nehalem", 1, "X86_V2", {**PLAIN, "LC_ALL": "C"}),
    "turkish": Run("", 2, variables={"LC_ALL": TURKISH, "PYTHONHASHSEED": "3"}, tests=READING, moved=True),
}
# Every test, beside as many busy loops as there are cores on a small machine: `make test-busy`.
BUSY = {
    "busy": Run("", 0, tests=(), loops=2, times=3),
    "busy-avx2": Run("Haswell", 0, "X86_V3", AVX2, tests=(), loops=2, times=3),
}


def without(newest: str) -> str:
    """The instructions that numpy is told not to take: all that it can choose among beyond some of them."""
    from numpy._core._multiarray_umath import __cpu_baseline__, __cpu_dispatch__, __cpu_features__

    if not newest:
        return ""
    # numpy from 2.4 on names groups of instructions, those before name the instructions.
    beyond = {"X86_V2": ("X86_V3", "AVX2", "FMA3", "X86_V4", "AVX512"), "X86_V3": ("X86_V4", "AVX512")}[newest]
    chosen = [name for name in __cpu_dispatch__ if name.startswith(beyond) and __cpu_features__.get(name)]
    assert not set(chosen) & set(__cpu_baseline__), "numpy cannot do without its baseline"
    return " ".join(chosen)


def turkish_locale(folder: Path) -> dict[str, str]:
    """Where the Turkish locale is found; it is made in a folder where the system has none."""
    if TURKISH.lower().replace("-", "") in subprocess.check_output(["locale", "-a"], text=True).lower():
        return {}
    made = folder / "locales"
    made.mkdir()
    command = ["localedef", "-i", "tr_TR", "-f", "UTF-8", str(made / TURKISH)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not (made / TURKISH / "LC_CTYPE").exists():
        hint = "Install the sources of locales (Debian: the package locales)."
        raise SystemExit(f"the locale {TURKISH} is missing and localedef cannot make it: {done.stderr.strip()}. {hint}")
    return {"LOCPATH": str(made)}


def copy_of_the_project(folder: Path) -> Path:
    """The files that git knows, in a folder with spaces and umlauts in its name."""
    copy = folder / "Prüfung mit Leerzeichen" / "çığ öğü"
    names = subprocess.check_output(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT)
    for name in names.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    return copy


def execute(name: str, run: Run, seed: int) -> bool:
    """One run; what is unusual about it is printed first."""
    with tempfile.TemporaryDirectory() as folder:
        place = copy_of_the_project(Path(folder)) if run.moved else ROOT
        threads = {f"{library}_NUM_THREADS": str(run.threads or "") for library in ("OMP", "OPENBLAS", "MKL")}
        unusual = {**run.variables, **threads, "NPY_DISABLE_CPU_FEATURES": without(run.numpy)}
        unusual["OPENBLAS_CORETYPE"] = run.blas
        unusual = {key: value for key, value in unusual.items() if value}
        if run.variables.get("LC_ALL") == TURKISH:
            unusual |= turkish_locale(Path(folder))
        order = [f"--shuffle={seed}"] if run.shuffle else []
        shown = [f"{key}={value!r}" for key, value in sorted(unusual.items())] + order + [f"in {place.name!r}"]
        print(f"=== {name}: {', '.join(shown)}", flush=True)
        environment = {**os.environ, **unusual, "PYTHONPATH": str(place / "src")}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=3", *order, *run.tests]
        passed = True
        for _ in range(run.times):
            start = time.monotonic()
            with busy_loops(run.loops):
                done = subprocess.run(command, cwd=place, env=environment, check=False).returncode == 0
            print(f"=== {name}: {'passed' if done else 'FAILED'} after {time.monotonic() - start:.0f} s", flush=True)
            passed = passed and done
    return passed


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Processes that do nothing but take the processor's time."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main(names: list[str]) -> int:
    known = RUNS | BUSY
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"expected names among {', '.join(known)}, got {', '.join(unknown)}")
    seed = int(os.environ.get("SHEARER_SEED") or time.time())
    found = {name: execute(name, known[name], seed) for name in names or RUNS}
    print("; ".join(f"{name} {'passed' if passed else 'FAILED'}" for name, passed in found.items()))
    return 0 if all(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
