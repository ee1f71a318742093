"""Amounts, sizes and durations as texts write them: "2 tbsp", "1 1/2 to 2 cups", "23 cm", "20 to 25 minutes"."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from kgscripts.text.lexicon import word_list

if TYPE_CHECKING:
    from spacy.tokens import Token


LENGTHS = word_list("lengths")
WEIGHTS = word_list("weights")
VOLUMES = word_list("volumes")
UNITS = LENGTHS | WEIGHTS | VOLUMES | word_list("other units")
"""Lemmas, in lower case; those that are other words too are no unit without a number."""
NO_THINGS = word_list("units that are no things")
"""Units that are the name of no thing, unlike "cup"."""
TIMES = word_list("times")
PARTITIVES = word_list("parts", "partitives")
"""Words before "of" that measure a thing or name a part of it: "a bowl of rice", "most of the rice"."""


def is_size(modifier: Token) -> bool:
    """Whether a word is a unit behind its number, or both: "20 cm tin", "two tablespoon oil", "23x33cm dish"."""
    return modifier.lower_[:1].isdigit() or (modifier.lemma_.lower() in UNITS and _is_counted(modifier))


def is_time(modifier: Token) -> bool:
    """Whether a word is a unit of time behind its number: "20 minute nap"."""
    return modifier.lemma_.lower() in TIMES and _is_counted(modifier)


def is_no_thing(word: Token) -> bool:
    """Whether a word is the unit of a number and names no thing by itself: "g" of "200 g", "375ml"."""
    return word.lemma_.lower().lstrip("0123456789.,/-x") in NO_THINGS and is_size(word)


def _is_counted(unit: Token) -> bool:
    before = unit.nbor(-1) if unit.i else unit
    if before.lower_ == "-" and before.i:  # "9-inch"
        before = before.nbor(-1)
    return before.lower_[:1].isdigit() or before.pos_ == "NUM"


UNITS_OF_AMOUNT = LENGTHS | WEIGHTS | VOLUMES | word_list("counted units")
"""Lemmas of units that need no "of": "2 slices bread"."""
_NO_AMOUNT = word_list("partitives of no amount")
"""Words before "of" that do not say how much."""


def _any(words: Collection[str]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_NUMBER = r"(?:\d+(?:[.,/⁄]\d+)?(?:\s*[½⅓⅔¼¾⅛]|\s+(?:and\s+)?\d+[/⁄]\d+)?|[½⅓⅔¼¾⅛])"
_COUNT = rf"(?<![\w$£€#.,/⁄])(?<!gas )(?<!mark ){_NUMBER}(?:\s*(?:-|–|to|or|x|×)\s*{_NUMBER}){{0,2}}"
_SMALL = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety"
_WORDS = rf"(?<!\w)(?:one|several|a\s+few|a\s+couple\s+of|{_SMALL})(?:(?:\s+or\s+|\s+to\s+|-)(?:{_SMALL}))?"
_SINGLE = r"(?<!\w)(?:half\s+an?|half|an?)"
_HOW_LARGE = r"(?:(?:small|large|big|good|generous|tiny|heaped|heaping|level|rounded|thin|thick)\s+)?"
_LENGTH = rf"(?:{_any(LENGTHS | {'feet'})})(?:e?s)?\b\.?"
_MEASURE = rf"(?:{_any(UNITS_OF_AMOUNT | {'feet'})})(?:e?s)?\b\.?"
# A "can opener" is no can of something.
_PART = rf"(?:{_any(PARTITIVES - _NO_AMOUNT)})(?:e?s\b|\b(?=\s+of\b))"
_UNIT = rf"{_HOW_LARGE}(?:{_MEASURE}[\s-]+{_PART}|{_MEASURE}|{_PART})"
_TIME = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|years?)\b"
_ABOUT = r"(?:(?<!\w)(?:about|approximately|roughly|at\s+least|up\s+to|another|(?:an?\s+)?(?:further|additional))\s+)?"
# What follows a number that counts no things: a time, a temperature, an ordinal.
_OTHER = rf"[\w/⁄]|[.,:]\d|\s*[°%]|[\s-]*(?:{_TIME}|(?:degrees?|per\s?cent|times?|o'clock|[ap]m|[CF])\b)"

AMOUNT = re.compile(
    rf"{_ABOUT}(?:{_COUNT}(?:\s*\([^()]*\))?[\s-]*{_UNIT}|{_COUNT}-?in\b|{_COUNT}(?!{_OTHER})(?:\s*\([^()]*\))?"
    rf"|{_WORDS}[\s-]+{_UNIT}|{_WORDS}\b(?!-|{_OTHER})|{_SINGLE}[\s-]+{_UNIT}(?=\s+of\b)|(?<!\w)half(?=\s+an?\b))",
    re.IGNORECASE,
)
"""How much, how many or how large: a number, a unit, or both."""
UNIT_ALONE = re.compile(rf"{_MEASURE}(?=[ \t])", re.IGNORECASE)
"""A unit without a number at the beginning of an item of a list: "pinch salt"."""
SIZE = re.compile(rf"\((?P<size>{_COUNT}[\s-]*(?:{_MEASURE}|in\b))", re.IGNORECASE)
"""An amount or a size behind its thing: "tin (23 cm)"."""
DURATION = re.compile(
    rf"{_ABOUT}(?:{_COUNT}|{_WORDS}|(?<!\w)(?:a\s+)?(?:few|couple)(?:\s+of)?\b|{_SINGLE}|(?<!\w)another)[\s-]*"
    rf"(?:(?:more|further|additional|extra|full|whole|good)\s+)?{_TIME}"
    rf"(?:\s+(?:and\s+)?(?:an?\s+half\b|{_COUNT}\s*{_TIME})|\s+or\s+two\b)?(?:\s+(?:more|longer)\b)?"
    r"|(?<!\w)(?:overnight|all\s+(?:day|night))\b",
    re.IGNORECASE,
)
"""A length of time, also one that says when something is done ("10 minutes later")."""
_ENDS_IN_LENGTH = re.compile(rf"(?<![a-z])(?:{_LENGTH}|in)$", re.IGNORECASE)
_ENDS_IN_UNIT = re.compile(rf"(?<![a-z])(?:(?:{_any(LENGTHS | WEIGHTS | VOLUMES | {'feet'})})(?:e?s)?\.?|in)$", re.I)


def is_length(amount: str) -> bool:
    """Whether an amount is a length: "23 cm"."""
    return _ENDS_IN_LENGTH.search(amount) is not None


def has_unit(amount: str) -> bool:
    """Whether an amount ends with a unit of length, weight or volume: "2 litre", but not "2"."""
    return _ENDS_IN_UNIT.search(amount) is not None
