"""Bytes as text: marks of byte order, UTF-8, and what programs wrote before it."""

import codecs
import re

from shearer._validate import describe, value_error

# Longest first: the mark of UTF-32 begins like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x1f\x7f]")
_SAMPLE_BYTES = 65536
# More control characters than this share of the bytes is no text.
_MOST_CONTROLS = 0.01


def decode(raw: bytes, name: str, encoding: str | None) -> tuple[str, list[str]]:
    """The text of a file, with line feeds between lines, and notes on how it was decoded.

    Examples
    --------
    >>> decode(codecs.BOM_UTF16_LE + "größe".encode("utf-16-le"), "f.csv", None)
    ('größe', [])
    >>> decode("größe".encode("latin-1"), "f.csv", None)
    ('größe', ['f.csv is not UTF-8: read as Windows-1252 (choose another by encoding)'])
    """
    text, notes = _as_text(raw, name, encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n"), notes


def _as_text(raw: bytes, name: str, encoding: str | None) -> tuple[str, list[str]]:
    marked = next((known for mark, known in _MARKS if raw.startswith(mark)), None)
    if encoding is not None or marked is not None:
        return _decode_as(raw, name, encoding or marked or ""), []
    _reject_binary(raw, name)
    try:
        return raw.decode("utf-8"), []
    except UnicodeDecodeError:
        note = f"{name} is not UTF-8: read as Windows-1252 (choose another by encoding)"
        try:
            return raw.decode("cp1252"), [note]
        except UnicodeDecodeError:  # five of its bytes mean nothing
            return raw.decode("latin-1"), [note.replace("Windows-1252", "Latin-1")]


def _decode_as(raw: bytes, name: str, encoding: str) -> str:
    try:
        return raw.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except LookupError as error:
        hint = 'For example "utf-8", "utf-16", "latin-1" or "cp1252".'
        raise value_error("encoding", "the name of an encoding of text", describe(encoding), hint) from error
    except ValueError as error:
        raise value_error(name, f"text in {encoding}", f"bytes that are none ({error})") from error


def _reject_binary(raw: bytes, name: str) -> None:
    sample = raw[:_SAMPLE_BYTES]
    if b"\0" in raw:
        wide = sample[1::2].count(0) > len(sample) / 4 or sample[::2].count(0) > len(sample) / 4
        hint = 'If it is UTF-16, pass encoding="utf-16-le" or "utf-16-be".' if wide else ""
        raise value_error(name, "a table as text, Parquet, Arrow or Excel", "bytes that are no text", hint)
    if len(_CONTROLS.findall(sample)) > _MOST_CONTROLS * len(sample):
        raise value_error(name, "a table as text, Parquet, Arrow or Excel", "bytes that are no text")
