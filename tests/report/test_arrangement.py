"""The order of the map and the places of the network."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from shearer.report.page.arrangement import MOST_LINKS, MOST_MAPPED, lay_out, map_order
from shearer.report.relations import read_relations
from shearer.report.sentences import found_triples, strongest_pairs


def blocks(sizes, inside=0.5):
    count = sum(sizes)
    strength = np.zeros((count, count))
    start = 0
    for size in sizes:
        strength[start : start + size, start : start + size] = inside
        start += size
    np.fill_diagonal(strength, 0.0)
    return strength


def test_blocks_stand_together(rng):
    strength = blocks([5, 4, 6])
    shuffle = rng.permutation(15)
    order = map_order(strength[np.ix_(shuffle, shuffle)])
    assert sorted(order) == list(range(15))
    labels = np.repeat([0, 1, 2], [5, 4, 6])[shuffle][order]
    assert (np.diff(labels) != 0).sum() == 2


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_columns(count):
    assert sorted(map_order(np.zeros((count, count)))) == list(range(count))


def test_many_columns_keep_those_with_a_pair():
    strength = np.zeros((400, 400))
    strength[:80, :80] = blocks([80])
    assert sorted(map_order(strength)) == list(range(80))
    full = map_order(blocks([400]) * np.linspace(1, 2, 400)[:, None])
    assert len(full) == MOST_MAPPED


def links_of(document):
    pairs, triples = read_relations(document, "pairs"), read_relations(document, "triples")
    return pairs, strongest_pairs(pairs), triples.index[found_triples(triples, "synergistic")]


def test_network(planted):
    pairs, links, triples = links_of(planted)
    network = lay_out(pairs, links, triples)
    names = [column["name"] for column in planted["columns"]]
    assert {names[column] for column in network.columns} == set(names) - {"noise_1", "noise_2"}
    places = np.array([network.x, network.y])
    assert places.min() >= 0
    assert places.max() <= 1
    assert network == lay_out(pairs, links, triples)
    assert network.threshold == min(pairs.strength[row] for row in links)


def test_columns_do_not_lie_on_each_other(planted, wide):
    for document in (planted, wide):
        network = lay_out(*links_of(document))
        points = np.array([network.x, network.y]).T
        assert min(np.abs(a - b).max() for a, b in combinations(points, 2)) > 1e-3


def test_linked_columns_are_closer(wide):
    pairs, links, triples = links_of(wide)
    network = lay_out(pairs, links, triples)
    place = dict(zip(network.columns, zip(network.x, network.y, strict=True), strict=True))
    linked = [np.hypot(*np.subtract(place[a], place[b])) for a, b in pairs.index[links].tolist()]
    graph = nx.Graph(pairs.index[links].tolist())
    apart = [
        np.hypot(*np.subtract(place[a], place[b])) for a, b in combinations(place, 2) if not nx.has_path(graph, a, b)
    ]
    assert np.median(linked) < 0.4 * np.median(apart)


def test_no_links(planted):
    pairs = read_relations(planted | {"pairs": []}, "pairs")
    network = lay_out(pairs, [], np.empty((0, 3), dtype=int))
    assert network.columns == network.links == []


def test_a_dense_table_draws_its_strongest_links():
    names = [f"c{k}" for k in range(80)]
    columns = [{"name": name, "kind": "continuous"} for name in names]
    strength = np.random.default_rng(0).random(80 * 79 // 2)
    pairs = read_relations(
        {
            "columns": columns,
            "pairs": [
                {"variables": list(two), "strength": float(value), "reported": True}
                for two, value in zip(combinations(names, 2), strength, strict=True)
            ],
        },
        "pairs",
    )
    network = lay_out(pairs, strongest_pairs(pairs), np.empty((0, 3), dtype=int))
    assert 0.9 * MOST_LINKS < len(network.links) <= MOST_LINKS
    assert network.weaker == len(strength) - len(network.links)
    assert network.columns == list(range(80))
    assert network.threshold == np.sort(strength)[-80]
    drawn = pairs.strength[network.links]
    assert (np.diff(drawn) <= 0).all()
