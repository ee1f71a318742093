"""Titles in plain words, and the words that say nothing in a title."""

from __future__ import annotations

import hashlib
import html
import re
import unicodedata
from collections.abc import Mapping, Set
from functools import cache
from importlib import resources

from attrs import frozen

from kgscripts.text.lexicon import verbs, word_classes
from kgscripts.text.plain_words import visible

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


def word_class(name: str) -> frozenset[str]:
    """The words of a class of ``words.txt``."""
    return word_classes("kgscripts.titles", "words.txt")[name]


@cache
def leading_verbs() -> Mapping[str, tuple[Synonyms, ...]]:
    """The replacements of each verb, in the order of ``same.tsv``; verbs are in *-ing*, with their particles."""
    by_verb: dict[str, list[Synonyms]] = {}
    for leading, others, heads in _rows("same.tsv"):
        synonyms = Synonyms(leading, frozenset(filter(None, heads.split("|"))))
        for verb in others.split("|"):
            by_verb.setdefault(verb, []).append(synonyms)
    return {verb: tuple(synonyms) for verb, synonyms in by_verb.items()}


@cache
def leading_nouns() -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """The words that replace other words for the same thing."""
    rows = _rows("nouns.tsv")
    return {tuple(other.split()): tuple(leading.split()) for leading, others in rows for other in others.split("|")}


@cache
def kinds() -> Mapping[str, frozenset[str]]:
    """By head noun, the modifiers that name a kind of it without changing the activity."""
    return {head: frozenset(modifiers.split("|")) for head, modifiers in _rows("kinds.tsv")}


@cache
def word_pairs(name: str) -> Mapping[str, str]:
    """The words of the first column of a file, each with that of the second."""
    return dict(_rows(name))


def singular(noun: str) -> str:
    """The singular of a lower-case noun, by rule; a word that has no ending of a plural is returned as it is."""
    if noun in word_pairs("plurals.tsv"):
        return word_pairs("plurals.tsv")[noun]
    if len(noun) < 4 or not noun.endswith("s") or _NO_PLURAL.fullmatch(noun):
        return noun
    # "Pies" and "ties" keep their e.
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    without = _WITHOUT_ES.fullmatch(noun)
    return without[1] if without else noun[:-1]


def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in _read(name).splitlines()[1:]]


def _read(name: str) -> str:
    return (resources.files("kgscripts.titles") / "data" / name).read_text(encoding="utf-8")


MAX_CHARACTERS = 300
"""The most characters of a title that are used."""

_SPACE = {"Cc", "Cf", "Co", "Cn", "So", "Sk", "Zl", "Zp"}
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_EDGES = " \t\r\n.!?:;,…\"'“”‘’«»*_`-–—|/\\"
_SITE = re.compile(
    r"\s+\|.*$|\s+[-–—·»]\s+(?:\S+\.(?:com|org|net|co\.uk)|wikihow|ehow|instructables|youtube|wikibooks|allrecipes|bbc.*)$"
)
_NUMBER = r"\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|few|several|many|some"
_ARTICLE = "the|an?|our|my|your|this|top|and|&|more|most|step-by-step|beginner's"
_STEPS = "steps?|ways?"
_TIME = "seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|parts?|moves?"
_PEOPLE = "beginners?|dummies|newbies|starters|kids|children|toddlers|adults|seniors|students|everyone|free|cheap"
_HOW = re.compile(
    r"^(?:(?:please )?(?:learn|discover|see|find out|know|video|tutorial|guide)[:,]? )?"
    r"how (?:to:?|do (?:i|you|we)|does one|can (?:i|you|we|one)|should (?:i|you|we)"
    r"|(?:i|you|we|one) (?:should|can)|(?:(?:my|our) \S+ (?:and|&) )?(?:i|we)|you(?: can)?|(?:my|our) \S+(?= \S+ \S)) "
)
_TO = re.compile(r"to (\w+),? \S")
_LABEL = re.compile(
    r"^(?:(?:re|aw|fwd?|sv|q|a|question|topic|thread|subject|title|step-by-step|article|post)\s*:\s*"
    r"|#\s?\d{1,3}[.:)]?\s+|\d{1,3}[.)]\s+(?=[a-z])|\[[^\[\]]{1,20}\]\s*(?=\S))+"
)
"""What stands before a title in a forum or a series: "Re:", "#2", "[solved]"."""
_PRONOUN = re.compile(r"(?P<thing>[^:]+): how to (?P<verb>.+?) (?:it|them|one|your own|yours)")
_SAYS_NOTHING = re.compile(
    r"(?:diy|tutorial|video|guide|recipe|tips?|howto|how-to|quick tip|life ?hack|beginner'?s guide)"
)


