"""A reader of a tiny language, exact and quick, so that tests know what every text says.

A sentence is ``[we] VERB [the NOUN] [in|on the NOUN] [with the NOUN]`` and ends in a full stop; ``not`` in front of it
negates it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from attrs import field, frozen
from hypothesis import strategies as st

from schemas.provenance import BenchmarkScore, Model
from schemas.records import (
    Action,
    Argument,
    Discard,
    DiscardReason,
    Document,
    EventMention,
    Passage,
    PassageKind,
    Reading,
    Role,
    Tool,
)

_SENTENCE = re.compile(
    r"(?P<not>not )?(?P<agent>we )?(?P<verb>\w+)(?: the (?P<object>\w+))?"
    r"(?: (?P<preposition>in|on) the (?P<place>\w+))?(?: with the (?P<tool>\w+))?\."
)
_ROLES = {"agent": Role.AGENT, "object": Role.PATIENT, "place": Role.PLACE}
SYNTAX = Model(name="tiny-syntax", version="1", digest="a" * 64, task="syntactic analysis")
SCORE = BenchmarkScore(dataset="tiny", split="test", metric="F1", value=100.0, unit="percent")


@frozen
class TinyReader:
    """Reads the tiny language. `version` stands for another model that reads the same, `log` gets every name read."""

    version: str = "1"
    log: Path | None = None
    interrupt_at: str = field(default="never")

    def models(self) -> tuple[Model, ...]:
        digest = (self.version * 64)[:64]
        return SYNTAX, Model(name="tiny", version=self.version, digest=digest, task="events", scores=[SCORE])

    def read(self, documents: Sequence[Document]) -> list[Sequence[Reading]]:
        for document in documents:
            if self.interrupt_at in document.text:
                raise KeyboardInterrupt
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as stream:
                    print(document.name, file=stream)
        return [[read_tiny(document)] for document in documents]


def read_tiny(document: Document) -> Reading:
    """What a document of the tiny language says."""
    sentences, events, discards = [], [], []
    for match in _SENTENCE.finditer(document.text):
        sentences.append(Passage(kind=PassageKind.SENTENCE, start=match.start(), end=match.end()))
        if match["not"]:
            discards.append(Discard(reason=DiscardReason.NEGATED, start=match.start(), end=match.end()))
        else:
            events.append(_event(match))
    return Reading(sentences=sentences, events=events, discards=discards)


def _event(match: re.Match[str]) -> EventMention:
    return EventMention(
        action=Action(
            predicate=match["verb"],
            object=match["object"] or "",
            preposition=match["preposition"] or "",
            prepositional_object=match["place"] or "",
        ),
        start=match.start(),
        end=match.end() - 1,
        participants=[
            Argument(lemma=match[group].strip(), role=role, start=match.start(group), end=match.end(group))
            for group, role in _ROLES.items()
            if match[group]
        ],
        tools=[Tool(lemma=match["tool"], start=match.start("tool"), end=match.end("tool"))] if match["tool"] else [],
        score=0.5 + len(match["verb"]) / 100,
    )


def tiny_document(text: str, *, name: str = "tiny", scenario: str = "") -> Document:
    """A document of one paragraph."""
    passages = [Passage(kind=PassageKind.PARAGRAPH, start=0, end=len(text))] if text else []
    return Document(name=name, format="text", text=text, scenario=scenario, passages=passages)


_NOUNS = st.sampled_from(["pot", "pasta", "water", "spoon"])
_VERBS = st.sampled_from(["boil", "add", "stir", "drain"])


@st.composite
def _sentences(draw: st.DrawFn) -> str:
    parts = [draw(st.sampled_from(["", "", "", "not ", "we "])) + draw(_VERBS)]
    for opening in (" the ", " in the ", " with the "):
        if draw(st.booleans()):
            parts.append(opening + draw(_NOUNS))
    return "".join(parts) + "."


@st.composite
def _documents(draw: st.DrawFn) -> Document:
    text = " ".join(draw(st.lists(_sentences(), max_size=7)))
    scenario = draw(st.sampled_from(["cooking pasta", "Cook pasta", "making soup in a tent", ""]))
    return tiny_document(text, name=draw(st.sampled_from(["a", "b", "c"])), scenario=scenario)


DOCUMENTS = st.lists(_documents(), max_size=8)
"""Documents of the tiny language, with duplicates and with scenarios of several spellings."""
