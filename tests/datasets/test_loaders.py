"""What every loader returns, against figures published with the data."""

import dataclasses
import doctest
import gzip

import numpy as np
import pytest

import shearer as sh
from shearer import datasets
from shearer.datasets.images import read_idx
from shearer.datasets.networks import load_dream4, load_sachs

needs_data = pytest.mark.needs("data")


@needs_data
@pytest.mark.parametrize("name", [name for name in datasets.__all__ if name.startswith("load_")])
def test_the_example_of_a_loader_runs(name):
    """Skipped where all examples are run, as most machines do not have the data."""
    (example,) = doctest.DocTestFinder().find(getattr(datasets, name), name)
    for step in example.examples:
        step.options.pop(doctest.SKIP, None)
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example) == (0, len(example.examples))


@needs_data
@pytest.mark.parametrize(("network", "links"), [*enumerate([15, 16, 15, 13, 12], start=1)])
def test_dream4_of_ten_genes(network, links):
    found = load_dream4(10, network)
    assert found.data.shape == (136, 10)
    assert found.names == tuple(f"G{k}" for k in range(1, 11))
    assert found.target.sum() == links
    assert not found.target.diagonal().any()
    assert dict(zip(*np.unique(found.condition, return_counts=True), strict=True)) == {
        "wildtype": 1, "knockouts": 10, "knockdowns": 10, "multifactorial": 10, "timeseries": 105,
    }  # fmt: skip
    assert np.array_equal(found.undirected, found.undirected.T)


@needs_data
@pytest.mark.parametrize(("network", "links"), [*enumerate([176, 249, 195], start=1)])
def test_dream4_of_a_hundred_genes(network, links):
    found = load_dream4(100, network)
    assert found.data.shape == (100, 100)
    assert found.target.sum() == links


@needs_data
def test_knockouts_are_the_rows_in_which_one_gene_is_silent():
    found = load_dream4(10, 1)
    knockouts = found.data.to_numpy()[found.condition == "knockouts"]
    assert np.all(knockouts.diagonal() == 0)


@needs_data
def test_sachs_rows_and_lists():
    observed, everything = load_sachs(), load_sachs("all", truth="cdt")
    assert observed.data.shape == (853, 11)
    assert set(observed.condition) == {"cd3_cd28"}
    assert everything.data.shape == (7466, 11)
    _, counts = np.unique(everything.condition, return_counts=True)
    assert sorted(counts.tolist()) == sorted([853, 902, 911, 723, 810, 799, 848, 913, 707])
    assert (observed.target.sum(), everything.target.sum()) == (20, 18)
    place = observed.names.index
    assert observed.target[place("pip3"), place("pip2")]
    assert everything.target[place("pip2"), place("pip3")]
    assert (everything.undirected & ~observed.undirected).sum() == 0


@needs_data
@pytest.mark.parametrize(
    ("name", "shape", "outliers"),
    [
        ("pima", (768, 8), 268), ("breastw", (683, 9), 239), ("cardio", (1831, 21), 176), ("musk", (3062, 166), 97),
        ("mnist", (7603, 100), 700), ("internetads", (1966, 1555), 368),
    ],
)  # fmt: skip
def test_odds(name, shape, outliers):
    found = datasets.load_odds(name)
    assert found.data.shape == shape
    assert found.data.dtype == np.float64
    assert found.target.sum() == outliers
    assert np.isfinite(found.data).all()


@needs_data
def test_pima_means():
    means = datasets.load_odds("pima").data.mean(axis=0)
    published = [3.845052, 120.894531, 69.105469, 20.536458, 79.799479, 31.992578, 0.471876, 33.240885]
    assert np.allclose(means, published, atol=1e-6)


@needs_data
def test_bike_target_is_the_sum_of_its_parts():
    bike = datasets.load_bike()
    assert bike.data.shape == (17379, 14)
    assert bike.target.sum() == 3292679
    assert np.array_equal(bike.target, (bike.frame["casual"] + bike.frame["registered"]).to_numpy())


@needs_data
def test_penguins_and_cars():
    penguins, cars = datasets.load_penguins(), datasets.load_mpg()
    assert penguins.data["sex"].null_count() == 11
    assert round(penguins.data["body_mass_g"].mean(), 3) == 4201.754
    assert set(penguins.target) == {"Adelie", "Chinstrap", "Gentoo"}
    assert cars.data["horsepower"].null_count() == 6
    assert round(cars.target.mean(), 3) == 23.515


