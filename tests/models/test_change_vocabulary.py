"""Values as phrases and fillers, and the vocabularies of the parts of changes."""

from __future__ import annotations

from collections import Counter

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.reproductions.openpi.composer.vocabulary import SLOT, ChangeVocabulary, Value, joined, plain, split_value
from schemas.changes import Change

WORDS = st.sampled_from(["in", "on", "of", "the", "a", "an", "oven", "red", "bowl", "@", "@.", "x", ",", ".", "from"])
TEXTS = st.one_of(st.text(max_size=20), st.lists(WORDS, max_size=8).map(" ".join))


@given(TEXTS)
def test_plain_texts_stay(text: str) -> None:
    found = plain(text)
    assert plain(found) == found
    assert " ".join(found.split()) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Red Bowl.", "red bowl"),
        ("in  the\toven, ", "in oven"),
        ("an", ""),
        ("theatre and a banana", "theatre and banana"),
        (" . , ", ""),
        ("1.5 cups", "1.5 cups"),
        ("", ""),
    ],
)
def test_plain(text: str, expected: str) -> None:
    assert plain(text) == expected


@given(TEXTS.map(plain), st.sets(st.integers(0, 8)), st.sets(st.integers(0, 8)), st.integers(0, 9))
def test_a_split_value_is_joined_again(value: str, nouns_at: set[int], known_at: set[int], count: int) -> None:
    nouns, known = ({" ".join(value.split()[at:]) for at in places} for places in (nouns_at, known_at))
    found = split_value(value, nouns, known, {value: count})
    assert joined(found) == value
    if found.filler is not None:
        assert found.phrase.endswith(SLOT)
        assert found.filler in nouns | known


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("in blender", ("in @", "blender")),
        ("in bowl of soup", ("in @", "bowl of soup")),
        ("in big bowl", ("in big bowl", None)),
        ("blender", ("@", "blender")),
        ("clean", ("clean", None)),
        ("soup", ("soup", None)),
        ("known", ("known", None)),
        ("on top of known", ("on top of @", "known")),
        ("in", ("in", None)),
        ("", ("", None)),
    ],
)
def test_values_are_split(value: str, expected: tuple[str, str | None]) -> None:
    nouns, known = {"blender", "clean", "soup", "bowl of soup"}, {"known"}
    frequency = Counter({"clean": 5, "blender": 4, "soup": 900})
    assert split_value(value, nouns, known, frequency) == Value(*expected)


def test_a_vocabulary_has_what_occurs_twice_most_frequent_first() -> None:
    eggs = Change(entity="eggs", attribute="location", before="in box", after="in pan")
    wet = Change(entity="eggs", attribute="wetness", before="dry", after="wet")
    steps = [
        ((eggs, wet), ("eggs", "pan")),
        ((eggs, Change(entity="pan", attribute="wetness", before="wet", after="dry")), ("box",)),
        ((Change(entity="box", attribute="place", before="shelf", after="pan"),), ("shelf", "pan")),
    ]
    found = ChangeVocabulary.of(iter(steps))
    assert attrs.astuple(found) == (
        ("eggs",),  # 4; others occur once.
        ("location", "wetness"),
        # "in pan" of the second step is a phrase of its own: no noun there, no entity that is known.
        ("@", "dry", "in @", "wet"),
        ("eggs", "pan", "box"),
    )
    assert [dict(places) for places in found.places] == [
        {text: place for place, text in enumerate(texts)} for texts in attrs.astuple(found)
    ]
    assert found.has_slot == (True, False, True, False)


def test_a_vocabulary_of_nothing_is_empty() -> None:
    assert attrs.astuple(ChangeVocabulary.of([])) == ((), (), (), ())


def test_what_only_looks_like_a_slot_takes_no_filler() -> None:
    phrases = ("me@home", "@ in", "in @", "@")
    assert ChangeVocabulary((), (), phrases, ()).has_slot == (False, False, True, True)
