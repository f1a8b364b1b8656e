"""Recorded cases: entropies, measures, kernels, chance, intervals."""

import math

import numpy as np

import shearer as sh
from shearer.inference.adjust import (
    adjusted_dual_total_correlation,
    adjusted_mutual_information,
    adjusted_total_correlation,
    expected_by_chance,
)
from shearer.kernels import Custom, Delta, EntropyFraction, Gaussian, Laplacian, Neighbors, Precomputed
from shearer.kernels.bandwidth import RULES
from tests.recorded.answers import Cases
from tests.recorded.kinds import column, exclusive, latent, pair, several

ALPHAS = (0.5, 1.0, 1.01, 2.0, 3.0, math.inf)
CASES = Cases()


def family(columns, alpha, kernel=None, note=""):
    """Every measure of three variables."""
    x, y, z = columns
    o = {"alpha": alpha, "kernel": kernel}
    found = {
        "entropy": [sh.entropy(v, **o) for v in columns] + [sh.entropy(*columns, **o), sh.entropy(x, y, given=z, **o)],
        "mutual": [
            sh.mutual_information(x, y, normalize=n, **o) for n in (True, False, "min", "joint", "mean", "sqrt")
        ],
        "mutual given": [sh.mutual_information(x, y, given=z, normalize=n, **o) for n in (True, False, "joint")],
        "total": [sh.total_correlation(*columns, normalize=n, **o) for n in (True, False)],
        "dual": [sh.dual_total_correlation(*columns, normalize=n, **o) for n in (True, False)],
        "gap": [sh.shearer_gap(*columns, size=s, normalize=n, **o) for s in (1, 2) for n in (True, False, "joint")],
        "gap of a cover": [
            sh.shearer_gap(*columns, cover=[[0, 1], [1, 2], [0]], **o),
            sh.shearer_gap(*columns, cover=[[0, 1], [1, 2], [0, 2]], weights=[0.5, 1, 0.5], normalize=False, **o),
        ],
        "o, s, co": [f(*columns, **o) for f in (sh.o_information, sh.s_information, sh.co_information)],
        "o, s, co given": [f(x, y, given=z, **o) for f in (sh.o_information, sh.s_information, sh.co_information)],
    }
    return {key + note: value for key, value in found.items()}


def roughly(kinds, alpha):
    """Below order 1 eigenvalues that are round-off count by their root; those of labels are exact."""
    return " ~1e-06" if alpha < 1 and set(kinds.split("/")) - {"labels", "flags", "rare"} else ""


FAMILIES = [
    ("numbers/numbers/numbers", 60, "line"),
    ("ties/labels/integers", 200, "line"),
    ("vector/flags/heavy", 60, "square"),
    ("offset/duplicates/rare", 60, "weak"),
    ("constant/numbers/two", 20, "line"),
    ("labels/flags/rare", 800, "weak"),
    ("numbers/labels/vector", 7, "none"),
]
for _kinds, _rows, _link in FAMILIES:
    for _alpha in ALPHAS:
        CASES.add(
            f"measures {_kinds} {_rows} {_link} alpha {_alpha:g}",
            lambda k=_kinds, n=_rows, s=_link, a=_alpha: family(several(k, n, 11, s), a, note=roughly(k, a)),
        )
for _rows, _kinds in ((5, "numbers/ties/labels"), (6, "numbers/heavy/two"), (2, "numbers/labels/numbers")):
    CASES.add(f"measures {_kinds} {_rows}", lambda k=_kinds, n=_rows: family(several(k, n, 12), 1.0))
CASES.add("measures of a lamp 400", lambda: family(exclusive(400, 0), 1.0))
CASES.add("measures numbers/vector/labels 400 alpha 1", lambda: family(several("numbers/vector/labels", 400, 13), 1.0))
CASES.add("measures numbers/ties/heavy 2000 alpha 2", lambda: family(several("numbers/ties/heavy", 2000, 14), 2.0))


def pair_measures(columns, alpha, **options):
    """Two variables only."""
    return {
        "mutual": [sh.mutual_information(*columns, normalize=n, alpha=alpha, **options) for n in (True, False)],
        "entropy": [sh.entropy(v, alpha=alpha, **options) for v in (*columns, columns[0])],
        "joint": sh.entropy(*columns, alpha=alpha, **options),
    }


CASES.add("measures pair numbers/numbers 800 alpha 1", lambda: pair_measures(pair("numbers/numbers", 800, 15), 1.0))
CASES.add("measures pair ties/labels 2000 alpha 3", lambda: pair_measures(pair("ties/labels", 2000, 16), 3.0))
CASES.add("measures pair numbers/vector 5001 alpha 2", lambda: pair_measures(pair("numbers/vector", 5001, 17), 2.0))
CASES.add("measures pair labels/rare 6000 alpha 1", lambda: pair_measures(pair("labels/rare", 6000, 18), 1.0))

