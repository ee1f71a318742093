"""Paragraphs as passages: wrapped prose, one statement in each line, numbered steps, and lists of needed things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from kgscripts.corpora.boilerplate import is_boilerplate
from kgscripts.corpora.list_markers import LONE, commands, list_marker
from kgscripts.corpora.needs import is_needs_heading, needs_end
from kgscripts.corpora.wrapped_lines import FINAL, joined_lines
from kgscripts.text.lexicon import verbs
from schemas.records import Passage, PassageKind

_LINE = re.compile(r"[^\r\n]+(?:\r\n?|\n)?|\r\n?|\n")
_LONGEST_ITEM = 100

_NUMBER = r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_ORDINAL = r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|next|last|final)"
_STEP = (
    rf"(?:step|stage)[ \t]*(?:no\.?[ \t]*|\#)?{_NUMBER}\b(?:[ \t]*[.:)–—-]+[ \t]*|[ \t]*$|[ \t]+(?=(?-i:[A-Z])))"
    rf"|{_ORDINAL}[ \t]+step[ \t]*(?:[:–—-]+[ \t]*|$)"
)
_STEP_MARKER = re.compile(_STEP, re.IGNORECASE | re.MULTILINE)
"""``Step 1:``, ``STEP TWO -``, ``First step:``, wherever a line or a sentence begins with it."""
_INNER_MARKER = re.compile(rf"(?<=[.!?;])[ \t]+(?={_STEP})", re.IGNORECASE | re.MULTILINE)
_HEADING = re.compile(
    r"(?:the )?(?:steps|method|directions|instructions|procedure|preparation|what to do)[ \t]*:?", re.IGNORECASE
)


@frozen
class _Chunk:
    """A stretch of text that is one unit, without its marker, in the paragraph with this number."""

    start: int
    end: int
    is_step: bool
    block: int


def line_spans(text: str) -> Iterator[tuple[int, int]]:
    """The spans of all lines, including the line end: ``\\n``, ``\\r\\n`` or ``\\r``."""
    for match in _LINE.finditer(text):
        yield match.span()


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without surrounding white space; `start == end` where nothing is left."""
    stripped = text[start:end].rstrip()
    end = start + len(stripped)
    return end - len(stripped.lstrip()), end


def marker_end(text: str, start: int, end: int) -> int:
    """Where the text after the marker of a step ("Step 1:", "First step -") begins; `start` without a marker.

    All that Python counts as white space is skipped; the markers themselves know only blanks and tabs.
    """
    match = _STEP_MARKER.match(text, start, end)
    return trimmed(text, match.end(), end)[0] if match else start


def is_title(line: str) -> bool:
    """Whether a line may be a title: it is no step, no list, no heading of one, and belongs to the text."""
    marked = _STEP_MARKER.match(line) or list_marker(line, 0, len(line)) or LONE.fullmatch(line)
    return not (marked or is_needs_heading(line) or needs_end(line) or _HEADING.fullmatch(line) or is_boilerplate(line))


def are_commands(text: str, paragraphs: Sequence[tuple[int, int]]) -> bool:
    """Whether at least three paragraphs are all an instruction of one line without final punctuation."""
    return len(paragraphs) > 2 and all(
        end - start <= _LONGEST_ITEM and not text[start:end].endswith(FINAL) and commands(text[start:end])
        for start, end in paragraphs
    )


def passages_of(text: str, paragraphs: Sequence[tuple[int, int]]) -> list[Passage]:
    """The passages of paragraphs, which are given by their spans.

    A paragraph is one passage, except that each step with a marker ("Step 1:", "(a)") is a passage of its own without
    it; that lines without final punctuation are one passage each, unless they are wrapped prose; and that a list of
    needed things, with its heading, is one passage of the kind *needs*. Lines of the page around a text
    (`is_boilerplate`) are left out.
    """
    found: list[Passage] = []
    chunks = [chunk for block, span in enumerate(paragraphs) for chunk in _chunks(text, *span, block)]
    position = 0
    while position < len(chunks):
        chunk = chunks[position]
        position += 1
        content = text[chunk.start : chunk.end]
        if _HEADING.fullmatch(content):
            continue
        if is_needs_heading(content):
            last = chunk
            while position < len(chunks) and _continues_list(text, chunk, last, chunks[position]):
                last = chunks[position]
                position += 1
            kind = PassageKind.NEEDS if last is not chunk else PassageKind.PARAGRAPH
            found.append(Passage(kind=kind, start=chunk.start, end=last.end))
            continue
        if listed := needs_end(content):
            found.append(Passage(kind=PassageKind.NEEDS, start=chunk.start, end=chunk.start + listed))
            chunk = evolve(chunk, start=chunk.start + listed)
        start, end = trimmed(text, chunk.start, chunk.end)
        if start < end:
            kind = PassageKind.STEP if chunk.is_step else PassageKind.PARAGRAPH
            found.append(Passage(kind=kind, start=start, end=end))
    return found


