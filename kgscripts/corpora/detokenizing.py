"""Detokenization of Penn Treebank tokens, with the span of each token."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ESCAPES = {
    **{"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"},
    **{"``": '"', "''": '"', "`": "'"},
}
_NO_SPACE_BEFORE = re.compile(r"[.,!?;:%)\]}]+|n't|N'T|'(?:s|S|m|d|ll|ve|re|M|D|LL|VE|RE)")
_NO_SPACE_AFTER = re.compile(r"[(\[{$#]")
_QUOTE = '"'


def detokenize(tokens: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The text, and the span of each token in it.

    Spacing follows English spelling; brackets and slashes are unescaped. Two quotation marks in a row are one opening
    mark (as InScript writes it), whose second token gets an empty span; a single one closes an open quotation.
    """
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0
    glue = True  # no space before the next token
    is_open = False
    for index, token in enumerate(tokens):
        word = _ESCAPES.get(token, token.replace("\\/", "/"))
        following = _ESCAPES.get(tokens[index + 1], tokens[index + 1]) if index + 1 < len(tokens) else ""
        repeated = word == _QUOTE and bool(pieces) and pieces[-1] == _QUOTE and is_open and glue
        if repeated or not word:
            spans.append((length, length))
            continue
        opens = token == "`" or (word == _QUOTE and (following == _QUOTE or not is_open))
        closes = word == _QUOTE and not opens
        if not (glue or closes or _NO_SPACE_BEFORE.fullmatch(word) or word == "'"):
            pieces.append(" ")
            length += 1
        pieces.append(word)
        spans.append((length, length + len(word)))
        length += len(word)
        glue = opens or _NO_SPACE_AFTER.fullmatch(word) is not None
        if word == _QUOTE:
            is_open = opens
    return "".join(pieces), spans
