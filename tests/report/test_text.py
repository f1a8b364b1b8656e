"""Names and counts in sentences."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from report.documents import HOSTILE
from shearer.report.wording import count, enumeration, in_words, plain_name


@given(st.text(st.characters(), max_size=300), st.integers(8, 60))
def test_any_name_is_one_short_readable_line(name, longest):
    shown = plain_name(name, longest)
    assert 0 < len(shown) <= max(longest, len("(no name)"))
    assert not any(unicodedata.category(mark)[0] == "C" for mark in shown)
    assert shown == shown.strip()


def test_hostile_names():
    shown = [plain_name(name) for name in HOSTILE]
    assert shown[4] == "right to left"
    assert shown[6] == "two lines and more"
    assert shown[8] == "&lt;b&gt; [31m"
    assert shown[9] == "(no name)"
    assert shown[3].startswith("long xxx")
    assert shown[3].endswith("xx end")


def test_names_that_differ_at_the_end_stay_apart():
    assert plain_name("a" * 100 + "1") != plain_name("a" * 100 + "2")


def test_counts():
    assert count(1, "row") == "1 row"
    assert count(0, "row") == "0 rows"
    assert count(2, "value is", "values are") == "2 values are"
    assert in_words(9) == "Nine"
    assert in_words(1234) == "1,234"


def test_enumeration():
    assert enumeration([]) == []
    assert "".join(enumeration([["a"]])) == "a"
    assert "".join(enumeration([["a"], ["b"]])) == "a and b"
