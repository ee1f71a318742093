"""Pronouns that are objects: the lists, and their scores on texts with known results."""

from __future__ import annotations

import pytest

from kgscripts.reproductions.events.list_readers import FrameReader
from kgscripts.reproductions.events.marked_texts import marked_texts, pronoun_object_scores, unmarked
from kgscripts.text.pipeline import load_pipeline
from schemas.provenance import Exposure
from tests.evaluation.figures import values

UNSEEN = "pronoun_objects.unseen.txt"


def test_by_hand() -> None:
    texts = [
        "I washed the apple and [ate|apple] it.",
        "I washed the apple and [ate|pear] it.",
        "It rained. [Drain|pot] it.",
        "I peeled the carrot and [ate|-] it.",
        "It rained. [Drain|-] it.",
    ]
    found = pronoun_object_scores(FrameReader(load_pipeline()), [unmarked(text) for text in texts])
    assert values(found) == pytest.approx(
        {"object_right": 1 / 3, "object_wrong": 1 / 3, "noun where none can be told": 1 / 2}
    )
    assert found.exposure is Exposure.DEVELOPMENT


def test_a_fifth_of_the_lists_has_no_noun_and_no_text_is_in_two_of_them() -> None:
    stories = [marked_texts("lists/pronoun_objects.txt", "kgscripts.reproductions.reader"), marked_texts(UNSEEN)]
    assert len({item.text for items in stories for item in items}) == sum(map(len, stories))
    for items in stories:
        labels = [label for item in items for label in item.labels.values()]
        assert len(labels) >= 100
        assert 0.15 <= labels.count("-") / len(labels) <= 0.25
    assert all(item.labels for items in stories for item in items)


def test_few_pronouns_get_a_wrong_noun() -> None:
    found = pronoun_object_scores(FrameReader(load_pipeline()), marked_texts(UNSEEN))
    assert values(found)["object_right"] >= 0.7
    assert values(found)["object_wrong"] <= 0.2
