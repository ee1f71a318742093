"""Marked texts, and the scores of their events on texts with known results."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.reproductions.events.list_readers import FrameReader
from kgscripts.reproductions.events.marked_texts import (
    MarkedText,
    marked_texts,
    object_scores,
    reality_scores,
    unmarked,
)
from kgscripts.text.pipeline import load_pipeline
from schemas.provenance import Exposure
from tests.evaluation.figures import values


@given(st.lists(st.tuples(st.text("ab .\n", max_size=5), st.sampled_from(["", "cut", "put"]))))
def test_marks_are_where_their_verbs_are(parts: list[tuple[str, str]]) -> None:
    marked = "".join(f"{before}[{verb}|x;y]" if verb else before for before, verb in parts)
    found = unmarked(marked)
    assert found.text == "".join(before + verb for before, verb in parts)
    assert list(found.labels.values()) == ["x;y"] * sum(bool(verb) for _, verb in parts)
    assert all(found.text[start:].startswith(("cut", "put")) for start in found.labels)


def test_the_lists_have_the_sizes_in_their_readme() -> None:
    objects, reality = marked_texts("objects.unseen.txt"), marked_texts("reality.unseen.txt")
    assert sum(len(item.labels) for item in objects) >= 200
    labels = [label for item in reality for label in item.labels.values()]
    assert len(labels) >= 100
    assert set(labels) == {"yes", "no"}
    assert all(item.labels for item in (*objects, *reality))


def test_objects_by_hand() -> None:
    text = "I [peeled|carrot;red onion] the carrots and the onion. I [sat|-] down. She [cut|bread] the cake. [Nice|-]."
    found = object_scores(FrameReader(load_pipeline()), [unmarked(text)])
    # "Nice" is not found; "cut" has another object.
    assert values(found) == pytest.approx({"event recall": 3 / 4, "object_right": 2 / 3})
    assert found.exposure is Exposure.UNSEEN


def test_reality_by_hand() -> None:
    text = "I [peeled|yes] the carrots. I did not [cut|no] it. She [opened|no] the door. If I [sang|yes], he left."
    found = reality_scores(FrameReader(load_pipeline()), "kgscripts reality", [unmarked(text)])
    assert list(values(found).values()) == [0.5, 0.5]
    assert found.exposure is Exposure.UNSEEN


def test_without_texts_there_are_no_points() -> None:
    found = object_scores(FrameReader(load_pipeline()), [MarkedText("", {})])
    assert set(values(found).values()) == {0}
