"""The classifier of pairs of actions under Lightning, and the pairs that it learns from."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import torch
from attrs import frozen
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from kgscripts.evaluation.steps.gold import GoldScenario
from kgscripts.models.steps.contexts import StepContexts, pair_features
from kgscripts.models.steps.merger import PairNetwork
from lightning_modules.data import Split, TrainingBatch, TrainingData
from lightning_modules.module import Loss, TrainingModule
from lightning_modules.steps.settings import StepTrainingSettings


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
    found = []
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
        found.append(
            LabelledPairs(
                f"{scenario.scenario} ({annotation.name})",
                every[ones, others],
                np.array([groups[one] == groups[other] for one, other in pairs], dtype=np.float32),
                (weights / weights.sum()).astype(np.float32),
            )
        )
    return found


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
        super().__init__(Split(list(train), list(held_out)), settings)
        parts = [*train, *held_out]
        self._where = [part.where for part in parts]
        self._scenario = np.repeat(np.arange(len(parts)), [len(part.same) for part in parts])
        self._features = torch.from_numpy(np.concatenate([part.features for part in parts]))
        self._same = torch.from_numpy(np.concatenate([part.same for part in parts]))
        weights = np.concatenate([part.weights for part in parts])
        self._weights = torch.from_numpy(weights / weights.mean())
        self._train = sum(len(part.same) for part in train)

    @property
    def batches_per_epoch(self) -> int:
        """See `TrainingData`."""
        return -(-self._train // self._size)

    def train_batches(self, draw: random.Random) -> Sequence[Sequence[int]]:
        """See `TrainingData`."""
        order = list(range(self._train))
        draw.shuffle(order)
        return self._batches(order)

    def held_out_batches(self) -> Sequence[Sequence[int]]:
        """See `TrainingData`."""
        return self._batches(list(range(self._train, len(self._same))))

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

    def _batches(self, numbers: Sequence[int]) -> list[Sequence[int]]:
        return [numbers[start : start + self._size] for start in range(0, len(numbers), self._size)]


class PairModule(TrainingModule):
    """Minimises the weighted surprisal of whether two actions are the same step."""

    network: PairNetwork

    def __init__(self, network: PairNetwork, settings: StepTrainingSettings) -> None:
        super().__init__(network, settings)

    def loss(self, batch: PairBatch) -> Loss:
        """See `TrainingModule`; per pair."""
        odds = self.network(batch.features)
        losses = functional.binary_cross_entropy_with_logits(odds, batch.same, weight=batch.weights)
        return Loss(losses, len(batch.same))
