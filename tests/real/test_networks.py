"""Networks with a known answer: the paper's Table 2 as far as it can be had."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score, roc_auc_score

import shearer as sh
from shearer.datasets import load_dream4, load_sachs
from shearer.tools import DependenceNetwork

pytestmark = pytest.mark.needs("data")


def area(weights, known) -> float:
    upper = np.triu_indices(len(weights), 1)
    return roc_auc_score(known.undirected[upper], weights[upper])


def test_table_2_by_the_settings_of_the_authors_demo():
    networks = [load_dream4(10, k) for k in range(1, 6)]
    network = DependenceNetwork(preset="paper", fdr=None)
    found = [area(network.fit(known.data).weights_, known) for known in networks]
    assert np.mean(found) == pytest.approx(0.826, abs=0.002)  # the paper: 0.842
    signed = [area(np.corrcoef(known.data.to_numpy().T), known) for known in networks]
    assert signed == pytest.approx([0.62, 0.52, 0.44, 0.45, 0.38], abs=0.011)  # the paper's Pearson column
    absolute = [area(np.abs(np.corrcoef(known.data.to_numpy().T)), known) for known in networks]
    assert np.mean(found) > np.mean(absolute) + 0.05


def test_pvalues_of_normal_scores_rank_large_networks_better_than_correlation():
    wide = sh.kernels.Gaussian(lambda values: 3 * sh.kernels.bandwidth.median(values))
    ours, correlation = [], []
    for k in range(1, 4):
        known = load_dream4(100, k)
        X = known.data.to_numpy()
        scores = ndtri((rankdata(X, axis=0) - 0.5) / len(X))
        ours.append(area(DependenceNetwork(weight="pvalue", kernel=wide).fit(scores).weights_, known))
        correlation.append(area(np.abs(np.corrcoef(X.T)), known))
    assert np.mean(ours) > np.mean(correlation)  # 0.741 against 0.729; on one of the three by less


def test_the_strongest_links_between_proteins():
    known = load_sachs()
    network = DependenceNetwork(top_k=6).fit(known.data)
    place = known.names.index
    assert all(known.undirected[place(a), place(b)] for a, b in network.edges_.select("source", "target").rows())
    assert network.names_ == known.names


def test_presets_on_known_networks():
    """The figures of the documentation, from the estimator itself."""

    def precision(weights, known):
        upper = np.triu_indices(len(weights), 1)
        return average_precision_score(known.undirected[upper], weights[upper])

    def weights(known, preset):
        return DependenceNetwork(preset=preset, fdr=None).fit(known.data).weights_

    large, small = ([load_dream4(size, k + 1) for k in range(count)] for size, count in ((100, 3), (10, 5)))
    found = [weights(known, "expression") for known in large]
    assert np.mean([area(w, known) for w, known in zip(found, large, strict=True)]) > 0.76
    assert np.mean([precision(w, known) for w, known in zip(found, large, strict=True)]) > 0.32
    assert np.mean([area(weights(known, "expression"), known) for known in small]) > 0.84
    for preset in ("general", "expression"):
        assert area(weights(load_sachs(), preset), load_sachs()) > 0.7
    plain = [area(weights(known, "general"), known) for known in large]
    pearson = [area(np.abs(np.corrcoef(known.data.to_numpy().T)), known) for known in large]
    assert all(ours > theirs for ours, theirs in zip(plain, pearson, strict=True))
