"""Events of a list of things that an activity needs: "You will need: a spade, a young tree" gives "gather tool" and
"gather material". The things in the list are the tools and participants of these events.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from attrs import frozen

from kgscripts.corpora.needs import heading_of, item_spans, names_ingredients, names_tools
from kgscripts.extractors.nouns import PARTITIVES
from kgscripts.extractors.protocol import Parse
from kgscripts.text.lexicon import classes_of, is_a, is_tool, may_be_tool, role_of
from kgscripts.text.syntax import lemma
from schemas.records import Action, Argument, EventMention, Role, Tool

if TYPE_CHECKING:
    from spacy.tokens import Token

_GATHER = "gather"
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


@frozen
class _Thing:
    """The thing that an item names, with its span in the document."""

    lemma: str
    start: int
    end: int


def gatherings(parses: Sequence[Parse], text: str) -> Iterator[EventMention]:
    """The events of a list, given by its parses: one that gathers the materials, one that gathers the tools.

    `text` is that of the document.
    """
    passage = parses[0].passage
    listed = text[passage.start : passage.end]
    heading = heading_of(listed)
    is_food = names_ingredients(heading)
    things = _things(parses, [(passage.start + start, passage.start + end) for start, end in item_spans(listed)])
    tools = [] if is_food else [thing for thing in things if _is_tool(thing.lemma, heading)]
    others = [thing for thing in things if thing not in tools]
    if others:
        yield EventMention(
            action=Action(predicate=_GATHER, object="ingredient" if is_food else "material"),
            start=passage.start,
            end=passage.end,
            participants=[
                Argument(lemma=thing.lemma, role=Role.PATIENT, start=thing.start, end=thing.end) for thing in others
            ],
        )
    if tools:
        yield EventMention(
            action=Action(predicate=_GATHER, object="tool"),
            start=passage.start,
            end=passage.end,
            tools=[
                Tool(lemma=thing.lemma, role=role_of(thing.lemma), start=thing.start, end=thing.end) for thing in tools
            ],
        )


def _is_tool(noun: str, heading: str) -> bool:
    return is_tool(noun) or (names_tools(heading) and may_be_tool(noun))


def _things(parses: Sequence[Parse], items: Sequence[tuple[int, int]]) -> list[_Thing]:
    """The things that the items name, each lemma once."""
    ends = [end for _, end in items]
    found: dict[str, _Thing] = {}
    for parse in parses:
        tokens = (token for token in parse.doc if parse.offset + token.idx >= items[0][0])
        for _, item in groupby(tokens, key=lambda token: bisect_right(ends, parse.offset + token.idx)):
            words = _noun(list(item))
            name = " ".join([*(word.lower_ for word in words[:-1]), *(_lemma(word) for word in words[-1:])])
            if name and not is_a(name, "person", "time"):
                last = words[-1]
                start, end = parse.offset + words[0].idx, parse.offset + last.idx + len(last)
                found.setdefault(name, _Thing(name, start, end))
    return list(found.values())


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
    return measures or word.pos_ in _MODIFIERS or word.tag_ == "VBN"


def _words(tokens: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        if depth > 0 or not token.text[0].isalpha() or token.lower_ in _BETWEEN:
            continue
        if token.lower_ in _ENDS:
            return
        yield token
