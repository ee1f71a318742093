"""Event and participant heads on a small story with InScript labels and known results."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.corpora.inscript import read_stories
from kgscripts.evaluation.events.inscript import inscript_scores
from kgscripts.text.pipeline import load_pipeline
from schemas.errors import InputError

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
    scores = inscript_scores(load_pipeline(), read_stories(folder), "val")
    values = {score.metric: score.value for score in scores}
    # Extracted: "peeled", "cut"; left out: "wanted" (a state). Gold: peeled, wanted, cut.
    assert values["event head precision"] == 100
    assert values["script event head precision"] == 100
    assert values["ScrEv head recall"] == 100
    assert values["script event head recall"] == 100
    assert values["event head recall"] == pytest.approx(66.67)
    assert values["event head F1"] == 80
    assert values["event head recall, discards included"] == 100
    # Nouns: potatoes, Mary, knife, bread; those of "wanted" are not extracted. Pronouns do not count.
    assert values["participant head precision"] == 100
    assert values["participant head recall"] == 50
    assert values["participant head F1"] == pytest.approx(66.67)
    assert values["participant head F1, discards included"] == 100
    assert {(score.dataset, score.split, score.unit) for score in scores} == {("InScript", "val", "percent")}


@pytest.mark.parametrize("content", ["", "no InScript at all\n", "▁I none none none none\n<end_of_story>\n"])
def test_a_folder_without_stories_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "cake").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="InScript"):
        read_stories(tmp_path)


def test_on_a_part_of_the_corpus(shared_corpora: Path) -> None:
    stories = read_stories(shared_corpora / "inscript" / "train")[::40]
    values = {score.metric: score.value for score in inscript_scores(load_pipeline(), stories, "train")}
    assert values["event head precision"] > 94
    assert values["event head recall, discards included"] > 85
    assert values["participant head precision"] > 88
