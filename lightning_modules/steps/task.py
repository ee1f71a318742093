"""Training of the classifier of pairs of steps: data, LightningModule, task and cross-validation."""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
from collections.abc import Callable, Collection, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import torch
from attrs import frozen
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from kgscripts.evaluation.result import Evaluation
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.registry import load
from kgscripts.models.sentence_vectors import RememberedVectors
from kgscripts.models.steps.contexts import StepContexts, pair_features
from kgscripts.models.steps.encoder import StepEncoder
from kgscripts.models.steps.merger import StepMerger, StepSettings, merger_checkpoint
from kgscripts.reproductions.corpora.grouped_steps import GroupedText, read_descriptions
from kgscripts.reproductions.steps.gold import GoldScenario, descript_scenarios, grouped_scenarios, inscript_scenarios
from kgscripts.reproductions.steps.merging import DESCRIPT, INSCRIPT, score_scenarios
from lightning_modules.configuration import Configuration
from lightning_modules.module import Loss, Split, TrainingBatch, TrainingData, TrainingModule, split
from lightning_modules.settings import Hardware
from lightning_modules.steps.network import PairNetwork
from lightning_modules.task_settings import StepTrainingSettings
from lightning_modules.training import train


def written_texts() -> list[GroupedText]:
    """Every description."""
    folder = resources.files("lightning_modules.steps") / "data"
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return [text for file in files for text in read_descriptions(file.read_text(encoding="utf-8"))]


def written_scenarios() -> list[GoldScenario]:
    """The scenarios of the descriptions, with their events as the shipped extractors read them."""
    return grouped_scenarios(written_texts())


@frozen(eq=False)
class LabelledPairs:
    """Pairs of actions of one annotation: features (pairs, features), and whether they are one step; weights sum to 1.

    A pair weighs as the geometric mean of the numbers of steps of both actions.
    """

    where: str
    features: NDArray[np.float32]
    same: NDArray[np.float32]
    weights: NDArray[np.float32]


def labelled_pairs(scenario: GoldScenario, contexts: StepContexts, most: int, seed: int) -> list[LabelledPairs]:
    """The pairs of actions that an annotation judges, at most `most` of each, drawn with `seed`."""
    number_of = {action: number for number, action in enumerate(contexts.actions)}
    judged = []
    for annotation in scenario.annotations:
        groups = annotation.groups()
        counts = {action: sum(step.action == action for step in annotation.steps) for action in groups}
        actions = sorted(groups)
        pairs = [(one, other) for place, one in enumerate(actions) for other in actions[:place]]
        if len(pairs) > most:
            pairs = sorted(random.Random(f"{seed} {annotation.name}").sample(pairs, most))
        if not pairs:
            continue
        rows = np.array([number_of[action] for action in actions])
        every = pair_features(contexts, rows, rows)
        place_of = {action: place for place, action in enumerate(actions)}
        ones, others = (np.array([place_of[pair[side]] for pair in pairs]) for side in (0, 1))
        weights = np.sqrt([float(counts[one] * counts[other]) for one, other in pairs])
        judged.append(
            LabelledPairs(
                f"{scenario.scenario} ({annotation.name})",
                every[ones, others],
                np.array([groups[one] == groups[other] for one, other in pairs], dtype=np.float32),
                (weights / weights.sum()).astype(np.float32),
            )
        )
    return judged


@frozen(eq=False)
class PairBatch(TrainingBatch):
    """`features` (pairs, features), `same` and `weights` (pairs,)."""

    features: Tensor
    same: Tensor
    weights: Tensor


class PairData(TrainingData[int]):
    """Batches of pairs; the pairs of some scenarios are held out."""

    def __init__(
        self, train: Sequence[LabelledPairs], held_out: Sequence[LabelledPairs], settings: StepTrainingSettings
    ) -> None:
        parts = [*train, *held_out]
        numbers = range(sum(len(part.same) for part in parts))
        trained = sum(len(part.same) for part in train)
        super().__init__(Split(list(numbers[:trained]), list(numbers[trained:])), settings)
        self._where = [part.where for part in parts]
        self._scenario = np.repeat(np.arange(len(parts)), [len(part.same) for part in parts])
        self._features = torch.from_numpy(np.concatenate([part.features for part in parts]))
        self._same = torch.from_numpy(np.concatenate([part.same for part in parts]))
        weights = np.concatenate([part.weights for part in parts])
        self._weights = torch.from_numpy(weights / weights.mean())

    def train_batches(self, draw: random.Random) -> Sequence[Sequence[int]]:
        """See `TrainingData`."""
        order = list(self._parts.train)
        draw.shuffle(order)
        return self.batches(order, None)

    def collate(self, examples: Sequence[int]) -> PairBatch:
        """See `TrainingData`."""
        numbers = torch.tensor(examples)
        where = sorted({self._where[number] for number in self._scenario[examples]})
        return PairBatch(
            where=tuple(where),
            features=self._features[numbers],
            same=self._same[numbers],
            weights=self._weights[numbers],
        )


