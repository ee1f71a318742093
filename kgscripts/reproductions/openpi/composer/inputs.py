"""The inputs of the network for steps of procedures: pieces of the text, and the nouns that changes can name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from attrs import evolve, frozen
from torch import Tensor

from kgscripts.reproductions.openpi.composer.vocabulary import plain
from kgscripts.reproductions.torch_networks.bert import BertEncoder
from kgscripts.reproductions.torch_networks.inference import TensorFields, padded
from kgscripts.text.passages import MAX_CHARACTERS
from kgscripts.text.pipeline import load_pipeline
from schemas.changes import ProcedureStep

if TYPE_CHECKING:
    from spacy.tokens import Doc

MOST_NOUNS = 24
"""The most nouns of a step and its context that can be pointed at; nouns of the step come first."""
FEATURES = 5
_STEP_PIECES, _TITLE_PIECES, _CONTEXT_PIECES = 90, 12, 60
_CONTEXT_WORDS = 100
"""Enough for the pieces of the context, and for the tagger to see the words before them."""
_NOUNS, _MODIFIERS = ("NOUN", "PROPN"), ("NOUN", "PROPN", "ADJ", "NUM")
_NEEDLESS = ("parser", "senter", "trainable_lemmatizer", "lemma_corrector")


class _Mention(NamedTuple):
    """A mention of a noun: its characters, and whether it has all its modifiers."""

    noun: str
    start: int
    end: int
    is_whole: bool


@frozen
class PointedNoun:
    """A noun of the text, its mentions as (first piece, end) and its features, `FEATURES` numbers."""

    noun: str
    pieces: tuple[tuple[int, int], ...]
    features: tuple[float, ...]


@frozen
class StepInput:
    """Pieces of step, title and context, their types (0: step), and the nouns that can be pointed at."""

    ids: Sequence[int]
    types: Sequence[int]
    nouns: Sequence[PointedNoun]
    title: tuple[int, int]
    """The pieces of the title; those behind it are the context."""


@frozen(eq=False)
class StepBatch(TensorFields):
    """Tensors of some steps.

    `ids`, `types`, `attention` are (steps, pieces); `weights` (steps, nouns, pieces) are the shares of the pieces in
    each noun, `features` (steps, nouns, `FEATURES`), and `is_noun` (steps, nouns) tells nouns from padding.
    """

    ids: Tensor
    types: Tensor
    attention: Tensor
    weights: Tensor
    features: Tensor
    is_noun: Tensor


def step_inputs(steps: Sequence[ProcedureStep], encoder: BertEncoder) -> Iterator[StepInput]:
    """The inputs of steps. The end of a long step and the beginning of a long context are cut. At most `MAX_CHARACTERS`
    of each text are parsed, more than the pieces that are used.
    """
    steps = [evolve(step, text=step.text[:MAX_CHARACTERS], title=step.title[:MAX_CHARACTERS]) for step in steps]
    contexts = [_end_of(step.context) for step in steps]
    nlp = load_pipeline()
    disabled = [name for name in _NEEDLESS if name in nlp.pipe_names]
    docs = nlp.pipe(
        [text for pair in zip((step.text for step in steps), contexts, strict=True) for text in pair], disable=disabled
    )
    for step, context in zip(steps, contexts, strict=True):
        yield _input(step, context, _mentions(next(docs)), _mentions(next(docs)), encoder)


def batch_of(inputs: Sequence[StepInput], length: int) -> StepBatch:
    """The tensors of inputs, padded to `length` pieces and `MOST_NOUNS` nouns."""
    ids, attention = padded([item.ids for item in inputs], length)
    types, _ = padded([item.types for item in inputs], length)
    weights = torch.zeros(len(inputs), MOST_NOUNS, length)
    features = torch.zeros(len(inputs), MOST_NOUNS, FEATURES)
    is_noun = torch.zeros(len(inputs), MOST_NOUNS, dtype=torch.bool)
    for row, item in enumerate(inputs):
        for place, noun in enumerate(item.nouns):
            for start, end in noun.pieces:
                weights[row, place, start:end] += 1
            features[row, place] = torch.tensor(noun.features)
            is_noun[row, place] = True
    weights /= weights.sum(dim=2, keepdim=True).clamp(min=1)
    return StepBatch(ids=ids, types=types, attention=attention, weights=weights, features=features, is_noun=is_noun)


def _end_of(context: Sequence[str]) -> str:
    """The last steps, so that the time for a long procedure does not grow with the square of its steps."""
    words, first = 0, len(context)
    while first > 0 and words < _CONTEXT_WORDS:
        first -= 1
        words += len(context[first].split())
    return " ".join(context[first:])[-MAX_CHARACTERS:]


def _mentions(doc: Doc) -> list[_Mention]:
    """Nouns with none, one and two of the modifiers before them."""
    mentions = []
    for token in doc:
        if token.pos_ in _NOUNS:
            first = token.i
            while first > 0 and token.i - first < 2 and doc[first - 1].pos_ in _MODIFIERS:
                first -= 1
            for start in range(first, token.i + 1):
                span = doc[start : token.i + 1]
                if noun := plain(span.text):
                    mentions.append(_Mention(noun, span.start_char, span.end_char, start == first))
    return mentions


def _input(
    step: ProcedureStep, context: str, own: Sequence[_Mention], earlier: Sequence[_Mention], encoder: BertEncoder
) -> StepInput:
    texts = [encoder.tokenizer.encode(text, add_special_tokens=False) for text in (step.text, step.title, context)]
    parts = [texts[0].ids[:_STEP_PIECES], texts[1].ids[:_TITLE_PIECES], texts[2].ids[-_CONTEXT_PIECES:]]
    end = encoder.separator
    ids = [encoder.start, *parts[0], end, *parts[1], end, *parts[2], end]
    title = (len(parts[0]) + 2, len(parts[0]) + 2 + len(parts[1]))
    places: dict[str, list[tuple[int, int, bool, bool]]] = {}
    for mentions, offsets, first, is_step in (
        (own, texts[0].offsets[:_STEP_PIECES], 1, True),
        (earlier, texts[2].offsets[-_CONTEXT_PIECES:], title[1] + 1, False),
    ):
        for mention in mentions:
            if pieces := [
                at for at, (left, right) in enumerate(offsets, first) if left < mention.end and right > mention.start
            ]:
                places.setdefault(mention.noun, []).append((pieces[0], pieces[-1] + 1, is_step, mention.is_whole))
    return StepInput(
        ids=ids,
        types=[int(place >= title[0]) for place in range(len(ids))],
        nouns=[_pointed(noun, occurrences) for noun, occurrences in list(places.items())[:MOST_NOUNS]],
        title=title,
    )


def _pointed(noun: str, occurrences: Sequence[tuple[int, int, bool, bool]]) -> PointedNoun:
    features = (
        float(occurrences[0][2]),
        float(any(is_whole for *_, is_whole in occurrences)),
        min(len(occurrences), 4) / 4,
        float(" " in noun),
        1.0,
    )
    return PointedNoun(noun, tuple((start, end) for start, end, *_ in occurrences), features)


def places_of(inputs: Sequence[StepInput], vocabulary: Mapping[str, int]) -> Tensor:
    """The place of each noun in a vocabulary, -1 for none: (steps, `MOST_NOUNS`) int64."""
    places = torch.full((len(inputs), MOST_NOUNS), -1)
    for row, item in enumerate(inputs):
        for column, noun in enumerate(item.nouns):
            places[row, column] = vocabulary.get(noun.noun, -1)
    return places
