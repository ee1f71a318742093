"""Annotations of several people: how far they agree, and one gold standard of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, field, frozen

from kgscripts.corpora.json_records import json_object, string
from kgscripts.corpora.source import numbered_lines
from kgscripts.reproductions.scenarios.documents import read_scenario_documents
from schemas.errors import InputError
from schemas.scenario_documents import LabelledSegment, ScenarioDocument

CATEGORIES = ("identical", "at least one", "different", "single", "none")
"""Those of Figure 1: the same labels, a common one, no common one, labels of one annotator only, and no label."""


@frozen(kw_only=True)
class Agreement:
    """The agreement of two annotators on the documents that both labelled.

    `kappa` is Cohen's kappa over the sets of labels of the sentences, with no label as a set of its own; None where
    both use only one set. `raw` is the share of sentences with a common label, or without any. `categories` counts the
    sentences of each of `CATEGORIES`. `spans` is the mean overlap, in words, of the segments that overlap and have the
    same label: the words that both cover as a share of the words that either covers; None if there are none.
    """

    annotators: tuple[str, str]
    documents: int
    sentences: int
    kappa: float | None
    raw: float
    spans: float | None
    categories: Mapping[str, int]


def pairwise_agreement(annotations: Mapping[str, Sequence[ScenarioDocument]]) -> list[Agreement]:
    """The agreement of each two annotators who share documents; `annotations` are those of each annotator.

    Raises
    ------
    InputError
        Where the sentences of a document differ, and where no two annotators share a document.
    """
    by_id = {name: {document.id: document for document in documents} for name, documents in annotations.items()}
    agreements = []
    for first, second in combinations(by_id, 2):
        shared = [identifier for identifier in by_id[first] if identifier in by_id[second]]
        if shared:
            pairs = [(by_id[first][identifier], by_id[second][identifier]) for identifier in shared]
            agreements.append(_agreement((first, second), pairs))
    if not agreements:
        remedy = "give the files of at least two annotators; documents are matched by their ids"
        raise InputError("no document has two annotators", remedy=remedy)
    return agreements


def _agreement(annotators: tuple[str, str], pairs: Sequence[tuple[ScenarioDocument, ScenarioDocument]]) -> Agreement:
    sentences: list[tuple[frozenset[str], frozenset[str]]] = []
    overlaps: list[float] = []
    for first, second in pairs:
        check_same_sentences(first, second)
        sentences += zip(map(frozenset, first.labels()), map(frozenset, second.labels()), strict=True)
        overlaps += _overlaps(first, second)
    categories = Counter(_category(*labels) for labels in sentences)
    common = categories["identical"] + categories["at least one"] + categories["none"]
    return Agreement(
        annotators=annotators,
        documents=len(pairs),
        sentences=len(sentences),
        kappa=cohens_kappa(sentences),
        raw=common / len(sentences),
        spans=sum(overlaps) / len(overlaps) if overlaps else None,
        categories={category: categories[category] for category in CATEGORIES},
    )


def check_same_sentences(first: ScenarioDocument, second: ScenarioDocument) -> None:
    """Raise InputError unless both have the same sentences, ignoring white space."""
    texts = [[" ".join(sentence.split()) for sentence in document.sentences] for document in (first, second)]
    if texts[0] != texts[1]:
        place = next(
            (number for number, (left, right) in enumerate(zip(*texts, strict=False)) if left != right),
            min(map(len, texts)),
        )
        raise InputError(
            f"the annotators have different sentences, from sentence {place} (counted from 0)",
            where=first.id,
            remedy="export the document again for each annotator",
        )


def _category(first: frozenset[str], second: frozenset[str]) -> str:
    if not (first and second):
        return "single" if first or second else "none"
    if first == second:
        return "identical"
    return "at least one" if first & second else "different"


def cohens_kappa(labels: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa (1960) of the labels by two annotators; None where chance alone gives full agreement."""
    firsts, seconds = Counter(first for first, _ in labels), Counter(second for _, second in labels)
    observed = sum(first == second for first, second in labels) * len(labels)
    expected = sum(count * seconds[kind] for kind, count in firsts.items())
    whole = len(labels) ** 2
    return (observed - expected) / (whole - expected) if whole > expected else None


def _overlaps(first: ScenarioDocument, second: ScenarioDocument) -> list[float]:
    """The overlap of each two segments of a document that overlap and have a label in common."""
    words = [len(sentence.split()) for sentence in first.sentences]

    def size(start: int, end: int) -> int:
        return sum(words[start:end])

    def overlap(one: LabelledSegment, other: LabelledSegment) -> float:
        both = size(max(one.start, other.start), min(one.end, other.end))
        return both / (size(one.start, one.end) + size(other.start, other.end) - both)

    return [
        overlap(one, other)
        for one, other in product(first.segments, second.segments)
        if one.start < other.end and other.start < one.end
        for _ in set(one.scenarios) & set(other.scenarios)
    ]


def read_annotations(paths: Sequence[Path], *, layer: str | None = None) -> dict[str, list[ScenarioDocument]]:
    """The documents of each annotator, by name: each path is the file or folder of one annotator.

    Annotators are named by the names of their files. A single folder is an export of WebAnno, with a folder a document
    and a file an annotator. Where each annotator has only one document, these are the same, whatever their ids.
    Raises InputError as `read_scenario_documents` does, and for two annotators with one name.
    """
    annotations: dict[str, list[ScenarioDocument]] = defaultdict(list)
    if len(paths) == 1:
        for document in read_scenario_documents(paths[0], layer=layer):
            identifier, _, annotator = document.id.rpartition("/")
            annotations[annotator].append(evolve(document, id=identifier or document.id))
        return annotations
    for path in paths:
        name = path.name.removesuffix(".gz").removesuffix(".tsv").removesuffix(".jsonl")
        name = str(path) if name in annotations else name
        if name in annotations:
            raise InputError("it is given twice", where=str(path), remedy="give the files of different annotators")
        annotations[name] = read_scenario_documents(path, layer=layer)
    if all(len(documents) == 1 for documents in annotations.values()):
        first = annotations[next(iter(annotations))][0].id
        return {name: [evolve(document, id=first)] for name, (document,) in annotations.items()}
    return annotations


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
    for scenario, of_scenario in spans.items():
        joined: list[tuple[int, int, str]] = []
        reach = 0
        for span in [*sorted(of_scenario), None]:
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
    chains = [{**asdict(chain), "accepted": False} for chain in conflict.chains]
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
