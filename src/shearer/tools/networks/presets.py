"""Settings of a network that belong together, and what takes their place where a caller states some of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shearer.kernels import Gaussian, Kernel

Kernels = Kernel | Mapping[str, Kernel] | None

# As the parameter `indirect`: what the preset has.
OF_PRESET = "preset"


@dataclass(frozen=True)
class Settings:
    """What weights are, and what is done about indirect links.

    Attributes
    ----------
    weight : str
        One of the weights of `DependenceNetwork`.
    alpha : float
        Order of the entropy, where the weight has a choice.
    kernel : Kernel, mapping or None
        Likewise; also of p-values.
    indirect : str or None
        What to do about indirect links.
    """

    weight: str
    alpha: float = 2.0
    kernel: Kernels = None
    indirect: str | None = None


PRESETS = {
    "general": Settings("information"),
    "expression": Settings("information", indirect="clr-rank"),
    "paper": Settings("value", alpha=1.01, kernel=Gaussian("authors-demo")),
}


def resolve(
    preset: str, weight: str | None, alpha: float | None, kernel: Kernels, normalize: Any, indirect: str | None
) -> Settings:
    """The settings of a preset with what is stated in their place.

    A kernel, an order or a normalisation that is stated asks for the weight that has them, "value", unless another is
    stated too.

    Examples
    --------
    >>> resolve("general", None, None, None, True, "preset").weight
    'information'
    >>> found = resolve("general", None, 1.0, None, True, "dpi")
    >>> found.weight, found.alpha, found.indirect
    ('value', 1.0, 'dpi')
    """
    chosen = PRESETS[preset]
    stated = alpha is not None or kernel is not None or normalize is not True
    return Settings(
        weight=weight or ("value" if stated else chosen.weight),
        alpha=chosen.alpha if alpha is None else alpha,
        kernel=chosen.kernel if kernel is None else kernel,
        indirect=chosen.indirect if indirect == OF_PRESET else indirect,
    )
