"""Documents of scans that nobody ran: every field filled, with names of any kind."""

from itertools import combinations

import numpy as np

PLAIN = ("species", "island", "bill_length_mm", "flipper_length_mm", "body_mass_g", "sex")
HOSTILE = (
    "=cmd|' /C calc'!A0",
    "+1",
    "-x",
    "@SUM(A1)",
    "\ttab",
    "\rreturn",
    "two\nlines",
    "\x1b[31mred\x1b[0m",
    "\x00nul\x07bell",
    "\u202eright to left",
    "[bold]markup[/bold]",
    "<script>\"&'",
    "x" * 10_000,
    "体重（千克）",
    "e\u0301" * 50,
    "🐧",
    "",
    " ",
    "a,b;c",
    "\udc80 half a character",
    "=cmd|' /C calc'!A0'",
)


def document(names=PLAIN, *, triples=True, lags=False, seed=0):
    """A document with all pairs of the names, and their first triples."""
    rng = np.random.default_rng(seed)
    pairs = [_pair(list(pair), rng, number) for number, pair in enumerate(combinations(names, 2))]
    if lags:
        pairs = [pair | {"lag": lag} for pair in pairs for lag in (0, 3)]
    found = [_triple(list(triple), rng, number) for number, triple in enumerate(list(combinations(names, 3))[:40])]
    settings = {
        "shearer": "0.1.0", "source": "table.csv", "rows": 344, "order": 3 if triples else 2, "fdr": 0.05, "top": 50,
        "alpha": 1.0, "max_rows": 2000, "kernel": None, "seed": 0, "target": None, "groups": None,
        "lags": [0, 3] if lags else None, "lag_test": "stretches" if lags else None,
        "difference": False, "cluster": None, "missing": "pairwise", "seconds": 1.5,
        "date": "2024-01-01T00:00:00+00:00",
        "pairs_tested": len(pairs), "triples_tested": len(found), "triples_passed": 1, "triples_possible": len(found),
    }  # fmt: skip
    return {
        "version": 2,
        "settings": settings,
        "columns": [_column(name, number) for number, name in enumerate(names)],
        "pairs": pairs,
        "triples": found if triples else [],
        "known": [
            {"kind": "same", "columns": list(names[:2]), "how": ["scaled"]},
            {"kind": "determines", "columns": list(names[1:3]), "how": []},
            {
                "kind": "computed",
                "columns": list(names[:3]),
                "how": ["times", "over"],
                "exceptions": 0,
                "factor": 100.0,
            },
            {
                "kind": "computed",
                "columns": list(names[:3]),
                "how": ["less", "plus"],
                "exceptions": 2,
                "constant": -6.0,
            },
        ],
        "dependent_rows": [
            {"kind": kind, "columns": list(names[:2]), "alike": list(names[1:3]), "rows": 12, "sorted": kind == "time"}
            for kind in ("time", "panel", "units", "order", "repeated")
        ],
        "untested": [{"pairs": 2, "reason": "both series remember too much"}] if lags else [],
        "notes": [f"{names[0]!r} was looked at closely"],
    }


def _column(name, number):
    kind = ("continuous", "categorical")[number % 2]
    notes = ["every value differs"] if number == 1 else []
    return {"name": name, "kind": kind, "n": 340, "missing": 4, "distinct": 3, "members": [], "notes": notes}


def _pair(variables, rng, number):
    value = float(rng.uniform())
    strength = value * 1.1 - 0.1
    entry = {"variables": variables, "strength": strength, "strength_low": value / 2, "strength_high": value}
    entry |= {"pvalue": 10.0**-number, "sign": (None, "+", "-")[number % 3]}
    entry |= {"determines": (None, "first", "second", "both")[number % 4]}
    shapes = (None, "line", "curve", "U", "ring", "shift and spread")
    entry |= {"shape": shapes[number % 6], "shape_along": "first" if number % 2 else "second"}
    entry |= {"qvalue": min(1.0, 2 * 10.0**-number), "n": 342 - number, "reported": number % 3 != 2, "details": None}
    if number % 2 == 0:
        entry["details"] = {
            "pearson": value, "spearman": -value, "eta_squared": None, "mutual_information_order1": value,
            "mutual_information_order1_low": value - 0.02, "mutual_information_order1_high": value + 0.03,
            "interval_note": "rare cells", "total_correlation_order1": value, "dual_total_correlation_order1": None,
        }  # fmt: skip
    return entry


def _triple(variables, rng, number):
    value = float(rng.uniform())
    entry = {"variables": variables, "kind": (None, "synergistic", "redundant", "unclear")[number % 4], "value": value}
    entry |= {
        "o_information": value - 0.5,
        "excess": value - 0.5,
        "excess_error": 0.1,
        "added": value,
        "added_error": None,
        "split_pvalue": 0.001,
        "pvalue": 0.01,
        "qvalue": float("nan"),
        "n": 340,
        "reported": True,
    }
    measured = {
        "alpha": 1.0, "total_correlation": value, "dual_total_correlation": value, "o_information": -0.1,
        "adjusted": value, "interval": None, "interval_note": None,
    }  # fmt: skip
    return entry | {"measured": measured if number % 2 else None}
