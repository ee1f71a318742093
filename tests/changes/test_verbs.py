"""The table of verbs that change things: it is sound, and a verb is looked up with its particle and its object."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import resources

import pytest
from attrs import frozen

from kgscripts.changes.attributes import attributes, in_vocabulary
from kgscripts.changes.verbs import VerbChange, is_kind, verb_changes, verbs_digest
from kgscripts.text.lexicon import NO_TOOL_CLASSES, TOOL_CLASSES

ROLES = {"object", "doer", "recipient", "tool", "with", "from", "in", "on", "to", "around", "under"}
PLACES = {"where", "there", "away"}
PREPOSITIONS = {"in", "on", "with", "around", "under"}


@frozen
class Section:
    """A class of verbs as the file has it: the lines before "|" are verbs."""

    name: str
    verbs: tuple[str, ...]
    changes: tuple[str, ...]


@cache
def sections() -> tuple[Section, ...]:
    """The file, read in a plain way."""
    text = resources.files("kgscripts.changes").joinpath("data/verbs.txt").read_text("utf-8")
    heads = re.split(r"^\[(.+)\]$", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)[1:]
    found = []
    for name, content in zip(heads[::2], heads[1::2], strict=True):
        lines = [line for line in content.splitlines() if line.strip()]
        words = [verb for line in lines if "|" not in line for verb in line.split(", ")]
        found.append(Section(name, tuple(words), tuple(line for line in lines if "|" in line)))
    return tuple(found)


def read(section: Section) -> dict[str, tuple[VerbChange, ...]]:
    """What each verb of a class changes by this class, with an object that fits."""
    found = {}
    for verb in section.verbs:
        match = re.fullmatch(r"([\w-]+)(?: ([\w ]+?))?(?: \[(.+)\])?", verb)
        assert match is not None, verb
        fitting = _noun(match[3].split("/")[0]) if match[3] else "thing"
        changes = verb_changes(match[1], match[2] or "", fitting)
        found[verb] = tuple(dict.fromkeys(change for change in changes if change.of_class == section.name))
    return found


_OF_CLASS = {
    "consumable": "bread",
    "vessel": "cup",
    "place": "shop",
    "person": "man",
    "body": "hand",
    "clothing": "shirt",
    "animal": "dog",
    "information": "book",
    "device": "phone",
    "appliance": "oven",
    "vehicle": "car",
    "surface": "chopping board",
    "carrier": "cart",
    "implement": "hammer",
    "abstract": "attention",
    "liquid": "water",
}


def _noun(kind: str) -> str:
    """A noun that is of a kind: for a head, the head itself."""
    return _OF_CLASS.get(kind, kind)


@cache
def lines() -> tuple[VerbChange, ...]:
    """The lines of the table, each once."""
    return tuple(
        dict.fromkeys(
            change for section in sections() for changes in list(read(section).values())[:1] for change in changes
        )
    )


def _slots(change: VerbChange) -> Iterator[str]:
    yield from re.findall(r"\{(.*?)\}", f"{change.before} {change.after}")


def test_every_class_has_verbs_and_changes() -> None:
    assert [section.name for section in sections() if not section.verbs or not section.changes] == []


def test_no_class_has_the_name_of_another() -> None:
    assert [name for name, count in Counter(section.name for section in sections()).items() if count > 1] == []


@pytest.mark.parametrize("section", sections(), ids=lambda section: section.name)
def test_every_verb_of_a_class_has_all_of_its_changes(section: Section) -> None:
    expected = [tuple(part.strip() for part in line.split("|")[1:]) for line in dict.fromkeys(section.changes)]
    for verb, changes in read(section).items():
        assert [(change.attribute, change.before, change.after) for change in changes] == expected, verb


def test_no_line_of_a_class_is_written_twice() -> None:
    repeated = {section.name: [*(Counter(section.changes) - Counter(set(section.changes)))] for section in sections()}
    assert {name: lines for name, lines in repeated.items() if lines} == {}


def test_every_attribute_is_in_the_vocabulary() -> None:
    assert {change.attribute for change in lines()} <= set(attributes())


def test_every_value_is_in_its_usual_wording() -> None:
    values = {change.name: (change.attribute, change.before, change.after) for change in lines()}
    assert {name: in_vocabulary(*parts) for name, parts in values.items()} == values


def test_every_line_brings_about_another_value() -> None:
    assert [change.name for change in lines() if not change.after or change.before == change.after] == []


def test_every_role_and_every_slot_is_known() -> None:
    for change in lines():
        assert change.role in ROLES or re.fullmatch(r'"[a-z ]+"', change.role), change.name
        for slot in _slots(change):
            preposition, _, role = slot.rpartition("_")
            assert slot in PLACES or (role in ROLES and preposition in {*PREPOSITIONS, ""}), change.name
            assert slot != change.role, f"{change.name} is a value of itself"


def test_every_class_of_nouns_is_one_of_the_lexicon_or_a_noun() -> None:
    known = {*NO_TOOL_CLASSES, *TOOL_CLASSES, "liquid", "vehicle"}
    for change in lines():
        for kinds in (*change.classes, *change.excluded):
            for kind in kinds:
                assert kind in known or is_kind(kind, kind), change.name
                assert kind not in known or is_kind(_noun(kind), kind), kind


def test_every_place_of_an_object_is_the_head_of_a_noun() -> None:
    things = {change.thing for change in lines() if change.thing}
    assert things
    assert {thing for thing in things if " " in thing or thing in _OF_CLASS} == set()


def _changed(verb: str, particle: str = "", object: str = "thing") -> set[tuple[str, str, str]]:
    return {(change.role, change.attribute, change.after) for change in verb_changes(verb, particle, object)}


def test_a_verb_is_in_each_class_that_lists_it() -> None:
    wiped = [change.of_class for change in verb_changes("wipe", "", "table")]
    assert list(dict.fromkeys(wiped))[:2] == ["drying", "cleaning"]
    assert _changed("wipe", "", "table") >= {("object", "wetness", "dry"), ("object", "cleanliness", "clean")}


def test_a_particle_makes_another_verb() -> None:
    assert ("object", "power", "on") in _changed("turn", "on", "lamp")
    assert ("object", "power", "off") in _changed("turn", "off", "lamp")
    assert ("object", "lighting", "unlit") in _changed("blow", "out", "candle")
    assert ("object", "shape", "inflated") in _changed("blow", "up", "balloon")
    assert not _changed("turn", "", "lamp") & {("object", "power", "on"), ("object", "power", "off")}


def test_a_verb_with_an_unknown_particle_changes_what_it_changes_alone() -> None:
    assert _changed("wipe", "around", "table") == _changed("wipe", "", "table") != set()
    assert _changed("boil", "over there", "water") == _changed("boil", "", "water") != set()


@pytest.mark.parametrize("particle", ["away", "off", "out"])
def test_particles_that_reverse_a_verb_are_never_left_out(particle: str) -> None:
    assert _changed("salt")
    assert _changed("salt", particle) == set()


def test_of_a_thing_that_is_thrown_away_nothing_flies() -> None:
    assert ("object", "motion", "moving") in _changed("throw", "", "ball")
    assert ("object", "motion", "moving") not in _changed("throw", "away", "ball")
    assert ("object", "existence", "absent") in _changed("throw", "away", "ball")


@pytest.mark.parametrize(
    ("verb", "particle", "object", "other", "change"),
    [
        ("put", "on", "shirt", "table", ("object", "clothing", "worn")),
        ("put", "on", "light", "shirt", ("object", "power", "on")),
        ("take", "off", "shirt", "lid", ("object", "clothing", "not worn")),
        ("stop", "", "phone", "child", ("object", "power", "off")),
        ("brush", "", "hair", "floor", ("object", "organization", "smooth")),
        ("open", "", "kitchen window", "door", ('"room"', "temperature", "cooler")),
        ("finish", "", "bread", "race", ("doer", "hunger", "sated")),
    ],
)
def test_a_class_of_objects_limits_a_verb(
    verb: str, particle: str, object: str, other: str, change: tuple[str, str, str]
) -> None:
    assert change in _changed(verb, particle, object)
    assert change not in _changed(verb, particle, other)


@pytest.mark.parametrize(("verb", "particle"), [("frobnicate", ""), ("frobnicate", "on"), ("", ""), ("be", "")])
def test_what_the_table_lacks_changes_nothing(verb: str, particle: str) -> None:
    assert verb_changes(verb, particle, "thing") == ()


@pytest.mark.parametrize(
    ("noun", "kind", "expected"),
    [
        ("cup", "vessel", True),
        ("cake pan", "pan", True),
        ("pan lid", "pan", False),
        ("hot water", "liquid", True),
        ("water bottle", "liquid", False),
        ("bread", "consumable", True),
        ("rye bread", "consumable", True),
        ("cup", "consumable", False),
        ("", "consumable", False),
        ("stone", "vessel", False),
    ],
)
def test_what_a_noun_is(noun: str, kind: str, expected: bool) -> None:
    assert is_kind(noun, kind) == expected


def test_a_line_admits_what_is_in_all_of_its_classes_and_in_none_that_it_excludes() -> None:
    food = next(change for change in lines() if change.name == "cooking: cookedness of object: cooked")
    assert [food.admits(noun) for noun in ("potato", "water", "stone")] == [True, False, False]
    thing = next(change for change in lines() if change.name == "cleaning: cleanliness of object: clean")
    assert [thing.admits(noun) for noun in ("potato", "window")] == [False, True]


def test_the_version_of_the_table_is_a_digest() -> None:
    assert re.fullmatch("[0-9a-f]{64}", verbs_digest())
