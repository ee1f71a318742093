"""The model that merges the steps of a scenario by meaning: a classifier of pairs of actions, and clusters of them.

The classifier sees no words, only similarities of two actions, of their surroundings and of their places
(`kgscripts.models.steps.contexts`), so that it can judge scenarios that it was not trained on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from attrs import define, field, frozen, validators
from numpy.typing import NDArray

from kgscripts.models.adapters import split_adapters
from kgscripts.models.checkpoint import Checkpoint, ModelCard, from_checkpoint
from kgscripts.models.runtime import Array, sigmoid
from kgscripts.models.sentence_vectors import Vectors
from kgscripts.models.steps import LEAST_COSINE
from kgscripts.models.steps.clusters import Floats, Integers, by_first_member, clusters_of, together
from kgscripts.models.steps.contexts import FEATURES, ActionParts, StepContexts, pair_features
from kgscripts.models.steps.encoder import ADAPTERS, StepEncoder, encoder_model
from kgscripts.models.steps.opposites import opposed
from kgscripts.models.steps.script_match import ScriptStep, match_script
from schemas.provenance import Model

KIND = "step-merger"

MOST_COMPARED = 1000
"""At most this number of actions of a scenario, the most frequent ones, are compared with each other; the rest only
with these."""
_ROWS = 128
_SMALLEST = 0.01

_count = [validators.instance_of(int), validators.ge(1)]
_probability = [validators.instance_of(float), validators.gt(0.0), validators.lt(1.0)]


@frozen(kw_only=True)
class StepSettings:
    """The settings of the clusters (see `clusters_of`) that training writes into a checkpoint."""

    hidden: int = field(validator=_count)
    first: float = field(default=0.25, validator=_probability)
    least: float = field(default=0.3, validator=_probability)


@frozen
class StepGroup:
    """Actions that are the same step, ascending, and the mean probability of that over pairs of the most frequent."""

    actions: tuple[ActionParts, ...]
    probability: float


@frozen(eq=False)
class PairLayers:
    """Log odds that two actions are the same step, of their features: one hidden layer, by the `weights` of a
    checkpoint."""

    weights: Mapping[str, Array]

    def __call__(self, features: Array) -> Array:
        """Log odds (...) of features (..., `FEATURES`)."""
        scaled = ((features - self.weights["mean"]) / self.weights["scale"]).clip(-5, 5)
        hidden = np.maximum(scaled @ self.weights["layers.0.weight"].T + self.weights["layers.0.bias"], 0)
        odds: Array = (hidden @ self.weights["layers.3.weight"].T + self.weights["layers.3.bias"])[..., 0]
        return odds

    def fits(self, hidden: int) -> bool:
        """Whether the weights are those of a network of this size."""
        shapes = {
            **dict.fromkeys(("mean", "scale"), (FEATURES,)),
            "layers.0.weight": (hidden, FEATURES),
            "layers.0.bias": (hidden,),
            "layers.3.weight": (1, hidden),
            "layers.3.bias": (1,),
        }
        return {name: value.shape for name, value in self.weights.items()} == shapes


@define(eq=False, repr=False, slots=False)
class StepMerger:
    """Merges the actions of a scenario that are the same step. `vectors` gives the vectors of texts.

    Actions whose words have a cosine below `least_cosine` are not the same step: the classifier alone would join them
    for their places and companions.
    """

    _network: PairLayers
    settings: StepSettings
    model: Model
    vectors: Vectors
    least_cosine: float = field(default=LEAST_COSINE, init=False)

    def to(self, device: str) -> StepMerger:
        """This merger, whose encoder is moved to another device; the classifier of pairs stays on the CPU."""
        vectors = self.vectors.to(device) if isinstance(self.vectors, StepEncoder) else self.vectors
        return attrs.evolve(self, vectors=vectors)

    def at(self, threshold: float) -> StepMerger:
        """This merger with another `least`, and with a `first` as far from it as now."""
        apart = self.settings.first - self.settings.least
        first = min(max(threshold + apart, _SMALLEST), 1 - _SMALLEST)
        return attrs.evolve(self, settings=attrs.evolve(self.settings, least=threshold, first=first))

    def merge(self, texts: Sequence[Sequence[ActionParts]], script: Sequence[ScriptStep] = ()) -> list[StepGroup]:
        """The groups of two or more actions of a scenario's texts that are the same step.

        Each text is a list of actions in order, an action five strings: verb, particle, object, preposition and its
        object, "" for none. ``merge([[("crack", "", "egg", "into", "bowl")], [("break", "", "egg", "", "")]])``.
        Actions that are a step of the written `script` of the scenario are grouped with it, the others with each other.
        """
        written = {step.action for step in script}
        remaining = [[action for action in text if action not in written] for text in texts]
        if not any(remaining) or (not script and len({action for text in remaining for action in text}) < 2):
            return []
        contexts = StepContexts.of([text for text in remaining if text], self.vectors)
        groups: list[StepGroup] = []
        matched: set[ActionParts] = set()
        if script:
            matches = match_script(contexts, script, self.vectors)
            for number, step in enumerate(script):
                of_step = np.flatnonzero(matches.step == number)
                if len(of_step):
                    actions = [contexts.actions[int(action)] for action in of_step]
                    matched |= set(actions)
                    mean = float(matches.probability[of_step].mean().round(4))
                    groups.append(StepGroup(tuple(sorted((*actions, step.action))), mean))
            remaining = [[action for action in text if action not in matched] for text in remaining]
            # Anew, since without the matched ones actions have other neighbours and places.
            contexts = StepContexts.of([text for text in remaining if text], self.vectors)
        members: dict[int, list[int]] = {}
        for action, number in enumerate(self.clusters(contexts) if len(contexts.actions) > 1 else ()):
            members.setdefault(int(number), []).append(action)
        return groups + [self._group(contexts, np.array(cluster)) for cluster in members.values() if len(cluster) > 1]

    def clusters(self, contexts: StepContexts) -> Integers:
        """The number of each action's cluster.

        Time and memory are bounded: actions beyond the `MOST_COMPARED` most frequent ones join the cluster of those
        that they fit best, or stay alone.
        """
        count = len(contexts.actions)
        order = np.argsort(-contexts.mentions, kind="stable")
        compared, rest = np.sort(order[:MOST_COMPARED]), np.sort(order[MOST_COMPARED:])
        weights = np.sqrt(contexts.mentions)
        settings = self.settings
        pairs = self._probabilities(contexts, compared, compared)
        presence = contexts.presence[compared]
        numbers = clusters_of(pairs, weights[compared], presence, first=settings.first, least=settings.least)
        # Numbers that no cluster of compared actions has: what fits nowhere stays alone.
        clusters = np.arange(count, dtype=np.int64) + count
        clusters[compared] = numbers
        if not len(rest):
            return by_first_member(clusters)
        texts = np.zeros((int(numbers.max()) + 1, presence.shape[1]))
        np.maximum.at(texts, numbers, presence)
        sizes = texts.sum(axis=1)
        for start in range(0, len(rest), _ROWS):
            block = rest[start : start + _ROWS]
            gains = (self._probabilities(contexts, block, compared) - settings.least) * weights[compared]
            sums = np.stack([np.bincount(numbers, weights=row) for row in gains])
            has = contexts.presence[block].astype(float)
            fewest = np.minimum.outer(has.sum(axis=1), sizes)
            sums[together(has @ texts.T, fewest)] = -1.0
            best = sums.argmax(axis=1)
            clusters[block] = np.where(sums[np.arange(len(block)), best] > 0, best, clusters[block])
        return by_first_member(clusters)

    def _group(self, contexts: StepContexts, members: Integers) -> StepGroup:
        shown = members[np.argsort(-contexts.mentions[members], kind="stable")][:_ROWS]
        pairs = self._probabilities(contexts, shown, shown)
        mean = pairs[~np.eye(len(shown), dtype=bool)].mean()
        return StepGroup(tuple(contexts.actions[member] for member in members), float(mean))

    def _probabilities(self, contexts: StepContexts, rows: Integers, columns: Integers) -> Floats:
        """The probability that an action of `rows` is the same step as one of `columns`: (rows, columns)."""
        probabilities = np.zeros((len(rows), len(columns)))
        for start in range(0, len(rows), _ROWS):
            odds = self._network(pair_features(contexts, rows[start : start + _ROWS], columns))
            # Rounded, since the last bits of a network differ between processors.
            probabilities[start : start + _ROWS] = sigmoid(odds).round(4)
        cosines = (contexts.vectors[rows] @ contexts.vectors[columns].T).round(4)
        probabilities[cosines < self.least_cosine] = 0.0
        probabilities[opposed(*([contexts.actions[int(number)] for number in side] for side in (rows, columns)))] = 0.0
        # Clustering needs a symmetric matrix, and rounding makes the halves differ.
        return (probabilities + probabilities.T) / 2 if rows is columns else probabilities


def merger_checkpoint(
    weights: Mapping[str, NDArray[Any]], settings: StepSettings, encoder: StepEncoder, card: ModelCard
) -> Checkpoint:
    """The checkpoint of the weights of `PairLayers` and the encoder that they were trained with."""
    values = {**attrs.asdict(settings), **encoder.stored_settings()}
    return Checkpoint(kind=KIND, settings=values, tensors={**weights, **encoder.adapters}, card=card)


@from_checkpoint
def merger_model(checkpoint: Checkpoint) -> StepMerger:
    """The model of a checkpoint. Raises ModelError if its parts do not fit together, or MiniLM is another one."""
    assert checkpoint.model is not None
    encoder = encoder_model(checkpoint)
    values: dict[str, Any] = dict(checkpoint.settings)
    for name in encoder.stored_settings():
        del values[name]
    settings = StepSettings(**values)
    network = PairLayers(split_adapters(checkpoint.tensors, ADAPTERS)[2])
    if not network.fits(settings.hidden):
        raise ValueError("weights of a network of another size")
    return StepMerger(network, settings, checkpoint.model, encoder)
