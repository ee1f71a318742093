"""State changes by retrieval: those of the most similar training steps, with nouns of the step put in.

The neighbours of a step are found by MiniLM vectors. Their changes are rewritten for the step, and a set is chosen that
agrees with, and covers, the changes of all neighbours.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import islice
from typing import TypeVar

import attrs
import numpy as np
import torch
from attrs import field, frozen, validators
from numpy.typing import NDArray

from kgscripts.models.change_substitution import Noun, nouns_of, substituted, substitutes, words_of
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.sentence_vectors import SCALE, SIZE, quantised_vectors
from schemas.changes import Change, PredictedChange, ProcedureStep
from schemas.errors import ModelError
from schemas.provenance import Model

KIND = "change-retrieval"
STRINGS = "strings.json"

_Item = TypeVar("_Item")

_BATCH = 32
_count = [validators.instance_of(int), validators.ge(1)]
_share = [validators.instance_of(float), validators.ge(0.0), validators.le(1.0)]


@frozen(kw_only=True)
class RetrievalSettings:
    """Chosen on OpenPI's train split: each step was predicted from the steps of other procedures."""

    neighbours: int = field(default=40, validator=_count)
    temperature: float = field(default=0.1, validator=[validators.instance_of(float), validators.gt(0.0)])
    """Weights of the neighbours are exp(cosine / temperature), normalised."""
    changes: int = field(default=10, validator=_count)
    """The most changes of a step."""
    no_change: float = field(default=0.3, validator=_share)
    """Nothing is predicted if neighbours without changes have this share of the weight."""
    noun_similarity: float = field(default=0.1, validator=_share)
    """The least cosine of two nouns that are exchanged."""


@frozen(eq=False)
class KnownSteps:
    """Training steps with their changes: `vectors` (steps, 384) int8, of length `SCALE`.

    `nouns` are those that occur in the changes; `noun_vectors` (lemmas, 384) int8 are of `lemmas`.
    """

    vectors: NDArray[np.int8]
    changes: Sequence[tuple[Change, ...]]
    nouns: Sequence[tuple[Noun, ...]]
    lemmas: Sequence[str]
    noun_vectors: NDArray[np.int8]

    @classmethod
    def of(cls, texts: Sequence[str], changes: Sequence[Sequence[Change]]) -> KnownSteps:
        """From the texts of steps. Raises ModelError if MiniLM cannot be found."""
        nouns = []
        for own, found in zip(nouns_of(texts), changes, strict=True):
            words = frozenset[str]().union(*map(words_of, found))
            nouns.append(tuple(noun for noun in own if words & {noun.form, noun.lemma}))
        lemmas = sorted({noun.lemma for own in nouns for noun in own})
        rows = [tuple(found) for found in changes]
        return cls(quantised_vectors(texts), rows, nouns, lemmas, quantised_vectors(lemmas))


