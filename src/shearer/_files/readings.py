"""What the texts of a column can stand for, observed in parts that add up to the whole."""

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None")
# These are also labels and signs elsewhere: where they count as missing, a note says so.
DOUBTFUL = ("?", "-", ".")

INTEGER, NUMBER, DECIMAL_COMMA = "integer", "number", "decimal comma"
# Words for true and false, in any case; one pair of them in a column.
TRUTHS = {"true": "false", "yes": "no", "y": "n", "t": "f", "on": "off"}
# Before such a word that was seen.
WORD = "word "
# Before a reading: the same of what is left without the unit.
WITH_UNIT = "with a unit: "
# Before a unit that was seen.
UNIT = "unit "
# By the sign between thousands; the other one is the decimal sign then.
THOUSANDS = {".": "thousands by points", ",": "thousands by commas"}
OTHER_SIGN = {".": ",", ",": "."}
_DAY_FIRST, _MONTH_FIRST = "%d/%m/%Y", "%m/%d/%Y"
DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", _DAY_FIRST, _MONTH_FIRST)
_CLOCKS = tuple(f"{gap}{clock}" for gap in " T" for clock in ("%H:%M", "%H:%M:%S%.f"))
TIMES = (
    *(f"{date}{clock}" for date in DATES for clock in _CLOCKS),
    *(f"{DATES[0]}{clock}%#z" for clock in _CLOCKS),
)
_NUMBERS = (INTEGER, NUMBER, DECIMAL_COMMA, *THOUSANDS.values())
EVERY_READING = frozenset(
    (*_NUMBERS, WITH_UNIT, *(f"{WITH_UNIT}{reading}" for reading in _NUMBERS), *TRUTHS, *DATES, *TIMES)
)

# What was seen of a sign: in groups of three digits; in groups that are no decimals (two, or before a decimal sign);
# before other digits than three; beside numbers from 1000 that lack it.
GROUPED, DECIDED, DECIMAL, LARGE = "grouped", "decided", "decimal", "large"
PLUS = "+"

_NUMERIC = r"^[+-]?[0-9.,]+([eE][+-]?[0-9]+)?$"
_WITH_COMMA = r"^[+-]?[0-9]+(,[0-9]+)?([eE][+-]?[0-9]+)?$"
_FROM_THOUSAND = r"^[+-]?0*[1-9][0-9]{3,}"
# Signs and words that stand before or after a number; none that labels end with, as in 5A or 2nd.
_MONEY = ("$", "€", "£", "¥", "₹", "₽", "US$", "USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD", "INR")
_SHARES = ("%", "‰", "ppm", "ppb")
_SIZES = ("km", "m", "cm", "mm", "µm", "μm", "nm", "mi", "ft", "in", "m²", "m2", "km²", "km2", "sqft", "ha", "m³", "m3")
_AMOUNTS = ("kg", "g", "mg", "µg", "μg", "lb", "lbs", "oz", "l", "L", "ml", "mL", "dl", "cl", "gal", "kB", "MB", "GB")
_LASTING = ("s", "sec", "ms", "min", "h", "hr", "hrs", "days", "years", "yrs", "km/h", "kmh", "mph", "m/s", "kn", "rpm")
_PHYSICAL = ("°", "°C", "°F", "℃", "℉", "hPa", "kPa", "mbar", "bar", "psi", "mmHg", "W", "kW", "MW", "Wh", "kWh", "MWh")
_OTHER = ("kJ", "kcal", "cal", "mV", "kV", "mA", "Hz", "kHz", "MHz", "GHz", "hp", "PS")
_DENSITIES = ("mmol/L", "mmol/l", "mg/dL", "mg/dl", "g/dL", "g/dl", "g/L", "g/l")
_UNITS = (*_MONEY, *_SHARES, *_SIZES, *_AMOUNTS, *_LASTING, *_PHYSICAL, *_OTHER, *_DENSITIES)
_UNIT = "with a unit: "
# Before a unit that was seen.
UNIT = "unit "
# By the sign between thousands; the other one is the decimal sign then.
THOUSANDS = {".": "thousands by points", ",": "thousands by commas"}
OTHER_SIGN = {".": ",", ",": "."}
_DAY_FIRST, _MONTH_FIRST = "%d/%m/%Y", "%m/%d/%Y"
DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", _DAY_FIRST, _MONTH_FIRST)
_CLOCKS = tuple(f"{gap}{clock}" for gap in " T" for clock in ("%H:%M", "%H:%M:%S%.f"))
TIMES = (
    *(f"{date}{clock}" for date in DATES for clock in _CLOCKS),
    *(f"{DATES[0]}{clock}%#z" for clock in _CLOCKS),
)
_NUMBERS = (INTEGER, NUMBER, DECIMAL_COMMA, *THOUSANDS.values())
EVERY_READING = frozenset(
    (*_NUMBERS, WITH_UNIT, *(f"{WITH_UNIT}{reading}" for reading in _NUMBERS), *TRUTHS, *DATES, *TIMES)
)

