"""Training of causal language models with low-rank adapters: data, LightningModule and task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen
from torch import Tensor
from torch.nn import functional

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.adapters import trained_adapters
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.inference import padded
from kgscripts.reproductions.kidscook.cloze.filling import cloze_item
from kgscripts.reproductions.kidscook.networks.causal import CausalModel
from kgscripts.reproductions.kidscook.networks.causal_loading import (
    ADAPTERS,
    add_trainable_adapters,
    causal_checkpoint,
    load_causal_model,
    restore_adapters,
)
from lightning_modules.configuration import Configuration
from lightning_modules.module import (
    Loss,
    Split,
    TrainingBatch,
    TrainingData,
    TrainingModule,
    pair_key,
    pairs_digest,
    split,
)
from lightning_modules.task_settings import CausalSettings

if TYPE_CHECKING:
    from transformers import PreTrainedModel


NO_LABEL = -100
"""What the networks of Hugging Face leave out of their loss."""


@frozen(eq=False)
class CausalBatch(TrainingBatch):
    """Texts, padded at the end: `ids`, `attention` and `labels` (batch, length) int64. Labels are the targets."""

    ids: Tensor
    attention: Tensor
    labels: Tensor


@frozen
class CausalText:
    """The pieces of an example: the input of the model and the target."""

    prompt: list[int]
    answer: list[int]
    where: str


class CausalData(TrainingData[CausalText]):
    """Texts of similar length."""

    def length(self, example: CausalText) -> tuple[int, ...]:
        """See `TrainingData`."""
        return len(example.prompt), len(example.answer)

    def collate(self, examples: Sequence[CausalText]) -> CausalBatch:
        """See `TrainingData`."""
        ids, attention = padded([text.prompt + text.answer for text in examples])
        labels, _ = padded([[NO_LABEL] * len(text.prompt) + text.answer for text in examples], value=NO_LABEL)
        return CausalBatch(tuple(text.where for text in examples), ids, attention, labels)


def pair_text(pair: Pair, model: CausalModel) -> CausalText:
    """The abstract side is read, the concrete side predicted; cut as in the cloze task.

    What is longer than the model can read loses its end.
    """
    item = cloze_item(pair)
    prompt = model.prompt(item.abstract, ())
    most: int = model.network.config.max_position_embeddings
    return CausalText(prompt[: most - 1], model.pieces(item.concrete)[: max(1, most - len(prompt))], pair.where)


class CausalModule(TrainingModule):
    """Minimises the mean surprisal of the target pieces, given the input.

    Trains all weights, or with a `rank` adapters alone. Raises ModelError if peft is then not installed.
    """

    network: PreTrainedModel

    def __init__(self, model: CausalModel, settings: CausalSettings) -> None:
        super().__init__(model.network, settings)
        self.model = model
        self._has_adapters = settings.rank > 0
        if self._has_adapters:
            add_trainable_adapters(model.network, settings.rank)
        else:
            model.network.requires_grad_(True)

    def loss(self, batch: CausalBatch) -> Loss:
        """See `TrainingModule`; per piece. Only targets go through the output layer, a costly one."""
        states = self.network.base_model(input_ids=batch.ids, attention_mask=batch.attention).last_hidden_state
        targets = batch.labels[:, 1:]
        is_target = targets >= 0
        output = self.network.get_output_embeddings()  # type: ignore[no-untyped-call]
        logits: Tensor = output(states[:, :-1][is_target])
        return Loss(functional.cross_entropy(logits.float(), targets[is_target]), int(is_target.sum()))

    def trained_state(self) -> Mapping[str, Tensor]:
        """See `TrainingModule`; a network that stays as it is, is not saved with its adapters."""
        return trained_adapters(self.network, ADAPTERS) if self._has_adapters else super().trained_state()

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """See `TrainingModule`."""
        if self._has_adapters:
            restore_adapters(self.network, state)
        else:
            super().restore(state)


class CausalTask:
    """Fine-tunes a causal language model; see `lightning_modules.training.TrainingTask`.

    Raises InputError for too few pairs. `prepare` raises ModelError if there is no such model.
    """

    purpose = "words of a concrete instruction given the abstract one"
    licence = "terms of the pretrained model and of the pairs"

    def __init__(self, configuration: Configuration, pairs: Sequence[Pair]) -> None:
        self.name = f"{Path(configuration.training.pretrained).name}, fine-tuned"
        self.split = split(pairs, pair_key)
        self.inputs = {"pairs": pairs_digest(pairs)}

    def prepare(self, settings: CausalSettings) -> tuple[CausalModule, CausalData]:
        """See `TrainingTask`."""
        model = load_causal_model(settings.pretrained)
        parts = Split(*([pair_text(pair, model) for pair in part] for part in (self.split.train, self.split.held_out)))
        return CausalModule(model, settings), CausalData(parts, settings)

    def checkpoint(self, module: CausalModule, settings: CausalSettings, card: ModelCard) -> Checkpoint:  # noqa: ARG002
        """See `TrainingTask`."""
        return causal_checkpoint(module.model, card)
