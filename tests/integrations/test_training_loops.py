"""A monitor in real training loops: Lightning, Trainer of Hugging Face, TensorBoard (``make test-integrations``)."""

import warnings

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from shearer.neural import FeatureMapMonitor, adapters

pytestmark = pytest.mark.filterwarnings("ignore")  # of the packages


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 6, 3), nn.Flatten(), nn.Linear(96, 3))


def images():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(40, 1, 8, 8, generator=generator), torch.arange(40) % 3


@pytest.mark.needs("lightning")
def test_lightning(tmp_path):
    import lightning.pytorch as pl
    from lightning.pytorch.loggers import CSVLogger

    class Module(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = network()

        def training_step(self, batch, _index):
            return nn.functional.cross_entropy(self.model(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    module = Module()
    x, y = images()
    monitor = FeatureMapMonitor(module.model)
    logger = CSVLogger(tmp_path, flush_logs_every_n_steps=1)
    trainer = pl.Trainer(
        max_epochs=4,
        accelerator="cpu",
        logger=logger,
        callbacks=[adapters.lightning(monitor, x[:20], every=2)],
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(module, DataLoader(TensorDataset(x, y), batch_size=20))
    assert [row["step"] for row in monitor.rows] == [0, 0, 4, 4, 8, 8]
    logger.save()
    written = (tmp_path / "lightning_logs" / "version_0" / "metrics.csv").read_text()
    assert "feature_maps/cka/0" in written
    assert module.training


@pytest.mark.needs("transformers")
@pytest.mark.needs("accelerate")
def test_trainer_of_hugging_face(tmp_path, monkeypatch):
    from transformers import Trainer, TrainingArguments, trainer

    # The folder of tests named "datasets" is not the package of that name.
    monkeypatch.setattr(trainer, "is_datasets_available", lambda: False)

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = network()

        def forward(self, pixels, labels=None):
            logits = self.model(pixels)
            return {"loss": None if labels is None else nn.functional.cross_entropy(logits, labels), "logits": logits}

    x, y = images()
    rows = [{"pixels": a, "labels": b} for a, b in zip(x, y, strict=True)]
    classifier = Classifier()
    seen = []
    monitor = FeatureMapMonitor(classifier, ["model.0", "model.2"], on_row=seen.append)
    arguments = TrainingArguments(
        output_dir=str(tmp_path),
        num_train_epochs=4,
        per_device_train_batch_size=20,
        report_to=[],
        use_cpu=True,
        save_strategy="no",
        disable_tqdm=True,
    )
    callback = adapters.transformers(monitor, {"pixels": x[:20]}, every=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Trainer(model=classifier, args=arguments, train_dataset=rows, callbacks=[callback]).train()
    assert [row["step"] for row in monitor.rows] == [0, 0, 4, 4, 8, 8]
    assert seen == monitor.rows


@pytest.mark.needs("tensorboard")
def test_tensorboard(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    model, (x, y) = network(), images()
    with SummaryWriter(str(tmp_path)) as writer:
        monitor = FeatureMapMonitor(model, every=2, on_row=adapters.tensorboard(writer))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(4):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    written = events.Scalars("feature_maps/cka/0")
    assert [event.step for event in written] == [1, 3]
    assert written[0].value == pytest.approx(monitor.rows[0]["cka"], abs=1e-6)


def test_what_is_no_monitor_is_refused():
    for make in (adapters.lightning, adapters.transformers):
        with pytest.raises(TypeError, match="monitor: expected a FeatureMapMonitor"):
            make(network(), images()[0])
    with pytest.raises(TypeError, match="writer: expected a SummaryWriter"):
        adapters.tensorboard(print)


def test_a_missing_package_is_named(monkeypatch):
    import sys

    monitor = FeatureMapMonitor(network())
    for module, make in (("lightning.pytorch", adapters.lightning), ("transformers", adapters.transformers)):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError, match=r'pip install "shearer\[integrations\]"'):
            make(monitor, images()[0])
