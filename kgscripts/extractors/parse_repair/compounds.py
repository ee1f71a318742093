"""Divides nouns without commas into names of things: "flour brown sugar chicken breast" are three.

They are divided into the fewest things that have a name (`foods.txt`): a noun that is known by itself begins another
thing unless both are one ("soy sauce", "chicken breast", "udon noodles").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import define

from kgscripts.text.amounts import PARTITIVES
from kgscripts.text.lexicon import classes_of, foods, nouns, verbs

if TYPE_CHECKING:
    from spacy.tokens import Token

DETERMINERS = frozenset({"DET", "NUM", "PRON"})
PARTICIPLES = frozenset({"VBN", "VBD"})
MODIFYING = frozenset({"ground", "mince", "raw", "fresh", "baby", "dry", "brown", "white", "red"})
_LONGEST = 3
"""The most nouns of one thing: "ginger garlic paste"."""

_LONGEST_NAME = 9
"""The most words of one thing: "two cups of freshly grated old dry parmesan cheese"."""


@define
class Thing:
    """The tokens of one member of a list, its head last."""

    tokens: list[Token]

    @property
    def head(self) -> Token:
        """The noun that names the kind of thing."""
        return self.tokens[-1]


def singular(token: Token) -> str:
    """The singular of a noun, also where it was tagged as another part of speech."""
    word = token.lower_
    found = token.lemma_.lower() if token.pos_ in {"NOUN", "PROPN"} else word
    if found == word and word.endswith("s"):
        known = foods("food") | foods("head")
        endings = (word[:-3] + "y", word[:-3] + "f", word[:-2], word[:-1])
        return next((singular for singular in endings if singular in known), found)
    return found


def is_food(token: Token) -> bool:
    """Whether the word names a food, or a part or a form of one."""
    return singular(token) in foods("food") or singular(token) in foods("head") - verbs("action")


def is_known(token: Token) -> bool:
    """Whether the word alone names a food or another thing of the lexicon."""
    return singular(token) in foods("food") or bool(classes_of(singular(token)) - {"adjective"})


def is_measure(token: Token) -> bool:
    """Whether the word is "layer" in "a layer of sauce"."""
    return token.lemma_.lower() in PARTITIVES and token.i + 1 < len(token.doc) and token.nbor(1).lower_ == "of"


def is_of_measure(token: Token) -> bool:
    """Whether the word is "of" in "a layer of sauce"."""
    return token.lower_ == "of" and token.i > 0 and is_measure(token.nbor(-1))


def is_modifier(token: Token) -> bool:
    """Whether the word modifies the noun after it and begins its name: "two", "chopped", "fresh"."""
    if is_measure(token) or is_of_measure(token):
        return True
    if token.pos_ in DETERMINERS or token.lower_ in MODIFYING:
        return True
    if is_food(token):
        return False
    return token.tag_ in PARTICIPLES or token.pos_ == "ADJ"


def divided(run: Sequence[Token]) -> list[Thing] | None:
    """The division of a run of words with the least cost; None if the run does not end in a noun."""
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(run) + 1):
        costs = [(best[start][0] + _cost(run[start:end]), -start) for start in range(max(0, end - _LONGEST_NAME), end)]
        cost, start = min(costs)
        best.append((cost, -start))
    if not run or math.isinf(best[-1][0]):
        return None
    things: list[Thing] = []
    end = len(run)
    while end:
        start = best[end][1]
        things.insert(0, Thing(list(run[start:end])))
        end = start
    return things


def _cost(tokens: Sequence[Token]) -> float:
    """The cost of taking tokens as one thing: about 1 for a thing that has a name."""
    first = next((place for place, token in enumerate(tokens) if not is_modifier(token)), len(tokens))
    parts = tokens[first:]
    if not 0 < len(parts) <= _LONGEST or any(is_modifier(token) for token in parts):
        return math.inf
    words = [singular(token) for token in parts]
    if len(words) == 1:
        return 1.0 if is_known(parts[0]) or first else 1.3
    if _is_compound(words):
        return 0.9
    plural = 1.0 if any(is_plural(token) for token in parts[:-1]) else 0.0
    return plural + (_cost_of_two(*parts) if len(parts) == 2 else 1.1 if _is_pair(parts) else math.inf)


def _is_pair(parts: Sequence[Token]) -> bool:
    """Whether two of three nouns are one thing, and the third belongs to it."""
    words = [singular(token) for token in parts]
    if _is_compound(words[:2]):
        return words[2] in foods("head")
    return (_is_compound(words[1:]) or words[2] in foods("head")) and not is_known(parts[0])


def names_kind(token: Token) -> bool:
    """Whether the word usually belongs to the noun before it: "powder"."""
    return singular(token) in foods("head")


def _cost_of_two(first: Token, second: Token) -> float:
    if names_kind(second):
        return 1.0
    if not is_known(first):
        return 1.1
    return 2.6 if is_known(second) else 1.4


def _is_compound(words: Sequence[str]) -> bool:
    name = " ".join(words)
    return name in foods("compound") or name in nouns("consumable")


def is_plural(token: Token) -> bool:
    """Whether the noun is a plural."""
    return token.lower_.endswith("s") and singular(token) != token.lower_


def forms_compound(token: Token) -> bool:
    """Whether the word and the one before it are the name of one thing."""
    return token.i > 0 and _is_compound([singular(token.nbor(-1)), singular(token)])
