"""Recorded cases: all pairs and triples, sketches, other people's measures."""

import numpy as np

import shearer as sh
from shearer import comparators
from shearer.data import read
from shearer.kernels import Delta, Gaussian, Laplacian
from shearer.pairs.engine import PairTests
from shearer.sketching import PairSketch
from tests.recorded.answers import Cases, entries, upper
from tests.recorded.kinds import every_kind, exclusive, pair, scalars, several, with_gaps

CASES = Cases()


def pairs(*data, significance=True, note="", most=60, **options):
    """Matrices of all pairs."""
    m = sh.pairwise(*data, **options)
    some = (lambda matrix: matrix) if m.target else upper
    found = {"names": m.names, "target": m.target, "route": m.route, "library": m.library}
    found |= entries("entropy" + note, m.entropy)
    if m.target:
        found["target entropy" + note] = m.target_entropy
    else:
        found |= entries("own value" + note, np.diag(m.value))
    found |= entries("value" + note, some(m.value), most) | entries("joint" + note, some(m.joint), most)
    found |= {"rows": m.rows} if isinstance(m.rows, int) else entries("rows", some(m.rows), most)
    if significance:
        found |= entries("pvalue" + note, some(m.pvalue), most) | entries("qvalue" + note, some(m.qvalue), most)
        found |= entries("adjusted" + note, some(m.adjusted), most)
    return found


for _rows, _link in ((6, "line"), (20, "none"), (60, "weak"), (200, "line"), (800, "weak")):
    CASES.add(
        f"pairs of every kind {_rows} {_link}",
        lambda n=_rows, s=_link: pairs(every_kind(n, 51, s), most=100 if n == 60 else 60),
    )
CASES.add("pairs of 5 rows", lambda: pairs(every_kind(5, 52), significance=False))
for _form in (False, "min", "joint", "mean", "sqrt"):
    CASES.add(
        f"pairs normalised {_form}",
        lambda f=_form: pairs(every_kind(60, 53), normalize=f, significance=False),
    )
for _alpha in (0.5, 1.0, 1.01, 3.0, np.inf):
    CASES.add(
        f"pairs alpha {_alpha:g}",
        lambda a=_alpha: pairs(every_kind(20, 54), alpha=a, significance=False, note=" ~1e-06" if a < 1 else ""),
    )
CASES.add(
    "pairs in single precision", lambda: pairs(every_kind(60, 55), dtype="float32", significance=False, note=" ~0.0001")
)
for _name, _kernel in (
    ("Gaussian scott", Gaussian("scott")),
    ("Laplacian", Laplacian()),
    ("kernels by name", {"integers": Delta(), "heavy": Laplacian(1.0), "vector": Gaussian(2.0)}),
):
    CASES.add(f"pairs with {_name}", lambda k=_kernel: pairs(every_kind(60, 56, "weak"), kernel=k))
CASES.add("pairs with a target", lambda: pairs(every_kind(200, 57), target="numbers"))
CASES.add("pairs with targets", lambda: pairs(every_kind(60, 58, "weak"), target=["labels", "heavy", "vector"]))
CASES.add("pairs with an array as target", lambda: pairs(every_kind(60, 58), target=np.arange(60.0)))
CASES.add(
    "pairs in groups",
    lambda: pairs(
        scalars(every_kind(60, 59, "weak")), groups={"g": ["numbers", "labels"], "h": ["heavy", "ties", "two"]}
    ),
)


def gap_table(rows, seed, link="weak", share=0.1):
    table = every_kind(rows, seed, link)
    del table["vector"]
    return with_gaps(table, seed, share)


for _rows, _share in ((20, 0.3), (60, 0.1), (200, 0.5), (300, 0.02)):
    CASES.add(
        f"pairs with gaps {_rows} {_share:g}",
        lambda n=_rows, s=_share: pairs(gap_table(n, 60, share=s), missing="pairwise", most=100 if n == 60 else 60),
    )
CASES.add("pairs with gaps and a target", lambda: pairs(gap_table(100, 61), target="ties", missing="pairwise"))
CASES.add(
    "pairs with gaps alpha 1", lambda: pairs(gap_table(30, 61), alpha=1.0, missing="pairwise", significance=False)
)
CASES.add(
    "pairs with gaps in groups",
    lambda: pairs(
        gap_table(60, 62, "line"), missing="pairwise", groups={"g": ["numbers", "labels"], "h": ["heavy", "ties"]}
    ),
)
CASES.add("pairs with rows left out", lambda: pairs(gap_table(200, 63, share=0.05), missing="drop"))


