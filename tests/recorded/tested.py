"""Recorded cases: tests of independence, conditional independence and interaction."""

import numpy as np

import shearer as sh
from shearer import comparators
from shearer.inference import adjusted_pvalues, conditional_test
from shearer.kernels import Delta, Gaussian, Laplacian
from tests.recorded.answers import Cases
from tests.recorded.kinds import column, exclusive, latent, pair, several

CASES = Cases()
STATISTIC = " ~1e-08"


def result(found, note=""):
    """All fields of a test's answer; directions of features that are left out differ by 1e-11 of their mass."""
    note = note or (STATISTIC if found.components else "")
    answer = {
        "statistic" + note: found.statistic,
        "pvalue": found.pvalue,
        "method": found.method,
        "names": found.names,
        "rows": found.rows,
    }
    if found.components:
        answer |= {
            "components": [c.name for c in found.components],
            "statistics" + note: [c.statistic for c in found.components],
            "component pvalues": [c.pvalue for c in found.components],
            "skewness" + note: [c.skewness for c in found.components],
        }
    null = found.null_distribution
    if null is not None:
        answer["null"] = [len(null), *null[:4], *([np.mean(null), np.max(null)] if len(null) else [])]
    return answer


def independence(columns, note="", **options):
    return result(sh.independence_test(*columns, **options), note)


def roughly(kinds, rows):
    """Of many rows with few different values, most of the sums that a statistic is made of cancel."""
    return " ~1e-07" if rows >= 200 and set(kinds.split("/")) & {"integers", "two", "rare"} else ""


# Kinds, rows, link.
AGGREGATED = [
    ("numbers/numbers", 6, "line"),
    ("numbers/numbers", 7, "none"),
    ("numbers/numbers", 20, "line"),
    ("numbers/numbers", 60, "none"),
    ("numbers/numbers", 60, "square"),
    ("numbers/numbers", 200, "weak"),
    ("numbers/numbers", 800, "square"),
    ("integers/two", 2000, "weak"),
    ("labels/rare", 2000, "none"),
    ("numbers/numbers", 200, "copy"),
    ("numbers/labels", 60, "line"),
    ("numbers/labels", 800, "weak"),
    ("numbers/flags", 7, "line"),
    ("numbers/rare", 200, "weak"),
    ("numbers/constant", 60, "line"),
    ("numbers/two", 20, "none"),
    ("numbers/vector", 200, "square"),
    ("ties/ties", 60, "weak"),
    ("ties/integers", 200, "line"),
    ("integers/integers", 800, "none"),
    ("integers/two", 6, "line"),
    ("two/two", 20, "line"),
    ("two/flags", 200, "weak"),
    ("labels/labels", 60, "line"),
    ("labels/labels", 800, "line"),
    ("labels/rare", 200, "weak"),
    ("rare/rare", 60, "line"),
    ("rare/rare", 800, "copy"),
    ("rare/flags", 20, "line"),
    ("vector/vector", 60, "none"),
    ("vector/labels", 200, "line"),
    ("heavy/heavy", 60, "line"),
    ("heavy/numbers", 400, "square"),
    ("heavy/rare", 200, "none"),
    ("offset/offset", 60, "weak"),
    ("offset/numbers", 200, "square"),
    ("duplicates/duplicates", 60, "none"),
    ("duplicates/labels", 200, "line"),
    ("duplicates/heavy", 20, "weak"),
    ("constant/labels", 20, "none"),
]
for _kinds, _rows, _link in AGGREGATED:
    CASES.add(
        f"test {_kinds} {_rows} {_link}",
        lambda k=_kinds, n=_rows, s=_link: independence(pair(k, n, 31, s), roughly(k, n)),
    )

MOMENTS = [
    ("numbers/numbers", 6, "none"),
    ("numbers/numbers", 60, "line"),
    ("numbers/labels", 200, "weak"),
    ("ties/two", 20, "line"),
    ("vector/heavy", 200, "square"),
    ("offset/duplicates", 60, "line"),
    ("labels/rare", 800, "none"),
    ("integers/constant", 60, "none"),
    ("heavy/heavy", 800, "weak"),
    ("numbers/numbers", 2000, "weak"),
]
for _kinds, _rows, _link in MOMENTS:
    CASES.add(
        f"test by moments {_kinds} {_rows} {_link}",
        lambda k=_kinds, n=_rows, s=_link: independence(pair(k, n, 32, s), roughly(k, n), method="moments"),
    )

