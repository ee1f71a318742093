"""The most probable state changes of a step: a beam search over the parts of a change."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from attrs import define, field
from torch import Tensor

from kgscripts.reproductions.openpi.composer.inputs import StepBatch, StepInput, places_of
from kgscripts.reproductions.openpi.composer.network import (
    AFTER,
    AFTER_FILLER,
    ATTRIBUTE,
    BEFORE,
    BEFORE_FILLER,
    ENTITY,
    IMPOSSIBLE,
    KIND_OF_PART,
    PARTS,
    POINTED,
    ChangeNetwork,
    Memory,
)
from kgscripts.reproductions.openpi.composer.vocabulary import ChangeVocabulary, Value, joined
from schemas.changes import Change

WIDTHS = (10, 24, 24, 32, 40, 56)
"""The number of beginnings of changes that are kept after each part; twice as many give the same scores."""

Candidate = tuple[Change, float]
"""A change and its log probability."""


def candidates(
    network: ChangeNetwork,
    vocabulary: ChangeVocabulary,
    tables: Sequence[Tensor],
    inputs: Sequence[StepInput],
    states: Tensor,
    batch: StepBatch,
) -> list[list[Candidate]]:
    """The changes at the end of the search for each step, unordered, without those that change nothing.

    `tables` are those of `network`, `states` (steps, pieces, 384) MiniLM's hidden states of `batch`.
    """
    search = _Search(network, tables, network.memory(states, batch), batch.is_noun, vocabulary, inputs)
    return search.run()


@define(slots=False)
class _Search:
    network: ChangeNetwork
    tables: Sequence[Tensor]
    memory: Memory
    is_noun: Tensor
    vocabulary: ChangeVocabulary
    inputs: Sequence[StepInput]
    scores: Tensor = field(init=False)
    """Log probabilities of the beginnings, (steps, beginnings)."""
    chosen: list[Tensor] = field(factory=list, init=False)
    """The choice of each beginning for each part so far, (steps, beginnings): the index of a text or, after all texts,
    of a noun."""
    cache: list[tuple[Tensor, Tensor]] | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.scores = torch.zeros(len(self.inputs), 1, device=self.is_noun.device)
        self._texts_of_nouns = {part: self._texts(part) for part in POINTED}

    def run(self) -> list[list[Candidate]]:
        network = self.network
        has_slot = torch.tensor(self.vocabulary.has_slot, device=self.is_noun.device)
        vector = network.begin.expand(len(self.inputs), 1, -1)
        for part in (ENTITY, ATTRIBUTE, BEFORE, AFTER):
            vector = self._extend(part, self._log_probabilities(part, vector))
            if part in (BEFORE, AFTER):
                takes = has_slot[self.chosen[part]]
                options = torch.where(takes[..., None], self._log_probabilities(part + 1, vector), IMPOSSIBLE)
                without = torch.where(takes, IMPOSSIBLE, 0.0)[..., None]
                vector = self._extend(part + 1, torch.cat([options, without], dim=2))
        return self._changes()

    def _texts(self, part: int) -> Tensor:
        return places_of(self.inputs, self.vocabulary.places[KIND_OF_PART[part]]).to(self.is_noun.device)

    def _log_probabilities(self, part: int, vector: Tensor) -> Tensor:
        """(steps, beginnings, texts + nouns); a noun that is also a text of the vocabulary counts as the text."""
        network, table = self.network, self.tables[KIND_OF_PART[part]]
        inputs = (vector + network.place[part])[:, :, None]
        states, self.cache = network.decode(inputs, self.memory, self.cache)
        texts, nouns = network.scores(part, states[:, :, 0], self.memory, table)
        if nouns is None:
            return texts.log_softmax(-1)
        nouns = nouns.masked_fill(~self.is_noun[:, None], IMPOSSIBLE)
        shares = torch.cat([texts, nouns], dim=2).softmax(-1)
        same = self._texts_of_nouns[part][:, None].expand(-1, shares.shape[1], -1)
        moved = torch.where(same >= 0, shares[:, :, len(table) :], 0.0)
        shares[:, :, len(table) :] -= moved
        shares[:, :, : len(table)].scatter_add_(2, same.clamp(min=0), moved)
        return shares.log().clamp(min=IMPOSSIBLE)

    def _extend(self, part: int, options: Tensor) -> Tensor:
        """Keep the best beginnings with this part; return the input vectors of their choices."""
        total = self.scores[..., None] + options
        count = min(WIDTHS[part], total[0].numel())
        self.scores, places = total.flatten(1).topk(count, dim=1)
        parents, choices = places // options.shape[2], places % options.shape[2]
        self.chosen = [earlier.gather(1, parents) for earlier in self.chosen] + [choices]
        if self.cache is not None:
            self.cache = [(_of(keys, parents), _of(values, parents)) for keys, values in self.cache]
        return self._vectors(part, choices)

    def _vectors(self, part: int, choices: Tensor) -> Tensor:
        table = self.tables[KIND_OF_PART[part]]
        if part not in POINTED:
            return self.network.embedding(part, choices, table, choices, self.memory)
        nouns_of_texts = self._texts_of_nouns[part]
        is_noun = (choices >= len(table)) & (choices < len(table) + nouns_of_texts.shape[1])
        match = (nouns_of_texts[:, None] == choices[..., None]) & (choices < len(table))[..., None]
        nouns = torch.where(is_noun, choices - len(table), torch.where(match.any(-1), match.int().argmax(-1), -1))
        texts = torch.where(choices < len(table), choices, -1)
        vectors = self.network.embedding(part, texts, table, nouns, self.memory)
        is_none = choices >= len(table) + nouns_of_texts.shape[1]
        return torch.where(is_none[..., None], self.network.no_filler, vectors)

    def _changes(self) -> list[list[Candidate]]:
        names = (self.vocabulary.entities, self.vocabulary.attributes, self.vocabulary.phrases, self.vocabulary.fillers)
        chosen = [part.tolist() for part in self.chosen]
        changes: list[list[Candidate]] = []
        for row, scores in enumerate(self.scores.tolist()):
            nouns = [noun.noun for noun in self.inputs[row].nouns]
            own = []
            for place, score in enumerate(scores):
                if score <= IMPOSSIBLE / 2 or not math.isfinite(score):
                    continue
                parts: list[str | None] = []
                for part in range(PARTS):
                    texts, choice = names[KIND_OF_PART[part]], chosen[part][row][place]
                    behind = choice - len(texts)
                    parts.append(texts[choice] if behind < 0 else nouns[behind] if behind < len(nouns) else None)
                own.append((parts, score))
            changes.append([(change, score) for parts, score in own if (change := _change(parts)) is not None])
        return changes


def _change(parts: Sequence[str | None]) -> Change | None:
    entity, attribute, before, after = (parts[part] for part in (ENTITY, ATTRIBUTE, BEFORE, AFTER))
    assert entity is not None
    assert attribute is not None
    assert before is not None
    assert after is not None
    values = joined(Value(before, parts[BEFORE_FILLER])), joined(Value(after, parts[AFTER_FILLER]))
    if values[0] == values[1]:
        return None
    return Change(entity=entity, attribute=attribute, before=values[0], after=values[1])


def _of(cached: Tensor, parents: Tensor) -> Tensor:
    """The cache of the parents, (steps, beginnings, heads, parts, size)."""
    return cached.gather(1, parents[:, :, None, None, None].expand(-1, -1, *cached.shape[2:]))