def plain_title(title: str) -> tuple[str, bool]:
    """A title in lower case without words about the text, and whether it had "how to" or the like. Left out are remarks
    in brackets, numbers of ways and steps, years, the name of a site, durations, and phrases about the readers ("for
    beginners", "like a pro"). A title of more than `MAX_CHARACTERS` characters keeps them. The result is empty only if
    the title has neither letters nor digits.
    """
    lower = " ".join(_lower(title).split())
    text = _squeezed(lower[label_end(lower) :]) or _squeezed(lower)
    if len(text) > MAX_CHARACTERS:
        return text, False
    how_to = False
    # What is left out may uncover more of the same kind.
    while True:
        shorter = _shorter(text)
        without = _squeezed(_HOW.sub("", shorter, count=1))
        if (infinitive := _TO.match(shorter)) and infinitive[1] in word_class("verb") | verbs("action"):
            without = shorter.removeprefix("to ")
        how_to |= without != shorter
        if without in (text, ""):
            return text, how_to
        text = without


def label_end(title: str) -> int:
    """Where a title begins behind what a forum or a series puts before it; 0 where there is nothing of the kind."""
    label = _LABEL.match(title.lower())
    return label.end() if label and title[label.end() :].strip(_EDGES) else 0


def _shorter(text: str) -> str:
    """A title without the outermost words about the text, one of each kind."""
    text = _SITE.sub("", text)
    without = _squeezed(_BRACKETS.sub(" ", text))
    # A single word would say too little.
    text = without if " " in without else _squeezed(text)
    pronoun = _PRONOUN.fullmatch(text)
    if pronoun:
        text = f"how to {pronoun['verb']} {pronoun['thing']}"
    head, colon, tail = text.partition(": ")
    if colon and _SAYS_NOTHING.fullmatch(head):
        text = tail
    elif colon and _about_text().fullmatch(tail):
        text = head
    text = _squeezed(_leading().sub("", text, count=1))
    return _squeezed(_trailing().sub("", text)) or text


def _lower(title: str) -> str:
    text = unicodedata.normalize("NFKC", visible(html.unescape(title))).lower().replace("’", "'").replace("‘", "'")
    return "".join(" " if unicodedata.category(char) in _SPACE else char for char in text)


def _squeezed(text: str) -> str:
    return " ".join(text.split()).rstrip(_EDGES).lstrip(_EDGES + "#")


@cache
def _leading() -> re.Pattern[str]:
    """ "The 7 best ways to", "a beginner's guide to", "the right way to"."""
    return re.compile(rf"^{_adjectives()}(?:{_STEPS}|{_text()}) (?:to|for|on|of|about) ")


@cache
def _trailing() -> re.Pattern[str]:
    """ "In 5 easy steps", "like a pro", "for beginners", "a guide", "2023"."""
    return re.compile(
        rf"(?<=\S)[ ,:;–—-]++(?:"
        r"(?:in|within|under|with) (?:(?:just|only|under|less|than|about) )*+"
        rf"{_adjectives()}(?:{_TIME}|{_STEPS}|{_text()})(?: or less| flat)?"
        rf"|{_adjectives()}(?:{_text()})|{_adjectives('++')}(?:{_STEPS})"
        r"|(?:(?:in|for|of) )?(?:19|20)\d\d"
        r"|like (?:an?|the) \S+(?: \S+)?"
        rf"|for (?:(?:the|absolute|complete|total|your) )*+(?:{_PEOPLE}|first time|fun|good)"
        r"|step by step|at home|from home|from scratch|by yourself|yourself|on your own|on a budget"
        r"|made (?:easy|simple)|every (?:time|day|morning|night|week)"
        r"|today|yesterday|(?:this|last) (?:weekend|week|month|year|spring|summer|autumn|winter)"
        r")$"
    )


@cache
def _about_text() -> re.Pattern[str]:
    """Words behind a colon that name no activity: "12 steps", "a guide for beginners", "how to do it"."""
    return re.compile(
        rf"{_adjectives()}(?:{_STEPS}|{_text()}).*|how to do it.*|what you need to know.*|step by step.*|the basics.*"
    )


def _text() -> str:
    """The words that name the text, as alternatives of a pattern."""
    return _any(word_class("text"))


def _adjectives(number: str = "*+") -> str:
    """Any number of words that may precede those; possessive, so that no other division is tried, which would take
    long."""
    return rf"(?:(?:{_NUMBER}|{_ARTICLE}|{_any(word_class('quality') - word_class('text'))})[ ,]++){number}"


def _any(words: Set[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
