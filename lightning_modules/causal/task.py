"""The training task of causal language models: fine-tuning on pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.reproductions.kidscook.networks.causal_loading import causal_checkpoint, load_causal_model
from lightning_modules.causal.data import CausalData, pair_text
from lightning_modules.causal.module import CausalModule
from lightning_modules.causal.settings import CausalSettings
from lightning_modules.configuration import Configuration
from lightning_modules.data import Split, pair_key, pairs_digest, split


class CausalTask:
    """Fine-tunes a causal language model; see `lightning_modules.training.TrainingTask`.

    Raises InputError for too few pairs. `prepare` raises ModelError if there is no such model.
    """

    purpose = "words of a concrete instruction given the abstract one"
    licence = "terms of the pretrained model and of the pairs"

    def __init__(self, configuration: Configuration, pairs: Sequence[Pair]) -> None:
        self.name = f"{Path(configuration.training.pretrained).name}, fine-tuned"
        self.split = split(pairs, pair_key)
        self._pairs = pairs

    @property
    def inputs(self) -> Mapping[str, Any]:
        """See `TrainingTask`."""
        return {"pairs": pairs_digest(self._pairs)}

    def prepare(self, settings: CausalSettings) -> tuple[CausalModule, CausalData]:
        """See `TrainingTask`."""
        model = load_causal_model(settings.pretrained)
        parts = Split(*([pair_text(pair, model) for pair in part] for part in (self.split.train, self.split.held_out)))
        return CausalModule(model, settings), CausalData(parts, settings)

    def checkpoint(self, module: CausalModule, settings: CausalSettings, card: ModelCard) -> Checkpoint:  # noqa: ARG002
        """See `TrainingTask`."""
        return causal_checkpoint(module.model, card)
