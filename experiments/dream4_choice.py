"""Which method to use on a network nobody has seen: chosen on the other networks of 100 genes, judged on the one left.

usage: python -m experiments.dream4_choice

Reads experiments/results/dream4.json and writes experiments/results/dream4_choice.json. For each network of 100 genes
the method with the best mean on the two others is taken, by area under the ROC curve or by average precision, and its
figures on that network are what count. Within each group of methods the choice is made the same way: correlations,
every form of dependence by matrix entropy, the other rivals.
"""

import json
import sys

from experiments.records import FOLDER

NETWORKS = (1, 2, 3)
OURS = ("order 1.01", "order 2", "aggregated")
FIXED = ("Pearson", "Spearman", "normal scores, Pearson")
Figures = dict[str, list[dict[str, float]]]


def read(size: int, count: int) -> dict[str, Figures]:
    """Family -> method -> the figures of each network."""
    found = json.loads((FOLDER / "dream4.json").read_text())
    families = {case.split("/")[2] for case in found}
    return {
        family: {
            name: [found[f"{size}/{network}/{family}"][name] for network in range(1, count + 1)]
            for name in found[f"{size}/1/{family}"]
        }
        for family in sorted(families)
    }


def grouped(families: dict[str, Figures]) -> dict[str, Figures]:
    """The three groups between which one would choose."""
    groups: dict[str, Figures] = {"correlations": {}, "matrix entropy": {}, "other rivals": {}}
    for family, methods in families.items():
        group = "matrix entropy" if family in OURS else family if family == "correlations" else "other rivals"
        groups[group] |= methods
    return groups


def mean(figures: list[dict[str, float]], measure: str, without: int | None = None) -> float:
    kept = [figure[measure] for index, figure in enumerate(figures) if index != without]
    return sum(kept) / len(kept)


def leave_one_out(methods: Figures, measure: str) -> dict:
    """The method chosen without each network, its figures there, and their means."""
    rounds = []
    for index, network in enumerate(NETWORKS):
        best = max(methods, key=lambda name, left=index: mean(methods[name], measure, without=left))
        rounds.append({"network": network, "method": best, **methods[best][index]})
    return {"rounds": rounds} | {name: round(mean(rounds, name), 4) for name in ("auc", "aupr")}


def main() -> int:
    families = read(100, len(NETWORKS))
    result: dict[str, dict] = {"chosen": {}, "fixed": {}, "best in hindsight": {}}
    for group, methods in grouped(families).items():
        result["chosen"][group] = {measure: leave_one_out(methods, measure) for measure in ("auc", "aupr")}
        best = max(methods, key=lambda name, methods=methods: mean(methods[name], "auc"))
        result["best in hindsight"][group] = {"method": best} | {
            measure: round(mean(methods[best], measure), 4) for measure in ("auc", "aupr")
        }
    for name in FIXED:
        figures = families["correlations"][name]
        result["fixed"][name] = {measure: round(mean(figures, measure), 4) for measure in ("auc", "aupr")}
    (FOLDER / "dream4_choice.json").write_text(json.dumps(result, indent=1) + "\n")
    json.dump(result, sys.stdout, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