KERNELS = {
    "Gaussian 0.5": Gaussian(0.5),
    "Gaussian silverman": Gaussian("silverman"),
    "Laplacian": Laplacian(),
    "Delta": Delta(),
    "by name": {"x1": Gaussian("knn"), "x2": Laplacian(2.0)},
}
for _name, _kernel in KERNELS.items():
    CASES.add(
        f"test with {_name}",
        lambda k=_kernel: independence(pair("ties/integers", 200, 33, "weak"), " ~1e-07", kernel=k),
    )

TALL = [
    ("numbers/numbers", 5001, "none", {}),
    ("numbers/labels", 6000, "weak", {}),
    ("heavy/numbers", 6000, "line", {}),
    ("labels/rare", 5001, "weak", {}),
    ("two/integers", 6000, "none", {}),
    ("vector/ties", 5001, "square", {"kernel": Gaussian(2.0)}),
    ("offset/numbers", 6000, "weak", {"method": "moments"}),
    ("numbers/ties", 6000, "square", {"kernel": Gaussian(1.5)}),
]
for _kinds, _rows, _link, _options in TALL:
    CASES.add(
        f"tall test {_kinds} {_rows} {_link}",
        lambda k=_kinds, n=_rows, s=_link, o=_options: independence(pair(k, n, 34, s), roughly(k, n), **o),
    )


def refused(columns, **options):
    """What an error says."""
    try:
        sh.independence_test(*columns, **options)
    except ValueError as error:
        return {"error": type(error).__name__, "message": str(error)}
    return {"error": "none"}


CASES.add("tall test refused, no low rank", lambda: refused(pair("vector/ties", 5001, 34, "square")))
CASES.add("tall test refused, three", lambda: refused(several("two/labels/flags", 5001, 34)))
CASES.add("test refused, five rows", lambda: refused(pair("two/labels", 5, 34), method="moments"))

SEVERAL = [
    ("numbers/numbers/numbers", 60, "none"),
    ("numbers/ties/labels", 200, "weak"),
    ("vector/flags/heavy", 60, "line"),
    ("integers/two/rare", 200, "none"),
    ("numbers/numbers/numbers/numbers", 200, "weak"),
    ("offset/duplicates/labels/two/numbers", 60, "none"),
    ("numbers/constant/labels", 60, "line"),
    ("numbers/numbers/two", 7, "line"),
    ("numbers/labels/vector", 300, "square"),
    ("labels/flags/rare", 800, "weak"),
]
for _kinds, _rows, _link in SEVERAL:
    CASES.add(
        f"test of several {_kinds} {_rows} {_link}",
        lambda k=_kinds, n=_rows, s=_link: independence(several(k, n, 35, s), roughly(k, n)),
    )
CASES.add(
    "test of several by moments",
    lambda: independence(several("numbers/ties/labels/heavy", 100, 36, "weak"), method="moments"),
)
CASES.add("test of a lamp", lambda: independence(exclusive(200, 1, 0.2)))


def grouped():
    x, y, label, z = several("numbers/ties/labels/heavy", 100, 37, "weak")
    table = {"x": np.where(np.arange(100) % 17 == 0, np.nan, x), "y": y, "label": label, "z": z}
    return result(sh.independence_test(table, groups={"g": ["y", "label"], "h": ["x", "z"]}, missing="drop"))


CASES.add("test of groups with rows left out", grouped)

GIVEN = [
    ("numbers/numbers/numbers", 60, {}),
    ("numbers/ties/labels", 100, {}),
    ("vector/numbers/integers", 60, {"alpha": 1.0}),
    ("labels/flags/two", 100, {"alpha": 3.0}),
    ("constant/numbers/labels", 20, {}),
]
for _kinds, _rows, _options in GIVEN:
    CASES.add(
        f"test given {_kinds} {_rows}",
        lambda k=_kinds, n=_rows, o=_options: _given(several(k, n, 38), o),
    )


def _given(columns, options):
    x, y, z = columns
    return result(sh.independence_test(x, y, given=z, n_resamples=29, rng=7, **options))


def two_conditions():
    x, y, z, label = several("numbers/numbers/heavy/labels", 100, 39)
    return result(conditional_test(x, y, given=(z, label), n_resamples=29, neighbors=8, rng=1))


CASES.add("test given two", two_conditions)

