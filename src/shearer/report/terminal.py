"""What a scan found as a short text for the terminal: sentences, the strongest pairs, larger sets, notes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from shearer._display import printable
from shearer.report.wording import listed_notes

Entry = Mapping[str, Any]

# Below, the columns that repeat what others say are left out.
_ROOMY, _NARROW = 100, 72
_GAP, _SHORTEST_NAME = 2, 6
_MOST_NOTES = 8
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BAR_CELLS = 8
# The blue and the orange of Okabe and Ito, told apart with any kind of colour vision.
_BLUE, _ORANGE = "#56B4E9", "#E69F00"


@dataclass(frozen=True, eq=False)
class ScanView:
    """A renderable for `rich`: fits any width, plain where the terminal is.

    Attributes
    ----------
    document : mapping
        The document of a scan.
    sentences : sequence of str
        What it found, in words.
    limit : int
        Pairs and triples shown at most, each; 0: none, and no count of the rest.

    Examples
    --------
    >>> from rich.console import Console
    >>> pair = {"variables": ["dose", "response"], "strength": 0.4, "strength_low": 0.2, "strength_high": 0.6}
    >>> pair |= {"pvalue": 1e-9, "qvalue": 1e-9, "n": 50, "sign": "+", "determines": None, "reported": True}
    >>> document = {"columns": [], "pairs": [pair], "triples": [], "notes": ["a note"]}
    >>> Console(width=60, color_system=None).print(ScanView(document, ["One pair."], 10))
    One pair.
    <BLANKLINE>
    pair            strength    interval        q
    dose  response  █▋    0.40  0.20–0.60  +  1e-09
    <BLANKLINE>
    Notes
    • a note
    """

    document: Mapping[str, Any]
    sentences: Sequence[str]
    limit: int = 20

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Sentences, tables, notes."""
        width, plain = options.max_width, options.ascii_only
        for sentence in self.sentences:
            yield Text(sentence)
        for part, table in (("pairs", pair_table), ("triples", triple_table), ("quadruples", quadruple_table)):
            entries = strongest(self.document, part)
            if entries and self.limit:
                yield Text()
                yield table(entries[: self.limit], width, plain=plain)
                yield from _rest(len(entries) - self.limit, part)
        yield from _notes(self.document, plain=plain)


def strongest(document: Mapping[str, Any], part: str) -> list[Entry]:
    """Reported pairs or triples, in the order of the document: pairs by strength, triples synergistic ones first."""
    return [entry for entry in document.get(part, []) if entry["reported"]]


def pair_table(pairs: Sequence[Entry], width: int, *, plain: bool = False) -> Table:
    """One row a pair: names, strength with a bar, interval, direction and arrow, direct or not, shape, p, q, rows."""
    roomy, narrow = width >= _ROOMY, width < _NARROW
    cells = _BAR_CELLS if roomy else _BAR_CELLS // 2
    lagged = any("lag" in pair for pair in pairs)
    bounded = any(pair.get("strength_high") is not None for pair in pairs)
    told = [_relation(pair, plain=plain) for pair in pairs]
    shapes = [pair.get("shape") or "" for pair in pairs]
    direct = [{True: "yes", False: "no", None: ""}[pair.get("direct")] for pair in pairs]
    columns = [
        _Column("lag", [str(pair.get("lag", "")) for pair in pairs], shown=lagged),
        _Column("strength", [_bar(pair["strength"], cells, plain=plain) for pair in pairs], "left"),
        _Column("interval", [_interval(_ends(pair), plain=plain) for pair in pairs], shown=bounded, spare=narrow),
        _Column("", told, "left", shown=any(told), spare=narrow),
        _Column("direct", direct, "left", shown=any(direct), extra=True),
        _Column("shape", shapes, "left", shown=any(shapes), extra=True),
        _Column("p", [_probability(pair["pvalue"]) for pair in pairs], shown=roomy, spare=True),
        _Column("q", [_probability(pair["qvalue"]) for pair in pairs]),
        _Column("rows", [_count(pair["n"]) for pair in pairs], shown=not narrow, spare=True),
    ]
    return _table("pair", pairs, columns, width, plain=plain)


def triple_table(triples: Sequence[Entry], width: int, *, plain: bool = False) -> Table:
    """One row a triple: names, kind, bits added to the pairs, T*, p- and q-value of a three-way term, rows."""
    roomy, narrow = width >= _ROOMY, width < _NARROW
    columns = [
        _Column("kind", [_kind(triple["kind"], narrow=narrow) for triple in triples], "left"),
        _Column("adds, bits", [_number(triple.get("added")) for triple in triples], spare=narrow),
        _value_column("T*", triples, "total_correlation"),
        _Column("p", [_probability(triple["pvalue"]) for triple in triples], shown=roomy, spare=True),
        _Column("q", [_probability(triple["qvalue"]) for triple in triples]),
        _Column("rows", [_count(triple["n"]) for triple in triples], shown=not narrow, spare=True),
    ]
    return _table("triple", triples, columns, width, plain=plain)


def quadruple_table(quadruples: Sequence[Entry], width: int, *, plain: bool = False) -> Table:
    """One row a quadruple: names, bits added to the triples, p- and q-value of a term of all four, rows."""
    roomy, narrow = width >= _ROOMY, width < _NARROW
    columns = [
        _Column("adds, bits", [_number(four["added"]) for four in quadruples], spare=narrow),
        _Column("p", [_probability(four["pvalue"]) for four in quadruples], shown=roomy, spare=True),
        _Column("q", [_probability(four["qvalue"]) for four in quadruples]),
        _Column("rows", [_count(four["n"]) for four in quadruples], shown=not narrow, spare=True),
    ]
    return _table("quadruple", quadruples, columns, width, plain=plain)