def steps_of(text: str, steps: Sequence[tuple[int, int]]) -> list[Passage]:
    """The passages of steps without their markers; lists of needed things are of the kind *needs*."""
    found = []
    for first, end in steps:
        start, end = trimmed(text, marker_end(text, first, end), end)
        if start < end and not is_boilerplate(text[start:end]):
            kind = PassageKind.NEEDS if needs_end(text[start:end]) == end - start else PassageKind.STEP
            found.append(Passage(kind=kind, start=start, end=end))
    return found


def _continues_list(text: str, heading: _Chunk, last: _Chunk, chunk: _Chunk) -> bool:
    """Whether a chunk is an item of the list below a heading: in its paragraph, or else in the following one."""
    content = text[chunk.start : chunk.end]
    if last.block not in (chunk.block, heading.block) or chunk.block > heading.block + 1:
        return False
    if last is not heading and chunk.block != last.block:
        return False
    if len(content) > _LONGEST_ITEM or content.endswith(FINAL) or not is_title(content):
        return False
    return not commands(content)


def _chunks(text: str, start: int, end: int, block: int) -> Iterator[_Chunk]:
    """The chunks of a paragraph: steps with a marker, headings, and lines or wrapped prose between them."""
    lines = [trimmed(text, start + first, start + last) for first, last in line_spans(text[start:end])]
    rest = [line for line in lines if line[0] < line[1] and not is_list_heading(text[slice(*line)])]
    marked = [line for line in rest if _list_marker(text, line)]
    is_list = len(marked) > 1 or marked[:1] == rest[:1]
    group: list[tuple[int, int]] = []
    is_step = False
    for line in lines:
        marker = _STEP_MARKER.match(text, *line) or (_list_marker(text, line) if is_list else None)
        alone = is_list_heading(text[slice(*line)])
        body = trimmed(text, marker.end(), line[1]) if marker else line
        if is_boilerplate(text[slice(*line)]) or is_boilerplate(text[slice(*body)]):
            yield from _of_group(text, group, is_step, block)
            group = []
            continue
        if marker or alone:
            yield from _of_group(text, group, is_step, block)
            group, is_step = [], marker is not None and not alone
        if alone:
            yield _Chunk(*body, False, block)
        elif body[0] < body[1]:
            group.append(body)
    yield from _of_group(text, group, is_step, block)


def is_list_heading(line: str) -> bool:
    """Whether a line is the heading of needed things or of steps, and nothing else."""
    return is_needs_heading(line) or _HEADING.fullmatch(line) is not None


def _list_marker(text: str, line: tuple[int, int]) -> re.Match[str] | None:
    return LONE.fullmatch(text, *line) or list_marker(text, *line)


def _of_group(text: str, lines: list[tuple[int, int]], is_step: bool, block: int) -> Iterator[_Chunk]:
    """The chunks of lines without markers between them."""
    if not lines:
        return
    spans = list(joined_lines(text, lines, is_step=is_step))
    are_steps = is_step or (
        len(spans) > 1 and 2 * sum(_first_word(text, span) in verbs("action") for span in spans) > len(spans)
    )
    for start, end in spans:
        for inner in _INNER_MARKER.finditer(text, start, end):
            yield _Chunk(marker_end(text, start, inner.start()), inner.start(), are_steps, block)
            start = inner.end()
        body = marker_end(text, start, end)
        yield _Chunk(body, end, are_steps or body > start, block)


def _first_word(text: str, span: tuple[int, int]) -> str:
    return text[slice(*span)].split(maxsplit=1)[0].lower()
