"""Verbs of stories that a parser took for nouns, and words that it took for the head of a compound."""

from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc

from kgscripts.extractors.repairs import repaired
from schemas.records import PassageKind
from tests.extractors.parses import event_words, read_parses

Words = tuple[tuple[str, str, str, str, int], ...]

BLADE_SLID_DOWN: Words = (
    ("the", "DET", "DT", "det", 2),
    ("blade", "NOUN", "NN", "compound", 2),
    ("slid", "NOUN", "NN", "ROOT", 2),
    ("down", "ADP", "RP", "compound:prt", 2),
)
SWUNG_THE_SOFA_ROUND: Words = (
    ("he", "PRON", "PRP", "nsubj", 1),
    ("swung", "VERB", "VBD", "ROOT", 1),
    ("the", "DET", "DT", "det", 4),
    ("sofa", "NOUN", "NN", "compound", 4),
    ("round", "NOUN", "NN", "obj", 1),
)
LIT_CANDLES_AND_BEN_BLEW: Words = (
    ("I", "PRON", "PRP", "nsubj", 1),
    ("lit", "VERB", "VBD", "ROOT", 1),
    ("candles", "NOUN", "NNS", "obj", 1),
    ("and", "CCONJ", "CC", "cc", 4),
    ("Ben", "PROPN", "NNP", "conj", 2),
    ("blew", "VERB", "VBD", "conj", 1),
    ("whistles", "NOUN", "NNS", "obj", 5),
)
COVER_POT_AND_SIMMER: Words = (
    ("cover", "VERB", "VB", "ROOT", 0),
    ("the", "DET", "DT", "det", 2),
    ("pot", "NOUN", "NN", "obj", 0),
    ("and", "CCONJ", "CC", "cc", 4),
    ("simmer", "NOUN", "NN", "conj", 2),
    ("slowly", "ADV", "RB", "advmod", 0),
)
COVER_POT_AND_PAN: Words = (*COVER_POT_AND_SIMMER[:4], ("pan", "NOUN", "NN", "conj", 2), COVER_POT_AND_SIMMER[5])
_LEMMAS = {"swung": "swing", "lit": "light", "blew": "blow", "candles": "candle", "whistles": "whistle", "Ben": "ben"}


def _doc(words: Words) -> Doc:
    return Doc(
        spacy.blank("en").vocab,
        words=[word for word, *_ in words],
        pos=[pos for _, pos, _, _, _ in words],
        tags=[tag for _, _, tag, _, _ in words],
        deps=[relation for _, _, _, relation, _ in words],
        heads=[head for *_, head in words],
        lemmas=[_LEMMAS.get(word, word) for word, *_ in words],
    )


@pytest.mark.parametrize(
    ("words", "events"),
    [
        (BLADE_SLID_DOWN, "slide down"),
        (SWUNG_THE_SOFA_ROUND, "swing sofa"),
        (LIT_CANDLES_AND_BEN_BLEW, "light candle; blow whistle"),
        (COVER_POT_AND_SIMMER, "cover pot; simmer"),
        (COVER_POT_AND_PAN, "cover pot; cover pan"),
    ],
)
def test_stories_are_repaired(words: Words, events: str) -> None:
    assert event_words(read_parses([_doc(words)], PassageKind.SEGMENT)) == events


def test_a_right_parse_stays_as_it_is() -> None:
    doc = _doc(COVER_POT_AND_PAN)
    assert repaired(doc, is_step=False) is doc