for _rule in RULES:
    CASES.add(
        f"kernels Gaussian {_rule}",
        lambda r=_rule: (
            family(several("numbers/ties/vector", 60, 21), 1.0, Gaussian(r))
            | {"width": [sh.kernels.bandwidth.resolve(r, v) for v in _widths()]}
        ),
    )


def _widths():
    """Columns of shape (n, d) whose widths are recorded."""
    x = latent(200, 22)[0]
    columns = (column(kind, x, 22) for kind in ("numbers", "ties", "vector", "heavy", "offset", "constant", "two"))
    return [np.asarray(v, dtype=np.float64).reshape(200, -1) for v in columns]


KERNELS = {
    "Gaussian 0.3": lambda: Gaussian(0.3),
    "Gaussian of 5 neighbors": lambda: Gaussian(Neighbors(k=5)),
    "Gaussian of 0.3 of the entropy": lambda: Gaussian(EntropyFraction(0.3)),
    "Laplacian": lambda: Laplacian(),
    "Laplacian 2": lambda: Laplacian(2.0),
    "Delta": lambda: Delta(),
    "by name": lambda: {"x1": Laplacian(1.5), "x3": Delta()},
}
for _name, _kernel in KERNELS.items():
    for _alpha in (1.0, 2.0):
        CASES.add(
            f"kernels {_name} alpha {_alpha:g}",
            lambda k=_kernel, a=_alpha: (
                family(several("numbers/ties/integers", 60, 23), a, k())
                if k is not KERNELS["by name"]
                else pair_measures_by_name(k(), a)
            ),
        )


def pair_measures_by_name(kernel, alpha):
    """A noun, since verbs of fewer variables do not know all names."""
    d = sh.Dependence(*several("numbers/ties/integers", 60, 23), kernel=kernel, alpha=alpha)
    pairs = [("x1", "x2"), ("x1", "x3"), ("x2", "x3")]
    return {
        "mutual": [d.mutual_information(*names).value for names in pairs],
        "entropy": [d.entropy(name).value for name in d.names],
        "total": d.total_correlation().value,
        "dual": d.dual_total_correlation().value,
        "routes": [d.entropy(name).route for name in d.names],
    }


def own_matrices():
    """Precomputed and custom kernels."""
    x, y = pair("numbers/numbers", 60, 24)
    matrix = 1.0 / (1.0 + np.subtract.outer(x, x) ** 2)
    kernel = {"x1": Precomputed(), "x2": Custom(lambda a, b: 1.0 / (1.0 + abs(float(a[0]) - float(b[0]))))}
    d = sh.Dependence(matrix, y, kernel=kernel)
    return {"mutual": d.mutual_information().value, "entropy": [d.entropy(name).value for name in d.names]}


CASES.add("kernels of one's own", own_matrices)


def tables(alpha):
    """Groups, mixed variables, rows left out, names of conditions."""
    x, y, z, label = several("numbers/numbers/heavy/labels", 60, 25)
    x = x.copy()
    x[[3, 17]] = np.nan
    table = {"x": x, "y": y, "z": z, "label": label}
    groups = {"both": ["y", "label"]}
    return {
        "grouped": sh.total_correlation(table, groups=groups, missing="drop", alpha=alpha),
        "mutual": sh.mutual_information(table, given=["z", "label"], missing="drop", alpha=alpha),
        "dual": sh.dual_total_correlation(table, missing="drop", alpha=alpha, given="z"),
        "rows": sh.Dependence(table, missing="drop").rows,
    }


for _alpha in (1.0, 2.0):
    CASES.add(f"measures of a table with gaps and groups alpha {_alpha:g}", tables, _alpha)


def within(columns, tol, alpha=1.0):
    """To a stated tolerance."""
    d = sh.Dependence(*columns, tol=tol, alpha=alpha)
    mutual, total, joint = d.mutual_information(), d.total_correlation(), d.entropy()
    note = f" ~{tol:g}"
    return {
        "mutual" + note: mutual.value,
        "total" + note: total.value,
        "joint" + note: joint.value,
        "within": [bool(e.lower <= e.value <= e.upper and e.width <= tol) for e in (mutual, total, joint)],
        "certified": [e.certified for e in (mutual, total, joint)],
        "route": [e.route for e in (mutual, total, joint)],
    }


for _tol, _kinds, _rows, _alpha in (
    (1e-6, "numbers/numbers", 2000, 1.0),
    (1e-4, "numbers/labels", 6000, 1.0),
    (1e-3, "vector/numbers", 2000, 1.0),
    (1e-4, "ties/heavy", 800, 1.0),
    (1e-5, "numbers/two", 5001, 1.01),
):
    CASES.add(
        f"tolerance {_tol:g} {_kinds} {_rows} alpha {_alpha:g}",
        lambda t=_tol, k=_kinds, n=_rows, a=_alpha: within(pair(k, n, 26), t, a),
    )


