"""The document of a scan: every field it has, declared once for exports, tests and documentation."""

from collections.abc import Iterator, Mapping
from typing import Any

from shearer.report.relations import FLOOR

VERSION = 2

# Field -> its type and its meaning. "[]" stands for every item of a list, "?" after a name for one that may be absent,
# "*" for the order of the entropy in settings.alpha.
FIELDS: dict[str, tuple[str, str]] = {
    "version": ("integer", "version of this layout; a change that could break a reader raises it"),
    "settings.shearer": ("text", "version of shearer"),
    "settings.source": ("text or null", "where the table came from"),
    "settings.rows": ("integer", "rows of the table"),
    "settings.order": ("integer", "2: pairs; 3: pairs and triples; 4: quadruples too"),
    "settings.fdr": ("number", "false discovery rate up to which pairs and triples are reported"),
    "settings.top": ("integer", "pairs and triples that were measured in full, at most"),
    "settings.alpha": ("number or null", "order of the entropy at which they were"),
    "settings.max_rows": ("integer or null", "rows that were scanned at most; null: all"),
    "settings.kernel": ("text or null", "the kernel, where one was stated"),
    "settings.seed": ("integer or null", "seed of everything that is drawn"),
    "settings.target": ("text, list of text or null", "the columns that all others were compared with, if any were"),
    "settings.groups": ("mapping or null", "name of a vector variable -> its columns"),
    "settings.lags": ("list of integer or null", "lags that were asked for, in rows"),
    "settings.lag_test?": (
        "text or null",
        '"whitened": what the own past of numbers leaves is tested over lags; "stretches": the columns as they are',
    ),
    "settings.difference?": ("truth value", "whether numbers were taken as their steps from row to row"),
    "settings.cluster": ("text or null", "the column whose equal values mark rows that may depend on each other"),
    "settings.given?": ("list of text", "columns that all pairs are tested given; only with given"),
    "settings.missing": (
        "text",
        '"pairwise": a pair is judged by the rows that have both values; "drop": by those that lack nothing',
    ),
    "settings.seconds": ("number or null", "time that the scan took"),
    "settings.date": ("text or null", "when it began, in UTC"),
    "settings.pairs_tested": ("integer or null", "pairs with a p-value"),
    "settings.triples_tested": ("integer or null", "triples that were screened by their splits"),
    "settings.triples_passed": ("integer or null", "triples that passed and were tested for a three-way term"),
    "settings.triples_possible": ("integer or null", "triples there are"),
    "settings.quadruples_screened?": ("integer", "quadruples that were screened; only with order 4"),
    "settings.quadruples_passed?": ("integer", "quadruples that passed; the most significant 200 were tested"),
    "settings.quadruples_possible?": ("integer", "quadruples there are"),
    "columns[].name": ("text", "the column or group"),
    "columns[].kind": ("text", '"continuous", "categorical", "mixed" for a group of both, or "object" for neither'),
    "columns[].n": ("integer", "rows with a value"),
    "columns[].missing": ("integer", "rows without one"),
    "columns[].distinct": ("integer or null", "different values"),
    "columns[].members": ("list of text", "columns of a group; empty for a single column"),
    "columns[].notes": ("list of text", "what to know of it: constant, an identifier, ..."),
    "columns[].explained?": ("number", "share of it that the columns given explain, from 0 to 1; only with given"),
    "known[].kind?": (
        "text",
        'what holds in every row: "same" (columns that tell the same), "determines" (the first the others), "computed"',
    ),
    "known[].columns?": ("list of text", "the columns; of what is computed the result first"),
    "known[].how?": (
        "list of text",
        '"equal", "scaled", "curved" or "renamed" of the same; for each term of what is computed "plus" or "less", or '
        '"times", "over" or "over the square of"',
    ),
    "known[].exceptions?": ("integer", "rows in which the formula does not give what is computed"),
    "known[].constant?": ("number", "what is added to a sum in every row; missing where that is nothing"),
    "known[].factor?": ("number", "by which a product or ratio is multiplied, as 100 for percent"),
    "dependent_rows[].kind?": (
        "text",
        'why rows are not independent: "time", "panel" (units in time), "units" (several rows each), "order" '
        '(neighbours are alike) or "repeated"',
    ),
    "dependent_rows[].columns?": ("list of text", "that tell the unit, then the time"),
    "dependent_rows[].alike?": ("list of text", "columns in which such rows are alike, the most first"),
    "dependent_rows[].shared?": (
        "truth value",
        "of rows in time: whether many have the same date, so that no series is",
    ),
    "dependent_rows[].rows?": ("integer", "units, rows that repeat others, or all rows"),
    "dependent_rows[].sorted?": ("truth value", "whether rows are in the order of time"),
    "untested[].pairs?": ("integer", "pairs that could not be tested over lags, whose p-value is 1"),
    "untested[].reason?": ("text", "why"),
    "pairs[].variables": ("list of text", "the two variables"),
    "pairs[].strength": (
        "number or null",
        "on the scale of a correlation: 0 in mean for independent columns, 1 for copies; null with fewer than 6 rows",
    ),
    "pairs[].strength_low": (
        "number or null",
        "lower end of its 95 % confidence interval, 0 where independence cannot be excluded; null with lags and beyond "
        "the first 5000 pairs",
    ),
    "pairs[].strength_high": ("number or null", "upper end of that interval"),
    "pairs[].pvalue": ("number or null", "of the test of independence"),
    "pairs[].qvalue": ("number or null", "smallest false discovery rate at which the pair is reported"),
    "pairs[].n": ("integer or null", "rows with both values"),
    "pairs[].reported": ("truth value", "whether it passes the false discovery rate"),
    "pairs[].lag?": (
        "integer",
        "rows by which the second variable follows the first, the first if below 0; only with lags",
    ),
    "pairs[].direct?": (
        "truth value or null",
        "of the strongest reported pairs: whether it still shows given the columns that either of the two is linked "
        "with; null where some of these tests could not be done; only with direct",
    ),
    "pairs[].warned?": (
        "truth value",
        "whether a small p-value may be due to the columns given: what they leave of both still depends on them; only "
        "with given",
    ),
    "pairs[].sign": ("text or null", '"+" or "-" where two columns of numbers are related monotonely'),
    "pairs[].determines": (
        "text or null",
        '"first": each value of the first column has one of the second, and of numbers that hardly repeat the values '
        'lie on a curve without noise; "second": the other way; "both"; null with given',
    ),
    "pairs[].shape": (
        "text or null",
        'what the dependence looks like, where it can be told: of two numbers "line", "curve" (bent, rising or falling '
        'all along), "step", "U", "inverted U", "wave" (up and down, with more than one turn), "ring", "groups", '
        '"widening" or "narrowing" (the spread of one along the other); of a number and a label "shift" (levels differ '
        'in their middle), "spread" or "shift and spread"',
    ),
    "pairs[].shape_along": ("text or null", '"first" or "second": the column along which that is seen, or the label'),
    "pairs[].details": (
        "mapping or null",
        "null, as sign, determines and shape, for pairs that were not looked at closely",
    ),
    "pairs[].details.pearson": ("number or null", "correlation of two columns of numbers"),
    "pairs[].details.spearman": ("number or null", "correlation of their ranks"),
    "pairs[].details.eta_squared": ("number or null", "of a number and a label: share of variance between levels"),
    "pairs[].details.mutual_information_order*": ("number or null", "I* at the order of settings.alpha, as order1"),
    "pairs[].details.mutual_information_order*_low": ("number or null", "lower end of its confidence interval"),
    "pairs[].details.mutual_information_order*_high": ("number or null", "upper end"),
    "pairs[].details.interval_note?": (
        "text or null",
        "why that interval may hold too seldom: cells of labels so rare that fewer than 10 rows are expected in one",
    ),
    "pairs[].details.total_correlation_order*": ("number or null", "T* at that order"),
    "pairs[].details.dual_total_correlation_order*": ("number or null", "D* at that order"),
    "triples[].variables": ("list of text", "the three variables"),
    "triples[].kind": (
        "text or null",
        '"synergistic" or "redundant", by the sign of the excess, or "unclear" within twice its error; '
        "null for triples that are not reported",
    ),
    "triples[].added": (
        "number or null",
        "bits a row that the three add to the best model of their pairs, beyond chance; null where the screen failed",
    ),
    "triples[].added_error": ("number or null", "its standard error"),
    "triples[].value": ("number or null", "T* at alpha = 2"),
    "triples[].o_information": ("number or null", "O-information at alpha = 2, in bits"),
    "triples[].excess": (
        "number or null",
        "O-information at alpha = 1 less its bias, in bits, whose sign is the kind; null for triples not reported",
    ),
    "triples[].excess_error": ("number or null", "its standard error"),
    "triples[].pvalue": (
        "number or null",
        "of a three-way term, that no model of pairs explains them; null where the screen failed",
    ),
    "triples[].qvalue": ("number or null", "smallest false discovery rate that the three-way term passes"),
    "triples[].split_pvalue": ("number or null", "of the screen: none of the three is independent of the other two"),
    "triples[].n": ("integer or null", "rows with all three values"),
    "triples[].reported": (
        "truth value",
        f"whether it passes the false discovery rate and adds at least {FLOOR:g} bits beyond the error",
    ),
    "triples[].measured": ("mapping or null", "null for triples that were only screened"),
    "triples[].measured.alpha": ("number", "order of the entropy"),
    "triples[].measured.total_correlation": ("number or null", "T* at that order"),
    "triples[].measured.dual_total_correlation": ("number or null", "D*"),
    "triples[].measured.o_information": ("number or null", "O-information in bits"),
    "triples[].measured.adjusted": ("number or null", "T at alpha = 2, 0 at the chance level and 1 for copies"),
    "triples[].measured.interval_note?": ("text or null", "why that interval may hold too seldom, as of pairs"),
    "triples[].measured.interval": ("list of number or null", "lower and upper end of the confidence interval of T*"),
    "quadruples[].variables?": (
        "list of text",
        "the four variables, of those that passed the screen; only with order 4",
    ),
    "quadruples[].added?": (
        "number or null",
        "bits a row that the four add to the best model of their triples, beyond chance; null where it was not tested",
    ),
    "quadruples[].added_error?": ("number or null", "its standard error"),
    "quadruples[].pvalue?": ("number or null", "of a term of all four, that no model of triples explains them"),
    "quadruples[].qvalue?": ("number or null", "smallest false discovery rate that the term passes"),
    "quadruples[].screen_pvalue?": ("number or null", "of the screen: the four do not fall into independent parts"),
    "quadruples[].n?": ("integer", "rows with all four values"),
    "quadruples[].reported?": (
        "truth value",
        f"whether it passes the false discovery rate and adds at least {FLOOR:g} bits beyond the error",
    ),
    "notes": ("list of text", "what to know of the table and of the scan"),
}