def many_columns(rows, columns, seed):
    """More columns than a tile has."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns)).round(8)
    x[:, 1::3] = (x[:, 1::3] + 0.5 * x[:, 0::3][:, : x[:, 1::3].shape[1]]).round(1)
    x[:, 2::9] = np.digitize(x[:, 2::9], [-0.5, 0.5])
    return x


CASES.add("pairs of 150 columns", lambda: pairs(many_columns(40, 150, 64)))
CASES.add("pairs of an array with gaps", lambda: pairs(_holes(many_columns(50, 30, 65)), missing="pairwise"))


def _holes(x):
    x = x.copy()
    x[np.random.default_rng(0).random(x.shape) < 0.1] = np.nan
    return x


def tall(rows, kinds, seed):
    """A table of many rows."""
    return dict(zip(kinds.split("/"), several(kinds, rows, seed, "weak"), strict=True))


CASES.add("tall pairs 2100", lambda: pairs(tall(2100, "numbers/labels/ties/two", 66)))
CASES.add("tall pairs 5001", lambda: pairs(tall(5001, "numbers/labels/ties", 67)))
CASES.add("tall pairs 6000 with a target", lambda: pairs(tall(6000, "numbers/heavy/integers", 68), target="integers"))
CASES.add(
    "tall pairs 5200 with gaps",
    lambda: pairs(with_gaps(tall(5200, "numbers/labels/integers", 69), 1, 0.02), missing="pairwise"),
)


def ladder(data, kernel=None, single=False, **options):
    """p-values over the ladder of widths."""
    tests = PairTests.of(
        read(data, pairwise=True, fewest=2, **options), kernel, single=single, exact=single or kernel is not None
    )
    found = tests.pvalues(slice(None), slice(None))
    part = tests.pvalues(slice(0, 2), slice(1, 4))
    return entries("pvalue", upper(found)) | {"pvalue of a part": part}


for _rows, _link in ((6, "line"), (7, "none"), (60, "weak"), (200, "line"), (800, "weak")):
    CASES.add(f"pair tests of every kind {_rows} {_link}", lambda n=_rows, s=_link: ladder(every_kind(n, 70, s)))
CASES.add("pair tests with gaps 100", lambda: ladder(gap_table(100, 71), missing="pairwise"))
CASES.add("pair tests with gaps 20", lambda: ladder(gap_table(20, 71, share=0.4), missing="pairwise"))
CASES.add("pair tests of 150 columns", lambda: ladder(many_columns(30, 150, 72)))
CASES.add("pair tests at one width", lambda: ladder(every_kind(60, 73, "weak"), single=True))
CASES.add("pair tests with a kernel", lambda: ladder(every_kind(60, 73, "weak"), Laplacian()))
CASES.add("pair tests 6000", lambda: ladder(tall(6000, "numbers/labels/heavy/two", 74)))


def trio(*data, note="", **options):
    """Arrays of all triples."""
    t = sh.triples(*data, **options)
    found = {"names": t.names, "rows": t.rows, "index": t.index[:: max(1, len(t.index) // 12)]}
    found |= entries("entropy" + note, t.entropy)
    for name in ("total_correlation", "dual_total_correlation", "o_information", "joint"):
        found |= entries(name + note, getattr(t, name), 50)
    best = t.top(3, by="o_information", ascending=True)
    return found | {"best": best.index, "best o" + note: best.o_information}


def switches(rows, seed):
    """Two switches, their lamp, and others."""
    a, b, lamp = exclusive(rows, seed)
    x, label, ties = several("numbers/labels/ties", rows, seed, "line")
    return {"a": a, "x": x, "b": b, "label": label, "lamp": lamp, "ties": ties}


CASES.add("triples 60", lambda: trio(switches(60, 75)))
CASES.add("triples 200", lambda: trio(switches(200, 76)))
CASES.add("triples of every kind 60", lambda: trio(every_kind(60, 77, "weak")))
CASES.add("triples of every kind 7", lambda: trio(every_kind(7, 77)))
CASES.add("triples alpha 1", lambda: trio(switches(40, 78), alpha=1.0))
CASES.add("triples alpha 3", lambda: trio(switches(40, 78), alpha=3.0))
CASES.add("triples of some columns", lambda: trio(switches(60, 79), columns=["lamp", "x", "a", "b"]))
CASES.add("triples in single precision", lambda: trio(switches(60, 80), dtype="float32", note=" ~0.0001"))
CASES.add(
    "triples in groups with rows left out",
    lambda: trio(gap_table(60, 81, share=0.02), missing="drop", groups={"g": ["numbers", "labels"]}),
)
CASES.add("triples 800", lambda: trio(switches(800, 82), kernel=Gaussian(1.0)))


def others(names, data):
    """Other people's measures, by name."""
    return {name: getattr(comparators, name)(*data) for name in names}


