"""Parses that are given with a text: the pieces that are cut from them have its characters, and are whole trees."""

from __future__ import annotations

import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from kgscripts.text.given_parses import GivenParse
from kgscripts.text.passages import readable

_VOCABULARY = spacy.blank("en").vocab
_WORDS = st.lists(st.sampled_from(["boil", "it", ".", "\n", " ", "\n\n ", "x" * 300, "caffè\u2028"]), min_size=1)


@st.composite
def _docs(draw: st.DrawFn) -> Doc:
    """A Doc with any tree; a head comes before its words, or after them."""
    words = draw(_WORDS)
    spaces = draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    heads = [draw(st.integers(0, place)) for place in range(len(words))]
    if draw(st.booleans()):
        heads = [len(words) - 1 - head for head in reversed(heads)]
    same = [["NN"], ["x"], ["dep"]]
    tags, lemmas, relations = (values * len(words) for values in same)
    return Doc(_VOCABULARY, words, spaces, tags=tags, lemmas=lemmas, heads=heads, deps=relations)


@given(_docs(), st.data())
def test_the_pieces_of_a_span_have_all_its_words_at_their_places(doc: Doc, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(doc.text)))
    end = data.draw(st.integers(start, len(doc.text)))
    text = readable(doc.text)
    covered = []
    for offset, piece in GivenParse(doc, doc.text).pieces(start, end):
        assert piece.text.rstrip() == text[offset : offset + len(piece.text)].rstrip()
        assert all((token.head.i == token.i) == (token.dep_ == "ROOT") for token in piece if not token.is_space)
        covered += [at for at in range(offset, offset + len(piece.text)) if not text[at].isspace()]
    assert covered == [at for at in range(start, end) if not text[at].isspace()]


def test_a_verb_becomes_the_root_of_what_is_cut_off_from_its_head() -> None:
    words = ["Boil", "water", "and", "then", "add", "salt"]
    tags = ["VERB", "NOUN", "CCONJ", "ADV", "VERB", "NOUN"]
    relations = ["ROOT", "dobj", "cc", "advmod", "conj", "dobj"]
    doc = Doc(_VOCABULARY, words, heads=[0, 0, 0, 4, 0, 4], deps=relations, pos=tags, tags=tags, lemmas=words)
    ((offset, piece),) = GivenParse(doc, doc.text).pieces(11, len(doc.text))
    assert (offset, piece.text) == (11, "and then add salt")
    assert [token.head.text for token in piece] == ["add"] * 4
    assert [token.dep_ for token in piece] == ["cc", "advmod", "ROOT", "dobj"]


def test_a_part_of_a_word_is_its_own_lemma() -> None:
    doc = Doc(_VOCABULARY, ["1.Boiled", "water"], heads=[0, 0], deps=["ROOT", "obj"], lemmas=["1.boiled", "water"])
    ((_, piece),) = GivenParse(doc, doc.text).pieces(2, len(doc.text))
    assert [(token.text, token.lemma_) for token in piece] == [("Boiled", "boiled"), ("water", "water")]


def test_what_is_covered_has_no_words() -> None:
    doc = Doc(_VOCABULARY, ["see", "x.org", "now"], heads=[0, 0, 0], deps=["ROOT", "obj", "advmod"], lemmas=["x"] * 3)
    ((_, piece),) = GivenParse(doc, "see       now").pieces(0, len(doc.text))
    assert [token.text for token in piece if not token.is_space] == ["see", "now"]
    assert piece[-1].idx == doc[-1].idx
