"""State changes by a causal language model that writes them as sentences (OpenPI, Tandon et al. 2020, section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import torch
from torch import Tensor

from kgscripts.models.checkpoint import Checkpoint, ModelCard, TrainedModel, from_checkpoint
from kgscripts.reproductions.kidscook.networks.causal import CausalModel
from kgscripts.reproductions.kidscook.networks.causal_loading import causal_checkpoint, cloze_model
from kgscripts.reproductions.openpi.change_template import NO_CHANGE, parse_change, split_sentences
from schemas.changes import Change, PredictedChange, ProcedureStep, steps_of
from schemas.errors import InputError, ModelError
from schemas.provenance import Model

KIND = "change-causal"
SEPARATOR = "[SEP]"
QUESTION = "Now, what happens?"

_BATCH = 8


class CausalChangeModel(TrainedModel):
    """A `kgscripts.models.changes.protocol.ChangeModel`; it generates greedily.

    The log probability of a change is the mean over the pieces of its sentence, in nats.

    Raises ModelError for a language model without a piece that ends a text.
    """

    def __init__(self, language_model: CausalModel, max_generated: int, model: Model) -> None:
        self.model = model
        self.unparsed = 0
        """The number of generated sentences in all predictions so far that were no state change; these are dropped."""
        self._language_model = language_model
        self._end = end_of_text(language_model)
        positions: int = language_model.network.config.max_position_embeddings
        self._most_generated = min(max_generated, positions // 2)
        self._most_read = positions - self._most_generated

    def to(self, device: str) -> CausalChangeModel:
        """This model, whose network is moved to another device."""
        self._language_model.network.to(device)
        return self

    def predict(self, steps: Sequence[ProcedureStep | str]) -> list[list[PredictedChange]]:
        """See `ChangeModel`. The title is not used; of a context that is too long the beginning is cut."""
        read = steps_of(steps)
        result: list[list[PredictedChange]] = [[] for _ in read]
        for places, prompts in self._batches(read):
            for place, (pieces, logs) in zip(places, self._most_probable(prompts), strict=True):
                result[place] = self._changes(pieces, logs)
        return result

    def considered(self, steps: Sequence[ProcedureStep | str]) -> list[list[PredictedChange]]:
        """See `ChangeModel`: those that it predicts."""
        return self.predict(steps)

    def _batches(self, steps: Sequence[ProcedureStep]) -> Iterator[tuple[list[int], list[list[int]]]]:
        """Places of steps whose prompts are about equally long, and these prompts."""
        prompts = [prompt_pieces(self._language_model, step)[-self._most_read :] for step in steps]
        order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            yield places, [prompts[place] for place in places]

    @torch.inference_mode()
    def _most_probable(self, prompts: Sequence[Sequence[int]]) -> list[tuple[list[int], list[float]]]:
        """The most probable next pieces after each prompt, up to the end of the text, and their log probabilities."""
        logs: list[Tensor] = []

        def keep(_: Tensor, logits: Tensor) -> Tensor:
            logs.append(logits.float().log_softmax(dim=-1).amax(dim=-1))
            return logits

        network: Any = self._language_model.network
        ids, attention = self._padded(prompts)
        written = network.generate(
            input_ids=ids,
            attention_mask=attention,
            max_new_tokens=self._most_generated,
            eos_token_id=self._end,
            pad_token_id=self._end,
            do_sample=False,
            num_beams=1,
            logits_processor=[keep],
        )[:, ids.shape[1] :].tolist()
        by_row = torch.stack(logs, dim=1).tolist()
        ended = [row[: row.index(self._end)] if self._end in row else row for row in written]
        return [(row, of[: len(row)]) for row, of in zip(ended, by_row, strict=True)]

    def _padded(self, prompts: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Ids and attention of prompts, padded on the left: (prompts, width) each."""
        width = max(map(len, prompts))
        ids = torch.tensor([[self._end] * (width - len(prompt)) + list(prompt) for prompt in prompts])
        attention = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts])
        device = self._language_model.network.device
        return ids.to(device), attention.to(device)

    def _changes(self, pieces: Sequence[int], logs: Sequence[float]) -> list[PredictedChange]:
        """The state changes in generated pieces. Each counts once."""
        decode = self._language_model.tokenizer.decode
        ends = [len(decode(list(pieces[: size + 1]))) for size in range(len(pieces))]
        found: dict[Change, float] = {}
        for start, stop, change in self._parsed(decode(list(pieces))):
            own = [log for log, end in zip(logs, ends, strict=True) if start < end <= stop]
            found.setdefault(change, math.fsum(own) / max(1, len(own)))
        ranked = sorted(found.items(), key=lambda item: -item[1])
        return [PredictedChange(change=change, log_probability=min(0.0, log)) for change, log in ranked]

    def _parsed(self, text: str) -> Iterator[tuple[int, int, Change]]:
        """The state changes in a text, and where their sentences begin and end."""
        position = 0
        for sentence in split_sentences(text):
            start = text.find(sentence, position)
            position = start + len(sentence)
            try:
                yield start, position, parse_change(sentence)
            except InputError:
                self.unparsed += 1


def end_of_text(model: CausalModel) -> int:
    """The piece that ends a text; in GPT-2 it also begins one. Raises ModelError if there is none."""
    if model.end is None:
        remedy = "name a model like GPT-2, whose tokenizer has an `eos_token` or a `bos_token`"
        raise ModelError("the language model has no piece that ends a text", where=model.name, remedy=remedy)
    return model.end


def prompt_pieces(model: CausalModel, step: ProcedureStep) -> list[int]:
    """Ids of the input for a step: its context, a separator, the step and the question of OpenPI."""
    return _pieces(model, f"{' '.join(step.context)} {SEPARATOR} {step.text} {QUESTION}".strip())


def answer_pieces(model: CausalModel, sentences: Sequence[str]) -> list[int]:
    """Ids of the target: the sentences of the changes separated by commas, and the end of the text."""
    return [*_pieces(model, f" {', '.join(sentences) or NO_CHANGE}"), end_of_text(model)]


def _pieces(model: CausalModel, text: str) -> list[int]:
    ids: list[int] = model.tokenizer.encode(text, add_special_tokens=False).ids
    return ids


def change_causal_checkpoint(model: CausalModel, max_generated: int, card: ModelCard) -> Checkpoint:
    """The checkpoint of a fine-tuned language model, which `causal_model` loads."""
    plain = causal_checkpoint(model, card)
    settings: Mapping[str, Any] = {**plain.settings, "max_generated": max_generated}
    return attrs.evolve(plain, kind=KIND, settings=settings)


@from_checkpoint
def causal_model(checkpoint: Checkpoint) -> CausalChangeModel:
    """The model of a checkpoint. Raises ModelError if its parts do not fit together."""
    assert checkpoint.model is not None
    most = checkpoint.settings.get("max_generated")
    if not isinstance(most, int) or most < 1:
        raise ValueError(f"max_generated is {most!r}")
    return CausalChangeModel(cloze_model(checkpoint), most, checkpoint.model)
