"""Words about needs (``data/needs.txt``), and what the name of a scenario says that it makes or is done to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

from kgscripts.text.lexicon import parse_classes

_AFTER = frozenset({"with", "for", "from", "in", "on", "without", "using", "and", "&", "by", "of", "to", "that"})


def product_names(label: str) -> set[str]:
    """What the name of a scenario says it makes, in singular and as it is: "bread" for "banana bread", nothing for
    "washing a car"."""
    words = label.lower().replace("(", " ( ").split()
    end = next((place for place, word in enumerate(words) if place and (word in _AFTER or word == "(")), len(words))
    first, *rest = words[:end] or [""]
    if first.endswith("ing") and rest:
        if first not in {f"{verb.removesuffix('e')}ing" for verb in class_of("making")}:
            return set()
    else:
        rest = [first, *rest]
    if len(rest) > 1 and rest[-2] in class_of("worked"):
        return set()
    return _names(rest)


def worked_on_names(label: str) -> set[str]:
    """What the name of a scenario says it is done to, in singular and as it is: "carpet" for "vacuuming the carpet",
    "alarm clock" for "changing batteries in an alarm clock", nothing for "making a bed"."""
    first, *rest = label.lower().split() or [""]
    if _is_form(first, class_of("changing")):
        place = next((place for place, word in enumerate(rest) if word in {"in", "on", "of", "from"}), len(rest))
        return _names(rest[place + 1 :])
    if not _is_form(first, class_of("maintaining")):
        return set()
    return _names(rest[: next((place for place, word in enumerate(rest) if place and word in _AFTER), len(rest))])


def _is_form(word: str, known: Iterable[str]) -> bool:
    """Whether a word is one of these verbs, or a present participle of one."""
    return any(word in {verb, f"{verb.removesuffix('e')}ing", f"{verb}{verb[-1]}ing"} for verb in known)


def _names(words: Sequence[str]) -> set[str]:
    """The last word and the last two, also without the ending of a plural."""
    names = {words[-1], " ".join(words[-2:])} if words else set()
    return names | {name.removesuffix("s") for name in names} | {name.removesuffix("es") for name in names}


def class_of(label: str) -> frozenset[str]:
    """The words under a heading of ``data/needs.txt``."""
    return _classes_of_words()[label]


@cache
def _classes_of_words() -> dict[str, frozenset[str]]:
    text = (resources.files("kgscripts.assembly") / "data" / "needs.txt").read_text(encoding="utf-8")
    return parse_classes(text, "needs.txt")
