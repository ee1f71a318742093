"""Evaluation of search on a graph, with questions that were written before any answer was seen.

``data/search.*.jsonl`` has questions of a kind. A node is right if it is of this kind, its scenario (or it itself, for
a scenario) is one of ``scenarios`` if there are any, and one of the regular expressions ``words`` is found in its label
or in another wording of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from attrs import frozen

from kgscripts.evaluation.counting import example
from kgscripts.evaluation.lists import list_objects
from kgscripts.evaluation.result import Evaluation, Example, Figure, compared, shares
from kgscripts.search.entries import Entry, Found, Kind, entries
from kgscripts.search.searching import Searcher
from schemas.errors import InputError
from schemas.provenance import Exposure
from schemas.script_graph import StoredGraph

DATASET = "kgscripts questions"
OURS = "words and meaning"
_DEPTH = 10
"""The first right one counts among so many; later ones count as none."""


@frozen
class Question:
    """A question, and what answers it."""

    text: str
    kind: Kind
    scenarios: frozenset[str]
    words: tuple[re.Pattern[str], ...]

    def is_answered_by(self, entry: Entry) -> bool:
        """Whether a node is right."""
        if entry.kind is not self.kind:
            return False
        if self.scenarios and (entry.scenario or entry.label) not in self.scenarios:
            return False
        return not self.words or any(word.search(name.lower()) for word in self.words for name in entry.names)


def questions(split: str) -> list[Question]:
    """The questions of a split, *development* or *unseen*."""
    return [
        Question(row["question"], Kind(row["kind"]), frozenset(row["scenarios"]), tuple(map(re.compile, row["words"])))
        for row in list_objects(f"search.{split}.jsonl")
    ]


def evaluate_search(graph: StoredGraph, split: str) -> Evaluation:
    """Compare search by words and meaning with either alone: the mean reciprocal rank of the first right answer among
    those of the kind of the question.

    Questions that nothing in the graph answers are left out and counted.

    Raises InputError if it answers none of them.
    """
    every = {graph.iri(entry.id): entry for entry in entries(graph)}
    asked = questions(split)
    answerable = [item for item in asked if any(map(item.is_answered_by, every.values()))]
    if not answerable:
        raise InputError(
            "nothing in the graph answers one of the questions",
            where=str(graph.directory),
            remedy="ask a graph of MCScript's texts: kgscripts build-graph mcscript/*.xml -o DIR",
        )
    searchers = {
        OURS: Searcher(graph),
        "words alone": Searcher(graph, by_meaning=False),
        "meaning alone": Searcher(graph, by_words=False),
    }
    answers = {
        name: [each.answer(item.text, (item.kind,), _DEPTH).found for item in answerable]
        for name, each in searchers.items()
    }
    return Evaluation(
        task="search",
        dataset=DATASET,
        split=split,
        exposure=Exposure(split),
        items={
            "questions": len(answerable),
            "not answerable": len(asked) - len(answerable),
            **{f"of {kind.value}s": sum(item.kind is kind for item in answerable) for kind in Kind},
        },
        systems=compared({name: _figures(answerable, own, every) for name, own in answers.items()}, own=OURS),
        examples=_examples(answerable, answers[OURS], every),
    )


def _figures(
    asked: Sequence[Question], answers: Sequence[Sequence[Found]], every: Mapping[str, Entry]
) -> Iterator[Figure]:
    ranks = [_rank(item, own, every) for item, own in zip(asked, answers, strict=True)]
    reciprocal = [1 / rank if rank else 0.0 for rank in ranks]
    hits = {depth: fmean(0 < rank <= depth for rank in ranks) for depth in (1, _DEPTH)}
    yield from shares({"MRR": fmean(reciprocal), **{f"hit@{depth}": share for depth, share in hits.items()}})
    for kind in Kind:
        own = [value for item, value in zip(asked, reciprocal, strict=True) if item.kind is kind]
        if own:
            yield from shares({"MRR": fmean(own)}, part=f"{kind.value}s")


def _rank(question: Question, answer: Sequence[Found], every: Mapping[str, Entry]) -> int:
    """The rank of the first right one, from 1; 0 if there is none."""
    right = (rank for rank, each in enumerate(answer, start=1) if question.is_answered_by(every[each.iri]))
    return next(right, 0)


def _examples(
    asked: Sequence[Question], answers: Sequence[Sequence[Found]], every: Mapping[str, Entry]
) -> Iterator[Example]:
    for item, own in zip(asked, answers, strict=True):
        if _rank(item, own, every) != 1:
            wanted = [*sorted(item.scenarios)[:3], *(word.pattern for word in item.words)]
            yield example(
                item.text,
                wanted,
                (f"{each.label} ({each.scenario})" if each.scenario else each.label for each in own[:5]),
            )
