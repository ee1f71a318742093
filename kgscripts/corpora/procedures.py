"""Procedures: the steps of how-tos, recipes and instructions, from any format that the readers know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import field, frozen, validators

from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from schemas.records import Discard, DiscardReason, Document, PassageKind


@frozen(kw_only=True)
class Procedure:
    """The steps of a procedure, in order. `title` is "" if it has none."""

    id: str
    title: str = ""
    steps: tuple[str, ...] = field(validator=validators.min_len(1))


def read_procedures(path: str | Path) -> Iterator[Procedure | Discard]:
    """Yield the procedures of a file, or of the files of a folder, and a discard for what is none.

    JSON lines have `id`, `title` and `steps`; numbered or bulleted text and Markdown how-tos are read as
    `kgscripts.corpora.formats.read_file` reads them. Raises InputError for a path that is missing or unreadable.
    """
    for file in find_files([path]):
        if file.fault:
            yield Discard(reason=DiscardReason.UNREADABLE, where=file.name, detail=file.fault)
            continue
        for item in read_file(file):
            yield item if isinstance(item, Discard) else procedure_of(item)


def procedure_of(document: Document) -> Procedure | Discard:
    """The steps of a document; its paragraphs if it marks no steps. Lists of what is needed are no steps."""
    steps = [passage for passage in document.passages if passage.kind == PassageKind.STEP]
    steps = steps or [passage for passage in document.passages if passage.kind == PassageKind.PARAGRAPH]
    if not steps:
        return Discard(reason=DiscardReason.EMPTY, where=document.name, detail="no steps")
    texts = (" ".join(document.text[passage.start : passage.end].split()) for passage in steps)
    return Procedure(id=document.name.rpartition("#")[2], title=document.title, steps=tuple(texts))
