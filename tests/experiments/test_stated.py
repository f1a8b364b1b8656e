"""Every experiment states what its losses are: none moves when a default does."""

import ast
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "experiments"
LOSS = {"alpha", "kernel", "width_gradient"}
STATED = {
    "DependenceLoss": LOSS | {"form", "normalize"},
    "ErrorEntropyLoss": LOSS,
    "HSICLoss": {"unbiased", "kernel", "width_gradient"},
    "TotalCorrelationLoss": LOSS | {"normalize"},
    "InformationBottleneck": LOSS | {"beta", "form", "normalize"},
    "NormPenalty": {"beta"},
    "VariationalBottleneck": {"beta"},
    "FeatureMapMonitor": {"alpha", "kernel"},
    "InformationPlane": {"alpha", "kernel"},
    "RepresentationSimilarity": {"kernel", "debiased"},
    "cka": {"kernel", "debiased"},
    "RobustRegressor": {"loss"},
    "RobustClassifier": {"loss"},
}
BY_NAME = {"auto", "dependence", "error_entropy", "hsic"}


def unstated(source):
    """What calls leave to defaults: (class, keyword)."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = {keyword.arg for keyword in node.keywords}
            found += [(name, missing) for missing in sorted(STATED.get(name, set()) - given)]
            by_name = [keyword.value for keyword in node.keywords if keyword.arg == "loss"]
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            by_name = [value for key, value in pairs if getattr(key, "value", None) == "loss"]
        else:
            continue
        # a loss by name has the kernels of the day
        found += [(value.value, "kernel") for value in by_name if getattr(value, "value", None) in BY_NAME]
    return found


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_nothing_is_left_to_a_default(path):
    assert unstated(path.read_text(encoding="utf-8")) == []


def test_what_is_left_out_is_found():
    assert unstated("HSICLoss(kernel=a, width_gradient=False)") == [("HSICLoss", "unbiased")]
    assert unstated("m.RobustRegressor()") == [("RobustRegressor", "loss")]
    assert unstated('RobustRegressor(loss="hsic")') == [("hsic", "kernel")]
    assert unstated('{"loss": "auto"}') == [("auto", "kernel")]
    assert unstated("InformationBottleneck(m, z, 0.1, alpha=2.0, kernel=k, form=f)") == [
        ("InformationBottleneck", name) for name in ("beta", "normalize", "width_gradient")
    ]
    assert unstated("DependenceLoss(**options)") != []
