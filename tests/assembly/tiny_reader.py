"""A reader of a tiny language, exact and quick, so that tests know what every text says.

A sentence is ``[we] VERB [the NOUN] [in|on the NOUN] [with the NOUN]`` and ends in a full stop; ``not`` in front of it
negates it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from attrs import evolve, frozen
from hypothesis import strategies as st

from kgscripts.extractors.labels import LabelExtractor
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from schemas.provenance import BenchmarkScore, Model
from schemas.records import (
    Action,
    Argument,
    ConcreteStep,
    Decomposition,
    Discard,
    DiscardReason,
    Document,
    EventMention,
    Need,
    Passage,
    PassageKind,
    Record,
    Role,
    Segment,
    Sentence,
    Tool,
    ToolRole,
)

_SENTENCE = re.compile(
    r"(?P<not>not )?(?P<agent>we )?(?P<verb>\w+)(?: the (?P<object>\w+))?"
    r"(?: (?P<preposition>in|on) the (?P<place>\w+))?(?: with the (?P<tool>\w+))?\."
)
_ROLES = {"agent": Role.AGENT, "object": Role.PATIENT, "place": Role.PLACE}
SYNTAX = Model(name="tiny-syntax", version="1", digest="a" * 64, task="syntactic analysis")
SCORE = BenchmarkScore(dataset="tiny", split="test", metric="F1", value=1.0, unit="share", exposure="development")


@frozen
class TinyExtractor(Extractor):
    """Reads the tiny language. `version` stands for other rules that read the same, `log` gets every name read."""

    name = "tiny"
    task = "events"
    gives = (Sentence, EventMention, Discard)

    version: str = "1"
    log: Path | None = None
    interrupt_at: str = "never"

    @property
    def rules(self) -> str:  # type: ignore[override]
        return self.version

    @property
    def networks(self) -> tuple[Model, ...]:
        return (SYNTAX,)

    def scores(self, parser: Model | None) -> Sequence[BenchmarkScore]:
        assert parser is None
        return [SCORE]

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        for item in documents:
            if self.interrupt_at in item.document.text:
                raise KeyboardInterrupt
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as stream:
                    print(item.document.name, file=stream)
        return [read_tiny(item.document) for item in documents]


@frozen
class OtherTinyExtractor(Extractor):
    """Reads some of the events of the tiny language again, and finds others of its own."""

    name = "other-tiny"
    rules = "1"
    task = "events"
    gives = (EventMention,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [
            [event for event in map(_heard_otherwise, read_tiny(item.document)) if event is not None]
            for item in documents
        ]


def _heard_otherwise(record: Record) -> EventMention | None:
    """Boiling as it is, with a tool more; draining as pouring; nothing else."""
    if not isinstance(record, EventMention):
        return None
    if record.action.predicate == "boil":
        kettle = Tool(lemma="kettle", start=record.start, end=record.end)
        return evolve(record, tools=[*record.tools, kettle], score=0.25)
    if record.action.predicate != "drain":
        return None
    return evolve(record, action=evolve(record.action, predicate="pour"), words=record.words.replace("drain", "pour"))


@frozen
class TinyDecomposer(Extractor):
    """Makes the first event of a document an abstract one, and the others its steps; the last refers to no event."""

    name = "tiny-steps"
    rules = "1"
    task = "decomposition"
    requires = (EventMention,)
    gives = (Decomposition,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [_steps(item.records[EventMention]) for item in documents]


def _steps(events: Sequence[Record]) -> list[Record]:
    first, *others = (event for event in events if isinstance(event, EventMention))
    steps = [
        ConcreteStep(action=event.action, start=event.start, end=event.end, log_probability=-0.5, tools=event.tools)
        for event in others
    ]
    missing = evolve(steps[-1], action=Action(predicate="vanish"))
    return [Decomposition(action=first.action, start=first.start, end=first.end, steps=[*steps, missing])]


@frozen
class CountingExtractor(Extractor):
    """Finds nothing in the events of others, and logs every document that it reads."""

    name = "counting"
    rules = "1"
    task = "nothing"
    requires = (EventMention,)
    gives = (Decomposition,)

    log: Path

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        with self.log.open("a", encoding="utf-8") as stream:
            for item in documents:
                print(item.document.name, file=stream)
                assert [*item.records] == [EventMention]
                assert list(item.records[EventMention]) == [
                    record for record in read_tiny(item.document) if isinstance(record, EventMention)
                ]
        return [[] for _ in documents]


@frozen
class TinySegmenter(Extractor):
    """Finds that sentences with water are about soup, and sentences with pasta about cooking pasta."""

    name = "tiny-segments"
    rules = "1"
    task = "scenarios"
    gives = (Segment,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [
            [
                Segment(scenario=scenario, start=match.start(), end=match.end(), confidence=confidence)
                for match in _SENTENCE.finditer(item.document.text)
                for word, scenario, confidence in (("water", "making soup", 0.5), ("pasta", "cooking pasta", 0.75))
                if word in match.group()
            ]
            for item in documents
        ]


@frozen
class TinyLister(Extractor):
    """Takes what is added for a listed supply, with an amount by the place of the sentence, and tools for listed."""

    name = "tiny-lists"
    rules = "1"
    task = "lists"
    requires = (EventMention,)
    gives = (Need,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [_listed(item.records[EventMention]) for item in documents]


def _listed(events: Sequence[Record]) -> list[Record]:
    found: list[Record] = []
    for event in events:
        assert isinstance(event, EventMention)
        start, end = event.start, event.end
        if event.action.predicate == "add" and event.action.object:
            found.append(Need(lemma=event.action.object, amount=str(start % 3), start=start, end=end))
        found += (Need(lemma=tool.lemma, role=tool.role, start=start, end=end) for tool in event.tools)
    return found


def tiny(version: str = "1", log: Path | None = None, interrupt_at: str = "never") -> list[Extractor]:
    """The extractors of the tiny language, with that of the scenarios."""
    return [TinyExtractor(version, log, interrupt_at), LabelExtractor()]


def read_tiny(document: Document) -> list[Record]:
    """What a document of the tiny language says."""
    found: list[Record] = []
    for match in _SENTENCE.finditer(document.text):
        found.append(Sentence(start=match.start(), end=match.end()))
        if match["not"]:
            found.append(Discard(reason=DiscardReason.NEGATED, start=match.start(), end=match.end()))
        else:
            found.append(_event(match))
    return found


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
        words=_words(match),
        phrase=f"{match['preposition']} the {match['place']}" if match["place"] and match["preposition"] else "",
        participants=[
            Argument(lemma=match[group].strip(), role=role, start=match.start(group), end=match.end(group))
            for group, role in _ROLES.items()
            if match[group]
        ],
        tools=[_tool(match)] if match["tool"] else [],
        score=0.5 + len(match["verb"]) / 100,
    )


def _words(match: re.Match[str]) -> str:
    """What a sentence says without its place: with one article or another, or none, by the place of the sentence."""
    article = ("", "the ", "a ")[match.start() % 3]
    return f"{match['verb']} {article}{match['object']}" if match["object"] else match["verb"]


def _tool(match: re.Match[str]) -> Tool:
    """The tool of a sentence, in one role or another by the place of the sentence."""
    role = ToolRole.CONTAINER if match.start() % 2 else ToolRole.SUPPORT
    return Tool(lemma=match["tool"], role=role, start=match.start("tool"), end=match.end("tool"))


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


MANY_DOCUMENTS = st.lists(_documents(), min_size=8, max_size=16).filter(
    lambda documents: sum(len(item.text) > 20 for item in documents) > 4
)
"""Documents of the tiny language, with duplicates and with scenarios of several spellings.

A build of sixteen takes hardly longer than one of two, and shows more.
"""
