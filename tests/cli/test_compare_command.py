"""`shearer compare`: files in, terminal, JSON, CSV, page, profile, exit codes."""

import json
import re

import numpy as np
import polars as pl
import pytest

from cli.commands import failed_in_one_line, run


def table(seed, correlation, rows=150):
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, rows))
    return pl.DataFrame(
        {
            "price": x,
            "mileage": correlation * x + np.sqrt(1 - correlation**2) * noise,
            "fuel": rng.choice(["petrol", "diesel"], rows),
        }
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare")
    old, new = table(0, 0.9), table(1, 0.1)
    old.write_csv(folder / "old.csv")
    new.write_csv(folder / "new.csv")
    both = pl.concat([old.with_columns(when=pl.lit("old")), new.with_columns(when=pl.lit("new"))])
    both.write_csv(folder / "both.csv")
    return folder


def test_two_files_in_words_and_in_files(files):
    outputs = [f"--{kind}={files / f'out.{kind}'}" for kind in ("json", "csv")]
    result = run("compare", files / "old.csv", files / "new.csv", *outputs, f"--report={files / 'out.html'}")
    assert result.returncode == 0, result.stderr
    assert re.search(r"price and mileage: 0\.\d\d in old, .* in new", result.stdout)
    document = json.loads((files / "out.json").read_text())
    assert document["version"] == 1
    assert [group["name"] for group in document["settings"]["groups"]] == ["old", "new"]
    assert (files / "out.csv").read_text().startswith("first,second,change,strength (old)")
    assert "fuel" in (files / "out-columns.csv").read_text()
    page = (files / "out.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "price" in page


def test_groups_of_one_file_and_exit_codes(call, files):
    by = ("compare", files / "both.csv", "--by", "when", "--quiet")
    assert call(*by).returncode == 0
    assert call(*by, "--fail-on-change").returncode == 3
    assert call("compare", files / "old.csv", files / "old.csv", "--fail-on-change", "--quiet").returncode == 0
    found = call(*by, "--json", "-")
    assert json.loads(found.stdout)["settings"]["by"] == "when"


def test_a_profile_is_written_compared_and_refused_when_altered(call, files):
    profile = files / "old.shearer"
    saved = call("compare", files / "old.csv", "--save-profile", profile)
    assert saved.returncode == 0, saved.stderr
    result = call("compare", profile, files / "new.csv", "--fail-on-change", "--report", files / "profile.html")
    assert result.returncode == 3, result.stderr
    assert "price and mileage" in result.stdout
    contents = bytearray(profile.read_bytes())
    contents[contents.index(b"price") + 2] ^= 1
    profile.write_bytes(bytes(contents))
    assert failed_in_one_line(call("compare", profile, files / "new.csv"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["old.csv"],
        ["old.csv", "new.csv", "--by", "fuel"],
    ],
)
def test_wrong_usage(call, files, arguments):
    result = call("compare", *(files / word if word.endswith("csv") else word for word in arguments))
    assert result.returncode == 2


def test_errors_in_one_line(call, files):
    assert failed_in_one_line(call("compare", files / "old.csv", files / "none.csv"))
    assert failed_in_one_line(call("compare", files / "both.csv", "--by", "nothing"))
    assert failed_in_one_line(call("compare", files / "old.csv", files / "new.csv", "--cluster", "nobody"))
    assert failed_in_one_line(call("compare", files / "both.csv", "--by", "when", "--every", "month"))
    assert failed_in_one_line(call("compare", files / "old.csv", files / "new.csv", "--json", files / "old.csv"))


def test_files_in_chunks_and_triples(call, files):
    command = ("compare", files / "old.csv", files / "new.csv", "--quiet", "--json", "-")
    whole, chunks = (json.loads(call(*command, *more).stdout) for more in ((), ("--stream",)))
    assert whole["pairs"] == chunks["pairs"]
    outputs = ("--triples", f"--csv={files / 'three.csv'}", f"--save-profile={files / 'three.shearer'}")
    result = call(*command[:4], "--stream", *outputs)
    assert result.returncode == 0, result.stderr
    assert (files / "three-triples.csv").read_text().splitlines()[1].startswith("price,mileage,fuel")
    assert (files / "three.shearer").exists()
    refused = call("compare", files / "both.csv", "--by", "when", "--stream")
    assert refused.returncode == 2
    assert "fits in memory" in refused.stderr