@needs_data
@pytest.mark.parametrize(
    ("load", "mean", "deviation"),
    [(datasets.load_mnist, 0.1307, 0.3081), (datasets.load_fashion_mnist, 0.2860, 0.3530)],
)
def test_grey_pictures(load, mean, deviation):
    found = load()
    assert found.data.shape == (60000, 28, 28)
    assert found.test.shape == (10000, 28, 28)
    assert (found.target.shape, found.test_target.shape) == ((60000,), (10000,))
    assert len(found.classes) == 10
    assert found.target.max() == 9
    sums = np.bincount(found.data.ravel(), minlength=256) @ np.stack([np.arange(256.0), np.arange(256.0) ** 2], axis=1)
    first, second = sums / found.data.size / [255, 255**2]
    assert round(first, 4) == mean
    assert round(np.sqrt(second - first**2), 4) == deviation
    found.data[0, 0, 0] = 1  # can be written to: torch warns of arrays that cannot


@needs_data
def test_cifar():
    found = datasets.load_cifar10()
    assert found.data.shape == (10000, 32, 32, 3)
    assert np.bincount(found.target).tolist() == [1000] * 10
    assert np.bincount(found.test_target).tolist() == [200] * 10
    assert "frog" in found.classes


@needs_data
def test_every_set_says_where_it_is_from_and_cannot_be_changed():
    for found in (load_dream4(), load_sachs(), datasets.load_mpg(), datasets.load_odds("pima")):
        assert all((found.name, found.description, found.source, found.license))
        with pytest.raises(dataclasses.FrozenInstanceError):
            found.data = None


@needs_data
def test_a_set_goes_straight_into_a_measure():
    assert sh.pairwise(load_dream4().data).names == load_dream4().names


@needs_data
def test_the_folder_has_every_file_of_the_registry(folder):
    for path in datasets.registry():
        assert datasets.fetch(path, where=folder).is_file()


def test_speech_says_that_there_is_none(tmp_path, monkeypatch):
    monkeypatch.delenv("SHEARER_DATA", raising=False)
    for where in (None, tmp_path, "http://127.0.0.1:9"):
        with pytest.raises(FileNotFoundError, match=r"speech: expected odds/speech.npz or odds/speech.mat in a folder"):
            datasets.load_odds("speech", where=where)


@pytest.mark.parametrize("suffix", ["npz", "mat"])
def test_speech_is_read_where_it_is_supplied(tmp_path, suffix):
    from scipy.io import savemat

    arrays = {"X": np.random.default_rng(0).normal(size=(3686, 400)), "y": np.arange(3686)[:, None] < 61}
    (tmp_path / "odds").mkdir()
    (np.savez if suffix == "npz" else lambda path, **a: savemat(path, a))(tmp_path / f"odds/speech.{suffix}", **arrays)
    found = datasets.load_odds("speech", where=tmp_path)
    assert np.array_equal(found.data, arrays["X"])
    assert found.target.sum() == 61


def test_speech_of_another_shape_is_refused(tmp_path):
    (tmp_path / "odds").mkdir()
    np.savez(tmp_path / "odds/speech.npz", X=np.zeros((3, 2)), y=np.zeros(3))
    with pytest.raises(ValueError, match="speech: expected 3686 x 400 numbers and 61 outliers"):
        datasets.load_odds("speech", where=tmp_path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: datasets.load_odds("pimas"), "Did you mean 'pima'"),
        (lambda: load_dream4(50), "size: expected one of 10, 100, got 50"),
        (lambda: load_dream4(100, 4), "network: expected one of 1, 2, 3, got 4"),
        (lambda: load_dream4(10, True), "network: expected one of 1, 2"),
        (lambda: load_sachs("some"), "rows: expected one of 'observational', 'all'"),
        (lambda: load_sachs(truth="cdts"), "Did you mean 'cdt'"),
    ],
)
def test_unknown_sets_are_refused(call, message):
    with pytest.raises(ValueError, match="expected") as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\0\0\x0d\1\0\0\0\1\0", b"\1\0\x08\1\0\0\0\1\0", b"\0\0\x08\3\0\0\0\1",
        b"\0\0\x08\1\0\0\0\2\0", b"\0\0\x08\2\xff\xff\xff\xff\xff\xff\xff\xff\0",
    ],
)  # fmt: skip
def test_broken_pictures_are_refused(tmp_path, content):
    path = tmp_path / "broken.gz"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(ValueError, match=r"broken\.gz: expected a compressed idx file"):
        read_idx(path)


def test_idx_is_read_as_written(tmp_path):
    path = tmp_path / "small.gz"
    path.write_bytes(gzip.compress(b"\0\0\x08\2\0\0\0\2\0\0\0\3\1\2\3\4\5\6"))
    assert read_idx(path).tolist() == [[1, 2, 3], [4, 5, 6]]
