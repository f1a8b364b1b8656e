"""Fitted estimators in files of arrays and settings: nothing is pickled, nothing in a file is run."""

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from shearer._files import write_file
from shearer._files.archive import Arrays, read_arrays, undamaged, write_arrays
from shearer._validate import describe, value_error
from shearer.kernels import Gaussian, Kernel, Laplacian, bandwidth
from shearer.neural.robust.default_network import make_network, perceptron
from shearer.neural.robust.estimator_options import DTYPES
from shearer.neural.robust.scaling import Scaling

FORMAT, VERSION = "shearer robust estimator", 1
_WEIGHT = "weight/"
_SIZES = ("inputs", "outputs", "hidden")
# What a file cannot hold: code, and a device that another machine may not have.
_LEFT_OUT = ("module", "loss", "kernel", "device", "random_state")
_KERNELS = {"Gaussian": Gaussian, "Laplacian": Laplacian}
_EXPECTED = "a file written by save"


def write(estimator: Any, path: str | PathLike[str]) -> None:
    """Write all that predicts, in one step: a file that is there is either the old one or whole."""
    params = estimator.get_params(deep=False)
    settings = {
        "format": FORMAT,
        "version": VERSION,
        "estimator": type(estimator).__name__,
        "params": {name: value for name, value in params.items() if name not in _LEFT_OUT},
        "loss": params["loss"] if isinstance(params["loss"], str) else None,
        "kernel": _describe_kernels(params["kernel"]),
        "random_state": params["random_state"] if isinstance(params["random_state"], int | np.integer) else None,
        "hidden": estimator.module_[0].out_features if params["module"] is None else None,
        "inputs": estimator.n_features_in_,
        "outputs": estimator._outputs,
        "flat": getattr(estimator, "_flat", None),
        "history": estimator.history_,
    }
    arrays = {"bias": estimator.bias_, **_scaling_arrays("input", estimator.input_scaling_)}
    if estimator.target_scaling_ is not None:
        arrays |= _scaling_arrays("target", estimator.target_scaling_)
    if hasattr(estimator, "feature_names_in_"):
        arrays["feature_names"] = estimator.feature_names_in_.astype(str)
    if hasattr(estimator, "classes_"):
        arrays["classes"] = _plain_classes(estimator.classes_)
        settings["text_classes"] = estimator.classes_.dtype == object
    arrays |= {_WEIGHT + name: tensor.cpu().numpy() for name, tensor in estimator.module_.state_dict().items()}
    text = json.dumps(settings, default=_plain_number)
    write_file("path", path, write_arrays({"settings": np.array(text), **arrays}))


def _plain_number(number: Any) -> int | float:
    """Options may be numbers of numpy."""
    return int(number) if isinstance(number, np.integer) else float(number)


def read(cls: type[Any], path: str | PathLike[str], module: Any, loss: Any) -> Any:
    """The estimator that was written."""
    target = Path(path)
    settings, arrays = _open(target)
    kind = settings.get("estimator")
    if kind != cls.__name__:
        raise value_error("path", f"a {cls.__name__}", f"a {describe(kind)}", f"shearer.neural.{kind}.load reads it.")
    with undamaged("path", _EXPECTED, f"{target.name}, which is damaged"):
        estimator = _build(cls, settings, arrays, module, loss)
        weights = {name[len(_WEIGHT) :]: torch.tensor(own) for name, own in arrays.items() if name.startswith(_WEIGHT)}
        dtype, inputs, outputs, hidden = DTYPES[settings["params"]["dtype"]], *(settings[name] for name in _SIZES)
        if module is None and hidden is not None:
            with torch.device("meta"):  # sizes that the weights do not have take no memory
                network = perceptron(inputs, hidden, outputs)
            network.load_state_dict(weights, assign=True)
            estimator.module_ = network.to(dtype)
            return estimator
    if module is None:
        raise value_error("module", "the module or function that the estimator was made with", "None")
    network = make_network(module, 0, inputs, outputs).to(dtype)
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        raise value_error("module", "the module that the weights are of", "another one", str(error)) from error
    estimator.module_ = network
    return estimator


