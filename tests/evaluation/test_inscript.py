"""Event and participant heads on a small story with InScript labels and known results."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.corpora.inscript import read_stories
from kgscripts.evaluation.result import Role
from kgscripts.reproductions.events.inscript import inscript_scores
from kgscripts.text.pipeline import load_pipeline
from schemas.errors import InputError
from schemas.provenance import Exposure
from tests.evaluation.figures import values

# "I peeled the potatoes. Mary wanted a knife. She cut bread." with labels of every class.
STORY = """\
▁I @ScrPart_cook_cake single none none 0
▁peeled none none #ScrEv_peel_cake single none
▁the none none none none none
▁potatoes @ScrPart_ingredients_cake single none none none
. none none none none none
▁Mary @NPart_cake single none none none
▁wanted none none #UnrelEv_cake single none
▁a none none none none none
▁knife @ScrPart_utensil_cake single none none none
. none none none none none
▁She @NPart_cake single none none none
▁cut none none #Evoking_cake yes none
▁bread @ScrPart_bread_cake single #Evoking_cake no none
. none none none none none
<end_of_story>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cake").write_text(STORY, encoding="utf-8")
    return tmp_path


def test_by_hand(folder: Path) -> None:
    evaluation = inscript_scores(load_pipeline(), read_stories(folder), "val")
    found = values(evaluation)
    # "Peeled" and "cut" happened; "wanted" is a state, and a gold event head of InScript.
    assert found["ScrEv head recall"] == 1
    assert found["script event head recall"] == 1
    assert found["event head recall"] >= 2 / 3
    assert found["event head precision"] >= 2 / 3
    assert found["event head F1"] == pytest.approx(
        2 / (1 / found["event head precision"] + 1 / found["event head recall"])
    )
    # Nouns: potatoes, Mary, knife, bread. Pronouns do not count.
    assert found["participant head precision"] == 1
    assert found["participant head recall"] >= 0.5
    assert (evaluation.dataset, evaluation.split, evaluation.items["stories"]) == ("InScript", "val", 1)


def test_the_splits_that_rules_were_developed_on_are_no_unseen_data(folder: Path) -> None:
    found = {split: inscript_scores(load_pipeline(), read_stories(folder), split) for split in ("train", "val", "test")}
    assert [found[split].exposure for split in found] == [Exposure.DEVELOPMENT, Exposure.DEVELOPMENT, Exposure.UNSEEN]
    assert {system.role for system in found["test"].systems[1:]} == {Role.PUBLISHED}


@pytest.mark.parametrize("content", ["", "no InScript at all\n", "▁I none none none none\n<end_of_story>\n"])
def test_a_folder_without_stories_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "cake").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="InScript"):
        read_stories(tmp_path)


def test_on_a_part_of_the_corpus(shared_corpora: Path) -> None:
    stories = read_stories(shared_corpora / "inscript" / "train")[::40]
    found = values(inscript_scores(load_pipeline(), stories, "train"))
    assert found["event head precision"] > 0.94
    assert found["event head recall, discards included"] > 0.7
    assert found["participant head precision"] > 0.8
