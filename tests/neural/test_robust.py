"""Algorithm 1: what the estimators learn, how they are told to, and what they write to files."""

import json
import math

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.datasets import load_iris
from torch import nn

from shearer.kernels import Custom, Gaussian, Laplacian
from shearer.neural import DependenceLoss, ErrorEntropyLoss, HSICLoss, RobustClassifier, RobustRegressor
from shearer.neural.robust.default_network import hidden_width
from shearer.neural.robust.training import batch_count

BRIEF = {"max_epochs": 3, "batch_size": 32, "random_state": 0}
KERNEL_LOSSES = ["dependence", "error_entropy", "hsic"]


@pytest.fixture(scope="module")
def line():
    """A plane with skewed noise, far from 0."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(160, 3)) * [1.0, 100.0, 0.01]
    y = 1e4 + 50 * X[:, 0] + 0.3 * X[:, 1] + 10 * rng.exponential(size=160)
    return X, y


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def small(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 8), nn.Tanh(), nn.Dropout(0.1), nn.Linear(8, outputs))


@pytest.mark.parametrize("loss", [*KERNEL_LOSSES, "mse", "mae"])
def test_regression_by_every_loss(line, loss):
    X, y = line
    epochs = 100 if loss == "hsic" else 40
    model = RobustRegressor(loss=loss, max_epochs=epochs, batch_size=32, learning_rate=0.01, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
    error = y - model.predict(X)
    if loss in KERNEL_LOSSES:
        assert np.mean(error) == pytest.approx(0, abs=1e-8)
    else:
        assert not model.bias_.any()
    assert model.history_[-1]["loss"] < model.history_[0]["loss"]
    assert model.n_epochs_ == epochs


@pytest.mark.parametrize("loss", [*KERNEL_LOSSES, "mse", "mae", "cross_entropy"])
def test_classification_by_every_loss(iris, loss):
    X, y = iris
    model = RobustClassifier(loss=loss, max_epochs=30, batch_size=32, learning_rate=0.01, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    probabilities = model.predict_proba(X)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert (probabilities >= 0).all()
    assert model.bias_.any() == (loss in KERNEL_LOSSES)


def test_the_bias_of_a_classifier(iris):
    """Frequencies less mean probabilities: afterwards the mean probabilities are the frequencies, but for cut ones."""
    X, y = iris
    model = RobustClassifier(loss="hsic", **BRIEF).fit(X, y)
    plain = torch.softmax(model.module_(torch.from_numpy(model.input_scaling_.apply(X))), dim=1).detach().numpy()
    assert model.bias_ == pytest.approx(1 / 3 - plain.mean(axis=0), abs=1e-12)
    assert model.bias_.sum() == pytest.approx(0, abs=1e-12)


def test_bias_correction_can_be_chosen(line):
    X, y = line
    on = RobustRegressor(loss="mse", bias_correction=True, **BRIEF).fit(X, y)
    off = RobustRegressor(loss="hsic", bias_correction=False, **BRIEF).fit(X, y)
    assert np.mean(y - on.predict(X)) == pytest.approx(0, abs=1e-8)
    assert not off.bias_.any()


def test_early_stopping_keeps_the_best_weights(line):
    X, y = line
    model = RobustRegressor(
        loss="mse", max_epochs=300, early_stopping=True, validation_fraction=0.25, patience=4, batch_size=32,
        learning_rate=0.05, random_state=1,
    ).fit(X, y)  # fmt: skip
    validation = [row["validation"] for row in model.history_]
    assert len(validation) < 300
    assert min(validation) < min(validation[-4:])
    kept = RobustRegressor(**model.get_params()).set_params(max_epochs=int(np.argmin(validation)) + 1).fit(X, y)
    assert np.array_equal(kept.predict(X), model.predict(X))


def test_seeds(line):
    X, y = line
    first, same, other = (
        RobustRegressor(small, **(BRIEF | {"random_state": seed})).fit(X, y).predict(X) for seed in (0, 0, 1)
    )
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_the_global_generator_is_left_alone(line):
    X, y = line
    state = torch.random.get_rng_state()
    RobustRegressor(small, **BRIEF).fit(X, y).predict(X)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_partial_fit(line, iris):
    X, y = line
    model = RobustRegressor(loss="mse", batch_size=32, learning_rate=0.02, random_state=0)
    for _ in range(30):
        for start in (0, 80):
            model.partial_fit(X[start : start + 80], y[start : start + 80])
    assert model.score(X, y) > 0.8
    assert model.n_epochs_ == 60
    scale = model.target_scaling_.scale.copy()
    model.partial_fit(X, 100 * y)
    assert np.array_equal(model.target_scaling_.scale, scale)
    model.fit(X, y)
    assert model.n_epochs_ == 200
    X, y = iris
    order = np.random.default_rng(0).permutation(150)
    classifier = RobustClassifier(loss="cross_entropy", batch_size=32, learning_rate=0.02, random_state=0)
    classifier.partial_fit(X[order[:60]], y[order[:60]], classes=np.unique(y))
    for _ in range(20):
        classifier.partial_fit(X[order], y[order])
    assert classifier.score(X, y) > 0.9
    with pytest.raises(ValueError, match="y: expected labels among"):
        classifier.partial_fit(X[:2], ["setosa", "rose"])
    with pytest.raises(ValueError, match="classes: expected those of the first call"):
        classifier.partial_fit(X, y, classes=["a", "b"])
    with pytest.raises(ValueError, match="classes: expected all labels"):
        RobustClassifier().partial_fit(X, y)


def test_any_module(line):
    X, y = line
    own = nn.Linear(3, 1)
    before = own.weight.detach().clone()
    model = RobustRegressor(own, **BRIEF).fit(X, y)
    assert torch.equal(own.weight, before)
    assert model.module_.weight.dtype == torch.float64
    flat = nn.Sequential(nn.Linear(3, 1), nn.Flatten(0))
    assert RobustRegressor(flat, **BRIEF).fit(X, y).predict(X).shape == (160,)
    assert RobustRegressor(nn.Linear, dtype="float32", **BRIEF).fit(X, y).module_.weight.dtype == torch.float32
    assert clone(model).module is not own


@pytest.mark.parametrize(
    "loss",
    [
        DependenceLoss(alpha=1.5),
        ErrorEntropyLoss(momentum=0.1),
        HSICLoss(kernel=Gaussian(1.0)),
        nn.HuberLoss(),
        nn.functional.mse_loss,
    ],
)
def test_losses_as_objects(line, loss):
    X, y = line
    model = RobustRegressor(loss=loss, **BRIEF).fit(X, y)
    assert bool(model.bias_.any()) == isinstance(loss, DependenceLoss | ErrorEntropyLoss | HSICLoss)
    assert model.history_[-1]["loss"] < model.history_[0]["loss"]


def test_torch_losses_of_classes(iris):
    X, y = iris
    smooth = nn.CrossEntropyLoss(label_smoothing=0.1)
    assert RobustClassifier(loss=smooth, max_epochs=20, batch_size=32, random_state=0).fit(X, y).score(X, y) > 0.8


def test_several_targets(line):
    X, y = line
    Y = np.stack([y, X[:, 0]], axis=1)
    model = RobustRegressor(max_epochs=30, batch_size=32, learning_rate=0.01, random_state=0).fit(X, Y)
    assert model.predict(X).shape == (160, 2)
    assert model.score(X, Y) > 0.7
    column = RobustRegressor(**BRIEF).fit(X, y[:, None])
    assert column.predict(X).shape == (160, 1)
    with pytest.raises(ValueError, match="y: expected 2 outputs, as before, got 1"):
        model.partial_fit(X, y)


def test_wild_targets_do_not_set_the_scale(line):
    X, y = line
    wild = y.copy()
    wild[0] = 1e12
    scales = [RobustRegressor(**BRIEF).fit(X, target).target_scaling_.scale[0] for target in (y, wild)]
    assert scales[0] == pytest.approx(scales[1], rel=0.05)
    assert RobustRegressor(**BRIEF).fit(X, np.ones(160)).predict(X) == pytest.approx(1.0, abs=0.5)


def test_no_scaling(line):
    X, y = line
    model = RobustRegressor(nn.Linear, loss="mse", standardize=False, max_epochs=1, random_state=0).fit(X, y - 1e4)
    expected = model.module_(torch.from_numpy(X)).detach().numpy()[:, 0]
    assert model.predict(X) == pytest.approx(expected)


@pytest.mark.parametrize("size", [1e-200, 1e-20, 1e200])
def test_units_are_no_matter(line, size):
    X, y = line
    expected = RobustRegressor(**BRIEF).fit(X, y).predict(X)
    assert RobustRegressor(**BRIEF).fit(X, y * size).predict(X) == pytest.approx(expected * size, rel=1e-6)
    assert RobustRegressor(**BRIEF).fit(X * size, y).predict(X * size) == pytest.approx(expected, rel=1e-6)


def test_a_loss_that_is_passed_stays_as_it_is(line):
    X, y = line
    loss = DependenceLoss(momentum=0.1)
    first, second = (RobustRegressor(loss=loss, **BRIEF).fit(X, y).predict(X) for _ in range(2))
    assert np.array_equal(first, second)
    assert len(loss.running_widths) == 0


def test_progress(line, capsys, monkeypatch):
    from shearer import _progress

    monkeypatch.setattr(_progress, "PATIENCE_SECONDS", 0.0)
    X, y = line
    RobustRegressor(progress=True, **BRIEF).fit(X, y)
    assert "training" in capsys.readouterr().err
    RobustRegressor(progress=False, **BRIEF).fit(X, y)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("module", [None, small])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_saved_regressors_predict_the_same(line, tmp_path, module, dtype):
    X, y = line
    kernel = {"x": Gaussian("silverman", scale=0.5), "e": Laplacian(0.7)}
    model = RobustRegressor(module, kernel=kernel, dtype=dtype, **BRIEF).fit(X, y)
    model.save(tmp_path / "model")
    again = RobustRegressor.load(tmp_path / "model", module=module)
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.get_params() == model.get_params()
    assert again.history_ == model.history_
    again.partial_fit(X, y)
    assert again.n_epochs_ == 4


@pytest.mark.needs("pandas")
def test_saved_classifiers_predict_the_same(iris, tmp_path):
    import pandas as pd

    X, y = iris
    for labels in (y, y.astype(object), np.unique(y, return_inverse=True)[1], y == "setosa"):
        frame = pd.DataFrame(X, columns=list("abcd"))
        model = RobustClassifier(**BRIEF).fit(frame, labels)
        model.save(tmp_path / "model.npz")
        again = RobustClassifier.load(tmp_path / "model.npz")
        assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
        assert again.classes_.dtype == model.classes_.dtype
        assert again.feature_names_in_.tolist() == list("abcd")
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz"]


def test_batch_norm_and_its_buffers_are_saved(line, tmp_path):
    X, y = line

    def module(inputs, outputs):
        return nn.Sequential(nn.Linear(inputs, 4), nn.BatchNorm1d(4), nn.Linear(4, outputs))

    model = RobustRegressor(module, **BRIEF).fit(X, y)
    model.save(tmp_path / "model")
    assert np.array_equal(RobustRegressor.load(tmp_path / "model", module=module).predict(X), model.predict(X))


def test_files_hold_no_code(line, tmp_path):
    X, y = line
    RobustRegressor(loss=nn.HuberLoss(), **BRIEF).fit(X, y).save(tmp_path / "model")
    with np.load(tmp_path / "model", allow_pickle=False) as file:
        settings = json.loads(str(file["settings"]))
        assert all(file[name].dtype != object for name in file.files)
    assert settings["loss"] is None
    again = RobustRegressor.load(tmp_path / "model")
    assert again.predict(X).shape == (160,)
    with pytest.raises(TypeError, match="loss: expected a name or a function"):
        again.partial_fit(X, y)
    RobustRegressor.load(tmp_path / "model", loss=nn.HuberLoss()).partial_fit(X, y)


def test_hostile_files(line, iris, tmp_path):
    X, y = line
    path = tmp_path / "model"
    path.write_bytes(b"not an archive")
    with pytest.raises(ValueError, match="path: expected a file written by save"):
        RobustRegressor.load(path)
    with path.open("wb") as file:
        np.savez(file, settings=np.array({"format": "x"}, dtype=object))
    with pytest.raises(ValueError, match="path: expected a file written by save"):
        RobustRegressor.load(path)
    with path.open("wb") as file:
        np.savez(file, settings=np.array('{"format": "shearer robust estimator", "version": 9}'))
    with pytest.raises(ValueError, match="version 1, got"):
        RobustRegressor.load(path)
    with path.open("wb") as file:
        np.savez(
            file,
            settings=np.array('{"format": "shearer robust estimator", "version": 1, "estimator": "RobustRegressor"}'),
        )
    with pytest.raises(ValueError, match="damaged"):
        RobustRegressor.load(path)
    RobustClassifier(**BRIEF).fit(*iris).save(path)
    with pytest.raises(ValueError, match=r"RobustClassifier.load reads it"):
        RobustRegressor.load(path)
    RobustRegressor(small, **BRIEF).fit(X, y).save(path)
    with pytest.raises(ValueError, match="module: expected the module or function"):
        RobustRegressor.load(path)
    with pytest.raises(ValueError, match="module: expected the module that the weights are of"):
        RobustRegressor.load(path, module=nn.Linear)
    with pytest.raises(FileNotFoundError):
        RobustRegressor.load(tmp_path / "nothing")


def test_what_cannot_be_saved(line, iris, tmp_path):
    X, y = line
    with pytest.raises(Exception, match="not fitted"):
        RobustRegressor().save(tmp_path / "model")
    model = RobustRegressor(**BRIEF).fit(X, y).set_params(kernel=Custom(lambda a, b: 1.0))
    with pytest.raises(ValueError, match="kernel: expected a Gaussian or Laplacian"):
        model.save(tmp_path / "model")
    with pytest.raises(ValueError, match=r"path: expected .* to be written, got the error No such file"):
        model.set_params(kernel=None).save(tmp_path / "folder" / "model")
    assert not list(tmp_path.iterdir())


def test_options_that_are_numbers_of_numpy_are_saved(line, tmp_path):
    X, y = line
    options = {"max_epochs": np.int64(2), "learning_rate": np.float32(0.01), "random_state": np.int64(3)}
    model = RobustRegressor(**options).fit(X, y)
    model.save(tmp_path / "model")
    again = RobustRegressor.load(tmp_path / "model")
    assert {name: again.get_params()[name] for name in options} == options
    assert np.array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"module": "mlp"}, TypeError, "module: expected a torch module"),
        ({"module": lambda inputs, outputs: 3}, TypeError, "module: expected a torch module"),
        ({"module": nn.Linear(3, 2)}, ValueError, r"module: expected a module that returns shape \(\d+, 1\)"),
        ({"loss": "cross_entropy"}, ValueError, "loss: expected one of"),
        ({"loss": "dependance"}, ValueError, "Did you mean 'dependence'"),
        ({"loss": 3}, TypeError, "loss: expected a name or a function"),
        ({"loss": nn.HuberLoss}, TypeError, "Make an instance"),
        (
            {"loss": nn.HuberLoss(reduction="none")},
            ValueError,
            "loss: expected a function that returns a single",
        ),
        ({"alpha": 0}, ValueError, "alpha: expected"),
        ({"kernel": {"y": Gaussian()}}, ValueError, "kernel: expected names among"),
        ({"batch_size": 1}, ValueError, "batch_size: expected a whole number of 2 or more"),
        ({"batch_size": 2.5}, TypeError, "batch_size: expected"),
        ({"max_epochs": 0}, ValueError, "max_epochs: expected"),
        ({"learning_rate": 0}, ValueError, "learning_rate: expected"),
        (
            {"learning_rate": 1e300, "loss": "mse"},
            ValueError,
            "learning_rate: expected one at which training",
        ),
        ({"weight_decay": -1}, ValueError, "weight_decay: expected"),
        ({"bias_correction": "yes"}, TypeError, 'bias_correction: expected True or False or "auto"'),
        ({"standardize": 1}, TypeError, "standardize: expected True or False"),
        ({"early_stopping": "yes"}, TypeError, "early_stopping: expected"),
        ({"early_stopping": True, "validation_fraction": 1.0}, ValueError, "validation_fraction: expected"),
        (
            {"early_stopping": True, "validation_fraction": 0.999},
            ValueError,
            "early_stopping: expected at least 4 rows",
        ),
        ({"early_stopping": True, "patience": 0}, ValueError, "patience: expected"),
        ({"early_stopping": True, "tol": -1}, ValueError, "tol: expected"),
        ({"dtype": "float16"}, ValueError, "dtype: expected one of 'float64', 'float32'"),
        ({"device": "abacus"}, ValueError, "device: expected a device of this machine"),
        ({"device": 3.5}, ValueError, "device: expected a device of this machine"),
    ],
)
def test_bad_options(line, options, error, text):
    X, y = line
    with pytest.raises(error, match=text):
        RobustRegressor(**(BRIEF | options)).fit(X, y)


def test_modules_that_return_something_else(line):
    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 1)

        def forward(self, x):
            return self.layer(x), x

    with pytest.raises(TypeError, match="module: expected a module that returns a tensor"):
        RobustRegressor(Pair(), **BRIEF).fit(*line)


def test_small_numbers():
    assert [batch_count(n, 128) for n in (2, 128, 129, 192, 193)] == [1, 1, 1, 2, 2]
    assert min(n // batch_count(n, 2) for n in range(2, 50)) == 2
    assert hidden_width(10, 1) == 16
    assert math.isfinite(RobustRegressor(**BRIEF).fit([[0.0], [1.0]], [0.0, 1.0]).predict([[0.5]])[0])


def test_images(tmp_path):
    """Convolutions are given images, scaled pixel by pixel; the default network is not."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 1, 6, 6))
    X[:, :, :3] += 2.0 * y[:, None, None, None]

    def convolutional(channels, outputs):
        return nn.Sequential(nn.Conv2d(channels, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, outputs))

    options = {"loss": "cross_entropy", "max_epochs": 15, "batch_size": 20, "random_state": 0}
    for standardize in (True, False):
        model = RobustClassifier(convolutional, standardize=standardize, **options).fit(X, y)
        assert model.score(X, y) > 0.9
    model.save(tmp_path / "model.npz")
    again = RobustClassifier.load(tmp_path / "model.npz", module=convolutional)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    regressor = RobustRegressor(convolutional, **BRIEF).fit(X, X[:, 0, 0, 0])
    assert regressor.predict(X).shape == (60,)
    with pytest.raises(ValueError, match=r"module: expected a network for inputs of shape \(1, 6, 6\), got None"):
        RobustClassifier(**options).fit(X, y)
    with pytest.raises(ValueError, match=r"X: expected inputs of shape \(1, 6, 6\), as before, got \(1, 6, 5\)"):
        model.predict(X[:, :, :, 1:])


def test_the_loss_by_default(line, iris):
    """What the study of defaults chose; a loss by name stays what it is."""
    assert isinstance(RobustRegressor(**BRIEF).fit(*line).objective_.loss, ErrorEntropyLoss)
    model = RobustClassifier(**BRIEF).fit(*iris)
    assert not model.bias_.any()
    named = RobustClassifier(loss="mae", **BRIEF).fit(*iris)
    assert np.array_equal(named.predict_proba(iris[0]), model.predict_proba(iris[0]))
    assert isinstance(RobustRegressor(loss="dependence", **BRIEF).fit(*line).objective_.loss, DependenceLoss)
