"""Merging the annotations of scenarios into a gold standard (Wanzare, Roth and Pinkal 2019, section 3.3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from kgscripts.corpora.json_records import json_object, string
from kgscripts.corpora.source import numbered_lines
from kgscripts.reproductions.scenarios.agreement import check_same_sentences
from schemas.errors import InputError
from schemas.scenario_documents import LabelledSegment, ScenarioDocument

ONE_ANNOTATOR = "one annotator"
DIFFERENT_LABELS = "different labels"


@frozen(order=True)
class Chain:
    """Overlapping segments of one label, joined."""

    start: int
    end: int
    scenario: str
    annotators: tuple[str, ...] = field(converter=tuple[str, ...])

    def overlaps(self, other: Chain) -> bool:
        """Whether a sentence lies in both."""
        return self.start < other.end and other.start < self.end


@frozen
class Conflict:
    """Chains that an adjudicator has to decide: of one annotator only, or of several who chose different labels."""

    document: str
    chains: tuple[Chain, ...] = field(converter=tuple[Chain, ...])

    @property
    def kind(self) -> str:
        """`ONE_ANNOTATOR` or `DIFFERENT_LABELS`."""
        return ONE_ANNOTATOR if len({chain.annotators for chain in self.chains}) == 1 else DIFFERENT_LABELS


@frozen(kw_only=True)
class Adjudication:
    """The gold documents, the conflicts that are left, and how many of the annotators' segments were merged.

    A segment with two labels counts twice.
    """

    documents: tuple[ScenarioDocument, ...]
    conflicts: tuple[Conflict, ...]
    segments: int
    merged: int


Accepted = Mapping[str, Iterable[tuple[int, int, str]]]
"""The chains that an adjudicator accepted, by document: first sentence, end and scenario."""


def adjudicate(annotations: Mapping[str, Sequence[ScenarioDocument]], accepted: Accepted | None = None) -> Adjudication:
    """Merge the segments of all annotators that overlap and have the same label, into maximal chains.

    A chain is gold if at least two annotators contributed to it, or if it is accepted. The other chains are conflicts:
    those of different annotators that overlap are one conflict. With `accepted`, no conflicts remain, since all other
    chains were rejected. Documents of one annotator only are adjudicated too.

    Raises
    ------
    InputError
        Where the sentences of a document differ between annotators, and for an accepted chain that is no conflict:
        the adjudicator can neither change segments nor choose other labels.
    """
    by_document: dict[str, dict[str, ScenarioDocument]] = defaultdict(dict)
    for annotator, documents in annotations.items():
        for document in documents:
            by_document[document.id][annotator] = document
    gold: list[ScenarioDocument] = []
    conflicts: list[Conflict] = []
    segments = merged = 0
    chosen = {name: set(chains) for name, chains in (accepted or {}).items()}
    if unknown := chosen.keys() - by_document.keys():
        raise InputError(f"a decision on the document {min(unknown)!r}, which nobody annotated")
    for identifier, of_annotators in by_document.items():
        first, *others = of_annotators.values()
        for other in others:
            check_same_sentences(first, other)
        chains = list(_chains(of_annotators))
        agreed = [chain for chain, _ in chains if len(chain.annotators) > 1]
        open_ = [chain for chain, _ in chains if len(chain.annotators) == 1]
        segments += sum(count for _, count in chains)
        merged += sum(count for chain, count in chains if len(chain.annotators) > 1)
        decided = chosen.get(identifier, set())
        kept = [chain for chain in open_ if (chain.start, chain.end, chain.scenario) in decided]
        if wrong := decided - {(chain.start, chain.end, chain.scenario) for chain in kept}:
            start, end, scenario = min(wrong)
            detail = f"{scenario!r} for {start}:{end} is no conflict of this document"
            raise InputError(detail, where=identifier, remedy="accept only what the list of conflicts has")
        if accepted is None:
            conflicts += _conflicts(identifier, open_)
        gold.append(ScenarioDocument(id=identifier, sentences=first.sentences, segments=_segments([*agreed, *kept])))
    return Adjudication(documents=tuple(gold), conflicts=tuple(conflicts), segments=segments, merged=merged)


def _chains(documents: Mapping[str, ScenarioDocument]) -> Iterator[tuple[Chain, int]]:
    """The maximal chains of each label, each with the number of its segments."""
    spans: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for annotator, document in documents.items():
        for segment in document.segments:
            for scenario in segment.scenarios:
                spans[scenario].append((segment.start, segment.end, annotator))
    for scenario, found in spans.items():
        joined: list[tuple[int, int, str]] = []
        reach = 0
        for span in [*sorted(found), None]:
            if joined and (span is None or span[0] >= reach):
                annotators = tuple(sorted({annotator for _, _, annotator in joined}))
                yield Chain(joined[0][0], reach, scenario, annotators), len(joined)
                joined = []
            if span is not None:
                joined.append(span)
                reach = max(reach, span[1])


def _conflicts(document: str, chains: Sequence[Chain]) -> Iterator[Conflict]:
    """Groups of chains that are linked by overlaps between different annotators."""
    waiting = sorted(chains)
    while waiting:
        group = [waiting.pop(0)]
        for chain in group:
            linked = [one for one in waiting if one.overlaps(chain) and one.annotators != chain.annotators]
            group += linked
            waiting = [one for one in waiting if one not in linked]
        yield Conflict(document, sorted(group))


def _segments(chains: Iterable[Chain]) -> tuple[LabelledSegment, ...]:
    """Segments in text order; chains over the same sentences are one segment."""
    spans: dict[tuple[int, int], list[str]] = defaultdict(list)
    for chain in sorted(chains):
        spans[chain.start, chain.end].append(chain.scenario)
    return tuple(LabelledSegment(start=start, end=end, scenarios=labels) for (start, end), labels in spans.items())


def conflict_record(conflict: Conflict, sentences: Sequence[str]) -> dict[str, Any]:
    """A conflict for an adjudicator, who sets "accepted" of the chains that are right to true."""
    start, end = min(chain.start for chain in conflict.chains), max(chain.end for chain in conflict.chains)
    chains = [
        {
            "start": chain.start,
            "end": chain.end,
            "scenario": chain.scenario,
            "annotators": chain.annotators,
            "accepted": False,
        }
        for chain in conflict.chains
    ]
    return {
        "document": conflict.document,
        "kind": conflict.kind,
        "chains": chains,
        "sentences": {str(number): sentences[number] for number in range(start, end)},
    }


def read_decisions(path: Path) -> dict[str, list[tuple[int, int, str]]]:
    """Read conflicts with decisions: the accepted chains of each document, in JSON lines of `conflict_record`.

    Raises InputError, with the line, for a malformed record.
    """
    accepted: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for where, line in numbered_lines(path):
        try:
            record = json_object(line)
            chains = record.get("chains")
            document = string(record, "document")
            if not isinstance(chains, list) or not all(isinstance(chain, dict) for chain in chains):
                raise InputError('"chains" is not a list of objects')
            for chain in chains:
                start, end, is_accepted = chain.get("start"), chain.get("end"), chain.get("accepted")
                if type(start) is not int or type(end) is not int or not isinstance(is_accepted, bool):
                    raise InputError('a chain has whole numbers "start" and "end", and "accepted" is true or false')
                if is_accepted:
                    accepted[document].append((start, end, string(chain, "scenario")))
        except InputError as error:
            remedy = 'change nothing but the values of "accepted"'
            raise InputError(error.message, where=where, remedy=remedy) from error
    return accepted
