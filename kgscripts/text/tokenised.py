"""Lemmas of text that is tokens already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from spacy.language import Language
from spacy.tokens import Doc

_NOT_NEEDED = ("senter", "parser")


def lemmas_of_tokens(nlp: Language, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """For each sentence the lemma of each token, in lower case; a token without one is its own."""
    docs = (Doc(nlp.vocab, words=list(sentence)) for sentence in sentences)
    for doc in nlp.pipe(docs, batch_size=256, disable=[name for name in _NOT_NEEDED if name in nlp.pipe_names]):
        yield [(token.lemma_ or token.text).lower() for token in doc]
