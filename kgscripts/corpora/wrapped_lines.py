"""Lines of a paragraph as sentences: which are wrapped prose, and where the sentence of a line goes on in the next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from kgscripts.text.lexicon import verbs

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
