"""Classes of verbs and what they change: which attribute of which argument, from which value to which.

The table (`data/verbs.txt`, whose head describes its lines) was written for kgscripts. It says in the attributes and
values of OpenPI what VerbNet (Kipper et al. 2008) says by semantic predicates.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib import resources

from attrs import frozen

from kgscripts.text.lexicon import classes_of, foods, word_list

_WHO = re.compile(
    r"(?P<role>\w+|\"[^\"]+\")(?P<classes>(?: \[!?[\w /]+\])*)(?: \((?P<place>in|on) (?P<thing>[\w ]+)\))?"
)
_CLASS = re.compile(r"\[(!?)([\w /]+)\]")
_ESCAPED_SLOT = re.compile(r"\\\{\w+\\\}")
_VERB = re.compile(r"(?P<verb>[\w-]+)(?: (?P<particle>[\w ]+?))?(?: \[(?P<nouns>[\w /]+)\])?")

_REVERSING = word_list("reversing particles")
"""Particles that change the meaning of a verb too much: to throw a ball away is not to throw it."""

Kinds = tuple[str, ...]
"""Classes of the lexicon, and heads of nouns: a noun is one of them."""


@frozen
class VerbChange:
    """One line of the table: the change that a class of verbs brings about for one of its arguments.

    `role` is that of the argument, or a noun in quotation marks. The argument must be of all `classes`, and of none of
    `excluded`. With a `thing`, the object must be `place` ("in", "on") such a thing. Values can have slots.
    """

    of_class: str
    role: str
    classes: tuple[Kinds, ...]
    excluded: tuple[Kinds, ...]
    place: str
    thing: str
    attribute: str
    before: str
    after: str
    number: int
    """Where the line is in the file, from 1 on."""

    @property
    def name(self) -> str:
        """The name of the line: its class of verbs, the role, the attribute and the value afterwards."""
        return f"{self.of_class}: {self.attribute} of {self.role}: {self.after}"

    def says(self, noun: str, object: str, attribute: str, after: str) -> bool:
        """Whether a change of a noun can be of this line, by an event with this object ("" for none)."""
        if self.role == "object":
            is_argument = noun == object or not object
        else:
            is_argument = noun == self.role.strip('"') if self.role.startswith('"') else noun != object
        if not is_argument or self.attribute != attribute or not self.admits(noun):
            return False
        pattern = re.escape(self.after).replace(r"\{away\}", "(?:off|out of) .+")
        return re.fullmatch(_ESCAPED_SLOT.sub("(?!off |out of ).+", pattern), after) is not None

    def admits(self, noun: str) -> bool:
        """Whether the noun is in the classes of the argument."""
        return all(is_one_of(noun, labels) for labels in self.classes) and not any(
            is_one_of(noun, labels) for labels in self.excluded
        )


@frozen
class _Verb:
    nouns: Kinds
    """The classes and heads of objects with which it is in its class; none for all."""
    changes: tuple[VerbChange, ...]


def verb_changes(verb: str, particle: str, object: str) -> tuple[VerbChange, ...]:
    """The changes of a verb (a lemma) with its object ("" for none), in the order of the table.

    `particle` is "" or follows the verb: a particle, or the preposition of a verb without object ("get into"). With one
    that the table does not have, a verb changes what it changes alone.
    """
    table = _verbs()
    entries = table.get(f"{verb} {particle}" if particle else verb, ())
    if not entries and particle not in _REVERSING:
        entries = table.get(verb, ())
    return tuple(
        change for entry in entries if not entry.nouns or is_one_of(object, entry.nouns) for change in entry.changes
    )


_LIQUIDS = word_list("liquids")


def is_one_of(noun: str, kinds: Kinds) -> bool:
    """Whether a noun is of one of some kinds."""
    return any(is_kind(noun, kind) for kind in kinds)


def is_kind(noun: str, label: str) -> bool:
    """Whether a noun is in a class of the lexicon, or has the label as its head.

    "consumable" has all food as well, and "liquid" what flows.
    """
    head = noun.rpartition(" ")[2]
    if label == "liquid":
        return head in _LIQUIDS
    if label in classes_of(noun) or head == label:
        return True
    return label == "consumable" and head in foods("food") and not classes_of(noun)


@cache
def verbs_digest() -> str:
    """SHA-256 of the table; comments do not count."""
    return hashlib.sha256("\n".join(_lines().values()).encode()).hexdigest()


@cache
def _lines() -> dict[int, str]:
    """The lines by their numbers, without comments."""
    text = resources.files("kgscripts.changes").joinpath("data/verbs.txt").read_text("utf-8")
    return {n: line for n, line in enumerate(text.splitlines(), start=1) if line and not line.startswith("#")}


@cache
def _verbs() -> Mapping[str, tuple[_Verb, ...]]:
    """The entries of each verb, with its particle."""
    names: dict[str, list[str]] = {}
    changes: dict[str, list[VerbChange]] = {}
    for number, line in _lines().items():
        if line.startswith("["):
            current = line.strip("[]")
            names[current], changes[current] = [], []
        elif "|" in line:
            changes[current].append(_change(current, line, number))
        else:
            names[current] += line.split(", ")
    by_verb: defaultdict[str, list[_Verb]] = defaultdict(list)
    for of_class, verbs in names.items():
        for name in dict.fromkeys(verbs):
            match = _VERB.fullmatch(name)
            assert match is not None, name
            key = f"{match['verb']} {match['particle']}" if match["particle"] else match["verb"]
            nouns = tuple(match["nouns"].split("/")) if match["nouns"] else ()
            by_verb[key].append(_Verb(nouns, tuple(changes[of_class])))
    return {name: tuple(entries) for name, entries in by_verb.items()}


def _change(of_class: str, line: str, number: int) -> VerbChange:
    who, attribute, before, after = (part.strip() for part in line.split("|"))
    match = _WHO.fullmatch(who)
    assert match is not None, line
    classes = _CLASS.findall(match["classes"])
    return VerbChange(
        of_class,
        match["role"],
        tuple(tuple(labels.split("/")) for negated, labels in classes if not negated),
        tuple(tuple(labels.split("/")) for negated, labels in classes if negated),
        match["place"] or "",
        match["thing"] or "",
        attribute,
        before,
        after,
        number,
    )
