"""The training task of the encoder of steps."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from kgscripts.corpora.grouped_steps import GroupedText
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.encoder import load_encoder
from kgscripts.models.steps.encoder import StepEncoder, StepEncoderSettings, encoder_checkpoint
from lightning_modules.data import split
from lightning_modules.steps.descriptions import written_texts
from lightning_modules.steps.encoder_module import EncoderModule, GroupedSteps, StepData, StepEncoderNetwork
from lightning_modules.steps.settings import EncoderTrainingSettings


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

    @property
    def inputs(self) -> Mapping[str, Any]:
        """See `TrainingTask`."""
        content = json.dumps([attrs.asdict(item) for item in (*self.split.train, *self.split.held_out)])
        return {"steps": hashlib.sha256(content.encode()).hexdigest()}

    def prepare(self, settings: EncoderTrainingSettings) -> tuple[EncoderModule, StepData]:
        """See `TrainingTask`."""
        encoder = load_encoder()
        data = StepData(self.split.train, self.split.held_out, encoder, settings)
        return EncoderModule(StepEncoderNetwork(encoder, settings), settings), data

    def checkpoint(self, module: EncoderModule, settings: EncoderTrainingSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`."""
        adapters = {name: value.half().contiguous() for name, value in module.trained_state().items()}
        stored = StepEncoderSettings(layers=settings.layers, rank=settings.rank)
        return encoder_checkpoint(StepEncoder.of(stored, adapters), card)


def grouped_steps(texts: Iterable[GroupedText]) -> list[GroupedSteps]:
    """The steps of each scenario that have a group, with the groups as numbers."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for text in texts:
        for place, group in text.groups:
            passage = text.document.passages[place]
            found[text.scenario].append((group, text.document.text[passage.start : passage.end]))
    result = []
    for scenario, steps in found.items():
        numbers = {group: number for number, group in enumerate(sorted({group for group, _ in steps}))}
        result.append(GroupedSteps(scenario, [text for _, text in steps], [numbers[group] for group, _ in steps]))
    return result
