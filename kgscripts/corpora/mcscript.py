"""MCScript (Ostermann et al., LREC 2018): stories of everyday activities, in XML.

``<data><instance id="0" scenario="..."><text>...</text><questions>...</questions></instance></data>``; only part
of the corpus has scenarios. The questions are not read.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgscripts.corpora.plain_text import paragraph_spans
from kgscripts.corpora.source import Source
from kgscripts.corpora.xml_records import xml_records
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind


def read_mcscript(source: Source) -> Iterator[Document | Discard]:
    """Yield one document per story."""
    seen: dict[str, int] = {}
    for record in xml_records(source, "instance"):
        if isinstance(record, Discard):
            yield record
            continue
        identifier = record.element.get("id", "")
        story = record.element.find("text")
        if not identifier or story is None:
            yield source.discard(DiscardReason.MALFORMED, record.line, "an <instance> without id or <text>")
            continue
        text = "".join(story.itertext())
        if identifier in seen:
            detail = f"id {identifier!r} was on line {seen[identifier]} before"
            yield source.discard(DiscardReason.DUPLICATE_ID, record.line, detail)
        elif not text.strip():
            yield source.discard(DiscardReason.EMPTY, record.line, f"story {identifier!r} has no text")
        else:
            seen[identifier] = record.line
            yield Document(
                name=source.label(identifier),
                format="mcscript",
                text=text,
                scenario=record.element.get("scenario", ""),
                passages=[
                    Passage(kind=PassageKind.PARAGRAPH, start=start, end=end) for start, end in paragraph_spans(text)
                ],
            )
