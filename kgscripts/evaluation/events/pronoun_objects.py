"""Pronouns that are objects, on the coreference chains of InScript (Modi et al., LREC 2016)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen
from spacy.tokens import Doc

from kgscripts.corpora.inscript import GoldStory
from kgscripts.evaluation.counting import Matches
from kgscripts.extractors.nouns import is_noun, noun_lemma
from kgscripts.extractors.predicates import Frame
from kgscripts.extractors.pronouns import THIRD_PERSON


@frozen
class ChainedPronoun:
    """An object pronoun at a character of a story, and the heads of the nouns in its chain up to there."""

    start: int
    nouns: frozenset[str]


def chained_pronouns(story: GoldStory, doc: Doc) -> Iterator[ChainedPronoun]:
    """The pronouns of the third person that the parse has as the object of a verb, with a noun before in their chain.

    Where a chain has nouns behind the pronoun only, the pronoun is left out.
    """
    nouns: dict[int, set[str]] = {}
    tokens = {token.idx: token for token in doc}
    for word in story.words:
        token = tokens.get(word.start)
        if token is None or word.chain is None:
            continue
        if is_noun(token):
            nouns.setdefault(word.chain, set()).add(noun_lemma(token).rsplit(" ", 1)[-1])
        elif token.lower_ in THIRD_PERSON and token.dep_ in {"obj", "dobj"} and word.chain in nouns:
            yield ChainedPronoun(word.start, frozenset(nouns[word.chain]))


def count_pronouns(counts: Matches, story: GoldStory, doc: Doc, frames: Iterable[Frame]) -> None:
    """Add the `chained_pronouns` of a story, those that are resolved, and those resolved to a noun of their chain.

    `frames` are those of `doc`.
    """
    found = {
        frame.mention.idx: {noun_lemma(noun).rsplit(" ", 1)[-1] for noun in frame.stands_for}
        for frame in frames
        if frame.stands_for
    }
    for pronoun in chained_pronouns(story, doc):
        answer = found.get(pronoun.start, set())
        counts.gold += 1
        counts.found += bool(answer)
        counts.right += bool(answer) and answer <= pronoun.nouns
