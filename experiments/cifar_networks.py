"""VGG16, ResNet18 and ResNet50 for pictures of 32 x 32, all widths divided by a number, and Table 6's regularisers.

With `cut=1` these are the usual networks, with batch normalisation. As in the authors' program the bottleneck of VGG16
is what its convolutions leave of a picture: 512 numbers, from which one linear layer makes the scores.
"""

from collections import OrderedDict

from torch import Tensor, nn
from torch.nn import functional

from experiments.bottleneck_models import (
    Method,
    Variational,
    confident_loss,
    deterministic,
    plain_loss,
    variational_loss,
)

# Maps of the convolutions, stage by stage; each stage ends by halving the picture.
STAGES = ((64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512))
CONVOLUTIONS = tuple(f"conv{k}" for k in range(1, 14))
VARIATIONAL_WIDTH = 256


def vgg16(classes: int, cut: int = 1, normalize: bool = True) -> nn.Sequential:
    """Layers conv1 to conv13, "code" (the pictures as vectors) and "scores"."""
    layers: OrderedDict[str, nn.Module] = OrderedDict()
    inputs, k = 3, 0
    for stage, maps in enumerate(STAGES, start=1):
        for full in maps:
            k, width = k + 1, full // cut
            layers[f"conv{k}"] = nn.Conv2d(inputs, width, 3, padding=1)
            if normalize:
                layers[f"norm{k}"] = nn.BatchNorm2d(width)
            layers[f"relu{k}"] = nn.ReLU()
            inputs = width
        layers[f"pool{stage}"] = nn.MaxPool2d(2)
    return nn.Sequential(OrderedDict([*layers.items(), ("code", nn.Flatten()), ("scores", nn.Linear(inputs, classes))]))


class Block(nn.Module):
    """A residual block: convolutions beside a shortcut, added."""

    def __init__(self, inputs: int, inner: int, outputs: int, stride: int, kernels: tuple[int, ...]) -> None:
        super().__init__()
        widths = [inputs, *[inner] * (len(kernels) - 1), outputs]
        # the picture is made smaller by the first convolution that looks at neighbours
        at = kernels.index(3)
        layers: list[nn.Module] = []
        for k, kernel in enumerate(kernels):
            step = stride if k == at else 1
            layers += [nn.Conv2d(widths[k], widths[k + 1], kernel, step, kernel // 2, bias=False)]
            layers += [nn.BatchNorm2d(widths[k + 1]), nn.ReLU()]
        self.path = nn.Sequential(*layers[:-1])
        same = stride == 1 and inputs == outputs
        projected = (nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity() if same else nn.Sequential(*projected)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.path(x) + self.shortcut(x))


def resnet(depth: int, classes: int, cut: int = 1) -> nn.Sequential:
    """ResNet18 or ResNet50 with a first convolution of 3 x 3."""
    counts, kernels, growth = {18: ((2, 2, 2, 2), (3, 3), 1), 50: ((3, 4, 6, 3), (1, 3, 1), 4)}[depth]
    inputs = 64 // cut
    layers: list[nn.Module] = [nn.Conv2d(3, inputs, 3, padding=1, bias=False), nn.BatchNorm2d(inputs), nn.ReLU()]
    for stage, count in enumerate(counts):
        inner = 64 * 2**stage // cut
        for k in range(count):
            layers.append(Block(inputs, inner, inner * growth, 2 if stage and not k else 1, kernels))
            inputs = inner * growth
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes))


ROWS = (
    "VGG16",
    "VGG16 + DIB",
    "VGG16 + VIB",
    "VGG16 + label smoothing",
    "VGG16 + confidence penalty",
    "ResNet18",
    "ResNet50",
)


def make(row: str, classes: int, cut: int) -> Method:
    """The network of a row of Table 6 with its loss: DIB and VIB at 0.01, the others at 0.1."""
    if row.startswith("ResNet"):
        model = resnet(int(row.removeprefix("ResNet")), classes, cut)
        return Method(model, plain_loss(model))
    if row == "VGG16 + VIB":
        width = VARIATIONAL_WIDTH // cut
        encoder = vgg16(2 * width, cut)
        variational = Variational(encoder, width, classes)
        return Method(variational, variational_loss(variational, 0.01))
    network = vgg16(classes, cut)
    if row == "VGG16 + DIB":
        return Method(network, deterministic(network, "code", 0.01))
    if row == "VGG16 + confidence penalty":
        return Method(network, confident_loss(network, 0.1))
    if row not in ROWS:
        raise ValueError(f"row: expected one of {', '.join(ROWS)}, got {row!r}.")
    return Method(network, plain_loss(network, 0.1 if row.endswith("smoothing") else 0.0))
