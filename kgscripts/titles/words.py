"""The word lists of titles, and the singular of nouns."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

from attrs import frozen

from kgscripts.text.lexicon import parse_classes

_IRREGULAR = {
    "children": "child",
    "people": "person",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    "teeth": "tooth",
    "geese": "goose",
    "mice": "mouse",
    "knives": "knife",
    "wives": "wife",
    "lives": "life",
    "leaves": "leaf",
    "loaves": "loaf",
    "halves": "half",
    "shelves": "shelf",
    "wolves": "wolf",
    "scarves": "scarf",
    "movies": "movie",
    "cookies": "cookie",
    "ties": "tie",
    "pies": "pie",
    "shoes": "shoe",
    "cds": "cd",
}
_NO_PLURAL = re.compile(
    r".*(?:ss|us|is)|gas|glasses|clothes|pants|trousers|pajamas|pyjamas|jeans|scissors|lens|news|christmas"
)
_WITHOUT_ES = re.compile(r"(.+(?:ch|sh|ss|x|zz|[^aeiou]o))es")


@frozen
class Synonyms:
    """A verb that replaces others, with any object or only with objects that have one of the given heads."""

    leading: str
    heads: frozenset[str]


@cache
def titles_digest() -> str:
    """SHA-256 of the word lists of titles."""
    folder = resources.files("kgscripts.titles") / "data"
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


@cache
def word_class(name: str) -> frozenset[str]:
    """The words of a class of ``words.txt``."""
    return _classes()[name]


@cache
def _classes() -> dict[str, frozenset[str]]:
    return parse_classes(_read("words.txt"), "words.txt")


@cache
def leading_verbs() -> Mapping[str, tuple[Synonyms, ...]]:
    """The replacements of each verb, in the order of ``same.tsv``; verbs are in *-ing*, with their particles."""
    found: dict[str, list[Synonyms]] = {}
    for leading, others, heads in _rows("same.tsv"):
        synonyms = Synonyms(leading, frozenset(filter(None, heads.split("|"))))
        for verb in others.split("|"):
            found.setdefault(verb, []).append(synonyms)
    return {verb: tuple(synonyms) for verb, synonyms in found.items()}


@cache
def leading_nouns() -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """The words that replace other words for the same thing."""
    rows = _rows("nouns.tsv")
    return {tuple(other.split()): tuple(leading.split()) for leading, others in rows for other in others.split("|")}


@cache
def kinds() -> Mapping[str, frozenset[str]]:
    """By head noun, the modifiers that name a kind of it without changing the activity."""
    return {head: frozenset(modifiers.split("|")) for head, modifiers in _rows("kinds.tsv")}


def singular(noun: str) -> str:
    """The singular of a lower-case noun, by rule; a word that has no ending of a plural is returned as it is."""
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if len(noun) < 4 or not noun.endswith("s") or _NO_PLURAL.fullmatch(noun):
        return noun
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    without = _WITHOUT_ES.fullmatch(noun)
    return without[1] if without else noun[:-1]


def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in _read(name).splitlines()[1:]]


def _read(name: str) -> str:
    return (resources.files("kgscripts.titles") / "data" / name).read_text(encoding="utf-8")
