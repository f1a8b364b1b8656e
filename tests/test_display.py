"""Names made safe for a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from shearer._display import printable, width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain name", "plain name"),
        ("größe 体重 🐧 שלום", "größe 体重 🐧 שלום"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202eabc\u202c", r"\u202eabc\u202c"),
        ("a\u2028b\u200bc\ufeff", r"a\u2028b\u200bc\ufeff"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("", "''"),
        ("  ", "'  '"),
    ],
)
def test_what_is_shown(text, shown):
    assert printable(text) == shown


def test_long_names_keep_both_ends():
    assert printable("measurement_of_length_left", 15) == "measure…th_left"
    assert printable("measurement_of_length_left", 100) == "measurement_of_length_left"
    assert printable("体" * 30, 9) == "体体…体体"


@given(st.text(alphabet=st.characters(), max_size=60), st.integers(2, 40))
def test_never_longer_than_asked_and_never_a_command(text, longest):
    shown = printable(text, longest)
    assert width(shown) <= longest
    assert len(shown) <= 4 * longest
    assert shown.isprintable()
    assert not any(unicodedata.category(character)[0] == "C" for character in shown)


@pytest.mark.parametrize("text", ["abc", "体重", "e\u0301" * 3, "größe"])
def test_widths_are_those_of_the_terminal_library(text):
    assert width(text) == cell_len(text)


def test_a_very_long_name_costs_little():
    assert len(printable("\u0301" * 10**6, 20)) <= 80
    assert printable("x" * 10**7, 10) == "xxxxx…xxxx"
