"""Nouns and predicates: which words count as one, the noun that a measure belongs to, and the lemma of a noun."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kgscripts.text.amounts import PARTITIVES, is_no_thing, is_size
from kgscripts.text.lexicon import CONTRASTS, classes_of, foods, word_list
from kgscripts.text.syntax import compound_lemma, is_verb, lemma, prepositional_phrases

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

THIRD_PERSON = word_list("pronouns for things", "objective pronouns for persons")
"""The personal pronouns that can be objects and refer to a thing or a person of the text."""
_NOUNS = frozenset({"NOUN", "PROPN"})
_PRO_NOUNS = word_list("pronouns for nouns")
_MISTAKEN = frozenset({"VERB", "ADJ", "ADV", "X", "INTJ"})
_NOMINAL = frozenset({"obj", "obl", "nmod", "nsubj", "nsubj:pass", "dobj", "pobj", "nsubjpass"})
_MOST_MEASURES = 10
"""The most measures in "a spoonful of half of most of …", more than anybody writes; longer chains are no noun."""
_OF_ALL = word_list("parts")

PARTS = word_list("parts of things")
_FAMILY_OF = {word: number for number, family in enumerate(CONTRASTS) for word in family}
_CONTRASTED = "kgscripts_contrasted"
"""Where a parse keeps the adjectives that its text contrasts, each with its noun; lists, so that it can be stored."""

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


def whole_of(noun: Token) -> Token | None:
    """The noun behind a noun and "of": "hammock" of "the ends of the hammock"; whatever the parse joins it to."""
    following = noun.doc[noun.i + 1 : noun.i + _MOST_MEASURES]
    if not following or following[0].lower_ != "of":
        return None
    return next((token for token in following if following[0] in token.children and is_noun(token)), None)


def noun_lemma(token: Token) -> str:
    """The lemma of a noun with its compound; plural-only nouns stay plural ("scissors").

    Adjectives do not belong to it, but for those that `mark_contrasts` found: "old bulb", "new bulb".
    """
    name = " ".join(compound_lemma(token).split())
    name = _with_adjective(token, name)
    while " " in name and "adjective" in classes_of(name.split(" ", 1)[0]):
        name = name.split(" ", 1)[1]
    if token.lower_.endswith("s") and "plural_only" in classes_of(token.lower_):
        name = " ".join([*name.split(" ")[:-1], token.lower_])
    contrasted = token.doc.user_data.get(_CONTRASTED, ())
    own = [child.lower_ for child in token.lefts if [child.lower_, lemma(token)] in contrasted]
    return " ".join([*(word for word in own if word not in name.split(" ")), name])


def name_of_one(pro_noun: Token, meant: Token) -> str:
    """The lemma of what "the new one" is, which stands for a noun: "new bulb", also if the noun is "the old bulb"."""
    own = [child.lower_ for child in pro_noun.lefts if child.lower_ in _FAMILY_OF]
    if not own or pro_noun.lower_ not in _PRO_NOUNS:
        return noun_lemma(meant)
    opposed = frozenset().union(*(family for family in CONTRASTS if family & set(own)))
    return " ".join([*own, *(word for word in noun_lemma(meant).split(" ") if word not in opposed)])


def mark_contrasts(docs: Sequence[Doc]) -> None:
    """Find the adjectives by which the parses of a text tell things of one name apart, and keep them with the parses.

    A noun is contrasted if the text has it with two adjectives of one family, or with one, and "one" with another one:
    "unscrew the old bulb, and screw in the new one".
    """
    adjectives: dict[tuple[str, int], set[str]] = defaultdict(set)
    spoken: dict[int, set[str]] = defaultdict(set)
    for doc in docs:
        for token in doc:
            number = _FAMILY_OF.get(token.lower_)
            if number is None or token.head.i <= token.i:
                continue
            if token.head.lower_ in _PRO_NOUNS:
                spoken[number].add(token.lower_)
            elif token.head.pos_ in _NOUNS:
                adjectives[lemma(token.head), number].add(token.lower_)
    marked = [
        [word, noun]
        for (noun, number), words in adjectives.items()
        if len(words | spoken[number]) > 1
        for word in words
    ]
    for doc in docs if marked else ():
        doc.user_data[_CONTRASTED] = marked


def _with_adjective(token: Token, name: str) -> str:
    """A noun with the adjective before it, if the two name a food: a hot dog is no dog."""
    for child in token.lefts:
        named = f"{child.lower_} {name}"
        if child.dep_ == "amod" and named in foods("compound"):
            return named
    return name
