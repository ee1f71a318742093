"""The *-ing* form of English verbs, by rule."""

from __future__ import annotations

import re

_IN_ING = frozenset(
    {"bring", "cling", "fling", "ping", "ring", "sing", "sling", "spring", "sting", "string", "swing", "wing", "wring"}
)
"""Verbs whose base form ends in *-ing*."""

_SILENT_E_KEPT = frozenset({"dye", "singe", "tinge", "be"})
_CONSONANT_DOUBLED = frozenset(
    {"admit", "begin", "commit", "control", "defer", "equip", "forget", "occur", "omit", "permit", "prefer", "refer"}
    | {"regret", "repel", "submit", "transfer", "upset"}
)
"""Verbs of several syllables with the stress on the last."""

_PREFIX = re.compile(r"(?:un|re|out|over)(?=[^aeiou])")
_CLOSED_SYLLABLE = re.compile(r"[^aeiou]*(?:[aeiou]|qu[aeiou]|y)[^aeiouwxy]")


def gerund(verb: str) -> str:
    """The *-ing* form of a lower-case verb; a word that already has this form is returned as it is (*baking*).

    The spelling is American where it differs (*canceling*). Every word is treated as a verb.
    """
    if not verb.isalpha() or (verb.endswith("ing") and len(verb) > 4 and verb not in _IN_ING):
        return verb
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb not in _SILENT_E_KEPT:
        return verb[:-1] + "ing"
    if verb.endswith("ic"):
        return verb + "king"
    if verb in _CONSONANT_DOUBLED or _CLOSED_SYLLABLE.fullmatch(_PREFIX.sub("", verb, count=1)):
        return verb + verb[-1] + "ing"
    return verb + "ing"
