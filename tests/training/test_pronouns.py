"""The weights of pronoun resolution on choices with known answers."""

from __future__ import annotations

from pathlib import Path

from kgscripts.corpora.inscript import GoldStory, read_stories
from kgscripts.evaluation.events.marked_texts import unmarked
from kgscripts.extractors.fitted_weights import BIAS
from kgscripts.text.pipeline import load_pipeline
from kgscripts.training.text.pronouns import Choice, choices, fit, story_choices

# "I peeled the potato and ate it. I did it.": the first pronoun has a chain with the potato, the second has none.
STORY = """\
▁I @ScrPart_cook_cake single none none 0
▁peeled none none #ScrEv_peel_cake single none
▁the none none none none none
▁potato @ScrPart_ingredients_cake single none none 1
▁and none none none none none
▁washed none none #ScrEv_wash_cake single none
▁it @ScrPart_ingredients_cake single none none 1
. none none none none none
▁I @ScrPart_cook_cake single none none 0
▁did none none #UnrelEv_cake single none
▁it @NPart_cake single none none none
. none none none none none
<end_of_story>
"""


def test_choices_of_a_story(tmp_path: Path) -> None:
    (tmp_path / "cake").write_text(STORY, encoding="utf-8")
    stories: list[GoldStory] = read_stories(tmp_path)
    found = list(choices(zip(stories, load_pipeline().pipe(story.document.text for story in stories), strict=True)))
    assert [list(choice.right) for choice in found] == [[True], [False]]


def test_weights_tell_right_candidates_from_wrong_ones_and_from_none() -> None:
    right, wrong = {"fits": 1.0}, {"fits": -1.0}
    examples = [Choice([right, wrong], [True, False]), Choice([wrong], [False])] * 20
    weights = fit(examples)
    assert weights["fits"] + weights[BIAS] > 1
    assert -weights["fits"] + weights[BIAS] < -1


def test_marked_pronouns_count_more_and_may_have_no_antecedent() -> None:
    text = unmarked("I took the pot and the lid and [washed|lid] it. I [did|-] it. I dried it.")
    found = list(story_choices([(text, load_pipeline()(text.text))]))
    assert [sum(choice.right) for choice in found] == [1, 0]
    assert all(choice.weight > 1 for choice in found)


def test_later_pronouns_see_what_the_weights_say_of_earlier_ones() -> None:
    text = unmarked("I took the pot and the lid and [washed|lid] it. I [dried|lid] it.")
    doc = load_pipeline()(text.text)
    right, nothing = (list(story_choices([(text, doc)], weights)) for weights in (None, {BIAS: -9.0}))
    assert right[0].candidates == nothing[0].candidates
    assert right[1].candidates != nothing[1].candidates
