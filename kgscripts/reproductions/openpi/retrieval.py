"""State changes by retrieval: the changes of the most similar training steps, with their nouns replaced by nouns of the
step.

The neighbours of a step are found by MiniLM vectors. Their changes are rewritten for the step, and a set is chosen that
agrees with the changes of all neighbours and covers them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import attrs
import numpy as np
from attrs import field, frozen, validators
from numpy.typing import NDArray

from kgscripts.models.checkpoint import Checkpoint, ModelCard, from_checkpoint
from kgscripts.reproductions.openpi.composer.neighbours import MOST_NEIGHBOURS, KnownSteps, Neighbour, NeighbourSearch
from kgscripts.reproductions.openpi.composer.substitution import words_of
from schemas.changes import Change, PredictedChange, ProcedureStep, steps_of
from schemas.provenance import Model

KIND = "change-retrieval"
STRINGS = "strings.json"

_BATCH = 32
_count = [validators.instance_of(int), validators.ge(1)]
_share = [validators.instance_of(float), validators.ge(0.0), validators.le(1.0)]


@frozen(kw_only=True)
class RetrievalSettings:
    """Chosen on OpenPI's train split: each step was predicted from the steps of other procedures."""

    neighbours: int = field(default=40, validator=[*_count, validators.le(MOST_NEIGHBOURS)])
    temperature: float = field(default=0.1, validator=[validators.instance_of(float), validators.gt(0.0)])
    """Weights of the neighbours are exp(cosine / temperature), normalised."""
    changes: int = field(default=10, validator=[*_count, validators.le(100)])
    """The most changes of a step."""
    no_change: float = field(default=0.3, validator=_share)
    """Nothing is predicted if neighbours without changes have this share of the weight."""
    noun_similarity: float = field(default=0.1, validator=_share)
    """The least cosine of two nouns that are exchanged."""


class ChangeRetriever:
    """A `kgscripts.reproductions.openpi.composer.protocol.ChangeModel`.

    The log probability of a change is that of the weighted mean, over the neighbours, of its best overlap with one of
    their changes.
    """

    def __init__(self, known: KnownSteps, settings: RetrievalSettings, model: Model) -> None:
        self.model = model
        self._settings = settings
        self._search = NeighbourSearch(
            known,
            neighbours=settings.neighbours,
            temperature=settings.temperature,
            noun_similarity=settings.noun_similarity,
        )

    def predict(self, steps: Sequence[ProcedureStep | str]) -> list[list[PredictedChange]]:
        """See `ChangeModel`. Context and title are not used: with them, the neighbours are worse."""
        result, read = [], steps_of(steps)
        for start in range(0, len(read), _BATCH):
            texts = [step.text for step in read[start : start + _BATCH]]
            result += [self._changes(neighbours) for neighbours in self._search.find(texts)]
        return result

    def _changes(self, neighbours: Sequence[Neighbour]) -> list[PredictedChange]:
        """Of one step."""
        changing = [one for one in neighbours if one.changes]
        unchanged = sum(one.weight for one in neighbours if not one.changes)
        if not changing or unchanged >= self._settings.no_change:
            return []
        candidates = [change for one in changing for change in one.changes]
        counts = np.array([len(one.changes) for one in changing])
        weights = np.array([one.weight for one in changing])
        overlaps = _overlaps(candidates)
        agreement = np.maximum.reduceat(overlaps, np.cumsum(counts) - counts, axis=1) @ weights
        chosen = self._choose(candidates, agreement, overlaps, np.repeat(weights / counts, counts))
        predictions = [
            PredictedChange(change=candidates[place], log_probability=min(0.0, math.log(agreement[place])))
            for place in chosen
        ]
        return sorted(predictions, key=lambda one: -one.log_probability)

    def _choose(
        self,
        candidates: Sequence[Change],
        agreement: NDArray[np.float64],
        overlaps: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> list[int]:
        """Indices of the set of changes with the highest expected precision plus recall, chosen greedily.

        Precision is the mean agreement of the set, recall is its coverage of the changes of a neighbour, in expectation
        over the weights of the neighbours. `weights` (candidates,) are the candidates' shares of the weight.
        """
        chosen = list[int]()
        said = set[tuple[str, ...]]()
        covered = np.zeros(len(candidates))
        open_ = np.ones(len(candidates), dtype=bool)
        while open_.any() and len(chosen) < self._settings.changes:
            recall = np.maximum(overlaps - covered, 0.0) @ weights
            place = int(np.where(open_, agreement / self._settings.changes + recall, -1.0).argmax())
            open_[place] = False
            change = candidates[place]
            key = tuple(part.lower() for part in (change.entity, change.attribute, change.after))
            if key not in said:
                said.add(key)
                chosen.append(place)
                covered = np.maximum(covered, overlaps[place])
        return chosen


def _overlaps(changes: Sequence[Change]) -> NDArray[np.float64]:
    """Dice coefficients of the sets of words of all pairs, (changes, changes)."""
    words = [words_of(change) for change in changes]
    columns = {word: column for column, word in enumerate(sorted(frozenset[str]().union(*words)))}
    contains = np.zeros((len(words), len(columns)), dtype=np.float32)
    for row, own in enumerate(words):
        contains[row, [columns[word] for word in own]] = 1
    sizes = np.maximum(contains.sum(axis=1), 0.5)  # A change without words overlaps with nothing.
    result: NDArray[np.float64] = (2 * (contains @ contains.T) / (sizes[:, None] + sizes)).astype(np.float64)
    np.fill_diagonal(result, 1.0)
    return result


def retrieval_checkpoint(known: KnownSteps, settings: RetrievalSettings, card: ModelCard) -> Checkpoint:
    """The checkpoint of known steps, which `retrieval_model` loads: strings once, all else as numbers."""
    tensors, strings = known.packed()
    files = {STRINGS: json.dumps(strings, ensure_ascii=False, indent=0).encode()}
    return Checkpoint(kind=KIND, settings=attrs.asdict(settings), tensors=tensors, card=card, files=files)


@from_checkpoint
def retrieval_model(checkpoint: Checkpoint) -> ChangeRetriever:
    """The model of a checkpoint. Raises ModelError if its parts do not fit together."""
    assert checkpoint.model is not None
    settings = RetrievalSettings(**checkpoint.settings)
    tensors = checkpoint.tensors
    known = KnownSteps.read(tensors, checkpoint.json(STRINGS))
    return ChangeRetriever(known, settings, checkpoint.model)
