"""The scale of the map: even steps of lightness, so that it reads with any colour vision and in grey."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 64
# OKLCH at the ends and between: lightness, chroma, hue in degrees. Zero takes the colour of the paper it lies on.
_LIGHT = ((0.968, 0.012, 100.0), (0.80, 0.085, 165.0), (0.58, 0.095, 225.0), (0.30, 0.105, 272.0))
_DARK = ((0.225, 0.012, 275.0), (0.44, 0.095, 262.0), (0.70, 0.105, 190.0), (0.95, 0.115, 105.0))

# B. Ottosson, "A perceptual color space for image processing" (2020): OKLab to the cube roots of cone responses, and
# the responses to linear sRGB.
_TO_CONES = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_TO_RGB = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def ramp(theme: str) -> list[str]:
    """Colours from no dependence to the strongest, on light or on dark paper.

    Examples
    --------
    >>> colors = ramp("light")
    >>> len(colors), colors[0], colors[-1]
    (64, '#f6f5ec', '#1d2661')
    """
    stops = np.array(_LIGHT if theme == "light" else _DARK)
    places = np.linspace(0.0, 1.0, len(stops))
    where = np.linspace(0.0, 1.0, STEPS)
    lightness, chroma, hue = (np.interp(where, places, stops[:, part]) for part in range(3))
    # Lightness in one straight line: equal steps of dependence look equal.
    lightness = np.linspace(lightness[0], lightness[-1], STEPS)
    return ["#" + "".join(f"{round(255 * part):02x}" for part in rgb) for rgb in _in_gamut(lightness, chroma, hue)]


def _in_gamut(lightness: Floats, chroma: Floats, hue: Floats) -> Floats:
    """OKLCH colours in sRGB, less vivid where a screen cannot show them."""
    for _ in range(40):
        linear = _linear_rgb(lightness, chroma, hue)
        outside = (linear.min(axis=1) < 0.0) | (linear.max(axis=1) > 1.0)
        if not outside.any():
            break
        chroma = np.where(outside, 0.95 * chroma, chroma)
    linear = np.clip(linear, 0.0, 1.0)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def _linear_rgb(lightness: Floats, chroma: Floats, hue: Floats) -> Floats:
    angle = np.deg2rad(hue)
    lab = np.stack([lightness, chroma * np.cos(angle), chroma * np.sin(angle)], axis=1)
    linear: Floats = (lab @ _TO_CONES.T) ** 3 @ _TO_RGB.T
    return linear
