"""Steps in telegraphic style are parsed as instructions; in a story the same words are not repaired."""

from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc

from kgscripts.extractors.parse_repair.repairs import repaired
from schemas.records import PassageKind
from tests.extractors.parses import event_words, read_parses


def _doc(*words: tuple[str, str, str, str, int]) -> Doc:
    """A parse from (word, part of speech, tag, relation, head) for each token; lemmas are the words."""
    return Doc(
        spacy.blank("en").vocab,
        words=[word for word, *_ in words],
        lemmas=[word.lower() for word, *_ in words],
        pos=[pos for _, pos, *_ in words],
        tags=[tag for _, _, tag, *_ in words],
        deps=[relation for _, _, _, relation, _ in words],
        heads=[head for *_, head in words],
    )


DRAIN_TUB = (("Drain", "NOUN", "NN", "compound", 1), ("tub", "NOUN", "NN", "ROOT", 1))
GO_TO_AIRPORT = (
    ("Go", "VERB", "VB", "ROOT", 0),
    ("to", "PART", "TO", "mark", 2),
    ("airport", "VERB", "VB", "xcomp", 0),
)
GO_TO_TRAIN_STATION = (
    ("Go", "VERB", "VB", "ROOT", 0),
    ("to", "PART", "TO", "mark", 2),
    ("train", "VERB", "VB", "xcomp", 0),
    ("station", "NOUN", "NN", "obj", 2),
)
SCRUB_DISHES_WITH_SPONGE = (
    ("scrub", "NOUN", "NN", "compound", 1),
    ("dishes", "NOUN", "NNS", "ROOT", 1),
    ("with", "ADP", "IN", "case", 3),
    ("sponge", "NOUN", "NN", "nmod", 1),
)
PARK = (("Park", "NOUN", "NN", "ROOT", 0), (".", "PUNCT", ".", "punct", 0))
FIRST_CLOSE_DOOR = (
    ("First", "ADJ", "RB", "amod", 2),
    ("close", "ADJ", "JJ", "amod", 2),
    ("door", "NOUN", "NN", "ROOT", 2),
)
MIX_MELTED_BUTTER = (
    ("mix", "NOUN", "NN", "obl:unmarked", 1),
    ("melted", "VERB", "VBN", "ROOT", 1),
    ("butter", "NOUN", "NN", "obj", 1),
    ("with", "ADP", "IN", "case", 4),
    ("flour", "NOUN", "NN", "obl", 1),
)
ADD_CHOPPED_BACON = (
    ("add", "VERB", "VB", "ROOT", 0),
    ("chopped", "VERB", "VBN", "xcomp", 0),
    ("bacon", "NOUN", "NN", "obj", 1),
)
ADD_SALT_AND_WHISK = (
    ("add", "VERB", "VB", "ROOT", 0),
    ("salt", "NOUN", "NN", "obj", 0),
    ("and", "CCONJ", "CC", "cc", 3),
    ("whisk", "NOUN", "NN", "conj", 1),
    (".", "PUNCT", ".", "punct", 0),
)
ADD_SALT_AND_BUTTER = (*ADD_SALT_AND_WHISK[:3], ("butter", "NOUN", "NN", "conj", 1), ADD_SALT_AND_WHISK[4])


@pytest.mark.parametrize(
    ("words", "events"),
    [
        (MIX_MELTED_BUTTER, "mix butter"),
        (ADD_CHOPPED_BACON, "add bacon"),
        (ADD_SALT_AND_WHISK, "add salt; whisk"),
        (ADD_SALT_AND_BUTTER, "add salt; add butter"),
        (DRAIN_TUB, "drain tub"),
        (GO_TO_AIRPORT, "go to airport"),
        (GO_TO_TRAIN_STATION, "go to train station"),
        (SCRUB_DISHES_WITH_SPONGE, "scrub dishes +sponge"),
        (PARK, "park"),
        (FIRST_CLOSE_DOOR, "close door"),
    ],
)
def test_steps_are_repaired(words: tuple[tuple[str, str, str, str, int], ...], events: str) -> None:
    assert event_words(read_parses([_doc(*words)], PassageKind.STEP)) == events


LET_CAKE_COOL = (
    ("Let", "VERB", "VB", "ROOT", 0),
    ("the", "DET", "DT", "det", 2),
    ("cake", "NOUN", "NN", "obj", 0),
    ("cool", "ADJ", "JJ", "xcomp", 0),
)
LET_TEA_STEEP = (
    ("Let", "VERB", "VB", "ROOT", 0),
    ("the", "DET", "DT", "det", 3),
    ("tea", "NOUN", "NN", "compound", 3),
    ("steep", "NOUN", "NN", "obj", 0),
)
LET_THE_DOG = (
    ("Let", "VERB", "VB", "ROOT", 0),
    ("the", "DET", "DT", "det", 2),
    ("dog", "NOUN", "NN", "obj", 0),
    ("out", "ADP", "RP", "compound:prt", 0),
)


@pytest.mark.parametrize(
    ("words", "events"), [(LET_CAKE_COOL, "cool cake"), (LET_TEA_STEEP, "steep tea"), (LET_THE_DOG, "let out dog")]
)
def test_after_let_something_is_done(words: tuple[tuple[str, str, str, str, int], ...], events: str) -> None:
    assert event_words(read_parses([_doc(*words)])) == events


@pytest.mark.parametrize("words", [DRAIN_TUB, SCRUB_DISHES_WITH_SPONGE, PARK])
def test_stories_are_not(words: tuple[tuple[str, str, str, str, int], ...]) -> None:
    assert event_words(read_parses([_doc(*words)], PassageKind.PARAGRAPH)) == ""


@pytest.mark.parametrize(
    "words",
    [
        (("Tennis", "NOUN", "NN", "compound", 1), ("shoes", "NOUN", "NNS", "ROOT", 1)),
        (("The", "DET", "DT", "det", 1), ("drain", "NOUN", "NN", "ROOT", 1)),
        (("Water", "NOUN", "NN", "nsubj", 1), ("boils", "VERB", "VBZ", "ROOT", 1)),
        (("Go", "VERB", "VB", "ROOT", 0), ("to", "PART", "TO", "mark", 2), ("swim", "VERB", "VB", "xcomp", 0)),
        ((".", "PUNCT", ".", "ROOT", 0),),
        (),
    ],
)
def test_what_needs_no_repair_stays_the_same_object(words: tuple[tuple[str, str, str, str, int], ...]) -> None:
    doc = _doc(*words)
    assert repaired(doc, is_step=True) is doc


def test_a_repair_leaves_the_original_and_its_text_alone() -> None:
    doc = _doc(*DRAIN_TUB)
    copy = repaired(doc, is_step=True)
    assert doc[0].dep_ == "compound"
    assert copy.text == doc.text
    assert [token.idx for token in copy] == [token.idx for token in doc]
