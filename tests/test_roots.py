"""One root between two ends: right to the tolerance, in few steps, without scipy.optimize."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from shearer._roots import bracketed_root

FUNCTIONS = {
    "cube": (lambda x: x**3 - 2, 0.0, 2.0),
    "flat": (lambda x: (x - 1) ** 9, -3.0, 4.5),
    "steep": (lambda x: math.expm1(50 * (x - 0.3)), -1.0, 1.0),
    "falling": (lambda x: math.cos(x) - x, 3.0, -1.0),
    "step": (lambda x: -1.0 if x < 0.123 else 1.0, -5.0, 7.0),
    "tiny": (lambda x: 1e-200 * (x - 0.7), 0.0, 1.0),
    "far": (lambda x: math.atan(x - 1e6), -1e9, 1e9),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_same_root_as_brent(name):
    function, low, high = FUNCTIONS[name]
    calls = []

    def counted(x):
        calls.append(x)
        return function(x)

    found = bracketed_root(counted, low, high, xtol=1e-12)
    wide = 0.05 if name == "flat" else 1e-12 + 4e-16 * abs(found)  # (x - 1)^9 is 0 in doubles far around 1
    assert found == pytest.approx(brentq(function, low, high, xtol=1e-13, maxiter=2000), abs=2 * wide)
    assert len(calls) <= 80
    assert min(low, high) <= min(calls)
    assert max(calls) <= max(low, high)


@given(st.floats(-5, 5), st.floats(0.1, 20), st.floats(-3, 3))
def test_smooth_functions_take_few_steps(root, slope, bend):
    def function(x):
        calls.append(x)
        return math.expm1(slope * (x - root)) + bend**2 * (x - root) ** 3

    calls: list[float] = []
    assert bracketed_root(function, root - 2.0, root + 1.0, xtol=1e-12) == pytest.approx(root, abs=2e-12)
    assert len(calls) <= 30


def test_ends_that_are_roots_or_no_bracket():
    assert bracketed_root(lambda x: x, 0.0, 1.0, 1e-12) == 0.0
    assert bracketed_root(lambda x: x - 1, 0.0, 1.0, 1e-12) == 1.0
    with pytest.raises(ValueError, match="no change of sign"):
        bracketed_root(lambda x: x**2 + 1, -1.0, 1.0, 1e-12)
    with pytest.raises(ValueError, match="no change of sign"):
        bracketed_root(lambda x: math.nan, -1.0, 1.0, 1e-12)


def test_widths_are_those_of_brent(rng):
    """Equal up to round-off to what scipy finds for the same equation."""
    from shearer.kernels.width_rules import decay_goals, mean_decay, widths_of_distances

    squared = np.concatenate([rng.chisquare(3, size=500), np.zeros(20), [1e-8, 1e8]])
    fractions = (0.02, 0.3, 0.9)
    unequal, goals = decay_goals(squared, 60, fractions)
    for width, goal in zip(widths_of_distances(squared, 60, fractions), goals, strict=True):
        low, high = math.log(1e-6), math.log(1e6)
        expected = brentq(lambda t, m=goal: math.log(mean_decay(unequal, math.exp(-2 * t)) / m), low, high, xtol=1e-13)
        assert width == pytest.approx(math.exp(expected), rel=1e-11)


def test_no_optimiser_is_loaded():
    script = (
        "import sys, json, numpy, shearer as sh; x = numpy.arange(60.0) ** 1.5;"
        "sh.mutual_information(x, x[::-1], kernel=sh.kernels.Gaussian('entropy')); sh.independence_test(x, x**2);"
        "print(json.dumps([m for m in sys.modules if m.startswith('scipy.optimize')]))"
    )
    assert json.loads(subprocess.check_output([sys.executable, "-c", script])) == []
