"""Repairs of parses of any text: verbs that were parsed as nouns, and words that were parsed as part of a compound.

The past of a strong verb is no noun ("the blade slid down", "one bent"), nor is an adverb of direction the head of a
compound ("swung the sofa round"), a name right before a verb without a subject another object ("lit the candles and Ben
blew them out"), or a bare verb the second object of a command ("cover the pot and simmer").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.parse_changes import Change
from kgscripts.text.lexicon import classes_of, verbs
from kgscripts.text.syntax import OBJECT, SUBJECT, is_imperative, is_verb
from kgscripts.text.verb_objects import verb_objects

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_STRONG = {
    "bent": "bend", "slid": "slide", "shook": "shake", "swung": "swing", "hung": "hang", "flung": "fling",
    "wrung": "wring", "clung": "cling", "slung": "sling", "spun": "spin", "tore": "tear", "wore": "wear",
    "broke": "break", "froze": "freeze", "chose": "choose", "drove": "drive", "rode": "ride", "wrote": "write",
    "threw": "throw", "blew": "blow", "grew": "grow", "drew": "draw", "flew": "fly", "knelt": "kneel",
    "crept": "creep", "slept": "sleep", "swept": "sweep", "sank": "sink", "shrank": "shrink", "swam": "swim",
    "sprang": "spring", "rang": "ring", "drank": "drink", "sang": "sing", "struck": "strike", "stuck": "stick",
    "lit": "light", "dug": "dig", "trod": "tread", "bit": "bite", "burst": "burst", "split": "split",
    "woke": "wake", "shone": "shine", "rose": "rise", "fell": "fall", "bled": "bleed",
}  # fmt: skip
_ALSO_NOUNS = frozenset({"bit", "burst", "split", "rose"})
_DIRECTIONS = frozenset({"round", "home", "apart", "aside", "upside", "inside", "outside", "upstairs", "downstairs"})
_MODIFIERS = frozenset({"det", "nmod:poss", "poss", "amod", "nummod", "compound"})


def story_changes(doc: Doc) -> Iterator[Change]:
    """The changes that repair a parse."""
    for token in doc:
        word = token.lower_
        if word in _STRONG and token.tag_ in {"NN", "NNP", "JJ"} and word not in _ALSO_NOUNS:
            yield from _as_verb(token)
        elif word in _DIRECTIONS and token.dep_ in OBJECT and token.tag_ == "NN":
            yield from _as_direction(token)
        elif token.dep_ == "conj" and token.head.dep_ in OBJECT and token.head.i < token.i:
            yield from _as_subject(token) if token.pos_ in {"PROPN", "NOUN"} else ()
            yield from _as_command(token)


def _as_verb(token: Token) -> Iterator[Change]:
    """ "Blade" is the subject of "slid" of "the blade slid down"."""
    noun = token.nbor(-1) if token.i > token.sent.start else None
    if noun is None or noun.head != token or noun.dep_ not in {"compound", "nummod", "amod"} or token.dep_ != "ROOT":
        return
    yield Change(token, token.i, "ROOT", "VERB", "VBD", _STRONG[token.lower_])
    yield Change(noun, token.i, "nsubj", "NOUN" if noun.dep_ == "compound" else noun.pos_)
    for child in token.lefts:
        if child.i != noun.i and child.dep_ in _MODIFIERS:
            yield Change(child, noun.i, child.dep_)


def _as_direction(token: Token) -> Iterator[Change]:
    """ "Sofa" is the object of "swung the sofa round"."""
    noun = token.nbor(-1) if token.i > token.sent.start else None
    if noun is None or noun.head != token or noun.dep_ != "compound":
        return
    yield Change(noun, token.head.i, "obj", "NOUN")
    yield Change(token, token.head.i, "advmod", "ADV", "RB")
    for child in token.children:
        if child.i != noun.i:
            yield Change(child, noun.i if child.i < noun.i else token.head.i, child.dep_)


def _as_subject(noun: Token) -> Iterator[Change]:
    """ "Ben" is the subject of "blew" of "I lit the candles and Ben blew them out"."""
    verb = noun.nbor(1) if noun.i + 1 < noun.sent.end else None
    if verb is None or verb.tag_ not in {"VBD", "VBZ"} or not is_verb(verb) or verb.head != noun.head.head:
        return
    if verb.dep_ != "conj" or any(child.dep_ in SUBJECT for child in verb.lefts):
        return
    yield Change(noun, verb.i, "nsubj")
    for child in noun.lefts:
        if child.dep_ == "cc":
            yield Change(child, verb.i, "cc")


def _as_command(token: Token) -> Iterator[Change]:
    """ "Simmer" is a verb in "cover the pot and simmer for an hour"."""
    verb = token.head.head
    bare = all(child.dep_ in {"cc", "punct", "advmod"} for child in token.lefts)
    if not bare or token.lower_ not in verbs("action") or token.tag_ in {"NNS", "NNPS"} or not is_imperative(verb):
        return
    if classes_of(token.lower_) or verb_objects().is_rather_noun(token.lower_) or is_verb(token):
        return
    yield Change(token, verb.i, "conj", "VERB", "VB")
