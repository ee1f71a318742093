"""The changes that the verb of an event brings about for its arguments, by the table of `kgscripts.changes.verbs`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from attrs import define, frozen

from kgscripts.changes.verbs import VerbChange, is_kind, verb_changes
from kgscripts.text.lexicon import is_a
from schemas.changes import Change
from schemas.records import EventMention, Role, ToolRole

PERSON = "person"
"""The doer that the words do not name: "you", "I"."""

_PREPOSITIONS = {
    "in": ("in", "into", "inside", "inside of", "within"),
    "on": ("on", "onto", "over", "upon", "on top of", "across", "above"),
    "to": ("to", "at", "near", "next to", "beside", "against", "by"),
    "around": ("around", "round"),
    "under": ("under", "underneath", "below", "beneath", "behind", "between", "among"),
    "from": ("from", "off", "off of", "out of", "out"),
    "with": ("with", "using"),
}
_ROLE = {preposition: role for role, group in _PREPOSITIONS.items() for preposition in group}
_GOALS = ("in", "on", "to", "around", "under")
_USUAL = {"into": "in", "inside": "in", "inside of": "in", "within": "in", "onto": "on", "upon": "on", "to": "at"}
"""The preposition of a place for one that leads to it."""
_NO_THINGS = frozenset({"half", "order", "quarter", "rest", "third", "time", "turn", "way"})
"""Nouns of measure and manner, which are neither acted on nor where something gets."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_WORDS_BETWEEN = 5
_SLOT = re.compile(r"\{(\w+)\}")
_OF_TOOL = {ToolRole.CONTAINER: "in", ToolRole.SUPPORT: "on", ToolRole.APPLIANCE: "in"}


Places = Mapping[str, tuple[str, str]]
"""The preposition and the noun of the place of a thing."""


@frozen
class ChangeByVerb:
    """A change, and the line of the table that it follows from."""

    change: Change
    line: VerbChange


def changes_by_verb(mention: EventMention, text: str, start: int, places: Places | None = None) -> list[ChangeByVerb]:
    """The changes of a mention; the first one of each attribute of an entity.

    `text` is that of the step or sentence, which begins at character `start` of the document. `places` are those to
    which earlier events have brought things.
    """
    action = mention.action
    arguments = _Arguments.of(mention, text, start, places or {})
    found: dict[tuple[str, str], ChangeByVerb] = {}
    particle = action.particle or ("" if arguments.object else action.preposition)
    for line in verb_changes(action.predicate, particle, arguments.object):
        for change in arguments.instances(line):
            found.setdefault((change.entity, change.attribute), ChangeByVerb(change, line))
    return list(found.values())


@define
class _Arguments:
    """The nouns of an event, by role."""

    object: str
    """What is acted on; "" if the event has no such thing."""
    nouns: dict[str, list[str]]
    where: str
    """The place with its preposition, to which the object gets; "" if there is none."""
    there: str
    """The place where the object was."""
    away: str

    @classmethod
    def of(cls, mention: EventMention, text: str, start: int, places: Places) -> _Arguments:
        action = mention.action
        nouns: dict[str, list[str]] = {}
        phrases: list[tuple[str, str]] = []  # preposition and noun
        if action.preposition and action.prepositional_object:
            phrases.append((action.preposition, action.prepositional_object))
        agents, patients = [], []
        for item in mention.participants:
            if item.role is Role.AGENT:
                agents.append(item.lemma)
            elif item.role is Role.PATIENT:
                patients.append(item.lemma)
            else:
                if item.role is Role.RECIPIENT:
                    nouns.setdefault("recipient", []).append(item.lemma)
                if preposition := preposition_before(text, item.start - start):
                    phrases.append((preposition, item.lemma))
        carried: list[tuple[str, str]] = []
        for tool in mention.tools:
            preposition = "" if tool.inferred else preposition_before(text, tool.start - start)
            if tool.role is ToolRole.INSTRUMENT:
                nouns.setdefault("tool", []).append(tool.lemma)
            if preposition:
                phrases.append((preposition, tool.lemma))
            elif tool.role in _OF_TOOL:
                carried.append((_OF_TOOL[tool.role], tool.lemma))
        thing = patients[0] if patients else action.object
        things = [agent for agent in agents if not is_a(agent, "person", "animal")]
        if thing in ("it", "them", "") or thing in _NO_THINGS:
            thing = things[0] if things and not action.object else ""
        doers = [agent for agent in agents if agent != thing]
        if thing:
            nouns["object"] = [thing]
        nouns["doer"] = doers or [PERSON]
        where = there = away = ""
        for preposition, noun in dict.fromkeys([*phrases, *carried]):
            role = _ROLE.get(preposition)
            if role is None or noun == thing or noun in _NO_THINGS:
                continue
            own = nouns.setdefault(role, [])
            if noun not in own:
                own.append(noun)
            if role in _GOALS and not where and not (role == "to" and is_a(noun, "person")):
                # "Add the pasta to the water" puts it in the water.
                is_into = preposition == "to" and (is_kind(noun, "consumable") or is_kind(noun, "vessel"))
                where = f"{'in' if is_into else _USUAL.get(preposition, preposition)} {noun}"
            if role == "from" and not there:
                there = f"{'on' if preposition.startswith('off') else 'in'} {noun}"
                away = f"{'off' if preposition.startswith('off') else 'out of'} {noun}"
        if not there and thing in places:
            preposition, noun = places[thing]
            if noun not in (item for own in nouns.values() for item in own):
                nouns["from"] = [noun]
                there, away = f"{preposition} {noun}", f"{'off' if preposition == 'on' else 'out of'} {noun}"
        return cls(thing, nouns, where, there, away)

    def instances(self, line: VerbChange) -> Iterator[Change]:
        """The changes of a line of the table, one for each noun of its role."""
        if line.thing and line.thing not in (noun.rpartition(" ")[2] for noun in self.nouns.get(line.place, ())):
            return
        for noun in self._of_role(line.role):
            if line.admits(noun) and not is_a(noun, "time", "abstract"):
                before, after = self._value(line.before, noun), self._value(line.after, noun)
                if after and before != after:
                    yield Change(entity=noun, attribute=line.attribute, before=before, after=after)

    def _of_role(self, role: str) -> Sequence[str]:
        if role.startswith('"'):
            return (role.strip('"'),)
        return self.nouns.get(role, ())

    def _value(self, pattern: str, entity: str) -> str:
        """The value with its slots filled; "" if the event lacks what a slot takes."""
        known = True

        def filled(match: re.Match[str]) -> str:
            nonlocal known
            name = match[1]
            if name in ("where", "there", "away"):
                found = str(getattr(self, name))
            else:
                preposition, _, role = name.rpartition("_")
                nouns = [noun for noun in self._of_role(role) if noun != entity]
                found = f"{preposition} {nouns[0]}".strip() if nouns else ""
            known = known and bool(found)
            return found

        value = _SLOT.sub(filled, pattern)
        return value if known else ""


def preposition_before(text: str, place: int) -> str:
    """The preposition that the noun at a character of the text follows, at most a few words before; "" if none does."""
    words = [word.lower() for word in _WORD.findall(text[max(0, place - 60) : max(0, place)])][-_WORDS_BETWEEN - 2 :]
    for at in range(len(words) - 1, max(-1, len(words) - 1 - _WORDS_BETWEEN), -1):
        if not words[at][0].isalnum():
            return ""
        for size in (3, 2, 1):
            phrase = " ".join(words[max(0, at + 1 - size) : at + 1])
            if phrase in _ROLE:
                return phrase
    return ""
