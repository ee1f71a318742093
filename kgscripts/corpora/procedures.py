"""Procedures: the steps of how-tos, recipes and instructions, in any format that the readers know."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

from attrs import field, frozen, validators

from kgscripts.corpora.files import InputFile, find_files
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.jsonl import read_identified
from kgscripts.corpora.sniffing import sniff
from kgscripts.corpora.source import DamagedSourceError, is_binary, open_source
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind


@frozen(kw_only=True)
class Procedure:
    """The steps of a procedure, in order; `title` is "" if it has none."""

    id: str
    title: str = ""
    steps: tuple[str, ...] = field(validator=validators.min_len(1))


def read_procedures(path: str | Path) -> Iterator[Procedure | Discard]:
    """Yield the procedures of a file, or of the files in a folder, and a discard for each part that is none.

    The format is detected as by `kgscripts.corpora.formats.read_file`: JSON lines with `id`, `title` and `steps` (or
    `text`), numbered or bulleted text, Markdown how-tos, and the corpora. The id is that of the record, or the name of
    the document. Ids are unique in a file.

    Raises InputError for a path that is missing or cannot be read.
    """
    for file in find_files([path]):
        if file.fault:
            yield Discard(reason=DiscardReason.UNREADABLE, where=file.name, detail=file.fault)
            continue
        for item in _identified(file):
            yield item if isinstance(item, Discard) else procedure_of(item[1], item[0])


def procedure_of(document: Document, id: str) -> Procedure | Discard:
    """The steps of a document, with white space as single blanks; a discard if there are none.

    Lists of needed things are no steps. If the document marks no steps, each line is one if all lines end with final
    punctuation, and each paragraph otherwise.
    """
    texts = _texts(document, PassageKind.STEP) or [
        step for text in _texts(document, PassageKind.PARAGRAPH) for step in _lines(text)
    ]
    if not texts:
        return Discard(reason=DiscardReason.EMPTY, where=document.name, detail="no steps")
    return Procedure(id=id, title=document.title, steps=tuple(" ".join(text.split()) for text in texts))


def document_of(procedure: Procedure) -> Document:
    """A document with the steps of a procedure as its passages."""
    passages, end = [], 0
    for step in procedure.steps:
        passages.append(Passage(kind=PassageKind.STEP, start=end, end=end + len(step)))
        end += len(step) + 1
    text = "\n".join(procedure.steps)
    return Document(name=procedure.id, format="procedure", text=text, title=procedure.title, passages=passages)


def _identified(file: InputFile) -> Iterator[tuple[str, Document] | Discard]:
    with open_source(file) as source:
        try:
            sample = source.sample()
            if not is_binary(sample) and sniff(sample, source.name) == "jsonl":
                empty = True
                for item in read_identified(source):
                    empty = False
                    yield item
                if empty:
                    yield source.discard(DiscardReason.EMPTY, 1, "nothing to read")
                return
        except DamagedSourceError as error:
            yield source.damaged(error)
            return
    for document in read_file(file):
        yield document if isinstance(document, Discard) else (document.name, document)


def _texts(document: Document, kind: PassageKind) -> list[str]:
    return [document.text[passage.start : passage.end] for passage in document.passages if passage.kind == kind]


def _lines(paragraph: str) -> list[str]:
    lines = [line for line in paragraph.splitlines() if line.strip()]
    return lines if all(map(_ends, lines)) else [paragraph]


def _ends(line: str) -> bool:
    """Whether a line ends a sentence, in any script."""
    last = line.rstrip().rstrip("\"'”’)]")[-1:]
    return last != "," and unicodedata.category(last or " ") in ("Po", "So")
