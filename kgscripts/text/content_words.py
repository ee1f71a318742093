"""Content words: the lemmas of nouns and verbs, and the particles of verbs."""

from __future__ import annotations

from collections.abc import Sequence

from kgscripts.text.passages import parse_passages
from kgscripts.text.pipeline import load_pipeline

_PARTS = ("tok2vec", "tagger", "morphologizer", "trainable_lemmatizer", "lemma_corrector")
_CLASSES = frozenset({"NOUN", "VERB"})
_PARTICLE = "RP"


def content_words(texts: Sequence[str]) -> list[list[str]]:
    """The lower-case lemmas of the common nouns and main verbs of each text, and verb particles, in text order.

    A particle is a word of its own: "woke up" gives *wake* and *up* (Wanzare, Roth and Pinkal 2019, section 5.1). The
    shipped pipeline reads the texts, without its parser.
    """
    nlp = load_pipeline()
    words: list[list[str]] = [[] for _ in texts]
    with nlp.select_pipes(enable=_PARTS):
        for piece in parse_passages(nlp, ((text, number) for number, text in enumerate(texts))):
            words[piece.context] += [
                (token.lemma_ or token.text).lower()
                for token in piece.doc
                if token.pos_ in _CLASSES or token.tag_ == _PARTICLE
            ]
    return words
