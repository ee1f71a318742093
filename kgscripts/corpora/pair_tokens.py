"""Raw text of a pair as tokens like KidsCook's: lower case, punctuation by itself."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

_ATTACHED = re.compile(r"\w[.,;:!?)\]\"”](?:\s|$)|(?:^|\s)[(\[\"“]\w")


def tokens(text: str) -> list[str]:
    """The tokens of a text, in lower case.

    White space divides them where the text is spaced out already, which shows by no word with a punctuation mark or a
    bracket at its ends; other text goes through spaCy's rules for English.
    """
    if not _ATTACHED.search(text):
        return text.lower().split()
    return [token.text.lower() for token in blank_english().make_doc(text) if not token.is_space]


@cache
def blank_english() -> Language:
    """spaCy's tokenizer and word lists for English, without a model."""
    import spacy

    return spacy.blank("en")
