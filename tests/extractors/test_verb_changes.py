"""What the verbs of events bring about, read off short texts by the shipped pipeline and the table of verbs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.extractors.changes.change_candidates import candidates_of
from kgscripts.extractors.changes.verb_changes import PERSON, ChangeByVerb, changes_by_verb, preposition_before
from kgscripts.extractors.protocol import ParsedDocument
from kgscripts.reproductions.openpi.units import read_units
from schemas.changes import Change
from schemas.records import Action, Argument, Document, EventMention, Role, Tool, ToolRole
from tests.extractors.parses import with_events

Places = dict[str, tuple[str, str]]


def _read(*steps: str) -> list[list[ChangeByVerb]]:
    """The changes by the verbs of each step, with the places that earlier ones have brought things to."""
    (document,) = (
        item for item in documents_from_strings([{"id": "1", "steps": list(steps)}]) if isinstance(item, Document)
    )
    (parses,) = parse_documents([document], None)
    (parsed,) = with_events([ParsedDocument(document, tuple(parses))])
    places: Places = {}
    found = []
    for unit in read_units(parsed).units:
        found.append([item for each in unit.mentions for item in changes_by_verb(each, unit.text, unit.start, places)])
        candidates_of([], unit.mentions, unit.text, unit.start, places)
    return found


def _words(changes: Sequence[ChangeByVerb]) -> set[str]:
    """The changes in words: "location of cup: on shelf -> in sink"."""
    return {_in_words(item.change) for item in changes}


def _in_words(change: Change) -> str:
    before = f"{change.before} -> " if change.before else ""
    return f"{change.attribute} of {change.entity}: {before}{change.after}"


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            "Hang the picture on a hook.",
            ["location of picture: on hook", "attachment of picture: detached -> attached"],
        ),
        ("Put the cup into the sink.", ["location of cup: in sink"]),
        ("Put the pot on the stove.", ["location of pot: on stove"]),
        ("Put the book onto the shelf.", ["location of book: on shelf"]),
        ("Place a bowl under the tap.", ["location of bowl: under tap"]),
        ("Lean the ladder against the wall.", ["location of ladder: against wall"]),
        ("Tie the rope around the tree.", ["location of rope: around tree"]),
        ("Put the coin in the box.", ["location of coin: in box", "fullness of box: emptier -> fuller"]),
        (
            "Add the pasta to the water.",
            ["location of pasta: in water", "composition of water: without pasta -> mixed with pasta"],
        ),
        ("Take the cup off the shelf.", ["location of cup: on shelf -> off shelf", "fullness of hand: empty -> full"]),
        (
            "Take the eggs out of the box.",
            ["location of egg: in box -> out of box", "fullness of box: fuller -> emptier"],
        ),
        (
            "Remove the lid from the pot.",
            ["location of lid: in pot -> out of pot", "attachment of lid: attached -> detached"],
        ),
        ("Move the cup from the table to the sink.", ["location of cup: in table -> at sink"]),
        ("Pour the water into the glass.", ["location of water: in glass", "fullness of glass: emptier -> fuller"]),
        (
            "Pour the milk from the jug into the cup.",
            [
                "location of milk: in jug -> in cup",
                "fullness of jug: fuller -> emptier",
                "fullness of cup: emptier -> fuller",
            ],
        ),
        (
            "Wipe the table with a cloth.",
            [
                "cleanliness of table: dirty -> clean",
                "cleanliness of cloth: clean -> dirty",
                "location of dirt: on table -> removed",
            ],
        ),
        ("Wash the dishes in the sink.", ["cleanliness of dish: dirty -> clean", "wetness of dish: dry -> wet"]),
        ("Switch on the lamp.", ["power of lamp: off -> on", "brightness of room: dark -> bright"]),
        ("Turn the oven off.", ["power of oven: on -> off"]),
        ("Light the candle.", ["lighting of candle: unlit -> lit"]),
        ("Blow out the candle.", ["lighting of candle: lit -> unlit"]),
        ("Open the window.", ["openness of window: closed -> open", "temperature of room: warmer -> cooler"]),
        ("Close the door.", ["openness of door: open -> closed"]),
        ("Lock the door with the key.", ["lock of door: unlocked -> locked"]),
        ("Boil the water in the kettle.", ["temperature of water: cold -> hot", "temperature of kettle: cold -> hot"]),
        ("Cut the onion with a knife.", ["wholeness of onion: whole -> cut", "cleanliness of knife: clean -> dirty"]),
        ("Peel the potatoes.", ["wholeness of potato: unpeeled -> peeled", "location of peel: on potato -> removed"]),
        ("The ice melted.", ["state of matter of ice: solid -> liquid"]),
        (
            "Put on the shirt.",
            ["clothing of shirt: not worn -> worn", f"clothing of {PERSON}: without shirt -> wearing shirt"],
        ),
        ("Put the shirt on.", ["clothing of shirt: not worn -> worn"]),
        ("Spread butter on the bread.", ["coverage of bread: uncovered -> covered with butter"]),
        ("Cover the pot with a lid.", ["coverage of pot: uncovered -> covered", "location of lid: on pot"]),
        ("Put the milk in the fridge.", ["location of milk: in fridge", "temperature of milk: warm -> cold"]),
        ("Charge the phone.", ["charge of phone: drained -> charged"]),
        ("Throw the bottle away.", ["location of bottle: in bin"]),
        ("Walk to the shop.", [f"location of {PERSON}: at shop"]),
        ("Get into the car.", [f"location of {PERSON}: in car"]),
        ("Sit down on the chair.", [f"posture of {PERSON}: standing -> sitting", f"location of {PERSON}: on chair"]),
        ("The child sits down on the chair.", ["posture of child: standing -> sitting", "location of child: on chair"]),
        ("Set the table.", ["organization of table: empty -> set"]),
        ("Put on the rubber gloves.", ["clothing of rubber glove: not worn -> worn"]),
        ("Knead the dough on the table.", ["cleanliness of table: clean -> dirty"]),
        ("Pack the suitcase.", ["fullness of suitcase: empty -> full"]),
    ],
)
def test_what_a_step_brings_about(step: str, expected: list[str]) -> None:
    (found,) = _read(step)
    assert _words(found) >= set(expected)


@pytest.mark.parametrize(
    ("step", "wrong"),
    [
        ("Put on the rubber gloves.", "attachment"),
        ("Put the glasses on.", "stability"),
        ("Clip the hair back.", "wholeness"),
        ("Trim the hedge with shears.", "of hair"),
        ("Pack the suitcase with clothes.", "of water"),
        ("Fill it two thirds with cool water.", "third"),
        ("Soak the stone in water.", "texture"),
        ("I burned my fingers.", "lighting"),
        ("Join the queue.", "attachment"),
    ],
)
def test_what_a_step_does_not_bring_about(step: str, wrong: str) -> None:
    (found,) = _read(step)
    assert not [words for words in _words(found) if wrong in words]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            "Give the book to Anna.",
            [
                f"possession of book: {PERSON} -> anna",
                "possession of anna: without book -> with book",
                f"possession of {PERSON}: with book -> without book",
                f"location of book: with {PERSON} -> with anna",
            ],
        ),
        (
            "Buy a ticket.",
            ["possession of ticket: not owned -> owned", f"payment of {PERSON}: more money -> less money"],
        ),
        ("Anna buys a ticket.", ["payment of anna: more money -> less money"]),
        ("Pay the bill.", ["payment of bill: unpaid -> paid"]),
    ],
)
def test_who_has_what(step: str, expected: list[str]) -> None:
    (found,) = _read(step)
    assert _words(found) >= set(expected)


@pytest.mark.parametrize(
    ("step", "entity", "attribute"),
    [
        ("Hang the picture on a hook.", "hook", "location"),
        ("Put the cup into the sink.", "sink", "location"),
        ("Wipe the table with a cloth.", "table", "location"),
        ("Throw the bottle away.", "bottle", "motion"),
        ("Turn the lamp off.", "room", "openness"),
        ("Put the shirt on.", "shirt", "power"),
        ("Boil the water.", "water", "cookedness"),
        ("Wash the potatoes.", "potato", "cleanliness"),
        ("Buy a house.", "house", "location"),
        ("Feed the cat.", PERSON, "possession"),
        ("Cover the bread with a cloth.", "bread", "location"),
        ("Walk to Anna.", "anna", "location"),
    ],
)
def test_what_a_step_leaves_alone(step: str, entity: str, attribute: str) -> None:
    (found,) = _read(step)
    assert (entity, attribute) not in {(item.change.entity, item.change.attribute) for item in found}


def test_things_are_taken_from_where_earlier_steps_put_them() -> None:
    _, found = _read("Put the cup in the box.", "Take the cup out.")
    assert _words(found) >= {"location of cup: in box -> out of box", "fullness of box: fuller -> emptier"}
    _, found = _read("Put the pan on the stove.", "Put the pan in the sink.")
    assert "location of pan: on stove -> in sink" in _words(found)
    _, found = _read("Put the pan on the stove.", "Take the cup.")
    assert not [item for item in found if "stove" in (item.change.entity, *item.change.before.split())]


def test_words_say_better_where_a_thing_was_than_earlier_steps() -> None:
    _, found = _read("Put the cup in the box.", "Take the cup off the table.")
    assert "location of cup: on table -> off table" in _words(found)
    assert "box" not in {item.change.entity for item in found}


def test_what_was_taken_away_is_not_put_from_there() -> None:
    *_, found = _read("Put the pan on the stove.", "Take the pan off the stove.", "Put the pan in the sink.")
    assert {item.change.before for item in found if item.change.attribute == "location"} == {""}


def test_a_change_has_the_line_of_the_table_that_it_follows_from() -> None:
    (found,) = _read("Wipe the table with a cloth.")
    for item in found:
        assert (item.line.attribute, item.line.of_class) == (item.change.attribute, item.line.name.partition(":")[0])
    clean = next(item for item in found if _in_words(item.change) == "cleanliness of table: dirty -> clean")
    assert clean.line.name == "cleaning: cleanliness of object: clean"


def test_an_attribute_of_an_entity_changes_once() -> None:
    for step in ("Wash the dirty dishes in the hot water with a sponge.", "Cut your hair.", "Blow out the candle."):
        (found,) = _read(step)
        pairs = [(item.change.entity, item.change.attribute) for item in found]
        assert len(set(pairs)) == len(pairs)
        assert all("{" not in f"{item.change.before}{item.change.after}" for item in found)
        assert all(item.change.before != item.change.after for item in found)


def test_steps_without_events_change_nothing() -> None:
    assert _read("Two cups of sugar.", "Do not open the door.") == [[]]


def _mention(text: str, predicate: str, **nouns: Role | ToolRole) -> EventMention:
    """An event of the whole text with participants and tools."""
    spans = {name: (text.index(name), text.index(name) + len(name)) for name in nouns}
    participants = [
        Argument(lemma=name, role=role, start=spans[name][0], end=spans[name][1])
        for name, role in nouns.items()
        if isinstance(role, Role)
    ]
    tools = [
        Tool(lemma=name, role=role, start=spans[name][0], end=spans[name][1])
        for name, role in nouns.items()
        if isinstance(role, ToolRole)
    ]
    patients = [item.lemma for item in participants if item.role is Role.PATIENT]
    action = Action(predicate=predicate, object=patients[0] if patients else "")
    return EventMention(action=action, start=0, end=len(text), participants=participants, tools=tools)


def test_a_text_that_begins_later_in_its_document() -> None:
    text = "put the cup into the sink"
    mention = _mention(f"Wait. {text}", "put", cup=Role.PATIENT, sink=Role.PLACE)
    assert "location of cup: in sink" in _words(changes_by_verb(mention, text, len("Wait. ")))


def test_the_vessel_of_an_event_is_where_its_object_gets() -> None:
    text = "pour water: a bucket"
    mention = _mention(text, "pour", water=Role.PATIENT, bucket=ToolRole.CONTAINER)
    assert "location of water: in bucket" in _words(changes_by_verb(mention, text, 0))


def test_a_person_is_the_doer_and_a_thing_that_acts_is_acted_on() -> None:
    melting = _mention("the ice melts", "melt", ice=Role.AGENT)
    assert "state of matter of ice: solid -> liquid" in _words(changes_by_verb(melting, "the ice melts", 0))
    sitting = _mention("the child sits", "sit", child=Role.AGENT)
    assert "posture of child: standing -> sitting" in _words(changes_by_verb(sitting, "the child sits", 0))


def test_what_the_table_lacks_changes_nothing() -> None:
    assert (
        changes_by_verb(_mention("frobnicate the cup", "frobnicate", cup=Role.PATIENT), "frobnicate the cup", 0) == []
    )


@pytest.mark.parametrize(
    ("text", "noun", "expected"),
    [
        ("put it in the sink", "sink", "in"),
        ("put it on top of the big red box", "box", "on top of"),
        ("take it out of the box", "box", "out of"),
        ("take it off of the box", "box", "off of"),
        ("Put it INTO the sink", "sink", "into"),
        ("put it in the sink, box", "box", ""),
        ("put the box", "box", ""),
        ("in a very very very very big red old box", "box", ""),
        ("box", "box", ""),
    ],
)
def test_the_preposition_of_a_noun(text: str, noun: str, expected: str) -> None:
    assert preposition_before(text, text.index(noun)) == expected


@pytest.mark.parametrize("place", [-5, 0, 3, 99])
def test_a_place_outside_of_the_text_has_no_preposition(place: int) -> None:
    assert preposition_before("box", place) == ""
