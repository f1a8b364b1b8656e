"""Files of every format, encoding and separator, and what is said of those that cannot be read."""

import bz2
import datetime
import gzip
import lzma
import random
import subprocess
import sys

import polars as pl
import pytest

from shearer._files import check_writable, read_files, write_file


@pytest.fixture
def read(tmp_path):
    def read(contents, name="table.csv", **options):
        path = tmp_path / name
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return read_files(path, **options)

    return read


def workbook(path, *rows, sheets=("first",)):
    import xlsxwriter

    book = xlsxwriter.Workbook(path)
    dates = book.add_format({"num_format": "yyyy-mm-dd"})
    for title in sheets:
        sheet = book.add_worksheet(title)
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                is_date = isinstance(cell, datetime.date)
                sheet.write(row, column, cell, *([dates] if is_date else []))
    book.close()
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("comma.csv", "a,b\n1,x\n2,y\n"),
        ("semicolon.csv", "a;b\n1;x\n2;y\n"),
        ("tab.tsv", "a\tb\n1\tx\n2\ty\n"),
        ("pipe.txt", "a|b\n1|x\n2|y\n"),
        ("aligned.txt", "   a  b\n   1  x\n   2\ty\n"),
        ("windows.csv", "a,b\r\n1,x\r\n2,y\r\n"),
        ("old_mac.csv", "a,b\r1,x\r2,y\r"),
        ("no_end.csv", "a,b\n1,x\n2,y"),
        ("blank_lines.csv", "\n\na,b\n\n1,x\n  \n2,y\n\n\n"),
        ("trailing.csv", "a,b,\n1,x,\n2,y,\n"),
        ("trailing_rows.csv", "a,b\n1,x,\n2,y,\n"),
        ("declared.csv", "sep=;\na;b\n1;x\n2;y\n"),
        ("quoted.csv", '"a","b"\n"1","x"\n"2","y"\n'),
        ("spaced.csv", 'a, b\n 1, "x"\n 2, y \n'),
    ],
)
def test_the_same_table_however_it_is_written(read, name, text):
    loaded = read(text, name)
    assert loaded.frame.to_dict(as_series=False) == {"a": [1, 2], "b": ["x", "y"]}
    assert loaded.notes == ()
    assert loaded.source == name


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252"])
def test_encodings_are_found(read, encoding):
    loaded = read("größe,art\n1,é\n2,ü\n".encode(encoding))
    assert loaded.frame.columns == ["größe", "art"]
    assert loaded.frame["art"].to_list() == ["é", "ü"]
    assert bool(loaded.notes) == (encoding in ("latin-1", "cp1252"))


def test_an_encoding_can_be_chosen(read):
    assert read("имя,b\n1,2\n".encode("koi8-r"), encoding="koi8-r").frame.columns == ["имя", "b"]
    assert read("a,b\n1,2\n".encode("utf-16-be"), encoding="utf-16-be").frame.rows() == [(1, 2)]
    with pytest.raises(ValueError, match=r"encoding: expected the name .* got 'klingon'"):
        read("a,b\n1,2\n", encoding="klingon")
    with pytest.raises(ValueError, match=r"table.csv: expected text in utf-8"):
        read("é,b\n1,2\n".encode("latin-1"), encoding="utf-8")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_text(read, compress):
    assert read(compress(b"a,b\n1,2\n"), "table.csv.gz").frame.rows() == [(1, 2)]


def test_decimal_commas(read):
    loaded = read("height, m;weight\n1,85;80\n1,6;-61,5\n")
    assert loaded.frame.to_dict(as_series=False) == {"height, m": [1.85, 1.6], "weight": [80.0, -61.5]}
    assert "decimal commas" in loaded.notes[0]
    # between commas a comma is never part of a number
    assert read('a,b\n"1,5",2\n"2,5",3\n').frame["a"].to_list() == ["1,5", "2,5"]


GERMAN, ENGLISH = "points between thousands left out in 'sales'", "commas between thousands left out in 'sales'"
DOUBT = "though three digits follow each of them: if they stand between thousands, remove them"
NEITHER = "it cannot be told whether"


