"""The one place that words a missing extra."""

import importlib
from types import ModuleType

# module -> the extra that installs it
_EXTRAS = {"matplotlib": "plot", "matplotlib.pyplot": "plot", "pooch": "data", "fastexcel": "excel"}
_EXTRAS["pyarrow"] = "arrow"
_EXTRAS |= {"dask": "cluster", "distributed": "cluster"}
_EXTRAS |= {"lightning.pytorch": "integrations", "transformers": "integrations"}
_EXTRAS |= {"causallearn.utils.cit": "causal", "pgmpy.ci_tests._base": "causal"}


def load(module: str, purpose: str) -> ModuleType:
    """Import an optional module, or say which extra brings it.

    Examples
    --------
    >>> load("math", "arithmetic").sqrt(4)
    2.0
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        extra = _EXTRAS.get(module, module)
        raise ImportError(
            f'{purpose} needs {module}, which is not installed. Run: pip install "shearer[{extra}]"'
        ) from error
