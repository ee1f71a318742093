"""The lexicon: classes of everyday nouns and verbs and closed lists of words, written by hand, and classes of
artefacts, derived from WordNet."""

from __future__ import annotations

import functools
import hashlib
import json
from importlib import resources

from schemas.errors import ModelError
from schemas.records import ToolRole

# The prepositions that make a noun of a class the tool of its event.
_TOOL_PREPOSITIONS = {
    "implement": frozenset({"with"}),
    "surface": frozenset({"with", "on", "onto", "over", "upon", "on top of"}),
    "vessel": frozenset({"with", "in", "into", "inside", "inside of"}),
    "filter": frozenset({"with", "through", "in", "over"}),
    "appliance": frozenset({"with", "in", "into", "inside", "on", "onto", "under"}),
    "device": frozenset({"with", "on", "via", "through"}),
    "carrier": frozenset({"in", "on", "with"}),
}
TOOL_CLASSES = frozenset(_TOOL_PREPOSITIONS)
NO_TOOL_CLASSES = frozenset(
    {"consumable", "person", "animal", "body", "clothing", "place", "time", "abstract", "information"}
)
_NOTHING: frozenset[str] = frozenset()


def parse_classes(text: str, name: str) -> dict[str, frozenset[str]]:
    """Classes and their words from lines of comma-separated words under ``[class]`` headings; ``#`` comments.

    Raises
    ------
    ModelError
        if there are words before the first heading.
    """
    words: dict[str, set[str]] = {}
    current: set[str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if line.startswith("[") and line.endswith("]"):
            current = words.setdefault(line[1:-1], set())
        elif line and current is None:
            raise ModelError("words outside a class", where=f"{name}:{number}", remedy="reinstall kgscripts")
        elif current is not None:
            current.update(word.strip() for word in line.split(",") if word.strip())
    return {label: frozenset(members) for label, members in words.items()}


@functools.cache
def word_classes(package: str, name: str) -> dict[str, frozenset[str]]:
    """The classes of the file `name` in the folder ``data`` of a package, and their words."""
    return parse_classes((resources.files(package) / "data" / name).read_text(encoding="utf-8"), name)


def _load(name: str) -> dict[str, frozenset[str]]:
    return word_classes("kgscripts.text", name)


@functools.cache
def word_list_digests() -> dict[str, str]:
    """SHA-256 of the classes and words of each list, by its name; comments and layout do not count."""
    digests = {}
    for name in ("nouns.txt", "verbs.txt", "words.txt", "foods.txt", "artefacts.txt", "abbreviations.txt"):
        content = {label: sorted(words) for label, words in _load(name).items()}
        digests[name] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return digests


def word_list(*labels: str) -> frozenset[str]:
    """The words of one or more lists in ``words.txt``: articles, particles, units and the like."""
    return frozenset().union(*(_load("words.txt")[label] for label in labels))


CONTRASTS = tuple(
    word_list(f"contrast of {family}")
    for family in ("age", "cleanliness", "order", "side", "place", "filling", "wetness", "size")
)
"""Families of adjectives that tell things apart; those of one family exclude each other."""


def verbs(label: str) -> frozenset[str]:
    """Lemmas of a class in ``verbs.txt``."""
    return _load("verbs.txt")[label]


def foods(label: str) -> frozenset[str]:
    """Lemmas of a class in ``foods.txt``: food, head or compound."""
    return _load("foods.txt")[label]


def abbreviations(label: str) -> frozenset[str]:
    """Abbreviations of a class in ``abbreviations.txt``, without their full stops."""
    return _load("abbreviations.txt")[label]


def nouns(label: str) -> frozenset[str]:
    """The nouns of a class in ``nouns.txt``, single words and compounds."""
    return _load("nouns.txt")[label]


@functools.cache
def _noun_classes() -> dict[str, frozenset[str]]:
    """The classes of each noun; those of ``nouns.txt`` take precedence over those of ``artefacts.txt``."""
    return _by_word(_load("artefacts.txt")) | _by_word(_load("nouns.txt"))


def _by_word(classes: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    by_word: dict[str, set[str]] = {}
    for label, members in classes.items():
        for word in members:
            by_word.setdefault(word, set()).add(label)
    return {word: frozenset(labels) for word, labels in by_word.items()}


@functools.lru_cache(maxsize=1 << 16)
def classes_of(noun: str) -> frozenset[str]:
    """The classes of a noun or compound: those of its longest listed suffix ("paper towel", else "towel").

    "* case" in the list stands for every compound of "case" that is not listed itself.
    """
    known = _noun_classes()
    words = noun.split(" ")
    for start in range(len(words)):
        classes = known.get(" ".join(words[start:]))
        if 0 < start == len(words) - 1:
            classes = known.get(f"* {words[start]}", classes)
        if classes is not None:
            return classes
    return _NOTHING


def is_tool(noun: str) -> bool:
    """Whether the noun is an implement, vessel, appliance or device, in any phrase."""
    return not TOOL_CLASSES.isdisjoint(classes_of(noun)) and NO_TOOL_CLASSES.isdisjoint(classes_of(noun))


def may_be_tool(noun: str) -> bool:
    """Whether the noun may be a tool if the text states its use: it is in no class of things that are never tools."""
    return NO_TOOL_CLASSES.isdisjoint(classes_of(noun))


def is_tool_after(preposition: str, noun: str) -> bool:
    """Whether the noun's class fits the preposition: "in the bowl", "on the tray", "with a knife"."""
    return is_tool(noun) and any(
        preposition in _TOOL_PREPOSITIONS[label] for label in classes_of(noun) if label in TOOL_CLASSES
    )


def role_of(noun: str, preposition: str = "with") -> ToolRole:
    """The role of a tool after the preposition: a pan is a container "in" and a support "on".

    "with" stands for every other way to name a tool ("use a pan", "using a pan").
    """
    classes = classes_of(noun)
    if "appliance" in classes:
        return ToolRole.APPLIANCE
    if preposition in _TOOL_PREPOSITIONS["surface"] - {"with"}:
        return ToolRole.APPLIANCE if "device" in classes else ToolRole.SUPPORT
    if preposition.startswith("in"):
        return ToolRole.CONTAINER
    if "implement" in classes:
        return ToolRole.INSTRUMENT
    if "device" in classes:
        return ToolRole.APPLIANCE
    if not classes.isdisjoint({"vessel", "carrier", "basin"}):
        return ToolRole.CONTAINER
    return ToolRole.SUPPORT if "surface" in classes else ToolRole.INSTRUMENT


def is_a(noun: str, *labels: str) -> bool:
    """Whether the noun is in one of the classes."""
    return not classes_of(noun).isdisjoint(labels)
