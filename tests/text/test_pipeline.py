"""The shipped pipeline: small, without pickles, identified by its digest, and able to parse instructions."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Token

from kgscripts.text import syntax
from kgscripts.text.pipeline import SCORES, SHIPPED, describe_pipeline, load_pipeline, shipped_directory
from schemas.errors import ModelError

MEGABYTE = 1_000_000


def test_the_shipped_pipeline_is_small_and_says_who_it_is() -> None:
    directory = shipped_directory()
    size = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
    assert size <= 12 * MEGABYTE
    model = describe_pipeline()
    assert model.name == SHIPPED
    assert model.licence == "CC BY-SA 4.0"
    rows = json.loads((directory / SCORES).read_text(encoding="utf-8"))
    assert len(model.scores) == len(rows)
    assert {score.dataset for score in model.scores} == {"UD English EWT", "GUM wikiHow"}


def test_loading_needs_no_pickle() -> None:
    """A poisoned `pickle` module would stop a loader that uses it."""
    code = (
        "import spacy, pickle, _pickle\n"
        "from kgscripts.text.pipeline import load_pipeline\n"
        "def refuse(*_, **__): raise SystemExit('a pickle was loaded')\n"
        "pickle.load = pickle.loads = _pickle.load = _pickle.loads = refuse\n"
        "pickle.Unpickler = _pickle.Unpickler = refuse\n"
        "assert len(load_pipeline()('Peel the potatoes.')) == 4"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_pipeline_is_loaded_once() -> None:
    assert load_pipeline() is load_pipeline()


def test_the_digest_follows_the_weights_and_not_the_scores(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        shutil.copytree(shipped_directory(), tmp_path / name)
    (tmp_path / "two" / SCORES).write_text("[]", encoding="utf-8")
    (tmp_path / "three" / "tagger" / "model").open("ab").write(b"\xc0")
    one, two = (describe_pipeline(str(tmp_path / name)) for name in ("one", "two"))
    assert one.digest == two.digest
    assert one.name == SHIPPED
    with pytest.raises(ModelError):
        describe_pipeline(str(tmp_path / "three"))


@pytest.mark.parametrize(
    "name", ["en_core_web_nowhere", "", "/nowhere/at/all", "../secret", "en\0core", "kgscripts", "."]
)
def test_an_unknown_pipeline_is_refused_with_a_remedy(name: str) -> None:
    with pytest.raises(ModelError) as caught:
        load_pipeline(name)
    assert caught.value.remedy


def test_a_pipeline_without_a_parser_is_refused(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ModelError, match="no tagger, no lemmatizer, no parser"):
        load_pipeline(str(tmp_path / "blank"))


def test_a_damaged_pipeline_is_refused(tmp_path: Path) -> None:
    load_pipeline().to_disk(tmp_path / "damaged")
    (tmp_path / "damaged" / "config.cfg").write_text("[nlp\n", encoding="utf-8")
    with pytest.raises(ModelError):
        load_pipeline(str(tmp_path / "damaged"))


def verbs(text: str) -> list[Token]:
    return [token for token in load_pipeline()(text) if syntax.is_verb(token)]


@pytest.mark.parametrize(
    ("text", "verb", "objects"),
    [
        ("Peel the potatoes.", "peel", ["potato"]),
        ("peel the potatoes", "peel", ["potato"]),
        ("Slice the onion.", "slice", ["onion"]),
        ("Butter the bread.", "butter", ["bread"]),
        ("Water the plants every morning.", "water", ["plant"]),
        ("Book a flight.", "book", ["flight"]),
        ("Park the car in the garage.", "park", ["car"]),
        ("Iron the shirt.", "iron", ["shirt"]),
        ("Season the meat with salt.", "season", ["meat"]),
        ("Drain the pasta in a colander.", "drain", ["pasta"]),
        ("Place the cake in the oven.", "place", ["cake"]),
        ("Brush your teeth.", "brush", ["tooth"]),
        ("Don't water the plants.", "water", ["plant"]),
        ("Then toast the bread.", "toast", ["bread"]),
        ("Heat the oil in a frying pan.", "heat", ["oil"]),
        ("Mix the flour, sugar and butter.", "mix", ["flour", "sugar", "butter"]),
    ],
)
def test_instructions_are_read_as_imperatives(text: str, verb: str, objects: list[str]) -> None:
    found = verbs(text)[0]
    assert found.lemma_.lower() == verb
    assert [syntax.lemma(token) for token in syntax.objects_of(found)] == objects


def test_stories_are_read_too() -> None:
    took, put = verbs("I took the cake out of the oven and put it on a plate.")
    assert [token.lemma_ for token in syntax.objects_of(took)] == ["cake"]
    assert [phrase.preposition for phrase in syntax.prepositional_phrases(took)] == ["out of"]
    assert [token.text for token in syntax.subjects_of(put)] == ["I"]
