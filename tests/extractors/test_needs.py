"""Lists of what is needed: their events, with tools and participants."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.extractors.events import EventExtractor
from kgscripts.extractors.protocol import Parse, ParsedDocument
from schemas.records import Argument, Document, EventMention, Tool

Found = list[tuple[str, list[str], list[str]]]


def _events(text: str) -> list[EventMention]:
    (document,) = documents_from_strings([text], format="markdown" if text.startswith("#") else "text")
    assert isinstance(document, Document)
    parses = tuple(Parse(item.passage, item.doc, item.offset) for item in parse_documents([document], None)[0])
    (records,) = EventExtractor().read([ParsedDocument(document, parses)])
    events = [record for record in records if isinstance(record, EventMention)]
    for event in events:
        things: list[Tool | Argument] = [*event.tools, *event.participants]
        for thing in things:
            assert event.start <= thing.start < thing.end <= event.end
            assert document.text[thing.start : thing.end].split()[-1][:3].lower() == thing.lemma.split()[-1][:3]
    return events


def _found(events: Sequence[EventMention]) -> Found:
    return [
        (event.action.label, [tool.lemma for tool in event.tools], [item.lemma for item in event.participants])
        for event in events
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("You will need: spade, stake\n", [("gather tool", ["spade", "stake"], [])]),
        (
            "What you need:\n• 2 cans of white paint\n• a paint roller (9 inches, new)\n• masking tape\n"
            "• ladder to climb on",
            [("gather material", [], ["paint", "masking tape"]), ("gather tool", ["paint roller", "ladder"], [])],
        ),
        (
            "# Cake\n\n## Ingredients\n\n- 2 cups flour\n- 1 cup of brown sugar, sifted\n- 3 Eggs\n- salt and pepper\n"
            "\n### Equipment\n\n- a large mixing bowl\n- spiralizers\n- oven\n",
            [
                ("gather ingredient", [], ["flour", "brown sugar", "egg", "salt", "pepper"]),
                ("gather tool", ["mixing bowl", "spiralizer", "oven"], []),
            ],
        ),
        ("Ingredients: can of beans, bowl", [("gather ingredient", [], ["bean", "bowl"])]),
        ("Tools and materials: scissors; glue", [("gather material", [], ["glue"]), ("gather tool", ["scissors"], [])]),
    ],
)
def test_lists(text: str, found: Found) -> None:
    assert _found(_events(text)) == found


def test_lists_come_before_the_steps_and_are_not_read_as_prose() -> None:
    text = "Tools: stake, pump, patch kit\n\nStep 1: Dig a hole.\nStep 2: Use a spade.\nLast step: Water the tree\n"
    assert _found(_events(text)) == [
        ("gather tool", ["stake", "pump", "patch kit"], []),
        ("dig hole", [], ["hole"]),
        ("use spade", ["spade"], []),
        ("water tree", [], ["tree"]),
    ]


@pytest.mark.parametrize(
    "text", ["Tools: \n, ;\n\nDig.", "You will need: (none)\n\nDig.", "Ingredients: 1 2 3\n\nDig."]
)
def test_a_list_of_nothing_gives_nothing(text: str) -> None:
    assert [label for label, *_ in _found(_events(text))] == ["dig"]
