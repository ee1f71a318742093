"""Frames and mentions of readings that are given by hand: what the parse adds to what the reader says."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kgscripts.extractors.events.events import Text, events_of_texts
from kgscripts.extractors.events.frames import Thresholds
from kgscripts.extractors.protocol import Parse
from kgscripts.models.reader.labels import PLACE_BEFORE, REFERENT, EventRole, Reality
from kgscripts.models.reader.reader import Reader
from kgscripts.models.reader.readings import ReadEvent, Reading, Thing
from kgscripts.models.reader.windows import ReaderText
from kgscripts.text.pipeline import load_pipeline
from schemas.records import DiscardReason, EventMention, Passage, PassageKind, ToolRole

_ROLES = {role.value: role for role in EventRole}


class FixedReader(Reader):
    """Says of the words of each text what it was given: verb -> (reality, word -> label)."""

    def __init__(self, events: Mapping[str, tuple[Reality, Mapping[str, str]]], share: float = 0.9) -> None:
        self._events, self._share = events, share

    def read(self, texts: list[ReaderText], annotation: str = "graph") -> list[Reading]:  # type: ignore[override]  # noqa: ARG002
        return [self._reading(text) for text in texts]

    def _reading(self, text: ReaderText) -> Reading:
        words = list(text.all_words)
        events = []
        for verb, (reality, things) in self._events.items():
            found = [Thing(words.index(word), _ROLES.get(label, label), self._share) for word, label in things.items()]
            events.append(ReadEvent(words.index(verb), {reality: self._share}, 0.0, tuple(found)))
        return Reading(tuple(sorted(events, key=lambda event: event.word)), [0.0] * len(words), [0.0] * len(words))


def _read(text: str, events: Mapping[str, tuple[Reality, Mapping[str, str]]], **least: float) -> list[EventMention]:
    parse = Parse(Passage(kind=PassageKind.STEP, start=0, end=len(text)), load_pipeline()(text), 0)
    (read,) = events_of_texts([Text([parse])], FixedReader(events), Thresholds(**least))
    return [mention for event in read.events for mention in event.mentions]


DO = Reality.INSTRUCTED


@pytest.mark.parametrize(
    ("text", "events", "label", "tools"),
    [
        (
            "Cut the red rope with a sharp bread knife.",
            {"Cut": (DO, {"rope": "obj", "knife": "ins"})},
            "cut rope",
            {"bread knife": ToolRole.INSTRUMENT},
        ),
        (
            "Pour the water into the kitchen sink.",
            {"Pour": (DO, {"water": "obj", "sink": "dst"})},
            "pour water into kitchen sink",
            {},
        ),
        # The tool is an object too.
        ("Use a spade.", {"Use": (DO, {"spade": "ins"})}, "use spade", {"spade": ToolRole.INSTRUMENT}),
        ("Turn on the oven.", {"Turn": (DO, {"oven": "app"})}, "turn on oven", {"oven": ToolRole.APPLIANCE}),
        # The parse has the tool in another clause.
        (
            "Use a knife to cut the bread.",
            {"cut": (DO, {"bread": "obj", "knife": "ins"})},
            "cut bread",
            {"knife": ToolRole.INSTRUMENT},
        ),
        ("The screws are removed.", {"removed": (DO, {"screws": "obj"})}, "remove screw", {}),
    ],
)
def test_a_mention(
    text: str,
    events: Mapping[str, tuple[Reality, Mapping[str, str]]],
    label: str,
    tools: Mapping[str, ToolRole],
) -> None:
    [mention] = _read(text, events)
    assert mention.action.label == label
    assert {tool.lemma: tool.role for tool in mention.tools} == tools


def test_what_acts_by_itself_is_no_object() -> None:
    [mention] = _read("The dough rises in the bowl.", {"rises": (DO, {"dough": "obj", "bowl": "con"})})
    assert (mention.action.label, mention.words) == ("rise in bowl", "the dough rises")
    [let] = _read("Let the dough rise.", {"rise": (DO, {"dough": "obj"})})
    assert (let.action.label, let.words) == ("rise dough", "let the dough rise")
    assert let.start == 0


def test_a_pronoun_stands_for_a_noun_before_and_keeps_its_place() -> None:
    text = "Peel the carrots. Slice them."
    events = {"Peel": (DO, {"carrots": "obj"}), "Slice": (DO, {"them": "obj", "carrots": REFERENT})}
    mention = _read(text, events)[1]
    assert mention.action.label == "slice carrot"
    [argument] = mention.participants
    assert text[argument.start : argument.end] == "them"
    [unresolved] = _read("Slice them.", {"Slice": (DO, {"them": "obj"})})
    assert unresolved.action.label == "slice them"


def test_the_place_of_the_step_before_is_a_tool_that_is_inferred_with_its_role() -> None:
    text = "Heat the oil in a pan. Add the onions."
    events = {"Heat": (DO, {"oil": "obj", "pan": "con"}), "Add": (DO, {"onions": "obj", "pan": PLACE_BEFORE})}
    [tool] = _read(text, events)[1].tools
    assert (tool.lemma, tool.role, tool.inferred) == ("pan", ToolRole.CONTAINER, True)
    assert text[tool.start : tool.end] == "pan"


def test_what_the_parse_takes_for_a_noun_is_a_verb_where_the_reader_says_so() -> None:
    [apply, _] = _read("Apply tire formula, then vacuum.", {"Apply": (DO, {"formula": "obj"}), "vacuum": (DO, {})})
    assert apply.action.label == "apply tire formula"


@pytest.mark.parametrize(
    ("reality", "reason"),
    [
        (Reality.NEGATED, DiscardReason.NEGATED),
        (Reality.PLANNED, DiscardReason.PLANNED),
        (Reality.HYPOTHETICAL, DiscardReason.HYPOTHETICAL),
        (Reality.MENTIONED, DiscardReason.MENTIONED),
        (Reality.WARNING, DiscardReason.MENTIONED),
        (Reality.NOTE, DiscardReason.MENTIONED),
    ],
)
def test_what_does_not_happen_is_discarded_with_its_reason(reality: Reality, reason: DiscardReason) -> None:
    text = "Open the window."
    parse = Parse(Passage(kind=PassageKind.STEP, start=0, end=len(text)), load_pipeline()(text), 0)
    (read,) = events_of_texts([Text([parse])], FixedReader({"Open": (reality, {"window": "obj"})}))
    [event] = read.events
    assert (event.reason, event.mentions) == (reason, ())


def test_thresholds_decide_what_counts() -> None:
    events = {"Open": (DO, {"window": "obj"})}
    assert _read("Open the window.", events)
    assert not _read("Open the window.", events, event=0.95)
    assert not _read("Open the window.", events, happens=0.95)
    [mention] = _read("Open the window.", events, role=0.95)
    assert mention.action.label == "open"
