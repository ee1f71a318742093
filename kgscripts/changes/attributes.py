"""Attributes of state changes and their values: the vocabulary, and which values agree."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources

from attrs import frozen

from kgscripts.text.lexicon import word_list

_WORD = re.compile(r"[^\W_]+")
_LIGHT = re.compile(
    "an?|the|some|this|that|these|those|my|your|his|her|its|our|their|of|in|on|at|to|into|onto|inside|within|by|with"
    "|is|are|was|were|be|been|being|has|have|had|now|still|currently|already"
)
"""Words without which a value stays the same: "in the pot" is "pot"."""
_TURNING = re.compile(
    "not?|non|never|without|un|less|more|least|most|off|out|outside|away|under|over|above|below|beside|behind|before"
    "|after|from|partly|partially|almost|half|too"
)
"""Words that reverse or change a value: "outside the pot", "not clean", "less full"."""


def agree(after: str, before: str) -> bool:
    """Whether two values of the same attribute of an entity are the same state.

    They are if their content words are the same, or if those of one contain those of the other ("in the pot" and "in
    the pot on the stove"), and if both have the same reversing words ("not", "less", "outside"). Case, punctuation and
    order do not count; a value without content words agrees with an equal one only.
    """
    one, other = _content(after), _content(before)
    if not one or not other:
        return " ".join(after.lower().split()) == " ".join(before.lower().split())
    if not one <= other and not other <= one:
        return False
    return not any(_TURNING.fullmatch(word) for word in one ^ other)


def _content(value: str) -> set[str]:
    return {word for word in _WORD.findall(value.lower()) if not _LIGHT.fullmatch(word)}


_ATTRIBUTE = re.compile(r"(?P<name>[^(:]+?)(?: \((?P<broader>[^)]+)\))?: (?P<others>.+)")
_VAGUE = word_list("vague attributes")
"""Attributes that any value can have. With values that belong to another attribute, the other attribute is meant."""
_SHAPED = re.compile(r"(?P<full>full(?: of .+)?$|filled with |empty$)|(?:in|on|at|inside|under) (?!use\b|pieces\b)")
"""Values that say how full a thing is, or where."""


@frozen
class Attribute:
    """An attribute: its name, the broader attribute ("" for none), and other names of it."""

    name: str
    broader: str
    others: tuple[str, ...]


@cache
def attributes() -> Mapping[str, Attribute]:
    """All attributes of the vocabulary (`data/attributes.txt`), by name."""
    result = {}
    for line in _lines("attributes.txt"):
        match = _ATTRIBUTE.fullmatch(line)
        assert match is not None, line
        others = tuple(match["others"].split(", "))
        result[match["name"]] = Attribute(match["name"], match["broader"] or "", others)
    return result


@cache
def attribute_names() -> dict[str, tuple[str, ...]]:
    """The other names of each attribute of the vocabulary."""
    return {name: attribute.others for name, attribute in attributes().items()}


@cache
def attributes_digest() -> str:
    """SHA-256 of the vocabulary; comments do not count."""
    content = "\n".join([*_lines("attributes.txt"), *_lines("values.txt")])
    return hashlib.sha256(content.encode()).hexdigest()


def leading_attribute(name: str) -> str:
    """The attribute that a name means: the one of the vocabulary, or the name itself."""
    return _leading().get(name, name)


def broader_attribute(name: str, names: Collection[str]) -> str | None:
    """The nearest of `names` that is more general than an attribute; None if none is."""
    known = attributes()
    above = known[name].broader if name in known else ""
    while above and above not in names:
        above = known[above].broader
    return above or None


def in_vocabulary(attribute: str, before: str, after: str) -> tuple[str, str, str]:
    """An attribute and its values before ("": unknown) and after in the words of the vocabulary.

    "state" from "shut" to "opened" is *openness* from "closed" to "open"; what the vocabulary lacks stays as it is.
    """
    before, after = _MORE.sub("", before), _MORE.sub("", after)
    leading = leading_attribute(attribute)
    of_after = _attributes_of_values().get(after, frozenset())
    if leading in _VAGUE and (match := _SHAPED.match(after)):
        leading = "fullness" if match["full"] else "location"
    elif leading not in of_after:
        meant = of_after & _attributes_of_values().get(before, frozenset()) if before else of_after
        # Attributes other than vague ones are wrong, too, if both values say so ("texture: dry -> wet").
        if len(meant) == 1 and (leading in _VAGUE or before):
            leading = min(meant)
    wordings = _wordings().get(leading, {})
    return leading, wordings.get(before, before), wordings.get(after, after)


def is_value(value: str) -> bool:
    """Whether a value, in the words that `in_vocabulary` gives, is one of the vocabulary."""
    return value in _attributes_of_values()


_MORE = re.compile(r"^(?:now|very|completely|fully|totally|still|currently|being) (?!used|worn|charged|cooked)")


@cache
def _lines(name: str) -> tuple[str, ...]:
    text = resources.files("kgscripts.changes").joinpath("data", name).read_text("utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


@cache
def _leading() -> dict[str, str]:
    return {other: attribute.name for attribute in attributes().values() for other in attribute.others}


@cache
def _values() -> dict[str, dict[str, tuple[str, ...]]]:
    """The values of each attribute, with their other wordings."""
    by_attribute: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in _lines("values.txt"):
        if line.startswith("["):
            values = by_attribute.setdefault(line.strip("[]"), {})
        else:
            value, _, others = line.partition(": ")
            values[value] = tuple(others.split(", "))
    return by_attribute


@cache
def _wordings() -> dict[str, dict[str, str]]:
    """Of each attribute, the value that another wording means."""
    return {
        attribute: {other: value for value, others in values.items() for other in others}
        for attribute, values in _values().items()
    }


@cache
def _attributes_of_values() -> dict[str, frozenset[str]]:
    """The attributes that a value, or another wording of one, belongs to."""
    by_name: dict[str, set[str]] = {}
    for attribute, values in _values().items():
        for value, others in values.items():
            for name in (value, *others):
                by_name.setdefault(name, set()).add(attribute)
    return {value: frozenset(of_value) for value, of_value in by_name.items()}
