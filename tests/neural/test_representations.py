"""Similarity of representations by its definition, over minibatches, with p-values; the information plane."""

import math

import matplotlib as mpl
import numpy as np
import pytest
import torch
from torch import nn

import shearer as sh
from shearer.kernels import Delta, Gaussian, Laplacian
from shearer.neural import InformationPlane, RepresentationSimilarity, cka


def pair(n=30, seed=0):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n, 12))
    return x, np.tanh(x @ generator.normal(size=(12, 5))) + 0.5 * generator.normal(size=(n, 5))


def plain_matrix(x, kernel):
    if kernel == "linear":
        return x @ x.T
    distances = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
    width = np.median(distances[np.triu_indices(len(x), 1)])
    return np.exp(-(distances**2) / (2 * width**2))


def plain_hsic(k, ell, debiased):
    n = len(k)
    if not debiased:
        h = np.eye(n) - 1 / n
        return np.trace(k @ h @ ell @ h) / (n - 1) ** 2
    k, ell = k - np.diag(np.diag(k)), ell - np.diag(np.diag(ell))
    total = np.trace(k @ ell) + k.sum() * ell.sum() / ((n - 1) * (n - 2)) - 2 / (n - 2) * np.sum(k @ ell)
    return total / (n * (n - 3))


KERNELS = {"linear": "linear", "Gaussian": Gaussian()}


@pytest.mark.parametrize("debiased", [True, False])
@pytest.mark.parametrize("kernel", KERNELS)
def test_cka_is_the_plain_one(kernel, debiased):
    x, y = pair()
    k, ell = (plain_matrix(v, kernel) for v in (x, y))
    own = plain_hsic(k, k, debiased) * plain_hsic(ell, ell, debiased)
    expected = plain_hsic(k, ell, debiased) / math.sqrt(own)
    for kind in (np.asarray, torch.from_numpy, lambda v: v.tolist()):
        assert cka(kind(x), kind(y), kernel=KERNELS[kernel], debiased=debiased) == pytest.approx(expected, abs=1e-10)
    turned = np.linalg.qr(np.random.default_rng(1).normal(size=(12, 12)))[0]
    same = cka(7 * x @ turned + 3, y, kernel=KERNELS[kernel], debiased=debiased)
    assert same == pytest.approx(expected, abs=1e-10)


def test_by_chance_it_is_zero():
    generator = torch.Generator().manual_seed(0)
    found = [cka(*torch.randn(2, 20, 100, generator=generator)) for _ in range(200)]
    assert np.mean(found) == pytest.approx(0.0, abs=4 * np.std(found) / math.sqrt(200))
    assert cka(torch.randn(20, 100), torch.randn(20, 100), debiased=False) > 0.7
    assert cka(torch.ones(9, 3), torch.randn(9, 2)) == 0


def network(seed=0, width=8):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(12, width), nn.ReLU(), nn.Dropout(0.5), nn.Linear(width, 4))


@pytest.mark.parametrize("kernel", KERNELS)
def test_minibatches_are_means_over_the_same_batches(kernel):
    first, second = network(0), network(1, width=6)
    similarity = RepresentationSimilarity(first, second, kernel=KERNELS[kernel])
    batches = [torch.randn(20 + k, 12, generator=torch.Generator().manual_seed(k)) for k in range(3)]
    sums = np.zeros((3, 2, 2))
    for x in batches:
        similarity.update(x)
        with torch.no_grad():
            layers = [[model[0](x), model.eval()(x)] for model in (first, second)]
        matrices = [[plain_matrix(v.double().numpy(), kernel) for v in side] for side in layers]
        for i in range(2):
            for j in range(2):
                sums[0, i, j] += plain_hsic(matrices[0][i], matrices[1][j], True)
                sums[1, i, j] += plain_hsic(matrices[0][i], matrices[0][i], True)
                sums[2, i, j] += plain_hsic(matrices[1][j], matrices[1][j], True)
        first.train(), second.train()
    found = similarity.compute()
    assert np.allclose(found.value, sums[0] / np.sqrt(sums[1] * sums[2]), atol=1e-10)
    assert (found.layers, found.other_layers, found.batches, found.images) == (("0", "3"), ("0", "3"), 3, 63)
    assert first.training
    similarity.reset()
    with pytest.raises(ValueError, match="batches: expected at least one, got none"):
        similarity.compute()