def departures(document: Mapping[str, Any], declared: Mapping[str, tuple[str, str]] = FIELDS) -> list[str]:
    """Where a document is not as declared: fields that are missing, unknown or of another type.

    Parameters
    ----------
    document : mapping
        Of a scan, or of another command.
    declared : mapping
        Field -> its type and its meaning.

    Examples
    --------
    >>> departures({"version": "1", "settings": {}, "columns": [], "pairs": [], "triples": [], "notes": []})[:2]
    ["version: expected integer, got '1'", 'settings.shearer: missing']
    """
    found = []
    alpha = document["settings"].get("alpha")
    order = f"{alpha:g}" if isinstance(alpha, int | float) else "1"
    fields = {name.replace("*", order): expected for name, (expected, _) in declared.items()}
    for field, expected in fields.items():
        path = field.removesuffix("?").replace("[]", ".[]").split(".")
        for place, value in _values(document, path, ""):
            if value is _ABSENT:
                found += [f"{place}: missing"] if not field.endswith("?") else []
            elif not any(_is(value, kind) for kind in expected.replace(" or ", ", ").split(", ")):
                found.append(f"{place}: expected {expected}, got {value!r}")
    return found + [f"{place}: not declared" for place in _unknown(document, "", fields)]


_ABSENT = object()
_TYPES = {"integer": int, "number": int | float, "text": str, "truth value": bool, "mapping": Mapping, "list": list}


