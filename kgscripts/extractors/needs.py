"""Lists of things that an activity needs: "You will need: a spade, 2 cups of flour" gives a need for each item."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from attrs import evolve

from kgscripts.corpora.needs import heading_of, item_spans, names_ingredients, names_tools
from kgscripts.extractors.protocol import Parse
from kgscripts.text.amounts import AMOUNT, PARTITIVES, SIZE, UNIT_ALONE, UNITS_OF_AMOUNT
from kgscripts.text.lexicon import classes_of, foods, is_a, is_tool, may_be_tool, role_of, word_list
from kgscripts.text.syntax import lemma
from schemas.records import Need, Passage, PassageKind

if TYPE_CHECKING:
    from spacy.tokens import Token

_ENDS = word_list("words behind a need")
"""Words after which an item describes the thing that it names."""
_BETWEEN = word_list("joins of needs")
_AFTERTHOUGHTS = frozenset({"VBN", "VBD", "RB"})
"""The tags with which a remark behind a comma begins: "1 onion, cut into rings"."""
_MODIFIERS = frozenset({"DET", "NUM", "ADJ", "ADV", "PRON", "SYM", "X", "ADP"})

_STATES = word_list("states of needs")
"""Adjectives of lists that taggers take for nouns: a "ripe banana" is a banana."""


_MARKER = re.compile(r"[\s•*+–—-]*(?:\(?\d{1,2}[.):/]+[ \t]*(?=[^\W\d_]))?")
_PRESSED = word_list("pressed")
"""What is made of a thing that one needs: "juice of 1 lemon"."""


def needs_of(parses: Sequence[Parse], text: str) -> Iterator[Need]:
    """The needs of a list, given by its parses, each thing once. `text` is that of the document."""
    passage = parses[0].passage
    listed = text[passage.start : passage.end]
    heading = heading_of(listed)
    names: set[str] = set()
    spans = ((passage.start + start, passage.start + end) for start, end in item_spans(listed))
    for (start, end), amount, words in _items(parses, text, [_stripped(text, *span) for span in spans]):
        name = " ".join([*(word.lower_ for word in words[:-1]), *(_lemma(word) for word in words[-1:])])
        if not name or name in names or is_a(name, "person", "time"):
            continue
        names.add(name)
        is_used = not names_ingredients(heading) and _is_tool(name, heading)
        yield Need(
            lemma=name,
            role=role_of(name) if is_used else None,
            amount=amount,
            start=start,
            end=end,
        )


def needs_of_sentences(parse: Parse, places: Collection[int], text: str) -> Iterator[Need]:
    """What sentences name as needed: "You will need a kite and a reel of string.".

    `places` are those of the words of the parse that are said to be needed.
    """
    for sentence in parse.doc.sents:
        words = [parse.offset + token.idx for token in sentence if token.i in places]
        if words:
            start, end = parse.offset + sentence.start_char, parse.offset + sentence.end_char
            named = evolve(parse, passage=Passage(kind=PassageKind.NEEDS, start=start, end=end))
            needs = needs_of([named], text)
            yield from (need for need in needs if any(need.start <= word < need.end for word in words))


def _is_tool(noun: str, heading: str) -> bool:
    return is_tool(noun) or (names_tools(heading) and may_be_tool(noun))


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without what is no letter, digit or bracket at its ends: white space, bullets, hyphens."""
    item = text[start:end]
    inner = _MARKER.sub("", item, count=1).rstrip(" \t\r\n•*–—-.:")
    begin = start + item.find(inner)
    return begin, begin + len(inner)


def _items(
    parses: Sequence[Parse], text: str, items: Sequence[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], str, Sequence[Token]]]:
    """Each item with its amount and the nouns that name its thing."""
    ends = [end for _, end in items]
    for parse in parses:
        tokens = (token for token in parse.doc if parse.offset + token.idx >= items[0][0])
        for place, group in groupby(tokens, key=lambda token: bisect_right(ends, parse.offset + token.idx)):
            item = list(group)
            start, end = items[place] if place < len(items) else (0, 0)
            if start == end or _is_afterthought(item, text[max(0, start - 9) : start]):
                continue
            before = AMOUNT.match(text, start, end) or UNIT_ALONE.match(text, start, end)
            size = SIZE.search(text, start, end)
            amount = " ".join((before[0] if before else size["size"] if size else "").split())
            first = before.end() if before else start
            yield (start, end), amount, _noun([token for token in item if parse.offset + token.idx >= first])


def _is_afterthought(item: Sequence[Token], before: str) -> bool:
    words = [token for token in item if token.lower_[0].isalpha()]
    if not words or not before.rstrip().endswith(","):
        return False
    # "discarding the stems", "cut into rings", but not "watering can".
    is_clause = words[0].tag_ in {"VBG", "VB"} and len(words) > 1 and words[1].pos_ in {"DET", "ADP"}
    return is_clause or words[0].tag_ in _AFTERTHOUGHTS


def _lemma(word: Token) -> str:
    return word.lower_ if "plural_only" in classes_of(word.lower_) else lemma(word)


def _noun(tokens: Sequence[Token]) -> list[Token]:
    """The noun with its compound of an item without amount: "cake pan" of "round cake pan", "paint" of "of paint"."""
    words = list(_words(tokens))
    if len(words) > 1 and (words[0].lower_ == "of" or (words[0].lower_ == "can" and words[1].lower_ != "opener")):
        words = words[1:]
    while of := next((number for number, word in enumerate(words) if number and word.lower_ == "of"), 0):
        words = words[of + 1 :] if lemma(words[of - 1]) in PARTITIVES | UNITS_OF_AMOUNT | _PRESSED else words[:of]
    first = max((number + 1 for number, word in enumerate(words[:-1]) if _precedes_noun(word)), default=0)
    noun = words[first:]
    if noun and (noun[-1].pos_ in _MODIFIERS or noun[-1].tag_ in {"VBN", "VBD"}):
        return noun if classes_of(noun[-1].lower_) else []  # "1 cup sugar, sifted": no thing
    return noun


def _precedes_noun(word: Token) -> bool:
    """Whether a word is no part of the compound after it: an adjective, a participle, a measure."""
    measures = lemma(word) in UNITS_OF_AMOUNT or (word.tag_ == "NNS" and lemma(word) in PARTITIVES)
    is_adjective = word.pos_ in _MODIFIERS or word.tag_ == "VBN" or word.lower_ in _STATES
    return measures or is_adjective or _is_worked(word.lower_)


def _is_worked(word: str) -> bool:
    """Whether a word is a participle, which taggers often take for a noun in lists: "grated cheese"."""
    return len(word) > 5 and word.endswith("ed") and not classes_of(word) and word not in foods("food")


def _words(tokens: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth = max(0, depth + (token.text == "(") - (token.text == ")"))
        if token.lower_ in _ENDS or token.text == ":":
            return
        if depth == 0 and token.lower_[0].isalpha() and token.lower_ not in _BETWEEN:
            yield token
