"""Training of the masked model: cross entropy of the hidden words, AdamW, linear warm-up and decay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytorch_lightning as pl
import torch
from torch.nn import functional

from kgscripts.models.masked import MaskedNetwork
from lightning_modules.cloze.data import Batch
from schemas.errors import ModelError


class MaskedModule(pl.LightningModule):
    """`others` are words that are guessed beside the blank ones, to learn the language of the texts; not kept.

    `total_steps` is the length of the schedule; `warm_up` the share of it until the full learning rate.
    """

    _other_vectors: torch.Tensor
    _other_bias: torch.Tensor

    def __init__(
        self,
        network: MaskedNetwork,
        others: Sequence[str],
        other_frequency: Sequence[float],
        *,
        learning_rate: float,
        weight_decay: float,
        warm_up: float,
        total_steps: int,
    ) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("_other_vectors", network.word_vectors(others), persistent=False)
        self.register_buffer("_other_bias", torch.tensor(other_frequency).log(), persistent=False)
        self._learning_rate, self._weight_decay = learning_rate, weight_decay
        self._warm_up, self._total_steps = max(1.0, warm_up * total_steps), total_steps

    def training_step(self, batch: Batch, number: int) -> torch.Tensor:
        """Mean nats a hidden word. Raises ModelError where that is no finite number.

        A blank word is told from the blank words, another word from the others: which of both it is, is known.
        """
        features = self.network.features(batch.inputs, batch.rows, batch.places)
        blanks = self.network.head.scores(features)
        others = functional.linear(features, self._other_vectors, self._other_bias)
        is_blank = batch.words < blanks.shape[1]
        nats = functional.cross_entropy(blanks[is_blank].float(), batch.words[is_blank], reduction="sum")
        if not is_blank.all():
            rest = batch.words[~is_blank] - blanks.shape[1]
            nats = nats + functional.cross_entropy(others[~is_blank].float(), rest, reduction="sum")
        loss = nats / len(batch.words)
        if not torch.isfinite(loss):
            where = f"epoch {self.current_epoch + 1}, batch {number + 1} ({', '.join(batch.where)})"
            remedy = "look at these pairs or lower the learning rate; finished epochs are kept for --resume"
            raise ModelError(f"the loss is {loss.item()}", where=where, remedy=remedy)
        return loss

    def validation_step(self, batch: Batch, number: int) -> None:  # noqa: ARG002
        """Surprisal of the held-out blanks, nats a word, and the share that is guessed right."""
        scores = self.network(batch.inputs, batch.rows, batch.places).float()
        size = len(batch.words)
        self.log("surprisal", functional.cross_entropy(scores, batch.words), batch_size=size, prog_bar=True)
        self.log("match", (scores.argmax(1) == batch.words).float().mean(), batch_size=size, prog_bar=True)

    def configure_optimizers(self) -> Any:
        """AdamW over what is trained, and its schedule by step."""
        parameters = [parameter for parameter in self.network.parameters() if parameter.requires_grad]
        optimizer = torch.optim.AdamW(parameters, lr=self._learning_rate, weight_decay=self._weight_decay)

        def share(step: int) -> float:
            rest = (self._total_steps - step) / max(1.0, self._total_steps - self._warm_up)
            return min((step + 1) / self._warm_up, max(0.0, rest))

        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, share)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Only what is trained: the encoder is not ours to copy."""
        checkpoint["state_dict"] = dict(self.network.trained())

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Put what was trained back; the encoder is there already."""
        self.network.restore(checkpoint["state_dict"])
        checkpoint["state_dict"] = self.state_dict()
