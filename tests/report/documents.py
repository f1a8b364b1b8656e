"""Documents as a scan makes them, from tables measured by the library itself."""

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

import shearer as sh
from shearer.data import read
from shearer.datasets import planted_table
from shearer.inference.pvalue import adjusted_pvalues
from shearer.pairs.sides import Ladders
from shearer.pairs.splits import SplitTests

NOTE = "Rows are taken as independent of each other; if they are not, p-values are too small."


def penguins(rows: int = 344, seed: int = 1) -> dict[str, Any]:
    """Birds of three kinds on three islands, with gaps."""
    rng = np.random.default_rng(seed)
    species = rng.choice(3, size=rows, p=[0.44, 0.2, 0.36])
    island = np.where(species == 2, 0, np.where(rng.random(rows) < 0.4, 1, np.where(species == 1, 1, 2)))
    sex = rng.integers(0, 2, size=rows)
    flipper = np.array([190.0, 196.0, 217.0])[species] + 6.0 * sex + rng.normal(0, 5, rows)
    mass = np.array([3700.0, 3730.0, 5080.0])[species] + 600.0 * sex + rng.normal(0, 280, rows)
    bill = np.array([38.8, 48.8, 47.5])[species] + 3.4 * sex + rng.normal(0, 2.2, rows)
    depth = np.array([18.3, 18.4, 15.0])[species] + 1.4 * sex + rng.normal(0, 0.8, rows)
    mass[[3, rows // 2]] = np.nan
    columns: dict[str, Any] = {
        "species": np.array(["Adelie", "Chinstrap", "Gentoo"])[species],
        "island": np.array(["Biscoe", "Dream", "Torgersen"])[island],
        "bill_length_mm": bill.round(1),
        "bill_depth_mm": depth.round(1),
        "flipper_length_mm": flipper.round(),
        "body_mass_g": mass,
        "sex": np.array(["female", "male"])[sex],
        "year": rng.choice([2007.0, 2008.0, 2009.0], size=rows),
    }
    return columns


def planted(rows: int = 300) -> dict[str, Any]:
    return planted_table(rows).columns


def wide(columns: int = 300, rows: int = 80, seed: int = 2) -> dict[str, Any]:
    """Numbers in blocks that share a factor, every tenth a label, the last third noise."""
    rng = np.random.default_rng(seed)
    table: dict[str, Any] = {}
    for position in range(columns):
        block = position // 12
        factor = np.random.default_rng(1000 + block).normal(size=rows)
        weight = 0.0 if position > 2 * columns // 3 else 0.4 + 0.5 * rng.random()
        values = weight * factor + np.sqrt(1 - weight**2) * rng.normal(size=rows)
        table[f"gene_{(position * 7919) % 997:03d}"] = (
            np.where(values > 0.4, "high", np.where(values < -0.4, "low", "mid")) if position % 10 == 0 else values
        )
    return table


def complete_rows(columns: dict[str, Any]) -> dict[str, Any]:
    kept = np.all(
        [~np.isnan(values) if values.dtype.kind == "f" else values == values for values in columns.values()], 0
    )
    return {name: values[kept] for name, values in columns.items()}


def sample_of(columns: dict[str, Any]) -> dict[str, Any]:
    """All rows, as a scan hands them to the page."""
    packed = {}
    for name, values in columns.items():
        if values.dtype.kind == "f":
            packed[name] = {"values": [None if np.isnan(value) else float(value) for value in values]}
        else:
            levels, codes = np.unique(values.astype(str), return_inverse=True)
            packed[name] = {"codes": codes.tolist(), "levels": levels.tolist()}
    return {"rows": len(values), "columns": packed}


def scan(columns: dict[str, Any], *, source: str = "table.csv", order: int = 3, fdr: float = 0.05) -> dict[str, Any]:
    """Pairs and triples of a table, tested and, the top ones, measured at alpha 1."""
    complete = complete_rows(columns)
    rows = len(next(iter(columns.values())))
    pairs = _pairs(complete, fdr)
    triples = _triples(complete, fdr) if order == 3 else []
    noun = sh.Dependence(complete)
    for pair in pairs[:3]:
        pair["details"] = _details(noun, pair)
    return {
        "version": 2,
        "settings": {
            "shearer": sh.__version__,
            "source": source,
            "rows": rows,
            "order": order,
            "fdr": fdr,
            "top": 50,
            "alpha": 1.0,
            "seed": 0,
            "target": None,
            "groups": {},
            "lags": None,
            "cluster": None,
            "missing": "pairwise",
            "seconds": 1.9,
            "date": "2026-01-01T12:00:00+00:00",
            "pairs_tested": len(pairs),
            "triples_tested": len(triples),
            "triples_passed": len(triples),
            "triples_possible": len(triples),
        },
        "columns": [_column(name, values) for name, values in columns.items()],
        "pairs": pairs,
        "triples": triples,
        "notes": [NOTE],
    }


def _column(name: str, values: Any) -> dict[str, Any]:
    gaps = int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0
    kind = "continuous" if values.dtype.kind == "f" else "categorical"
    distinct = len(np.unique(values[~np.isnan(values)] if kind == "continuous" else values))
    return {"name": name, "kind": kind, "n": len(values) - gaps, "missing": gaps, "distinct": distinct} | {
        "members": [],
        "notes": [],
    }


def _pairs(columns: dict[str, Any], fdr: float) -> list[dict[str, Any]]:
    table = sh.pairwise(columns)
    a, b = np.triu_indices(len(table.names), 1)
    order = np.lexsort([table.pvalue[a, b], -table.strength[a, b], table.qvalue[a, b] > fdr])
    return [
        {
            "variables": [table.names[i], table.names[j]],
            "strength": float(table.strength[i, j]),
            "strength_low": float(table.strength_low[i, j]),
            "strength_high": float(table.strength_high[i, j]),
            "pvalue": float(table.pvalue[i, j]),
            "qvalue": float(table.qvalue[i, j]),
            "n": table.rows,
            "reported": bool(table.qvalue[i, j] <= fdr),
            "sign": None,
            "determines": None,
            "shape": None,
            "shape_along": None,
            "details": None,
        }
        for i, j in zip(a[order], b[order], strict=True)
    ]


def _triples(columns: dict[str, Any], fdr: float) -> list[dict[str, Any]]:
    table = read(columns)
    candidates = list(combinations(table.names, 3))
    tests = SplitTests(Ladders.of(table))
    pvalues = tests.pvalues(combinations(range(len(table.names)), 3))
    qvalues = adjusted_pvalues(pvalues)
    found = sh.triples(columns)
    result = []
    for k in np.argsort(pvalues, kind="stable"):
        reported = bool(qvalues[k] <= fdr)
        kind = ("synergistic" if found.o_information[k] < 0 else "redundant") if reported else None
        result.append(
            {
                "variables": list(candidates[k]),
                "kind": kind,
                "added": 0.3 if reported else 0.0,
                "added_error": 0.02,
                "value": float(found.total_correlation[k]),
                "o_information": float(found.o_information[k]),
                "excess": float(found.o_information[k]) if reported else None,
                "excess_error": 0.02 if reported else None,
                "pvalue": float(pvalues[k]),
                "qvalue": float(qvalues[k]),
                "split_pvalue": float(pvalues[k]),
                "n": table.rows,
                "reported": reported,
                "measured": None,
            }
        )
    return result


def _details(noun: sh.Dependence, pair: dict[str, Any]) -> dict[str, Any]:
    names = pair["variables"]
    value = noun.mutual_information(*names).value
    return {
        "pearson": 0.5,
        "spearman": -0.25,
        "eta_squared": None,
        "mutual_information_order1": value,
        "mutual_information_order1_low": value - 0.03,
        "mutual_information_order1_high": value + 0.02,
        "total_correlation_order1": noun.total_correlation(*names).value,
        "dual_total_correlation_order1": noun.dual_total_correlation(*names).value,
    }


def _lagged(rows: int = 200, seed: int = 4) -> tuple[dict[str, Any], dict[str, Any]]:
    """A driver that two others follow, one row and two rows later: the document and the table."""
    rng = np.random.default_rng(seed)
    driver = rng.normal(size=rows)
    columns = {
        "driver": driver,
        "next": np.roll(driver, 1) + 0.4 * rng.normal(size=rows),
        "after": np.roll(driver, 2) + 0.4 * rng.normal(size=rows),
        "noise": rng.normal(size=rows),
    }
    document = scan(columns, source="series.csv", order=2)
    pairs = []
    for lag in (0, 1, 2):
        for a, b in [*combinations(columns, 2), *(pair[::-1] for pair in combinations(columns, 2) if lag)]:
            shifted = {a: columns[a][: rows - lag], b: columns[b][lag:]}
            pairs += [pair | {"variables": [a, b], "lag": lag} for pair in _pairs(shifted, 0.05)]
    for pair, qvalue in zip(pairs, adjusted_pvalues(np.array([pair["pvalue"] for pair in pairs])), strict=True):
        pair |= {"qvalue": float(qvalue), "reported": bool(qvalue <= 0.05)}
    pairs.sort(key=lambda pair: (not pair["reported"], -pair["strength"]))
    document["settings"] |= {"lags": [0, 1, 2], "pairs_tested": len(pairs)}
    return document | {"pairs": pairs}, columns


def with_target(document: dict[str, Any], target: str) -> dict[str, Any]:
    """The part of a document that concerns one column."""
    pairs, triples = (
        [relation for relation in document[part] if target in relation["variables"]] for part in ("pairs", "triples")
    )
    counts = {"pairs_tested": len(pairs), "triples_tested": len(triples), "triples_possible": len(triples)}
    return document | {
        "settings": document["settings"] | {"target": target} | counts,
        "pairs": pairs,
        "triples": triples,
    }


HOSTILE = [
    "<script>document.title='owned'</script>",
    "</script><img src=x onerror=document.title='owned'>",
    "=cmd|' /C calc'!A0",
    "long " + "x" * 10_000 + " end",
    "\u202eright to left\u202c",
    "שלום עולם",
    "two\nlines\tand\rmore",
    "\"quotes\" 'and' {{ braces }} ${dollar} `tick`",
    "&lt;b&gt; \u2028\u2029 \ud800 \x00\x1b[31m",
    "",
]


def hostile(rows: int = 120) -> dict[str, Any]:
    """Columns and labels whose names try to be more than names."""
    rng = np.random.default_rng(5)
    factor = rng.normal(size=rows)
    columns: dict[str, Any] = {}
    for position, name in enumerate(HOSTILE):
        values = factor + 0.5 * rng.normal(size=rows)
        columns[name] = np.where(values > 0, HOSTILE[0], HOSTILE[3]) if position % 3 == 2 else values
    return columns


def independent(columns: int = 5, rows: int = 40) -> dict[str, Any]:
    rng = np.random.default_rng(6)
    return {f"noise_{k}": rng.normal(size=rows) for k in range(columns)}


@cache
def example(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A document and its sample, made once; nobody may change them."""
    if name == "lagged":
        document, table = _lagged()
        return document, sample_of(table)
    tables: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "planted": (planted(180), {"source": "planted.csv"}),
        "penguins": (penguins(150), {"source": "penguins.csv"}),
        "wide": (wide(), {"source": "genes.tsv", "order": 2}),
        "hostile": (hostile(60), {"source": HOSTILE[1]}),
        "noise": (independent(), {"source": "noise.csv"}),
    }
    table, options = tables[name]
    return scan(table, **options), sample_of(table)
