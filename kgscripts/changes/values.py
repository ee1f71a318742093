"""Whether the value after one change is the value before a later change."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")
_LIGHT = re.compile(
    "an?|the|some|this|that|these|those|my|your|his|her|its|our|their|of|in|on|at|to|into|onto|inside|within|by|with"
    "|is|are|was|were|be|been|being|has|have|had|now|still|currently|already"
)
"""Words without which a value stays the same: "in the pot" is "pot"."""
_TURNING = re.compile(
    "not?|non|never|without|un|less|more|least|most|off|out|outside|away|under|over|above|below|beside|behind|before"
    "|after|from|partly|partially|almost|half|too"
)
"""Words that reverse or change a value: "outside the pot", "not clean", "less full"."""


def agree(after: str, before: str) -> bool:
    """Whether two values of the same attribute of an entity are the same state.

    They are if their content words are the same, or if those of one contain those of the other ("in the pot" and "in
    the pot on the stove"), and if both have the same reversing words ("not", "less", "outside"). Case, punctuation and
    order do not count; a value without content words agrees with an equal one only.
    """
    one, other = _content(after), _content(before)
    if not one or not other:
        return " ".join(after.lower().split()) == " ".join(before.lower().split())
    if not one <= other and not other <= one:
        return False
    return not any(_TURNING.fullmatch(word) for word in one ^ other)


def _content(value: str) -> set[str]:
    return {word for word in _WORD.findall(value.lower()) if not _LIGHT.fullmatch(word)}
