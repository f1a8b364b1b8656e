"""Layers of a network by name, and a look at what they put out."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from shearer._validate import check_names, describe, type_error, value_error

#: Name of a layer and what it put out.
Look = Callable[[str, Tensor], None]


def check_model(model: Any) -> nn.Module:
    """A network."""
    if not isinstance(model, nn.Module):
        hint = "Make an instance of the class." if isinstance(model, type) else ""
        raise type_error("model", "a torch module", describe(model), hint)
    return model


def plain(model: nn.Module) -> nn.Module:
    """The model that was compiled, or the model itself: compiled code does not call hooks."""
    inner = getattr(model, "_orig_mod", None)
    return inner if isinstance(inner, nn.Module) else model


@contextmanager
def eagerly() -> Iterator[None]:
    """Nothing is compiled in the block, where torch offers that (from 2.6 on)."""
    stance = getattr(torch.compiler, "set_stance", None)
    with stance("force_eager") if stance else nullcontext():
        yield


def named_layers(model: nn.Module, parameter: str, names: Any) -> dict[str, nn.Module]:
    """The submodules of those names, as `model.named_modules` has them."""
    known = {name: module for name, module in plain(model).named_modules() if name}
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
        found = tensor_of(output)
        if found is None:
            raise type_error("layer", "one that puts out a tensor", f"{name!r}, which puts out {describe(output)}")
        look(name, found)

    return hook


def tensor_of(output: Any) -> Tensor | None:
    """What a network or layer puts out: a tensor, "logits" of a mapping or object, or the first tensor of several.

    Examples
    --------
    >>> import torch
    >>> a, b = torch.zeros(1), torch.ones(1)
    >>> tensor_of({"loss": a, "logits": b}) is b, tensor_of((a, (b, b))) is a, tensor_of("text")
    (True, True, None)
    """
    if isinstance(output, Tensor):
        return output
    if isinstance(output, Mapping):
        named = output.get("logits")
        return named if isinstance(named, Tensor) else tensor_of(tuple(output.values()))
    if isinstance(getattr(output, "logits", None), Tensor):
        logits: Tensor = output.logits
        return logits
    if isinstance(output, tuple | list):
        return next((part for part in output if isinstance(part, Tensor)), None)
    return None


@contextmanager
def undisturbed(model: nn.Module) -> Iterator[None]:
    """Evaluation mode without gradients; modes and random generators are afterwards what they were."""
    modes = {module: module.training for module in model.modules()}
    devices = sorted({p.device.index or 0 for p in model.parameters() if p.device.type == "cuda"})
    with torch.random.fork_rng(devices), torch.no_grad():
        try:
            for module in modes:
                module.training = False
            yield
        finally:
            for module, mode in modes.items():
                module.training = mode


def arguments(x: Any) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """What a model is called with: a tensor, several in a tuple, or several by name."""
    if isinstance(x, Mapping):
        return (), x
    if not isinstance(x, Tensor | tuple):
        raise type_error("x", "a tensor that the model takes, or several", describe(x))
    return (x if isinstance(x, tuple) else (x,)), {}


def put_out(model: nn.Module, layers: Mapping[str, nn.Module], x: Any) -> dict[str, Tensor]:
    """What layers put out for a batch, in evaluation and without gradients, in the order of their names."""
    found: dict[str, Tensor] = {}

    def look(name: str, output: Tensor) -> None:
        found[name] = output.detach().clone()

    inputs, named = arguments(x)
    with eagerly(), undisturbed(plain(model)), watching(layers, look):
        plain(model)(*inputs, **named)
    missed = [name for name in layers if name not in found]
    if missed:
        raise value_error("layers", "layers that the model passes", f"{missed}, which it did not")
    return {name: found[name] for name in layers}


def chosen_layers(
    model: nn.Module, parameter: str, layers: Iterable[str] | None, default: Callable[[nn.Module], bool]
) -> dict[str, nn.Module]:
    """The named layers, or all of a kind."""
    if layers is not None:
        if isinstance(layers, str):
            raise type_error(parameter, "a list of names", describe(layers), f"Did you mean [{layers!r}]?")
        chosen = named_layers(model, parameter, list(layers))
    else:
        chosen = {name: module for name, module in plain(model).named_modules() if name and default(module)}
    if not chosen:
        raise value_error(parameter, "names of layers", "none", "None of the model's own fits: name layers.")
    return chosen