# What was seen of a sign: in groups of three digits; in groups that are no decimals (two, or before a decimal sign);
# before other digits than three; beside numbers from 1000 that lack it.
GROUPED, DECIDED, DECIMAL, LARGE = "grouped", "decided", "decimal", "large"
PLUS = "+"

_NUMERIC = r"^[+-]?[0-9.,]+([eE][+-]?[0-9]+)?$"
_WITH_COMMA = r"^[+-]?[0-9]+(,[0-9]+)?([eE][+-]?[0-9]+)?$"
_FROM_THOUSAND = r"^[+-]?0*[1-9][0-9]{3,}"
# Signs and words that stand before or after a number; none that labels end with, as in 5A or 2nd.
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_HAS_UNIT = rf"^[+-]?(?:(?P<before>{_UNIT}) ?)?[+-]?[0-9.,]*[0-9](?: ?(?P<after>{_UNIT}))?$"
_DATE_LIKE = r"^([0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4})([ T]|$)"
# As many odd texts as a note can list, and one more.
_KEPT_ODD = 8
_FEW = 20


@dataclass(frozen=True)
class Observed:
    """What was seen of the texts of a column.

    Attributes
    ----------
    rows, present, numbers, doubtful : int
        How many texts there are; how many of them are no words for a missing value, and how many of those are
        numbers; how many are one of `DOUBTFUL`.
    readings : frozenset of str
        The readings that fit all values.
    seen : frozenset of str
        Signs and how they were used.
    odd : tuple of str
        The first texts that are no numbers.
    """

    rows: int = 0
    present: int = 0
    numbers: int = 0
    doubtful: int = 0
    readings: frozenset[str] = EVERY_READING
    seen: frozenset[str] = frozenset()
    odd: tuple[str, ...] = ()

    @property
    def units(self) -> list[str]:
        """The units that values have, if all of them have one."""
        return sorted(
            mark.removeprefix(UNIT) for mark in self.seen if mark.startswith(UNIT) and WITH_UNIT in self.readings
        )

    @property
    def truth(self) -> str | None:
        """The word for true, of values that are words for true and false; "y" alone is no such word."""
        both = (word for word, other in TRUTHS.items() if {f"{WORD}{word}", f"{WORD}{other}"} <= self.seen)
        return next((word for word in ("true", *both) if word in self.readings), None)

    def without_unit(self) -> "Observed":
        """What was seen of the numbers that are left without the unit; itself if there is not one for all values."""
        if len(self.units) != 1:
            return self
        bare = [reading.removeprefix(WITH_UNIT) for reading in self.readings if reading.startswith(WITH_UNIT)]
        found = replace(self, readings=frozenset(bare) - {""})
        # Of money there are no thousandths.
        decided = {f"{DECIDED}{mark}" for mark in found.grouped if self.units[0] in _MONEY}
        return replace(found, seen=found.seen | decided)

    def __add__(self, other: "Observed") -> "Observed":
        """What was seen of both parts."""
        return Observed(
            self.rows + other.rows,
            self.present + other.present,
            self.numbers + other.numbers,
            self.doubtful + other.doubtful,
            self.readings & other.readings,
            self.seen | other.seen,
            tuple(dict.fromkeys(self.odd + other.odd))[:_KEPT_ODD],
        )

    @property
    def grouped(self) -> list[str]:
        """The signs that may stand between thousands."""
        return [mark for mark in THOUSANDS if f"{GROUPED}{mark}" in self.seen and THOUSANDS[mark] in self.readings]

    @property
    def either_order(self) -> bool:
        """True for dates of which day and month cannot be told apart."""
        # Both orders of a form fit, or none: no other form fits texts of the same shape.
        return any(form.startswith(_DAY_FIRST) for form in self.readings) and any(
            form.startswith(_MONTH_FIRST) for form in self.readings
        )


def observe(column: "pl.Series") -> Observed:
    """Look at the texts of a column, or of a part of it.

    Examples
    --------
    >>> import polars as pl
    >>> whole = observe(pl.Series(["2.581", "NA"])) + observe(pl.Series(["950", "1.200,5"]))
    >>> whole.present, sorted(whole.readings), sorted(whole.seen)
    (3, ['thousands by points'], ['decided.', 'decimal,', 'grouped.'])
    """
    import polars as pl

    known = column.str.strip_chars().drop_nulls()
    known = known.filter(~known.is_in(list(MISSING)))
    doubtful = known.is_in(list(DOUBTFUL))
    certain = known.filter(~doubtful)
    if certain.is_empty():
        return Observed(len(column), doubtful=int(doubtful.sum()))
    is_number = certain.cast(pl.Float64, strict=False).is_not_null()
    readings, seen = _integers(certain) or _signs(certain)
    if is_number.all():
        readings.add(NUMBER)
    else:
        readings |= _times(certain)
        for more, marks in (_truths(certain), _with_unit(certain)):
            readings, seen = readings | more, seen | marks
        seen |= {PLUS} if (certain == PLUS).any() else set()
    odd = tuple(certain.filter(~is_number).unique(maintain_order=True).head(_KEPT_ODD))
    return Observed(
        len(column), len(certain), int(is_number.sum()), int(doubtful.sum()), frozenset(readings), frozenset(seen), odd
    )


