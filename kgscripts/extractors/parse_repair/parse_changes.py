"""Changes of a parse: other heads, relations and parts of speech for some of its tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


@dataclass(frozen=True, slots=True)
class Change:
    """New head (an index), relation, part of speech, tag and lemma of a token; None keeps the old one."""

    token: Token
    head: int
    relation: str
    pos: str | None = None
    tag: str | None = None
    lemma: str | None = None


def changed(doc: Doc, changes: Iterable[Change]) -> Doc:
    """A copy of the parse with the changes; of two changes of one token, the later one is applied."""
    heads = [token.head.i for token in doc]
    relations = [token.dep_ for token in doc]
    parts = [token.pos_ for token in doc]
    tags = [token.tag_ for token in doc]
    lemmas = [token.lemma_ for token in doc]
    for change in changes:
        index = change.token.i
        heads[index], relations[index] = change.head, change.relation
        if change.pos and change.tag:
            parts[index], tags[index] = change.pos, change.tag
            lemmas[index] = change.lemma or (change.token.lower_ if change.pos == "VERB" else change.token.lemma_)
    from spacy.tokens import Doc  # here, since importing spaCy takes long and a build may have nothing to parse

    return Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        heads=heads,
        deps=relations,
        pos=parts,
        tags=tags,
        lemmas=lemmas,
        morphs=[str(token.morph) for token in doc],
    )
