"""Scans of order 4: parities are found among many columns, nothing else is, in every output."""

import json

import numpy as np
import pytest

import shearer as sh
from shearer.data import read
from shearer.report import summary_sentences
from shearer.report.schema import departures
from shearer.scanning import screened_quadruples
from shearer.scanning.quadruple_cumulants import CHOICES, SetFunctions, all_quadruples, some_quadruples


def parity_table(columns, rows, seed=0):
    """Numbers, of which the last but one has the sign of the product of columns 1, 3 and 5."""
    values = np.random.default_rng(seed).normal(size=(columns, rows))
    values[-2] = np.abs(values[-2]) * np.sign(values[1] * values[3] * values[5])
    return {f"x{k}": column for k, column in enumerate(values)}, {"x1", "x3", "x5", f"x{columns - 2}"}


@pytest.fixture(name="found", scope="module")
def found_fixture():
    table, four = parity_table(12, 300)
    return sh.scan(table, order=4, top=2, progress=False), four


def test_cumulants_are_those_of_the_definition():
    table, _ = parity_table(6, 80)
    table["x2"] = np.where(table["x2"] > 0, "u", "v")
    functions = SetFunctions(read(table))
    pieces = list(all_quadruples(functions, np.arange(6)))
    members, pvalues = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    assert sorted(map(tuple, members.tolist())) == [
        (a, b, c, d) for a in range(6) for b in range(a + 1, 6) for c in range(b + 1, 6) for d in range(c + 1, 6)
    ]
    np.testing.assert_allclose(some_quadruples(functions, members), pvalues, rtol=1e-3)
    values = functions.values.astype(float)
    four = members[7]
    for choice in CHOICES:
        f, g, h, k = (values[height, :, place] for height, place in zip(choice, four, strict=True))
        np.testing.assert_allclose([np.mean(f), np.mean(g**2)], [0.0, 1.0 if g.any() else 0.0], atol=1e-5)
        means = np.mean(f * g * h * k) - np.mean(f * g) * np.mean(h * k)
        means -= np.mean(f * h) * np.mean(g * k) + np.mean(f * k) * np.mean(g * h)
        assert np.isfinite(means)


def test_parity_is_found_and_nothing_else(found):
    scan, four = found
    reported = [set(own["variables"]) for own in scan.document["quadruples"] if own["reported"]]
    assert reported == [four]
    assert scan.document["settings"]["quadruples_screened"] == 495
    assert scan.quadruples["reported"].sum() == 1
    assert "1 of 495 quadruples" in repr(scan)
    assert not any(own["reported"] for own in scan.document["triples"])


def test_every_output_tells_it(found, tmp_path):
    scan, four = found
    assert departures(json.loads(scan.to_json())) == []
    words = " ".join(summary_sentences(scan.document))
    assert "1 holds dependence that no model of three explains" in words
    assert all(name in words for name in four)
    scan.to_csv(tmp_path / "out.csv")
    lines = (tmp_path / "out-quadruples.csv").read_text().splitlines()
    assert lines[0].startswith("first,second,third,fourth,added,")
    assert set(lines[1].split(",")[:4]) == four
    page = scan.to_html()
    assert "What only shows in fours" in page
    assert all(name in page.split("What only shows in fours")[1] for name in four)


def test_other_orders_have_none():
    table, _ = parity_table(8, 60)
    scan = sh.scan(table, progress=False)
    assert "quadruples" not in scan.document
    assert "quadruples_screened" not in scan.document["settings"]
    assert len(scan.quadruples) == 0
    assert "What only shows in fours" not in scan.to_html()


def test_targets_gaps_and_few_columns(rng):
    table, four = parity_table(9, 300, seed=3)
    for name in ("x0", "x2", "x8"):
        table[name][rng.random(300) < 0.2] = np.nan
    table["x3"][:20] = np.nan
    whole = sh.scan(table, order=4, top=0, progress=False).document
    assert [set(own["variables"]) for own in whole["quadruples"] if own["reported"]] == [four]
    assert next(own for own in whole["quadruples"] if own["reported"])["n"] == 280
    aimed = sh.scan(table, order=4, target="x7", top=0, progress=False).document
    assert [set(own["variables"]) for own in aimed["quadruples"] if own["reported"]] == [four]
    assert aimed["settings"]["quadruples_possible"] == 56
    assert all("x7" in own["variables"] for own in aimed["quadruples"])
    three = sh.scan({name: table[name] for name in ("x1", "x3", "x5")}, order=4, progress=False).document
    assert three["quadruples"] == []


def test_beyond_sixty_columns_a_beam_that_says_so(monkeypatch, rng):
    monkeypatch.setattr(screened_quadruples, "MOST_QUADRUPLES", 70)
    values = rng.normal(size=(12, 300))
    values[4] += values[9]  # the strongest pair
    sign = np.sign(values[0] * values[1] * values[2])
    values[3] = np.where(rng.random(300) < 0.9, sign, -sign) * np.abs(values[3]) + 0.5 * values[0] * values[1]
    found = sh.scan({f"x{k}": own for k, own in enumerate(values)}, order=4, top=0, progress=False).document
    settings = found["settings"]
    assert 70 < settings["quadruples_screened"] <= settings["quadruples_possible"] == 495
    grown = [set(own["variables"]) for own in found["quadruples"]]
    assert {"x0", "x1", "x2", "x3"} in grown
    if settings["quadruples_screened"] < 495:
        assert any("quadruples were screened" in note for note in found["notes"])


def test_order_is_checked():
    with pytest.raises(ValueError, match="order: expected one of 2, 3, 4"):
        sh.scan(parity_table(8, 60)[0], order=5)
