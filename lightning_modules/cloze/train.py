"""`kgscripts train masked`: the masked cloze model, from templates to a checkpoint directory."""

from __future__ import annotations

import random
import shutil
import tomllib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import attrs
import pytorch_lightning as pl
from attrs import field, frozen, validators

from kgscripts.corpora.pair import Pair
from kgscripts.models.checkpoint import ModelCard, save_checkpoint
from kgscripts.models.masked import new_network
from kgscripts.models.masked import masked_checkpoint
from kgscripts.models.settings import settings_from
from lightning_modules.cloze.data import MaskedData, blank_words, other_words
from lightning_modules.cloze.module import MaskedModule
from lightning_modules.machine import Machine
from lightning_modules.runs import RunFolder, fit_to_best, pairs_digest
from schemas.errors import ConfigurationError, InputError

CONFIGURATION = Path(__file__).with_name("masked.toml")
MAX_TOKENS = 50
LICENCE = "research use, as the terms of its training data are not stated"

_count = [validators.instance_of(int), validators.ge(1)]
_share = [validators.instance_of(float), validators.ge(0.0), validators.le(1.0)]


@frozen(kw_only=True)
class MaskedConfiguration:
    """Settings of a training.

    `left_share` of the examples see only what stands left of the blank; in `scattered_share` of them the hidden words
    are scattered over the text.
    """

    encoder: str = field(validator=validators.instance_of(str))
    rank: int = field(validator=_count)
    dropout: float = field(validator=_share)
    learning_rate: float = field(validator=[validators.instance_of(float), validators.gt(0.0)])
    weight_decay: float = field(validator=[validators.instance_of(float), validators.ge(0.0)])
    warm_up: float = field(validator=_share)
    epochs: int = field(validator=_count)
    batch_size: int = field(validator=_count)
    left_share: float = field(validator=_share)
    scattered_share: float = field(validator=_share)
    patience: int = field(validator=_count)
    held_out: float = field(validator=_share)
    seed: int = field(validator=validators.instance_of(int))

    @classmethod
    def read(cls, path: Path) -> MaskedConfiguration:
        """The settings of a TOML file. Raises ConfigurationError for what is unknown, missing, wrong or unreadable."""
        remedy = f"see {CONFIGURATION.name} of the package"
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigurationError(f"cannot be read: {error.strerror}", where=str(path), remedy=remedy) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"no TOML: {error}", where=str(path), remedy=remedy) from error
        return settings_from(cls, values, str(path))


@frozen(kw_only=True)
class Outcome:
    """Epochs of a run, and surprisal of the held-out blanks with the weights that were kept, in nats a word."""

    epochs: int
    held_out_surprisal: float


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
    pairs: Sequence[Pair],
    directory: Path,
    *,
    machine: Machine,
    resume: bool = False,
    max_time: str | None = None,
    data: str = "",
    command: str = "",
) -> Outcome:
    """Train, and write the checkpoint with the lowest surprisal on the held-out captions.

    Until the run ends everything is in a folder beside it, ``NAME.training``; a run that was killed goes on from its
    last finished epoch with `resume`. `max_time` is ``DD:HH:MM:SS``. `data` and `command` go onto the model card.

    Raises
    ------
    InputError
        If no pair has a blank, or too few captions have.
    ModelError
        If the encoder cannot be found, an unfinished run is in the way, a loss is no finite number, or nothing can be
        saved.
    KeyboardInterrupt
        After Ctrl-C; the last finished epoch is kept.
    """
    pairs = [pair for pair in map(cut, pairs) if any(pair.blanks)]
    train, held_out = held_out_captions(pairs, configuration.held_out, configuration.seed)
    if not train or not held_out:
        remedy = "name cloze templates (kgscripts corpora cloze makes them), with ten captions at least"
        raise InputError(f"{len(pairs)} pairs with blanks are too few", remedy=remedy)
    run = RunFolder(directory, {"configuration": attrs.asdict(configuration), "pairs": pairs_digest(pairs)})
    run.begin(resume)
    pl.seed_everything(configuration.seed, verbose=False)
    words, frequency = blank_words(train)
    others, other_frequency = other_words(train, set(words))
    network = new_network(
        words, frequency, rank=configuration.rank, dropout=configuration.dropout, encoder=configuration.encoder
    )
    network.train()
    batches = MaskedData(
        train,
        held_out,
        network.inputs,
        words,
        others,
        batch_size=configuration.batch_size,
        left_share=configuration.left_share,
        scattered_share=configuration.scattered_share,
        seed=configuration.seed,
    )
    module = MaskedModule(
        network,
        others,
        other_frequency,
        learning_rate=configuration.learning_rate,
        weight_decay=configuration.weight_decay,
        warm_up=configuration.warm_up,
        total_steps=configuration.epochs * batches.batches(),
    )
    best = fit_to_best(
        module,
        batches,
        run,
        monitor="surprisal",
        patience=configuration.patience,
        seed=configuration.seed,
        machine=machine,
        max_epochs=configuration.epochs,
        max_time=max_time,
        gradient_clip_val=1.0,
    )
    network.restore(best.state)
    outcome = Outcome(epochs=best.epochs, held_out_surprisal=best.value)
    card = ModelCard(
        name="masked",
        version=metadata.version("kgscripts"),
        task="hidden words of a concrete instruction",
        licence=LICENCE,
        data=data,
        command=command,
        training={
            **attrs.asdict(outcome),
            "train_pairs": len(train),
            "held_out_pairs": len(held_out),
            **attrs.asdict(configuration),
        },
    )
    save_checkpoint(masked_checkpoint(network, card, encoder=configuration.encoder, rank=configuration.rank), directory)
    shutil.rmtree(run.path, ignore_errors=True)
    return outcome
