"""Decompositions for fixed alignments; the events are those of the shipped pipeline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from attrs import define

from kgscripts.corpora.formats import documents_from_strings
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.extractors.decomposition.decomposition import DecompositionExtractor
from kgscripts.extractors.decomposition.ownership import same_thing
from kgscripts.extractors.protocol import Parse, ParsedDocument
from kgscripts.models.alignment.lattice import Alignment
from kgscripts.text.passages import innermost
from kgscripts.text.pipeline import load_pipeline
from schemas.provenance import Model
from schemas.records import DiscardReason, Document
from tests.extractors.parses import Found, with_events

_MODEL = Model(name="fixed", version="1", digest="0" * 64, task="alignment")


@define
class FixedAligner:
    """Aligns each sentence of the concrete side to one abstract word, by its place, with one probability."""

    words: tuple[str, ...]
    probability: float = 0.9
    model: Model = _MODEL

    def align(self, pairs: Sequence[Any]) -> list[Alignment]:
        return [self._align(pair) for pair in pairs]

    def _align(self, pair: Pair) -> Alignment:
        path, sentence = [], 0
        for word in pair.concrete:
            path.append(pair.abstract.index(self.words[min(sentence, len(self.words) - 1)]))
            sentence += word == "."
        return Alignment(tuple(path), -1.0, (self.probability,) * len(path))


def _parsed(abstract: str, concrete: str | list[str]) -> ParsedDocument:
    (document,) = documents_from_strings([{"abstract": abstract, "concrete": concrete}])
    assert isinstance(document, Document)
    nlp = load_pipeline()
    parses = [
        Parse(passage, nlp(document.text[passage.start : passage.end]), passage.start)
        for passage in innermost(document.passages)
    ]
    (parsed,) = with_events([ParsedDocument(document, tuple(parses))])
    return parsed


def _read(abstract: str, concrete: str | list[str], *words: str, probability: float = 0.9) -> Found:
    extractor = DecompositionExtractor(FixedAligner(words, probability))
    return Found(extractor.read([_parsed(abstract, concrete)])[0])


def _steps_of(reading: Found) -> dict[str, list[str]]:
    """Abstract event -> its steps, tools behind "+"."""
    return {
        whole.action.label: [
            " +".join([step.action.label, *(tool.lemma for tool in step.tools)]) for step in whole.steps
        ]
        for whole in reading.decompositions
    }


def test_steps_belong_to_the_event_that_their_words_are_aligned_to() -> None:
    reading = _read(
        "Drain the pasta and serve the soup.",
        "Put a strainer into the sink. Tip the pasta with a ladle. Fill the bowls with a spoon.",
        "drain",
        "pasta",
        "soup",
    )
    assert _steps_of(reading) == {
        "drain pasta": ["put strainer into sink", "tip pasta +ladle"],
        "serve soup": ["fill bowl +spoon +bowl"],
    }


def test_steps_that_are_listed_are_read_like_a_text() -> None:
    steps = ["Put a strainer into the sink.", "Tip the pasta with a ladle."]
    listed = _read("Drain the pasta.", steps, "drain")
    assert _steps_of(listed) == _steps_of(_read("Drain the pasta.", " ".join(steps), "drain"))
    assert _steps_of(listed) == {"drain pasta": ["put strainer into sink", "tip pasta +ladle"]}


def test_each_step_has_its_span_and_log_probability() -> None:
    parsed = _parsed("Drain the pasta.", "Tip the pasta with a ladle.")
    extractor = DecompositionExtractor(FixedAligner(("drain",), 0.5))
    (whole,) = Found(extractor.read([parsed])[0]).decompositions
    (step,) = whole.steps
    text = parsed.document.text
    assert text[whole.start : whole.end] == "Drain the pasta"
    assert text[step.start : step.end] == "Tip the pasta with a ladle"
    assert [text[tool.start : tool.end] for tool in step.tools] == ["ladle"]
    assert step.log_probability == pytest.approx(math.log(0.5), abs=1e-4)


@pytest.mark.parametrize(
    ("abstract", "concrete", "expected"),
    [
        ("Cut the bread with a knife.", "Hold the bread. Cut the bread with a knife.", {"cut bread": "cut bread"}),
        ("Add the onion.", "Cut the onion with a knife. Drop the onion.", {"add onion": "drop onion"}),
        ("Add the onion.", "Push the onion with a knife. Add it.", {"add onion": "push onion +knife"}),
        ("Dice the onion.", "Cut the onion with a knife.", {"dice onion": "cut onion +knife"}),
        ("Add the milk.", "Boil the milk in a pot. Pour the milk.", {"add milk": "pour milk"}),
        ("Add the butter.", "Put a pan on the stove. Drop the butter.", {"add butter": "drop butter"}),
        ("Add the herbs.", "Take the herbs on a cutting board. Drop the herbs.", {"add herb": "take herb"}),
    ],
)
def test_tools_serve_the_abstract_event(abstract: str, concrete: str, expected: dict[str, str]) -> None:
    first = abstract.split()[0].lower()
    found = _steps_of(_read(abstract, concrete, first))
    assert {
        whole: next(step for step in steps if step.startswith(expected[whole])) for whole, steps in found.items()
    } == (expected)


def test_where_the_result_goes_at_last_is_no_tool() -> None:
    cut, put = "Cut the tofu with a knife.", "Put the tofu in a bowl."
    assert _steps_of(_read("Cut the tofu.", f"{cut} {put}", "cut")) == {
        "cut tofu": ["cut tofu +knife", "put tofu in bowl"]
    }
    assert _steps_of(_read("Cut the tofu.", f"{put} {cut}", "cut")) == {
        "cut tofu": ["put tofu in bowl +bowl", "cut tofu +knife"]
    }
    assert _steps_of(_read("Place the tofu.", f"{cut} {put}", "place")) == {"place tofu": ["put tofu in bowl +bowl"]}


@pytest.mark.parametrize(
    ("abstract", "concrete", "expected"),
    [
        ("Add the milk.", "Heat the milk. Wash the spoon. Pour the milk. Stir it all.", {"add milk": ["pour milk"]}),
        ("Stir the soup.", "Stir. Wait. Stir the soup around.", {"stir soup": ["stir around soup"]}),
        (
            "Fry the egg.",
            "Crack the egg. The oil starts to smoke. Turn the egg.",
            {"fry egg": ["crack egg", "smoke oil", "turn egg"]},
        ),
        ("Cover the bowl.", "Place the bowl in the fridge.", {"cover bowl": ["place bowl in fridge"]}),
    ],
)
def test_what_comes_before_or_after_is_no_part(abstract: str, concrete: str, expected: dict[str, list[str]]) -> None:
    assert _steps_of(_read(abstract, concrete, abstract.split()[0].lower())) == expected


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("rub", "spice rub", True),
        ("garlic clove", "garlic", True),
        ("chili powder", "coriander powder", False),
        ("soy sauce", "fish sauce", False),
        ("kale", "raisin", False),
        ("bread flour", "flour", True),
    ],
)
def test_nouns_that_may_name_the_same_thing(one: str, other: str, same: bool) -> None:
    assert same_thing(one, other) is same_thing(other, one) is same


def test_an_alignment_to_words_of_no_event_gives_no_decomposition() -> None:
    assert _steps_of(_read("The pasta.", "Tip the pasta with a ladle.", "pasta")) == {}


def test_a_document_without_sides_is_passed_over() -> None:
    (document,) = documents_from_strings(["Tip the pasta with a ladle."])
    assert isinstance(document, Document)
    reading = DecompositionExtractor(FixedAligner(("drain",))).read([ParsedDocument(document, ())])
    assert reading == [[]]


def test_a_pair_that_is_too_long_is_left_out_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgscripts.extractors.decomposition.decomposition.MOST_LINKS", 20)
    assert _steps_of(_read("Drain the pasta.", "Tip it out now.", "drain"))
    (discard,) = _read("Drain the pasta.", "Tip it all out now.", "drain").discards
    assert discard.reason is DiscardReason.TOO_LONG
    assert discard.detail == "4 abstract and 6 concrete words are too many to align"


@pytest.mark.parametrize("probability", [0.0, 1e-9])
def test_a_probability_of_nearly_nothing_stays_finite(probability: float) -> None:
    reading = _read("Drain the pasta.", "Tip the pasta with a ladle.", "drain", probability=probability)
    for whole in reading.decompositions:
        assert all(math.isfinite(step.log_probability) for step in whole.steps)
