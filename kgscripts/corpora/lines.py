"""Paragraphs as passages: wrapped prose, one statement a line, numbered steps, and lists of what is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from attrs import evolve, frozen

from kgscripts.corpora.needs import is_needs_heading, needs_end
from kgscripts.text.lexicon import classes_of, verbs
from schemas.records import Passage, PassageKind

_LINE = re.compile(r"[^\r\n]+(?:\r\n?|\n)?|\r\n?|\n")
_NARROWEST = 30
"""The smallest width, in characters, that prose is assumed to be wrapped at."""
_LONGEST_ITEM = 100
_FINAL = tuple(".!?:;…")

_NUMBER = r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_ORDINAL = r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|next|last|final)"
_STEP = (
    rf"(?:step|stage)[ \t]*(?:no\.?[ \t]*|\#)?{_NUMBER}\b(?:[ \t]*[.:)–—-]+[ \t]*|[ \t]*$|[ \t]+(?=(?-i:[A-Z])))"
    rf"|{_ORDINAL}[ \t]+step[ \t]*(?:[:–—-]+[ \t]*|$)"
)
_STEP_MARKER = re.compile(_STEP, re.IGNORECASE | re.MULTILINE)
"""``Step 1:``, ``STEP TWO -``, ``First step:``, wherever a line or a sentence begins with it."""
_INNER_MARKER = re.compile(rf"(?<=[.!?;])[ \t]+(?={_STEP})", re.IGNORECASE | re.MULTILINE)
_LIST_MARKER = re.compile(
    r"(?:[*•‣◦▪●·☐☑✓✔–—+-][ \t]+(?:\[[ xX]\][ \t]+)?|\#?\d{1,3}[.:][ \t]+|\#\d{1,3}[ \t]+"
    r"|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{2,4})\)[ \t]*)(?=\S)"
)
"""``1.``, ``2)``, ``(a)``, ``•``, in a paragraph that begins with one."""
_HEADING = re.compile(
    r"(?:the )?(?:steps|method|directions|instructions|procedure|preparation|what to do)[ \t]*:?", re.IGNORECASE
)
_UNFINISHED = re.compile(
    r"(?:\b(?:a|an|the|my|your|his|her|its|our|their|and|or|but|nor|of|to|into|onto|with|without|than|that|which|who|whose"
    r"|because|if|when|while|is|are|was|were|be|very)|[,(–—/-])$",
    re.IGNORECASE,
)
"""The end of a line whose sentence goes on."""
_HARDLY_FINISHED = re.compile(r"\b(?:in|on|at|by|for|from|as|until|before|after|so|then)$", re.IGNORECASE)
"""The same, but for a line that begins with a verb: "put the tree in" may be all."""
_CONTINUING = re.compile(r"(?:and|or|but|nor|which|who|because)\b|[,.;:)]", re.IGNORECASE)
_PHRASE_OF_VERB = re.compile(
    r"\S+\s+(?:the|a|an|your|it|them|in|into|on|onto|up|off|out|down|over|with|together|all|until|to)\b", re.IGNORECASE
)


@frozen
class _Chunk:
    """A stretch of text that is read as one, without its marker, in a paragraph with this number."""

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
    """Where the text after the marker of a step ("Step 1:", "First step -") begins; `start` without a marker."""
    match = _STEP_MARKER.match(text, start, end)
    return match.end() if match else start


def is_title(line: str) -> bool:
    """Whether a line may be a title: it is no step, no list and no heading of one."""
    marked = _STEP_MARKER.match(line) or _LIST_MARKER.match(line)
    return not (marked or is_needs_heading(line) or needs_end(line) or _HEADING.fullmatch(line))


def are_commands(text: str, paragraphs: Sequence[tuple[int, int]]) -> bool:
    """Whether at least three paragraphs are all an instruction of one line without final punctuation."""
    return len(paragraphs) > 2 and all(
        end - start <= _LONGEST_ITEM and not text[start:end].endswith(_FINAL) and _commands(text[start:end])
        for start, end in paragraphs
    )


def passages_of(text: str, paragraphs: Sequence[tuple[int, int]]) -> list[Passage]:
    """The passages of paragraphs, which are given by their spans.

    A paragraph is one passage, except that each step with a marker ("Step 1:", "(a)") is a passage of its own without
    it; that lines without final punctuation are one passage each, unless they are wrapped prose; and that a list of
    what is needed, with its heading, is one passage of the kind *needs*.
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
    """The passages of steps without their markers; those that list what is needed are of the kind *needs*."""
    found = []
    for first, end in steps:
        start, end = trimmed(text, marker_end(text, first, end), end)
        if start < end:
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
    if len(content) > _LONGEST_ITEM or content.endswith(_FINAL) or not is_title(content):
        return False
    return not _commands(content)


