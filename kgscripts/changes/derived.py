"""Effects that follow from changes that were read, by rules (`data/derived.txt`): water that is poured into a pot makes
the pot heavier. They are derived when they are asked for, and are no statements of the graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from typing import Protocol, TypeVar

from attrs import frozen

from kgscripts.changes.values import SLOT, split_value
from schemas.changes import Change


class _AnyChange(Protocol):
    @property
    def entity(self) -> str: ...
    @property
    def attribute(self) -> str: ...
    @property
    def before(self) -> str | None: ...
    @property
    def after(self) -> str: ...


AnyChange = TypeVar("AnyChange", bound=_AnyChange)


@frozen
class _Rule:
    """`before` and `after` are templates of values; the effect is one `of_place`, or of the thing that changes."""

    attribute: str
    before: str
    after: str
    of_place: bool
    effect: str
    effect_before: str
    effect_after: str

    def place(self, before: str, after: str) -> str | None:
        """The thing in the values, "" if these have none; None if the rule is not for them."""
        things = []
        for template, value in ((self.before, before), (self.after, after)):
            own, thing = split_value(value) if SLOT in template else (value, "")
            if template not in ("*", own):
                return None
            things.append(thing)
        return next(filter(None, things), "")


_LINE = re.compile(
    r"(?P<attribute>[^:]+): (?P<before>.+?) -> (?P<after>.+?)"
    r" => (?P<of_place>@ )?(?P<effect>[^:]+): (?P<was>.+) -> (?P<now>.+)"
)


_NONE_OF = "@ is none of: "
_OWN = re.compile(r"(?:an?|the|its|their|his|her|my|our|your) ")


@cache
def _rules() -> tuple[frozenset[str], tuple[_Rule, ...]]:
    """Things of which a place says nothing, and the rules."""
    text = resources.files("kgscripts.changes").joinpath("data", "derived.txt").read_text("utf-8")
    first, *lines = [line for line in text.splitlines() if not line.startswith("#")]
    rules = []
    for line in lines:
        match = _LINE.fullmatch(line)
        assert match is not None, line
        attribute, before, after, of_place, effect, was, now = match.groups()
        rules.append(_Rule(attribute, before, after, bool(of_place), effect, was, now))
    return frozenset(first.removeprefix(_NONE_OF).split(", ")), tuple(rules)


def derived_effects(changes: Iterable[AnyChange]) -> Iterator[tuple[Change, AnyChange]]:
    """The effects that follow from the changes of a step, each with the change that it follows from.

    What was read itself is left out, and so are effects that contradict each other.
    """
    no_containers, rules = _rules()
    listed = list(changes)
    known = {(change.entity, change.attribute) for change in listed}
    effects: dict[tuple[str, str], tuple[Change, AnyChange] | None] = {}
    for change in listed:
        for rule in rules:
            place = rule.place(change.before or "", change.after) if rule.attribute == change.attribute else None
            if place is None:
                continue
            entity = _OWN.sub("", place) if rule.of_place else change.entity
            key = entity, rule.effect
            if not entity or key in known or (rule.of_place and entity.rpartition(" ")[2] in no_containers):
                continue
            effect = Change(entity=entity, attribute=rule.effect, before=rule.effect_before, after=rule.effect_after)
            if key not in effects:
                effects[key] = effect, change
            elif (given := effects[key]) is not None and given[0] != effect:
                effects[key] = None
    yield from (given for given in effects.values() if given is not None)
