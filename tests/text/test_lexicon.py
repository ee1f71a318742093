"""The lexicon's files."""

from __future__ import annotations

import pytest

from kgscripts.text.lexicon import parse_classes
from schemas.errors import ModelError


def test_words_outside_a_class_are_refused() -> None:
    with pytest.raises(ModelError, match=r"nouns\.txt:2"):
        parse_classes("# comment\nknife, fork\n", "nouns.txt")
    assert parse_classes("[a]\nx, y # z\n[b]\nx\n", "l") == {"a": frozenset({"x", "y"}), "b": frozenset({"x"})}
