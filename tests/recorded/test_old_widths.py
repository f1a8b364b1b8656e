"""At the widths of before, the engine of pairs gives the p-values of before (made by commit 778b1d7)."""

import json
from pathlib import Path

import pytest

from shearer.kernels.width_rules import entropy_widths
from shearer.pairs import rungs
from tests.recorded.answers import differences
from tests.recorded.cases import CASES

BEFORE = json.loads(Path(__file__).with_name("before.json").read_text())["cases"]
FRACTIONS = (0.1, 0.25, 0.4, 0.55, 0.7, 0.82)
KEYS = ("pvalue", "component pvalues")


@pytest.mark.parametrize("name", BEFORE)
def test_pvalues(name, monkeypatch):
    monkeypatch.setattr(rungs, "rung_widths", lambda values: entropy_widths(values, FRACTIONS))
    monkeypatch.setattr("shearer.pairs.limits.RUNG_BITS", FRACTIONS)
    found = CASES[name]()
    both = [{key: answer[key] for key in KEYS} for answer in (BEFORE[name], found)]
    assert not (different := differences(*both)), "\n".join(different)