def test_within_a_model():
    model = network()
    similarity = RepresentationSimilarity(model, other_layers=["1"])
    assert list(similarity.other_layers) == ["1"]
    own = RepresentationSimilarity(torch.compile(model, backend="eager"), layers=["0", "1", "3"])
    for seed in range(3):
        own.update(torch.randn(32, 12, generator=torch.Generator().manual_seed(seed)))
    found = own.compute()
    assert np.allclose(np.diag(found.value), 1)
    assert np.allclose(found.value, found.value.T)
    assert found.value[0, 1] > found.value[0, 2] > 0
    assert (found.pvalue < 1e-3).all()
    frame = found.to_frame("pandas")
    assert list(frame.columns) == ["layer", "other_layer", "cka", "pvalue"]
    assert len(frame) == 9
    with mpl.rc_context({"backend": "agg"}):
        import matplotlib.pyplot as plt

        ax = found.plot()
        assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "1", "3"]
        plt.close("all")


def test_pvalues_are_uniform_by_chance():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Identity(), nn.Identity()

        def forward(self, x):
            self.b(x[:, 3:])
            return self.a(x[:, :3])

    similarity = RepresentationSimilarity(Two(), layers=["a"], other_layers=["b"])
    generator, found = torch.Generator().manual_seed(0), []
    for _ in range(300):
        similarity.reset()
        for _ in range(2):
            similarity.update(torch.randn(16, 6, generator=generator).exp())
        found.append(similarity.compute().pvalue[0, 0])
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(found) <= level) == pytest.approx(level, abs=4 * math.sqrt(level * (1 - level) / 300))
    similarity.reset()
    similarity.update(torch.randn(5, 6, generator=generator))
    assert math.isnan(similarity.compute().pvalue[0, 0])  # too few rows


def test_bad_input():
    x, y = pair()
    with pytest.raises(TypeError, match='kernel: expected "linear" or a Gaussian kernel'):
        cka(x, y, kernel=Laplacian())
    with pytest.raises(ValueError, match="as many rows in every tensor, got 29 against 30"):
        cka(x, y[1:])
    with pytest.raises(ValueError, match="at least 4 rows"):
        cka(x[:3], y[:3])
    with pytest.raises(TypeError, match="x: expected an array or tensor of numbers"):
        cka("text", y)
    y[0, 0] = np.nan
    with pytest.raises(ValueError, match="y: expected finite numbers"):
        cka(x, y)
    with pytest.raises(TypeError, match="debiased: expected True or False"):
        cka(x, x, debiased=1)
    with pytest.raises(TypeError, match=r"Did you mean \['0'\]"):
        RepresentationSimilarity(network(), layers="0")
    with pytest.raises(ValueError, match="other_layers: expected names among"):
        RepresentationSimilarity(network(), network(1), other_layers=["9"])
    with pytest.raises(ValueError, match="layers: expected names of layers, got none"):
        RepresentationSimilarity(nn.Sequential(nn.ReLU()))
    with pytest.raises(TypeError, match="x: expected a tensor that the model takes"):
        RepresentationSimilarity(network()).update(x)


def test_the_information_plane():
    torch.manual_seed(1)
    model = network()
    x, y = torch.randn(40, 12), torch.arange(40) % 4
    plane = InformationPlane(model, ["0", "3"])
    rows = plane.observe(x, y)
    with torch.no_grad():
        t = model[0](x)
    expected = sh.mutual_information(x, t, alpha=1.01, normalize=False).item()
    assert rows[0]["input_information"] == pytest.approx(expected, abs=1e-4)
    labels = [str(label) for label in y.tolist()]
    expected = sh.mutual_information(t.double().numpy(), labels, alpha=1.01, normalize=False)
    assert rows[0]["target_information"] == pytest.approx(float(expected), abs=1e-4)
    assert rows[0]["input_above_chance"] < rows[0]["input_information"]
    assert abs(rows[0]["target_above_chance"]) < 0.1
    plane.observe((x,), torch.randn(40), step=5)
    assert plane.to_frame()["step"].to_list() == [0, 0, 5, 5]
    kernels = {"t": Gaussian(1.0), "y": Delta()}
    assert InformationPlane(model, ["0"], kernel=kernels).observe({"input": x}, y)[0]["layer"] == "0"
    assert InformationPlane(model, ["0"], kernel=Gaussian(2.0)).observe(x, y)[0]["step"] == 0
    with mpl.rc_context({"backend": "agg"}):
        import matplotlib.pyplot as plt

        assert [line.get_label() for line in plane.plot().lines] == ["0", "3"]
        plt.close("all")
    with pytest.raises(ValueError, match="rows: expected something recorded"):
        InformationPlane(model, ["0"]).plot()
    with pytest.raises(TypeError, match="y: expected a tensor of targets"):
        plane.observe(x, labels)
    with pytest.raises(ValueError, match="layers: expected names of layers, got none"):
        InformationPlane(model, [])
