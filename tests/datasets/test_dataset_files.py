"""Files are found, fetched from a real server, and refused if they are not the known ones."""

import socket
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from shearer.datasets import fetch, load_penguins, registry
from shearer.datasets.files import ADDRESS, CACHE, FOLDER

SMALL = "sachs/cdt_cyto_full_target.csv"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        self.server.asked.append(self.path)


@pytest.fixture
def served(tmp_path):
    """A folder, the address that serves it, and the list of what was asked for."""
    folder = tmp_path / "served"
    (folder / "sachs").mkdir(parents=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    server.asked = []
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}", server.asked
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    for name in (FOLDER, ADDRESS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def content(request):
    """The known bytes of the small file, written out here so that no data is needed."""
    links = [
        ("PIP2", "PKC"), ("plcg", "PIP2"), ("PIP3", "plcg"), ("PIP2", "PIP3"), ("plcg", "PKC"), ("PKC", "pjnk"),
        ("PKC", "P38"), ("PKA", "P38"), ("PKC", "praf"), ("PKA", "praf"), ("praf", "pmek"), ("pmek", "p44/42"),
        ("PKC", "pmek"), ("PKA", "pakts473"), ("PIP3", "pakts473"), ("PKA", "pmek"), ("PKA", "p44/42"), ("PKA", "pjnk"),
    ]  # fmt: skip
    return "".join(f'"{source}","{target}"\n' for source, target in [("Cause", "Effect"), *links]).encode()


def test_a_file_is_fetched_once_and_stays(served, own_cache, content):
    folder, address, asked = served
    (folder / SMALL).write_bytes(content)
    first = fetch(SMALL, where=address)
    assert first == own_cache / SMALL
    assert first.read_bytes() == content
    (folder / SMALL).unlink()
    assert fetch(SMALL, where=f"{address}/") == first
    assert asked == [f"/{SMALL}"]


def test_the_address_can_come_from_the_environment(served, content, monkeypatch):
    folder, address, _ = served
    (folder / SMALL).write_bytes(content)
    monkeypatch.setenv(ADDRESS, address)
    assert fetch(SMALL).read_bytes() == content


def test_a_folder_goes_before_an_address(served, content, monkeypatch):
    folder, _, asked = served
    (folder / SMALL).write_bytes(content)
    monkeypatch.setenv(FOLDER, str(folder))
    monkeypatch.setenv(ADDRESS, "http://127.0.0.1:9/never-asked")
    assert fetch(SMALL) == folder / SMALL
    assert asked == []


def test_another_file_under_the_name_is_refused_and_not_kept(served, own_cache, content):
    folder, address, _ = served
    (folder / SMALL).write_bytes(content[:-1] + b"!")
    with pytest.raises(ValueError, match=r"cdt_cyto_full_target.csv: expected 267 bytes with SHA-256 398bc137b266"):
        fetch(SMALL, where=address)
    assert not (own_cache / SMALL).exists()
    with pytest.raises(ValueError, match=r"another file in .* Get it again"):
        fetch(SMALL, where=folder)


def test_a_spoilt_copy_in_the_cache_is_fetched_again(served, own_cache, content):
    folder, address, asked = served
    (folder / SMALL).write_bytes(content)
    (own_cache / "sachs").mkdir(parents=True)
    (own_cache / SMALL).write_bytes(b"half a fi")
    assert fetch(SMALL, where=address).read_bytes() == content
    assert len(asked) == 1


def test_a_file_that_the_server_lacks(served):
    with pytest.raises(FileNotFoundError, match=r"a file that can be fetched, got HTTPError .* Set SHEARER_DATA"):
        fetch(SMALL, where=served[1])


def test_no_server_at_all():
    with socket.socket() as busy:  # bound but not listening: a connection is refused at once
        busy.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{busy.getsockname()[1]}"
        with pytest.raises(FileNotFoundError, match=r"got ConnectionError from 'http://127"):
            fetch(SMALL, where=address)


def test_an_address_of_an_unknown_kind():
    with pytest.raises(ValueError, match="the address is none that files can be fetched from"):
        fetch(SMALL, where="gopher://127.0.0.1")


def test_neither_folder_nor_address_says_what_to_do():
    with pytest.raises(FileNotFoundError, match=r"got none. Set SHEARER_DATA to a folder .* SHEARER_DATA_URL"):
        load_penguins()


def test_folders_that_lack_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file in it"):
        fetch(SMALL, where=tmp_path)
    with pytest.raises(FileNotFoundError, match="no such folder"):
        fetch(SMALL, where=tmp_path / "nowhere")


@pytest.mark.parametrize("path", ["../../etc/passwd", "sachs", "tables/penguin.csv"])
def test_only_known_files_are_fetched(path):
    with pytest.raises(ValueError, match="path: expected names among"):
        fetch(path)


def test_where_is_a_folder_or_an_address():
    with pytest.raises(TypeError, match="where: expected a folder or an address, got 3"):
        fetch(SMALL, where=3)


def test_without_pooch_the_message_names_the_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r'pip install "shearer\[data\]"'):
        fetch(SMALL, where="http://127.0.0.1:9")


def test_registry_is_well_formed_and_cannot_be_changed():
    entries = registry()
    assert len(entries) == 58
    assert all(len(entry.sha256) == 64 and entry.size > 0 and entry.path == path for path, entry in entries.items())
    assert not any(".." in path or path.startswith("/") for path in entries)
    with pytest.raises(TypeError):
        entries["new"] = None
