"""The words of a change as records hold them: lower case, without determiners, the heads of nouns as lemmas."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, cast

from kgscripts.changes.attributes import in_vocabulary
from kgscripts.text.lexicon import classes_of, word_list
from kgscripts.text.pipeline import load_pipeline
from schemas.changes import Change

if TYPE_CHECKING:
    from kgscripts.text.lemmas import LemmaCorrector

_DETERMINERS = word_list(
    "articles",
    "possessives",
    "near demonstratives",
    "far demonstratives",
    "indefinite determiners",
    "distributive determiners",
)
_PRONOUNS = word_list("pronouns as entities")
"""Pronouns, whose reference is not known outside of the text."""
_PREPOSITIONS = word_list("words behind a head")
_AROUND_WORDS = ".,;:!?\"“”'‘’()[]"
_DIRECTIONS = word_list("directions")


def normalised(change: Change) -> Change | None:
    """The change in the words of a record, those of the vocabulary where it has them; None if it names no entity, no
    attribute, no new value, or no difference, or if it gives a direction as a location."""
    entity, named = noun_phrase(change.entity), noun_phrase(change.attribute)
    attribute, before, after = in_vocabulary(named, value(change.before), value(change.after))
    is_named = any(map(str.isalpha, entity)) and entity not in _PRONOUNS
    if not (is_named and named and after) or before == after:
        return None
    if attribute == "location" and after in _DIRECTIONS:
        return None
    return Change(entity=entity, attribute=attribute, before=before, after=after)


def value(text: str) -> str:
    """A value in lower case, without determiners: ``in the Sink`` is ``in sink``."""
    words = _words(text)
    return " ".join([word for word in words if word not in _DETERMINERS] or words)


def noun_phrase(text: str) -> str:
    """A noun phrase in lower case, without determiners, its head as a lemma: ``the edges of the leaves`` is
    ``edge of leaves``."""
    words = [word for word in _words(text) if word not in _DETERMINERS]
    if words:
        place = _head_place(words)
        words[place] = noun_form_lemma(words[place])
    return " ".join(words)


def head(phrase: str) -> str:
    """The head of a noun phrase that `noun_phrase` returned, or of the lemma of a participant."""
    words = phrase.split(" ")
    return words[_head_place(words)]


@functools.lru_cache(maxsize=1 << 16)
def noun_form_lemma(form: str) -> str:
    """The lemma of a noun in lower case, by the tables of the shipped pipeline; plural-only nouns stay plural."""
    from spacy.tokens import Doc

    if "plural_only" in classes_of(form):
        return form
    nlp = load_pipeline()
    doc = Doc(nlp.vocab, words=[form], pos=["NOUN"], tags=["NNS"], lemmas=[form])
    return cast("LemmaCorrector", nlp.get_pipe("lemma_corrector")).lemma_of(doc[0]).lower()


def _words(text: str) -> list[str]:
    return [word for word in (part.strip(_AROUND_WORDS) for part in text.lower().split()) if word]


def _head_place(words: list[str]) -> int:
    """The last word before the first preposition."""
    return next((place for place, word in enumerate(words) if place and word in _PREPOSITIONS), len(words)) - 1
