"""Which words can be aligned: content words, that is all words except a closed list of function words."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

FUNCTION_WORDS = frozenset(
    (resources.files("kgscripts.models") / "data" / "function_words.txt").read_text(encoding="utf-8").split()
)
"""Words that realise nothing by themselves, in lower case."""


def is_content_word(word: str) -> bool:
    """Neither a function word nor punctuation; numbers count as content ("cook for 5 minutes")."""
    lower = word.lower()
    return lower not in FUNCTION_WORDS and any(character.isalnum() for character in lower)


def aligned_places(abstract: Sequence[str]) -> list[int]:
    """The abstract tokens that words can be aligned to: content words, or all tokens where there is none."""
    return [i for i, word in enumerate(abstract) if is_content_word(word)] or list(range(len(abstract)))


def stem(word: str) -> str:
    """A crude stem, under which inflected and derived forms often meet: "slicing", "slices" and "slice"."""
    if len(word) > 4 and word.isalpha():
        return word[:4]
    return word.removesuffix("s") if len(word) > 3 else word