PERMUTED = [
    ("numbers/numbers", 5, {}),
    ("numbers/numbers", 60, {"method": "permutation", "n_resamples": 49}),
    ("numbers/labels", 60, {"measure": "mutual_information", "n_resamples": 49, "rng": 2}),
    ("ties/vector/two", 60, {"measure": "dual_total_correlation", "alpha": 2.0, "n_resamples": 49}),
    ("heavy/rare", 20, {"alpha": 3.0, "n_resamples": 49}),
    ("constant/numbers", 20, {"method": "permutation"}),
]
for _kinds, _rows, _options in PERMUTED:
    CASES.add(
        f"test by permutation {_kinds} {_rows}",
        lambda k=_kinds, n=_rows, o=_options: independence(several(k, n, 40, "weak"), **o),
    )


def permuted(columns, **options):
    return result(sh.permutation_test(*columns, **options))


STATISTICS = {
    "o": {"statistic": "o_information", "n_resamples": 39},
    "s alpha 2": {"statistic": "s_information", "alpha": 2.0, "n_resamples": 39, "rng": 4},
    "co": {"statistic": "co_information", "alpha": 2.0, "n_resamples": 39},
    "dhsic": {"statistic": comparators.dhsic, "n_resamples": 39},
    "exceedances": {"alpha": 2.0, "n_resamples": 199, "exceedances": 5},
    "stretches": {"alpha": 2.0, "n_resamples": 39, "blocks": 6},
    "blocks": {"alpha": 2.0, "n_resamples": 39, "blocks": np.arange(60) % 4},
}
for _name, _options in STATISTICS.items():
    CASES.add(
        f"permutation test {_name}",
        lambda o=_options: permuted(several("numbers/ties/labels", 60, 41, "weak"), **o),
    )
for _function in (comparators.hsic, comparators.distance_correlation, comparators.distance_covariance):
    CASES.add(
        f"permutation test {_function.__name__}",
        lambda f=_function: permuted(pair("numbers/vector", 60, 42, "weak"), statistic=f, n_resamples=39),
    )
CASES.add("permutation test of 6 rows", lambda: permuted(pair("numbers/numbers", 6, 43), alpha=2.0, n_resamples=719))


def interaction(columns, **options):
    """All fields."""
    found = sh.interaction_test(*columns, **options)
    return {
        "statistic of three ~0.05": found.statistic,
        "pvalue ~0.05": found.pvalue,
        "split pvalue": found.split_pvalue,
        "kind": found.kind,
        "o ~0.001": found.o_information if np.isfinite(found.o_information) else None,
        "components": [c.name for c in found.components],
        "statistics" + STATISTIC: [c.statistic for c in found.components],
        "component pvalues": [c.pvalue for c in found.components],
        "names": found.names,
        "rows": found.rows,
    }


def product(kinds, rows, seed, share):
    """A third variable that follows the product of two."""
    rng = np.random.default_rng(seed)
    a, b, noise = rng.normal(size=(3, rows))
    values = a, b, share * a * b + noise
    return [column(kind, v, seed + k) for k, (kind, v) in enumerate(zip(kinds.split("/"), values, strict=True))]


INTERACTIONS = [
    ("numbers/numbers/numbers", 6, 0.0),
    ("numbers/numbers/numbers", 60, 1.5),
    ("numbers/labels/heavy", 200, 1.5),
    ("flags/flags/ties", 200, 1.0),
    ("vector/numbers/two", 60, 2.0),
    ("integers/rare/labels", 200, 0.0),
    ("offset/duplicates/numbers", 60, 1.0),
    ("numbers/constant/numbers", 20, 1.0),
    ("numbers/numbers/numbers", 400, 0.3),
    ("labels/flags/integers", 800, 0.5),
    ("labels/two/flags", 7, 1.0),
]
for _kinds, _rows, _share in INTERACTIONS:
    CASES.add(
        f"interaction {_kinds} {_rows} {_share:g}",
        lambda k=_kinds, n=_rows, s=_share: interaction(product(k, n, 44, s)),
    )
CASES.add("interaction of a lamp", lambda: interaction(exclusive(200, 2)))
CASES.add("interaction of a chain", lambda: interaction(several("numbers/ties/labels", 200, 45)))
CASES.add(
    "interaction with a kernel", lambda: interaction(product("numbers/ties/numbers", 60, 46, 1.0), kernel=Gaussian(1.0))
)


def adjusted():
    """q-values of given p-values."""
    p = np.array([0.001, 0.2, 1.0, 0.04, 1e-12, 0.03, 0.04])
    return {
        "qvalue bh": adjusted_pvalues(p),
        "qvalue weighted": adjusted_pvalues(p, weights=np.arange(1.0, 8.0) / 28),
        "latent": latent(3, 0)[0].round(8),
    }


CASES.add("q-values", adjusted)