@pytest.mark.parametrize(
    ("text", "sales", "said"),
    [
        # the other sign is the decimal one, in another column or in this one
        ("sales;y\n2.581;2567,9\n950;948,1\n", [2581, 950], GERMAN),
        ("sales;y\n2,581;2567.9\n950;948.1\n", [2581, 950], ENGLISH),
        ('sales,y\n"2,581",2567.9\n950,948.1\n', [2581, 950], ENGLISH),
        ("sales;y\n2.581,0;1\n950;2\n", [2581, 950], GERMAN),
        ("sales;y\n2.581;1\n950,5;2\n", [2581, 950.5], GERMAN),
        ('sales,y\n"2,581.25",1\n"-1,950",2\n', [2581.25, -1950], ENGLISH),
        # two signs are no decimals
        ("sales;y\n1.234.567;1\n2.581;2\n", [1234567, 2581], GERMAN),
        ('sales,y\n"1,234,567",1\n+12,2\n?,3\n', [1234567, 12, None], ENGLISH),
        ("sales;y\n2.581;1.234.567\n950;1\n", [2581, 950], GERMAN[:-7]),
        # nothing tells: as before, and it is said
        ("sales;y\n2.581;1\n1.950;2\n", [2.581, 1.95], DOUBT),
        ("sales,y\n2.581,1\n950,2\n", [2.581, 950], DOUBT),
        ("sales;y\n2,581;1\n950;2\n", [2.581, 950], DOUBT),
        ('sales,y\n"2,581",1\n950,2\n', ["2,581", "950"], NEITHER),
        # both signs are decimal ones elsewhere, or a number from 1000 on lacks the sign
        ("sales;y;z\n2.581;1,5;1.5\n950;2,5;2.5\n", [2.581, 950], None),
        ("sales;y\n2.581;2567,9\n1950;948,1\n", [2.581, 1950], DOUBT),
        # ordinary decimals
        ("sales;y\n0.581;2567,9\n9.500;948,1\n", [0.581, 9.5], None),
        ("sales;y\n2.581;2567,9\n9.5;948,1\n", [2.581, 9.5], None),
        ("sales;y\n2.581;2567.9\n9.500;948.1\n", [2.581, 9.5], None),
        ("sales;y\n1234.581;2567,9\n9.500;948,1\n", [1234.581, 9.5], None),
        ("sales;y\n2,581;2567,9\n950;948,1\n", [2.581, 950], None),
        # neither
        ("sales;y\n1.234;1\n1,234;2\n", ["1.234", "1,234"], NEITHER),
        ("sales;y\n1.234.56;1,5\n1.234;2\n", ["1.234.56", "1.234"], None),
        ("sales;y\n192.168.001;x\n10.0.0;y\n", ["192.168.001", "10.0.0"], None),
    ],
)
def test_signs_between_thousands(read, text, sales, said):
    loaded = read(text)
    assert loaded.frame["sales"].to_list() == sales
    about = [note for note in loaded.notes if "'sales'" in note and "one of '?'" not in note]
    remarks = [note for note in about if not note.startswith("decimal commas read in 'sales', 'y'")]
    assert len(remarks) == (said is not None)
    assert said is None or said in remarks[0]


