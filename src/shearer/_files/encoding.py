"""Bytes as text: marks of byte order, UTF-8, and what programs wrote before it."""

import codecs
import re
from collections.abc import Callable
from typing import TypeVar

from shearer._validate import describe, value_error

T = TypeVar("T")

# Longest first: the mark of UTF-32 begins like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Tried in this order on what is not UTF-8: five bytes mean nothing in the first.
_GUESSES = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}
# Texts of other scripts, which hardly have a letter of ASCII, and what is tried on them.
_OTHER_SCRIPTS = {
    "cp1251": "Windows-1251, Cyrillic",
    "koi8_r": "KOI8-R, Cyrillic",
    "cp1253": "Windows-1253, Greek",
    "cp1255": "Windows-1255, Hebrew",
    "cp1256": "Windows-1256, Arabic",
    "cp874": "Windows-874, Thai",
    "cp932": "Shift JIS, Japanese",
    "euc_jp": "EUC-JP, Japanese",
    "gb18030": "GB 18030, Chinese",
    "big5": "Big5, Chinese",
    "cp949": "EUC-KR, Korean",
}
_FEWEST_FOREIGN = 0.4
# What says nothing of a script, and is no part of a character of several bytes.
_SCRIPTLESS = bytes.maketrans(b'0123456789,;.\t"', b" " * 15)
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
    text, notes = with_encoding(raw, name, encoding, raw.decode)
    return text.replace("\r\n", "\n").replace("\r", "\n"), notes


def with_encoding(head: bytes, name: str, encoding: str | None, read: Callable[[str], T]) -> tuple[T, list[str]]:
    """What `read` makes of a file in the first encoding in which it can be read, and notes on it.

    Parameters
    ----------
    head : bytes
        How the file begins.
    name : str
        The file, as messages call it.
    encoding : str or None
        The encoding; None: by the mark of byte order, else UTF-8, else what programs wrote before it.
    read : callable
        Takes an encoding, raises UnicodeError if the file is in another.
    """
    candidates = _candidates(head, name, encoding)
    for known in candidates:
        try:
            found = read(known)
        except UnicodeError as error:
            wrong = error
            continue
        guess = (_GUESSES | _OTHER_SCRIPTS).get(known) if encoding is None else None
        return found, [f"{name} is not UTF-8: read as {guess} (choose another by encoding)"] if guess else []
    raise value_error(name, f"text in {encoding or known}", f"bytes that are none ({wrong})") from wrong


def _candidates(head: bytes, name: str, encoding: str | None) -> tuple[str, ...]:
    if encoding is not None:
        return (_check_encoding(encoding),)
    marked = next((known for mark, known in _MARKS if head.startswith(mark)), None)
    if marked is not None:
        return (marked,)
    _reject_binary(head, name)
    return ("utf-8", *_other_script(head[:_SAMPLE_BYTES]), *_GUESSES)


def _other_script(sample: bytes) -> tuple[str, ...]:
    r"""The encoding of a text that is not UTF-8 and of which most letters are none of ASCII; none where few are.

    Examples
    --------
    >>> _other_script("город,население\nМосква,12\nКазань,1\n".encode("cp1251")), _other_script(b"a,b\n")
    (('cp1251',), ())
    """
    letters = re.sub(rb"[^A-Za-z\x80-\xff]", b"", sample)
    foreign = sum(letter > 0x7F for letter in letters)
    # Letters with accents stand alone or by twos.
    if foreign < _FEWEST_FOREIGN * len(letters) or not re.search(rb"[\x80-\xff]{4}", sample):
        return ()
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        if error.end >= len(sample) - 3 and error.start > len(sample) - 4:  # cut within a character
            return ()
    else:
        return ()
    from charset_normalizer import from_bytes

    whole = sample[: sample.rfind(b"\n") + 1] or sample
    found = from_bytes(whole.translate(_SCRIPTLESS), cp_isolation=list(_OTHER_SCRIPTS), threshold=0.3).best()
    return () if found is None else (found.encoding,)


def _check_encoding(encoding: str) -> str:
    try:
        codec = codecs.lookup(encoding)
        codecs.getincrementaldecoder(encoding)
        b"".decode(encoding)  # a LookupError if it is none of text
    except (LookupError, ValueError) as error:
        hint = 'For example "utf-8", "utf-16", "latin-1" or "cp1252".'
        raise value_error("encoding", "the name of an encoding of text", describe(encoding), hint) from error
    return "utf-8-sig" if codec.name == "utf-8" else encoding  # a mark is no part of the text


def _reject_binary(raw: bytes, name: str) -> None:
    sample = raw[:_SAMPLE_BYTES]
    if b"\0" in raw:
        wide = sample[1::2].count(0) > len(sample) / 4 or sample[::2].count(0) > len(sample) / 4
        hint = 'If it is UTF-16, pass encoding="utf-16-le" or "utf-16-be".' if wide else ""
        raise _no_text(name, hint)
    if len(_CONTROLS.findall(sample)) > _MOST_CONTROLS * len(sample):
        raise _no_text(name)


def _no_text(name: str, hint: str = "") -> ValueError:
    from shearer._files.formats import described  # which reads text through this module

    return value_error(name, described("a table as text"), "bytes that are no text", hint)
