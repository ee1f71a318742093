"""Tools of an event, predicted by a cloze model: "use a ___ to drain the pasta"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgscripts.models.cloze import HIDDEN_WORD, Cloze
from kgscripts.text.lexicon import TOOL_CLASSES, is_tool, nouns
from schemas.records import PredictedTool

if TYPE_CHECKING:
    from kgscripts.models.cloze import ClozeModel
    from schemas.records import Action

_SENTENCES = (
    ("use", "a", HIDDEN_WORD, "to", "...", "."),
    ("...", "with", "a", HIDDEN_WORD, "."),
    ("...", "in", "a", HIDDEN_WORD, "."),
)
"""Templates of the concrete side; three dots are replaced by the words of the abstract event."""


def tool_words() -> list[str]:
    """The single words of the lexicon that name tools, by alphabet."""
    words = {word for label in TOOL_CLASSES for word in nouns(label)}
    return sorted(word for word in words if " " not in word and is_tool(word))


def words_of(action: Action) -> list[str]:
    """An action in the words of an instruction: "drain the pasta", "pour out the water into the sink"."""
    words = [action.predicate, *action.particle.split(), *_phrase(action.object)]
    return [*words, *action.preposition.split(), *_phrase(action.prepositional_object)]


def _phrase(noun: str) -> list[str]:
    return ["the", *noun.split()] if noun else []


def predict_tools(
    model: ClozeModel, events: Sequence[Sequence[str]], candidates: Sequence[str]
) -> list[list[PredictedTool]]:
    """For each event, given as words, the single-word candidates that are not among its words, best first.

    Probabilities are rounded to four decimals before they decide; of equal ones the first by alphabet comes first.
    """
    single = [word for word in candidates if " " not in word]
    if not events or not single:
        return [[] for _ in events]
    clozes = [_cloze(event, sentence) for event in events for sentence in _SENTENCES]
    probabilities = model.predict(clozes, single).exp().reshape(len(events), len(_SENTENCES), -1).mean(dim=1)
    return [
        sorted(
            (
                PredictedTool(lemma=word, probability=value)
                for word, value in zip(single, row[:-1], strict=True)
                if word not in event
            ),
            key=lambda tool: (-tool.probability, tool.lemma),
        )
        for event, row in zip(events, probabilities.tolist(), strict=True)
    ]


def _cloze(event: Sequence[str], sentence: Sequence[str]) -> Cloze:
    concrete = tuple(word for part in sentence for word in (event if part == "..." else (part,)))
    place = concrete.index(HIDDEN_WORD)
    return Cloze(
        abstract=(*event, "."),
        concrete=concrete,
        hidden=tuple(word == HIDDEN_WORD for word in concrete),
        position=place,
        slot_start=place,
    )
