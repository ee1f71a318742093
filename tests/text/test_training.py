"""Training data are well-formed trees, and the training command works from treebank to package."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.lookups import Lookups
from spacy.pipeline import EditTreeLemmatizer
from spacy.tokens import Doc

from kgscripts.text.conllu import Sentence, Word, to_doc
from kgscripts.text.lemmas import LemmaCorrector
from kgscripts.text.pipeline import describe_pipeline, load_pipeline
from lightning_modules.learning.text.augment import imperative_from, lower_cased, with_white_space, without_final_stop
from lightning_modules.learning.text.data import (
    DEVELOPMENT,
    GENERATED,
    INSTRUCTIONS,
    TEST,
    TRAINING,
    generated,
    training_sentences,
)
from lightning_modules.learning.text.train import (
    PipelineSettings,
    lemma_tables,
    package,
    restore_labels,
    train_pipeline,
    write_scores,
)

ENGLISH = spacy.blank("en")
VOCAB = ENGLISH.vocab


def sentence(rows: str) -> Sentence:
    """A sentence out of "form/lemma/POS/TAG/head/dep" items, heads counted from 1."""
    words = []
    for index, row in enumerate(rows.split()):
        form, lemma, upos, xpos, head, dep = row.split("/")
        place = int(head) - 1 if head != "0" else index
        words.append(Word(form, lemma, upos, xpos, "", place, "ROOT" if head == "0" else dep, True))
    return Sentence(words)


def text(found: Sentence | None) -> str | None:
    return None if found is None else " ".join(word.form for word in found.words)


STATEMENT = (
    "We/we/PRON/PRP/3/nsubj should/should/AUX/MD/3/aux wash/wash/VERB/VB/0/root the/the/DET/DT/5/det "
    "car/car/NOUN/NN/3/obj and/and/CCONJ/CC/7/cc {} ././PUNCT/./3/punct"
)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (STATEMENT.format("dry/dry/VERB/VB/3/conj"), "Wash the car and dry ."),
        (STATEMENT.format("dried/dry/VERB/VBD/3/conj"), "Wash the car and dry ."),
        (STATEMENT.format("house/house/NOUN/NN/5/conj"), "Wash the car and house ."),
        ("They/they/PRON/PRP/2/nsubj left/leave/VERB/VBD/0/root early/early/ADV/RB/2/advmod", "Leave early"),
        ("Mary/Mary/PROPN/NNP/2/nsubj left/leave/VERB/VBD/0/root", None),
        ("I/I/PRON/PRP/2/nsubj know/know/VERB/VBP/0/root it/it/PRON/PRP/2/obj", None),
        ("I/I/PRON/PRP/3/nsubj have/have/AUX/VBP/3/aux eaten/eat/VERB/VBN/0/root it/it/PRON/PRP/3/obj", None),
        ("I/I/PRON/PRP/3/nsubj never/never/ADV/RB/3/advmod eat/eat/VERB/VBP/0/root", None),
        ("Can/can/AUX/MD/3/aux we/we/PRON/PRP/3/nsubj go/go/VERB/VB/0/root ?/?/PUNCT/./3/punct", None),
        ("A/a/DET/DT/2/det car/car/NOUN/NN/0/root", None),
    ],
)
def test_imperatives_out_of_statements(rows: str, expected: str | None) -> None:
    found = imperative_from(sentence(rows))
    assert text(found) == expected
    if found is not None:
        verb = found.words[0]
        assert (verb.xpos, verb.deprel) == ("VB", "ROOT")
        assert "Mood=Imp" in verb.feats


def test_roughened_sentences_keep_their_tree() -> None:
    plain = sentence(STATEMENT.format("dry/dry/VERB/VB/3/conj"))
    assert text(lower_cased(plain)) == "we should wash the car and dry ."
    assert text(without_final_stop(plain)) == "We should wash the car and dry"
    headed = sentence("Go/go/VERB/VB/2/parataxis ././PUNCT/./0/root")
    assert without_final_stop(headed) is headed


@given(st.integers(0, 10_000))
def test_white_space_is_tokens_of_its_own(seed: int) -> None:
    plain = sentence(STATEMENT.format("dry/dry/VERB/VB/3/conj"))
    spaced = with_white_space(plain, random.Random(seed), 0.5)
    doc = to_doc(VOCAB, [spaced])
    assert [token.text for token in ENGLISH(doc.text)][: len(doc)] == [token.text for token in doc]
    words = [token for token in doc if not token.is_space]
    assert [token.text for token in words] == [word.form for word in plain.words]
    assert [token.head.text for token in words] == [plain.words[word.head].form for word in plain.words]


@pytest.mark.parametrize("name", GENERATED)
def test_generated_sentences_are_trees(name: str) -> None:
    written = generated(name, GENERATED[name] + 1)
    assert len(written) == GENERATED[name]
    assert generated(name, 3) == written[:3]
    for found in written:
        words = found.words
        roots = [index for index, word in enumerate(words) if word.head == index]
        assert len(roots) == 1
        assert words[roots[0]].deprel == "ROOT"
        for index, word in enumerate(words):
            low, high = sorted((index, word.head))
            assert all(low <= words[inner].head <= high for inner in range(low + 1, high)), "projective"
        assert to_doc(VOCAB, [found]).has_annotation("DEP")


def write_treebank(path: Path, sentences: Iterable[Sentence]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["# newdoc id = generated"]
    for found in sentences:
        for index, word in enumerate(found.words):
            head, dep = (0, "root") if word.head == index else (word.head + 1, word.deprel)
            space = "_" if word.space_after else "SpaceAfter=No"
            columns = (index + 1, word.form, word.lemma, word.upos, word.xpos, word.feats or "_", head, dep, "_", space)
            lines.append("\t".join(map(str, columns)))
        lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def word_lists() -> Lookups:
    lookups = Lookups()
    empty: dict[str, object] = {pos: {} for pos in ("noun", "verb", "adj", "adv")}
    lookups.add_table("lemma_index", {**empty, "verb": ["chop", "rub"], "noun": ["knife", "lemon"]})
    lookups.add_table("lemma_exc", {**empty, "verb": {"chopped": ["chop"]}, "noun": {"knives": ["knife"]}})
    lookups.add_table("lemma_rules", {**empty, "verb": [["ed", "e"], ["ed", ""]], "noun": [["s", ""]]})
    return lookups


@pytest.mark.parametrize(
    ("form", "pos", "tag", "proposed", "expected"),
    [
        ("chopped", "VERB", "VBD", "choppe", "chop"),
        ("knives", "NOUN", "NNS", "knive", "knife"),
        ("lemons", "NOUN", "NNS", "lemo", "lemon"),
        ("Lemon", "NOUN", "NN", "leMon", "lemon"),
        ("grommets", "NOUN", "NNS", "grommet", "grommet"),
        ("FREE", "ADJ", "JJ", "fREE", "free"),
        ("Debra", "PROPN", "NNP", "debra", "Debra"),
        ("washed", "VERB", "VBD", "wash", "wash"),
        ("her", "PRON", "PRP$", "her", "she"),
        ("it", "PRON", "PRP", "it", "it"),
    ],
)
def test_lemmas_are_known_words(form: str, pos: str, tag: str, proposed: str, expected: str) -> None:
    treebank = [
        sentence("wash/wash/VERB/VB/0/root her/she/PRON/PRP$/3/det hair/hair/NOUN/NN/1/obj"),
        sentence("brush/brush/VERB/VB/0/root her/she/PRON/PRP$/3/det hair/hair/NOUN/NN/1/obj"),
    ]
    written = LemmaCorrector(lemma_tables(treebank, word_lists())).to_bytes()
    corrector = LemmaCorrector().from_bytes(written)
    doc = Doc(VOCAB, words=[form], pos=[pos], tags=[tag], lemmas=[proposed])
    assert corrector(doc)[0].lemma_ == expected
    assert corrector.to_bytes() == written


def test_training_from_treebank_to_package(tmp_path: Path) -> None:
    treebanks, work, output = tmp_path / "treebanks", tmp_path / "work", tmp_path / "pipeline"
    for place, name in enumerate((*TRAINING, DEVELOPMENT, TEST, INSTRUCTIONS)):
        write_treebank(treebanks / name, generated("instructions", 240)[40 * place :][:40])
    few = PipelineSettings(instructions=40, recipes=40, steps=3)
    tables = lemma_tables(training_sentences(treebanks), word_lists())
    package(train_pipeline(treebanks, work, few), output, tables)
    scores = write_scores(treebanks, output)
    assert {(score.dataset, score.split) for score in scores} == {
        ("UD English EWT", "dev"),
        ("UD English EWT", "test"),
        ("GUM wikiHow", "dev"),
    }
    first = describe_pipeline(str(output))
    assert list(first.scores) == scores
    assert load_pipeline(str(output))("Peel it.").has_annotation("DEP")
    assert str(tmp_path) not in (output / "config.cfg").read_text(encoding="utf-8")

    lemmatizer = spacy.load(work / "run" / "model-best").get_pipe("trainable_lemmatizer")
    assert isinstance(lemmatizer, EditTreeLemmatizer)
    assert lemmatizer.labels
    assert not lemmatizer.tree2label, "spaCy restores it now: drop `restore_labels`"
    restore_labels(lemmatizer)
    assert {lemmatizer.labels[label] for label in lemmatizer.tree2label.values()} == set(lemmatizer.labels)

    resumed = tmp_path / "resumed"
    package(train_pipeline(treebanks, work, few, resume=True), resumed, tables)
    assert describe_pipeline(str(resumed)).digest != first.digest
