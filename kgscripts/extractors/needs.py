"""Lists of things that an activity needs: "You will need: a spade, 2 cups of flour" gives a need for each item."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from kgscripts.corpora.needs import heading_of, item_spans, names_ingredients, names_tools
from kgscripts.extractors.nouns import PARTITIVES
from kgscripts.extractors.protocol import Parse
from kgscripts.text.lexicon import classes_of, is_a, is_tool, may_be_tool, role_of
from kgscripts.text.syntax import lemma
from schemas.records import Need, NeedKind

if TYPE_CHECKING:
    from spacy.tokens import Token

_ENDS = frozenset(
    {"for", "to", "with", "without", "that", "which", "from", "in", "on", "at", "per", "if", "as", "–", "—"}
)
"""Words after which an item describes the thing that it names."""
_BETWEEN = frozenset({"and", "or", "plus"})
_UNITS = frozenset(
    {
        "cup",
        "teaspoon",
        "tablespoon",
        "tsp",
        "tbsp",
        "tbs",
        "ounce",
        "oz",
        "pound",
        "lb",
        "lbs",
        "gram",
        "g",
        "kg",
        "mg",
    }
    | {"ml", "l", "liter", "litre", "quart", "pint", "gallon", "dash", "pinch", "dozen", "clove", "slice", "handful"}
    | {"packet", "package", "inch", "cm", "mm", "foot", "ft", "meter", "metre"}
)
_MODIFIERS = frozenset({"DET", "NUM", "ADJ", "ADV", "PRON", "SYM", "X", "ADP"})

_STATES = frozenset(
    {"ripe", "overripe", "raw", "fresh", "frozen", "dried", "canned", "organic", "large", "small", "medium"}
)
"""Adjectives of lists that taggers take for nouns: a "ripe banana" is a banana."""

_NUMBER = r"(?:\d+(?:[.,/]\d+)?(?:[ \t]*[½⅓⅔¼¾⅛]|[ \t]+\d+/\d+)?|[½⅓⅔¼¾⅛])"
_COUNT = rf"(?:{_NUMBER}(?:[ \t]*(?:-|–|to|or|x|×)[ \t]*{_NUMBER})?)"
_WORDS = r"(?:(?:an?|one|two|three|four|five|six|half|several)(?:[ \t]+an?)?)"
_UNIT = rf"(?:{'|'.join(sorted(_UNITS | PARTITIVES, key=lambda unit: (-len(unit), unit)))})(?:e?s)?\b\.?"
_AMOUNT = re.compile(
    rf"(?:about[ \t]+)?(?:{_COUNT}(?:[ \t]*\([^()]*\))?(?:[ \t-]*{_UNIT})?|{_WORDS}[ \t]+{_UNIT}(?=[ \t]+of\b)"
    rf"|half(?=[ \t]+an?\b)|(?:{'|'.join(sorted(_UNITS, key=lambda unit: (-len(unit), unit)))})\b(?=[ \t]))",
    re.IGNORECASE,
)
_SIZE = re.compile(rf"\((?P<size>{_COUNT}[ \t-]*{_UNIT})", re.IGNORECASE)


def needs_of(parses: Sequence[Parse], text: str) -> Iterator[Need]:
    """The needs of a list, given by its parses, each thing once. `text` is that of the document."""
    passage = parses[0].passage
    listed = text[passage.start : passage.end]
    heading = heading_of(listed)
    found: set[str] = set()
    for (start, end), words in _items(parses, [_stripped(listed, *span) for span in item_spans(listed)]):
        name = " ".join([*(word.lower_ for word in words[:-1]), *(_lemma(word) for word in words[-1:])])
        if not name or name in found or is_a(name, "person", "time"):
            continue
        found.add(name)
        is_used = not names_ingredients(heading) and _is_tool(name, heading)
        yield Need(
            lemma=name,
            kind=NeedKind.TOOL if is_used else NeedKind.SUPPLY,
            role=role_of(name) if is_used else None,
            amount=_amount(listed[start:end]),
            start=passage.start + start,
            end=passage.start + end,
        )


def _is_tool(noun: str, heading: str) -> bool:
    return is_tool(noun) or (names_tools(heading) and may_be_tool(noun))


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without what is no letter, digit or bracket at its ends: white space, bullets, hyphens."""
    item = text[start:end]
    inner = item.lstrip(" \t\r\n•*+–—-").rstrip(" \t\r\n•*–—-.:")
    begin = start + item.find(inner)
    return begin, begin + len(inner)


def _items(
    parses: Sequence[Parse], items: Sequence[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], Sequence[Token]]]:
    """Each item with the nouns that name its thing. Spans count from the beginning of the passage."""
    begin = parses[0].passage.start
    ends = [begin + end for _, end in items]
    for parse in parses:
        tokens = (token for token in parse.doc if parse.offset + token.idx >= begin + items[0][0])
        for place, item in groupby(tokens, key=lambda token: bisect_right(ends, parse.offset + token.idx)):
            if place < len(items):
                yield items[place], _noun(list(item))


def _amount(item: str) -> str:
    """How much or how large, as it is written before the thing or behind it in parentheses."""
    if found := _AMOUNT.match(item):
        return found[0].strip()
    size = _SIZE.search(item)
    return size["size"] if size else ""


def _lemma(word: Token) -> str:
    return word.lower_ if "plural_only" in classes_of(word.lower_) else lemma(word)


def _noun(tokens: Sequence[Token]) -> list[Token]:
    """The noun of an item with its compound: "cake pan" of "a round cake pan (9 inches)", "sugar" of "1 cup sugar"."""
    words = list(_words(tokens))
    while of := next((number for number, word in enumerate(words) if number and word.lower_ == "of"), 0):
        words = words[of + 1 :] if lemma(words[of - 1]) in PARTITIVES | _UNITS else words[:of]
    first = max((number + 1 for number, word in enumerate(words[:-1]) if _precedes_noun(word)), default=0)
    found = words[first:]
    if found and (found[-1].pos_ in _MODIFIERS or found[-1].tag_ in {"VBN", "VBD"}):
        return found if classes_of(found[-1].lower_) else []  # "1 cup sugar, sifted": no thing
    return found


def _precedes_noun(word: Token) -> bool:
    """Whether a word is no part of the compound after it: an adjective, a participle, a measure."""
    measures = lemma(word) in _UNITS or (word.tag_ == "NNS" and lemma(word) in PARTITIVES)
    return measures or word.pos_ in _MODIFIERS or word.tag_ == "VBN" or word.lower_ in _STATES


def _words(tokens: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        if depth > 0 or not token.text[0].isalpha() or token.lower_ in _BETWEEN:
            continue
        if token.lower_ in _ENDS:
            return
        yield token
