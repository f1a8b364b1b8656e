"""Money, shares, units, words for true and false, titles above tables, other scripts."""

import pytest

from shearer._files import read_files
from shearer._files.chunks import join, look_through


@pytest.fixture
def read(tmp_path):
    def read(contents, name="table.csv", **options):
        path = tmp_path / name
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return read_files(path, **options)

    return read


@pytest.mark.parametrize(
    ("texts", "values", "said"),
    [
        (["$3,022.08", "$950.00", "$12"], [3022.08, 950.0, 12.0], "the unit $ left out"),
        (["-$3", "$4.5", "$-7"], [-3.0, 4.5, -7.0], "the unit $ left out"),
        (["21.7%", "3 %", "100%"], [21.7, 3.0, 100.0], "the unit % left out"),
        (["1.234,50 €", "3,00 €", "12 €"], [1234.5, 3.0, 12.0], "the unit € left out"),
        (["70 kg", "81.5kg", "NA"], [70.0, 81.5, None], "the unit kg left out"),
        (["21 °C", "-2 °C", "0 °C"], [21, -2, 0], "the unit °C left out"),
        (["USD 5", "USD 7", "USD 12"], [5, 7, 12], "the unit USD left out"),
        (["90 km/h", "50 km/h", "?"], [90, 50, None], "the unit km/h left out"),
        (["5 kg", "300 g", "1 kg"], None, "different units ('g', 'kg')"),
        (["5A", "6A", "7A"], None, None),
        (["1st", "2nd", "3rd"], None, None),
        (["$5", "6", "7"], None, None),
        (["kg", "kg", "g"], None, None),
        (["$1,234", "$950", "$12"], [1234, 950, 12], "commas between thousands left out"),
        (["1.234 €", "950 €", "12 €"], [1234, 950, 12], "points between thousands left out"),
        (["1.234 kg", "0.950 kg", "12 kg"], [1.234, 0.95, 12], "the unit kg left out"),
    ],
)
def test_units(read, texts, values, said):
    loaded = read("x|y\n" + "".join(f"{text}|{k}\n" for k, text in enumerate(texts)))
    assert loaded.frame["x"].to_list() == (texts if values is None else values)
    assert bool([note for note in loaded.notes if "'x'" in note]) == (said is not None or "?" in texts)
    assert said is None or any(said in note for note in loaded.notes)


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["yes", "No", "YES"], [True, False, True]),
        (["y", "n", "Y"], [True, False, True]),
        (["T", "F", "T"], [True, False, True]),
        (["on", "off", "NA"], [True, False, None]),
        (["yes", "yes", "yes"], None),
        (["yes", "no", "maybe"], None),
        (["yes", "false", "no"], None),
        (["M", "F", "F"], None),
    ],
)
def test_words_for_true_and_false(read, texts, values):
    loaded = read("x,y\n" + "".join(f"{text},{k}\n" for k, text in enumerate(texts)))
    assert loaded.frame["x"].to_list() == (texts if values is None else values)
    assert any("read as true and false in 'x'" in note for note in loaded.notes) == (values is not None)


def test_parts_of_a_file_agree(tmp_path, monkeypatch):
    monkeypatch.setattr("shearer._files.chunks._BLOCK_BYTES", 64)
    rows = "".join(f"${1000 + k:,}.50;{'yes' if k % 9 else 'no'};{k}%\n" for k in range(60))
    (tmp_path / "t.csv").write_text("A title\n\nprice;smoker;share\n" + rows)
    whole = read_files(tmp_path / "t.csv")
    table = join([look_through(tmp_path / "t.csv", separator=None)])
    import polars as pl

    assert pl.concat(list(table.frames(tmp_path / "t.csv"))).equals(whole.frame)
    assert whole.frame["price"][0] == 1000.5
    assert whole.frame["share"].dtype.is_numeric()


TABLE = "name,age,city\nAnn,31,Rome\nBo,28,Oslo\nCy,44,Bonn\n"


@pytest.mark.parametrize(
    "above",
    ["Members\n", "Members of 2024\n\n", "Members,,\nas of May,,\n\n", '"Members, all of them"\nsource:,register\n'],
)
def test_titles_above_a_table(read, above):
    wide = (
        TABLE.replace("city", "city,x,y")
        .replace("e\n", "e,1,2\n")
        .replace("o\n", "o,1,3\n")
        .replace("nn\n", "nn,2,3\n")
    )
    loaded = read(above + wide)
    assert loaded.frame.columns == ["name", "age", "city", "x", "y"]
    assert loaded.frame.height == 3
    assert any("above the table" in note for note in loaded.notes)


