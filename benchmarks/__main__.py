"""``python -m benchmarks [NAME ...]``: one line a case, JSON beside it. Without a name: all of them."""

import argparse
import importlib
import sys

from benchmarks.cases import OPTIONS, write

NAMES = (
    "imports", "engine", "planner", "pairs", "inference", "conditional", "intervals", "bounds", "tools", "neural",
    "scan", "compare", "wide", "before", "scale", "threads",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one or more of {', '.join(NAMES)}; default: all")
    parser.add_argument("--before", metavar="FOLDER", help="another checkout, to run beside this one (before)")
    parser.add_argument("--rivals", metavar="PYTHON", help="the interpreter of an environment with other packages")
    parser.add_argument("--whole", action="store_true", help="nothing extrapolated that takes less than an hour")
    given = parser.parse_args()
    OPTIONS.before, OPTIONS.rivals, OPTIONS.whole = given.before, given.rivals or sys.executable, given.whole
    names = given.names or list(NAMES)
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        parser.error(f"unknown benchmark {unknown[0]!r}; expected one of {', '.join(NAMES)}")
    held = True
    for name in names:
        module = importlib.import_module(f"benchmarks.{name}")
        cases = module.run()
        for case in cases:
            print(case.line(), flush=True)
            held &= case.holds
        print(f"wrote {write(name, cases, getattr(module, 'DETAILS', {})).name}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
