"""Tables of real data: outliers (ODDS), bicycles, penguins, cars."""

from pathlib import Path
from typing import Any

import numpy as np

from shearer._validate import check_option, message, value_error
from shearer.datasets.described import Dataset
from shearer.datasets.files import Where, fetch, find

# name -> rows, columns, outliers, what the rows are and which of them count as outliers
_ODDS = {
    "pima": (768, 8, 268, "women tested for diabetes; outliers: those who have it"),
    "breastw": (683, 9, 239, "breast tumours; outliers: malignant ones"),
    "cardio": (1831, 21, 176, "heart traces of unborn children, standardised; outliers: pathological ones"),
    "musk": (3062, 166, 97, "molecules; outliers: musks"),
    "mnist": (7603, 100, 700, "written digits zero; outliers: sixes"),
    "internetads": (1966, 1555, 368, "pictures on pages; outliers: advertisements"),
    "speech": (3686, 400, 61, "spoken utterances; outliers: those in another accent"),
}
_SPEECH = ("odds/speech.npz", "odds/speech.mat")


def load_odds(name: str, *, where: Where = None) -> Dataset:
    """Load a table with labelled outliers from the collection ODDS.

    Parameters
    ----------
    name : {"pima", "breastw", "cardio", "musk", "mnist", "internetads", "speech"}
        Which table. "speech" is not in `registry` and cannot be downloaded: it is read from ``odds/speech.npz`` or the
        published ``odds/speech.mat`` in the folder, and no hash is checked.
    where : path or str, optional
        Folder or address of the files; see `fetch`.

    Returns
    -------
    Dataset
        `data`: an array (n, d) of float64; `target`: 1 for outliers, 0 for other rows.

    Examples
    --------
    >>> from shearer import datasets
    >>> cardio = datasets.load_odds("cardio")  # doctest: +SKIP
    >>> cardio, int(cardio.target.sum())  # doctest: +SKIP
    (Dataset(ODDS cardio, 1831 x 21), 176)
    """
    check_option("name", name, tuple(_ODDS))
    rows, columns, outliers, what = _ODDS[name]
    arrays = _read_speech(where) if name == "speech" else read_npz(fetch(f"odds/{name}.npz", where=where))
    data, target = np.asarray(arrays["X"], dtype=np.float64), np.asarray(arrays["y"]).astype(np.intp).reshape(-1)
    if data.shape != (rows, columns) or target.sum() != outliers:
        expected = f"{rows} x {columns} numbers and {outliers} outliers"
        raise value_error(name, expected, f"{data.shape} and {target.sum()}", "The file is another one.")
    return Dataset(
        name=f"ODDS {name}",
        data=data,
        target=target,
        description=f"{rows} {what}.",
        source="ODDS, Stony Brook University (Rayana 2016), after UCI; as distributed by ADBench (Han et al. 2022)",
        license="BSD-2-Clause (ADBench)",
    )


def load_bike(*, where: Where = None) -> Dataset:
    """Load the number of bicycles hired in Washington, D.C., for each hour of 2011 and 2012.

    Parameters
    ----------
    where : path or str, optional
        Folder or address of the files; see `fetch`.

    Returns
    -------
    Dataset
        `data`: 14 columns, such as date, season, hour and weather; `target`: bicycles hired (``cnt``). The two columns
        ``casual`` and ``registered``, whose sum the target is, are in `frame` only.

    Examples
    --------
    >>> from shearer import datasets
    >>> datasets.load_bike()  # doctest: +SKIP
    Dataset(bike sharing, 17379 x 14)
    """
    frame = read_text_table(fetch("bike/hour.csv", where=where), try_parse_dates=True)
    return Dataset(
        name="bike sharing",
        data=frame.drop("casual", "registered", "cnt"),
        target=frame["cnt"].to_numpy(),
        frame=frame,
        description="Bicycles hired in each of 17379 hours, with the calendar and the weather.",
        source="Fanaee-T and Gama 2013, UCI Machine Learning Repository 275",
        license="CC BY 4.0",
    )


def load_penguins(*, where: Where = None) -> Dataset:
    """Load measurements of penguins of three species.

    Parameters
    ----------
    where : path or str, optional
        Folder or address of the files; see `fetch`.

    Returns
    -------
    Dataset
        `data`: island, length and depth of the bill, length of the flipper, body mass, sex and year, with missing
        values; `target`: the species.

    Examples
    --------
    >>> from shearer import datasets
    >>> penguins = datasets.load_penguins()  # doctest: +SKIP
    >>> penguins, sorted(set(penguins.target))  # doctest: +SKIP
    (Dataset(penguins, 344 x 7), ['Adelie', 'Chinstrap', 'Gentoo'])
    """
    frame = read_text_table(fetch("tables/penguins.csv", where=where), null_values="NA")
    return Dataset(
        name="penguins",
        data=frame.drop("species"),
        target=frame["species"].to_numpy(),
        frame=frame,
        description="344 penguins near Palmer Station; 2 rows lack measurements and 11 the sex.",
        source="Gorman, Williams and Fraser 2014; palmerpenguins (Horst, Hill and Gorman 2020)",
        license="CC0",
    )


def load_mpg(*, where: Where = None) -> Dataset:
    """Load data on cars and their miles per gallon.

    Parameters
    ----------
    where : path or str, optional
        Folder or address of the files; see `fetch`.

    Returns
    -------
    Dataset
        `data`: cylinders, displacement, horsepower (6 missing values), weight, acceleration, model year, origin and
        name; `target`: miles per gallon.

    Examples
    --------
    >>> from shearer import datasets
    >>> datasets.load_mpg()  # doctest: +SKIP
    Dataset(auto mpg, 398 x 8)
    """
    frame = read_text_table(fetch("tables/mpg.csv", where=where))
    return Dataset(
        name="auto mpg",
        data=frame.drop("mpg"),
        target=frame["mpg"].to_numpy(),
        frame=frame,
        description="398 cars of 1970 to 1982.",
        source="Quinlan 1993, UCI Machine Learning Repository 9",
        license="CC BY 4.0",
    )


def read_npz(path: Path) -> dict[str, Any]:
    """The arrays of an archive, none of which may hold code."""
    with np.load(path, allow_pickle=False) as archive:
        return dict(archive)


def read_text_table(path: Path, **options: Any) -> Any:
    """A table of text as a polars frame."""
    import polars as pl

    return pl.read_csv(path, **options)


def _read_speech(where: Where) -> dict[str, Any]:
    path = find(_SPEECH, where)
    if path is None:
        expected = " or ".join(_SPEECH)
        hint = "No registry has this table: get it from ODDS and put it into the folder that SHEARER_DATA names."
        raise FileNotFoundError(message("speech", f"{expected} in a folder", "none", hint))
    if path.suffix == ".npz":
        return read_npz(path)
    from scipy.io import loadmat

    arrays: dict[str, Any] = loadmat(path)
    return arrays
