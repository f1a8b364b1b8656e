"""Text read in chunks gives the table that is read at once, or is refused in one sentence."""

import bz2
import csv
import datetime
import gzip
import io
import lzma

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shearer._files import chunks, read_files
from shearer._files.chunks import join, look_through
from shearer._files.notes import texts


@pytest.fixture
def write(tmp_path):
    def write(contents, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return path

    return write


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(chunks, "_BLOCK_BYTES", 200)


def in_chunks(*paths, separator=None, **options):
    """The table read in chunks, its notes, and how many chunks there were."""
    table = join([look_through(path, separator=separator, **options) for path in paths])
    frames = [frame for path in paths for frame in table.frames(path)]
    return pl.concat(frames), texts(table.remarks), len(frames)


ROWS = 60
TABLES = {
    "commas.csv": "a,b\n" + "1,x\n2.5,y\n" * ROWS,
    "semicolons.csv": "a;b\n" + "1,5;x\n2,25;y\n" * ROWS,
    "tabs.tsv": "a\tb\n" + "1\tx\n2\ty\n" * ROWS,
    "bars.txt": "a|b\n" + "1|x\n2|y\n" * ROWS,
    "aligned.txt": "   a  b\n" + "   1  x\n  20\ty\n" * ROWS,
    "windows.csv": "a,b\r\n" + "1,x\r\n2,y\r\n" * ROWS,
    "old_mac.csv": "a,b\r" + "1,x\r2,y\r" * ROWS,
    "no_end.csv": "a,b\n" + "1,x\n2,y\n" * ROWS + "3,z",
    "blank_lines.csv": "\n\na,b\n" + "\n1,x\n  \n2,y\n" * ROWS,
    "trailing.csv": "a,b,\n" + "1,x,\n2,y,\n" * ROWS,
    "trailing_rows.csv": "a,b\n" + "1,x,\n2,y,\n" * ROWS,
    "declared.csv": "sep=;\na;b\n" + "1;x\n2;y\n" * ROWS,
    "row_names.txt": '"a" "b"\n' + "".join(f'"{i}" {i}.5 "x y"\n' for i in range(7, ROWS)),
    "spaced.csv": 'a, b\n1, "x, y"\n' + " 2, y \n" * ROWS + '3, "p\nq"\n',
    "quoted.csv": 'a,b\n"1","x\ny"\n' + '"2","p, ""q"""\n' * ROWS,
    "dates.csv": "day,time\n" + "2024-01-31,2024-04-10 05:00\n" * ROWS + "2024-02-01,2024-04-10 06:30\n",
    "missing.csv": "a,b,c\n" + "1,2,x\n?,-,.\n3,NA,y\n" * ROWS,
    "signs.csv": "strand,a\n" + "+,1\n-,2\n" * ROWS,
    "twice.csv": "x,x, ,x (2)\n" + "1,2,3,4\n" * ROWS,
    "numbers.csv": "1,2\n" + "3,4\n" * ROWS,
    "late_text.csv": "a,b\n" + "1,2\n" * ROWS + "12a,2.5\n",
    "late_decimal.csv": "a;b\n" + "1;2\n" * ROWS + "1,5;3\n",
    "late_thousands.csv": "a;b\n2.581;x\n" + "950;y\n" * ROWS + "1.200,5;z\n",
    "late_order.csv": "day,b\n" + "01/02/2024,1\n" * ROWS + "01/31/2024,2\n",
    "either_order.csv": "day,b\n" + "01/02/2024,1\n" * ROWS,
    "truth.csv": "a,b\n" + "TRUE,1\nfalse,2\n" * ROWS,
    "gone.csv": "a,b\n" + "NA,1\n" * ROWS,
    "single.csv": "a\n" + "1\n2\n" * ROWS,
}


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", TABLES)
def test_the_table_is_the_one_that_is_read_at_once(write, name):
    path = write(TABLES[name], name)
    whole = read_files(path)
    frame, notes, parts = in_chunks(path)
    assert frame.equals(whole.frame)
    assert frame.schema == whole.frame.schema
    assert sorted(notes) == sorted(whole.notes)
    assert parts > 1


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_encodings_and_compressed_files(write, encoding, pack):
    # In the first block there is nothing that tells UTF-8 from other encodings.
    path = write(pack(("size,art\n" + "1,e\n" * 200 + "2,größe é\n").encode(encoding)))
    frame, notes, parts = in_chunks(path)
    assert frame.equals(read_files(path).frame)
    assert frame["art"][-1] == "größe é"
    assert notes == read_files(path).notes
    assert bool(notes) == (encoding == "cp1252")
    assert parts > 1


def test_an_encoding_can_be_chosen_and_the_header_left_out(write):
    path = write("имя,1\nя,2\n".encode("koi8-r"))
    frame, notes, _ = in_chunks(path, encoding="koi8-r", header=False)
    assert frame.rows() == [("имя", 1), ("я", 2)]
    assert frame.columns == ["column 1", "column 2"]
    assert notes == ()
    with pytest.raises(ValueError, match="encoding: expected the name of an encoding"):
        look_through(path, separator=None, encoding="klingon")
    with pytest.raises(ValueError, match=r"table.csv: expected text in ascii, got bytes that are none"):
        look_through(path, separator=None, encoding="ascii")
    with pytest.raises(ValueError, match="separator: expected one character"):
        look_through(path, separator="::")


def test_files_are_read_by_the_same_rules(write):
    one = write("a;day\n1,5;2024-01-31\n", "one.csv")
    two = write("a,day\n2,2024-02-01\n", "two.csv")
    three = write("a\tday\n?\tnever\n", "three.tsv")
    frame, notes, _ = in_chunks(one, two)
    assert frame.rows() == [(1.5, datetime.date(2024, 1, 31)), (2.0, datetime.date(2024, 2, 1))]
    assert notes == ("decimal commas read in 'a'",)
    frame = in_chunks(one, two, three)[0]
    assert frame["day"].to_list() == ["2024-01-31", "2024-02-01", "never"]
    assert frame["a"].to_list() == [1.5, 2.0, None]
    with pytest.raises(ValueError, match=r"four.csv: expected the columns of one.csv.*got 'b' in place 1"):
        in_chunks(one, write("b;day\n1;2024-01-31\n", "four.csv"))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (b"", "got an empty file"),
        (b"\n \n\n", "nothing but blank lines"),
        (b"a,b\n", "got a header only"),
        (b"a,b,c\n" + b"1,2,3\n" * 100 + b"1,2\n", r"as in the first \(3\), got 2 in line 102"),
        (b"a,b,c\n" + b"1,2,3\n" * 100 + b"1,2,\n1,2\n", r"as in the first \(3\), got 2 in line 103"),
        (b"a,b\n" + b"1,2\n" * 100 + b"1,2,3\n", r"as in the first \(2\), got 3 in line 102"),
        (b"a,b\n" + b"1,2\n" * 100 + b'"x,2\n3,4\n', "every quoted text to be closed"),
        (b'a,b\n5" pipe,1\n' + b"1,2\n" * 2000, "every quoted text to be closed"),
        (b"a,b\n" + b"1,2\n" * 100 + b"1,2\0\n", "bytes that are no text"),
        (bytes(range(1, 32)) * 20, "bytes that are no text"),
        ("a,b\n1,2\n".encode("utf-16-le"), "bytes that are no text"),
        (gzip.compress(b"a,b\n1,2\n" * 50, mtime=0)[:-9], "damaged"),
        (b"PAR1" + b"\0" * 20, "contents in the format of Parquet"),
        (b"PK\x03\x04" + b"\0" * 20, "contents in the format of Excel"),
    ],
)
def test_one_sentence_says_what_is_wrong(write, contents, said):
    path = write(contents)
    with pytest.raises(ValueError, match=said) as caught:
        look_through(path, separator=None)
    assert str(caught.value).startswith("table.csv: expected ")
    assert "\n" not in str(caught.value)


cells = st.one_of(
    st.sampled_from(["1", "-2", "2.5", "1,5", "2.581", "1.234.567", "NA", "?", "", "true", "2024-01-31", "31.01.2024"]),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"], include_characters="\n\t"), max_size=6),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=12), st.integers(60, 600), st.sampled_from(",;"))
def test_any_table_in_blocks_of_any_size(tmp_path, monkeypatch, rows, size, separator):
    monkeypatch.setattr(chunks, "_BLOCK_BYTES", size)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerow(["first", "second", "third"])
    writer.writerows(rows)
    path = tmp_path / "table.csv"
    path.write_bytes(text.getvalue().encode())
    if all(not cell.strip() for row in rows for cell in row):
        with pytest.raises(ValueError, match="header only"):
            in_chunks(path, separator=separator)
        return
    whole = read_files(path, separator=separator)
    frame, notes, _ = in_chunks(path, separator=separator)
    assert frame.equals(whole.frame)
    assert [note for note in whole.notes if "counts the rows" not in note] == list(notes)
