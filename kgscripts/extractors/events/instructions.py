"""Parsing a short instruction, such as one on the command line, into an action."""

from __future__ import annotations

from attrs import frozen

from kgscripts.extractors.events.events import Text, events_of_texts
from kgscripts.extractors.protocol import Parse
from kgscripts.text.passages import MAX_CHARACTERS, parse_passages
from kgscripts.text.pipeline import load_pipeline
from schemas.errors import QueryError
from schemas.records import Action, Passage, PassageKind


@frozen
class Instruction:
    """An instruction's words (lower case, without punctuation) and the action of its first event."""

    words: tuple[str, ...]
    action: Action


def read_instruction(text: str) -> Instruction:
    """Parse an instruction such as "drain the pasta"; only its first `MAX_CHARACTERS` characters are used.

    Raises
    ------
    QueryError
        If the text contains no event.
    """
    instruction = " ".join(text.split())[:MAX_CHARACTERS]
    doc = next(parse_passages(load_pipeline(), [(instruction, None)])).doc
    words = tuple(token.lower_ for token in doc if any(map(str.isalnum, token.text)))
    if words:
        passage = Passage(kind=PassageKind.STEP, start=0, end=len(instruction))
        (read,) = events_of_texts([Text([Parse(passage, doc, 0)])])
        for event in read.events:
            if event.mentions:
                return Instruction(words, event.mentions[0].action)
    raise QueryError(f"{text!r} contains no event", remedy="write an instruction, for example: 'drain the pasta'")
