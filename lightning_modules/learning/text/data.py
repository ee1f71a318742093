"""Training and development documents for `spacy train` out of the treebanks, and the reader of them that the training
configuration names."""

from __future__ import annotations

import lzma
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import registry

from kgscripts.text.conllu import Sentence, documents, read_conllu, sentences_of, to_doc
from lightning_modules.learning.text.augment import (
    grouped,
    imperatives,
    lower_cased,
    with_white_space,
    without_final_stop,
)

TRAINING = ("ewt/en_ewt-ud-train.conllu", "gum/open-genres.conllu")
DEVELOPMENT = "ewt/en_ewt-ud-dev.conllu"
TEST = "ewt/en_ewt-ud-test.conllu"
INSTRUCTIONS = "gum/wikihow-dev.conllu"
"""For evaluation only: its licence (CC BY-NC-SA) keeps it out of the training data."""

GENERATED = {"instructions": 3000, "recipes": 6000, "other_recipes": 600}
"""The numbers of generated sentences in the files of ``data/generated``, with their trees."""

_WHITE_SPACE_IN_TEXT = 0.05
_ATTRIBUTES = ("ORTH", "SPACY", "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START")


@dataclass(frozen=True)
class Augmentation:
    """The amounts of data that are added to the treebanks' sentences.

    Attributes
    ----------
    views:
        the number of times that each sentence occurs, each time in another group of sentences.
    lower_case:
        share of groups in lower case, in every view but the first.
    no_final_stop:
        share of sentences that lose their full stop, in every view but the first.
    white_space:
        share of groups with line breaks and double spaces, in every view but the first.
    instructions:
        number of generated instructions, at most 3000.
    recipes:
        number of generated sentences of recipes, at most 6000.
    derived:
        whether imperatives are made of statements.
    """

    views: int = 2
    lower_case: float = 0.08
    no_final_stop: float = 0.15
    white_space: float = 0.08
    instructions: int = GENERATED["instructions"]
    recipes: int = GENERATED["recipes"]
    derived: bool = True


def training_sentences(treebanks: Path, limit: int | None = None) -> Iterator[Sentence]:
    """The sentences of the treebanks that the pipeline is trained on, at most `limit`."""
    sentences = chain.from_iterable(_harmonised(read_conllu(treebanks / name)) for name in TRAINING)
    yield from islice(sentences, limit)


def generated(name: str, count: int) -> list[Sentence]:
    """The first `count` sentences of a file of ``data/generated``."""
    path = Path(__file__).parent / "data" / "generated" / f"{name}.conllu.xz"
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return list(islice(sentences_of(lines, path), count))


def write_training_data(
    treebanks: Path, output: Path, augmentation: Augmentation, seed: int, limit: int | None = None
) -> int:
    """Writes the training documents to `output`, shuffled; returns the number of words."""
    rng = random.Random(seed)
    groups: list[list[Sentence]] = []
    sources = list(documents(training_sentences(treebanks, limit)))
    for view in range(augmentation.views):
        for source in sources:
            for group in grouped(source, rng):
                groups.append(group if view == 0 else _roughened(group, augmentation, rng))
    if augmentation.derived:
        sentences = [sentence for source in sources for sentence in imperatives(source)]
        groups += [_roughened(group, augmentation, rng) for group in grouped(sentences, rng, longest=6)]
    groups += grouped(generated("instructions", augmentation.instructions), rng, longest=8)
    groups += grouped(generated("recipes", augmentation.recipes), rng, longest=8)
    rng.shuffle(groups)
    return write_documents(groups, output)


def write_documents(groups: Iterable[list[Sentence]], output: Path) -> int:
    """Writes each group of sentences as one annotated document; returns the number of words."""
    vocab = spacy.blank("en").vocab
    binary = DocBin(attrs=_ATTRIBUTES)
    words = 0
    for group in groups:
        binary.add(to_doc(vocab, group))
        words += sum(len(sentence.words) for sentence in group)
    output.parent.mkdir(parents=True, exist_ok=True)
    binary.to_disk(output)
    return words


def write_development_data(treebanks: Path, output: Path, recipes: int, seed: int) -> int:
    """Writes the development documents, whole, and `recipes` generated sentences to `output`; returns the number of
    words. Training does not see these sentences."""
    rng = random.Random(seed + 1)
    written = grouped(generated("other_recipes", recipes), rng, longest=8)
    return write_documents(chain(documents(read_conllu(treebanks / DEVELOPMENT)), written), output)


def _harmonised(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """GUM marks imperatives as second person and EWT does not: one label for both."""
    for sentence in sentences:
        sentence.words = [
            replace(word, feats=word.feats.replace("|Person=2", "")) if "Mood=Imp" in word.feats else word
            for word in sentence.words
        ]
        yield sentence


def _roughened(group: list[Sentence], augmentation: Augmentation, rng: random.Random) -> list[Sentence]:
    rough = [
        without_final_stop(sentence) if rng.random() < augmentation.no_final_stop else sentence for sentence in group
    ]
    if rng.random() < augmentation.lower_case:
        rough = [lower_cased(sentence) for sentence in rough]
    if rng.random() < augmentation.white_space:
        rough = [with_white_space(sentence, rng, _WHITE_SPACE_IN_TEXT) for sentence in rough]
    return rough


def gold_token_corpus(path: Path | str) -> Callable[[Language], Iterator[Example]]:
    """Examples whose predicted document has the gold tokens and spaces, but neither sentence starts nor tags.

    spaCy's own reader offers gold tokens only together with gold sentences (`gold_preproc`), and then the parser
    never sees a sentence boundary to learn.
    """

    def read(nlp: Language) -> Iterator[Example]:
        for reference in DocBin().from_disk(path).get_docs(nlp.vocab):
            words = [token.text for token in reference]
            spaces = [bool(token.whitespace_) for token in reference]
            yield Example(Doc(nlp.vocab, words=words, spaces=spaces), reference)

    return read


registry.readers("kgscripts.GoldTokenCorpus.v1", func=gold_token_corpus)
