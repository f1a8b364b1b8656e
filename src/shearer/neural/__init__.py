"""PyTorch losses, robust learning, the information bottleneck and a monitor of feature maps."""

from shearer._optional import load

load("torch", "shearer.neural")

from shearer.neural.losses import DependenceLoss, ErrorEntropyLoss, HSICLoss, TotalCorrelationLoss  # noqa: E402

__all__ = ["DependenceLoss", "ErrorEntropyLoss", "HSICLoss", "TotalCorrelationLoss"]