def looks_grouped(numbers: "pl.Series") -> bool:
    """True if every decimal point is followed by three digits, so that it may stand between thousands."""
    form = _group_form(".")
    # Of most columns the first rows tell.
    if any("." in text and not re.match(form, text) for text in numbers.head(_FEW) if text is not None):
        return False
    marked = numbers.filter(numbers.str.contains(".", literal=True))
    return len(marked) > 0 and bool(marked.str.contains(form).all())


def _group_form(mark: str) -> str:
    other = OTHER_SIGN[mark]
    return rf"^[+-]?[1-9][0-9]{{0,2}}([{mark}][0-9]{{3}})+([{other}][0-9]+)?$"


def _integers(texts: "pl.Series") -> tuple[set[str], set[str]] | None:
    """What `_signs` finds of whole numbers, sooner."""
    import polars as pl

    whole = texts.cast(pl.Int64, strict=False)
    if whole.null_count():
        return None
    large = bool((whole >= 1000).any() or (whole <= -1000).any())
    seen = {f"{LARGE}{mark}" for mark in THOUSANDS if large}
    return {INTEGER, DECIMAL_COMMA, *THOUSANDS.values()}, seen


def _signs(numeric: "pl.Series") -> tuple[set[str], set[str]]:
    """Readings of texts of digits, points and commas, and how the signs were used."""
    if not numeric.str.contains(_NUMERIC).all():
        return set(), set()
    readings = {DECIMAL_COMMA} if numeric.str.contains(_WITH_COMMA).all() else set()
    seen = set()
    for mark, other in OTHER_SIGN.items():
        has_mark = numeric.str.contains(mark, literal=True)
        marked, bare = numeric.filter(has_mark), numeric.filter(~has_mark)
        grouped = marked.str.contains(_group_form(mark))
        decided = grouped & marked.str.contains(rf"[{mark}].*[{mark}]|[{other}]")
        uses = {GROUPED: grouped.any(), DECIMAL: (~grouped).any(), DECIDED: decided.any()}
        uses[LARGE] = bare.str.contains(_FROM_THOUSAND).any()
        seen |= {f"{use}{mark}" for use, found in uses.items() if found}
        if grouped.all() and bare.str.contains(rf"^[+-]?[0-9]+([{other}][0-9]+)?$").all():
            readings.add(THOUSANDS[mark])
    return readings, seen


def _truths(texts: "pl.Series") -> tuple[set[str], set[str]]:
    """The words for true by which all texts are true or false, and the words that were seen."""
    if texts[0].lower() not in (*TRUTHS, *TRUTHS.values()):
        return set(), set()
    words = set(texts.str.to_lowercase().unique())
    fitting = {true for true, false in TRUTHS.items() if words <= {true, false}}
    return fitting, {f"{WORD}{word}" for word in words if fitting}


def _with_unit(texts: "pl.Series") -> tuple[set[str], set[str]]:
    """Readings of numbers that all have a unit, without it, and what was seen of signs and units."""
    import polars as pl

    if not re.match(_HAS_UNIT, texts[0]):
        return set(), set()
    parts = texts.str.extract_groups(_HAS_UNIT).struct.unnest()
    unit = parts.select(pl.coalesce("before", "after")).to_series()
    if unit.null_count() or parts.select((pl.col("before").is_not_null() & pl.col("after").is_not_null()).any()).item():
        return set(), set()
    units = unit.unique().to_list()
    bare = texts
    for mark in sorted(units, key=len, reverse=True):
        bare = bare.str.replace(mark, "", literal=True)
    bare = bare.str.strip_chars()
    readings, seen = _integers(bare) or _signs(bare)
    if bare.cast(pl.Float64, strict=False).null_count() == 0:
        readings.add(NUMBER)
    return {WITH_UNIT, *(f"{WITH_UNIT}{reading}" for reading in readings)}, {
        *seen,
        *(f"{UNIT}{mark}" for mark in units),
    }


def _times(texts: "pl.Series") -> set[str]:
    """The forms of dates and times that fit all texts."""
    if not re.match(_DATE_LIKE, texts[0]) or not texts.str.contains(_DATE_LIKE).all():
        return set()
    # Few forms fit the first: only these are tried on all.
    first = [form for form in (*DATES, *TIMES) if _fits(texts[:1], form)]
    return {form for form in first if _fits(texts, form)}


def _fits(texts: "pl.Series", form: str) -> bool:
    return texts.str.to_datetime(form, strict=False, exact=True, time_unit="us").null_count() == 0
