"""Tables of text that do not fit in memory: looked through once, then read in parts by the rules that were found."""

import codecs
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shearer._files.contents import opened
from shearer._files.encoding import with_encoding
from shearer._files.formats import by_contents
from shearer._files.names import check_same, distinct
from shearer._files.notes import Note
from shearer._files.raw import empty_file
from shearer._files.readings import Observed, observe
from shearer._files.text import check_separator, first_rows, further_rows, header_notes, lay_out
from shearer._files.values import Rule, settle
from shearer._validate import value_error

if TYPE_CHECKING:
    import polars as pl

_BLOCK_BYTES = 2**23
# A record that is longer, in blocks, is no record: a quote was not closed.
_LONGEST_RECORD = 8


@dataclass(frozen=True)
class TextFile:
    """How a file of text is written, and what was seen of its columns.

    Attributes
    ----------
    path : Path
        The file.
    encoding, separator : str
        As it is read.
    has_header : bool
        Whether the first row holds the column names.
    skip : int or None
        Lines above the table; None: found.
    header : tuple of str
        The column names as written, repetitions and gaps included.
    observed : tuple of Observed
        What was seen of every column.
    notes : tuple of str
        What a reader should know.
    """

    path: Path
    encoding: str
    separator: str
    has_header: bool
    skip: int | None
    header: tuple[str, ...]
    observed: tuple[Observed, ...]
    notes: tuple[str, ...]

    def frames(self) -> Iterator["pl.DataFrame"]:
        """The rows as texts, under positions as names, part by part."""
        parts = _parts(self.path, self.encoding, self.separator, header=self.has_header, skip=self.skip)
        return (part.frame for part in parts)


@dataclass(frozen=True)
class TextTable:
    """Files of text that form one table, and how its columns are read.

    Attributes
    ----------
    files : tuple of TextFile
        The files.
    names : tuple of str
        The columns.
    rules : tuple of Rule or None
        How each column of the files is read, in the order in which they are written; None: it is left out.
    remarks : tuple of Note
        What a reader should know.
    """

    files: tuple[TextFile, ...]
    names: tuple[str, ...]
    rules: tuple[Rule | None, ...]
    remarks: tuple[Note, ...]

    def frames(self, path: Path) -> Iterator["pl.DataFrame"]:
        """The rows of one of the files."""
        file = next(file for file in self.files if file.path == path)
        wanted = [rule.expression(str(at)) for at, rule in enumerate(self.rules) if rule is not None]
        for texts in file.frames():
            frame = texts.select(wanted)
            frame.columns = list(self.names)
            yield frame


def look_through(
    path: Path,
    *,
    separator: str | None,
    encoding: str | None = None,
    header: bool = True,
    skip_rows: int | None = None,
) -> TextFile:
    """Find out how a file of text is written and what its columns can be read as; takes a pass over all of it."""
    if separator is not None:
        check_separator(separator)
    with opened(path) as read:
        head = read(_BLOCK_BYTES)
    if not head:
        raise empty_file(path.name, "an empty file")
    if not (found := by_contents(head)).is_text:
        raise value_error(
            path.name, "text", f"contents in the format of {found.name}", "Name the file after its format."
        )
    file, notes = with_encoding(head, path.name, encoding, partial(_look, path, separator, header, skip_rows))
    if not file.observed[0].rows:
        raise empty_file(path.name, "a header only" if header else "nothing")
    return replace(file, notes=(*notes, *file.notes))


def _look(path: Path, separator: str | None, header: bool, skip: int | None, encoding: str) -> TextFile:
    parts = _parts(path, encoding, separator, header=header, skip=skip)
    part = next(parts)
    found = [observe(column) for column in part.frame.get_columns()]
    for part in parts:
        found = [seen + observe(column) for seen, column in zip(found, part.frame.get_columns(), strict=True)]
    return TextFile(path, encoding, part.separator, header, skip, tuple(part.header), tuple(found), tuple(part.notes))


def join(files: Sequence[TextFile]) -> TextTable:
    """The table that files form, its columns read by what was seen of all of them."""
    check_same([(file.path.name, file.header) for file in files])
    observed = [sum(parts, Observed()) for parts in zip(*(file.observed for file in files), strict=True)]
    header = files[0].header
    # A column that has neither a name nor a value comes of separators at the ends of lines.
    kept = [at for at, name in enumerate(header) if name.strip() or observed[at].present or observed[at].doubtful]
    names, notes = distinct([header[at] for at in kept])
    rules, more = settle(
        [observed[at] for at in kept], names, decimal_comma=any(file.separator != "," for file in files)
    )
    by_place = dict(zip(kept, rules, strict=True))
    for file in files:
        notes += [*file.notes, *(header_notes([header[at] for at in kept], file.path.name) if file.has_header else ())]
    every = tuple(by_place.get(at) for at in range(len(header)))
    return TextTable(tuple(files), tuple(names), every, (*map(Note, notes), *more))


class _Part(NamedTuple):
    """Some rows as texts, and what the first of them said of all."""

    frame: "pl.DataFrame"
    header: list[str]
    separator: str
    notes: list[str]


def _parts(path: Path, encoding: str, separator: str | None, *, header: bool, skip: int | None) -> Iterator[_Part]:
    part = None
    lines = 0
    for text in _blocks(path, encoding):
        if part is None:
            table, found, above, titles = lay_out(text, path.name, separator, skip if header else skip or 0)
            names, frame, notes = first_rows(table, path.name, found, header=header, above=above)
            part = _Part(frame, names, found, [*titles, *notes])
        else:
            width = len(part.header)
            frame = further_rows(text, path.name, part.separator, width=width, above=lines)
            part = part._replace(frame=frame)
        yield part
        lines += text.count("\n")


def _blocks(path: Path, encoding: str) -> Iterator[str]:
    """The text of a file in blocks of whole records."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), translate=True)
    rest = ""
    with opened(path) as read:
        while raw := read(_BLOCK_BYTES):
            rest += decoder.decode(raw)
            end = record_end(rest)
            if end:
                yield _checked(rest[:end], path)
                rest = rest[end:]
            elif len(rest) > _LONGEST_RECORD * _BLOCK_BYTES:
                got = "one that is not, or a quote within a cell"
                raise value_error(path.name, "every quoted text to be closed", got, "Read without chunks, or mend it.")
        rest += decoder.decode(b"", final=True)
    if rest:
        yield _checked(rest, path)


def _checked(text: str, path: Path) -> str:
    if "\0" in text:
        raise value_error(path.name, "a table as text", "bytes that are no text")
    return text


def record_end(text: str) -> int:
    r"""Where the last whole record ends: after a line feed that is not within quotes; 0 if there is none.

    Examples
    --------
    >>> [record_end(text) for text in ('a,b\n1,2', 'a,"b\nc",d', '1\n"x\n""y', '1\n"x\n"\n2')]
    [4, 0, 2, 7]
    """
    if '"' not in text:
        return text.rfind("\n") + 1
    after = 0
    pieces = text.split('"')
    for place in reversed(range(len(pieces))):
        piece = pieces[place]
        if place % 2 == 0 and "\n" in piece:
            return len(text) - after - len(piece) + piece.rfind("\n") + 1
        after += len(piece) + 1
    return 0
