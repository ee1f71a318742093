"""Pronouns that are objects: on the coreference chains of InScript (Modi et al., LREC 2016), and on our own list.

``data/pronoun_objects.SPLIT.txt`` marks verbs whose object is a pronoun with the noun that it stands for, or with "-"
if a reader cannot tell it (`kgscripts.evaluation.events.marked_texts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen
from spacy.tokens import Doc

from kgscripts.corpora.inscript import GoldStory
from kgscripts.evaluation.counting import Matches, example, of_extractor
from kgscripts.evaluation.events.list_readers import ListReader, head
from kgscripts.evaluation.events.marked_texts import SPLITS, MarkedText, named_heads
from kgscripts.evaluation.result import Evaluation
from kgscripts.extractors.events.nouns import is_noun, noun_lemma
from kgscripts.extractors.events.predicates import Frame
from kgscripts.extractors.pronouns.pronouns import THIRD_PERSON

DATASET = "kgscripts pronoun objects"


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
            nouns.setdefault(word.chain, set()).add(head(noun_lemma(token)))
        elif token.lower_ in THIRD_PERSON and token.dep_ in {"obj", "dobj"} and word.chain in nouns:
            yield ChainedPronoun(word.start, frozenset(nouns[word.chain]))


def count_pronouns(counts: Matches, story: GoldStory, doc: Doc, frames: Iterable[Frame]) -> None:
    """Add the `chained_pronouns` of a story, those that are resolved, and those resolved to a noun of their chain.

    `frames` are those of `doc`.
    """
    found = {
        frame.mention.idx: {head(noun_lemma(noun)) for noun in frame.stands_for} for frame in frames if frame.stands_for
    }
    for pronoun in chained_pronouns(story, doc):
        answer = found.get(pronoun.start, set())
        counts.gold += 1
        counts.found += bool(answer)
        counts.right += bool(answer) and answer <= pronoun.nouns


def pronoun_object_scores(reader: ListReader, texts: Mapping[str, Sequence[MarkedText]]) -> Iterator[Evaluation]:
    """The shares of the pronouns whose noun can be told that are resolved to it, and to another noun; and the share of
    the others that are resolved at all.

    Nouns are compared by their heads. An event that is not found has no noun; whether it happened does not matter.
    """
    for split, items in texts.items():
        told = right = wrong = untold = invented = 0
        examples = []
        for item, found in zip(items, reader.resolved([item.text for item in items]), strict=True):
            for start, label in item.labels.items():
                named, answer = named_heads(label), found.get(start, set())
                told += bool(named)
                untold += not named
                right += bool(named) and answer == named
                wrong += bool(named and answer) and answer != named
                invented += bool(answer) and not named
                where = f"pronoun at character {start}"
                examples.append(example(item.text, sorted(named), sorted(answer), where=where))
        values = {
            "object_right": right / max(1, told),
            "object_wrong": wrong / max(1, told),
            "noun where none can be told": invented / max(1, untold),
        }
        size = {"pronouns with a noun": told, "pronouns without": untold}
        yield of_extractor(DATASET, split, values, exposure=SPLITS[split], items=size, examples=examples)
