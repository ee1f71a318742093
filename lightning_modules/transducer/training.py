"""Train a network on pairs and write its checkpoint directory."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

import attrs
import torch
from attrs import frozen

from kgscripts.corpora.pair import Pair
from kgscripts.models.checkpoint import ModelCard, is_checkpoint, load_checkpoint, save_checkpoint
from kgscripts.models.embeddings import WordVectors, read_glove, read_released_vectors
from kgscripts.models.networks import make_network, network_checkpoint
from kgscripts.models.vocabulary import Vocabulary
from lightning_modules.machine import Machine
from lightning_modules.runs import RunFolder, fit, make_trainer, pairs_digest
from lightning_modules.transducer.configuration import Configuration
from lightning_modules.transducer.data import PairData, Split, split_pairs
from lightning_modules.transducer.module import PairTraining
from lightning_modules.transducer.schedule import Epoch, Schedule


@frozen(kw_only=True)
class Outcome:
    """What a run came to. `is_finished` is False where its time ran out: it can be resumed."""

    epochs: int
    held_out_loss: float
    is_finished: bool


def train(
    configuration: Configuration,
    pairs: Sequence[Pair],
    directory: Path,
    *,
    glove: Path | None = None,
    machine: Machine | None = None,
    resume: bool = False,
    max_seconds: float | None = None,
    data: str = "",
    command: str = "",
    report: Callable[[Epoch], None] = lambda _: None,
) -> Outcome:
    """Train as configured and write the checkpoint directory, with the best weights so far, when the run ends.

    Until then everything is in a folder beside it, ``NAME.training``. A run that was killed or ran out of time goes on
    with `resume`, to the same end as one that was not. `data` and `command` go onto the model card.

    Raises
    ------
    InputError
        For too few pairs, or vectors that cannot be read.
    ModelError
        If there is an unfinished run and `resume` is not given, it is one of something else, a loss is not finite, or
        nothing can be saved.
    KeyboardInterrupt
        After Ctrl-C; the last finished epoch is kept.
    """
    machine = machine or Machine()
    split = split_pairs(pairs)
    vectors = _vectors(configuration, split, glove)
    vocabulary = vectors.vocabulary
    run = RunFolder(directory, _description(configuration, pairs, vectors))
    if resume and (done := _already_finished(run)):
        return done
    run.begin(resume)
    torch.manual_seed(configuration.training.seed)
    network = make_network(configuration.network, vocabulary, vectors.vectors if vectors.found else None)
    schedule = Schedule(configuration.training, run.last, max_seconds, report)
    module = PairTraining(network, configuration.training)
    trainer = make_trainer(
        machine,
        [schedule],
        max_epochs=-1,  # the schedule ends it
        default_root_dir=run.path,
        enable_checkpointing=False,
        use_distributed_sampler=False,
    )
    fit(trainer, module, PairData(split, vocabulary, configuration.training), run.last)
    outcome = Outcome(epochs=schedule.epochs, held_out_loss=round(schedule.best_loss, 4), is_finished=schedule.finished)
    if trainer.is_global_zero:
        card = ModelCard(
            name=configuration.name,
            version=metadata.version("kgscripts"),
            task="words of a concrete instruction given the abstract one",
            licence="terms of the pairs that it was trained on",
            data=data,
            command=command,
            training={
                **attrs.asdict(outcome),
                "train_pairs": len(split.train),
                "held_out_pairs": len(split.held_out),
                "words_with_vectors": vectors.found,
                **attrs.asdict(configuration.training),
                "run": run.digest,
            },
        )
        save_checkpoint(network_checkpoint(configuration.network, schedule.best_weights, vocabulary, card), directory)
        if schedule.finished:
            shutil.rmtree(run.path, ignore_errors=True)
    return outcome


def _already_finished(run: RunFolder) -> Outcome | None:
    """The outcome of this very run, if its checkpoint is there."""
    if run.last.is_file() or not is_checkpoint(run.directory):
        return None
    training = load_checkpoint(run.directory).card.training
    if training.get("run") != run.digest or not training.get("is_finished"):
        return None
    return Outcome(epochs=training["epochs"], held_out_loss=training["held_out_loss"], is_finished=True)


def _vectors(configuration: Configuration, split: Split, glove: Path | None) -> WordVectors:
    """The vocabulary and its vectors; none were found where no file is given."""
    if glove is not None and glove.suffix == ".npy":
        return read_released_vectors(glove)
    settings = configuration.training
    texts = (side for pair in split.train for side in (pair.abstract, pair.concrete))
    vocabulary = Vocabulary.of_texts(texts, settings.minimum_count)
    if glove is not None:
        return read_glove(glove, vocabulary, settings.seed)
    return WordVectors(vocabulary, torch.empty(0), found=0)


def _description(configuration: Configuration, pairs: Sequence[Pair], vectors: WordVectors) -> dict[str, Any]:
    return {
        "configuration": attrs.asdict(configuration),
        "pairs": pairs_digest(pairs),
        "vocabulary": sha256(vectors.vocabulary.to_json().encode()).hexdigest(),
        "vectors": sha256(vectors.vectors.numpy().tobytes()).hexdigest(),
    }
