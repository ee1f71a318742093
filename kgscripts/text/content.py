"""Content words: what a text is about, as topic models, alignments and scenario detection count them."""

from __future__ import annotations

from spacy.tokens import Doc, Span

from kgscripts.text.syntax import PARTICLE, is_verb_form

_NOUNS = frozenset({"NOUN", "PROPN"})


def content_words(text: Doc | Span) -> list[str]:
    """Lower-case lemmas, in text order, of the nouns, the verbs (without auxiliaries) and the verb particles."""
    return [
        (token.lemma_ or token.text).lower()
        for token in text
        if token.pos_ in _NOUNS or is_verb_form(token) or token.dep_ in PARTICLE
    ]
