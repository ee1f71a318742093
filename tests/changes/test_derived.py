"""Effects that follow from changes: those of the rules, never what was read, and nothing contradictory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.changes.attributes import attributes
from kgscripts.changes.derived import derived_effects
from schemas.changes import Change


def change(text: str) -> Change:
    """ "water location: in jug -> in pot"."""
    thing, _, values = text.partition(": ")
    entity, _, attribute = thing.rpartition(" ")
    before, _, after = values.partition(" -> ")
    return Change(entity=entity, attribute=attribute, before=before, after=after)


@pytest.mark.parametrize(
    ("changes", "effects"),
    [
        (
            ["water location: in jug -> in the pot"],
            [
                "pot fullness: emptier -> fuller",
                "pot weight: lighter -> heavier",
                "jug fullness: fuller -> emptier",
                "jug weight: heavier -> lighter",
            ],
        ),
        (["water location:  -> in pot"], ["pot fullness: emptier -> fuller", "pot weight: lighter -> heavier"]),
        (["towel wetness: wet -> dry"], ["towel weight: heavier -> lighter"]),
        (["door openness: closed -> open"], []),
        (["key location: on table -> in hand"], []),
        (["seed location: in packet -> in the dark soil"], ["packet fullness: fuller -> emptier"]),
        # What was read is not derived again.
        (["towel wetness: wet -> dry", "towel weight: heavier -> light"], []),
        # What goes in makes the box heavier, and what comes out lighter: nothing is known.
        (["ball location: on floor -> in box", "doll location: in box -> on shelf"], []),
    ],
)
def test_what_follows(changes: list[str], effects: list[str]) -> None:
    derived = [effect for effect, _ in derived_effects(map(change, changes))]
    expected = [change(effect) for effect in effects]
    assert derived[: len(expected)] == expected
    assert bool(derived) == bool(expected)


_values = st.sampled_from(["", "in box", "in the jar", "on table", "wet", "dry", "whole", "cut", "covered with oil"])
_changes = st.builds(
    Change,
    entity=st.sampled_from(["box", "jar", "towel"]),
    attribute=st.sampled_from(["location", "wetness", "wholeness", "coverage", "weight", "fullness"]),
    before=_values,
    after=_values,
)


@given(st.lists(_changes, max_size=6))
def test_effects_are_of_the_vocabulary_and_new(changes: list[Change]) -> None:
    known = {(item.entity, item.attribute) for item in changes}
    effects = list(derived_effects(changes))
    for effect, cause in effects:
        assert effect.attribute in attributes()
        assert (effect.entity, effect.attribute) not in known
        assert effect.before != effect.after
        assert cause in changes
    assert len({(effect.entity, effect.attribute) for effect, _ in effects}) == len(effects)
    assert {effect for effect, _ in derived_effects(reversed(changes))} == {effect for effect, _ in effects}
