"""Against targets only."""

import numpy as np
import pytest

from screening.tables import mixed
from shearer.screening import pairwise


@pytest.mark.parametrize("alpha", [1, 2])
def test_single_target_is_a_column_of_the_matrix(alpha):
    table = mixed()
    whole = pairwise(table, alpha=alpha)
    position = whole.names.index("label")
    others = [k for k in range(len(whole.names)) if k != position]
    m = pairwise(table, target="label", alpha=alpha)
    assert m.value.shape == m.joint.shape == m.entropy.shape == (len(others),)
    assert np.allclose(m.value, whole.value[others, position], atol=1e-12)
    assert np.allclose(m.joint, whole.joint[others, position], atol=1e-12)
    assert np.allclose(m.entropy, whole.entropy[others], atol=1e-12)
    assert m.target == ("label",)
    assert m.target_entropy == pytest.approx(whole.entropy[position])
    assert m.names == tuple(whole.names[k] for k in others)


@pytest.mark.parametrize("normalize", [False, "min", "joint", "mean", "sqrt"])
def test_normalizations(normalize):
    table = mixed()
    whole = pairwise(table, normalize=normalize)
    assert np.allclose(pairwise(table, target="x", normalize=normalize).value, whole.value[1:, 0], atol=1e-12)


def test_several_targets():
    table = mixed()
    whole = pairwise(table)
    m = pairwise(table, target=["x", "ties"])
    rows = [whole.names.index(name) for name in m.names]
    assert m.value.shape == (7, 2)
    assert np.allclose(m.value, whole.value[np.ix_(rows, [0, 3])], atol=1e-12)
    assert m.target_entropy.shape == (2,)
    assert pairwise(table, target=["x"]).value.shape == (8, 1)


def test_arrays_as_targets(rng):
    x, y = rng.normal(size=(20, 4)), rng.normal(size=20)
    m = pairwise(x, target=y)
    assert m.value.shape == (4,)
    assert m.target == ("target",)
    assert np.allclose(m.value, pairwise(np.column_stack([x, y])).value[:4, 4])
    assert pairwise(x, target=(y, x[:, 0])).target == ("target1", "target2")
    assert pairwise(x, target={"left": y}).value.shape == (4, 1)
    assert pairwise(x, target=np.stack([y, y], axis=1)).value.shape == (4,)


@pytest.mark.needs("pandas")
def test_series_and_frames_as_targets(rng):
    import pandas as pd

    x = pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc"))
    assert pairwise(x, target=pd.Series(rng.normal(size=20), name="y")).target == ("y",)
    assert pairwise(x, target=pd.DataFrame({"y": rng.normal(size=20)})).value.shape == (3, 1)
    assert list(pairwise(x, target="b").to_frame("wide").columns) == ["name", "b"]
    long = pairwise(x, target=["a", "b"]).to_frame()
    assert list(zip(long["first"], long["second"], strict=True)) == [("c", "a"), ("c", "b")]


def test_bad_targets(rng):
    table = {"a": rng.normal(size=9), "b": rng.normal(size=9)}
    with pytest.raises(ValueError, match=r"target: expected names among 'a', 'b', got 'z'"):
        pairwise(table, target="z")
    with pytest.raises(ValueError, match="target: expected names among 'x1', 'x2', got 'b'"):
        pairwise(rng.normal(size=(9, 2)), target="b")
    with pytest.raises(ValueError, match="target: expected some variable to be left"):
        pairwise(table, target=["a", "b"])
    with pytest.raises(ValueError, match="same number of rows"):
        pairwise(table, target=[1.0, 2.0])
    with pytest.raises(ValueError, match="shards: expected all pairs, got a target"):
        pairwise(table, target="a", shards="somewhere")