class ChangeRetriever:
    """A `kgscripts.models.state_changes.ChangeModel`.

    The log probability of a change is that of the weighted mean, over the neighbours, of its best overlap with one of
    their changes.
    """

    def __init__(self, known: KnownSteps, settings: RetrievalSettings, model: Model) -> None:
        self.model = model
        self._known = known
        self._settings = settings
        # Products of int8 vectors are exact in float32, and fast.
        self._vectors = known.vectors.astype(np.float32)
        self._noun_vectors = dict(zip(known.lemmas, known.noun_vectors.astype(np.float32), strict=True))

    def predict(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        """See `ChangeModel`. Context and title are not read: with them, the neighbours are worse."""
        result = []
        for start in range(0, len(steps), _BATCH):
            texts = [step.text for step in steps[start : start + _BATCH]]
            nouns = list(nouns_of(texts))
            lemmas = sorted({noun.lemma for own in nouns for noun in own} - self._noun_vectors.keys())
            vectors = self._noun_vectors | dict(zip(lemmas, quantised_vectors(lemmas).astype(np.float32), strict=True))
            cosines = quantised_vectors(texts).astype(np.float32) @ self._vectors.T / SCALE**2
            result += [self._changes(row, own, vectors) for row, own in zip(cosines, nouns, strict=True)]
        return result

    def _changes(
        self, cosines: NDArray[np.float32], nouns: Sequence[Noun], noun_vectors: dict[str, NDArray[np.float32]]
    ) -> list[PredictedChange]:
        """Of one step, given its cosines with the known steps, (steps,)."""
        settings, known = self._settings, self._known
        nearest = np.argsort(-cosines, kind="stable")[: settings.neighbours]
        weights = np.exp((cosines[nearest].astype(np.float64) - float(cosines[nearest[0]])) / settings.temperature)
        weights /= weights.sum()
        changing = np.array([bool(known.changes[place]) for place in nearest])
        if not changing.any() or weights[~changing].sum() >= settings.no_change:
            return []
        candidates, starts = list[Change](), list[int]()
        for place in nearest[changing]:
            replacements = substitutes(known.nouns[place], nouns, noun_vectors, settings.noun_similarity)
            starts.append(len(candidates))
            candidates += dict.fromkeys(substituted(change, replacements) for change in known.changes[place])
        overlaps = _overlaps(candidates)
        agreement = np.maximum.reduceat(overlaps, starts, axis=1) @ weights[changing]
        counts = np.diff([*starts, len(candidates)])
        chosen = self._choose(candidates, agreement, overlaps, np.repeat(weights[changing] / counts, counts))
        found = [
            PredictedChange(change=candidates[place], log_probability=min(0.0, math.log(agreement[place])))
            for place in chosen
        ]
        return sorted(found, key=lambda one: -one.log_probability)

    def _choose(
        self,
        candidates: Sequence[Change],
        agreement: NDArray[np.float64],
        overlaps: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> list[int]:
        """Places of the set of changes with, greedily, the highest expected precision plus recall.

        Precision is the mean agreement of the set, recall is how far it covers the candidates, as if one of the
        neighbours, drawn by its weight, were right. `weights` (candidates,) are the candidates' shares of the weight.
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
    places = {lemma: place for place, lemma in enumerate(known.lemmas)}
    changes = [
        [places.setdefault(part, len(places)) for part in attrs.astuple(change)]
        for own in known.changes
        for change in own
    ]
    nouns = [
        [places.setdefault(part, len(places)) for part in attrs.astuple(noun)] for own in known.nouns for noun in own
    ]
    tensors = {
        "vectors": torch.from_numpy(known.vectors),
        "noun_vectors": torch.from_numpy(known.noun_vectors),
        "changes": torch.tensor(changes, dtype=torch.int32).reshape(-1, len(attrs.fields(Change))),
        "change_counts": torch.tensor([len(own) for own in known.changes], dtype=torch.int32),
        "nouns": torch.tensor(nouns, dtype=torch.int32).reshape(-1, len(attrs.fields(Noun))),
        "noun_counts": torch.tensor([len(own) for own in known.nouns], dtype=torch.int32),
    }
    files = {STRINGS: json.dumps(list(places), ensure_ascii=False, indent=0).encode()}
    return Checkpoint(kind=KIND, settings=attrs.asdict(settings), tensors=tensors, card=card, files=files)


def retrieval_model(checkpoint: Checkpoint) -> ChangeRetriever:
    """The model of a checkpoint. Raises ModelError if its parts do not fit together."""
    assert checkpoint.model is not None
    try:
        settings = RetrievalSettings(**checkpoint.settings)
        tensors = {name: tensor.numpy() for name, tensor in checkpoint.tensors.items()}
        strings = json.loads(checkpoint.files[STRINGS])
        names = [attribute.name for attribute in attrs.fields(Change)]
        changes = [
            Change(**{name: strings[part] for name, part in zip(names, row, strict=True)})
            for row in tensors["changes"].tolist()
        ]
        nouns = [Noun(*(strings[part] for part in row)) for row in tensors["nouns"].tolist()]
        known = KnownSteps(
            tensors["vectors"],
            _grouped(changes, tensors["change_counts"].tolist()),
            _grouped(nouns, tensors["noun_counts"].tolist()),
            strings[: len(tensors["noun_vectors"])],
            tensors["noun_vectors"],
        )
        if known.vectors.shape != (len(known.changes), SIZE) or len(known.nouns) != len(known.changes):
            raise ValueError("the numbers of steps differ")
        if known.noun_vectors.shape[1] != SIZE or {noun.lemma for noun in nouns} - set(known.lemmas):
            raise ValueError("nouns without a vector")
        return ChangeRetriever(known, settings, checkpoint.model)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        remedy = "train the model again, or get the checkpoint again"
        raise ModelError(f"not a checkpoint of retrieval: {error}", remedy=remedy) from error


def _grouped(items: Sequence[_Item], counts: Sequence[int]) -> list[tuple[_Item, ...]]:
    """The items of each step. Raises ValueError if there are more or fewer."""
    if sum(counts) != len(items) or min(counts, default=0) < 0:
        raise ValueError("the numbers of changes or nouns differ")
    rest = iter(items)
    return [tuple(islice(rest, count)) for count in counts]
