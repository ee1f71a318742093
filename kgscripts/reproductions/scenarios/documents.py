"""Documents with scenarios of their sentences, from JSON lines or WebAnno TSV 3, and the sentences of labelled stories.

A line of JSON is ``{"id", "sentences": [...], "segments": [{"start", "end", "scenarios": [...]}]}``: sentences are
counted from 0, and the end is excluded.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.json_records import encodable, json_object, record_id, strings
from kgscripts.corpora.scenarios.labels import is_listed, resolve, scenario_of
from kgscripts.corpora.source import numbered_lines
from kgscripts.reproductions.scenarios.webanno import FIRST_LINE, read_webanno
from kgscripts.text.passages import sentence_spans
from schemas.errors import InputError
from schemas.records import Document
from schemas.scenario_documents import NONE, LabelledSegment, ScenarioDocument

_REMEDY = 'each line is {"id": "1", "sentences": ["..."], "segments": [{"start": 0, "end": 1, "scenarios": ["..."]}]}'


@frozen(kw_only=True)
class LabelledStory:
    """A story in sentences, and the scenario that it is about; "" if it has no label."""

    id: str
    scenario: str
    sentences: tuple[str, ...]


def gold_spans(document: ScenarioDocument) -> list[tuple[int, int]]:
    """The longest stretches of sentences with the same gold labels, None among them, in text order."""
    labels = [set(labels) for labels in document.labels()]
    starts = [index for index in range(len(labels)) if index == 0 or labels[index] != labels[index - 1]]
    return list(zip(starts, [*starts[1:], len(labels)], strict=False))


def read_scenario_documents(
    path: str | Path, *, others: Collection[str] = (), layer: str | None = None
) -> list[ScenarioDocument]:
    """Read documents with gold segments from a file of JSON lines or WebAnno TSV 3, or from all files of a folder.

    Labels are replaced by those of the 200 scenarios that they name; `others` are further labels that may occur.
    The label `NONE` is left out. A WebAnno file is one document, whose id is its path without suffix; `layer` is the
    layer with the scenarios (see `read_webanno`).

    Raises
    ------
    InputError
        With file and line, for what is malformed, for an unknown label, and for a repeated id; also where there is no
        document.
    """
    documents: dict[str, ScenarioDocument] = {}
    for file in find_files([path]):
        if file.fault:
            raise InputError(file.fault, where=str(file.path), remedy="check its permissions")
        lines = numbered_lines(file.path)
        first = next(lines, None)
        if first is None:
            raise InputError("it is empty", where=str(file.path), remedy=_REMEDY)
        if first[1].startswith(FIRST_LINE):
            name = file.name.removesuffix(".gz").removesuffix(".tsv")
            located: Iterable[tuple[str, ScenarioDocument]] = [
                (first[0], read_webanno(file.path, name, layer=layer, resolved=lambda label: _known(label, others)))
            ]
        else:
            located = _json_documents(numbered_lines(file.path), others)
        for where, document in located:
            if document.id in documents:
                raise InputError(f"the id {document.id!r} occurs twice", where=where, remedy="rename one of them")
            documents[document.id] = document
    return list(documents.values())


def _json_documents(
    lines: Iterable[tuple[str, str]], others: Collection[str]
) -> Iterator[tuple[str, ScenarioDocument]]:
    for where, line in lines:
        try:
            yield where, _document(json_object(line), others)
        except (InputError, ValueError) as error:
            remedy = error.remedy if isinstance(error, InputError) else None
            raise InputError(getattr(error, "message", str(error)), where=where, remedy=remedy or _REMEDY) from error


def _document(record: Mapping[str, Any], others: Collection[str]) -> ScenarioDocument:
    sentences = strings(record, "sentences")
    if not sentences:
        raise InputError('"sentences" is empty')
    blank = next((number for number, sentence in enumerate(sentences) if not sentence.strip()), None)
    if blank is not None:
        raise InputError(f"sentence {blank} is blank")
    segments = [_segment(segment, others) for segment in segments_of(record)]
    return ScenarioDocument(
        id=record_id(record), sentences=sentences, segments=[segment for segment in segments if segment is not None]
    )


def segments_of(record: Mapping[str, Any]) -> list[Any]:
    """The segments of a record. Raises InputError where there is no list of them."""
    segments = record.get("segments")
    if not isinstance(segments, list):
        raise InputError('"segments" is not a list')
    return segments


def segment_parts(segment: object) -> tuple[int, int, list[str]]:
    """The first sentence of a segment, its end, and its scenarios. Raises InputError for what is none."""
    if not isinstance(segment, dict):
        raise InputError("a segment is not a JSON object")
    start, end = segment.get("start"), segment.get("end")
    if type(start) is not int or type(end) is not int:
        raise InputError('"start" or "end" of a segment is not a whole number')
    return start, end, strings(segment, "scenarios")


def _segment(segment: object, others: Collection[str]) -> LabelledSegment | None:
    start, end, labels = segment_parts(segment)
    if not labels:
        raise InputError(f"the segment {start}:{end} has no scenario")
    scenarios = dict.fromkeys(_known(label, others) for label in labels if label != NONE)
    return LabelledSegment(start=start, end=end, scenarios=tuple(scenarios)) if scenarios else None


def _known(label: str, others: Collection[str]) -> str:
    """The label as it is listed. Raises InputError for one that is neither listed nor among `others`."""
    if label in others:
        return label
    if not is_listed(encodable("scenarios", label)):
        remedy = "`kgscripts corpora scenarios` prints those that are known"
        raise InputError(f"no scenario is called {label[:80]!r}", remedy=remedy)
    return resolve(label)


def segments_record(name: str, segments: Sequence[LabelledSegment], **others: object) -> dict[str, Any]:
    """The record of a document with these segments."""
    return {"id": name, **others, "segments": list(map(asdict, segments))}


def document_line(document: ScenarioDocument) -> str:
    """A document as a line of JSON."""
    record = segments_record(document.id, document.segments, sentences=document.sentences)
    return json.dumps(record, ensure_ascii=False)


def labelled_stories(path: str | Path) -> list[LabelledStory]:
    """Read the stories with a scenario from a file or folder in any format of `kgscripts.corpora.formats`.

    The scenario is the document's label or how-to title, resolved; the shipped pipeline splits sentences. Raises
    InputError for a file that cannot be read.
    """
    return [story for story in read_stories(path) if story.scenario]


def read_stories(path: str | Path) -> list[LabelledStory]:
    """Read all stories as `labelled_stories` does, those without a scenario too."""
    return stories_of(story_documents(path))


def story_documents(path: str | Path) -> list[Document]:
    """The documents of stories, whose sentences are not known yet. Raises as `labelled_stories`."""
    return [item for file in find_files([path]) for item in read_file(file) if isinstance(item, Document)]


def stories_of(documents: Sequence[Document]) -> list[LabelledStory]:
    """The stories of documents, split into sentences by the shipped pipeline."""
    spans = sentence_spans([(document.text, document.passages) for document in documents])
    return [
        LabelledStory(
            id=document.name,
            scenario=scenario_of(document),
            sentences=tuple(" ".join(document.text[start:end].split()) for start, end in of_story),
        )
        for document, of_story in zip(documents, spans, strict=True)
    ]


def corpus_statistics(documents: Sequence[ScenarioDocument]) -> dict[str, int]:
    """The sizes of documents, by name."""
    labels = [labels for document in documents for labels in document.labels()]
    return {
        "documents": len(documents),
        "sentences": len(labels),
        "labelled_sentences": sum(map(bool, labels)),
        "sentences_with_several_labels": sum(len(of_sentence) > 1 for of_sentence in labels),
        "segments": sum(len(document.segments) for document in documents),
        "scenarios": len({scenario for of_sentence in labels for scenario in of_sentence}),
    }
