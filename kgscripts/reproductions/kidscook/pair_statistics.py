"""The statistics of Table 1 of KidsCook (Bisk et al., NAACL 2019) for any pair corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from attrs import frozen

from kgscripts.corpora.pairs.pair import Pair

Sentence = tuple[str, ...]


@frozen(kw_only=True)
class PairStatistics:
    """Sizes of a pair corpus; lengths are in tokens per pair.

    The published figures count the full stop that represents an empty step (a pair of KidsCook has five steps), so
    `concrete_tokens` and `average_concrete_length` do too; `written_tokens` leaves these full stops out. `vocabulary`
    counts the types of the concrete side, `novel_types` and `novel_lemmas` those that occur in no abstract side.
    """

    sequences: int
    concrete_tokens: int
    written_tokens: int
    vocabulary: int
    average_abstract_length: float
    average_concrete_length: float
    novel_types: int
    novel_lemmas: int
    blanks: int
    blank_tokens: int


def pair_statistics(pairs: Sequence[Pair], lemmas: Mapping[Sentence, Sequence[str]]) -> PairStatistics:
    """The statistics of at least one pair. `lemmas` maps each sentence of the pairs to its lemmas."""
    written = sum(len(pair.concrete) for pair in pairs)
    counted = written + sum(pair.empty_steps for pair in pairs)
    abstract_sides = [pair.abstract for pair in pairs]
    concrete_sides = [pair.concrete for pair in pairs]
    abstract_types, concrete_types = set(chain(*abstract_sides)), set(chain(*concrete_sides))
    abstract_lemmas, concrete_lemmas = (
        {lemma for side in sides for sentence in _sentences(side) for lemma in lemmas[sentence]}
        for sides in (abstract_sides, concrete_sides)
    )
    return PairStatistics(
        sequences=len(pairs),
        concrete_tokens=counted,
        written_tokens=written,
        vocabulary=len(concrete_types),
        average_abstract_length=sum(map(len, abstract_sides)) / len(pairs),
        average_concrete_length=counted / len(pairs),
        novel_types=len(concrete_types - abstract_types),
        novel_lemmas=len(concrete_lemmas - abstract_lemmas),
        blanks=sum(len(pair.slots) for pair in pairs),
        blank_tokens=sum(sum(pair.blanks) for pair in pairs),
    )


def sentences(pairs: Iterable[Pair]) -> list[Sentence]:
    """The distinct sentences of both sides; a full stop ends a sentence."""
    sides = (side for pair in pairs for side in (pair.abstract, pair.concrete))
    return list(dict.fromkeys(sentence for side in sides for sentence in _sentences(side)))


def _sentences(tokens: Sentence) -> Iterator[Sentence]:
    start = 0
    for end, token in enumerate(tokens, 1):
        if token == "." or end == len(tokens):
            yield tokens[start:end]
            start = end
