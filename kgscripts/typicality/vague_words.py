"""Words that name an activity only vaguely (``data/vague_words.txt``)."""

from __future__ import annotations

from functools import cache
from importlib import resources

from kgscripts.text.lexicon import parse_classes


def vague_words(label: str) -> frozenset[str]:
    """Lemmas of a class: objects that name no definite thing, verbs that need a place or a particle."""
    return _classes()[label]


def listed(label: str) -> str:
    """The words of a class as a list of SQL."""
    return ", ".join(f"'{word}'" for word in sorted(vague_words(label)))


@cache
def _classes() -> dict[str, frozenset[str]]:
    name = "vague_words.txt"
    return parse_classes((resources.files("kgscripts.typicality") / "data" / name).read_text(encoding="utf-8"), name)