def test_thousands_in_excel(tmp_path):
    rows = [["sales", "y"], ["2,581", "1.5"], ["1,950.5", "?"], ["7", "2.25"]]
    loaded = read_files(workbook(tmp_path / "t.xlsx", *rows))
    assert loaded.frame.to_dict(as_series=False) == {"sales": [2581, 1950.5, 7], "y": [1.5, None, 2.25]}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            ["2024-04-10 05:00", "2024-04-11 17:30"],
            [datetime.datetime(2024, 4, 10, 5), datetime.datetime(2024, 4, 11, 17, 30)],
        ),
        (["2024-04-10T05:00"], [datetime.datetime(2024, 4, 10, 5)]),
        (["2024-04-10T05:00Z"], [datetime.datetime(2024, 4, 10, 5, tzinfo=datetime.UTC)]),
        (["31.01.2024", "NA", "1.2.2024"], [datetime.date(2024, 1, 31), None, datetime.date(2024, 2, 1)]),
        (["01.02.2024 05:00:30"], [datetime.datetime(2024, 2, 1, 5, 0, 30)]),
        (["01/31/2024", "02/01/2024"], [datetime.date(2024, 1, 31), datetime.date(2024, 2, 1)]),
        (
            ["31/01/2024 05:00", "01/02/2024 06:00"],
            [datetime.datetime(2024, 1, 31, 5), datetime.datetime(2024, 2, 1, 6)],
        ),
        (["01/02/2024", "03/04/2024"], None),
        (["01/31/2024", "31/01/2024"], None),
        (["31.01.24"], None),
        (["2024-02-30"], None),
        (["2024-04-10 05:00", "2024-04-10"], None),
        (["2024-04-10 25:00"], None),
        (["31.01.2024", "soon"], None),
    ],
)
def test_forms_of_dates(read, texts, expected):
    loaded = read("day;x\n" + "".join(f"{text};1\n" for text in texts))
    assert loaded.frame["day"].to_list() == (texts if expected is None else expected)
    either = texts == ["01/02/2024", "03/04/2024"]
    assert [note for note in loaded.notes if "whether days or months come first" in note] == list(loaded.notes)
    assert bool(loaded.notes) == either


def test_line_breaks_and_separators_within_quotes(read):
    assert read('a,b\n"x\ny",1\n"p, ""q""",2\n').frame["a"].to_list() == ["x\ny", 'p, "q"']
    assert read('a,b\n5" pipe,1\n"x",2\n').frame["a"].to_list() == ['5" pipe', "x"]


def test_values_of_every_kind(read):
    loaded = read(
        "whole,real,date,time,zone,truth,label,gone,large\n"
        "1,1e-3,2020-01-01,2020-01-01 10:00:00,2020-01-01T10:00:00Z,True, x,NA,99999999999999999999\n"
        "-2,.5,2020-02-01,2020-01-01 10:00:00.5,2020-01-01T10:00:00+02:00,false,y,,1\n"
    )
    kinds = [pl.Int64, pl.Float64, pl.Date, pl.Datetime, pl.Datetime, pl.Boolean, pl.String, pl.String, pl.Float64]
    assert all(dtype == kind for dtype, kind in zip(loaded.frame.dtypes, kinds, strict=True))
    assert loaded.frame["real"].to_list() == [0.001, 0.5]
    assert loaded.frame["truth"].to_list() == [True, False]
    assert loaded.frame["zone"][1].hour == 8
    assert loaded.frame["gone"].null_count() == 2


@pytest.mark.parametrize(
    "marker", ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "#N/A", "?", "-", ".", '" "']
)
def test_missing_values(read, marker):
    loaded = read(f"a,b,c\n1.5,x,1\n{marker},{marker},2\n2,y,3\n")
    assert loaded.frame["a"].to_list() == [1.5, None, 2]
    assert loaded.frame["b"].to_list() == ["x", None, "y"]
    assert bool(loaded.notes) == (marker in ("?", "-", "."))


def test_a_minus_beside_a_plus_is_a_label(read):
    assert read("strand,x\n+,1\n-,2\n").frame["strand"].to_list() == ["+", "-"]


def test_names_are_made_distinct(read):
    loaded = read("x,x, ,y ,x (2)\n1,2,3,4,5\n")
    assert loaded.frame.columns == ["x", "x (3)", "column 3", "y", "x (2)"]
    assert [note for note in loaded.notes if "twice" in note]
    assert [note for note in loaded.notes if "without a name" in note]


def test_names_that_polars_would_take_for_patterns(read):
    loaded = read("*,^b.*$,bc,c\n1,2,3,NA\nNA,?,4,2020-01-01\n")
    assert loaded.frame.columns == ["*", "^b.*$", "bc", "c"]
    assert loaded.frame.rows() == [(1, 2, 3, None), (None, None, 4, datetime.date(2020, 1, 1))]


