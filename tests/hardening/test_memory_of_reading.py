"""A budget holds for what is read: compressed files that grow, declared rows, the limits of containers."""

import bz2
import gzip
import lzma
import sys
import zipfile

import numpy as np
import polars as pl
import pytest

from cli.commands import failed_in_one_line
from shearer import MemoryBudgetError
from shearer._files import read_files
from shearer._memory import control_group_limit, parse_memory


def small_table(rows):
    return b"x,y\n" + b"".join(b"%d,%d\n" % (row % 7, row % 11) for row in range(rows))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_that_grows_beyond_the_budget_is_refused(tmp_path, pack):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(pack(b"x,y\n" + b"1,2\n" * 1_000_000))
    with pytest.raises(MemoryBudgetError, match=r"memory: expected at most 1 MB, got t.csv.gz, which needs more than"):
        read_files(path, memory="1MB")


def test_plain_text_beyond_the_budget_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(small_table(50_000))
    with pytest.raises(MemoryBudgetError, match=r"t.csv, which needs .* to be read"):
        read_files(path, memory="1MB")
    assert read_files(path, memory="50MB").frame.height == 50_000


def test_several_files_share_the_budget(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in "ab"]
    for path in paths:
        path.write_bytes(small_table(10_000))
    assert read_files(paths[0], memory="1.5MB").frame.height == 10_000
    with pytest.raises(MemoryBudgetError, match=r"b.csv, which needs .* with what was read before"):
        read_files(paths, memory="1.5MB")


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_rows_that_a_small_file_declares_are_counted(tmp_path, name):
    frame = pl.DataFrame({"x": np.zeros(500_000), "y": np.ones(500_000)})
    path = tmp_path / name
    frame.write_parquet(path) if name.endswith("parquet") else frame.write_ipc(path, compression="zstd")
    assert path.stat().st_size < 200_000
    with pytest.raises(MemoryBudgetError, match=f"{name}, which needs 24"):
        read_files(path, memory="5MB")
    assert read_files(path, memory="100MB").frame.height == 500_000


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.arrow"])
def test_columns_take_memory_whatever_they_hold(tmp_path, name):
    names = [f"c{k}" for k in range(3000)]
    path = tmp_path / name
    if name == "t.csv":
        path.write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    else:
        frame = pl.DataFrame({key: [1.0] for key in names})
        frame.write_parquet(path) if name == "t.parquet" else frame.write_ipc(path)
    with pytest.raises(MemoryBudgetError, match=f"{name}, which needs"):
        read_files(path, memory="5MB")
    assert read_files(path, memory="50MB").frame.width == 3000


def test_a_workbook_that_unpacks_to_much_is_refused(tmp_path):
    import zipfile

    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"<c/>" * 10_000_000)
    with pytest.raises(MemoryBudgetError, match=r"t.xlsx, which needs 160 MB"):
        read_files(path, memory="10MB")


def test_the_standard_input_is_bounded(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes(small_table(400_000))
    with path.open("rb") as file:
        monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": file}))
        with pytest.raises(MemoryBudgetError, match="standard input, which needs more than"):
            read_files("-", memory="1MB")


def test_commands_say_so_and_a_scan_reads_in_chunks_instead(call, tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(small_table(60_000)))
    for command in (["network", path], ["outliers", path], ["select", path, "x"]):
        found = call(*command, "--memory", "2MB")
        assert failed_in_one_line(found)
        assert "memory: expected at most 2 MB, got t.csv.gz, which needs" in found.stderr
    found = call("scan", path, "--order", "2", "--memory", "5MB", "--json", "-")
    assert found.returncode == 0, found.stderr
    assert '"rows": 60000' in found.stdout


def group_files(root, lines, limits):
    for path, text in {"proc/self/cgroup": lines, **limits}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return str(root)


@pytest.mark.parametrize(
    ("lines", "limits", "expected"),
    [
        ("0::/a/b\n", {"sys/fs/cgroup/a/memory.max": "1000\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 1000),
        ("0::/a/b\n", {"sys/fs/cgroup/memory.max": "3000\n"}, 3000),  # within a container, where a/b is not there
        ("0::/a\n", {"sys/fs/cgroup/a/memory.high": "500\n", "sys/fs/cgroup/a/memory.max": "900\n"}, 500),
        ("4:memory:/a\n1:cpu:/a\n", {"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "700\n"}, 700),
        ("5:cpu,memory:/a\n", {"sys/fs/cgroup/memory/memory.limit_in_bytes": "800\n"}, 800),
        ("0::/../../a\n", {"sys/fs/cgroup/a/memory.max": "60\n"}, 60),
        ("0::/\n", {}, None),
        ("0::/a\n", {"sys/fs/cgroup/a/memory.max": "garbage\n"}, None),
        ("nonsense\n", {}, None),
    ],
)
def test_limits_of_control_groups(tmp_path, lines, limits, expected):
    found = control_group_limit(group_files(tmp_path, lines, limits))
    assert found == expected if expected else found > 2**60


def test_the_default_budget_is_half_of_the_limit(monkeypatch):
    monkeypatch.setattr("shearer._memory.control_group_limit", lambda: 10**6)
    assert parse_memory(None) == 500_000


def test_memory_is_asked_for_as_it_is_needed(tmp_path):
    """Where the system limits addresses, a budget beyond the limit is no reason to refuse a small file."""
    path = tmp_path / "t.csv"
    path.write_bytes(small_table(10))
    assert read_files(path, memory="1000TB").frame.height == 10
    path.write_bytes(gzip.compress(small_table(10)))
    assert read_files(path, memory="1000TB").frame.height == 10


def changed_workbook(folder, change):
    """A workbook of two columns whose sheet is written anew."""
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0], "y": [3.0, 1.0, 2.0]})
    frame.write_excel(folder / "plain.xlsx")
    path = folder / "changed.xlsx"
    with zipfile.ZipFile(folder / "plain.xlsx") as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            contents = old.read(name)
            new.writestr(name, change(contents) if name.endswith("sheet1.xml") else contents)
    return path


@pytest.mark.parametrize(
    "far",
    [
        b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        b"<row r='1048576'><c s='1' r='xfd1048576' ><v>1</v></c></row>",
        b'<row r="5"><c r="XFD5"><v>1</v></c></row><row r="1048576"><c><v>1</v></c></row>',
    ],
)
def test_a_workbook_with_a_cell_at_the_far_end_is_refused_before_it_is_read(tmp_path, far):
    """It is a few kilobytes, and all cells before the last would take half a terabyte: the reader ended the process."""
    path = changed_workbook(tmp_path, lambda sheet: sheet.replace(b"</sheetData>", far + b"</sheetData>"))
    with pytest.raises(MemoryBudgetError, match=r"changed.xlsx, which needs .* GB to be read"):
        read_files(path, memory="20GB")


def test_cells_that_are_only_formatted_take_no_room(tmp_path):
    styled = b'<row r="1048576"><c r="XFD1048576" s="1"/></row></sheetData>'
    path = changed_workbook(tmp_path, lambda sheet: sheet.replace(b"</sheetData>", styled))
    assert read_files(path, memory="20MB").frame.shape == (3, 2)


def test_a_workbook_whose_sheet_is_larger_than_it_says_is_refused(tmp_path):
    path = changed_workbook(tmp_path, lambda sheet: sheet + b" " * 10_000_000)
    raw = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    said, told = size.to_bytes(4, "little"), (1000).to_bytes(4, "little")
    path.write_bytes(bytes(raw).replace(said, told))
    with pytest.raises(MemoryBudgetError, match="members that are as large as they say"):
        read_files(path, memory="20MB")
