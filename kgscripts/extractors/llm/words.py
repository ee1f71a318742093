"""The lemmas of quotes, by the parse of the text and our word lists: a model gives none."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from attrs import define, field, frozen

from kgscripts.extractors.events.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.protocol import Parse
from kgscripts.text.pipeline import load_pipeline
from kgscripts.text.syntax import lemma
from schemas.records import Span

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from kgscripts.text.lemmas import LemmaCorrector

_UNRESOLVED = {"it": "it", "them": "them"}
"""Pronouns that are the object of an action whose thing is not known."""


@frozen
class Noun:
    """The lemma of a noun, and where its head stands in the document."""

    lemma: str
    span: Span


@define
class Words:
    """The words of a document."""

    parses: Iterable[Parse]
    _docs: list[tuple[int, Doc]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._docs = [(item.offset, item.doc) for item in self.parses]

    def noun(self, quote: Span) -> Noun | None:
        """The noun that the words of a quote are about; None if they are about none."""
        offset, tokens = self._tokens(quote)
        inside = {token.i for token in tokens}
        heads = [token for token in tokens if token.head.i == token.i or token.head.i not in inside]
        for token in sorted(heads, key=lambda token: not is_noun(token)):
            noun = content_head(token)
            if is_noun(noun):
                return Noun(noun_lemma(noun), Span(start=offset + noun.idx, end=offset + noun.idx + len(noun)))
            if token.lower_ in _UNRESOLVED:
                return Noun(
                    _UNRESOLVED[token.lower_], Span(start=offset + token.idx, end=offset + token.idx + len(token))
                )
        return None

    def verb(self, quote: Span) -> str:
        """The lemma of the verb of a quote; "" if no word of it can be one."""
        _, tokens = self._tokens(quote)
        for token in tokens:
            if token.pos_ == "VERB":
                return lemma(token)
        lemmas = (verb_form_lemma(token.lower_) for token in tokens if token.pos_ not in ("AUX", "DET", "ADP"))
        return next(filter(None, lemmas), "")

    def _tokens(self, quote: Span) -> tuple[int, list[Token]]:
        place = bisect_right(self._docs, quote.start, key=lambda item: item[0]) - 1
        if place < 0:
            return 0, []
        offset, doc = self._docs[place]
        return offset, [
            token for token in doc if offset + token.idx < quote.end and offset + token.idx + len(token) > quote.start
        ]


@functools.lru_cache(maxsize=1 << 14)
def verb_form_lemma(form: str) -> str:
    """The lemma of a form, in lower case, that our lists have as a verb; else ""."""
    from spacy.tokens import Doc

    nlp = load_pipeline()
    corrector = cast("LemmaCorrector", nlp.get_pipe("lemma_corrector"))
    for tag in ("VB", "VBD", "VBG", "VBZ"):
        doc = Doc(nlp.vocab, words=[form], pos=["VERB"], tags=[tag], lemmas=[form])
        candidate = corrector.lemma_of(doc[0]).lower()
        if corrector.knows(candidate, "VERB"):
            return candidate
    return ""
