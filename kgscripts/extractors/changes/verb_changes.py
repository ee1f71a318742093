"""The changes that the verb of an event brings about for its arguments, by the table of `kgscripts.changes.verbs`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from attrs import define, frozen

from kgscripts.changes.verbs import VerbChange, is_kind, verb_changes
from kgscripts.text.lexicon import is_a, word_list
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
_NO_THINGS = word_list("measures and manners")
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
        agents = [item.lemma for item in mention.participants if item.role is Role.AGENT]
        thing = _thing(mention, agents)
        nouns = _nouns(mention)
        nouns["doer"] = [agent for agent in agents if agent != thing] or [PERSON]
        if thing:
            nouns["object"] = [thing]
        found = cls(thing, nouns, "", "", "")
        for preposition, noun in dict.fromkeys(_phrases(mention, text, start)):
            if noun != thing and noun not in _NO_THINGS:
                found._add(preposition, noun)
        if not found.there and thing in places:
            found._carry(*places[thing])
        return found

    def _add(self, preposition: str, noun: str) -> None:
        """Add the noun behind a preposition, and where the object gets or was by it."""
        role = _ROLE.get(preposition)
        if role is None:
            return
        own = self.nouns.setdefault(role, [])
        if noun not in own:
            own.append(noun)
        if role in _GOALS and not self.where and not (role == "to" and is_a(noun, "person")):
            # "Add the pasta to the water" puts it in the water.
            is_into = preposition == "to" and (is_kind(noun, "consumable") or is_kind(noun, "vessel"))
            self.where = f"{'in' if is_into else _USUAL.get(preposition, preposition)} {noun}"
        if role == "from" and not self.there:
            self._leave("on" if preposition.startswith("off") else "in", noun)

    def _carry(self, preposition: str, noun: str) -> None:
        """Take the object from the place to which an earlier event brought it, unless the event names this place."""
        if noun not in (item for own in self.nouns.values() for item in own):
            self.nouns["from"] = [noun]
            self._leave(preposition, noun)

    def _leave(self, preposition: str, noun: str) -> None:
        self.there = f"{preposition} {noun}"
        self.away = f"{'off' if preposition == 'on' else 'out of'} {noun}"

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


def _thing(mention: EventMention, agents: Sequence[str]) -> str:
    """What is acted on; without an object, the subject that is no living being; "" for none."""
    patients = [item.lemma for item in mention.participants if item.role is Role.PATIENT]
    thing = patients[0] if patients else mention.action.object
    if thing in ("it", "them", "") or thing in _NO_THINGS:
        moved = [agent for agent in agents if not is_a(agent, "person", "animal")]
        return moved[0] if moved and not mention.action.object else ""
    return thing


def _nouns(mention: EventMention) -> dict[str, list[str]]:
    """The nouns whose role needs no preposition: who gets something, and instruments."""
    nouns: dict[str, list[str]] = {}
    for item in mention.participants:
        if item.role is Role.RECIPIENT:
            nouns.setdefault("recipient", []).append(item.lemma)
    for tool in mention.tools:
        if tool.role is ToolRole.INSTRUMENT:
            nouns.setdefault("tool", []).append(tool.lemma)
    return nouns


def _phrases(mention: EventMention, text: str, start: int) -> list[tuple[str, str]]:
    """Prepositions with their nouns, then the vessels and surfaces that the words give no preposition."""
    action = mention.action
    phrases = [(action.preposition, action.prepositional_object)] if action.prepositional_object else []
    carried: list[tuple[str, str]] = []
    for item in mention.participants:
        if item.role not in (Role.AGENT, Role.PATIENT) and (
            preposition := preposition_before(text, item.start - start)
        ):
            phrases.append((preposition, item.lemma))
    for tool in mention.tools:
        preposition = "" if tool.inferred else preposition_before(text, tool.start - start)
        if preposition:
            phrases.append((preposition, tool.lemma))
        elif tool.role in _OF_TOOL:
            carried.append((_OF_TOOL[tool.role], tool.lemma))
    return [*phrases, *carried]


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
