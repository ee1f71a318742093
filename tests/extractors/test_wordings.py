"""The words of actions for people: articles, order, number."""

from __future__ import annotations

import pytest

from kgscripts.extractors.events.wordings import third_person


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("arrive", "arrives"),
        ("dry", "dries"),
        ("play", "plays"),
        ("wash", "washes"),
        ("go", "goes"),
        ("be", "is"),
        ("have", "has"),
        ("fix", "fixes"),
    ],
)
def test_the_third_person(verb: str, form: str) -> None:
    assert third_person(verb) == form
