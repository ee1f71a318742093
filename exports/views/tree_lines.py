"""The lines of trees for people: labels, counts and sentences, without control characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.text import Text
from rich.tree import Tree

from kgscripts.scripts.things import ToolUse
from kgscripts.scripts.types import Evidence, Part, is_added
from schemas.terminal import printable

LONGEST = 240
"""The most characters of a label or sentence."""
ADDED = "added by a person"


def count(number: int, noun: str) -> str:
    """ "1 step", "2 steps"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def add_evidence(tree: Tree, evidence: Iterable[Evidence], *, numbered: bool = False) -> None:
    """Add the sentences, each with its words in brackets."""
    for number, item in enumerate(evidence, start=1):
        before, after = item.text[: item.words_start], item.text[item.words_end :]
        tree.add(
            styled(
                (f"{number}. " if numbered else "", "dim"),
                (f'"{before}[', "italic"),
                (item.words, "bold italic"),
                (f']{after}"', "italic"),
                (f"  {item.source}, characters {item.start} to {item.end}", "dim"),
            )
        )


def numbers_of(what: Part | ToolUse) -> str:
    """How many sources have it, and which share; or that a person added it."""
    return ADDED if was_added(what) else f"{count(what.support, 'source')}, {what.probability:.0%}"


def was_added(what: Part | ToolUse) -> bool:
    """Whether only a person added it."""
    return is_added(what.support, what.probability)


def styled(*pieces: tuple[str, str]) -> Text:
    """A line of pieces of text, each with its style."""
    line = Text()
    for text, style in pieces:
        line.append(_shown(text), style=style)
    return line


def _shown(text: str) -> str:
    """`text` in one line without control characters, cut to `LONGEST` characters."""
    line = printable(re.sub(r"[\t\n\r\x0b\x0c\x85\u2028\u2029]+", " ", text))
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
