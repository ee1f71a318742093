"""What all trainings share: the LightningModule, its loss, and data in batches of similar length."""

from __future__ import annotations

import json
import math
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import cycle, islice
from typing import Any, Generic, TypeVar

import pytorch_lightning as pl
import torch
from attrs import frozen
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR, LRScheduler, OneCycleLR
from torch.utils.data import DataLoader, Sampler

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.reproductions.torch_networks.adapters import AdaptedNetwork
from kgscripts.reproductions.torch_networks.inference import TensorFields
from lightning_modules.settings import CONSTANT, ONE_CYCLE, TrainingSettings
from schemas.errors import InputError, ModelError

Example = TypeVar("Example")
Item = TypeVar("Item")

_LENGTH_STEP = 4


@frozen(eq=False)
class Split(Generic[Item]):
    """What is trained on, and what decides when training ends."""

    train: list[Item]
    held_out: list[Item]


def split(items: Sequence[Item], key: Callable[[Item], str]) -> Split[Item]:
    """Hold out a tenth of the keys, the same ones whatever the order, the seed or the other items.

    Items with the same key stay together. Of few keys, one at least is in each part. Raises InputError for fewer than
    two different keys.
    """
    digests = {name: sha256(name.encode()).digest() for name in map(key, items)}
    if len(digests) < 2:
        message = f"{len(items)} training examples with {len(digests)} different texts are too few"
        remedy = "give examples with 2 different texts at least (one of them is held out), or a larger --limit"
        raise InputError(message, remedy=remedy)
    order = sorted(digests, key=lambda name: (digests[name][0] % 10, digests[name]))
    # Whatever the digests are, the first key is held out and the last one is not.
    held_out = {name for name in order if digests[name][0] % 10 == 0} - {order[-1]} | {order[0]}
    parts = Split[Item]([], [])
    for item in items:
        (parts.held_out if key(item) in held_out else parts.train).append(item)
    return parts


def pair_key(pair: Pair) -> str:
    """The key of a pair: its abstract sentence, so that all realisations of a sentence stay together."""
    return " ".join(pair.abstract)


def pairs_digest(pairs: Sequence[Pair]) -> str:
    """SHA-256 of the text of pairs."""
    texts = json.dumps([(pair.abstract, pair.concrete, pair.blanks) for pair in pairs])
    return sha256(texts.encode()).hexdigest()


@frozen(eq=False)
class TrainingBatch(TensorFields):
    """Base of the batches of each task: `where` its examples were read, for errors."""

    where: tuple[str, ...]


