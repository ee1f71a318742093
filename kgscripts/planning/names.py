"""Names of PDDL for any words, and the words of the names in a file of PDDL.

A name of PDDL is a letter and then letters, digits, hyphens and underscores, in any case (McDermott et al., *PDDL: The
Planning Domain Definition Language*, 1998, section 3). All constants, actions and types share one set of names.
"""

from __future__ import annotations

import hashlib
import json
import re

LONGEST = 100
"""The most characters of a name: planners have buffers."""
_DIGITS = 32
"""Hexadecimal digits of the digest at the end of the name of longer words."""
_ESCAPED = re.compile(r"[^a-z0-9 ]|^ | (?= |$)")
"""What is escaped: all but small letters of ASCII, digits and single spaces between words."""
_NAMED = re.compile(r"^[ (:a-z]*?((?:script|do|step|thing|attribute|value)-[a-z0-9_-]+)\)? ; (\".*\")$", re.MULTILINE)


def pddl_name(kind: str, words: str) -> str:
    """The name of `words` as a `kind` (small letters), the same in all files; different words have different names.

    It is the kind, a hyphen and the words, with hyphens for spaces and ``_e4_`` for a character whose code point is
    0xE4: ``thing-frying-pan``, ``value-_32__20_``; no words are ``_``. Of a longer name, the beginning is followed by
    digits of the SHA-256 of kind and words. Since it begins with its kind, no name is a keyword.
    """
    name = f"{kind}-{_ESCAPED.sub(_code, words).replace(' ', '-') or '_'}"
    if len(name) <= LONGEST:
        return name
    digest = hashlib.sha256(f"{kind} {words}".encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    # One character longer than any other name, so that it is none of those.
    return f"{name[: LONGEST - _DIGITS]}_{digest}"


def _code(character: re.Match[str]) -> str:
    return f"_{ord(character[0]):x}_"


def quoted(words: str) -> str:
    """`words` as a string of JSON in ASCII: one line, whatever they are."""
    return json.dumps(words).replace("\x7f", "\\u007f")


def read_names(pddl: str) -> dict[str, str]:
    """The words of each name in the text of a domain that kgscripts wrote; of steps and actions with their numbers."""
    return {name: json.loads(words) for name, words in _NAMED.findall(pddl)}
