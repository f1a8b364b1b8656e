"""What a network is made of before there are links: checked parameters, regulators, weights and q-values."""

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._jobs import check_jobs
from shearer._memory import parse_memory
from shearer._validate import check_alpha, check_inside, check_names, check_option, describe, type_error, value_error
from shearer.data.reading import MISSING_IN_PAIRS
from shearer.data.table import Table
from shearer.inference.permutation.resampling import check_count
from shearer.inference.pvalue import adjusted_pvalues
from shearer.measures.registry import MUTUAL_INFORMATION
from shearer.pairs.limits import FEWEST_ROWS
from shearer.screening.all_pairs import compare
from shearer.tools.networks.indirect import context_likelihood, mean_ranks
from shearer.tools.networks.pair_information import PairInformation
from shearer.tools.networks.pair_tests import TESTS
from shearer.tools.networks.presets import OF_PRESET, PRESETS, Settings, resolve

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

WEIGHTS = ("information", "value", "strength", "adjusted", "pvalue")
INDIRECT = (None, "dpi", "clr", "clr-rank", "conditional", "pc")
# As in the combination of p-values: smaller ones are as good as 0.
_SMALLEST = 1e-300


def check_parameters(network: Any) -> Settings:
    """Check every parameter that nothing further down does, and find the settings."""
    check_option("preset", network.preset, tuple(PRESETS))
    check_option("weight", network.weight, (None, *WEIGHTS))
    check_option("indirect", network.indirect, (OF_PRESET, *INDIRECT))
    if network.alpha is not None:
        check_alpha(network.alpha)
    settings = resolve(
        network.preset, network.weight, network.alpha, network.kernel, network.normalize, network.indirect
    )
    check_option("test", network.test, TESTS)
    check_option("missing", network.missing, MISSING_IN_PAIRS)
    MUTUAL_INFORMATION.check_form(network.normalize)
    if settings.weight == "adjusted" and settings.alpha != 2:
        hint = 'weight="value", "strength" and "pvalue" go with any.'
        raise value_error("weight", 'alpha=2 with "adjusted"', f"alpha={settings.alpha:g}", hint)
    if network.fdr is not None:
        check_inside("fdr", network.fdr, "a number above 0 and up to 1, or None", lambda rate: 0 < rate <= 1)
    if network.threshold is not None:
        check_inside("threshold", network.threshold, "a finite number or None", math.isfinite)
    if network.top_k is not None:
        check_count("top_k", network.top_k, 1)
    check_count("stability", network.stability, 0)
    check_inside("tolerance", network.tolerance, "a number from 0 to 1", lambda share: 0 <= share <= 1)
    check_inside("level", network.level, "a number above 0 and up to 1", lambda level: 0 < level <= 1)
    check_count("n_resamples", network.n_resamples, 1)
    check_jobs(network.n_jobs)
    return settings


def which_regulate(names: Sequence[str], regulators: Collection[str] | None) -> Mask:
    """Which variables can be the source of a link; all where none are named."""
    if regulators is None:
        return np.ones(len(names), dtype=bool)
    if isinstance(regulators, str):
        raise type_error("regulators", "a collection of names", describe(regulators))
    chosen = set(regulators)
    check_names("regulators", chosen, names)
    if not chosen:
        raise value_error("regulators", "at least one name, or None", "none")
    return np.array([name in chosen for name in names])


def weigh(network: Any, table: Table, settings: Settings, pvalues: Floats | None) -> Floats:
    """Weights of all pairs as they are, 0 where too few rows are common."""
    if settings.weight in ("adjusted", "strength") and np.max(table.presence.common) < FEWEST_ROWS:
        expected = f'at least {FEWEST_ROWS} rows with weight="{settings.weight}"'
        raise value_error("X", expected, f"{np.max(table.presence.common)}", 'weight="value" takes any number.')
    if settings.weight == "information":
        weights = PairInformation(table).all_pairs(network.progress)
    elif settings.weight == "pvalue" and pvalues is not None:
        weights = -np.log10(np.maximum(pvalues, _SMALLEST))
    else:
        found = compare(
            table, settings.kernel, parse_memory(network.memory), float(settings.alpha), network.normalize,
            n_jobs=check_jobs(network.n_jobs), progress=network.progress,
        )  # fmt: skip
        weights = np.array(getattr(found, settings.weight), dtype=np.float64)
    weights[np.isnan(weights)] = 0.0
    np.fill_diagonal(weights, 0.0)
    return weights


def in_context(weights: Floats, indirect: str | None, counted: Mask) -> Floats:
    """Weights among those of either variable, where that is asked for; 0 for pairs that do not count."""
    if indirect == "clr":
        return context_likelihood(weights, counted)
    return mean_ranks(weights, counted) if indirect == "clr-rank" else np.where(counted, weights, 0.0)


def qvalues_of(pvalues: Floats, counted: Mask) -> Floats:
    """Adjust the p-values of the pairs that count for all of them; 1 for others."""
    upper = np.nonzero(np.triu(counted, 1))
    qvalues = np.ones_like(pvalues)
    qvalues[upper] = adjusted_pvalues(pvalues[upper])
    return np.minimum(qvalues, qvalues.T)
