"""Corrections of a graph by people, kept as records beside those of extractors.

A correction names scenarios, actions and things by their words, never by IRIs, so that it applies to every graph with
these words.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Self

from attrs import asdict, field, fields, frozen

from schemas.errors import RecordError
from schemas.graph_types import RELATION_TYPES
from schemas.records import ToolRole


class CorrectionKind(StrEnum):
    """The kinds of corrections."""

    REJECT = "reject"
    RENAME = "rename"
    SAME_STEP = "same step"
    DIFFERENT_STEP = "different step"
    SAME_THING = "same thing"
    DIFFERENT_THING = "different thing"
    RENAME_SCENARIO = "rename scenario"
    SAME_SCENARIO = "same scenario"
    DIFFERENT_SCENARIO = "different scenario"
    TOOL_ROLE = "tool role"
    ADD = "add"
    ABOUT = "about"


def _forms(*forms: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(form.split()) for form in forms)


FORMS: Mapping[CorrectionKind, tuple[tuple[str, ...], ...]] = {
    CorrectionKind.REJECT: _forms("scenario step", "scenario step relation other", "scenario relation other"),
    CorrectionKind.RENAME: _forms("scenario step name"),
    CorrectionKind.SAME_STEP: _forms("scenario step other"),
    CorrectionKind.DIFFERENT_STEP: _forms("scenario step other"),
    CorrectionKind.SAME_THING: _forms("thing other"),
    CorrectionKind.DIFFERENT_THING: _forms("thing other"),
    CorrectionKind.RENAME_SCENARIO: _forms("scenario name"),
    CorrectionKind.SAME_SCENARIO: _forms("scenario other"),
    CorrectionKind.DIFFERENT_SCENARIO: _forms("scenario other"),
    CorrectionKind.TOOL_ROLE: _forms("thing role", "thing role scenario step"),
    CorrectionKind.ADD: _forms(
        "scenario step",
        "scenario step relation other",
        "scenario step relation other role",
        "scenario relation other",
        "scenario relation other role",
    ),
    CorrectionKind.ABOUT: _forms("thing scenario", "thing other scenario"),
}
"""The fields of each kind in the order of the command line. The first form has what is needed, the second with it what
is given together."""
_CONTENT = ("scenario", "step", "relation", "other", "thing", "name", "role")
_VALUES = ("name", "role")
_VALUES_OF = {CorrectionKind.ABOUT: ("scenario",)}
_MOST_CHARACTERS = 500

OF_STEPS = {CorrectionKind.SAME_STEP: True, CorrectionKind.DIFFERENT_STEP: False}
"""Kinds that link two steps, and whether these are one."""
OF_THINGS = {CorrectionKind.SAME_THING: True, CorrectionKind.DIFFERENT_THING: False}
"""Kinds that link two names of things, and whether these mean one thing."""
OF_SCENARIOS = {
    CorrectionKind.SAME_SCENARIO: True,
    CorrectionKind.RENAME_SCENARIO: True,
    CorrectionKind.DIFFERENT_SCENARIO: False,
}
"""Kinds that link two names of scenarios, and whether these mean one scenario."""

NEEDS = "NEEDS"
"""The relation of a scenario that can be rejected and added: its corrections name no step."""

REJECTABLE = tuple(
    name
    for name, relation in RELATION_TYPES.items()
    if name == NEEDS
    or (relation.has_statement and {start for start, _ in relation.ends} == {"SubEvent"} and name != "EXPRESSED_AS")
)
"""The relations of a step or a scenario that can be rejected. For a wording that belongs to another step, use a
different step."""

ADDABLE = ("USES", "PRECEDES", "CHANGES", NEEDS)
"""The relations of a step or a scenario that can be added."""

NO_SCENARIO = "none"
"""What a source or passage is about if it is about no scenario."""

_CHANGE = re.compile(r"(?P<attribute>.+?) of (?P<entity>.+?): (?:(?P<before>.+?) -> )?(?P<after>.+)")


_LABELS = {
    CorrectionKind.RENAME: '"{0.step}" is called "{0.name}"',
    CorrectionKind.SAME_STEP: '"{0.step}" and "{0.other}" are the same step',
    CorrectionKind.DIFFERENT_STEP: '"{0.step}" and "{0.other}" are different steps',
    CorrectionKind.SAME_THING: '"{0.other}" is called "{0.thing}"',
    CorrectionKind.DIFFERENT_THING: '"{0.thing}" and "{0.other}" are different things',
    CorrectionKind.RENAME_SCENARIO: 'the scenario "{0.scenario}" is called "{0.name}"',
    CorrectionKind.SAME_SCENARIO: '"{0.other}" is the same scenario as "{0.scenario}"',
    CorrectionKind.DIFFERENT_SCENARIO: '"{0.scenario}" and "{0.other}" are different scenarios',
}
"""What corrections of these kinds are in words."""


def plain_words(text: str) -> str:
    """The form in which words are compared: lower case, with one space between words."""
    return " ".join(text.lower().split())


def values_of(kind: CorrectionKind) -> tuple[str, ...]:
    """Fields with the right value; they are no part of the key. A withdrawn correction needs none."""
    return _VALUES_OF.get(kind, _VALUES)


def change_in(words: str) -> tuple[str, str, str, str]:
    """Attribute, entity, before ("" if it is unknown) and after of a change in the words of its label.

    Raises
    ------
    RecordError
        If the words name no change.
    """
    match = _CHANGE.fullmatch(words)
    if match is None:
        raise RecordError(
            f"{words[:60]!r} is no change", remedy='write it as "temperature of water: cold -> hot", or without "cold"'
        )
    return match["attribute"], match["entity"], match["before"] or "", match["after"]


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _utc(text: str) -> str:
    """A date or time of ISO 8601 in UTC; one without a zone is in UTC already."""
    try:
        moment = datetime.fromisoformat(text.strip())
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise RecordError(
            f"{text[:40]!r} is no date or time", remedy='write it as "2026-03-01" or "2026-03-01T12:30:00Z"'
        ) from None
    return moment.isoformat().replace("+00:00", "Z")


@frozen(kw_only=True)
class Correction:
    """One correction by one person.

    `step` and `other` are the words of an action ("put cake in oven"), or its predicate, particle and object where no
    action of the scenario has these words. `thing` is the name of a tool or an entity, `name` the new label of a step
    or a scenario, or the words in which an added step is shown, `role` that of a tool. Links of scenarios have the
    second one in `other`. A rejected or added relation has a `relation` and its end in `other`, of a CLOSE_MATCH the
    other scenario, of a CHANGES the label of the change; a NEEDS has no `step`, and a `role` if it is a tool. What a
    text is about has the source in `thing` (its name, or eight or more digits of its digest), a passage of it in
    `other` (its words, "..." for any words between), and the `scenario`, or `NO_SCENARIO`. `withdrawn` takes back an
    earlier correction with the same key.

    Raises
    ------
    RecordError
        If a field that the kind needs is missing, one that it does not have is given, or a value is wrong.
    """

    kind: CorrectionKind = field(converter=CorrectionKind)
    scenario: str = field(default="", converter=_spaced)
    step: str = field(default="", converter=plain_words)
    relation: str = ""
    other: str = field(default="", converter=plain_words)
    thing: str = field(default="", converter=plain_words)
    name: str = field(default="", converter=_spaced)
    role: str = ""
    withdrawn: bool = False
    author: str = field(converter=_spaced)
    time: str = field(converter=_utc)

    def __attrs_post_init__(self) -> None:
        first, *further = FORMS[self.kind]
        needed = [name for name in first if not (self.withdrawn and name in values_of(self.kind))]
        together = [name for form in further[:1] for name in form if name not in first]
        allowed = {name for form in FORMS[self.kind] for name in form}
        if self.kind is CorrectionKind.ADD:
            allowed.add("name")
        given = [name for name in _CONTENT if getattr(self, name)]
        if len({name in given for name in together}) > 1:
            needed += together
        if self.relation == NEEDS:
            needed.remove("step")
            allowed.discard("step")
        for name in (*needed, "author"):
            if not getattr(self, name):
                raise RecordError(f'the correction "{self.kind}" needs "{name}"')
        for name in given:
            if name not in allowed:
                raise RecordError(f'the correction "{self.kind}" has no "{name}"')
        for name in (*given, "author"):
            if len(getattr(self, name)) > _MOST_CHARACTERS:
                raise RecordError(f'"{name}" has more than {_MOST_CHARACTERS} characters')
        possible, done = (ADDABLE, "added") if self.kind is CorrectionKind.ADD else (REJECTABLE, "rejected")
        if self.relation and self.relation not in possible:
            raise RecordError(f"{self.relation!r} cannot be {done}", remedy=f"name one of {', '.join(possible)}")
        if self.kind is CorrectionKind.ADD and self.role and self.relation not in ("USES", NEEDS):
            raise RecordError("only a tool has a role", remedy='leave "role" away')
        if self.kind is CorrectionKind.ADD and self.name and self.relation:
            raise RecordError("only a step that is added has a name", remedy='leave "name" away')
        if self.kind is CorrectionKind.ADD and self.relation == "CHANGES":
            change_in(self.other)
        if self.role and self.role not in list(ToolRole):
            raise RecordError(f"{self.role!r} is no role of a tool", remedy=f"name one of {', '.join(ToolRole)}")
        of_steps = not self.relation or (self.kind is CorrectionKind.ADD and self.relation == "PRECEDES")
        one = plain_words(self.scenario) if self.kind in OF_SCENARIOS else self.thing or self.step
        if self.other and self.other == one and of_steps:
            raise RecordError(f'"{self.other}" is named twice', remedy="name two that differ")

    @property
    def key(self) -> tuple[str, ...]:
        """The thing that it corrects: of several corrections with one key the latest is applied."""
        if self.kind in OF_STEPS:
            return ("step", self.scenario, *sorted((self.step, self.other)))
        if self.kind in OF_THINGS:
            return ("thing", *sorted((self.thing, self.other)))
        if self.kind in OF_SCENARIOS and self.kind is not CorrectionKind.RENAME_SCENARIO:
            return ("scenario", *sorted((plain_words(self.scenario), self.other)))
        if self.kind is CorrectionKind.ABOUT:
            return (self.kind.value, self.thing, self.other)
        # What is added and what is rejected contradict each other, so that the later one counts.
        kind = CorrectionKind.REJECT if self.kind is CorrectionKind.ADD else self.kind
        return (kind.value, self.scenario, self.step, self.relation, self.other, self.thing)

    @property
    def digest(self) -> str:
        """SHA-256 of the key."""
        return hashlib.sha256(json.dumps(self.key).encode()).hexdigest()

    @property
    def age(self) -> tuple[datetime, str]:
        """By what the latest is decided: the time, and for equal times the content."""
        return datetime.fromisoformat(self.time), json.dumps(asdict(self), sort_keys=True)

    def to_dict(self) -> dict[str, Any]:
        """The correction as a JSON object without empty fields."""
        return {item.name: getattr(self, item.name) for item in fields(Correction) if getattr(self, item.name)}

    def to_json(self) -> str:
        """`to_dict` as a line of a file of corrections."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> Self:
        """The correction from which `to_json` made the line. Raises RecordError if there is none."""
        try:
            content = json.loads(line)
            json.dumps(content, ensure_ascii=False).encode("utf-8")  # half a surrogate pair can be escaped
            return cls(**content)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise RecordError(f"no correction ({error})") from error

    @property
    def label(self) -> str:
        """The correction in words, without its scenario."""
        if self.withdrawn:
            one = self.scenario if self.kind in OF_SCENARIOS else ""
            about = " and ".join(f'"{words}"' for words in (one, self.thing, self.step, self.other) if words)
            return f"withdrawn: {self.kind} of {about}"
        match self.kind:
            case CorrectionKind.REJECT if self.relation == NEEDS:
                words = f'"{self.other}" is not needed'
            case CorrectionKind.REJECT:
                wrong = f'"{self.step}" {self.relation} "{self.other}" is wrong'
                words = wrong if self.relation else f'"{self.step}" is no step'
            case CorrectionKind.TOOL_ROLE:
                place = f' of "{self.step}"' if self.step else ""
                words = f'"{self.thing}"{place} has the role {self.role}'
            case CorrectionKind.ADD if self.relation == NEEDS:
                words = f'"{self.other}" is needed' + (f" as {self.role}" if self.role else "")
            case CorrectionKind.ADD:
                role = f" as {self.role}" if self.role else ""
                right = f'"{self.step}" {self.relation} "{self.other}"{role} is right'
                words = right if self.relation else f'"{self.name or self.step}" is a step'
            case CorrectionKind.ABOUT:
                place = f'"{self.other}" of "{self.thing}"' if self.other else f'"{self.thing}"'
                words = f"{place} is about {self.scenario}"
            case _:
                words = _LABELS[self.kind].format(self)
        return words
