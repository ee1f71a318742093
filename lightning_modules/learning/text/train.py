"""Trains, measures and packages the pipeline that ships: `kgscripts train text`."""

from __future__ import annotations

import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import spacy
from attrs import field, frozen, validators
from spacy.lookups import Lookups, load_lookups
from spacy.pipeline import EditTreeLemmatizer
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as train_loop
from spacy.util import load_config

from kgscripts.evaluation.attaching import attach_evaluations
from kgscripts.models.installed import markdown_table
from kgscripts.reproductions.events.parsing import evaluate_text
from kgscripts.score_files import read_scores
from kgscripts.text.conllu import Sentence
from kgscripts.text.lemmas import FACTORY, LemmaCorrector, LemmaTables
from kgscripts.text.pipeline import SCORES
from lightning_modules.learning.text.data import (
    DEVELOPMENT,
    GENERATED,
    INSTRUCTIONS,
    TEST,
    Augmentation,
    training_sentences,
    write_development_data,
    write_training_data,
)
from schemas.errors import ConfigurationError
from schemas.provenance import BenchmarkScore, Exposure
from schemas.terminal import echo

CONFIG = Path(__file__).with_name("config.cfg")
META = Path(__file__).with_name("meta.json")
"""Name, version, licence and sources of the pipeline."""
_HELD_OUT = 10
"""Of generated sentences of recipes, this part more are made to choose the best pipeline on."""
_LEMMA_TABLES = ["lemma_index", "lemma_exc", "lemma_rules"]
_CLASSES = ("NOUN", "VERB", "ADJ", "ADV")
_TIMES_SEEN = 2
_AGREEMENT = 0.9
_count = [validators.instance_of(int), validators.ge(0)]


def _share_of(name: str) -> int:
    """A field with the number of sentences of a generated file, by default all."""
    number: int = field(default=GENERATED[name], validator=[*_count, validators.le(GENERATED[name])])
    return number


@frozen(kw_only=True)
class PipelineSettings:
    """What of the training can be changed without another ``config.cfg``."""

    steps: int = field(default=9000, validator=_count)
    """The maximum number of steps; 0 for no limit."""
    epochs: int = field(default=0, validator=_count)
    """The maximum number of epochs; 0 for no limit."""
    instructions: int = field(
        default=GENERATED["instructions"], validator=[*_count, validators.le(GENERATED["instructions"])]
    )
    """Generated instructions that are added to the treebanks, at most 3000."""
    recipes: int = _share_of("recipes")
    """Generated sentences of recipes that are added to the treebanks, at most 6000."""
    derived: bool = Augmentation.derived
    """Whether imperatives that are made of statements are added too."""
    seed: int = field(default=1931, validator=validators.instance_of(int))
    """Seed of all random choices."""


def train_and_package(
    treebanks: Path,
    work: Path,
    output: Path,
    settings: PipelineSettings,
    *,
    limit: int | None = None,
    resume: bool = False,
) -> list[BenchmarkScore]:
    """Train on at most `limit` sentences of the treebanks, put the pipeline into `output`, and measure it."""
    word_lists = read_word_lists()
    best = train_pipeline(treebanks, work, settings, limit=limit, resume=resume)
    package(best, output, lemma_tables(training_sentences(treebanks, limit), word_lists))
    return write_scores(treebanks, output)


