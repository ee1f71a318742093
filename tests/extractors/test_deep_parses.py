"""A text decides how deep its parse is: no depth ends in an error, and no run of words stops a build."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from spacy.tokens import Doc

from kgscripts import ScriptGraph
from kgscripts.extractors.events.instructions import read_instruction
from kgscripts.pipeline import build_graph
from kgscripts.text.pipeline import load_pipeline
from kgscripts.text.syntax import compound_lemma, prepositional_phrases
from schemas.errors import QueryError
from schemas.records import PassageKind
from tests.extractors.parses import read_parses

DEPTH = 500
"""As many calls as may be in each other here: half of what Python allows, so that texts need not be longer."""
Row = tuple[str, str, str, int, str]
"""Form, part of speech, tag, head (as a distance), and relation; the lemma is the form."""

ATE: Row = ("ate", "VERB", "VBD", 0, "ROOT")
CHAINS: dict[str, list[Row]] = {
    "compounds": [ATE, *[("pan", "NOUN", "NN", 1, "compound")] * DEPTH, ("pan", "NOUN", "NN", -DEPTH - 1, "obj")],
    "phrases": [ATE, *[("of", "ADP", "IN", 1, "case"), ("lid", "NOUN", "NN", -2, "nmod")] * DEPTH],
    "measures": [ATE, *[("of", "ADP", "IN", 1, "case"), ("spoonful", "ADJ", "JJ", -2, "nmod")] * DEPTH],
    "prepositions": [ATE, *[("of", "ADP", "IN", -1, "prep")] * DEPTH, ("pan", "NOUN", "NN", -1, "pobj")],
    "ClearNLP phrases": [ATE, *[("of", "ADP", "IN", -1, "prep"), ("lid", "NOUN", "NN", -1, "pobj")] * DEPTH],
    "joined prepositions": [ATE, ("of", "ADP", "IN", -1, "prep"), *[("of", "ADP", "IN", -1, "conj")] * DEPTH],
    "adverbs": [ATE, *[("back", "ADV", "RB", -1, "advmod")] * DEPTH, ("nineties", "NOUN", "NNS", -1, "obl")],
    "owners": [*[("sister", "NOUN", "NN", 1, "nmod:poss")] * DEPTH, ("ate", "VERB", "VBD", 0, "ROOT")],
    "complements": [ATE, *[("said", "VERB", "VBD", -1, "ccomp")] * DEPTH],
    "clauses": [ATE, *[("said", "VERB", "VBD", -1, "advcl")] * DEPTH],
    "subjects": [*[("pan", "NOUN", "NN", 1, "nsubj")] * DEPTH, ATE],
}


@pytest.fixture(autouse=True)
def _few_calls_in_each_other() -> Iterator[None]:
    read_instruction("drain the pasta")  # to import and load takes more
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(DEPTH)
    yield
    sys.setrecursionlimit(before)


def _doc(rows: Sequence[Row]) -> Doc:
    words = [row[0] for row in rows]
    return Doc(
        load_pipeline().vocab,
        words=words,
        lemmas=words,
        pos=[row[1] for row in rows],
        tags=[row[2] for row in rows],
        heads=[index + row[3] for index, row in enumerate(rows)],
        deps=[row[4] for row in rows],
    )


@pytest.mark.parametrize("name", CHAINS)
def test_any_depth_is_read(name: str) -> None:
    """What is read in it matters to nobody: it must not be too deep."""
    for kind in (PassageKind.PARAGRAPH, PassageKind.STEP):
        assert read_parses([_doc(CHAINS[name])], kind) is not None


def test_a_compound_of_any_length() -> None:
    doc = _doc(CHAINS["compounds"])
    assert compound_lemma(doc[-1]) == " ".join(["pan"] * (DEPTH + 1))


def test_phrases_of_any_depth_are_found() -> None:
    (phrase,) = prepositional_phrases(_doc(CHAINS["prepositions"])[0])
    assert (phrase.preposition, phrase.head.i) == (" ".join(["of"] * DEPTH), DEPTH + 1)
    assert not prepositional_phrases(_doc(CHAINS["joined prepositions"])[0])


RUNS = {
    name: (name + " ") * (DEPTH // len(name.split()))
    for name in (
        *("drain", "of", "pan", "back", "not", "cup of", "the lid of", "wash and", "he said that", "my sister's"),
    )
} | {
    "brackets": "(" * (DEPTH // 2) + "drain" + ")" * (DEPTH // 2),
    "quotes": '" drain ' * (DEPTH // 2),
    "needs": "You will need: " + "cup of " * (DEPTH // 2),
    "list of needs": "You will need:\n\n" + "- cup of of\n" * (DEPTH // 4),
}


def test_no_run_of_words_stops_a_build(tmp_path: Path) -> None:
    texts = [{"id": name, "text": text} for name, text in RUNS.items()]
    # The model of state changes takes most of the time, and reads what `events` found.
    report = build_graph(texts=texts, output=tmp_path / "graph", without=["state-changes"])
    assert report.sources == len(RUNS)
    assert {row["name"] for row in ScriptGraph.open(tmp_path / "graph").rows("Source")} == {
        f"text#{number}" for number in RUNS
    }


def test_an_instruction_of_any_depth() -> None:
    for text in ("drain " * DEPTH, "drain a cup " + "of a cup " * (DEPTH // 2)):
        with suppress(QueryError):  # in a text without sense, there need not be an event
            assert read_instruction(text).words
