"""Columns of every kind, made from a latent normal: what the recorded cases are about.

Numbers are rounded, so that the last bits of a platform's normals, tangents and cubes do not reach the answers.
"""

import numpy as np

KINDS = (
    "numbers",
    "ties",
    "integers",
    "two",
    "flags",
    "labels",
    "rare",
    "constant",
    "vector",
    "heavy",
    "offset",
    "duplicates",
)
LINKS = ("none", "weak", "line", "square", "copy")


def latent(rows, seed, link="line"):
    """Two latent columns, the second tied to the first by a link."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, rows))
    return x, {
        "none": noise,
        "weak": 0.25 * x + noise,
        "line": x + 0.7 * noise,
        "square": x**2 - 1 + 0.4 * noise,
        "copy": x,
    }[link]


def column(kind, values, seed=0):
    """A latent column as values of a kind."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    rows = len(values)
    if kind == "numbers":
        return values.round(8)
    if kind == "ties":
        return np.round(4 * values) / 4
    if kind == "integers":
        return np.digitize(values, [-1.0, 0.0, 1.0])
    if kind == "two":
        return np.where(values > 0.4, 3.0, -1.0)
    if kind == "flags":
        return values > 0.2
    if kind == "labels":
        return np.array(list("abcde"))[np.digitize(values, [-1.2, -0.3, 0.3, 1.2])]
    if kind == "rare":
        return np.where(values > 1.6, "high", np.where(values < -2.0, "low", "most"))
    if kind == "constant":
        return np.full(rows, 7.25)
    if kind == "vector":
        return np.column_stack([values, 0.5 * values**2, rng.normal(size=rows)]).round(8)
    if kind == "heavy":
        return np.round(np.sign(values) * np.abs(values) ** 5 * 10, 6)
    if kind == "offset":
        return 1e8 + values.round(4)
    return values.round(8)[np.arange(rows) // 3]  # duplicates


def pair(kinds, rows, seed, link="line"):
    """Two columns of two kinds, separated by a slash in their name."""
    first, second = kinds.split("/")
    x, y = latent(rows, seed, link)
    return column(first, x, seed), column(second, y, seed + 1)


def several(kinds, rows, seed, link="line"):
    """As many columns as kinds; each is tied to the one before."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    columns = []
    for place, kind in enumerate(kinds.split("/")):
        columns.append(column(kind, x, seed + place))
        noise = rng.normal(size=rows)
        x = {"none": noise, "weak": 0.3 * x + noise, "line": 0.8 * x + 0.6 * noise, "square": x**2 - 1 + 0.5 * noise}[
            link
        ]
    return columns


def exclusive(rows, seed, flips=0.0):
    """Two switches and a lamp."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, size=(2, rows)).astype(bool)
    return a, b, a ^ b ^ (rng.random(rows) < flips)


def every_kind(rows, seed, link="line"):
    """One column of each kind, all tied to one latent column more or less, and one of noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    mix = {"none": 0.0, "weak": 0.3, "line": 0.8}[link]
    table = {kind: column(kind, mix * x + (1 - mix) * rng.normal(size=rows), seed) for kind in KINDS}
    return table | {"noise": rng.normal(size=rows).round(8)}


def scalars(table):
    """Without the vectors."""
    return {name: values for name, values in table.items() if values.ndim == 1}


def with_gaps(table, seed, share=0.1):
    """Some values missing, each column with a pattern of its own."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, values in table.items():
        gone = rng.random(len(values)) < share
        if values.dtype.kind in "fi" and values.ndim == 1:
            found[name] = np.where(gone, np.nan, values)
        elif values.ndim == 1:
            found[name] = [None if gap else value for value, gap in zip(values.tolist(), gone, strict=True)]
        else:
            found[name] = np.where(gone[:, None], np.nan, values)
    return found
