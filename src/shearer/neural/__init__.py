"""PyTorch losses, robust learning, information bottlenecks, and views into networks: feature maps, layers, models."""

from shearer._optional import load

load("torch", "shearer.neural")

from shearer.neural.bottleneck import (  # noqa: E402
    GaussianCode,
    InformationBottleneck,
    NormPenalty,
    VariationalBottleneck,
)
from shearer.neural.losses import DependenceLoss, ErrorEntropyLoss, HSICLoss, TotalCorrelationLoss  # noqa: E402
from shearer.neural.monitor import FeatureMapMonitor  # noqa: E402
from shearer.neural.plane import InformationPlane  # noqa: E402
from shearer.neural.representations import RepresentationSimilarity, cka  # noqa: E402
from shearer.neural.robust.classifier import RobustClassifier  # noqa: E402
from shearer.neural.robust.regressor import RobustRegressor  # noqa: E402

__all__ = [
    "DependenceLoss",
    "ErrorEntropyLoss",
    "FeatureMapMonitor",
    "GaussianCode",
    "HSICLoss",
    "InformationBottleneck",
    "InformationPlane",
    "NormPenalty",
    "RepresentationSimilarity",
    "RobustClassifier",
    "RobustRegressor",
    "TotalCorrelationLoss",
    "VariationalBottleneck",
    "cka",
]
