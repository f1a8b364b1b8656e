"""Committed choices of defaults follow from the committed figures."""

import json

import pytest

from experiments import network_choice
from experiments.paired import sign_test
from experiments.records import FOLDER


def test_exact_signs():
    assert sign_test([1.0, 2.0, 3.0]) == 0.25
    assert sign_test([1.0, -1.0]) == 1.0


def test_what_was_chosen_without_each_network():
    committed = json.loads((FOLDER / "network_choice.json").read_text())
    found = network_choice.read()
    ours = {
        name: networks
        for name, networks in found.items()
        if name not in network_choice.RIVALS and "Pearson" not in name and "Spearman" not in name
    }
    again = network_choice.chosen(ours)
    assert again == committed["chosen"]["weights and context"]
    assert again["mean"]["100"]["auc"] >= 0.76
    assert again["mean"]["100"]["aupr"] >= 0.32
    for rival in ("Pearson", "GENIE3", "graphical lasso"):
        for measure in ("auc", "aupr"):
            assert again["mean"]["100"][measure] > committed["others"][rival]["mean"]["100"][measure]


def test_the_best_and_the_highest_floor_near_it():
    figures = {network: {"auc": 0.8, "aupr": 0.5} for network in network_choice.NETWORKS}
    higher = {network: {"auc": 0.801, "aupr": 0.5} for network in network_choice.NETWORKS}
    candidates = {"information above 0.2": figures, "information above 0": higher}
    assert network_choice.choose(candidates, None) == "information above 0"
    assert network_choice.choose(candidates, None, tolerance=0.01) == "information above 0.2"
    assert network_choice.worth(figures, without="sachs") == pytest.approx(0.65)


def test_the_default_of_selection_is_not_below_forests():
    committed = json.loads((FOLDER / "selection_compared.json").read_text())
    default = next(iter(committed.values()))
    assert len(default["scores"]) == 10
    assert default["mean"] >= committed["forest importance"]["mean"]