@dataclass(frozen=True)
class _Column:
    heading: str
    cells: Sequence[str | Text]
    side: Literal["left", "right"] = "right"
    shown: bool = True
    # May go where names would otherwise be cut until they look alike.
    spare: bool = False
    # Goes where any name would be cut.
    extra: bool = False

    @property
    def width(self) -> int:
        return max(len(self.heading), *(len(cell) for cell in self.cells))


def _table(title: str, entries: Sequence[Entry], columns: Sequence[_Column], width: int, *, plain: bool) -> Table:
    """Names in as many columns as they are, then the others; names get what room is left."""
    columns = [column for column in columns if column.shown]
    whole = [[printable(name, width) for name in entry["variables"]] for entry in entries]
    names = _fit(whole, _room(columns, width))
    while names != whole and any(column.extra for column in columns):
        columns.remove(next(column for column in reversed(columns) if column.extra))
        names = _fit(whole, _room(columns, width))
    while _look_alike(names, whole) and any(column.spare for column in columns):
        columns.remove(next(column for column in reversed(columns) if column.spare))
        names = _fit(whole, _room(columns, width))
    folded = _look_alike(names, whole)
    names = whole if folded else names
    table = Table(box=None, header_style="bold", padding=(0, _GAP, 0, 0), pad_edge=False)
    for position in range(len(names[0])):
        table.add_column(title if position == 0 else "", no_wrap=not folded, overflow="fold" if folded else "ellipsis")
    for column in columns:
        table.add_column(column.heading, justify=column.side, no_wrap=True, overflow="ellipsis")
    for row, shown in enumerate(names):
        # Text, not markup: a column can be called [red].
        cells = [Text(name.replace("…", "~") if plain else name) for name in shown]
        table.add_row(*cells, *(column.cells[row] for column in columns))
    return table


def _room(columns: Sequence[_Column], width: int) -> int:
    return width - sum(column.width + _GAP for column in columns)


def _look_alike(names: Sequence[Sequence[str]], whole: Sequence[Sequence[str]]) -> bool:
    """Whether names that differ no longer do, once cut."""
    return len({name for row in names for name in row}) < len({name for row in whole for name in row})


def _fit(names: Sequence[Sequence[str]], room: int) -> list[list[str]]:
    """Names cut to one length, the largest at which all columns of them fit the room."""
    needed = [max(cell_len(name) for name in column) for column in zip(*names, strict=True)]
    longest = max(needed)
    while longest > _SHORTEST_NAME and sum(min(need, longest) + _GAP for need in needed) > room + _GAP:
        longest -= 1
    return [[printable(name, longest) for name in row] for row in names]


def _ends(pair: Entry) -> tuple[float, float] | None:
    low, high = pair.get("strength_low"), pair.get("strength_high")
    return None if low is None or high is None else (low, high)


def _relation(pair: Entry, *, plain: bool) -> str:
    """The direction of a monotone relation, and an arrow from what determines to what it determines."""
    sign = pair.get("sign") or ""
    arrows = {"first": "->", "second": "<-", "both": "<->"} if plain else {"first": "→", "second": "←", "both": "↔"}
    arrow = arrows.get(pair.get("determines") or "", "")
    return f"{sign if plain else sign.replace('-', '−')} {arrow}".strip()


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _measured(entry: Entry, field: str) -> Any:
    return (entry["measured"] or {}).get(field)


def _bar(share: float | None, cells: int, *, plain: bool) -> Text:
    """A bar from 0 to 1 and the number it stands for."""
    full, rest = divmod(round(8 * cells * min(max(share or 0.0, 0.0), 1.0)), 8)
    blocks = "#" * (full + rest // 4) if plain else f"{'█' * full}{_EIGHTHS[rest]}"
    bar = Text(f"{blocks:<{cells}.{cells}}", style=_BLUE)
    return bar.append(f" {_number(share):>5}", style="default")


def _value_column(heading: str, entries: Sequence[Entry], field: str) -> _Column:
    """What was measured at the order that was asked for; if nothing was, what was screened. Never both in a column."""
    if any(entry["measured"] for entry in entries):
        return _Column(heading, [_number(_measured(entry, field)) for entry in entries])
    return _Column(f"{heading} at 2", [_number(entry["value"]) for entry in entries])


def _kind(kind: str | None, *, narrow: bool) -> Text:
    name = kind or ""
    return Text(name[:3] if narrow else name, style=_ORANGE if kind == "synergistic" else "")


def _number(value: Any) -> str:
    return "" if value is None or _is_nan(value) else f"{value:.2f}".replace("-0.00", "0.00")


def _count(value: Any) -> str:
    return "" if value is None or _is_nan(value) else f"{int(value)}"


def _interval(ends: Any, *, plain: bool) -> str:
    low, high = ends or (None, None)
    return f"{_number(low)}{'-' if plain else '–'}{_number(high)}" if low is not None and high is not None else ""


def _probability(value: Any) -> str:
    if value is None or _is_nan(value):
        return ""
    return f"{value:.3f}" if value >= 0.001 else "0" if value == 0 else f"{value:.0e}"


def _rest(count: int, part: str) -> Iterator[Text]:
    if count > 0:
        yield Text(f" and {count} more {part[:-1] if count == 1 else part}", style="dim")


def _notes(document: Mapping[str, Any], *, plain: bool) -> Iterator[RenderableType]:
    notes = [printable(note) for note in listed_notes(document)]
    if notes:
        yield Text()
        yield Text("Notes", style="bold")
        listed = Table.grid(padding=(0, 1, 0, 0))
        for note in notes[:_MOST_NOTES]:
            listed.add_row("-" if plain else "•", Text(note))
        yield listed
        yield from _rest(len(notes) - _MOST_NOTES, "notes")
