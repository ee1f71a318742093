"""The vocabulary of attributes and values: it is sound, and changes are put in its words."""

from __future__ import annotations

import re
from collections import Counter
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.changes.attributes import (
    attribute_names,
    attributes,
    attributes_digest,
    broader_attribute,
    in_vocabulary,
    leading_attribute,
)


def _values() -> dict[str, dict[str, list[str]]]:
    """The file of values, read in a plain way: of each attribute, a value with its other wordings."""
    text = resources.files("kgscripts.changes").joinpath("data/values.txt").read_text("utf-8")
    heads = re.split(r"^\[(.+)\]$", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)[1:]
    return {
        name: {line.split(": ")[0]: line.split(": ")[1].split(", ") for line in content.splitlines() if line}
        for name, content in zip(heads[::2], heads[1::2], strict=True)
    }


def test_no_name_leads_and_is_led() -> None:
    names = attribute_names()
    others = [other for each in names.values() for other in each]
    assert len(set(others)) == len(others)
    assert not names.keys() & set(others)
    assert leading_attribute("moisture") == "wetness" == leading_attribute("wetness")
    assert leading_attribute("never heard of") == "never heard of"


def test_names_are_lower_case_without_spaces_around_them() -> None:
    for name, attribute in attributes().items():
        for each in (name, *attribute.others):
            assert each == " ".join(each.lower().split())


def test_a_broader_attribute_is_one_of_the_vocabulary() -> None:
    assert {attribute.broader for attribute in attributes().values()} - {""} <= set(attributes())


@pytest.mark.parametrize(
    ("attribute", "names", "expected"),
    [
        ("length", {"size"}, "size"),
        ("posture", {"location"}, "location"),
        ("posture", {"location", "orientation"}, "orientation"),
        ("size", {"size"}, None),
        ("length", set(), None),
        ("never heard of", {"size"}, None),
    ],
)
def test_the_nearest_broader_attribute(attribute: str, names: set[str], expected: str | None) -> None:
    assert broader_attribute(attribute, names) == expected


def test_a_value_has_each_wording_once() -> None:
    for attribute, values in _values().items():
        assert attribute in attributes()
        wordings = Counter(word for value, others in values.items() for word in (value, *others))
        assert [word for word, count in wordings.items() if count > 1] == [], attribute


@pytest.mark.parametrize("attribute", _values())
def test_wordings_mean_their_value_and_values_mean_themselves(attribute: str) -> None:
    for value, others in _values()[attribute].items():
        for word in (value, *others):
            assert in_vocabulary(attribute, "", word) == (attribute, "", value)
            assert in_vocabulary(attribute, word, "never heard of") == (attribute, value, "never heard of")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("moisture", "not wet", "soaked"), ("wetness", "dry", "wet")),
        (("state", "shut", "opened"), ("openness", "closed", "open")),
        (("state", "", "opened"), ("openness", "", "open")),
        (("texture", "dry", "wet"), ("wetness", "dry", "wet")),
        (("texture", "", "wet"), ("texture", "", "wet")),
        (("state", "empty", "full of water"), ("fullness", "empty", "full of water")),
        (("condition", "", "filled with sand"), ("fullness", "", "filled with sand")),
        (("state", "on table", "in sink"), ("location", "on table", "in sink")),
        (("state", "", "in use"), ("use", "", "used")),
        (("state", "whole", "in pieces"), ("wholeness", "whole", "cut")),
        (("wetness", "completely dry", "very wet"), ("wetness", "dry", "wet")),
        (("use", "", "being used"), ("use", "", "used")),
        (("charge", "", "fully charged"), ("charge", "", "charged")),
        (("state", "odd", "even odder"), ("state", "odd", "even odder")),
        (("never heard of", "this", "that"), ("never heard of", "this", "that")),
        (("location", "on table", "in sink"), ("location", "on table", "in sink")),
        (("fullness", "unfilled", "filled up"), ("fullness", "empty", "full")),
    ],
)
def test_changes_in_the_words_of_the_vocabulary(change: tuple[str, str, str], expected: tuple[str, str, str]) -> None:
    assert in_vocabulary(*change) == expected


_NAMES = st.sampled_from(["state", "texture", "never heard of", *attributes(), *attribute_names()["wetness"]])
_VALUES = st.text(max_size=9) | st.sampled_from(
    ["", "very wet", "in sink", *(word for values in _values().values() for each in values.values() for word in each)]
)


@given(_NAMES, _VALUES, _VALUES)
def test_what_is_in_the_vocabulary_stays(attribute: str, before: str, after: str) -> None:
    found = in_vocabulary(attribute, before, after)
    assert found[0] == leading_attribute(found[0])
    assert in_vocabulary(*found) == found


def test_the_version_of_the_vocabulary_is_a_digest() -> None:
    assert re.fullmatch("[0-9a-f]{64}", attributes_digest())