def test_names_of_rows_as_r_writes_them(read):
    loaded = read('"a" "b"\n"1" 1.5 "x y"\n"2" 2.5 "z"\n', "table.txt")
    assert loaded.frame.rows() == [(1, 1.5, "x y"), (2, 2.5, "z")]
    assert loaded.frame.columns[0] == "row"
    assert "one cell more" in loaded.notes[0]


def test_a_file_without_names(read):
    assert read("1,2\n3,4\n", header=False).frame.to_dict(as_series=False) == {"column 1": [1, 3], "column 2": [2, 4]}
    assert "holds numbers only" in read("1,2\n3,4\n").notes[0]


def test_row_numbers_are_pointed_out(read):
    rows = "".join(f"{i},{i * i}\n" for i in range(20))
    assert "counts the rows, 0 to 19" in read(f",x\n{rows}").notes[-1]
    assert read(f"i,x\n{rows}").notes
    assert not read("i,x\n" + "".join(f"{2 * i},{i * i}\n" for i in range(20))).notes


def test_a_column_with_a_few_texts_among_numbers(read):
    loaded = read("a,b\n" + "1,2\n" * 20 + "12a,3\n")
    assert loaded.frame["a"].dtype == pl.String
    assert "1 of 21 values are no numbers ('12a')" in loaded.notes[0]


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (b"", "got an empty file"),
        (b"\n \n\n", "nothing but blank lines"),
        (b"a,b\n", "got a header only"),
        (b"a,b,c\n1,2,3\n1,2\n", r"as in the first \(3\), got 2 in line 3"),
        (b"a,b\n1,2\n1,2,3\n", r"as in the first \(2\), got 3 in line 3"),
        (b"A title\n\na,b,c\n1,2,3\n", r"got 3 in line 3. If lines stand above the column names, skip them"),
        (b'a,b\n"x,2\n3,4\n', "every quoted text to be closed"),
        (random.Random(0).randbytes(3000), "bytes that are no text"),
        (bytes(range(1, 32)) * 20, "bytes that are no text"),
        ("a,b\n1,2\n".encode("utf-16-le"), 'pass encoding="utf-16-le"'),
        (gzip.compress(b"a,b\n1,2\n" * 50, mtime=0)[:-9], "damaged"),
        (b"a,b\n1,2\0\n", "bytes that are no text"),
        (b'a,b\n"' + b"x" * 200_000 + b'"y,1\n', "cannot be read"),
    ],
)
def test_one_sentence_says_what_is_wrong(read, contents, said):
    with pytest.raises(ValueError, match=said) as caught:
        read(contents)
    assert str(caught.value).startswith("table.csv: expected ")
    assert "\n" not in str(caught.value)


def test_paths_that_are_no_files(tmp_path):
    (tmp_path / "penguins.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="got a folder"):
        read_files(tmp_path)
    with pytest.raises(ValueError, match=r"no such file. Did you mean 'penguins.csv'"):
        read_files(tmp_path / "pengiuns.csv")
    with pytest.raises(ValueError, match="There is no folder"):
        read_files(tmp_path / "no" / "such.csv")
    with pytest.raises(ValueError, match="a NUL in it"):
        read_files("a\0b")
    with pytest.raises(ValueError, match="at least one file"):
        read_files([])
    with pytest.raises(TypeError, match="names of files"):
        read_files([3])


@pytest.mark.parametrize("separator", ["", "::", '"', "\n", "é"])
def test_separators_that_are_none(read, separator):
    with pytest.raises(ValueError, match="separator: expected one character"):
        read("a,b\n1,2\n", separator=separator)
    with pytest.raises(TypeError, match="separator: expected a character, got 3"):
        read("a,b\n1,2\n", separator=3)


def test_a_separator_can_be_chosen(read):
    assert read("a:b,c\n1:2,3\n", separator=":").frame.columns == ["a", "b,c"]


def test_several_files_are_stacked(tmp_path):
    (tmp_path / "one.csv").write_text("a,b\n1,x\n")
    (tmp_path / "two.tsv").write_text("a\tb\n2.5\ty\n")
    pl.DataFrame({"a": [3], "b": ["z"]}).write_parquet(tmp_path / "three.parquet")
    paths = [tmp_path / name for name in ("one.csv", "two.tsv", "three.parquet")]
    assert read_files(paths[:2]).frame.rows() == [(1.0, "x"), (2.5, "y")]
    loaded = read_files(paths)
    assert loaded.frame.rows() == [(1.0, "x"), (2.5, "y"), (3.0, "z")]
    assert loaded.source == "3 files ('one.csv', 'two.tsv', 'three.parquet')"


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ("b,a\n1,2\n", "got 'b' in place 1, where one.csv has 'a'"),
        ("a\n1\n", "got 'b' in one.csv only"),
        ("a,b,c\n1,2,3\n", "got 'c' in two.csv only"),
    ],
)
def test_files_with_other_columns(tmp_path, second, said):
    (tmp_path / "one.csv").write_text("a,b\n1,x\n")
    (tmp_path / "two.csv").write_text(second)
    with pytest.raises(ValueError, match=f"two.csv: expected the columns of one.csv.* {said}"):
        read_files([tmp_path / "one.csv", tmp_path / "two.csv"])


