"""Whether a text is in English, by py3langid (https://github.com/adbar/py3langid), which needs no network."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from schemas.errors import ModelError
from schemas.records import Discard, DiscardReason, Document

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_EXAMINED = 5_000
"""The number of characters that are examined, from the beginning."""
_LEAST_BYTES = 100
"""Shorter texts have no language: a few words, one step. In bytes of UTF-8, since a Chinese word is two characters."""
_LIKELIEST = 3
"""Neighbouring languages share their probability (Danish and Norwegian; Croatian and Serbian)."""
_LEAST_PROBABILITY = 0.9
_NOT_OTHER = frozenset({"en", "pcm", "zxx"})
"""English; Nigerian Pidgin, for which steps without articles are taken; and addresses and numbers."""

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset(
    {"the", "and", "then", "it", "you", "your", "with", "that", "this", "my", "they", "she", "their", "from", "into"}
    | {"until", "when"}
)
"""Common words that other languages have not."""
_LEAST_SHARE = 0.1


def in_english(document: Document) -> Document | Discard:
    """The document, or a discard if it is in another language.

    Raises ModelError if the detector cannot be loaded.
    """
    language = other_language(document.text)
    if not language:
        return document
    detail = f"its language looks like {language!r}; --any-language reads it"
    return Discard(reason=DiscardReason.OTHER_LANGUAGE, where=document.name, detail=detail)


def other_language(text: str) -> str:
    """The code (ISO 639) of the language of a text; "" for English, and for a text that is short or of no language.

    Most English is recognised by its commonest words. Loading the detector takes a second and 130 MB, which builds of
    English stories are thus spared.

    Raises ModelError if the detector cannot be loaded.
    """
    text = text[:_EXAMINED].lower()
    if len(text.encode("utf-8", "replace")) < _LEAST_BYTES:
        return ""
    words = _WORD.findall(text)
    if sum(word in _ENGLISH for word in words) >= _LEAST_SHARE * len(words):
        return ""
    likeliest = _detector().rank(text)[:_LIKELIEST]
    is_sure = sum(probability for _, probability in likeliest) >= _LEAST_PROBABILITY
    return likeliest[0][0] if is_sure and _NOT_OTHER.isdisjoint(language for language, _ in likeliest) else ""


@cache
def _detector() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    try:
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"the language detector cannot be loaded: {error}",
            where="py3langid",
            remedy="make room for temporary files, reinstall py3langid, or give --any-language",
        ) from error
