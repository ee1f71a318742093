"""Nouns and predicates: which words count as one, the noun that a measure belongs to, and the lemma of a noun."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.text.amounts import PARTITIVES, is_no_thing, is_size
from kgscripts.text.lexicon import classes_of, foods, word_list
from kgscripts.text.syntax import compound_lemma, is_verb, prepositional_phrases

if TYPE_CHECKING:
    from spacy.tokens import Token

THIRD_PERSON = word_list("pronouns for things", "objective pronouns for persons")
"""The personal pronouns that can be objects and refer to a thing or a person of the text."""
_NOUNS = frozenset({"NOUN", "PROPN"})
_PRO_NOUNS = word_list("pronouns for nouns")
_MISTAKEN = frozenset({"VERB", "ADJ", "ADV", "X", "INTJ"})
_NOMINAL = frozenset({"obj", "obl", "nmod", "nsubj", "nsubj:pass", "dobj", "pobj", "nsubjpass"})
_MOST_MEASURES = 10
"""The most measures in "a spoonful of half of most of …", more than anybody writes; longer chains are no noun."""
_OF_ALL = word_list("parts")


_NO_PREDICATE = frozenset(
    {"amod", "compound", "case", "mark", "fixed", "cc", "advmod", "flat", "goeswith", "discourse"}
)
"""Verbs with these relations modify a noun or introduce a phrase."""


def is_predicate(token: Token) -> bool:
    """Whether the parse has a token as a verb that can have things."""
    return token.dep_ not in _NO_PREDICATE and is_verb(token) and token.lower_[0].isalpha() and not is_noun(token)


def is_noun(token: Token) -> bool:
    """Whether a token is a noun or a name, as opposed to a pronoun, a number or a clause.

    Where part of speech and relation contradict each other ("plug" of "pull plug" as a verb and an object), the
    relation decides: a bare verb cannot be an object.
    """
    measured = [token]
    for _ in range(_MOST_MEASURES):
        judged = [_is_noun_itself(noun) for noun in measured]
        if any(judged):
            return True
        measures = [noun for noun, is_ in zip(measured, judged, strict=True) if is_ is None]
        measured = [inner for measure in measures for inner in _measured(measure)]  # "a spoonful of salt"
    return False


def _is_noun_itself(token: Token) -> bool | None:
    """Whether a token is a noun; None if this depends on the thing that it measures."""
    if is_no_thing(token):
        return None
    if token.pos_ in _NOUNS:
        # Taggers label unusual spaces, symbols, "ourselves" and "the other ones" as nouns.
        return (
            token.lower_ not in _PRO_NOUNS
            and any(map(str.isalnum, token.text))
            and not token.lower_.endswith(("self", "selves"))
        )
    if token.pos_ not in _MISTAKEN or token.dep_ not in _NOMINAL:
        return False
    if token.pos_ == "VERB" and token.tag_ in {"VB", "VBP"}:
        bare = not any(child.dep_ in {"mark", "aux"} for child in token.lefts)
        return bare and (token.dep_ in {"obj", "dobj"} or bool(classes_of(token.lower_)))
    if token.tag_ in {"NN", "NNS"} or (token.tag_ != "VBG" and classes_of(token.lower_)):
        return True
    return None


def content_head(token: Token) -> Token:
    """The noun that a measure belongs to: "sugar" of "a cup of sugar"; other nouns are returned as they are."""
    return next((noun for noun in _measured(token) if is_noun(noun)), token)


def _measured(token: Token) -> Iterator[Token]:
    """The noun that a measure measures: "sugar" of "a cup of sugar", but not of "a cup of the sugar"."""
    measure = token.lemma_.lower()
    counted = is_size(token)
    if measure not in PARTITIVES and not counted:
        return
    for phrase in prepositional_phrases(token):
        determined = any(child.dep_ in {"det", "nmod:poss", "poss"} for child in phrase.head.lefts)
        if phrase.preposition == "of" and (not determined or counted or measure in _OF_ALL):
            yield phrase.head


def noun_lemma(token: Token) -> str:
    """The lemma of a noun with its compound, without adjectives; plural-only nouns stay plural ("scissors")."""
    found = " ".join(compound_lemma(token).split())
    found = _with_adjective(token, found)
    while " " in found and "adjective" in classes_of(found.split(" ", 1)[0]):
        found = found.split(" ", 1)[1]
    if token.lower_.endswith("s") and "plural_only" in classes_of(token.lower_):
        return " ".join([*found.split(" ")[:-1], token.lower_])
    return found


def _with_adjective(token: Token, name: str) -> str:
    """A noun with the adjective before it, if the two name a food: a hot dog is no dog."""
    for child in token.lefts:
        named = f"{child.lower_} {name}"
        if child.dep_ == "amod" and named in foods("compound"):
            return named
    return name