def test_files_with_other_types(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "one.parquet")
    pl.DataFrame({"a": [b"1"]}).write_parquet(tmp_path / "two.parquet")
    with pytest.raises(ValueError, match=r"two.parquet: expected the types of one.parquet, got Binary in 'a'"):
        read_files([tmp_path / "one.parquet", tmp_path / "two.parquet"])


def test_formats_that_declare_their_types(tmp_path):
    frame = pl.DataFrame({"a": [1, None], "b": ["NA", "x"], "c": [datetime.date(2020, 1, 1)] * 2})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ipc(tmp_path / "t.feather")
    frame.write_ipc_stream(tmp_path / "t.arrow")
    frame.write_ipc(tmp_path / "no_ending")
    for name in ("t.parquet", "t.feather", "t.arrow", "no_ending"):
        assert read_files(tmp_path / name).frame.equals(frame)


def test_columns_of_lists_are_left_out(tmp_path):
    pl.DataFrame({"a": [1, 2], "^b$": [[1], [2, 3]], "c": [{"d": 1}] * 2}).write_parquet(tmp_path / "t.parquet")
    loaded = read_files(tmp_path / "t.parquet")
    assert loaded.frame.columns == ["a"]
    assert "left out" in loaded.notes[0]
    assert "'^b$', 'c'" in loaded.notes[0]


def test_excel(tmp_path):
    day = datetime.date(2020, 1, 1)
    rows = [["x", "x", None, "day"], [1, 1 / 3, "a", day], [2, "?", "b", day], [3, 2 / 3, None, day]]
    loaded = read_files(workbook(tmp_path / "t.xlsx", *rows, sheets=("first", "second")))
    assert loaded.frame.columns == ["x", "x (2)", "column 3", "day"]
    # nine digits are what a column with texts would have kept
    assert loaded.frame["x (2)"].to_list() == [1 / 3, None, 2 / 3]
    assert loaded.frame["column 3"].to_list() == ["a", "b", None]
    assert loaded.frame["day"][0] == datetime.datetime(2020, 1, 1)
    assert "sheet 'first' of t.xlsx was read; there are also 'second'" in loaded.notes
    assert read_files(tmp_path / "t.xlsx", sheet="second").frame.height == 3
    assert read_files(tmp_path / "t.xlsx", header=False).frame.height == 4
    with pytest.raises(ValueError, match=r"sheet: expected one of 'first', 'second', got 'secnd'. Did you mean"):
        read_files(tmp_path / "t.xlsx", sheet="secnd")


def test_a_text_far_down_in_excel_is_not_lost(tmp_path):
    path = workbook(tmp_path / "t.xlsx", ["x"], *([i] for i in range(1500)), ["abc"])
    assert read_files(path).frame["x"][-1] == "abc"


def test_excel_without_rows(tmp_path):
    with pytest.raises(ValueError, match=r"t.xlsx: expected a table: .* sheet 'first' without any"):
        read_files(workbook(tmp_path / "t.xlsx", ["a", "b"]))


