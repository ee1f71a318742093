"""The training task of the step merger."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import torch
from attrs import frozen

from kgscripts.evaluation.steps.gold import GoldScenario, descript_scenarios, inscript_scenarios
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.sentence_vectors import RememberedVectors
from kgscripts.models.steps.contexts import StepContexts
from kgscripts.models.steps.encoder import StepEncoder
from kgscripts.models.steps.merger import PairNetwork, StepSettings, merger_checkpoint
from lightning_modules.configuration import Configuration
from lightning_modules.data import Split, split
from lightning_modules.steps.descriptions import written_scenarios
from lightning_modules.steps.module import LabelledPairs, PairData, PairModule, labelled_pairs
from lightning_modules.steps.settings import StepTrainingSettings


@frozen
class StepScenarios:
    """The scenarios of training, by their source."""

    descript: Sequence[GoldScenario]
    inscript: Sequence[GoldScenario]
    written: Sequence[GoldScenario]

    @classmethod
    def read(cls, descript: Path, inscript: Path, limit: int | None = None) -> StepScenarios:
        """Those of the corpora, and those that were written for it; at most `limit` of each.

        Raises InputError for what cannot be read.
        """
        found = descript_scenarios(descript), inscript_scenarios(inscript), written_scenarios()
        return cls(*(scenarios[:limit] for scenarios in found))

    def without(self, scenarios: Collection[str]) -> StepScenarios:
        """All but those of these names."""

        def kept(own: Sequence[GoldScenario]) -> list[GoldScenario]:
            return [item for item in own if item.scenario not in scenarios]

        return StepScenarios(kept(self.descript), kept(self.inscript), kept(self.written))


class ScenarioPairs:
    """The labelled pairs of scenarios by the vectors of an encoder, each computed once."""

    def __init__(self, encoder: StepEncoder) -> None:
        self.vectors = RememberedVectors(encoder)
        self._known: dict[int, list[LabelledPairs]] = {}

    def of(self, scenario: GoldScenario, settings: StepTrainingSettings) -> list[LabelledPairs]:
        """Those of a scenario, with the same settings every time."""
        if id(scenario) not in self._known:
            contexts = StepContexts.of(scenario.texts, self.vectors)
            self._known[id(scenario)] = labelled_pairs(scenario, contexts, settings.pairs, settings.seed)
        return self._known[id(scenario)]


class StepTask:
    """Learns which actions are one step from scenarios whose steps are grouped; see `TrainingTask`.

    A tenth of the scenarios that were written for it is held out: they decide which weights are kept. `pairs` may
    know some of them already.
    """

    purpose = "steps of a scenario that are the same"
    licence = "research use, as the terms of its training data are not stated"

    def __init__(
        self,
        configuration: Configuration,
        scenarios: StepScenarios,
        encoder: StepEncoder,
        pairs: ScenarioPairs | None = None,
    ) -> None:
        self.name = configuration.name
        self._encoder = encoder
        self._scenarios = scenarios
        self._pairs = ScenarioPairs(encoder) if pairs is None else pairs
        written = split(scenarios.written, lambda item: item.scenario)
        self.split: Split[Any] = Split([*scenarios.descript, *scenarios.inscript, *written.train], written.held_out)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """See `TrainingTask`."""
        content = json.dumps([attrs.asdict(item) for item in (*self.split.train, *self.split.held_out)])
        adapters = hashlib.sha256()
        for name, value in sorted(self._encoder.adapters.items()):
            adapters.update(name.encode() + value.numpy().tobytes())
        return {"scenarios": hashlib.sha256(content.encode()).hexdigest(), "encoder": adapters.hexdigest()}

    def prepare(self, settings: StepTrainingSettings) -> tuple[PairModule, PairData]:
        """See `TrainingTask`."""
        stories = {id(item) for item in self._scenarios.inscript}

        def pairs(scenarios: Sequence[GoldScenario]) -> list[LabelledPairs]:
            weights = [settings.narrative_weight if id(scenario) in stories else 1.0 for scenario in scenarios]
            return [
                attrs.evolve(own, weights=own.weights * weight)
                for scenario, weight in zip(scenarios, weights, strict=True)
                for own in self._pairs.of(scenario, settings)
            ]

        train, held_out = pairs(self.split.train), pairs(self.split.held_out)
        network = PairNetwork(settings.hidden, settings.dropout)
        features = np.concatenate([part.features for part in train])
        network.mean.copy_(torch.from_numpy(features.mean(axis=0)))
        network.scale.copy_(torch.from_numpy(features.std(axis=0) + 1e-6))
        return PairModule(network, settings), PairData(train, held_out, settings)

    def checkpoint(self, module: PairModule, settings: StepTrainingSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`."""
        return merger_checkpoint(module.network, StepSettings(hidden=settings.hidden), self._encoder, card)
