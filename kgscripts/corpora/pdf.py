"""PDF: the text layer, page after page, as plain text or, with list items, as Markdown (needs the extra `pdf`)."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from importlib.util import find_spec

from attrs import evolve

from kgscripts.corpora.markdown import read_markdown
from kgscripts.corpora.plain_text import read_plain_text
from kgscripts.corpora.sniffing import sniff
from kgscripts.corpora.source import MAX_RECORD_BYTES, Source, source_of, too_long
from schemas.records import Discard, DiscardReason, Document

MAX_BYTES = 64 * 1024 * 1024
_MOST_PAGES = 5_000
_HYPHEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")


def read_pdf(source: Source) -> Iterator[Document | Discard]:
    """Yield one document with the text of all pages, words joined that a line end divides.

    A PDF without text layer, such as scanned pages, is a discard that says so; text in pictures is not read.
    """
    data = source.stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        yield source.discard(DiscardReason.TOO_LONG, 1, f"a PDF of more than {MAX_BYTES:,} bytes")
        return
    if find_spec("pypdf") is None:
        yield source.discard(DiscardReason.NOT_INSTALLED, 1, "PDF needs pypdf: pip install 'kgscripts[pdf]'")
        return
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it logs each fault that it mends
    parts: list[str] = []
    size = 0
    try:
        pages = PdfReader(io.BytesIO(data)).pages
        count = len(pages)
        for number in range(min(count, _MOST_PAGES)):
            parts.append(pages[number].extract_text())
            size += len(parts[-1])
            if size > MAX_RECORD_BYTES:
                yield source.discard(DiscardReason.TOO_LONG, 1, too_long("a text"))
                return
    except Exception as error:  # noqa: BLE001, pypdf raises errors of many kinds for damaged files
        yield source.discard(DiscardReason.UNDECODABLE, 1, f"no PDF that can be read ({type(error).__name__}: {error})")
        return
    text = _UNREADABLE.sub("", _HYPHEN.sub("", "\n".join(part.strip() for part in parts)))
    if not text.strip():
        detail = (
            f"no text layer on its {count:,} pages: recognise the text of the pictures first, for example by ocrmypdf"
        )
        yield source.discard(DiscardReason.EMPTY, 1, detail)
        return
    encoded = text.encode("utf-8")
    read = read_markdown if sniff(encoded, "") == "markdown" else read_plain_text
    for item in read(source_of(source.name, io.BytesIO(encoded))):
        yield evolve(item, format="pdf") if isinstance(item, Document) else item