def _is(value: Any, kind: str) -> bool:
    if kind == "null":
        return value is None
    if kind.startswith("list of "):
        return isinstance(value, list) and all(_is(item, kind.removeprefix("list of ")) for item in value)
    return isinstance(value, _TYPES[kind]) and (kind == "truth value" or not isinstance(value, bool))


def _values(value: Any, path: list[str], place: str) -> Iterator[tuple[str, Any]]:
    """Every value that a path leads to; null on the way ends it."""
    if not path:
        yield place, value
    elif value is None:
        return
    elif path[0] == "[]":
        for position, item in enumerate(value):
            yield from _values(item, path[1:], f"{place}[{position}]")
    else:
        here = f"{place}.{path[0]}".lstrip(".")
        if isinstance(value, Mapping) and path[0] in value:
            yield from _values(value[path[0]], path[1:], here)
        else:
            yield here, _ABSENT


def _unknown(value: Any, field: str, fields: Mapping[str, str]) -> Iterator[str]:
    """Fields of a document that nobody declared."""
    declared = [name.replace("?", "") for name in fields]
    if field in declared and fields.get(field) == "mapping or null" and field.endswith("groups"):
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _unknown(item, f"{field}.{key}".lstrip("."), fields)
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        for item in value:
            yield from _unknown(item, f"{field}[]", fields)
    elif field not in declared and not any(name.startswith((f"{field}.", f"{field}[")) for name in declared):
        yield field
