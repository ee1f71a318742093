"""DeScript (Wanzare et al., LREC 2016): event sequence descriptions, one scenario per file, in XML.

``<scripts><script id="1"><item slot="1" original="get towel"/>...</script></scripts>``; the file's name is the
scenario: ``taking a bath.new.xml``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from kgscripts.corpora.plain_text import joined_lines
from kgscripts.corpora.source import Source
from kgscripts.corpora.xml_records import xml_records
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind

_SUFFIXES = (".gz", ".xml", ".new")


def read_descript(source: Source) -> Iterator[Document | Discard]:
    """Yield one document per event sequence description; its steps are the lines of the text."""
    scenario = scenario_of_file(source.name)
    seen: dict[str, int] = {}
    for record in xml_records(source, "script"):
        if isinstance(record, Discard):
            yield record
            continue
        identifier = record.element.get("id", "")
        items = record.element.findall("item")
        if not identifier or any(item.get("original") is None for item in items):
            detail = "a <script> without id, or an <item> without original"
            yield source.discard(DiscardReason.MALFORMED, record.line, detail)
            continue
        if identifier in seen:
            detail = f"id {identifier!r} was on line {seen[identifier]} before"
            yield source.discard(DiscardReason.DUPLICATE_ID, record.line, detail)
            continue
        seen[identifier] = record.line
        text, spans = joined_lines([item.get("original", "") for item in items])
        if not spans:
            yield source.discard(DiscardReason.EMPTY, record.line, f"script {identifier!r} has no steps")
            continue
        yield Document(
            name=source.label(identifier),
            format="descript",
            text=text,
            scenario=scenario,
            passages=[Passage(kind=PassageKind.STEP, start=start, end=end) for start, end in spans],
        )


def scenario_of_file(name: str) -> str:
    """The scenario that a DeScript file is named after."""
    scenario = PurePosixPath(name).name
    for suffix in _SUFFIXES:
        scenario = scenario.removesuffix(suffix)
    return scenario
