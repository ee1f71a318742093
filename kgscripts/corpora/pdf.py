"""PDF: the text layer, page after page, as plain text or, with list items, as Markdown (needs the extra `pdf`)."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain
from typing import Any

from attrs import evolve

from kgscripts.corpora.blocks import one_line
from kgscripts.corpora.markdown import read_markdown
from kgscripts.corpora.plain_text import read_plain_text
from kgscripts.corpora.scenarios.labels import names_scenario
from kgscripts.corpora.sniffing import sniff
from kgscripts.corpora.source import MAX_RECORD_BYTES, Source, source_of, too_long
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document

MAX_BYTES = 64 * 1024 * 1024
MOST_PAGES = 5_000
MOST_CONTENT = 16 * 1024 * 1024
"""The most bytes of content of all pages, unpacked: a megabyte takes some seconds."""
_LIMITS: dict[str, Any] = {
    **dict.fromkeys(("zlib_maximum_output_length", "lzw_maximum_output_length"), MOST_CONTENT),
    **dict.fromkeys(("run_length_maximum_output_length", "array_based_stream_maximum_output_length"), MOST_CONTENT),
    "stream_parsing_work_maximum_count": 200_000,
    "xform_maximum_invocations_per_extraction": 50,
    "page_tree_maximum_entries": 2 * MOST_PAGES,
}
"""The limits of pypdf, which holds them before it unpacks or parses a stream; its own are 5 to 100 times as high."""
_HYPHEN = re.compile(r"(?<=[a-z])[-\xad\u2010][ \t]*\n[ \t]*(?=[a-z])")
_NUMBER_ALONE = re.compile(r"^[ \t]*((?:\d{1,2}[.)]|[•▪●]))[ \t]*\n(?=[ \t]*\S)", re.MULTILINE)
_STEP = re.compile(r"\s*(?:step|stage)\b|\s*\(?\d{1,3}[.)]|\s*[•▪●*-]\s+[^\W\d]", re.IGNORECASE)
_PAGE_NUMBER = re.compile(r"\W*(?:page\W+)?\d{1,4}(?:\W+(?:of\W+)?\d{1,4})?\W*", re.IGNORECASE)
_NO_TITLE = re.compile(r"untitled.*|.*\.[a-z]{2,5}|microsoft word.*|\(.*\)|document ?\d*|[\W\d]*", re.IGNORECASE)
"""Titles that programs make up."""
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_EDGE = 2
"""Running heads and feet are among this number of lines at the top and the bottom of a page."""


def read_pdf(source: Source) -> Iterator[Document | Discard]:
    """Yield one document with the text of all pages, without running heads, feet and page numbers; words are joined
    that a line end divides.

    The title is the first line, else that of the properties, else the running head. A PDF without text layer, such as
    scanned pages, is a discard that says so; text in pictures is not read.
    """
    data = source.stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        yield source.discard(DiscardReason.TOO_LONG, 1, f"a PDF of more than {MAX_BYTES:,} bytes")
        return
    if find_spec("pypdf") is None:
        yield source.discard(DiscardReason.NOT_INSTALLED, 1, "PDF needs pypdf: pip install 'kgscripts[pdf]'")
        return
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it logs each fault that it mends
    pages: list[list[str]] = []
    try:
        with pypdf.apply_configuration(**_LIMITS):
            reader = pypdf.PdfReader(io.BytesIO(data))
            count = len(reader.pages)
            if count > MOST_PAGES:
                raise InputError(f"a PDF of more than {MOST_PAGES:,} pages; split it")
            said = reader.metadata.title if reader.metadata else ""
            content = size = 0
            for page in reader.pages:
                contents = page.get_contents()
                content += len(contents.get_data()) if contents is not None else 0
                if content > MOST_CONTENT:
                    raise InputError(f"a PDF whose pages have more than {MOST_CONTENT:,} bytes of content; split it")
                text = page.extract_text()
                size += len(text)
                if size > MAX_RECORD_BYTES:
                    raise InputError(too_long("a text"))
                pages.append([line.rstrip() for line in text.splitlines() if line.strip()])
    except (InputError, pypdf.errors.LimitReachedError) as error:
        detail = error.message if isinstance(error, InputError) else f"a PDF beyond a limit ({error}); print it anew"
        yield source.discard(DiscardReason.TOO_LONG, len(pages) + 1, detail)
        return
    except Exception as error:  # noqa: BLE001, pypdf raises errors of many kinds for damaged files
        yield source.discard(DiscardReason.UNDECODABLE, 1, f"no PDF that can be read ({type(error).__name__}: {error})")
        return
    head = _drop_running_lines(pages)
    lines = list(chain.from_iterable(pages))
    if len(lines) > 1 and not _STEP.match(lines[0]) and (_STEP.match(lines[1]) or names_scenario(lines[0])):
        lines.insert(1, "")  # the first line is a title
    text = _HYPHEN.sub("", "\n".join(lines))
    text = _UNREADABLE.sub("", _NUMBER_ALONE.sub(r"\1 ", text))
    if not text.strip():
        detail = (
            f"no text layer on its {count:,} pages: recognise the text of the pictures first, for example by ocrmypdf"
        )
        yield source.discard(DiscardReason.EMPTY, 1, detail)
        return
    encoded = text.encode("utf-8")
    read = read_markdown if sniff(encoded, "") == "markdown" else read_plain_text
    title = one_line(str(said or ""))
    title = head if _NO_TITLE.fullmatch(title) else title
    for item in read(source_of(source.name, io.BytesIO(encoded))):
        if isinstance(item, Document):
            is_better = not item.title or (names_scenario(title) and not names_scenario(item.title))
            item = evolve(item, format="pdf", title=title if is_better else item.title)
        yield item


def _drop_running_lines(pages: list[list[str]]) -> str:
    """Remove the lines at the edges that two pages in five have, but for their numbers, and page numbers. Return the
    first of the running heads, "" if there is none."""
    if len(pages) < 2:
        return ""
    edges = [{*range(len(lines))[:_EDGE], *range(len(lines))[-_EDGE:]} for lines in pages]
    keys = [
        {place: re.sub(r"\d+", "#", lines[place]).strip() for place in edge if not _STEP.match(lines[place])}
        for lines, edge in zip(pages, edges, strict=True)
    ]
    counts = Counter(key for page in keys for key in set(page.values()))
    head = ""
    for lines, page in zip(pages, keys, strict=True):
        # From the last line, so that the places of those before stay right.
        for place in sorted(page, reverse=True):
            if counts[page[place]] >= max(2, 0.4 * len(pages)) or _PAGE_NUMBER.fullmatch(lines[place]):
                line = lines.pop(place)
                head = head or (one_line(line) if not place and not _PAGE_NUMBER.fullmatch(line) else "")
    return head
