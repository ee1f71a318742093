"""Direct speech, whose clauses are not events of the text itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc

_QUOTATION = re.compile(r"“[^”]*”|\"[^\"]*\"|(?<!\w)'(?=\w)[^']*[.,!?]'(?!\w)")


def quoted_tokens(doc: Doc) -> frozenset[int]:
    """Indices of the tokens in direct speech; an unclosed quotation does not count."""
    text = doc.text
    if '"' not in text and "“" not in text and "'" not in text:
        return frozenset()
    found: set[int] = set()
    for match in _QUOTATION.finditer(text):
        span = doc.char_span(match.start(), match.end(), alignment_mode="contract")
        if span is not None:
            found.update(range(span.start, span.end))
    return frozenset(found)
