"""The agreement of annotators on the scenarios of sentences (Wanzare, Roth and Pinkal 2019, section 3.2)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path

from attrs import evolve, frozen

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
    found = []
    for first, second in combinations(by_id, 2):
        shared = [identifier for identifier in by_id[first] if identifier in by_id[second]]
        if shared:
            pairs = [(by_id[first][identifier], by_id[second][identifier]) for identifier in shared]
            found.append(_agreement((first, second), pairs))
    if not found:
        remedy = "give the files of at least two annotators; documents are matched by their ids"
        raise InputError("no document has two annotators", remedy=remedy)
    return found


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
