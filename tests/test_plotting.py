"""Pictures: what is drawn where, with names of any kind and without a display."""

import sys

import matplotlib as mpl
import numpy as np
import pytest

from shearer.plotting import heatmap, network


@pytest.fixture(autouse=True)
def without_display():
    import matplotlib.pyplot as plt

    with mpl.rc_context({"backend": "agg"}):
        yield
        plt.close("all")


def labels(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def two_blocks(rng):
    """Variables a, c, e depend on each other, and b, d, f."""
    group = np.arange(6) % 2
    matrix = np.where(group[:, None] == group, 0.8, 0.05) + rng.uniform(0, 0.02, size=(6, 6))
    return (matrix + matrix.T) / 2, list("abcdef")


def test_clustering_puts_dependent_variables_side_by_side(rng):
    matrix, names = two_blocks(rng)
    order = labels(heatmap(matrix, names))
    assert {frozenset(order[:3]), frozenset(order[3:])} == {frozenset("ace"), frozenset("bdf")}
    assert labels(heatmap(matrix, names, order="given")) == names


def test_cells_hold_the_values_and_the_diagonal_is_left_out(rng):
    matrix, names = two_blocks(rng)
    matrix[0, 1] = matrix[1, 0] = np.nan
    ax = heatmap(matrix, names, order="given")
    drawn = ax.images[0].get_array()
    assert np.ma.getmaskarray(drawn).diagonal().all()
    assert np.ma.getmaskarray(drawn).sum() == 6 + 2
    assert drawn[2, 4] == matrix[2, 4]
    assert len(ax.texts) == 36 - 8
    assert ax.texts[0].get_text() == f"{matrix[0, 2]:.2f}".replace("0.", ".")
    assert ax.images[0].norm.vmax == np.nanmax(np.where(np.eye(6), 0, matrix))


def test_a_table_with_targets_has_names_of_its_own(rng):
    ax = heatmap(rng.uniform(size=(4, 2)), list("abcd"), columns=["y", "z"], order="given")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["y", "z"]


def test_many_variables_are_drawn_without_numbers(rng):
    matrix = rng.uniform(size=(200, 200))
    ax = heatmap(matrix + matrix.T, [f"gene {i}" for i in range(200)])
    assert not ax.texts
    assert len(labels(ax)) <= 80


@pytest.mark.parametrize("values", [np.zeros((3, 3)), np.full((3, 3), np.nan), -np.ones((3, 3))])
def test_flat_matrices(values):
    heatmap(values, list("abc")).figure.canvas.draw()
    assert len(network(values, list("abc")).collections[0].get_segments()) == 0


def test_one_and_two_variables():
    assert labels(heatmap([[1.0]], ["a"])) == ["a"]
    assert labels(heatmap([[1.0, 0.3], [0.3, 1.0]], ["a", "b"])) == ["a", "b"]
    network([[0.0]], ["a"]).figure.canvas.draw()


def test_hostile_names_are_drawn_as_they_are_written():
    names = ["$x^2$ and $", "two\nlines", "y" * 10_000, "\x1b[31m", "%d {0} \\frac", ""]
    matrix = np.arange(36.0).reshape(6, 6) / 36
    for ax in (heatmap(matrix, names, order="given"), network(matrix, names)):
        ax.figure.canvas.draw()
    drawn = labels(heatmap(matrix, names, order="given"))
    assert drawn[:2] == ["$x^2$ and $", "two\\nlines"]
    assert len(drawn[2]) == 24
    assert drawn[5] == "''"


def test_lines_of_a_network_follow_the_weights():
    weights = np.zeros((5, 5))
    weights[0, 1], weights[1, 2], weights[3, 4] = 0.9, 0.3, np.nan
    ax = network(weights, list("abcde"))
    lines = ax.collections[0]
    assert len(lines.get_segments()) == 2
    assert lines.get_linewidths()[0] > lines.get_linewidths()[1]
    assert len(network(weights, list("abcde"), threshold=0.5).collections[0].get_segments()) == 1


def test_parts_of_a_network_do_not_overlap():
    weights = np.kron(np.eye(4), np.ones((5, 5)))
    places = network(weights, [str(i) for i in range(20)]).collections[1].get_offsets()
    centers = places.reshape(4, 5, 2).mean(axis=1)
    spread = np.linalg.norm(places.reshape(4, 5, 2) - centers[:, None], axis=-1).max()
    apart = np.linalg.norm(centers[:, None] - centers[None], axis=-1)[~np.eye(4, dtype=bool)].min()
    assert apart > 2 * spread


def test_the_same_picture_each_time(rng):
    weights = rng.uniform(size=(90, 90)) ** 8
    names = [str(i) for i in range(90)]
    first, second = (network(weights, names).collections[1].get_offsets() for _ in range(2))
    assert np.array_equal(first, second)


def test_axes_can_be_given(rng):
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(1, 2)
    matrix, names = two_blocks(rng)
    assert heatmap(matrix, names, ax=axes[0]) is axes[0]
    assert network(matrix, names, ax=axes[1]) is axes[1]


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: heatmap(np.ones((2, 3)), ["a", "b"]), ValueError, r"values: expected a matrix of 2 by 2.*\(2, 3\)"),
        (lambda: heatmap([], []), ValueError, "values: expected a matrix of 0 by 0"),
        (lambda: heatmap([["x"]], ["a"]), TypeError, "values: expected a matrix of numbers"),
        (lambda: heatmap([[1.0]], "a"), TypeError, "names: expected a sequence of texts"),
        (lambda: heatmap([[1.0]], ["a"], order="sorted"), ValueError, "order: expected one of 'clustered', 'given'"),
        (lambda: network([[1.0]], [3]), TypeError, "names: expected a sequence of texts"),
        (lambda: network([[1.0]], ["a"], threshold=-1), ValueError, "threshold: expected a positive"),
    ],
)
def test_wrong_input(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "shearer\[plot\]"'):
        heatmap([[1.0]], ["a"])
