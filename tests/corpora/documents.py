"""Helpers for tests of the readers: from bytes to documents and discards."""

from __future__ import annotations

from pathlib import Path

from kgscripts.corpora.files import InputFile
from kgscripts.corpora.formats import read_file
from schemas.records import Discard, Document, PassageKind


def read(folder: Path, name: str, data: bytes | str, format: str | None = None) -> tuple[list[Document], list[Discard]]:
    """The documents and discards of a file with this content, after general checks."""
    path = folder / name
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    documents: list[Document] = []
    discards: list[Discard] = []
    for item in read_file(InputFile(path, name), format=format):
        if isinstance(item, Document):
            documents.append(item)
        else:
            discards.append(item)
    for document in documents:
        assert document.name.startswith(name)
        check_spans(document)
    for discard in discards:
        place, _, line = discard.where.rpartition(":")
        assert place == name
        assert int(line) >= 1
        assert discard.detail
    assert documents or discards
    return documents, discards


def check_spans(document: Document) -> None:
    """Check that every passage begins and ends with non-space text, in order; steps may lie in sections."""
    last = 0
    assert document.passages
    for passage in document.passages:
        assert last <= passage.start < passage.end <= len(document.text)
        stretch = document.text[passage.start : passage.end]
        assert stretch == stretch.strip() != ""
        last = passage.start if passage.kind is PassageKind.SECTION else passage.end


def passages(document: Document, kind: PassageKind | None = None) -> list[str]:
    """The texts of the passages, of one kind or all."""
    return [document.text[p.start : p.end] for p in document.passages if kind in (None, p.kind)]
