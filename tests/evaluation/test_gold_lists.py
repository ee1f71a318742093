"""The shipped lists, and their scores on items with known results."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

from kgscripts.reproductions.events.gold_lists import (
    PronounItem,
    ToolItem,
    pronoun_items,
    pronoun_scores,
    tool_items,
    tool_scores,
)
from kgscripts.reproductions.events.list_readers import FrameReader
from kgscripts.text.pipeline import load_pipeline
from tests.evaluation.figures import values


def test_the_lists_have_the_sizes_in_their_readme() -> None:
    items = tool_items()
    assert sum(len(item.pairs) for item in items) == 92
    assert sum(not item.pairs for item in items) >= 50
    pronouns = pronoun_items()
    assert len(pronouns) == 60
    assert sum(not item.antecedent for item in pronouns) == 18
    assert all(item.text[item.start :][:4].lower().startswith(("it", "the")) for item in pronouns)


def test_every_list_that_ships_names_who_made_it() -> None:
    folder = Path(str(resources.files("kgscripts.evaluation") / "data"))
    sections = re.split(r"^## ", (folder / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    named: set[str] = set()
    for section in sections:
        heading, _, text = section.partition("\n")
        assert re.match(r"\n\*Made by\*: (a language model|language models|people)\b", text), heading
        for name in re.findall(r"`([^`]+)`", heading):
            named |= {name.replace("SPLIT", split) for split in ("development", "unseen")}
    assert named == {path.name for path in folder.iterdir()} - {"README.md"}


def test_the_table_of_data_says_who_made_the_gold() -> None:
    page = (Path(__file__).parents[2] / "docs/measurements/evaluation.md").read_text(encoding="utf-8")
    table = page.partition("| data | gold by | exposure | why |\n|---|---|---|---|\n")[2].partition("\n\n")[0]
    for row in table.splitlines():
        data, gold_by = row.strip("| ").split(" | ")[:2]
        of_ours = data.startswith("kgscripts") or any(f"{name}." in data for name in ("predicted_tools", "slice"))
        assert gold_by.startswith("a language model" if of_ours or "gold alignments" in data else "people"), data


def test_tools_by_hand() -> None:
    items = [
        ToolItem("Cut the bread with a knife.", frozenset({("cut bread", "knife")})),
        ToolItem("Cut the paper with scissors.", frozenset({("cut paper", "scissors")})),
        ToolItem("Polish the oven.", frozenset({("polish oven", "lighter")})),
        ToolItem("Stir the soup with a spoon.", frozenset()),
        ToolItem("Slice the tomato with a knife.", frozenset({("eat tomato", "knife")})),
    ]
    # Tools: 4 found, 3 right, 4 to find. With the sub-event, the last one is wrong too.
    found = values(tool_scores(FrameReader(load_pipeline()), items))
    assert found["tool precision"] == 0.75
    assert found["tool recall"] == 0.75
    assert found["tool F1"] == 0.75
    assert found["sub-event and tool precision"] == 0.5
    assert found["sub-event and tool recall"] == 0.5


def test_an_object_may_be_listed_without_its_compound() -> None:
    with_compound = ToolItem("Stir the tomato sauce with a spoon.", frozenset({("stir tomato sauce", "spoon")}))
    without = ToolItem("Stir the tomato sauce with a spoon.", frozenset({("stir sauce", "spoon")}))
    other = ToolItem("Stir the tomato sauce with a spoon.", frozenset({("stir tomato", "spoon")}))
    found = [values(tool_scores(FrameReader(load_pipeline()), [item])) for item in (with_compound, without, other)]
    assert [value["sub-event and tool F1"] for value in found] == [1, 1, 0]


def test_pronouns_by_hand() -> None:
    text = "Peel the carrots. Slice them."
    items = [
        PronounItem(text, text.index("them"), "carrot"),
        PronounItem(text, text.index("them"), "potato"),
        PronounItem(text, text.index("them"), ""),
        PronounItem("It rained.", 0, ""),
        PronounItem("He bought a lamp. It was blue.", 18, "lamp"),
    ]
    # Three resolved, one of them rightly; three have an antecedent, of which one is found.
    found = values(pronoun_scores(load_pipeline(), items))
    assert found["pronoun precision"] == pytest.approx(1 / 3)
    assert found["pronoun recall"] == pytest.approx(1 / 3)


def test_most_pronouns_are_resolved_rightly() -> None:
    assert values(pronoun_scores(load_pipeline(), pronoun_items()))["pronoun precision"] >= 0.75