def train_pipeline(
    treebanks: Path, work: Path, settings: PipelineSettings, *, limit: int | None = None, resume: bool = False
) -> Path:
    """Runs the training configuration; returns the directory of the best pipeline.

    With `resume`, training goes on from the best pipeline that an interrupted run left in `work`, with fresh
    optimizer state.
    """
    config = load_config(CONFIG)
    config["system"]["seed"] = seed = settings.seed
    augmentation = Augmentation(instructions=settings.instructions, recipes=settings.recipes, derived=settings.derived)
    train_path, dev_path = work / "train.spacy", work / "dev.spacy"
    echo(f"{write_training_data(treebanks, train_path, augmentation, seed, limit):,} words to train on")
    chosen_on = write_development_data(treebanks, dev_path, settings.recipes // _HELD_OUT, seed)
    echo(f"{chosen_on:,} words to choose the best pipeline on")
    config["paths"].update(train=str(train_path), dev=str(dev_path))
    config["training"].update(max_steps=settings.steps, max_epochs=settings.epochs)
    best = work / "run" / "model-best"
    if resume and best.is_dir():
        source = shutil.copytree(best, work / "resumed", dirs_exist_ok=True)
        for name in config["nlp"]["pipeline"]:
            config["components"][name] = {"source": str(source)}
    best.parent.mkdir(parents=True, exist_ok=True)
    nlp = init_nlp(config)
    restore_labels(cast("EditTreeLemmatizer", nlp.get_pipe("trainable_lemmatizer")))
    train_loop(nlp, best.parent)
    return best


def restore_labels(lemmatizer: EditTreeLemmatizer) -> None:
    """Indexes the labels of a lemmatizer read from disk; spaCy does not, and training would unlearn every lemma."""
    lemmatizer.tree2label = {tree: label for label, tree in enumerate(lemmatizer.labels)}


def read_word_lists() -> Lookups:
    """WordNet's base forms, irregular forms and endings, from the package `spacy-lookups-data`.

    Raises
    ------
    ConfigurationError
        if that package is not installed.
    """
    try:
        return load_lookups("en", _LEMMA_TABLES)
    except ValueError as error:
        raise ConfigurationError(
            "training needs word lists that are not installed", remedy="pip install 'kgscripts[train]'"
        ) from error


def lemma_tables(sentences: Iterable[Sentence], word_lists: Lookups) -> LemmaTables:
    """Tables for forms seen at least twice with nine in ten occurrences under one lemma, and for all other words."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word in sentence.words:
            if word.lemma:
                counts[word.upos, word.form][word.lemma] += 1
    forms: dict[str, dict[str, str]] = defaultdict(dict)
    for (pos, form), lemmas in counts.items():
        lemma, times = lemmas.most_common(1)[0]
        if lemmas.total() >= _TIMES_SEEN and times >= _AGREEMENT * lemmas.total():
            forms[pos][form] = lemma
    index, irregular, endings = (word_lists.get_table(name) for name in _LEMMA_TABLES)
    return LemmaTables(
        forms=dict(forms),
        lemmas=sorted({lemma for lemmas in counts.values() for lemma in lemmas}),
        words={pos: sorted(index[pos.lower()]) for pos in _CLASSES},
        irregular={
            pos: {form: bases[0] for form, bases in irregular[pos.lower()].items() if bases} for pos in _CLASSES
        },
        endings={pos: [(old, new) for old, new in endings[pos.lower()] if old] for pos in _CLASSES},
    )


def package(trained: Path, output: Path, tables: LemmaTables) -> None:
    """Puts a trained pipeline in place with its name, version and licence, without what only training needs.

    The lemma corrector is added here, since it has nothing to train.
    """
    nlp = spacy.load(trained)
    corrector = nlp.add_pipe(FACTORY, name="lemma_corrector", after="trainable_lemmatizer")
    cast("LemmaCorrector", corrector).use(tables)
    nlp.meta.update({**json.loads(META.read_text(encoding="utf-8")), "performance": {}})
    nlp.config["paths"] = {}
    nlp.config["corpora"] = {}
    nlp.config["training"] = {}
    nlp.config["initialize"] = {}
    temporary = output.with_name(output.name + ".new")
    nlp.to_disk(temporary)
    if output.exists():
        shutil.rmtree(output)
    temporary.rename(output)


def write_scores(treebanks: Path, output: Path) -> list[BenchmarkScore]:
    """Measures the packaged pipeline on EWT dev and test and on wikiHow, and writes the scores beside it."""
    evaluations = [evaluate_text(treebanks / name, pipeline=str(output)) for name in (DEVELOPMENT, TEST, INSTRUCTIONS)]
    attach_evaluations(evaluations, {str(output): output / SCORES}, Exposure.UNSEEN)
    return list(read_scores(output / SCORES))


def score_table(scores: Iterable[BenchmarkScore]) -> str:
    """The scores as the Markdown table of the model card."""
    table: dict[str, dict[tuple[str, str], float]] = {}
    for score in scores:
        mark = " (development)" if score.exposure is Exposure.DEVELOPMENT else ""
        table.setdefault(score.metric, {})[score.dataset, score.split + mark] = score.value
    columns = list(dict.fromkeys(column for row in table.values() for column in row))
    rows = ((metric, *(f"{100 * row[column]:.2f}" for column in columns)) for metric, row in table.items())
    return markdown_table(("metric", *map(" ".join, columns)), rows)
