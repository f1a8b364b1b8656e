"""The monitor: the numbers of the measures, all pairs at once, and training that does not notice."""

import copy
import math

import matplotlib as mpl
import numpy as np
import pytest
import torch
from torch import nn

import shearer as sh
from shearer.kernels import Gaussian, Laplacian
from shearer.neural import FeatureMapMonitor, HSICLoss
from shearer.neural import feature_maps as parts
from shearer.neural.feature_maps import map_dependence


@pytest.fixture
def without_display():
    import matplotlib.pyplot as plt

    with mpl.rc_context({"backend": "agg"}):
        yield
        plt.close("all")


def network(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Conv2d(1, 4, 3),
        nn.BatchNorm2d(4),
        nn.ReLU(inplace=True),
        nn.Dropout(0.3),
        nn.Conv2d(4, 6, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(96, 3),
    )


def maps_with_everything(dtype=torch.float64):
    """Maps that depend, one that is dead, one that is nearly dead, one far from 0, one with an outlier."""
    generator = torch.Generator().manual_seed(0)
    maps = torch.randn(20, 8, 3, 3, generator=generator, dtype=dtype)
    maps[:, 1] = maps[:, 0] ** 2
    maps[:, 2] = 0.0
    maps[:, 3] = torch.relu(maps[:, 3] - 1.8)
    maps[:, 4] += 1e4
    maps[0, 5] = 1e5
    maps[10:, 6] = maps[:10, 6].clone()
    return maps


def variables(maps):
    return [maps[:, k].flatten(1).double().numpy() for k in range(maps.shape[1])]


@pytest.mark.parametrize("alpha", [1, 1.01, 2])
@pytest.mark.parametrize("kernel", [Gaussian(), Gaussian(2.0), Gaussian("silverman")])
def test_the_numbers_are_the_measures(alpha, kernel):
    maps = maps_with_everything()
    found = map_dependence(maps, alpha=alpha, kernel=kernel, pairs=True)
    data = variables(maps)
    assert found.total_correlation == pytest.approx(sh.total_correlation(*data, alpha=alpha, kernel=kernel), abs=1e-9)
    for i in range(8):
        for j in range(8):
            if i == j:
                assert math.isnan(found.information[i, j])
            else:
                expected = sh.mutual_information(data[i], data[j], alpha=alpha, kernel=kernel)
                assert found.information[i, j] == pytest.approx(expected, abs=1e-9)
    loss = HSICLoss(kernel=kernel)
    tensors = [torch.from_numpy(values) for values in data]
    hsic = np.mean([loss(tensors[i], tensors[j]).item() for i in range(8) for j in range(8) if i != j])
    assert found.mean_hsic == pytest.approx(hsic, abs=1e-9)


def test_single_and_half_precision():
    maps = maps_with_everything()
    exact = map_dependence(maps.float().double(), alpha=2, kernel=Gaussian(), pairs=True)
    single = map_dependence(maps.float(), alpha=2, kernel=Gaussian(), pairs=True)
    assert single.total_correlation == pytest.approx(exact.total_correlation, abs=1e-5)
    assert np.nanmax(np.abs(single.information - exact.information)) < 1e-5
    assert single.mean_hsic == pytest.approx(exact.mean_hsic, rel=1e-4)
    half = maps.clamp(-100, 100).to(torch.bfloat16)
    assert math.isfinite(map_dependence(half, alpha=2, kernel=Gaussian(), pairs=True).total_correlation)


def test_groups_of_maps(monkeypatch):
    maps = maps_with_everything()
    whole = map_dependence(maps, alpha=2, kernel=Gaussian(), pairs=True)
    monkeypatch.setattr(parts, "_AT_ONCE", 1000)
    grouped = map_dependence(maps, alpha=2, kernel=Gaussian(), pairs=True)
    assert grouped.total_correlation == pytest.approx(whole.total_correlation, abs=1e-9)
    assert np.nanmax(np.abs(grouped.information - whole.information)) < 1e-9


def test_corner_cases():
    dead = map_dependence(torch.zeros(5, 3, 2, 2), alpha=2, kernel=Gaussian(), pairs=True)
    assert dead.total_correlation == 0
    assert np.nan_to_num(dead.information).tolist() == np.zeros((3, 3)).tolist()
    assert dead.mean_hsic == pytest.approx(0, abs=1e-12)
    alone = map_dependence(torch.randn(5, 1, 2, 2), alpha=2, kernel=Gaussian(), pairs=True)
    assert (alone.total_correlation, alone.information) == (0, None)
    assert math.isnan(alone.mean_hsic)
    narrow = map_dependence(torch.randn(5, 3, 2, 2), alpha=2, kernel=Gaussian(1e-300), pairs=True)
    assert narrow.total_correlation == pytest.approx(1.0)
    units = map_dependence(torch.randn(9, 4), alpha=2, kernel=Gaussian(), pairs=True)
    assert units.information.shape == (4, 4)
    with pytest.raises(ValueError, match="x: expected at least 2 images, got 1"):
        map_dependence(torch.randn(1, 3, 2, 2), alpha=2, kernel=Gaussian(), pairs=True)
    with pytest.raises(ValueError, match="feature maps are finite"):
        map_dependence(torch.full((3, 2, 2), math.nan), alpha=2, kernel=Gaussian(), pairs=True)


def test_rows():
    model = network()
    monitor = FeatureMapMonitor(model, bins=10)
    x = torch.randn(12, 1, 8, 8)
    rows = monitor.observe(x)
    assert [(row["step"], row["layer"], row["maps"], row["images"]) for row in rows] == [
        (0, "0", 4, 12),
        (0, "4", 6, 12),
    ]
    for row in rows:
        assert sum(row["histogram"]) == row["maps"] * (row["maps"] - 1) // 2
        assert row["mean_information"] < 1
    with torch.no_grad():
        expected = map_dependence(model[0](x), alpha=2, kernel=Gaussian(), pairs=True)
    assert rows[0]["total_correlation"] == expected.total_correlation
    monitor.observe(x)
    monitor.observe(x, step=10)
    assert [row["step"] for row in monitor.rows] == [0, 0, 1, 1, 10, 10]
    assert monitor.rows[0]["total_correlation"] == monitor.rows[2]["total_correlation"]
    frame = monitor.to_frame()
    values = ["cka", "adjusted", "total_correlation", "mean_information", "mean_hsic"]
    assert frame.columns == ["step", "layer", "maps", "images", *values]
    assert frame.height == 6
    assert monitor.to_frame("pandas").shape == (6, 9)


def test_named_layers_and_no_pairs():
    monitor = FeatureMapMonitor(network(), ["2", "7"], pairs=False)
    rows = monitor.observe(torch.randn(12, 1, 8, 8))
    assert [(row["layer"], row["maps"], row["mean_information"]) for row in rows] == [("2", 4, None), ("7", 3, None)]
    assert sum(rows[0]["histogram"]) == 0
    with pytest.raises(ValueError, match="pairs: expected True"):
        monitor.plot_histogram()


def train(seed, watch):
    """A few steps with dropout, batch norm and momentum: the final weights, and the next random numbers."""
    model = network(seed)
    model[1].eval()  # a frozen layer must stay frozen
    monitor = watch(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    generator = torch.Generator().manual_seed(1)
    probe = torch.randn(10, 1, 8, 8, generator=generator)
    for step in range(5):
        x, y = torch.randn(16, 1, 8, 8, generator=generator), torch.randint(3, (16,), generator=generator)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        if monitor is not None and step % 2 == 0:
            monitor.observe(probe, step=step)
        assert model.training
        assert not model[1].training
    return model.state_dict(), torch.rand(3), monitor


@pytest.mark.parametrize("every", [None, 1, 2])
@pytest.mark.parametrize("alpha", [1.01, 2])
def test_training_does_not_notice(every, alpha):
    """The same weights and buffers, and the same random numbers afterwards, bit for bit."""
    plain, after, _ = train(0, lambda model: None)
    watched, later, monitor = train(0, lambda model: FeatureMapMonitor(model, every=every, alpha=alpha))
    assert all(torch.equal(plain[name], watched[name]) for name in plain)
    assert torch.equal(after, later)
    passing = {None: 0, 1: 5, 2: 3}[every]
    assert len(monitor.rows) == 2 * (3 + passing)


def test_models_that_draw_in_evaluation():
    class Noisy(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 3, 3)

        def forward(self, x):
            return self.conv(x + torch.randn_like(x))

    monitor = FeatureMapMonitor(Noisy())
    state = torch.random.get_rng_state()
    monitor.observe(torch.randn(4, 1, 6, 6, generator=torch.Generator().manual_seed(0)))
    assert torch.equal(torch.random.get_rng_state(), state)


def test_in_passing():
    model = network()
    x = torch.randn(12, 1, 8, 8)
    with FeatureMapMonitor(model, every=3) as monitor:
        for _ in range(7):
            model(x)
        model.eval()
        model(x)
        model.train()
        copy.deepcopy(model)(x)
    model(x)
    assert [row["step"] for row in monitor.rows] == [1, 1, 4, 4, 7, 7]
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


def test_modes_are_restored_after_an_error():
    model = network()
    monitor = FeatureMapMonitor(model)
    with pytest.raises(RuntimeError):
        monitor.observe(torch.randn(4, 2, 8, 8))
    assert all(module.training for module in model.modules())
    assert monitor.rows == []


def test_pictures(without_display):
    monitor = FeatureMapMonitor(network())
    with pytest.raises(ValueError, match="rows: expected something recorded"):
        monitor.plot()
    x = torch.randn(12, 1, 8, 8)
    for step in (0, 5):
        monitor.observe(x, step=step)
    ax = monitor.plot()
    assert [line.get_label() for line in ax.lines] == ["0", "4"]
    assert ax.lines[0].get_xdata().tolist() == [0, 5]
    assert ax.lines[0].get_ydata().tolist() == [row["cka"] for row in monitor.rows if row["layer"] == "0"]
    assert ax.get_ylabel() == "mean CKA of pairs, debiased"
    assert monitor.plot("total_correlation").get_ylabel() == "T* of all feature maps (the paper's)"
    assert monitor.plot("mean_hsic", ax=ax) is ax
    steps = monitor.plot_histogram(["4"])
    assert [text.get_text() for text in steps.get_legend().get_texts()] == ["0", "5"]
    first = steps.patches[0].get_data().values
    assert np.nansum(first) == pytest.approx(1.0)


def test_bad_input():
    model = network()
    with pytest.raises(TypeError, match="model: expected a torch module"):
        FeatureMapMonitor("vgg")
    with pytest.raises(ValueError, match="layers: expected names among"):
        FeatureMapMonitor(model, ["9"])
    with pytest.raises(TypeError, match=r"Did you mean \['0'\]"):
        FeatureMapMonitor(model, "0")
    with pytest.raises(ValueError, match="layers: expected names of layers, got none"):
        FeatureMapMonitor(nn.Sequential(nn.Linear(2, 2)))
    with pytest.raises(TypeError, match="kernel: expected a Gaussian"):
        FeatureMapMonitor(model, kernel=Laplacian())
    with pytest.raises(ValueError, match="alpha: expected"):
        FeatureMapMonitor(model, alpha=-1)
    with pytest.raises(ValueError, match="every: expected"):
        FeatureMapMonitor(model, every=0)
    with pytest.raises(TypeError, match="pairs: expected"):
        FeatureMapMonitor(model, pairs=1)
    with pytest.raises(ValueError, match="bins: expected"):
        FeatureMapMonitor(model, bins=0)
    monitor = FeatureMapMonitor(model)
    with pytest.raises(TypeError, match="x: expected a tensor"):
        monitor.observe(np.zeros((3, 1, 8, 8)))
    with pytest.raises(TypeError, match="step: expected"):
        monitor.observe(torch.zeros(3, 1, 8, 8), step="one")
    with pytest.raises(ValueError, match="library: expected one of"):
        monitor.to_frame("excel")
    with pytest.raises(ValueError, match="value: expected one of"):
        monitor.plot("entropy")
    flat = FeatureMapMonitor(nn.Sequential(nn.Flatten(0)), ["0"])
    with pytest.raises(ValueError, match=r"layers that put out shape \(n, maps, ...\)"):
        flat.observe(torch.zeros(3, 1))
    unused = nn.Module()
    unused.conv, unused.forward = nn.Conv2d(1, 1, 1), lambda x: x
    with pytest.raises(ValueError, match="layers: expected layers that the model passes"):
        FeatureMapMonitor(unused).observe(torch.zeros(3, 1))


def kinds_of_maps(n, count, seed=0):
    """Identical, half-copied, independent and shuffled maps."""
    generator = torch.Generator().manual_seed(seed)
    independent = torch.randn(n, count, 3, 3, generator=generator)
    identical = torch.randn(n, 1, 3, 3, generator=generator).repeat(1, count, 1, 1)
    half = torch.cat([identical[:, : count // 2], independent[:, count // 2 :]], dim=1)
    orders = [torch.randperm(n, generator=generator) for _ in range(count)]
    shuffled = torch.stack([half[order, k] for k, order in enumerate(orders)], dim=1)
    return {"identical": identical, "half": half, "independent": independent, "shuffled": shuffled}


@pytest.mark.parametrize(("n", "count"), [(100, 32), (128, 8)])
def test_copies_and_strangers_are_told_apart(n, count):
    found = {
        name: map_dependence(maps, alpha=2, kernel=Gaussian(), pairs=False)
        for name, maps in kinds_of_maps(n, count).items()
    }
    copied = (count / 2) * (count / 2 - 1) / (count * (count - 1))  # of all pairs
    for value in ("mean_cka", "adjusted"):
        each = {name: getattr(one, value) for name, one in found.items()}
        assert each["identical"] == pytest.approx(1.0, abs=1e-5)
        assert each["half"] == pytest.approx(copied, abs=0.05)
        assert each["independent"] == pytest.approx(0.0, abs=0.02)
        assert each["shuffled"] == pytest.approx(0.0, abs=0.02)
    if count == 32:  # what the paper's number makes of them
        assert np.ptp([one.total_correlation for one in found.values()]) < 0.01


def test_mean_cka_by_its_definition():
    maps = maps_with_everything()
    found = map_dependence(maps, alpha=2, kernel=Gaussian(), pairs=False).mean_cka
    loss = HSICLoss(unbiased=True)
    tensors = [torch.from_numpy(values) for values in variables(maps)]
    hsic = np.array([[loss(a, b).item() for b in tensors] for a in tensors])
    own = np.where(np.diag(hsic) > 1e-20, np.diag(hsic), np.inf)  # of a dead map, 0
    cka = hsic / np.sqrt(np.outer(own, own))
    assert found == pytest.approx(cka[np.triu_indices(8, 1)].mean(), abs=1e-9)
    few = map_dependence(maps[:3], alpha=2, kernel=Gaussian(), pairs=False)
    assert math.isnan(few.mean_cka)
    assert math.isfinite(few.adjusted)
    alone = map_dependence(maps[:, :1], alpha=2, kernel=Gaussian(), pairs=False)
    assert math.isnan(alone.mean_cka)
    assert math.isnan(alone.adjusted)
    assert map_dependence(torch.zeros(9, 3, 2), alpha=2, kernel=Gaussian(), pairs=False).adjusted == 0


class Tokens(nn.Module):
    """An encoder layer of a transformer; what it takes has a name, what it returns is a mapping."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.recurrent = nn.LSTM(8, 6, batch_first=True)

    def forward(self, embedded):
        return {"logits": self.recurrent(self.encoder(embedded))[0]}


def test_tokens_by_an_axis():
    torch.manual_seed(0)
    model, x = Tokens(), torch.randn(12, 5, 8)
    with pytest.raises(
        ValueError, match=r"axis: expected where the maps are in what layer 'encoder' puts out, \(12, 5, 8\)"
    ):
        FeatureMapMonitor(model, ["encoder"]).observe(x)
    features = FeatureMapMonitor(model, ["encoder", "recurrent"], axis=-1).observe({"embedded": x})
    tokens = FeatureMapMonitor(model, ["encoder"], axis=1).observe((x,))
    assert [row["maps"] for row in features] == [8, 6]
    assert [row["maps"] for row in tokens] == [5]
    model.eval()
    with torch.no_grad():
        put_out = model.encoder(x)
    expected = map_dependence(put_out.transpose(1, 2), alpha=2, kernel=Gaussian(), pairs=False)
    assert features[0]["cka"] == pytest.approx(expected.mean_cka, abs=1e-6)
    with pytest.raises(ValueError, match="axis: expected one of the axes of layer 'encoder'"):
        FeatureMapMonitor(model, ["encoder"], axis=3).observe(x)
    for axis in (0, 1.0, True):
        with pytest.raises(ValueError, match="axis: expected a whole number other than 0"):
            FeatureMapMonitor(model, ["encoder"], axis=axis)


def test_each_row_is_passed_on():
    seen = []
    model = network()
    monitor = FeatureMapMonitor(model, every=2, on_row=seen.append)
    x = torch.randn(12, 1, 8, 8)
    for _ in range(3):
        model(x)
    monitor.observe(x)
    assert seen == monitor.rows
    assert len(seen) == 6
    with pytest.raises(TypeError, match="on_row: expected a function of a row"):
        FeatureMapMonitor(model, on_row="print")


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")  # torch's own, while it compiles
@pytest.mark.parametrize("how", ["torch.compile", "model.compile"])
def test_compiled_models(how):
    x = torch.randn(12, 1, 8, 8)
    model = network().eval()
    expected = FeatureMapMonitor(model).observe(x)
    model.train()
    if how == "torch.compile":
        watched = torch.compile(model, backend="eager")
        monitor = FeatureMapMonitor(watched, every=2)
    else:
        watched = model
        monitor = FeatureMapMonitor(watched, every=2)
        model.compile(backend="eager")
    for _ in range(3):
        watched(x).sum().backward()
    assert [row["step"] for row in monitor.rows] == [1, 1, 3, 3]
    model[1].reset_running_stats()
    [row, *_] = monitor.observe(x, step=9)
    assert row["cka"] == pytest.approx(expected[0]["cka"], abs=1e-6)
    assert model.training