class PairModule(TrainingModule):
    """Minimises the weighted surprisal of whether two actions are the same step."""

    network: PairNetwork

    def loss(self, batch: PairBatch) -> Loss:
        """See `TrainingModule`; per pair."""
        odds = self.network(batch.features)
        losses = functional.binary_cross_entropy_with_logits(odds, batch.same, weight=batch.weights)
        return Loss(losses, len(batch.same))


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
        corpora = descript_scenarios(descript), inscript_scenarios(inscript), written_scenarios()
        return cls(*(scenarios[:limit] for scenarios in corpora))

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
        content = json.dumps([attrs.asdict(item) for item in (*self.split.train, *self.split.held_out)])
        adapters = hashlib.sha256()
        for name, value in sorted(encoder.adapters.items()):
            adapters.update(name.encode() + value.tobytes())
        self.inputs = {"scenarios": hashlib.sha256(content.encode()).hexdigest(), "encoder": adapters.hexdigest()}

    def prepare(self, settings: StepTrainingSettings) -> tuple[PairModule, PairData]:
        """See `TrainingTask`."""
        stories = {id(item) for item in self._scenarios.inscript}

        def pairs(scenarios: Sequence[GoldScenario]) -> list[LabelledPairs]:
            weights = [settings.narrative_weight if id(scenario) in stories else 1.0 for scenario in scenarios]
            return [
                attrs.evolve(labelled, weights=labelled.weights * weight)
                for scenario, weight in zip(scenarios, weights, strict=True)
                for labelled in self._pairs.of(scenario, settings)
            ]

        train, held_out = pairs(self.split.train), pairs(self.split.held_out)
        network = PairNetwork(settings.hidden, settings.dropout)
        features = np.concatenate([part.features for part in train])
        network.mean.copy_(torch.from_numpy(features.mean(axis=0)))
        network.scale.copy_(torch.from_numpy(features.std(axis=0) + 1e-6))
        return PairModule(network, settings), PairData(train, held_out, settings)

    def checkpoint(self, module: PairModule, settings: StepTrainingSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`."""
        weights = {name: value.cpu().numpy() for name, value in module.network.state_dict().items()}
        return merger_checkpoint(weights, StepSettings(hidden=settings.hidden), self._encoder, card)


def cross_validate(
    scenarios: StepScenarios,
    configuration: Configuration,
    encoder: StepEncoder,
    *,
    hardware: Hardware | None = None,
    on_scenario: Callable[[], object] | None = None,
    thresholds: Sequence[float] = (),
) -> list[Evaluation]:
    """Evaluate on DeScript and on InScript, also with other thresholds; the model of each scenario has seen no text
    about it.

    The encoder is the same for all: it was trained on none of these scenarios.

    Raises as `train` does.
    """
    pairs = ScenarioPairs(encoder)
    models: dict[str, StepMerger] = {}

    def merger_of(scenario: GoldScenario) -> StepMerger:
        name = scenario.scenario
        if name not in models:
            with tempfile.TemporaryDirectory() as folder:
                task = StepTask(configuration, scenarios.without({name}), encoder, pairs)
                train(task, configuration.training, Path(folder) / "model", hardware=hardware)
                models[name] = load("steps", Path(folder) / "model")
                models[name].vectors = pairs.vectors
            if on_scenario is not None:
                on_scenario()
        return models[name]

    return [
        score_scenarios(
            gold, merger_of, dataset=dataset, split="each scenario left out", source="steps", thresholds=thresholds
        )
        for dataset, gold in ((DESCRIPT, scenarios.descript), (INSCRIPT, scenarios.inscript))
    ]