class TrainingData(pl.LightningDataModule, ABC, Generic[Example]):
    """Batches of both parts of a corpus; each task has a subclass.

    Training batches are drawn in each epoch from the seed and the number of the epoch, so that a resumed run has the
    batches of an uninterrupted one; a run that is resumed within an epoch begins after the batches that it has seen.
    With n devices, each is trained on every n-th batch.
    """

    def __init__(self, parts: Split[Any], settings: TrainingSettings) -> None:
        super().__init__()
        self._parts = parts
        self._seed, self._size = settings.seed, settings.batch_size

    @property
    def batches_per_epoch(self) -> int:
        """Training batches of an epoch, for all devices together."""
        return -(-len(self._parts.train) // self._size)

    def train_batches(self, draw: random.Random) -> Sequence[Sequence[Example]]:
        """The examples of an epoch in batches; all random choices come from `draw`."""
        return self.batches([self.drawn(item, draw) for item in self._parts.train], draw)

    def held_out_batches(self) -> Sequence[Sequence[Example]]:
        """The held-out examples, in the same batches every time."""
        return self.batches(self._parts.held_out, None)

    @abstractmethod
    def collate(self, examples: Sequence[Example]) -> TrainingBatch:
        """The tensors of a batch."""

    def drawn(self, item: Any, draw: random.Random) -> Example:  # noqa: ARG002
        """The example that is made of a training item in an epoch."""
        example: Example = item
        return example

    def length(self, example: Example) -> tuple[int, ...]:  # noqa: ARG002
        """By what examples of a batch are similar; see `length_batches`."""
        return (0,)

    def batches(self, examples: Sequence[Example], draw: random.Random | None) -> list[list[Example]]:
        """Batches of examples of similar length."""
        return length_batches(examples, [self.length(example) for example in examples], self._size, draw)

    @property
    def steps_per_epoch(self) -> int:
        """Steps of an epoch, which every device takes."""
        assert self.trainer is not None
        return -(-self.batches_per_epoch // self.trainer.world_size)

    def train_dataloader(self) -> DataLoader[Any]:
        """The batches of the current epoch, without those that a run has seen that is resumed within it."""
        assert self.trainer is not None
        batches = list(self.train_batches(random.Random(f"{self._seed} {self.trainer.current_epoch}")))
        # Every device takes the same number of steps: batches come again if the number is not a multiple.
        loop = self.trainer.fit_loop
        seen = loop.epoch_loop.batch_progress.current.ready if loop.restarting else 0
        of_process = islice(cycle(batches), self.trainer.global_rank, None, self.trainer.world_size)
        return self._loader(list(islice(of_process, -(-len(batches) // self.trainer.world_size))), seen)

    def val_dataloader(self) -> DataLoader[Any]:
        """The held-out batches, all of them on each device: their mean loss does not depend on the devices."""
        return self._loader(self.held_out_batches())

    def _loader(self, batches: Sequence[Sequence[Example]], seen: int = 0) -> DataLoader[Any]:
        return DataLoader(batches, batch_size=None, sampler=_Rest(batches, seen), collate_fn=self.collate)  # type: ignore[arg-type]


class _Rest(Sampler[int]):
    """The places of batches from `seen` on. Its length is that of all: Lightning counts on from those seen."""

    def __init__(self, batches: Sequence[Any], seen: int) -> None:
        self._length, self._seen = len(batches), seen

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._seen, self._length))


def length_batches(
    examples: Sequence[Example], lengths: Sequence[tuple[int, ...]], size: int, draw: random.Random | None
) -> list[list[Example]]:
    """Batches of examples of similar length. With `draw`, similar ones and the batches are shuffled.

    `lengths` are compared in order, the last of them in steps of four.
    """
    order = list(range(len(lengths)))
    if draw is not None:
        draw.shuffle(order)
    order.sort(key=lambda index: (*lengths[index][:-1], lengths[index][-1] // _LENGTH_STEP))
    batches = [[examples[index] for index in order[start : start + size]] for start in range(0, len(order), size)]
    if draw is not None:
        draw.shuffle(batches)
    return batches


@frozen(eq=False)
class Loss:
    """The mean loss of a batch in nats, (), and over how many items it is the mean."""

    mean: Tensor
    items: int


class TrainingModule(pl.LightningModule):
    """Minimises a loss, which a subclass computes in `loss`, with the optimiser and schedule of the settings.

    Random numbers depend only on the seed, the epoch and the batch, so that a resumed run gives the result of an
    uninterrupted one. Raises ModelError for a loss that is not finite, with where the examples of the batch were read.
    """

    phase: str = ""
    """The current phase; see `TrainingSettings.phases`."""

    def __init__(self, network: nn.Module, settings: TrainingSettings) -> None:
        super().__init__()
        self.network = network
        self._settings = settings
        self._nats, self._items = 0.0, 0

    @abstractmethod
    def loss(self, batch: Any) -> Loss:
        """The loss of a batch."""

    def trained_state(self) -> Mapping[str, Tensor]:
        """What training changes, by name."""
        network = self.network
        return network.trained_tensors() if isinstance(network, AdaptedNetwork) else network.state_dict()

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Load what `trained_state` gave."""
        if isinstance(self.network, AdaptedNetwork):
            self.network.load_trained_tensors(state)
        else:
            self.network.load_state_dict(state)

    def trained_parameters(self) -> list[nn.Parameter]:
        """The parameters that are not frozen."""
        return [parameter for parameter in self.network.parameters() if parameter.requires_grad]

    def parameter_groups(self) -> list[dict[str, Any]]:
        """What the optimiser trains, in groups with settings of their own."""
        return [{"params": self.trained_parameters()}]

    def configure_optimizers(self) -> Any:
        """AdamW, and the schedule of its learning rate."""
        settings, data = self._settings, self.trainer.datamodule  # type: ignore[attr-defined]
        assert isinstance(data, TrainingData)
        optimizer = torch.optim.AdamW(
            self.parameter_groups(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        if settings.schedule == CONSTANT:
            return optimizer
        schedule = _schedule(optimizer, settings, sum(settings.phases.values()) * data.steps_per_epoch)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    @property
    def train_loss(self) -> float:
        """The mean loss of the epoch so far, in nats."""
        return self._nats / max(1, self._items)

    def on_train_epoch_start(self) -> None:
        """Begin the mean. A run that is resumed within an epoch goes on with that of its first part."""
        self._nats, self._items = 0.0, 0

    def on_train_epoch_end(self) -> None:
        """Log the mean."""
        self.log("train_loss", self.train_loss, sync_dist=True)

    def training_step(self, batch: TrainingBatch, number: int) -> Tensor:
        """The loss of a batch."""
        # Each step has a seed of its own, as long as epochs and batches are fewer than this prime.
        torch.manual_seed((self._settings.seed * 100_003 + self.current_epoch) * 100_003 + number)
        loss = self._finite_loss(batch, number)
        self._nats += loss.mean.item() * loss.items
        self._items += loss.items
        self.log("loss", loss.mean, batch_size=loss.items)
        return loss.mean

    def validation_step(self, batch: TrainingBatch, number: int) -> Tensor:
        """The loss of a held-out batch."""
        loss = self._finite_loss(batch, number)
        self.log("held_out_loss", loss.mean, batch_size=loss.items, sync_dist=True)
        return loss.mean

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Save only trained tensors, not a frozen encoder, and the mean loss of an epoch so far."""
        checkpoint["state_dict"] = dict(self.trained_state())
        checkpoint["train_loss"] = [self._nats, self._items]

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Load what `on_save_checkpoint` saved."""
        self.restore(checkpoint["state_dict"])
        # Lightning loads this next, strictly: names of the frozen part must be there, too.
        checkpoint["state_dict"] = self.state_dict()
        self._nats, self._items = checkpoint["train_loss"]

    def _finite_loss(self, batch: TrainingBatch, number: int) -> Loss:
        loss = self.loss(batch)
        if not math.isfinite(loss.mean.item()):
            where = f"epoch {self.current_epoch + 1}, batch {number + 1} ({', '.join(batch.where)})"
            remedy = "look at these examples or lower the learning rate; what came before is kept for --resume"
            raise ModelError(f"the loss is {loss.mean.item()}", where=where, remedy=remedy)
        return loss


def _schedule(optimizer: torch.optim.Optimizer, settings: TrainingSettings, steps: int) -> LRScheduler:
    """How the learning rate rises and falls over all steps."""
    if settings.schedule == ONE_CYCLE:
        rates = [group["lr"] for group in optimizer.param_groups]
        return OneCycleLR(optimizer, rates, total_steps=steps + 1, pct_start=settings.warm_up)
    rising = max(1, round(settings.warm_up * steps))

    def factor(step: int) -> float:
        return step / rising if step < rising else max(0.0, (steps - step) / max(1, steps - rising))

    return LambdaLR(optimizer, factor)
