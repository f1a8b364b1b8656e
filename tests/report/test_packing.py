"""What the page carries is what the document holds."""

import base64
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.documents import HOSTILE
from shearer.report.page.packing import json_block, pack, pack_relations
from shearer.report.relations import read_relations


def unpack(packed):
    kinds = {"Uint8": "<u1", "Int16": "<i2", "Uint16": "<u2", "Uint32": "<u4", "Float32": "<f4"}
    return np.frombuffer(base64.b64decode(packed["data"]), kinds[packed["type"]])


@pytest.mark.parametrize("kind", ["Uint8", "Int16", "Uint16", "Uint32", "Float32"])
def test_arrays(kind):
    values = np.array([0, 1, 3, 250])
    assert unpack(pack(values, kind)).tolist() == values.tolist()


def test_relations(planted):
    pairs = read_relations(planted, "pairs")
    packed = pack_relations(pairs, 99)
    assert packed["count"] == 55
    assert packed["total"] == 99
    assert np.array_equal([unpack(column) for column in packed["index"]], pairs.index.T)
    assert np.allclose(unpack(packed["strength"]), pairs.strength, atol=1e-7)
    assert np.allclose(10.0 ** unpack(packed["pvalue"]).astype(float), pairs.numbers["pvalue"], rtol=1e-4)
    assert [row for row, _ in packed["measured"]] == [0, 1, 2]
    assert "lag" not in packed
    assert "kind" not in packed


def test_probabilities_below_single_precision(planted):
    tiny = [planted["pairs"][0] | {"pvalue": value} for value in (1e-300, 0.0, None, 1.0)]
    logs = unpack(pack_relations(read_relations(planted | {"pairs": tiny}, "pairs"), 4)["pvalue"])
    assert logs[0] == -300
    assert logs[1] == -np.inf
    assert np.isnan(logs[2])
    assert logs[3] == 0


def test_kinds(planted):
    packed = pack_relations(read_relations(planted, "triples"), 165)
    assert unpack(packed["kind"])[0] == 1
    assert not unpack(packed["kind"])[1:].any()


@pytest.mark.parametrize("text", HOSTILE)
def test_block_stays_in_its_element(text):
    block = json_block({"name": text})
    assert block.isascii()
    assert not set("<>&") & set(block)
    assert json.loads(block) == {"name": text}


@given(st.text(st.characters()))
def test_any_text_comes_back(text):
    assert json.loads(json_block([text])) == [text]


def test_numbers_that_json_lacks():
    assert json_block({"a": (1.5, float("nan"), float("inf"), None)}) == '{"a":[1.5,null,null,null]}'
