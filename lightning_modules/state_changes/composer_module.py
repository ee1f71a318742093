"""The composer under Lightning: surprisal of the parts of changes, and of their number.

While training, the encoder has the dropout of its own configuration (MiniLM: 0.1, of hidden states and of attention);
the setting `dropout` is that of the network above it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from kgscripts.models.adapters import layer_weights
from kgscripts.models.changes.network import (
    AFTER_FILLER,
    BEFORE_FILLER,
    IMPOSSIBLE,
    KIND_OF_PART,
    PARTS,
    ChangeNetwork,
    Memory,
)
from kgscripts.models.encoder import Bert
from lightning_modules.module import Loss, TrainingModule
from lightning_modules.state_changes.composer_data import ABSENT, ComposerBatch
from lightning_modules.state_changes.settings import ComposerTrainingSettings

_COUNT_WEIGHT = 0.3
_ENCODER, _NETWORK = "encoder.", "network."


class ComposerModule(TrainingModule):
    """Minimises the surprisal of changes, per change, plus a share of that of their number, per step.

    Of the encoder, the weights of the linear layers are trained too, at a learning rate of their own.
    """

    network: ChangeNetwork
    _settings: ComposerTrainingSettings

    def __init__(self, network: ChangeNetwork, encoder: Bert, settings: ComposerTrainingSettings) -> None:
        super().__init__(network, settings)
        self.encoder = encoder
        self._layers = layer_weights(encoder)
        for weight in self._layers.values():
            weight.requires_grad_(True)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The network, and the encoder at its own learning rate."""
        own = {"params": list(self._layers.values()), "lr": self._settings.encoder_learning_rate}
        return [*super().parameter_groups(), own]

    def trained_state(self) -> Mapping[str, Tensor]:
        """The network, and the weights of the encoder."""
        layers = {_ENCODER + name: weight.detach() for name, weight in self._layers.items()}
        return {**layers, **{_NETWORK + name: value for name, value in self.network.state_dict().items()}}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """See `TrainingModule`."""
        self.network.load_state_dict(_below(_NETWORK, state))
        for name, weight in _below(_ENCODER, state).items():
            self._layers[name].data.copy_(weight)

    @property
    def encoder_weights(self) -> Mapping[str, Tensor]:
        """The trained weights of the encoder, by the names of their layers."""
        return {name: weight.detach() for name, weight in self._layers.items()}

    def loss(self, batch: ComposerBatch) -> Loss:
        """See `TrainingModule`; per change."""
        inputs = batch.inputs
        states = self.encoder(inputs.ids, inputs.attention, inputs.types).last_hidden_state.float()
        counts = self.network.counts(states, inputs).float()
        nats = _COUNT_WEIGHT * functional.cross_entropy(counts, batch.counts)
        changes = int(batch.is_change.sum())
        if changes:
            nats = nats + self._of_changes(batch, states) / changes
        return Loss(nats, max(changes, 1))

    def _of_changes(self, batch: ComposerBatch, states: Tensor) -> Tensor:
        network, memory = self.network, self.network.memory(states, batch.inputs)
        tables = [table() for table in network.tables]
        decoded, _ = network.decode(self._vectors(batch, tables, memory), memory)
        total = states.new_zeros(())
        for part in range(PARTS):
            texts, nouns = batch.texts[..., part], batch.nouns[..., part]
            table = tables[KIND_OF_PART[part]]
            scores, pointed = network.scores(part, decoded[:, :, part], memory, table)
            scores = scores.float()
            right = _picked(scores, texts)
            every = scores.logsumexp(-1)
            if pointed is not None:
                pointed = pointed.float().masked_fill(~batch.inputs.is_noun[:, None], IMPOSSIBLE)
                right = torch.logaddexp(right, _picked(pointed, nouns))
                every = torch.logaddexp(every, pointed.logsumexp(-1))
            counted = batch.is_change & ((texts >= 0) | (nouns >= 0))
            total = total + (every - right)[counted].sum()
        return total

    def _vectors(self, batch: ComposerBatch, tables: list[Tensor], memory: Memory) -> Tensor:
        """The input of each part: the part before it; (steps, changes, parts, size)."""
        network = self.network
        vectors = [network.begin.expand(*batch.is_change.shape, -1)]
        for part in range(PARTS - 1):
            texts, nouns = batch.texts[..., part], batch.nouns[..., part]
            found = network.embedding(part, texts, tables[KIND_OF_PART[part]], nouns, memory)
            if part in (BEFORE_FILLER, AFTER_FILLER):
                found = torch.where((texts == ABSENT)[..., None], network.no_filler, found)
            vectors.append(found)
        return torch.stack(vectors, dim=2) + network.place


def _below(prefix: str, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}


def _picked(scores: Tensor, places: Tensor) -> Tensor:
    """The scores (steps, changes) at the given indices, very small for negative ones."""
    found = scores.gather(2, places.clamp(min=0)[..., None])[..., 0]
    return torch.where(places >= 0, found, IMPOSSIBLE)
