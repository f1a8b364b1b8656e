"""Recorded cases: scans of small tables."""

import numpy as np

import shearer as sh
from shearer.kernels import Gaussian
from tests.recorded.answers import Cases
from tests.recorded.kinds import every_kind, exclusive, scalars, several, with_gaps

CASES = Cases()
# Third moments of triples are formed in single precision; their p-values enter the q-values of all.
SINGLE = " ~0.0001"


def table_of(frame, names, most=60):
    """The columns of a table of results, rows in the order of the names."""
    columns = frame.to_dict(as_series=False)
    order = sorted(
        range(len(frame)),
        key=lambda k: [columns[name][k] for name in names] + [columns.get("lag", [0] * len(frame))[k]],
    )
    order = order[:: max(1, -(-len(order) // most))]
    return {key: [values[k] for k in order] for key, values in columns.items()}


# Of triples: found by fits and by spectra to a tolerance (tests/inference/test_threeway.py).
_FITTED = ("pvalue", "qvalue", "added", "added_error", "excess", "excess_error")


def scanned(*data, most=60, **options):
    """Pairs, triples and notes."""
    found = sh.scan(*data, **options)
    answer = {}
    for part, names in (("pair", ("first", "second")), ("triple", ("first", "second", "third"))):
        columns = table_of(getattr(found, f"{part}s"), names, most)
        places = ["/".join(map(str, key)) for key in zip(*(columns.pop(name) for name in names), strict=True)]
        answer[part] = places
        rough = () if not len(found.triples) else ("qvalue",) if part == "pair" else ("split_pvalue",)
        for fitted in (
            ("pvalue", "qvalue", "added", "added_error", "excess", "excess_error") if part == "triple" else ()
        ):
            columns.pop(fitted, None)  # of fits and of spectra to a tolerance: tests/inference/test_threeway.py
        answer |= {f"{part} {key}{SINGLE if key in rough else ''}": values for key, values in columns.items()}
        answer[f"{part}s in order"] = [
            "/".join(record["variables"]) for record in found.document[f"{part}s"] if record["reported"]
        ]
    answer["notes"] = found.document["notes"]
    answer["columns"] = [[c["name"], c["kind"], c["n"], c["distinct"], *c["notes"]] for c in found.document["columns"]]
    answer["tested"] = [
        found.document["settings"][key] for key in ("pairs_tested", "triples_tested", "triples_possible")
    ]
    return answer


def demo(rows=200, seed=0):
    return sh.datasets.planted_table(rows, rng=seed).columns


def small(rows, seed):
    """A lamp, a line and labels."""
    a, b, lamp = exclusive(rows, seed, 0.05)
    x, y, label = several("numbers/ties/labels", rows, seed, "line")
    return {"a": a, "b": b, "lamp": lamp, "x": x, "y": y, "label": label}


def series(rows, seed):
    """Two series of which one follows the other after two steps, and a third."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(3, rows + 2))
    x = noise[0].copy()
    for k in range(1, rows + 2):
        x[k] += 0.5 * x[k - 1]
    return {"x": x[2:].round(8), "y": (x[:-2] + 0.5 * noise[1, 2:]).round(8), "z": noise[2, 2:].round(8)}


CASES.add("scan of the demonstration", lambda: scanned(demo(), top=6, most=24))
CASES.add("scan of the demonstration, another seed", lambda: scanned(demo(120, 5), top=3, rng=9, most=24))
CASES.add("scan of every kind 60", lambda: scanned(scalars(every_kind(60, 91, "weak")), top=3, most=24))
CASES.add("scan of every kind 20", lambda: scanned(scalars(every_kind(20, 92, "line")), top=3, most=24))
CASES.add("scan of six rows", lambda: scanned(small(6, 93)))
CASES.add("scan with gaps", lambda: scanned(with_gaps(small(120, 94), 2, 0.1), top=4))
CASES.add("scan with many gaps", lambda: scanned(with_gaps(scalars(every_kind(60, 95)), 3, 0.4), top=2, most=24))
CASES.add("scan in groups", lambda: scanned(small(100, 96), groups={"g": ["x", "label"]}, top=4))
CASES.add("scan with a target", lambda: scanned(small(150, 97), target="lamp", top=4))
CASES.add("scan with targets", lambda: scanned(small(150, 97), target=["x", "lamp"], top=4, fdr=0.2))
CASES.add("scan of pairs", lambda: scanned(scalars(every_kind(200, 98)), order=2, top=5, alpha=2.0, most=24))
CASES.add("scan of a sample of rows", lambda: scanned(small(500, 99), max_rows=150, rng=3, top=3))
CASES.add("scan of 400 rows", lambda: scanned(small(400, 100), top=0))
CASES.add("scan of pairs of 1000 rows", lambda: scanned(small(1000, 100), order=2, top=0))
CASES.add(
    "scan of 5001 rows",
    lambda: scanned(
        {k: v for k, v in small(5001, 101).items() if k in ("x", "label", "a")}, max_rows=None, order=2, top=0
    ),
)
CASES.add("scan with a kernel", lambda: scanned(small(80, 102), kernel=Gaussian(1.0), top=3))
CASES.add(
    "scan with kinds",
    lambda: scanned({**small(80, 103), "class": np.arange(80) % 4}, kinds={"class": "categorical"}, top=3, alpha=3.0),
)
CASES.add("scan with lags", lambda: scanned(series(120, 104), lags=[0, 1, 2, 3]))
CASES.add("scan with lags, another seed", lambda: scanned(series(80, 105), lags=range(3), rng=4))
CASES.add("scan of arrays", lambda: scanned(*several("numbers/vector/labels", 60, 106), top=3))
