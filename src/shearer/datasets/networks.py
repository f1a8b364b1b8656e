"""Measurements with a known network: simulated genes (DREAM4) and proteins (Sachs)."""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_option
from shearer.datasets.described import Network
from shearer.datasets.files import Where, fetch
from shearer.datasets.real_tables import read_text_table

# In the order in which the rows of a network of ten genes are put together.
_EXPERIMENTS = ("wildtype", "knockouts", "knockdowns", "multifactorial", "timeseries")
_SIZES = {10: 5, 100: 3}
_ROWS = ("observational", "all")
_OBSERVATIONAL = "cd3_cd28"
_TRUTHS = {"consensus": "sachs/sachs.2005.ground.truth.graph.txt", "cdt": "sachs/cdt_cyto_full_target.csv"}
# What the second list calls the proteins.
_OTHER_NAMES = {"praf": "raf", "pmek": "mek", "plcg": "plc", "p44/42": "erk", "pakts473": "akt", "pjnk": "jnk"}


def load_dream4(size: int = 10, network: int = 1, *, where: Where = None) -> Network:
    """Load simulated gene expression of the DREAM4 challenge, and the network it was simulated from.

    Parameters
    ----------
    size : {10, 100}, default 10
        Number of genes. For 10 genes the rows of all experiments are joined, 136 in all; for 100 genes there are the
        100 rows of the multifactorial experiment.
    network : int, default 1
        Which network: 1 to 5 for 10 genes, 1 to 3 for 100.
    where : path or str, optional
        Folder or address of the files; see `fetch`.

    Returns
    -------
    Network
        `data`: one column for each gene; `target`: which gene regulates which; `condition`: the experiment of each
        row, for 10 genes "wildtype", "knockouts", "knockdowns", "multifactorial" or "timeseries".

    Examples
    --------
    >>> from shearer import datasets
    >>> network = datasets.load_dream4(100, 3)  # doctest: +SKIP
    >>> network.data.shape, int(network.target.sum())  # doctest: +SKIP
    ((100, 100), 195)
    """
    check_option("size", size, tuple(_SIZES))
    check_option("network", network, tuple(range(1, _SIZES[size] + 1)))
    stem = f"dream4/size{size}/insilico_size{size}_{network}"
    experiments = _EXPERIMENTS if size == 10 else ("multifactorial",)
    parts = [read_text_table(fetch(f"{stem}_{name}.tsv", where=where), separator="\t") for name in experiments]
    parts = [part.drop("Time", strict=False).drop_nulls() for part in parts]  # a blank line precedes each series
    import polars as pl

    data = pl.concat(parts)
    gold = f"dream4/size{size}/DREAM4_GoldStandard_InSilico_Size{size}{'_multifactorial' * (size == 100)}_{network}.tsv"
    links = read_text_table(fetch(gold, where=where), separator="\t", has_header=False).rows()
    return Network(
        name=f"DREAM4 size {size} network {network}",
        data=data,
        target=adjacency(data.columns, [(source, target) for source, target, linked in links if linked]),
        condition=np.repeat(experiments, [len(part) for part in parts]),
        description=f"{len(data)} simulated measurements of {size} genes, and which of them regulate which.",
        source="DREAM4 in-silico challenge (Marbach et al. 2009; Stolovitzky et al.), made with GeneNetWeaver",
        license="none stated; openly distributed by the DREAM project",
    )


def load_sachs(rows: str = "observational", *, truth: str = "consensus", where: Where = None) -> Network:
    """Load proteins and lipids of a signalling pathway in single cells, and the accepted network of links.

    Parameters
    ----------
    rows : {"observational", "all"}, default "observational"
        "observational": the 853 cells with general stimulation only; "all": the 7466 cells of nine conditions.
    truth : {"consensus", "cdt"}, default "consensus"
        Which list of links: the 20 of the consensus network in the publication, or the 18 of the Causal Discovery
        Toolbox, which later papers use. 17 links are in both.
    where : path or str, optional
        Folder or address of the files; see `fetch`.

    Returns
    -------
    Network
        `data`: 853 or 7466 rows and 11 columns of intensities, not transformed; `target`: what acts on what;
        `condition`: the stimulation or inhibition of each cell.

    Examples
    --------
    >>> from shearer import datasets
    >>> consensus, other = (datasets.load_sachs(truth=truth) for truth in ("consensus", "cdt"))  # doctest: +SKIP
    >>> consensus.data.shape, int((consensus.target & other.target).sum())  # doctest: +SKIP
    ((853, 11), 17)
    """
    check_option("rows", rows, _ROWS)
    check_option("truth", truth, tuple(_TRUTHS))
    data = read_text_table(fetch("sachs/sachs.2005.continuous.txt", where=where), separator="\t")
    marks = read_text_table(fetch("sachs/sachs_2005_conditions.csv", where=where))
    condition = np.array(marks.columns)[_last_mark(marks.to_numpy())]
    kept = np.ones(len(data), dtype=bool) if rows == "all" else condition == _OBSERVATIONAL
    links = list(_links(fetch(_TRUTHS[truth], where=where)))
    return Network(
        name=f"Sachs, {rows}, {truth} network",
        data=data.filter(kept),
        target=adjacency(data.columns, links),
        condition=condition[kept],
        description=f"{kept.sum()} cells, 11 proteins and lipids by flow cytometry; {len(links)} links ({truth}).",
        source="Sachs, Perez, Pe'er, Lauffenburger and Nolan 2005, Science 308",
        license="CC0 (cmu-phil/example-causal-datasets)" if truth == "consensus" else "CC0; list of links MIT",
    )


def adjacency(names: Iterable[str], links: Iterable[tuple[str, str]]) -> NDArray[np.bool_]:
    """Links between names as a matrix: row acts on column.

    Examples
    --------
    >>> adjacency("abc", [("a", "c")]).astype(int)
    array([[0, 0, 1],
           [0, 0, 0],
           [0, 0, 0]])
    """
    place = {name: position for position, name in enumerate(names)}
    matrix = np.zeros((len(place), len(place)), dtype=bool)
    for source, target in links:
        matrix[place[source], place[target]] = True
    return matrix


def _last_mark(marks: NDArray[np.integer]) -> NDArray[np.intp]:
    """The column of the last 1 in each row: an inhibitor is marked beside the stimulation it comes with."""
    last: NDArray[np.intp] = marks.shape[1] - 1 - np.argmax(marks[:, ::-1], axis=1)
    return last


def _links(path: Path) -> Iterable[tuple[str, str]]:
    """Pairs (from, to) of either list, under the names of the measurements."""
    for line in path.read_text(encoding="utf-8").splitlines():
        found = re.fullmatch(r'\d+\. (\S+) --> (\S+)|"(.+)","(.+)"', line)
        if found is None or '"Cause"' in line:
            continue
        source, target = (_OTHER_NAMES.get(name, name.lower()) for name in found.groups() if name)
        yield source, target
