"""The passages of one source: their ids, and which lies within which."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.records import PassageKind
from schemas.vocabulary import node_id

_MENTION = PassageKind.MENTION.value
_DEPTHS = {PassageKind.SENTENCE.value: 1, _MENTION: 2}
Span = tuple[int, int, str]
"""First character, the character after the last, kind."""


def passage_id(digest: str, span: Span) -> str:
    """The id of a passage; ids ascend with the digest of the source and the first character."""
    start, end, kind = span
    return node_id("Passage", f"{digest[:16]} {start:09d} {kind}", digest, kind, str(start), str(end))


def parents(spans: Iterable[Span]) -> dict[Span, Span | None]:
    """The smallest passage that each passage lies within: a mention in a sentence, a sentence in what the format marks.

    None stands for the source itself.
    """
    found: dict[Span, Span | None] = {}
    open_: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1], _DEPTHS.get(span[2], 0), span[2])):
        while open_ and open_[-1][1] <= span[0]:
            open_.pop()
        found[span] = next((outer for outer in reversed(open_) if outer[1] >= span[1] and outer[2] != _MENTION), None)
        open_.append(span)
    return found
