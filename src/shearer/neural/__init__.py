"""PyTorch losses, robust learning, the information bottleneck and a monitor of feature maps."""

__all__: list[str] = []