PAIRS_OF_NUMBERS = [
    "binned_mutual_information", "chatterjee_xi", "cmi", "distance_correlation", "distance_covariance", "hsic", "idd",
    "kcca", "kendall", "ksg", "mac", "mdhsic", "mhsic", "mic", "multivariate_spearman", "pearson", "qmi_cs", "rdc",
    "spearman", "xhsic",
]  # fmt: skip
MANY = [
    "binned_total_correlation", "c_kdm", "cmi", "dhsic", "gaussian_dual_total_correlation",
    "gaussian_total_correlation", "idd", "ksg", "mac", "mdhsic", "multivariate_spearman",
]  # fmt: skip
VECTORS = ["distance_correlation", "distance_covariance", "hsic", "kcca", "ksg", "qmi_cs", "dhsic", "xhsic"]
CASES.add("comparators of numbers", lambda: others(PAIRS_OF_NUMBERS, pair("numbers/numbers", 60, 83, "square")))
CASES.add("comparators of ties", lambda: others(PAIRS_OF_NUMBERS, pair("ties/integers", 60, 84)))
CASES.add("comparators of three", lambda: others(MANY, several("numbers/ties/heavy", 60, 85)))
CASES.add("comparators of vectors", lambda: others(VECTORS, pair("vector/labels", 60, 86)))


def pair_sketch(table, chunks, **options):
    """Two passes over chunks."""
    rows = len(next(iter(table.values())))

    def over(sketch):
        for part in np.array_split(np.arange(rows), chunks):
            sketch.update({name: column[part] for name, column in table.items()})
        return sketch

    sample = {name: column[:2000] for name, column in table.items()}
    last = over(over(PairSketch.like(sample, **options)).second_pass())
    found = {"names": last.names, "rows": last.rows}
    found |= {"value": upper(last.values()), "adjusted": upper(last.adjusted()), "pvalue": upper(last.pvalues())}
    found["joint"] = last.joint_entropies()
    test = last.independence_test(*last.names[:2])
    return found | {
        "statistic": test.statistic,
        "test pvalue": test.pvalue,
        "components": [c.name for c in test.components],
        "statistics ~1e-08": [c.statistic for c in test.components],
    }


CASES.add("pair sketch 6000", lambda: pair_sketch(tall(6000, "numbers/labels/ties/two", 87), 5))
CASES.add("pair sketch 1000", lambda: pair_sketch(tall(1000, "numbers/rare/flags/integers", 88), 3))
CASES.add(
    "pair sketch with a kernel", lambda: pair_sketch(tall(1000, "numbers/ties/labels", 89), 2, kernel=Gaussian(1.0))
)


def sketch(kinds, rows, chunks, alpha=1.0):
    """One pass over chunks, every measure."""
    columns = several(kinds, rows, 90)
    measures = ("mutual_information", "total_correlation", "dual_total_correlation", "o_information")
    s = sh.Sketch.like(*(c[:300] for c in columns), measures=measures, alpha=alpha)
    for part in np.array_split(np.arange(rows), chunks):
        s.update(*(c[part] for c in columns))
    found = [s.mutual_information("x1", "x2"), s.total_correlation(), s.dual_total_correlation(), s.o_information()]
    return {
        "value ~1e-06": [e.value for e in found],
        "bounds ~1e-06": [[e.lower, e.upper] for e in found],
        "certified": [e.certified for e in found],
        "landmarks": s.landmarks,
        "rows": s.rows,
    }


CASES.add("sketch numbers/ties/labels 1000", sketch, "numbers/ties/labels", 1000, 4)
CASES.add("sketch numbers/integers/two 2000 alpha 2", sketch, "numbers/integers/two", 2000, 3, 2.0)
