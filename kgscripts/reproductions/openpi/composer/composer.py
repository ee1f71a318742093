"""The model of state changes that ships: it composes changes of a step, and chooses a set of them.

MiniLM reads the step with its title and context; a small network gives the probability of any change, part by part
(`change_network`); a beam search finds the most probable ones (`change_beam`); and the set is chosen that is expected
to agree best with the changes of the network and of the most similar training steps (`change_selection`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeVar

import attrs
import torch
from attrs import field, frozen, validators
from torch import Tensor

from kgscripts.models.adapters import split_adapters
from kgscripts.models.checkpoint import Checkpoint, ModelCard, from_checkpoint
from kgscripts.models.quantised import with_scales
from kgscripts.models.sentence_vectors import SIZE
from kgscripts.reproductions.openpi.composer.beam import Candidate, candidates
from kgscripts.reproductions.openpi.composer.inputs import batch_of, step_inputs
from kgscripts.reproductions.openpi.composer.neighbours import MOST_NEIGHBOURS, KnownSteps, NeighbourSearch
from kgscripts.reproductions.openpi.composer.network import ChangeNetwork, NetworkSize, whole_heads
from kgscripts.reproductions.openpi.composer.selection import SelectionSettings, select
from kgscripts.reproductions.openpi.composer.vocabulary import ChangeVocabulary
from kgscripts.reproductions.torch_networks.adapters import adapters_between, layer_weights, merge_adapters
from kgscripts.reproductions.torch_networks.bert import BertEncoder, load_bert
from kgscripts.reproductions.torch_networks.inference import ROWS, fixed_batches, padded_length, run_side_by_side
from schemas.changes import PredictedChange, ProcedureStep, steps_of
from schemas.provenance import Model

KIND = "change-composer"
STRINGS = "strings.json"
VOCABULARY = "vocabulary.json"

_NETWORK, _KNOWN = "network.", "known."
_ADAPTERS = ("adapters.down.{}", "adapters.up.{}")
_Value = TypeVar("_Value")
_BATCH = 128
"""Steps whose intermediate results are in memory at a time."""
_count = [validators.instance_of(int), validators.ge(1)]
_cosine = [validators.instance_of(float), validators.ge(-1.0), validators.le(1.0)]


@frozen(kw_only=True)
class ComposerSettings:
    """The hyperparameters of network, neighbours and selection."""

    size: int = field(default=256, validator=[*_count, whole_heads])
    layers: int = field(default=2, validator=[*_count, validators.le(64)])
    rank: int = field(default=24, validator=[*_count, validators.le(SIZE)])
    """Of the encoder's adapters."""
    neighbours: int = field(default=40, validator=[*_count, validators.le(MOST_NEIGHBOURS)])
    temperature: float = field(default=0.1, validator=[validators.instance_of(float), validators.gt(0.0)])
    noun_similarity: float = field(default=0.1, validator=_cosine)
    selection: SelectionSettings = field(factory=SelectionSettings)


