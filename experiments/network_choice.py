"""Which weights a network should have by default: chosen on all known networks but one, judged on that one.

usage: python -m experiments.network_choice

Reads experiments/results/network_rivals.json, and the proteins from SHEARER_DATA; writes
experiments/results/network_choice.json. A way of weighing is worth the mean of the area under the ROC curve and the
average precision, averaged over the networks of a kind (10 genes, 100 genes, proteins), then over the kinds; the best
is taken. Once among weights as they are, for the default of any table, and once among weights in their context too.
What is chosen is then compared with every rival over the nine networks: the exact test of the mean difference by all
changes of signs.

What this does not say. Below a floor of 0.15 the floors differ on the proteins only, so that the networks of genes
cannot choose it: "tolerances" has what follows if, of all ways within a tolerance of the best, the one with the
highest floor is taken, for all five tolerances that were tried. The grid itself was made after some 150 variants had
been looked at on the same nine networks (widths, numbers of features, floors by chance, products with the context,
correlation for weak pairs), so that the figures are on the high side.
"""

import json
import sys

import numpy as np
from sklearn.metrics import roc_auc_score

from experiments.network_rivals import FLOORS, NETWORKS, load
from experiments.network_scores import normal_scores
from experiments.paired import sign_test
from experiments.records import FOLDER
from shearer.data import read as read_table
from shearer.tools.networks.pair_information import LEAST_SHARE, PairInformation

RIVALS = (
    "Pearson", "Spearman", "normal scores, Pearson", "Pearson, clr", "MRNET, Spearman", "MRNET, normal scores, Pearson",
    "graphical lasso", "normal scores, graphical lasso", "graphical lasso, path",
    "normal scores, graphical lasso, path", "shrunken partial correlation",
    "normal scores, shrunken partial correlation", "GENIE3",
)  # fmt: skip
FIXED = ("I*, alpha 2", "I adjusted", "-log p", "strength")
TOLERANCES = (0.0, 0.0005, 0.001, 0.002, 0.003)
MEASURES = ("auc", "aupr")
Figures = dict[str, dict[str, dict[str, float]]]


def read() -> Figures:
    """Method -> network -> figures, of the methods that all networks have."""
    found: Figures = {}
    for case, methods in json.loads((FOLDER / "network_rivals.json").read_text()).items():
        for name, figures in methods.items():
            found.setdefault(name, {})[case.split("/")[0]] = figures
    return {name: networks for name, networks in found.items() if len(networks) == len(NETWORKS)}


def kind(network: str) -> str:
    return network.partition("-")[0]


def worth(networks: dict[str, dict[str, float]], without: str | None = None) -> float:
    kept: dict[str, list[float]] = {}
    for name, figures in networks.items():
        if name != without:
            kept.setdefault(kind(name), []).append((figures["auc"] + figures["aupr"]) / 2)
    return float(np.mean([np.mean(values) for values in kept.values()]))


def floor_of(name: str) -> float:
    """Of a way of weighing: 0 where it has none."""
    words = name.split(",")[0].split()
    return float(words[-1]) if "above" in words else 0.0


def choose(candidates: Figures, without: str | None, tolerance: float = 0.0) -> str:
    """The best, or the one with the highest floor of those within a tolerance of it."""
    values = {name: worth(networks, without) for name, networks in candidates.items()}
    near = [name for name, value in values.items() if value >= max(values.values()) - tolerance]
    return max(near, key=lambda name: (floor_of(name), values[name]))


def chosen(candidates: Figures, tolerance: float = 0.0) -> dict:
    """What is chosen without each network, and its figures there; means by kind of network."""
    rounds = {}
    for network in NETWORKS:
        name = choose(candidates, network, tolerance)
        rounds[network] = {"method": name, **candidates[name][network]}
    return {"all": choose(candidates, None, tolerance), "rounds": rounds, "mean": means(rounds)}


def means(networks: dict[str, dict]) -> dict[str, dict[str, float]]:
    return {
        group: {
            measure: round(float(np.mean([networks[n][measure] for n in NETWORKS if kind(n) == group])), 4)
            for measure in MEASURES
        }
        for group in dict.fromkeys(map(kind, NETWORKS))
    }


def proteins() -> dict[str, dict[str, float]]:
    """Areas among the pairs of proteins above and below the floor of the default, by information and correlation."""
    X, linked = load("sachs")
    upper = np.triu_indices(len(linked), 1)
    shares = PairInformation(read_table(X), least=0.0).all_pairs()[upper]
    correlation = np.abs(np.corrcoef(normal_scores(X).T))[upper]
    found = {}
    for label, some in (("all", shares >= 0), ("above", shares >= LEAST_SHARE), ("below", shares < LEAST_SHARE)):
        truth = linked[upper][some]
        found[label] = {"pairs": int(some.sum()), "links": int(truth.sum())} | {
            name: round(float(roc_auc_score(truth, score[some])), 4)
            for name, score in (("information", shares), ("correlation", correlation))
        }
    return found


def main() -> int:
    found = read()
    ours = {name: networks for name, networks in found.items() if name not in RIVALS and "Pearson" not in name}
    ours = {name: networks for name, networks in ours.items() if "Spearman" not in name}
    plain = {name: networks for name, networks in ours.items() if "clr" not in name}
    groups = {"weights": plain, "weights and context": ours}
    result: dict = {
        "chosen": {label: chosen(group) for label, group in groups.items()},
        "tolerances": {
            f"{tolerance:g}": {label: chosen(group, tolerance)["mean"] for label, group in groups.items()}
            for tolerance in TOLERANCES
        },
        "others": {},
    }
    for name in (*RIVALS, *FIXED):
        if name in found:
            against = {}
            for label, group in result["chosen"].items():
                pairs = [(group["rounds"][network], found[name][network]) for network in NETWORKS]
                against[label] = {
                    measure: {
                        "difference": round(float(np.mean([a[measure] - b[measure] for a, b in pairs])), 4),
                        "better": sum(a[measure] > b[measure] for a, b in pairs),
                        "p": round(sign_test([a[measure] - b[measure] for a, b in pairs]), 4),
                    }
                    for measure in MEASURES
                }
            result["others"][name] = {"mean": means(found[name]), "against": against}
    names = [f"information above {floor:g}{context}" for floor in FLOORS for context in ("", ", clr", ", clr-rank")]
    result["floors"] = {name: means(found[name]) for name in names}
    result["proteins"] = proteins()
    (FOLDER / "network_choice.json").write_text(json.dumps(result, indent=1) + "\n")
    json.dump({label: group["mean"] for label, group in result["chosen"].items()}, sys.stdout, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
