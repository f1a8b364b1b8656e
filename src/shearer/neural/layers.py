"""Layers of a network by name, and a look at what they put out."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from shearer._validate import check_names, describe, type_error

#: Name of a layer and what it put out.
Look = Callable[[str, Tensor], None]


def check_model(model: Any) -> nn.Module:
    """A network."""
    if not isinstance(model, nn.Module):
        hint = "Make an instance of the class." if isinstance(model, type) else ""
        raise type_error("model", "a torch module", describe(model), hint)
    return model


def named_layers(model: nn.Module, parameter: str, names: Any) -> dict[str, nn.Module]:
    """The submodules of those names, as `model.named_modules` has them."""
    known = {name: module for name, module in model.named_modules() if name}
    check_names(parameter, names, tuple(known))
    return {name: known[name] for name in names}


@contextmanager
def watching(layers: Mapping[str, nn.Module], look: Look) -> Iterator[None]:
    """Call `look` with what each layer puts out, for as long as the block runs."""
    handles = [layer.register_forward_hook(_hook(name, look)) for name, layer in layers.items()]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _hook(name: str, look: Look) -> Callable[..., None]:
    def hook(_module: nn.Module, _inputs: Any, output: Any) -> None:
        if not isinstance(output, Tensor):
            raise type_error("layer", "one that puts out a tensor", f"{name!r}, which puts out {describe(output)}")
        look(name, output)

    return hook
