"""Lists of what is needed: tools and supplies with their amounts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.extractors.events.events import EventExtractor
from kgscripts.extractors.protocol import Parse, ParsedDocument
from schemas.records import Document, EventMention, Need, Record


def _records(text: str) -> list[Record]:
    (document,) = documents_from_strings([text], format="markdown" if text.startswith("#") else "text")
    assert isinstance(document, Document)
    parses = tuple(Parse(item.passage, item.doc, item.offset) for item in parse_documents([document], None)[0])
    (records,) = EventExtractor().read([ParsedDocument(document, parses)])
    for need in records:
        if isinstance(need, Need):
            item = document.text[need.start : need.end]
            assert item == item.strip()
            assert need.lemma.split()[-1][:3] in item.lower()
            assert need.amount in item
    return list(records)


def _needs(text: str) -> tuple[list[str], list[str]]:
    """The tools with their roles, and the supplies with their amounts."""
    found = [record for record in _records(text) if isinstance(record, Need)]
    tools = [f"{need.lemma} {need.role}" for need in found if need.role is not None]
    return tools, [f"{need.lemma} {need.amount}".strip() for need in found if need.role is None]


@pytest.mark.parametrize(
    ("text", "tools", "supplies"),
    [
        ("You will need: spade, stake\n", ["spade instrument", "stake instrument"], []),
        (
            "What you need:\n• 2 cans of white paint\n• a paint roller (9 inches, new)\n• masking tape\n"
            "• ladder to climb on",
            ["paint roller instrument", "ladder instrument"],
            ["paint 2 cans", "masking tape"],
        ),
        (
            "# Cake\n\n## Ingredients\n\n- 2 cups flour\n- 1 cup of brown sugar, sifted\n- 3 Eggs\n- salt and pepper\n"
            "\n### Equipment\n\n- a large mixing bowl\n- spiralizers\n- oven\n",
            ["mixing bowl container", "spiralizer instrument", "oven appliance"],
            ["flour 2 cups", "brown sugar 1 cup", "egg 3", "salt", "pepper"],
        ),
        ("Ingredients: can of beans, bowl", [], ["bean", "bowl"]),
        (
            "You will need: spade, watering can and a young tree",
            ["spade instrument", "watering can instrument"],
            ["tree"],
        ),
        ("Tools and materials: scissors; glue", ["scissors instrument"], ["glue"]),
    ],
)
def test_lists(text: str, tools: list[str], supplies: list[str]) -> None:
    assert _needs(text) == (tools, supplies)


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("3 ripe bananas", "banana 3"),
        ("tablespoon oil", "oil tablespoon"),
        ("1 1/2 cups warm water", "water 1 1/2 cups"),
        ("1½ cups milk", "milk 1½ cups"),
        ("2-3 carrots", "carrot 2-3"),
        ("1 (14 oz) can of beans", "bean 1 (14 oz) can"),
        ("1 x 400g tin of beans", "bean 1 x 400g tin"),
        ("a pinch of salt", "salt a pinch"),
        ("half a lemon", "lemon half"),
        ("round cake pan (9 inches)", "cake pan 9 inches"),
        ("cm pan", "pan cm"),
        ("freshly ground black pepper to taste", "black pepper"),
        ("juice of 1 lemon", "lemon"),
        ("1 (14 oz) can black beans", "black bean 1 (14 oz)"),
        ("1 can opener", "can opener 1"),
        ("2 cups grated cheddar", "cheddar 2 cups"),
    ],
)
def test_amounts_and_sizes_are_no_part_of_the_thing(item: str, found: str) -> None:
    assert _needs(f"# Soup\n\n## Ingredients\n\n- {item}\n- vanilla\n")[1][0] == found


_AMOUNTS = st.sampled_from(["2 cups", "1/2 teaspoon", "250 g", "3 tbsp.", "1-2 pinches", "¼ cup", "2 large"])
_THINGS = st.sampled_from(["flour", "sugar", "rice", "milk", "butter", "pepper"])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(_AMOUNTS, _THINGS), min_size=1, max_size=5, unique_by=lambda item: item[1]))
def test_an_item_is_its_amount_and_its_thing(items: list[tuple[str, str]]) -> None:
    text = "# Cake\n\n## Ingredients\n\n" + "".join(f"- {amount} {thing}\n" for amount, thing in items)
    _, supplies = _needs(text)
    assert supplies == [f"{thing} {amount.removesuffix(' large')}" for amount, thing in items]


def test_a_remark_behind_a_comma_is_no_thing() -> None:
    items = ("2 onions, cut into small rings", "2 eggs, lightly beaten", "1 tsp salt + 2 cups water")
    text = "# Soup\n\n## Ingredients\n\n" + "".join(f"- {item}\n" for item in items)
    assert _needs(text) == ([], ["onion 2", "egg 2", "salt 1 tsp", "water 2 cups"])


def test_lists_are_no_events() -> None:
    text = "Tools: stake, pump, patch kit\n\nStep 1: Dig a hole.\nStep 2: Use a spade.\nLast step: Water the tree\n"
    records = _records(text)
    assert [record.lemma for record in records if isinstance(record, Need)] == ["stake", "pump", "patch kit"]
    events = [record.action.label for record in records if isinstance(record, EventMention)]
    assert events == ["dig hole", "use spade", "water tree"]


@pytest.mark.parametrize(
    "text", ["Tools: \n, ;\n\nDig.", "You will need: (none)\n\nDig.", "Ingredients: 1 2 3\n\nDig."]
)
def test_a_list_of_nothing_gives_nothing(text: str) -> None:
    assert _needs(text) == ([], [])
