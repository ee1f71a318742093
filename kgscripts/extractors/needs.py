"""Events of a list of what an activity needs: "You will need: a spade, a young tree" is "gather tool, gather material".

The things that the list names are the tools and participants of these events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen
from spacy.tokens import Token

from kgscripts.corpora.needs import heading_of, item_spans, names_ingredients, names_tools
from kgscripts.extractors.lexicon import classes_of, is_a, is_tool, may_be_tool
from kgscripts.extractors.nouns import PARTITIVES
from kgscripts.extractors.protocol import Parse
from kgscripts.text.syntax import lemma
from schemas.records import Action, Argument, EventMention, Role, Tool

_GATHER = "gather"
_ENDS = frozenset(
    {"for", "to", "with", "without", "that", "which", "from", "in", "on", "at", "per", "if", "as", "–", "—"}
)
"""Words after which an item says more about what it names."""
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
    """What an item names, with its span in the document."""

    lemma: str
    start: int
    end: int


def gatherings(parse: Parse, text: str) -> Iterator[EventMention]:
    """The events of a list: one that gathers what is used up, one that gathers its tools. `text` is the document's."""
    listed = text[parse.offset : parse.offset + len(parse.doc.text)]
    heading = heading_of(listed)
    things = list(_things(parse, listed))
    tools = [] if names_ingredients(heading) else [thing for thing in things if _is_tool(thing.lemma, heading)]
    others = [thing for thing in things if thing not in tools]
    if others:
        yield EventMention(
            action=Action(predicate=_GATHER, object="ingredient" if names_ingredients(heading) else "material"),
            start=parse.passage.start,
            end=parse.passage.end,
            participants=[
                Argument(lemma=thing.lemma, role=Role.PATIENT, start=thing.start, end=thing.end) for thing in others
            ],
        )
    if tools:
        yield EventMention(
            action=Action(predicate=_GATHER, object="tool"),
            start=parse.passage.start,
            end=parse.passage.end,
            tools=[Tool(lemma=thing.lemma, start=thing.start, end=thing.end) for thing in tools],
        )


def _is_tool(noun: str, heading: str) -> bool:
    return is_tool(noun) or (names_tools(heading) and may_be_tool(noun))


def _things(parse: Parse, text: str) -> Iterator[_Thing]:
    """What the items name, each lemma once."""
    seen: set[str] = set()
    for start, end in item_spans(text):
        words = _noun([token for token in parse.doc if start <= token.idx < end])
        name = " ".join([*(word.lower_ for word in words[:-1]), *(_lemma(word) for word in words[-1:])])
        if name and name not in seen and not is_a(name, "person", "time"):
            seen.add(name)
            last = words[-1]
            yield _Thing(name, parse.offset + words[0].idx, parse.offset + last.idx + len(last))


def _lemma(word: Token) -> str:
    return word.lower_ if "plural_only" in classes_of(word.lower_) else lemma(word)


def _noun(tokens: Sequence[Token]) -> list[Token]:
    """The noun of an item with its compound: "cake pan" of "a round cake pan (9 inches)", "sugar" of "1 cup sugar"."""
    words = list(_words(tokens))
    for number, word in enumerate(words):
        if number and word.lower_ == "of":
            return _noun(words[number + 1 :] if lemma(words[number - 1]) in PARTITIVES | _UNITS else words[:number])
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
        if depth > 0 or not token.text[0].isalpha():
            continue
        if token.lower_ in _ENDS:
            return
        yield token