def test_rows_to_skip(read):
    assert read("a,b,c\nd,e,f\n" + TABLE, skip_rows=2).frame.columns == ["name", "age", "city"]
    assert read(TABLE, skip_rows=0).frame.height == 3
    with pytest.raises(ValueError, match="got nothing below the first 9 lines"):
        read(TABLE, skip_rows=9)
    with pytest.raises(ValueError, match="as in the first"):
        read("Members\n" + TABLE, skip_rows=0)


@pytest.mark.parametrize("text", [TABLE, "a,b\n1,2\n3,4\n5,6\n", "a\n1\n2\n3\n", ",x,y\n0,1,2\n1,3,4\n2,5,6\n"])
def test_tables_that_begin_at_once(read, text):
    loaded = read(text)
    assert not any("above the table" in note for note in loaded.notes)
    assert loaded.frame.height == 3


def test_one_name_above_two_cells_is_asked_about(read):
    with pytest.raises(ValueError, match="skip them"):
        read("x\na,1\nb,2\nc,3\n")


def test_lines_are_counted_from_the_first_of_the_file(read):
    with pytest.raises(ValueError, match="got 2 in line 6"):
        read("A title\n\nname,age,city\nAnn,31,Rome\nBo,28,Oslo\nCy,44\n" + "Di,3,Bern\n" * 30)


def test_a_separator_at_the_end_of_the_names_only(read):
    assert read("a,b,c,\n1,2,3\n4,5,6\n").frame.columns == ["a", "b", "c"]


@pytest.mark.parametrize("first", ["x^2", "x^"])
def test_text_that_begins_as_compressed_data_do(read, tmp_path, monkeypatch, first):
    rows = "".join(f"{k},{k % 3}\n" for k in range(40))
    found = read(f"{first},y\n{rows}").frame
    assert found.columns == [first, "y"]
    assert found["y"].to_list() == [k % 3 for k in range(40)]
    # the same in the middle of a file that is read in parts
    monkeypatch.setattr("shearer._files.chunks._BLOCK_BYTES", 16)
    (tmp_path / "parts.csv").write_text("name,y\n" + f"{first},1\n" * 30)
    table = join([look_through(tmp_path / "parts.csv", separator=None)])
    assert sum(frame.height for frame in table.frames(tmp_path / "parts.csv")) == 30


def test_titles_in_a_workbook(tmp_path):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        sheet = book.add_worksheet()
        rows = [["Members"], ["as of May"], [], ["name", "age", "x"], ["Ann", 31, 1.5], ["Bo", 28, 2.5], ["Cy", 44, 3]]
        for place, row in enumerate(rows):
            sheet.write_row(place, 0, row)
    loaded = read_files(tmp_path / "t.xlsx")
    assert loaded.frame.to_dict(as_series=False) == {
        "name": ["Ann", "Bo", "Cy"],
        "age": [31, 28, 44],
        "x": [1.5, 2.5, 3],
    }
    assert any("3 lines of t.xlsx stand above the table" in note for note in loaded.notes)
    assert read_files(tmp_path / "t.xlsx", skip_rows=3).frame.equals(loaded.frame)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "город,население\nМосква,12\nСанкт-Петербург,5\nКазань,1\n"),
        ("koi8-r", "город,население\nМосква,12\nСанкт-Петербург,5\nНовосибирск,1\n"),
        ("shift-jis", "名前,年齢\n山田,30\n鈴木,40\n佐藤,50\n"),
        ("gb18030", "城市,人口\n北京,21\n上海,24\n广州,15\n"),
        ("euc-kr", "이름,나이\n김철수,30\n이영희,40\n"),
        ("cp1253", "πόλη,πληθυσμός\nΑθήνα,3\nΠάτρα,1\nΘεσσαλονίκη,1\n"),
        ("cp1252", "größe,straße\n1,Müller\n2,Schröder\n"),
        ("cp1252", "ville,café\nGenève,3\nNîmes,4\nBéziers,5\n"),
        ("utf-8", "город,население\nМосква,12\n"),
    ],
)
def test_encodings_of_other_scripts(read, encoding, text):
    loaded = read(text.encode(encoding))
    names, *rows = (line.split(",") for line in text.splitlines())
    assert loaded.frame.columns == names
    assert loaded.frame.to_series(0).cast(str).to_list() == [row[0] for row in rows]
    assert bool(loaded.notes) == (encoding != "utf-8")
