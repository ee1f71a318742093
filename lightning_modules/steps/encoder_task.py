"""Training of the encoder of steps: data, LightningModule and task."""

from __future__ import annotations

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence

import attrs
import torch
from attrs import frozen
from torch import Tensor
from torch.nn import functional

from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.steps.encoder import ADAPTERS, StepEncoder, StepEncoderSettings, encoder_checkpoint
from kgscripts.reproductions.corpora.grouped_steps import GroupedText
from kgscripts.reproductions.torch_networks.adapters import AdaptedNetwork, with_adapters
from kgscripts.reproductions.torch_networks.bert import BertEncoder, load_bert
from kgscripts.reproductions.torch_networks.inference import padded
from lightning_modules.module import Loss, Split, TrainingBatch, TrainingData, TrainingModule, split
from lightning_modules.steps.task import written_texts
from lightning_modules.task_settings import EncoderTrainingSettings

_MOST_PIECES = 64


@frozen
class GroupedSteps:
    """The steps of a scenario; those with the same number in `groups` are the same step."""

    scenario: str
    texts: Sequence[str]
    groups: Sequence[int]


@frozen(eq=False)
class StepBatch(TrainingBatch):
    """Steps of one scenario: `ids` and `attention` (steps, pieces), `groups` (steps,)."""

    ids: Tensor
    attention: Tensor
    groups: Tensor


class StepData(TrainingData[tuple[int, int]]):
    """A batch is drawn from one scenario; an example is a scenario's number and a step's."""

    def __init__(
        self,
        train: Sequence[GroupedSteps],
        held_out: Sequence[GroupedSteps],
        encoder: BertEncoder,
        settings: EncoderTrainingSettings,
    ) -> None:
        super().__init__(Split(list(train), list(held_out)), settings)
        self._scenarios = [*train, *held_out]
        self._train = len(train)
        self._ids = [
            [[encoder.start, *encoder.pieces(text)[: _MOST_PIECES - 2], encoder.separator] for text in scenario.texts]
            for scenario in self._scenarios
        ]

    @property
    def batches_per_epoch(self) -> int:
        """See `TrainingData`."""
        return self._train

    def train_batches(self, draw: random.Random) -> Sequence[Sequence[tuple[int, int]]]:
        """See `TrainingData`."""
        numbers = draw.sample(range(self._train), self._train)
        return [self._batch(number, draw) for number in numbers]

    def held_out_batches(self) -> Sequence[Sequence[tuple[int, int]]]:
        """See `TrainingData`."""
        return [self._batch(number, random.Random(number)) for number in range(self._train, len(self._scenarios))]

    def collate(self, examples: Sequence[tuple[int, int]]) -> StepBatch:
        """See `TrainingData`."""
        ids, attention = padded([self._ids[scenario][step] for scenario, step in examples])
        return StepBatch(
            where=tuple(sorted({self._scenarios[scenario].scenario for scenario, _ in examples})),
            ids=ids,
            attention=attention,
            groups=torch.tensor([self._scenarios[scenario].groups[step] for scenario, step in examples]),
        )

    def _batch(self, number: int, draw: random.Random) -> list[tuple[int, int]]:
        steps = range(len(self._scenarios[number].texts))
        return [(number, step) for step in draw.sample(steps, min(self._size, len(steps)))]


class StepEncoderNetwork(AdaptedNetwork):
    """The lower layers of an encoder, which gets adapters; only these are trained."""

    adapter_names = ADAPTERS

    def __init__(self, encoder: BertEncoder, settings: EncoderTrainingSettings) -> None:
        super().__init__()
        encoder.network.encoder.layer = encoder.network.encoder.layer[: settings.layers]
        self.adapted = with_adapters(encoder.network, settings.rank)

    def forward(self, batch: StepBatch) -> Tensor:
        """Unit vectors (steps, size)."""
        states = self.adapted(input_ids=batch.ids, attention_mask=batch.attention).last_hidden_state
        return functional.normalize((states * batch.attention[:, :, None]).sum(dim=1), dim=1)


class EncoderModule(TrainingModule):
    """Minimises the surprisal of the other steps of a step's group among all steps of the batch."""

    network: StepEncoderNetwork
    _settings: EncoderTrainingSettings

    def loss(self, batch: StepBatch) -> Loss:
        """See `TrainingModule`; per step that has others of its group in the batch."""
        vectors = self.network(batch).float()
        itself = torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)
        same = (batch.groups[:, None] == batch.groups) & ~itself
        scores = (vectors @ vectors.T / self._settings.temperature).masked_fill(itself, -torch.inf)
        surprisal = (-scores.log_softmax(dim=1)).masked_fill(~same, 0.0).sum(dim=1)
        others = same.sum(dim=1)
        has_others = others > 0
        mean = surprisal[has_others].div(others[has_others]).sum() / has_others.sum().clamp(min=1)
        return Loss(mean, max(1, int(has_others.sum())))


class EncoderTask:
    """Learns vectors of steps from descriptions that were written for it alone; see `TrainingTask`.

    It has seen no text of a corpus, so that it needs not be trained again to leave a scenario of a corpus out. A tenth
    of the scenarios decides which weights are kept.
    """

    purpose = "vectors of steps"
    licence = "Apache-2.0"

    def __init__(self, name: str, texts: Iterable[GroupedText] | None = None) -> None:
        self.name = name
        self.split = split(grouped_steps(written_texts() if texts is None else texts), lambda item: item.scenario)
        content = json.dumps([attrs.asdict(item) for item in (*self.split.train, *self.split.held_out)])
        self.inputs = {"steps": hashlib.sha256(content.encode()).hexdigest()}

    def prepare(self, settings: EncoderTrainingSettings) -> tuple[EncoderModule, StepData]:
        """See `TrainingTask`."""
        encoder = load_bert()
        data = StepData(self.split.train, self.split.held_out, encoder, settings)
        return EncoderModule(StepEncoderNetwork(encoder, settings), settings), data

    def checkpoint(self, module: EncoderModule, settings: EncoderTrainingSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`."""
        adapters = {name: value.cpu().half().numpy() for name, value in module.trained_state().items()}
        stored = StepEncoderSettings(layers=settings.layers, rank=settings.rank)
        return encoder_checkpoint(StepEncoder.of(stored, adapters), card)


def grouped_steps(texts: Iterable[GroupedText]) -> list[GroupedSteps]:
    """The steps of each scenario that have a group, with the groups as numbers."""
    steps_of: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for text in texts:
        for place, group in text.groups:
            passage = text.document.passages[place]
            steps_of[text.scenario].append((group, text.document.text[passage.start : passage.end]))
    result = []
    for scenario, steps in steps_of.items():
        numbers = {group: number for number, group in enumerate(sorted({group for group, _ in steps}))}
        result.append(GroupedSteps(scenario, [text for _, text in steps], [numbers[group] for group, _ in steps]))
    return result
