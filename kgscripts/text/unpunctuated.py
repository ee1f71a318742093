"""Texts without sentence ends (chat messages, transcripts), as clauses.

A parser reads such a text as one sentence, in which a clause after a noun is a relative one ("a place a man answered he
asked for the address"). A clause begins at a pronoun that can only be a subject, with the words before it that lead
from clause to clause ("and then i"), unless a conjunction or a verb before it governs it ("when i", "what i", "he said
he").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgscripts.text.lexicon import word_list

_LEAST_WORDS = 25
"""A text without any sentence end is read by clauses from this number of words on."""
_LONGEST_SENTENCE = 60
"""So is a longer stretch between two sentence ends, with at most one comma: longer than sentences of stories."""

_STRETCH = re.compile(r"(?:[^.!?;:…]|[.:](?=\S))+[.!?;:…]*")
_END = re.compile(r"[.!?;:…][\"'”’)\]\s]*\Z")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\s\w]")

_SUBJECTS = word_list("subject pronouns")
_LEADING = word_list("beginnings of clauses") | {","}
_GOVERNING = word_list("governors of clauses")
_CONDITIONS = word_list("conditions")
"""After these, the clause that follows depends on the one that they begin."""
# Words; a clause with fewer is read with the one behind it.
_LEAST_CLAUSE = 3


def clause_spans(text: str) -> Iterator[tuple[int, int]]:
    """The spans that a parser reads by themselves, without gaps: the whole text if it has sentence ends."""
    start = 0
    for stretch in _stretches(text):
        for cut in _cuts(text, *stretch):
            yield start, cut
            start = cut
    yield start, len(text)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """The stretches that are read by clauses: those without sentence ends that no sentence is as long as."""
    spans = [match.span() for match in _STRETCH.finditer(text)]
    ends = len(spans) > 1 or _END.search(text) is not None
    for start, end in spans:
        words = len(text[start:end].split())
        is_long = words > _LONGEST_SENTENCE and text.count(",", start, end) <= 1
        if is_long or (words >= _LEAST_WORDS and not ends):
            yield start, end


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Where the clauses of a stretch begin, without the first."""
    matches = list(_WORD.finditer(text, start, end))
    words = [match[0].lower().replace("’", "'").partition("'")[0] for match in matches]
    last = 0
    is_condition = False
    for position in (number for number, word in enumerate(words) if word in _SUBJECTS):
        first = _first_leading(words, position)
        before = words[first - 1] if first else ""
        if before in _GOVERNING:
            is_condition = before in _CONDITIONS
        elif is_condition:
            is_condition = False
        elif first - last >= _LEAST_CLAUSE:
            yield matches[first].start()
            last = first


def _first_leading(words: Sequence[str], position: int) -> int:
    """The first of the words before a position that lead from clause to clause."""
    while position:
        sizes = (size for size in (3, 2, 1) if " ".join(words[max(0, position - size) : position]) in _LEADING)
        size = next(sizes, 0)
        if not size:
            break
        position -= size
    return position
