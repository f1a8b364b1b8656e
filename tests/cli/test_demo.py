"""`shearer demo`."""

import pytest

from cli.commands import run
from shearer.datasets import planted_table
from shearer.demo import demonstrate


def test_demo_finds_what_was_planted(tmp_path):
    picture = tmp_path / "demo.svg"
    result = run("demo", "--svg", str(picture))
    assert result.returncode == 0
    assert result.stderr == ""
    for word in ("dose", "ring", "species", "lamp", "planted against found"):
        assert word in result.stdout
    assert "no " not in [line.split("│")[-2].strip() for line in result.stdout.splitlines() if line.startswith("│")]
    assert "https://cdn" not in picture.read_text()


def test_same_seed_same_output(call):
    first, second, other = (call("demo", "--rows", "50", "--seed", seed).stdout for seed in ("3", "3", "4"))
    assert first == second
    assert first != other


@pytest.mark.parametrize("seed", range(3))
def test_demonstration(seed):
    result = demonstrate(rows=120, seed=seed)
    planted = {frozenset(names) for names in (*result.planted.pairs, *result.planted.triples)}
    assert {frozenset(finding.names) for finding in result.findings} == planted


def test_planted_table_honours_its_seed():
    first, same, other = planted_table(50, rng=1), planted_table(50, rng=1), planted_table(50, rng=2)
    assert all((first.columns[name] == same.columns[name]).all() for name in first.columns)
    assert (first.columns["dose"] != other.columns["dose"]).any()
    assert ((first.columns["switch_a"] ^ first.columns["switch_b"]) == first.columns["lamp"]).all()
