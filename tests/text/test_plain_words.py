"""Abbreviations, joined letters and signs that nobody sees change nothing of what is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.lang.en import English
from spacy.language import Language

from kgscripts.extractors.events.nouns import is_predicate
from kgscripts.text.passages import parse_passages
from kgscripts.text.pipeline import load_pipeline
from kgscripts.text.plain_words import plain_view
from kgscripts.text.syntax import objects_of


@pytest.fixture(scope="module")
def nlp() -> Language:
    return load_pipeline()


def _read(nlp: Language, text: str) -> list[tuple[str, list[str]]]:
    """The verbs of an instruction with their objects, as it is parsed."""
    docs = [piece.doc for piece in parse_passages(nlp, [(text, None)])]
    return [
        (token.lemma_.lower(), [noun.lemma_.lower() for noun in objects_of(token)])
        for doc in docs
        for token in doc
        if is_predicate(token)
    ]


_AMOUNTS = ["tsp", "Tsp", "TSP", "tbsp", "Tbsp", "oz", "lb", "lbs", "pkg", "qt", "pt", "gal", "c", "g", "ml", "pkt"]
_WITH_STOPS = [
    *(f"Add 2 {unit}{{}} flour to the bowl." for unit in _AMOUNTS),
    *(f"Stir in 1/2 {unit}{{}} of milk with a whisk." for unit in _AMOUNTS),
    *(f"Boil the eggs for 3 {unit}{{}} in a pot." for unit in ("min", "mins", "hr", "hrs", "sec")),
    *(f"Cut the board into 3 {unit}{{}} pieces with a saw." for unit in ("in", "ft", "cm", "mm", "yd", "m")),
    *("Grease a 9-in{} pan with butter.", "Heat the oven to max{} temperature."),
    *("Add approx{} two cups of water to the pot.", "Add 2 tbsp{} Dijon mustard to the bowl."),
    *("Wait 10 min{}, then drain the pasta with a strainer.", "Cook 10 min{} (or longer) in a pot."),
    *("Put the plates, cups, etc{} in the dishwasher.", "Wash dark vs{} light clothes in the machine."),
    *("Turn screw no{} 4 with a screwdriver.", "Sand it with paper (ca{} 120 grit) by hand."),
    *("Use a brush, eg{} a toothbrush, to clean the chain.", "Add 8 fl{} oz of water to the pot."),
]


@pytest.mark.parametrize("sentence", _WITH_STOPS)
def test_the_full_stop_of_an_abbreviation_changes_nothing(nlp: Language, sentence: str) -> None:
    assert _read(nlp, sentence.format(".")) == _read(nlp, sentence.format("")) != []


def test_an_abbreviation_may_stand_before_its_thing_without_a_space(nlp: Language) -> None:
    assert _read(nlp, "Add 1 tsp.salt to the bowl.") == _read(nlp, "Add 1 tsp salt to the bowl.")


@pytest.mark.parametrize(
    "sentences",
    [
        *(["Add 2 cups.", "Stir in 10 min.", "Serve."], ["Boil for 10 min.", "Drain the pasta."]),
        *(
            ["Add 1 tsp.", "Then salt the beans."],
            ["boil for 10 min.", "drain it."],
            ["Walk 2 hrs.", "The dog sleeps."],
        ),
        *(["Put plates, cups, etc.", "Close the dishwasher."], ["Cut it to 2 in.", "Sand the edges."]),
        *(["Put it in.", "Close the lid."], ["We drove 20 km.", "My dad parked the car."]),
    ],
)
def test_sentences_that_end_in_an_abbreviation_end_there(nlp: Language, sentences: list[str]) -> None:
    (piece,) = parse_passages(nlp, [(" ".join(sentences), None)])
    assert [sentence.text for sentence in piece.doc.sents] == sentences


_ODD = [
    *("Fi\u200bll the pot.", "\u200eFill the pot.", "Fill\u200f the \u2067pot\u2069.", "Fill the po\u00adt."),
    *(
        "\ufeffFill the pot.",
        "\ufb01ll the pot.".replace("\ufb01", "F\u200di"),
        "Fill\u00a0the\u2009pot.",
        "Fill the\u202fpot.",
    ),
    *("Ｆｉｌｌ the ｐｏｔ.", "Fill the pot \u2060.", "Fill the pot\ufe0f."),
]


@pytest.mark.parametrize("text", _ODD)
def test_signs_that_nobody_sees_change_nothing(nlp: Language, text: str) -> None:
    assert _read(nlp, text) == [("fill", ["pot"])]


@pytest.mark.parametrize(
    ("odd", "plain"),
    [
        ("Clean the non\u2011stick pan with a dish\u2010cloth.", "Clean the non-stick pan with a dish-cloth."),
        ("\ufb01nd the \ufb02our and si\ufb05 it with a kni\ufb01.", "find the flour and sist it with a knifi."),
        ("Make a cre\u0300me with a whisk.", "Make a crème with a whisk."),
    ],
)
def test_hyphens_and_joined_letters_are_read_as_usual_ones(nlp: Language, odd: str, plain: str) -> None:
    assert _read(nlp, odd) == _read(nlp, plain) != []


_PARTS = st.sampled_from(
    [
        "tsp. ",
        "2 oz. ",
        "salt",
        " ",
        "\u200b",
        "\u00ad",
        "\ufb01",
        "\u2011",
        "e\u0301",
        ". ",
        "Stir",
        "1",
        "in.",
        ",",
        "(",
        "ｐ",
    ]
)


@given(st.lists(_PARTS, max_size=12).map("".join))
def test_words_stay_where_they_are_in_the_text(nlp: Language, text: str) -> None:
    view = plain_view(text)
    if view is not None:
        assert len(view.origins) == len(view.text) + 1
        assert list(view.origins) == sorted(view.origins)
        assert view.origins[-1] == len(text)
    with nlp.select_pipes(enable=["tok2vec", "tagger", "parser"]):
        for piece in parse_passages(nlp, [(text, None)]):
            for token in piece.doc:
                start = piece.offset + token.idx
                assert text[start : start + len(token)] == token.text


def test_a_text_without_a_parse_keeps_its_sentences() -> None:
    view = plain_view("Add 1 tsp. sugar. Stir the cof\u00adfee.")
    assert view is not None
    nlp = English()
    nlp.add_pipe("sentencizer")
    kept = view.restored(nlp(view.text), "Add 1 tsp. sugar. Stir the cof\u00adfee.")
    assert kept is not None
    assert [sentence.text for sentence in kept.sents] == ["Add 1 tsp. sugar.", "Stir the cof\u00adfee."]