def test_excel_without_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(ImportError, match=r'pip install "shearer\[excel\]"'):
        read_files(workbook(tmp_path / "t.xlsx", ["a"], [1]))


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.xlsx", "t.csv.gz"])
def test_damaged_files(tmp_path, name):
    frame = pl.DataFrame({"a": range(50), "b": [f"x{i % 3}" for i in range(50)]})
    path = tmp_path / name
    writers = {"t.parquet": frame.write_parquet, "t.feather": frame.write_ipc}
    if name in writers:
        writers[name](path)
    elif name == "t.xlsx":
        workbook(path, ["a", "b"], *frame.rows())
    else:
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    whole = path.read_bytes()
    assert read_files(path).frame.shape == (50, 2)
    for length in (1, 6, 30, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=f"^{name}: expected ") as caught:
            read_files(path)
        assert "\n" not in str(caught.value)


def test_other_formats_are_refused(read):
    for name in ("table.json", "table.ndjson", "table.npz"):
        with pytest.raises(ValueError, match=r"expected text \(csv, tsv, txt\), Parquet, Arrow or Excel"):
            read("[]", name)
    with pytest.raises(ValueError, match="expected a file in the format of Parquet, got other contents"):
        read("a,b\n1,2\n", "table.parquet")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_standard_input(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    frame.write_csv(path, separator=";") if kind == "csv" else frame.write_parquet(path)
    program = "from shearer._files import read_files; found = read_files('-'); print(found.frame.rows(), found.source)"
    with path.open("rb") as file:
        found = subprocess.run([sys.executable, "-c", program], stdin=file, capture_output=True, text=True, check=True)
    assert found.stdout == "[(1, 'x'), (2, 'y')] standard input\n"


@pytest.mark.needs("data")
@pytest.mark.parametrize(
    ("name", "shape", "missing", "labels"),
    [
        ("tables/penguins.csv", (344, 8), 19, 3),
        ("tables/mpg.csv", (398, 9), 6, 2),
        ("sachs/sachs.2005.continuous.txt", (7466, 11), 0, 0),
        ("bike/hour.csv", (17379, 17), 0, 0),
        ("dream4/size10/insilico_size10_1_timeseries.tsv", (105, 11), 0, 0),
        ("dream4/size100/insilico_size100_1_multifactorial.tsv", (100, 100), 0, 0),
    ],
)
def test_real_tables(folder, name, shape, missing, labels):
    frame = read_files(folder / name).frame
    assert frame.shape == shape
    assert sum(frame.null_count().row(0)) == missing
    assert frame.dtypes.count(pl.String) == labels


@pytest.mark.needs("data")
def test_values_are_those_that_polars_reads(folder):
    ours = read_files(folder / "bike" / "hour.csv").frame
    theirs = pl.read_csv(folder / "bike" / "hour.csv", try_parse_dates=True, infer_schema_length=None)
    assert ours.equals(theirs.with_columns(ours["dteday"]))
    assert ours["dteday"].to_list() == theirs["dteday"].to_list()


def test_a_file_is_written_whole(tmp_path):
    path = tmp_path / "out.txt"
    write_file("--out", path, [b"first ", b"second"])
    assert path.read_bytes() == b"first second"
    path.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    write_file("--out", link, b"third")
    assert path.read_bytes() == b"third"
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_fails_half_way_leaves_the_old_file(tmp_path):
    def pieces():
        yield b"begun"
        raise OSError(28, "No space left on device")

    path = tmp_path / "out.txt"
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match=r"--out: expected '.*out.txt' to be written, got the error No space left"):
        write_file("--out", path, pieces())
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["out.txt"]


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(ValueError, match="which is a folder"):
        check_writable("--out", tmp_path)
    with pytest.raises(ValueError, match="a folder that exists"):
        check_writable("--out", tmp_path / "no" / "out.txt")
    with pytest.raises(ValueError, match="the name of a file"):
        check_writable("--out", "a\0b")
    check_writable("--out", tmp_path / "new.txt")
    check_writable("--out", "/dev/null")
    write_file("--out", "/dev/null", b"x")
    assert not list(tmp_path.iterdir())
