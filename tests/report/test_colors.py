"""The scale of the map must be read with every kind of colour vision, and in grey."""

from importlib import resources

import numpy as np
import pytest

from shearer.report.page.colors import STEPS, ramp

# Linear sRGB as dichromats see it: Viénot, Brettel and Mollon (1999); the third, in one plane, Brettel et al. (1997).
VISION = {
    "normal": np.eye(3),
    "protan": np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]]),
    "deutan": np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]),
    "tritan": np.array([[1.01277, 0.13548, -0.14826], [-0.01243, 0.86812, 0.14431], [0.07589, 0.80500, 0.11911]]),
}


def linear(colors):
    values = np.array([[int(color[k : k + 2], 16) for k in (1, 3, 5)] for color in colors]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lightness(rgb):
    """CIE L* of linear sRGB."""
    luminance = np.clip(rgb @ np.array([0.2126, 0.7152, 0.0722]), 0, None)
    return np.where(luminance > 0.008856, 116 * np.cbrt(luminance) - 16, 903.3 * luminance)


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(("theme", "sign"), [("light", -1), ("dark", 1)])
def test_each_step_differs_from_the_last(theme, sign, vision):
    steps = sign * np.diff(lightness(linear(ramp(theme)) @ VISION[vision].T))
    assert (steps > 0.25).all()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_steps_are_even(theme):
    colors = ramp(theme)
    assert len(colors) == STEPS
    steps = np.abs(np.diff(lightness(linear(colors))))
    assert steps.max() < 2.2 * steps.min()


def contrast(first, second):
    bright, dark = sorted((linear([color]) @ np.array([0.2126, 0.7152, 0.0722]))[0] for color in (first, second))[::-1]
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("theme", "turn", "low", "high"), [("light", 0.6, "#15171b", "#ffffff"), ("dark", 0.49, "#ffffff", "#15171b")]
)
def test_numbers_on_cells_can_be_read(theme, turn, low, high):
    """The ink changes where it does on the map."""
    script = resources.files("shearer.report").joinpath("assets", "map_grid.js").read_text()
    assert f'{theme}: [{turn}, "{low.replace("ffffff", "fff")}", "{high.replace("ffffff", "fff")}"]' in script
    for step, color in enumerate(ramp(theme)):
        assert contrast(color, high if step / (STEPS - 1) > turn else low) >= 4.2
