"""The scenario that a text names by itself, however its title is written, and what is no title and no step."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.corpora.boilerplate import is_boilerplate
from kgscripts.corpora.scenarios.labels import resolve, scenario_of
from kgscripts.titles.keys import title_key
from tests.corpora.documents import passages, read

PROSE = "Fill a bucket with warm water. Rinse it with the hose. Scrub it with a brush. Dry it with a towel.\n"
TOLD = "I filled a bucket with warm water. I rinsed it with the hose. Then I dried it with a towel.\n"


def _scenario(folder: Path, text: str, name: str = "a.txt") -> str:
    (document,), _ = read(folder, name, text)
    return scenario_of(document)


@pytest.mark.parametrize(
    ("title", "scenario"),
    [
        ("How to wash a sheepdog at home", "washing a sheepdog"),
        ("SHARPENING A KITCHEN KNIFE", "sharpening a kitchen knife"),
        ("How I washed my bike", "washing the bike"),
        ("Soup all winter: How to Store Leeks", "storing leeks"),
        ("Fixing a tap - club handout", "fixing a tap"),
        ("Bathing your cat: a calm guide", "bathing your cat"),
        ("Descaling a shower head without taking it down", "descaling a shower head"),
        ("Backing up a phone before you wipe it", "backing up a phone"),
        ("Cold brew", "making cold brew"),
        ("How we painted our fence", "painting the fence"),
        ("How I finally fixed our leaking tap!!!", "fixing the leaking tap"),
        ("How my grandma bakes bread", "baking bread"),
        ("How my brother and I built a shed", "building a shed"),
        ("How I cut my own fringe", "cutting your own fringe"),
        ("How I took care of my grandmother", "taking care of my grandmother"),
        ("Washed my car today", "washing the car"),
        ("To clean and season a wok:", "cleaning and seasoning a wok"),
        ("How to wash, dry and fold shirts", "washing, drying and folding shirts"),
        ("Re: how do I bleed a radiator?", "bleeding a radiator"),
        ("Re: #2 Changing a bike tube", "changing a bike tube"),
        ("[solved] How do I descale a kettle", "descaling a kettle"),
        ("Descale a coffee machine", "descaling a coffee machine"),
        ("My classic scrambled eggs recipe:", "making scrambled eggs"),
        ("Grandad's pancakes", "making grandad's pancakes"),
    ],
)
@pytest.mark.parametrize("between", ["\n", "\n\n", "\n----------\n", "\n==========\n\n"])
def test_titles_above_prose(title: str, scenario: str, between: str, tmp_path: Path) -> None:
    assert _scenario(tmp_path, f"{title}{between}{PROSE}") == scenario


@pytest.mark.parametrize(
    ("title", "scenario"),
    [("Corn soup", "making corn soup"), ("Laundry", "doing laundry"), ("Morning routine", "morning routine")],
)
def test_a_title_without_a_verb_names_what_commands_do_and_no_story(title: str, scenario: str, tmp_path: Path) -> None:
    assert _scenario(tmp_path, f"{title}\n\n{PROSE}") == scenario
    assert _scenario(tmp_path, f"{title}\n\n{TOLD}") == ""


@pytest.mark.parametrize(
    "text",
    [
        "On Sundays\n\n" + TOLD,
        "Going home\n\n" + TOLD,
        "Tom: my chain came off again yesterday\nAnn: What did you do?\nTom: I put it back on with a stick.\n",
        "I put the kettle on and asked\nAnn whether she wanted tea.\n",
        "Last week I washed my old\nBedford van with a sponge and a\nlot of soap.\n",
    ],
)
def test_other_beginnings_name_nothing(text: str, tmp_path: Path) -> None:
    assert _scenario(tmp_path, text) == ""


def test_the_name_of_a_file_counts_last(tmp_path: Path) -> None:
    assert _scenario(tmp_path, TOLD, "assembling-a-bed.txt") == "assembling a bed"
    assert _scenario(tmp_path, f"How to wash a dog\n\n{PROSE}", "assembling-a-bed.txt") == "washing a dog"
    assert _scenario(tmp_path, TOLD, "unclog_a_sink.txt") == "unclogging a sink"
    assert _scenario(tmp_path, TOLD, "story_12.txt") == ""
    assert _scenario(tmp_path, f"Untitled\n\n{PROSE}") == "", "a title that names nothing"
    record = '{"id": "washing-a-car", "text": "I dried it."}\n'
    assert _scenario(tmp_path, record, "cleaning-a-car.jsonl") == ""


@pytest.mark.parametrize(
    "names",
    [
        ("laundry", "the laundry", "doing laundry", "doing the laundry"),
        ("corn soup", "making corn soup", "How to make corn soup", "Corn soup recipe"),
        ("How I washed my bike", "washing a bicycle", "Wash your bike"),
        ("banana bread", "baking banana bread"),
    ],
)
def test_names_of_one_activity_have_one_key(names: tuple[str, ...]) -> None:
    assert len({title_key(name) for name in names}) == 1
    assert len({title_key(resolve(name)) for name in names}) == 1


@pytest.mark.parametrize(
    "names", [("corn", "corn soup", "growing corn"), ("washing up", "washing"), ("coffee", "coffee grinder")]
)
def test_near_names_stay_apart(names: tuple[str, ...]) -> None:
    assert len({title_key(name) for name in names}) == len(names)


PAGE = [
    *("By Jane Doe, updated May 2021", "Tags: bread, baking, easy", "Filed under: kitchen", "Photo: Jim Smith"),
    *("See all our leather guides here. Get 10% off your next order.", "Share this", "Jane Doe | 5 min read"),
    *("Join our newsletter and never miss a recipe!", "More from our kitchen", "Thanks for reading!"),
]
STEPS = [
    *("Follow the recipe on the pack.", "Check our bikes for rust.", "See that the lid is shut.", "Use our old oven."),
    *("Share the cake with your friends.", "Enter your e-mail address.", "I paid at the checkout.", "Tag the boxes."),
]


def test_lines_of_the_page_are_no_steps(tmp_path: Path) -> None:
    assert [line for line in PAGE if not is_boilerplate(line)] == []
    assert [line for line in STEPS if is_boilerplate(line)] == []
    around = "\n\n".join([*PAGE[:2], PROSE, *PAGE[2:]])
    for name, text in (
        ("a.txt", f"How to wash a car\n\n{around}"),
        ("a.md", f"# How to wash a car\n\n{around}"),
    ):
        (document,), _ = read(tmp_path, name, text)
        assert passages(document) == [PROSE.strip()], name