def _open(path: Path) -> tuple[dict[str, Any], Arrays]:
    # Files written before there was a hash are read too.
    arrays = read_arrays("path", path, _EXPECTED, hashed=False)
    with undamaged("path", _EXPECTED, f"{path.name}, which is none"):
        settings = json.loads(str(arrays.pop("settings")))
        known = settings["format"] == FORMAT
    if not known or settings.get("version") != VERSION:
        got = f"format {describe(settings['format'])}, version {describe(settings.get('version'))}"
        raise value_error("path", f"{_EXPECTED}, version {VERSION}", got)
    return settings, arrays


def _build(cls: type[Any], settings: dict[str, Any], arrays: Arrays, module: Any, loss: Any) -> Any:
    """The estimator without its network."""
    estimator = cls(
        module,
        loss=settings["loss"] if loss is None else loss,
        kernel=_make_kernels(settings["kernel"]),
        random_state=settings["random_state"],
        **settings["params"],
    )
    estimator.n_features_in_, estimator._outputs = settings["inputs"], settings["outputs"]
    estimator.history_, estimator.n_epochs_ = settings["history"], len(settings["history"])
    if settings["flat"] is not None:
        estimator._flat = settings["flat"]
    if "feature_names" in arrays:
        estimator.feature_names_in_ = arrays["feature_names"].astype(object)
    if "classes" in arrays:
        estimator.classes_ = arrays["classes"].astype(object) if settings["text_classes"] else arrays["classes"]
    estimator.bias_ = arrays["bias"]
    estimator.input_scaling_ = _scaling("input", arrays)
    is_scaled = any(name.startswith("target_") for name in arrays)
    estimator.target_scaling_ = _scaling("target", arrays) if is_scaled else None
    return estimator


def _scaling_arrays(side: str, scaling: Scaling) -> dict[str, NDArray[Any]]:
    return {f"{side}_center": scaling.center, f"{side}_scale": scaling.scale}


def _scaling(side: str, arrays: dict[str, NDArray[Any]]) -> Scaling:
    return Scaling(arrays[f"{side}_center"], arrays[f"{side}_scale"])


def _plain_classes(classes: NDArray[Any]) -> NDArray[Any]:
    """Labels as an array that needs no pickle."""
    if classes.dtype == object and not all(isinstance(label, str) for label in classes):
        raise value_error("classes", "labels that are numbers or texts", describe(list(classes)))
    return classes.astype(str) if classes.dtype == object else classes


def _describe_kernels(kernel: Any) -> Any:
    if kernel is None or isinstance(kernel, Kernel):
        return None if kernel is None else _describe_kernel(kernel)
    return {"each": {name: _describe_kernel(own) for name, own in kernel.items()}}


def _describe_kernel(kernel: Any) -> dict[str, Any]:
    width = kernel.bandwidth if type(kernel) in _KERNELS.values() else None
    rule, factor = (width.rule, width.factor) if isinstance(width, bandwidth.Scaled) else (width, 1.0)
    if not isinstance(rule, int | float | str):
        hint = "Set kernel=None to save for predictions only."
        raise value_error(
            "kernel", "a Gaussian or Laplacian with a number or the name of a rule", describe(kernel), hint
        )
    return {"kernel": type(kernel).__name__, "bandwidth": rule, **({"scale": factor} if factor != 1 else {})}


def _make_kernels(described: Any) -> Any:
    if described is None or "each" not in described:
        return None if described is None else _make_kernel(described)
    return {name: _make_kernel(own) for name, own in described["each"].items()}


def _make_kernel(described: dict[str, Any]) -> Kernel:
    kernel: Kernel = _KERNELS[described["kernel"]](described["bandwidth"], described.get("scale", 1.0))
    return kernel