def _commands(line: str) -> bool:
    """Whether a line begins like an instruction: with an everyday verb that something follows."""
    first, _, rest = line.partition(" ")
    word = first.lower()
    return word in verbs("action") and bool(rest) and (not classes_of(word) or bool(_PHRASE_OF_VERB.match(line)))


def _chunks(text: str, start: int, end: int, block: int) -> Iterator[_Chunk]:
    """The chunks of a paragraph: steps with a marker, headings, and lines or wrapped prose between them."""
    lines = [trimmed(text, start + first, start + last) for first, last in line_spans(text[start:end])]
    is_list = any(_LIST_MARKER.match(text, *line) for line in _after_headings(text, lines))
    group: list[tuple[int, int]] = []
    is_step = False
    for line in lines:
        marker = _STEP_MARKER.match(text, *line) or (_LIST_MARKER.match(text, *line) if is_list else None)
        alone = is_needs_heading(text[slice(*line)]) or _HEADING.fullmatch(text, *line)
        if marker or alone:
            yield from _of_group(text, group, is_step, block)
            group, is_step = [], marker is not None and not alone
        if marker:
            line = trimmed(text, marker.end(), line[1])
        if alone:
            yield _Chunk(*line, False, block)
        elif line[0] < line[1]:
            group.append(line)
    yield from _of_group(text, group, is_step, block)


def _after_headings(text: str, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The first line of a paragraph that is no heading, as a list."""
    rest = (line for line in lines if not is_needs_heading(text[slice(*line)]) and not _HEADING.fullmatch(text, *line))
    first = next(rest, None)
    return [] if first is None else [first]


def _of_group(text: str, lines: list[tuple[int, int]], is_step: bool, block: int) -> Iterator[_Chunk]:
    """The chunks of lines without markers between them."""
    if not lines:
        return
    spans = list(_joined(text, lines, is_step=is_step))
    are_steps = is_step or (
        len(spans) > 1 and 2 * sum(_first_word(text, span) in verbs("action") for span in spans) > len(spans)
    )
    for start, end in spans:
        for inner in _INNER_MARKER.finditer(text, start, end):
            yield _Chunk(marker_end(text, start, inner.start()), inner.start(), are_steps, block)
            start = inner.end()
        body = marker_end(text, start, end)
        yield _Chunk(body, end, are_steps or body > start, block)


def _joined(text: str, lines: list[tuple[int, int]], *, is_step: bool) -> Iterator[tuple[int, int]]:
    """The spans of lines, those joined whose sentence goes on."""
    contents = [text[start:end] for start, end in lines]
    open_ended = sum(not content.rstrip("\"'”’)]").endswith(_FINAL) for content in contents)
    start = lines[0][0]
    if 2 * open_ended > len(lines) and not _is_wrapped(text, lines, contents):
        unpunctuated = not is_step and open_ended == len(lines) and not any(line[0].isupper() for line in contents)
        for number, (before, after) in enumerate(pairwise(contents)):
            if not _goes_on(before, after, unpunctuated=unpunctuated):
                yield start, lines[number][1]
                start = lines[number + 1][0]
    yield start, lines[-1][1]


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
    return not begin_alike or any(_UNFINISHED.search(content) or content.endswith(_FINAL) for content in contents)


def _column(text: str, start: int) -> int:
    """The number of characters of the line before `start`, as far as indentation and markers go."""
    before = text[max(0, start - _NARROWEST) : start]
    return len(before) - max(before.rfind("\n"), before.rfind("\r")) - 1


def _first_word(text: str, span: tuple[int, int]) -> str:
    return text[slice(*span)].split(maxsplit=1)[0].lower()
