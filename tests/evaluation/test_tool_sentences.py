"""The scores of tools and their roles on everyday sentences."""

from __future__ import annotations

import pytest

from kgscripts.evaluation.lists import list_rows
from kgscripts.reproductions.events.gold_lists import FRAMES, NO_TOOL, found_role, role_scores, sentence_scores
from kgscripts.reproductions.events.list_readers import FrameReader
from kgscripts.text.pipeline import load_pipeline
from schemas.records import Action, Argument, EventMention, Role, Tool, ToolRole
from tests.evaluation.figures import values

_ROWS = [
    ("use", "Use a knife to cut the bread.", "knife"),
    ("using", "I opened the tin using a spoon.", "can opener"),
    ("with", "She wiped the table with a plastic cloth.", "cloth"),
    ("in_on", "He put the letter in the drawer.", "pan"),
    ("took", "I took the hammer and fixed the fence.", "hammer"),
    ("none", "Put the letter on the shelf.", ""),
    ("none", "Wash the shirt with a brush.", ""),
]


def test_scores_count_what_is_found_and_what_is_missing() -> None:
    rows = [{"frame": frame, "text": text, "tool": tool} for frame, text, tool in _ROWS]
    assert values(sentence_scores(FrameReader(load_pipeline()), rows)) == {
        "tool recall": 0.6,
        "tool precision": 0.6,
        "tool recall, use": 1.0,
        "tool recall, using": 0.0,
        "tool recall, with": 1.0,
        "tool recall, in_on": 0.0,
        "tool recall, took": 1.0,
        "sentences without a tool, none found": 0.5,
    }


def _mention(tools: list[Tool], participants: list[Argument]) -> EventMention:
    return EventMention(action=Action(predicate="put"), start=0, end=3, tools=tools, participants=participants)


@pytest.mark.parametrize(
    ("thing", "role"), [("cake pan", "container"), ("shelf", "place"), ("cake", ""), ("oven", "appliance"), ("cup", "")]
)
def test_a_tool_counts_before_a_place(thing: str, role: str) -> None:
    pan = Tool(lemma="pan", role=ToolRole.CONTAINER, start=0, end=1)
    oven = Tool(lemma="oven", role=ToolRole.APPLIANCE, start=0, end=1)
    things = [("cake", Role.PATIENT), ("shelf", Role.PLACE), ("oven", Role.PLACE)]
    arguments = [Argument(lemma=lemma, role=role, start=0, end=1) for lemma, role in things]
    assert found_role([_mention([], arguments), _mention([pan, oven], [])], thing) == role


def test_roles_are_counted_by_role() -> None:
    rows = [
        {"text": "Boil the eggs in a pot.", "thing": "pot", "role": "container"},
        {"text": "Paint the pot.", "thing": "pot", "role": "container"},
        {"text": "Put the shirts in a box.", "thing": "box", "role": "place"},
    ]
    found = values(role_scores(FrameReader(load_pipeline()), rows))
    assert found == pytest.approx({"role": 1 / 3, "role, container": 0.5, "role, place": 0.0})


def test_the_lists_have_the_sizes_in_their_readme() -> None:
    rows = list(list_rows("tool_sentences.unseen.tsv"))
    frames = [row["frame"] for row in rows]
    assert {frame: frames.count(frame) for frame in set(frames)} == {NO_TOOL: 100} | dict.fromkeys(FRAMES, 60)
    assert all((row["frame"] == NO_TOOL) == (not row["tool"]) for row in rows)
    roles = [row["role"] for row in list_rows("tool_roles.unseen.tsv")]
    assert len(roles) == 150
    assert set(roles) == {*ToolRole, Role.PLACE}
