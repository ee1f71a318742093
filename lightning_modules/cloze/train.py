"""`kgscripts train masked`: the masked cloze model, from templates to a checkpoint directory."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytorch_lightning as pl
import torch
from attrs import frozen
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint

from kgscripts.corpora.pair_corpora import Pair, load_pairs
from kgscripts.models.masked import MaskedNetwork, new_network
from lightning_modules.cloze.data import MaskedData, blank_words
from lightning_modules.cloze.module import MaskedModule
from schemas.errors import ConfigurationError, InputError

CONFIGURATION = Path(__file__).with_name("masked.toml")
MAX_TOKENS = 50


@frozen(kw_only=True)
class MaskedConfiguration:
    """Settings of a training; `left_share` of the examples see only what stands left of the blank."""

    encoder: str
    rank: int
    dropout: float
    learning_rate: float
    weight_decay: float
    warm_up: float
    epochs: int
    batch_size: int
    left_share: float
    patience: int
    held_out: float
    seed: int

    @classmethod
    def read(cls, path: Path) -> MaskedConfiguration:
        """The settings of a TOML file. Raises ConfigurationError for unknown, missing or unreadable ones."""
        try:
            return cls(**tomllib.loads(path.read_text(encoding="utf-8")))
        except (TypeError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f"no configuration of the masked model: {error}", where=str(path), remedy=f"see {CONFIGURATION}"
            ) from error


def cut(pair: Pair) -> Pair:
    """Both sides cut to 50 tokens, of which the start symbol is one on the concrete side, as the published models."""
    size = MAX_TOKENS - 1
    steps = tuple(step for step in pair.steps if step < size)
    return Pair(
        abstract=pair.abstract[:MAX_TOKENS],
        concrete=pair.concrete[:size],
        blanks=pair.blanks[:size],
        steps=steps,
        where=pair.where,
    )


def held_out_captions(pairs: Sequence[Pair], share: float, seed: int) -> tuple[list[Pair], list[Pair]]:
    """(train, held out): whole abstract sentences are held out, with all that realises them."""
    captions = sorted({pair.abstract for pair in pairs})
    random.Random(seed).shuffle(captions)
    held = set(captions[: round(share * len(captions))])
    return [pair for pair in pairs if pair.abstract not in held], [pair for pair in pairs if pair.abstract in held]


def train_masked(
    configuration: MaskedConfiguration,
    train: Sequence[Path],
    work: Path,
    *,
    resume: bool = False,
    max_time: str | None = None,
    accelerator: str = "auto",
    devices: str = "auto",
    precision: str = "bf16-mixed",
) -> MaskedNetwork:
    """Train, and keep the weights with the lowest surprisal on the held-out captions.

    `work` holds the checkpoint after every epoch, from which `resume` goes on; `max_time` is ``DD:HH:MM:SS``.

    Raises
    ------
    InputError
        If the files hold no cloze templates.
    ModelError
        If a loss is no finite number, or the encoder cannot be found.
    """
    pairs = [cut(pair) for pair in load_pairs(train).pairs]
    pairs = [pair for pair in pairs if any(pair.blanks)]
    if not pairs:
        raise InputError("no pairs with blanks", where=str(train[0]), remedy="name cloze templates")
    pl.seed_everything(configuration.seed, verbose=False)
    fitted, held = held_out_captions(pairs, configuration.held_out, configuration.seed)
    words, frequency = blank_words(fitted)
    network = new_network(
        words, frequency, rank=configuration.rank, dropout=configuration.dropout, encoder=configuration.encoder
    )
    network.train()
    data = MaskedData(
        fitted,
        held,
        network.inputs,
        words,
        batch_size=configuration.batch_size,
        left_share=configuration.left_share,
        seed=configuration.seed,
    )
    module = MaskedModule(
        network,
        learning_rate=configuration.learning_rate,
        weight_decay=configuration.weight_decay,
        warm_up=configuration.warm_up,
        total_steps=configuration.epochs * data.batches(),
    )
    best = ModelCheckpoint(work, "best", monitor="surprisal", save_last=True, enable_version_counter=False)
    trainer = pl.Trainer(
        accelerator=accelerator,
        devices=devices,
        precision=precision,  # type: ignore[arg-type]
        max_epochs=configuration.epochs,
        max_time=max_time,
        gradient_clip_val=1.0,
        reload_dataloaders_every_n_epochs=1,
        callbacks=[best, EarlyStopping("surprisal", patience=configuration.patience)],
        logger=False,
        default_root_dir=work,
        enable_model_summary=False,
    )
    last = work / "last.ckpt"
    trainer.fit(module, data, ckpt_path=last if resume and last.is_file() else None, weights_only=True)
    network.restore(torch.load(best.best_model_path, weights_only=True)["state_dict"])
    return network
