"""The answers are those that were recorded: values to 1e-10, logarithms of p-values to 1e-6, words exactly."""

import json

import pytest

from tests.recorded.answers import differences
from tests.recorded.cases import CASES
from tests.recorded.record import FILE

RECORDED = json.loads(FILE.read_text())["cases"]


def test_every_case_is_recorded():
    assert list(RECORDED) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_answer(name):
    found = differences(RECORDED[name], CASES[name]())
    assert not found, "\n".join(found)


def test_differences_are_noticed():
    recorded = {"value": [1.0, 2.0], "pvalue": 1e-30, "loose ~0.01": 5.0, "word": "a"}
    assert not differences(
        recorded, {"value": [1.0, 2.0 + 1e-11], "pvalue": 1.0000001e-30, "loose ~0.01": 5.01, "word": "a"}
    )
    for changed in (
        {"value": [1.0, 2.0 + 1e-8]},
        {"value": [1.0]},
        {"value": [1.0, "nan"]},
        {"pvalue": 1.00001e-30},
        {"pvalue": 0.0},
        {"loose ~0.01": 5.1},
        {"word": "b"},
    ):
        assert len(differences(recorded, recorded | changed)) == 1
    assert differences(recorded, {"value": [1.0, 2.0]})
