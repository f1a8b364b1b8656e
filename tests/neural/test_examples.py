"""The examples run, small, and show what they say."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def main_of(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]


def test_every_example_is_tested():
    tested = {"covariate_shift", "disentangled_vae", "watch_cnn"}
    assert {path.stem for path in EXAMPLES.glob("*.py")} == tested


def test_covariate_shift(capsys):
    found = main_of("covariate_shift")(["--rows", "120", "--epochs", "8", "--seeds", "1"])
    assert set(found) == {"mse", "mae", "hsic", "error_entropy", "dependence"}
    assert all(0 < error < 3 for pair in found.values() for error in pair)
    assert capsys.readouterr().out.count("\n") == 6


def test_disentangled_vae(capsys):
    found = main_of("disentangled_vae")(["--images", "200", "--epochs", "25", "--weights", "0", "5"])
    assert found[5.0][1] < found[0.0][1]
    assert "T* of the code" in capsys.readouterr().out


def test_watch_cnn(tmp_path, capsys):
    import matplotlib as mpl

    with mpl.rc_context({"backend": "agg"}):
        monitor = main_of("watch_cnn")(["--epochs", "1", "--picture", str(tmp_path / "watched.svg")])
    assert [row["step"] for row in monitor.rows] == [0, 0, 0, 1, 1, 1]
    assert "right on 297 new digits" in capsys.readouterr().out
    assert (tmp_path / "watched.svg").stat().st_size > 1000


@pytest.mark.parametrize("name", ["covariate_shift", "disentangled_vae", "watch_cnn"])
def test_help(name, capsys):
    with pytest.raises(SystemExit) as stop:
        main_of(name)(["--help"])
    assert stop.value.code == 0
    assert f"examples/{name}.py" in capsys.readouterr().out
