"""Asides that no word announces, and what others do in a story."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from kgscripts.extractors.realis.aside_features import AsideFeatures
from kgscripts.extractors.realis.asides import LEAST_SENTENCES, Asides
from kgscripts.extractors.realis.narration import Narration
from kgscripts.text.pipeline import load_pipeline
from tests.extractors.parses import event_words, read_text

STORY = "I poured the wax into the mould and hung the wick. {} I cut the wick. Then I lit the candle."
HABIT = "Every Sunday we wash the van, rinse the roof and dry the mirrors. {} Then we wax the doors."


@pytest.mark.parametrize(
    ("text", "aside", "events"),
    [
        (STORY, "My aunt in Dover pours hers into egg shells.", ""),
        (STORY, "My grandfather caught a bear near here in 1951.", ""),
        (STORY, "My aunt poured the second candle.", "pour candle"),
        (STORY, "My brother brought the matches.", "bring match"),
        (HABIT, "One winter a neighbour crashed his into a wall.", ""),
        (HABIT, "My sister polishes the bumper.", "polish bumper"),
    ],
)
def test_asides_without_a_word_that_says_so(text: str, aside: str, events: str) -> None:
    found = event_words(read_text(text.format(aside))).split("; ")
    rest = event_words(read_text(text.format(""))).split("; ")
    assert [event for event in found if event not in rest] == list(filter(None, [events]))
    assert set(rest) <= set(found)


def test_short_texts_and_commands_are_not_judged() -> None:
    short = load_pipeline()("I cut the wick. A bear ate it.")
    assert len(list(short.sents)) < LEAST_SENTENCES
    assert all(Asides(short, Narration.ONCE).features(token) is None for token in short)
    command = load_pipeline()("Cut the wick. Light the candle. The flame went out.")
    asides = Asides(command, Narration.OTHER)
    assert [token.text for token in command if token.tag_[:2] == "VB" and asides.features(token)] == ["went"]


def test_features_of_a_clause() -> None:
    doc = load_pipeline()("I cut the wick. In Peru a baker sold hers to sailors. I lit the candle.")
    (verb,) = (token for token in doc if token.text == "sold")
    features = AsideFeatures(doc, Narration.ONCE).of(verb)
    present = {name for name, value in features.items() if value}
    assert {"subject a", "story: subject a", "subject person, a", "story: a never again", "object his"} <= present
    assert {"tense past", "past, share", "name of a place", "place before the verb", "narrator after"} <= present
    assert present.isdisjoint({"narrator", "once", "first sentence", "last sentence", "things of the text"})


def test_the_weights_that_ship_are_of_features_that_occur() -> None:
    weights = json.loads((resources.files("kgscripts.extractors") / "data" / "asides.json").read_text(encoding="utf-8"))
    doc = load_pipeline()("I cut the wick. In Peru a baker sold hers to sailors. I lit the candle.")
    features = AsideFeatures(doc, Narration.ONCE)
    names = {name for token in doc if token.tag_ == "VBD" for name in features.of(token)}
    assert names <= weights.keys()
    assert "bias" in weights