class ChangeComposer:
    """A `kgscripts.reproductions.openpi.composer.protocol.ChangeModel`.

    The changes of a step do not depend on the other steps of a call: batches have fixed shapes, and random numbers a
    fixed seed.
    """

    def __init__(
        self,
        network: ChangeNetwork,
        vocabulary: ChangeVocabulary,
        known: KnownSteps,
        settings: ComposerSettings,
        model: Model,
        encoder: BertEncoder,
    ) -> None:
        self.model = model
        self._network = network.eval()
        self._vocabulary = vocabulary
        self._settings = settings
        self._encoder = encoder
        self._tables = [table().detach() for table in network.tables]
        self._search = NeighbourSearch(
            known,
            neighbours=settings.neighbours,
            temperature=settings.temperature,
            noun_similarity=settings.noun_similarity,
        )

    def to(self, device: str) -> ChangeComposer:
        """This model, whose networks are moved to another device."""
        self._encoder.to(device)
        self._network.to(device)
        self._tables = [table().detach() for table in self._network.tables]
        return self

    def predict(self, steps: Sequence[ProcedureStep | str]) -> list[list[PredictedChange]]:
        """See `ChangeModel`."""
        result, read = [], steps_of(steps)
        for start in range(0, len(read), _BATCH):
            result += self._predict(read[start : start + _BATCH])
        return result

    def _predict(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        neighbours = self._search.find([step.text for step in steps])
        return [
            select(changes, counts.double().numpy(), answers, self._settings.selection)
            for (changes, counts), answers in zip(self._read(steps), neighbours, strict=True)
        ]

    def _read(self, steps: Sequence[ProcedureStep]) -> list[tuple[list[Candidate], Tensor]]:
        """What the network says of each step: changes with log probabilities, and probabilities of their number."""
        inputs = list(step_inputs(steps, self._encoder))
        batches = list(fixed_batches([len(item.ids) for item in inputs]))

        def run(chosen: Sequence[int]) -> list[tuple[list[Candidate], Tensor]]:
            rows = [inputs[row] for row in (*chosen, *[chosen[0]] * (ROWS - len(chosen)))]
            batch = batch_of(rows, padded_length(max(len(item.ids) for item in rows))).to(self._encoder.device)
            states = self._encoder.network(batch.ids, batch.attention, batch.types).last_hidden_state
            counts = self._network.counts(states, batch).softmax(-1).cpu()
            changes = candidates(self._network, self._vocabulary, self._tables, rows, states, batch)
            return list(zip(changes, counts, strict=True))[: len(chosen)]

        read: dict[int, tuple[list[Candidate], Tensor]] = {}
        for chosen, outputs in zip(batches, run_side_by_side(run, batches), strict=True):
            read |= zip(chosen, outputs, strict=True)
        return [read[row] for row in range(len(inputs))]


def composer_checkpoint(
    network: ChangeNetwork,
    vocabulary: ChangeVocabulary,
    known: KnownSteps,
    settings: ComposerSettings,
    card: ModelCard,
    trained: Mapping[str, Tensor],
) -> Checkpoint:
    """The checkpoint of a trained network and its known steps; floating-point numbers in half
    precision, large matrices of the network as int8.

    `trained` are the weights of the encoder after training, by the names of their layers; they become adapters.
    """
    encoder = load_bert()
    down, up = adapters_between(layer_weights(encoder.network), trained, settings.rank)
    weights = {_NETWORK + name: value for name, value in network.folded().items()}
    for form, own in zip(_ADAPTERS, (down, up), strict=True):
        weights |= {form.format(name): value for name, value in own.items()}
    numbers = {name: value.detach().cpu().numpy() for name, value in weights.items()}
    steps, strings = known.packed()
    tensors = {**with_scales(numbers), **{_KNOWN + name: value for name, value in steps.items()}}
    values = {**attrs.asdict(settings), "encoder_sha256": encoder.digest}
    files = {STRINGS: _lines(strings), VOCABULARY: _lines(attrs.asdict(vocabulary))}
    return Checkpoint(kind=KIND, settings=values, tensors=tensors, card=card, files=files)


@from_checkpoint
def composer_model(checkpoint: Checkpoint) -> ChangeComposer:
    """The model of a checkpoint. Raises ModelError if its parts do not fit together, or MiniLM is another one."""
    assert checkpoint.model is not None
    encoder = load_bert()
    values = dict(checkpoint.settings)
    digest = values.pop("encoder_sha256")
    selection = SelectionSettings(**values.pop("selection"))
    settings = ComposerSettings(**values, selection=selection)
    vocabulary = _vocabulary(checkpoint.json(VOCABULARY))
    down, up, _ = split_adapters(checkpoint.tensors, _ADAPTERS)
    weights = {name: value.float() for name, value in below(_NETWORK, checkpoint.as_torch()).items()}
    if weights["begin"].shape != (settings.size,):
        raise ValueError("weights of a network of another size")
    # Without memory of its own, which would be as much as the settings say.
    with torch.device("meta"):
        network = ChangeNetwork(
            [len(places) for places in vocabulary.places], NetworkSize(settings.size, settings.layers)
        )
    network.load_state_dict(weights, assign=True)
    merge_adapters(encoder.network, down, up, settings.rank)
    known = KnownSteps.read(below(_KNOWN, checkpoint.tensors), checkpoint.json(STRINGS))
    encoder.check(digest)
    return ChangeComposer(network, vocabulary, known, settings, checkpoint.model, encoder)


def below(prefix: str, values: Mapping[str, _Value]) -> dict[str, _Value]:
    """The values whose names begin so, by the rest of their names."""
    return {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}


def _vocabulary(values: Mapping[str, Sequence[str]]) -> ChangeVocabulary:
    vocabulary = ChangeVocabulary(**{name: tuple(texts) for name, texts in values.items()})
    for texts, places in zip(attrs.astuple(vocabulary), vocabulary.places, strict=True):
        if not texts or len(places) != len(texts) or not all(isinstance(text, str) and text for text in texts):
            raise ValueError("a vocabulary that is empty or has duplicates")
        "".join(texts).encode()  # Raises UnicodeEncodeError, a ValueError, for a lone surrogate.
    return vocabulary


def _lines(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=0) + "\n").encode()