def subsampled():
    """Means over groups of rows."""
    s = sh.Subsampling(*pair("numbers/ties", 800, 27), repeats=6, rows=50)
    found = [s.mutual_information(), s.total_correlation(normalize=False), s.dual_total_correlation()]
    return {"values": [e.value for e in found], "bounds": [[e.lower, e.upper] for e in found], "route": found[0].route}


def rows_of_a_noun():
    """The same widths on some rows."""
    d = sh.Dependence(*several("numbers/labels/vector", 200, 28))
    part = d.on_rows(slice(0, 50))
    return {"total": part.total_correlation().value, "mutual": part.mutual_information("x1", "x3").value}


CASES.add("measures subsampled", subsampled)
CASES.add("measures of some rows", rows_of_a_noun)


def chance(columns):
    """What chance gives, and values adjusted for it."""
    found = {
        "expected": [expected_by_chance(*columns, measure=m) for m in ("total_correlation", "dual_total_correlation")],
        "adjusted": [adjusted_total_correlation(*columns), adjusted_dual_total_correlation(*columns)],
        "mutual": adjusted_mutual_information(*columns[:2]),
    }
    if len(columns[0]) <= 200:
        drawn = {"alpha": 1.0, "n_resamples": 9, "rng": 3}
        found["drawn"] = [expected_by_chance(*columns, **drawn), adjusted_mutual_information(*columns[:2], **drawn)]
    return found


for _kinds, _rows, _link in (
    ("numbers/numbers", 60, "none"),
    ("numbers/labels", 200, "line"),
    ("ties/integers", 800, "square"),
    ("heavy/vector/two", 60, "line"),
    ("labels/rare/flags", 200, "none"),
    ("constant/numbers", 20, "line"),
    ("offset/duplicates/numbers", 60, "weak"),
    ("numbers/two", 7, "line"),
):
    CASES.add(f"chance {_kinds} {_rows} {_link}", lambda k=_kinds, n=_rows, s=_link: chance(several(k, n, 29, s)))


def interval(columns, **options):
    """All fields; by groups, if no method is named."""
    found = sh.confidence_interval(*columns, **({"method": "jackknife"} | options))
    numbers = ("low", "high", "estimate", "value", "standard_error", "confidence_level")
    return {name: getattr(found, name) for name in (*numbers, "method")}


def interval_by_influence(columns, **options):
    """All fields; sums over eigenvectors leave round-off."""
    found = sh.confidence_interval(*columns, **options)
    numbers = ("low", "high", "estimate", "value", "standard_error")
    return {f"{name} ~1e-07": getattr(found, name) for name in numbers} | {"method": found.method, "note": found.note}


for _name, _kinds, _rows, _options in (
    ("default", "numbers/numbers", 60, {}),
    ("subsampling", "numbers/labels", 60, {"method": "subsampling", "confidence_level": 0.9}),
    ("total", "numbers/ties/vector", 60, {"measure": "total_correlation"}),
    ("dual", "numbers/two/labels", 100, {"measure": "dual_total_correlation", "alpha": 2.0, "rng": 5}),
    ("o", "numbers/ties/integers", 60, {"measure": "o_information"}),
    ("s", "heavy/ties/integers", 60, {"measure": "s_information", "alpha": 3.0}),
    ("co", "numbers/ties/labels", 60, {"measure": "co_information", "alpha": 2.0}),
    ("entropy", "vector", 60, {"measure": "entropy"}),
    ("bits", "offset/duplicates", 60, {"normalize": False}),
    ("joint", "labels/rare", 200, {"normalize": "joint"}),
    ("200", "numbers/square", 200, {"alpha": 2.0}),
    ("20", "numbers/numbers", 20, {"kernel": Laplacian()}),
):
    _columns = _kinds.replace("square", "numbers")
    _link = "square" if "square" in _kinds else "line"
    CASES.add(
        f"interval {_name}",
        lambda k=_columns, n=_rows, s=_link, o=_options: interval(several(k, n, 30, s), **o),
    )

for _name, _kinds, _rows, _options in (
    ("default", "numbers/numbers", 60, {}),
    ("0.9", "numbers/labels", 60, {"confidence_level": 0.9}),
    ("total", "numbers/ties/vector", 60, {"measure": "total_correlation"}),
    ("dual", "numbers/two/labels", 100, {"measure": "dual_total_correlation", "alpha": 2.0}),
    ("o", "numbers/ties/integers", 60, {"measure": "o_information"}),
    ("s", "heavy/ties/integers", 60, {"measure": "s_information", "alpha": 3.0}),
    ("entropy", "vector", 60, {"measure": "entropy", "alpha": 0.7}),
    ("bits", "offset/duplicates", 60, {"normalize": False, "alpha": float("inf")}),
    ("joint", "labels/rare", 200, {"normalize": "joint"}),
    ("800", "numbers/numbers", 800, {}),
):
    CASES.add(
        f"interval by influence {_name}",
        lambda k=_kinds, n=_rows, o=_options: interval_by_influence(several(k, n, 30, "line"), **o),
    )
