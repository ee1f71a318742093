"""The training task of the masked cloze model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.reproductions.kidscook.networks.masked import masked_checkpoint, new_network
from lightning_modules.cloze.data import ClozeData, blank_words, other_words
from lightning_modules.cloze.module import MaskedModule
from lightning_modules.cloze.settings import MaskedSettings
from lightning_modules.configuration import Configuration
from lightning_modules.data import pair_key, pairs_digest, split
from schemas.errors import InputError

_MAX_TOKENS = 50


class MaskedTask:
    """Adapts an encoder to the blanks of cloze templates; see `lightning_modules.training.TrainingTask`.

    Raises InputError if too few pairs have a blank. `prepare` raises ModelError if the encoder cannot be found.
    """

    purpose = "hidden words of a concrete instruction"
    licence = "research use, as the terms of its training data are not stated"

    def __init__(self, configuration: Configuration, pairs: Sequence[Pair]) -> None:
        self.name = configuration.name
        self._pairs = [pair for pair in map(cut, pairs) if any(pair.blanks)]
        try:
            self.split = split(self._pairs, pair_key)
        except InputError as error:
            remedy = "name cloze templates (kgscripts corpora cloze makes them) with 2 abstract sentences at least"
            raise InputError(f"{len(self._pairs)} pairs with blanks are too few", remedy=remedy) from error

    @property
    def inputs(self) -> Mapping[str, Any]:
        """See `TrainingTask`."""
        return {"pairs": pairs_digest(self._pairs)}

    def prepare(self, settings: MaskedSettings) -> tuple[MaskedModule, ClozeData]:
        """See `TrainingTask`."""
        words, frequency = blank_words(self.split.train)
        others, other_frequency = other_words(self.split.train, set(words))
        network = new_network(words, frequency, rank=settings.rank, dropout=settings.dropout, encoder=settings.encoder)
        module = MaskedModule(network, others, other_frequency, settings)
        return module, ClozeData(self.split, network.inputs, words, others, settings)

    def checkpoint(self, module: MaskedModule, settings: MaskedSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`."""
        return masked_checkpoint(module.network, card, encoder=settings.encoder, rank=settings.rank)


def cut(pair: Pair) -> Pair:
    """Both sides cut to 50 tokens, of which the start symbol is one on the concrete side, as the published models."""
    size = _MAX_TOKENS - 1
    steps = tuple(step for step in pair.steps if step < size)
    return Pair(
        abstract=pair.abstract[:_MAX_TOKENS],
        concrete=pair.concrete[:size],
        blanks=pair.blanks[:size],
        steps=steps,
        where=pair.where,
    )
