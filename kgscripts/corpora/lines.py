"""Paragraphs as passages: wrapped prose, one statement in each line, numbered steps, and lists of needed things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from attrs import evolve, frozen

from kgscripts.corpora.boilerplate import is_boilerplate
from kgscripts.corpora.list_markers import COUNT, LONE, commands, list_marker
from kgscripts.corpora.needs import is_needs_heading, needs_end
from kgscripts.text.lexicon import verbs
from schemas.records import Passage, PassageKind

FINAL = tuple(".!?:;…")
"""Final punctuation."""
_NARROWEST = 30
"""The smallest width, in characters, that prose is assumed to be wrapped at."""
_UNFINISHED = re.compile(
    r"(?:\b(?:a|an|the|my|your|his|her|its|our|their|and|or|but|nor|of|to|into|onto|with|without|than|that|which|who|whose"
    r"|because|if|when|while|is|are|was|were|be|very)|[,(–—/-])$",
    re.IGNORECASE,
)
"""The end of a line whose sentence goes on."""
_HARDLY_FINISHED = re.compile(r"\b(?:in|on|at|by|for|from|as|until|before|after|so|then)$", re.IGNORECASE)
"""The same, but for a line that begins with a verb: "put the tree in" may be all."""
_CONTINUING = re.compile(r"(?:and|or|but|nor|which|who|because)\b|[,.;:)]", re.IGNORECASE)


def joined_lines(text: str, lines: list[tuple[int, int]], *, is_step: bool) -> Iterator[tuple[int, int]]:
    """The spans of lines, those joined whose sentence goes on.

    `lines` are spans without the white space around them: at least one, and none of them empty.
    """
    contents = [text[start:end] for start, end in lines]
    open_ended = sum(not content.rstrip("\"'”’)]").endswith(FINAL) for content in contents)
    start = lines[0][0]
    if 2 * open_ended > len(lines) and not _is_wrapped(text, lines, contents):
        unpunctuated = not is_step and open_ended == len(lines) and not any(line[0].isupper() for line in contents)
        for number, (before, after) in enumerate(pairwise(contents)):
            if not _goes_on(before, after, unpunctuated=unpunctuated):
                yield start, lines[number][1]
                start = lines[number + 1][0]
    yield start, lines[-1][1]


def is_unfinished(line: str) -> bool:
    """Whether the sentence of a line obviously goes on in the next one: "I put on my"."""
    return _UNFINISHED.search(line) is not None


def _goes_on(before: str, after: str, *, unpunctuated: bool) -> bool:
    """Whether the sentence of a line goes on in the next one; `unpunctuated` lines begin in lower case."""
    if _UNFINISHED.search(before) or _CONTINUING.match(after):
        return True
    if after.split(maxsplit=1)[0].lower() in verbs("action"):
        return False
    return _HARDLY_FINISHED.search(before) is not None or (after[0].islower() and not unpunctuated)


def _is_wrapped(text: str, lines: list[tuple[int, int]], contents: list[str]) -> bool:
    """Whether there is a width at which these lines are a wrapped paragraph: no line had room for the next word.

    Lines that all begin with a capital letter or a verb and have no punctuation at their ends are a list in any case.
    """
    if len(lines) < 2:
        return False
    lengths = [end - start + _column(text, start) for start, end in lines]
    room = min(
        length + 1 + len(after.split(maxsplit=1)[0]) for length, after in zip(lengths, contents[1:], strict=False)
    )
    if max(_NARROWEST, *lengths) >= room:
        return False
    begin_alike = all(content[0].isupper() for content in contents) or all(
        content.split(maxsplit=1)[0].lower() in verbs("action") for content in contents
    )
    return not begin_alike or any(_UNFINISHED.search(content) or content.endswith(FINAL) for content in contents)


def _column(text: str, start: int) -> int:
    """The number of characters of indentation and markers before `start` in its line."""
    before = text[max(0, start - _NARROWEST) : start]
    return len(before) - max(before.rfind("\n"), before.rfind("\r")) - 1


_LINE = re.compile(r"[^\r\n]+(?:\r\n?|\n)?|\r\n?|\n")
_LONGEST_ITEM = 100

_ORDINAL = r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|next|last|final)"
_STEP = (
    rf"(?:step|stage)[ \t]*(?:no\.?[ \t]*|\#)?{COUNT}\b(?:[ \t]*[.:)–—-]+[ \t]*|[ \t]*$|[ \t]+(?=(?-i:[A-Z])))"
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
    passages: list[Passage] = []
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
            passages.append(Passage(kind=kind, start=chunk.start, end=last.end))
            continue
        if listed := needs_end(content):
            passages.append(Passage(kind=PassageKind.NEEDS, start=chunk.start, end=chunk.start + listed))
            chunk = evolve(chunk, start=chunk.start + listed)
        start, end = trimmed(text, chunk.start, chunk.end)
        if start < end:
            kind = PassageKind.STEP if chunk.is_step else PassageKind.PARAGRAPH
            passages.append(Passage(kind=kind, start=start, end=end))
    return passages


def steps_of(text: str, steps: Sequence[tuple[int, int]]) -> list[Passage]:
    """The passages of steps without their markers; lists of needed things are of the kind *needs*."""
    passages = []
    for first, end in steps:
        start, end = trimmed(text, marker_end(text, first, end), end)
        if start < end and not is_boilerplate(text[start:end]):
            kind = PassageKind.NEEDS if needs_end(text[start:end]) == end - start else PassageKind.STEP
            passages.append(Passage(kind=kind, start=start, end=end))
    return passages


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
