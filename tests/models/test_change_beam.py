"""The beam search finds what trying all changes finds, with the log probabilities that training computes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

import pytest
import torch
from torch import Tensor

from kgscripts.reproductions.openpi.composer import beam as change_beam
from kgscripts.reproductions.openpi.composer.beam import Candidate, candidates
from kgscripts.reproductions.openpi.composer.inputs import (
    FEATURES,
    MOST_NOUNS,
    PointedNoun,
    StepBatch,
    StepInput,
    batch_of,
)
from kgscripts.reproductions.openpi.composer.network import MOST_COUNTED, PARTS, ChangeNetwork
from kgscripts.reproductions.openpi.composer.vocabulary import Value, joined
from kgscripts.reproductions.torch_networks.bert import Bert, BertConfig, BertOutput
from lightning_modules.module import Split
from lightning_modules.state_changes.composer_task import (
    ABSENT,
    UNKNOWN,
    ComposedChange,
    ComposerData,
    ComposerExample,
    ComposerModule,
)
from lightning_modules.task_settings import ComposerTrainingSettings
from schemas.changes import Change
from tests.models.tiny_composer import VOCABULARY, network

SETTINGS = ComposerTrainingSettings()
PIECES = 16
INPUTS = [
    # "pan" is an entity and a filler of the vocabulary too, "egg" an entity alone, "box" neither.
    StepInput(
        ids=[101, *range(2000, 2008), 102, 102, 102],
        types=[0] * 9 + [1] * 3,
        nouns=[
            PointedNoun("pan", ((2, 3), (5, 7)), (1.0, 1.0, 0.5, 0.0, 1.0)),
            PointedNoun("box", ((4, 5),), (1.0, 0.0, 0.25, 0.0, 1.0)),
            PointedNoun("egg", ((7, 8),), (0.0, 1.0, 0.25, 0.0, 1.0)),
        ],
        title=(10, 10),
    ),
    StepInput(ids=[101, 2001, 2002, 102, 102, 102], types=[0] * 3 + [1] * 3, nouns=[], title=(4, 4)),
]


@pytest.fixture(scope="module")
def tiny() -> ChangeNetwork:
    return network()


@pytest.fixture(scope="module")
def batch() -> StepBatch:
    return batch_of(INPUTS, PIECES)


@pytest.fixture(scope="module")
def states() -> Tensor:
    return torch.randn(len(INPUTS), PIECES, 384, generator=torch.Generator().manual_seed(5))


def tiny_bert() -> Bert:
    config = BertConfig(
        vocab_size=4,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=4,
        type_vocab_size=2,
    )
    return Bert(config)


def surprisal(network: ChangeNetwork, states: Tensor, step: StepInput, changes: Sequence[ComposedChange]) -> float:
    """Of all changes together, as training computes it."""
    example = ComposerExample(step, changes, len(changes), "here")
    composed = ComposerData(Split([example], [example]), SETTINGS).collate([example])
    with torch.no_grad():
        return float(ComposerModule(network, tiny_bert(), SETTINGS)._of_changes(composed, states))


def all_changes(step: StepInput) -> Iterator[tuple[Change | None, ComposedChange]]:
    """All changes as text, None for those that change nothing, and as parts."""
    nouns = {noun.noun: place for place, noun in enumerate(step.nouns)}

    def either(kind: int) -> list[tuple[str, int, int]]:
        places = VOCABULARY.places[kind]
        return [(text, places.get(text, UNKNOWN), nouns.get(text, UNKNOWN)) for text in {**places, **nouns}]

    values = list[tuple[str, tuple[int, int], tuple[int, int]]]()
    for place, phrase in enumerate(VOCABULARY.phrases):
        if phrase == "in @":
            values += [(joined(Value(phrase, text)), (place, at), (UNKNOWN, noun)) for text, at, noun in either(3)]
        else:
            values.append((phrase, (place, ABSENT), (UNKNOWN, ABSENT)))
    for entity, attribute, before, after in product(either(0), enumerate(VOCABULARY.attributes), values, values):
        change = Change(entity=entity[0], attribute=attribute[1], before=before[0], after=after[0])
        texts = (entity[1], attribute[0], *before[1], *after[1])
        pointed = (entity[2], UNKNOWN, *before[2], *after[2])
        yield None if before[0] == after[0] else change, ComposedChange(texts, pointed)


@pytest.fixture(scope="module")
def by_trying_all(tiny: ChangeNetwork, states: Tensor) -> list[dict[Change | None, float]]:
    """The log probability of each change of each step; that of None is of all that change nothing."""
    found = []
    for row, step in enumerate(INPUTS):
        own: dict[Change | None, float] = {None: -math.inf}
        for change, parts in all_changes(step):
            # Without padding: what is hidden must not count.
            log = -surprisal(tiny, states[row : row + 1, : len(step.ids)], step, [parts])
            own[change] = math.log(math.exp(own[None]) + math.exp(log)) if change is None else log
        found.append(own)
    return found


def search(network: ChangeNetwork, states: Tensor, batch: StepBatch) -> list[list[Candidate]]:
    with torch.inference_mode():
        tables = [table() for table in network.tables]
        return candidates(network, VOCABULARY, tables, INPUTS, states, batch)


def test_all_changes_have_probability_one(by_trying_all: list[dict[Change | None, float]]) -> None:
    assert [len(own) for own in by_trying_all] == [4 * 2 * (6 * 6 - 6) + 1, 3 * 2 * (4 * 4 - 4) + 1]
    for own in by_trying_all:
        assert math.isclose(sum(map(math.exp, own.values())), 1.0, abs_tol=1e-5)


def test_a_wide_search_finds_every_change(
    tiny: ChangeNetwork,
    states: Tensor,
    batch: StepBatch,
    by_trying_all: list[dict[Change | None, float]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(change_beam, "WIDTHS", (10_000,) * PARTS)
    for found, expected in zip(search(tiny, states, batch), by_trying_all, strict=True):
        logs = dict(found)
        assert len(found) == len(logs)
        assert logs.keys() == expected.keys() - {None}
        assert all(math.isclose(log, expected[change], abs_tol=1e-4) for change, log in logs.items())


def test_a_narrow_search_finds_probable_changes(
    tiny: ChangeNetwork, states: Tensor, batch: StepBatch, by_trying_all: list[dict[Change | None, float]]
) -> None:
    for found, expected in zip(search(tiny, states, batch), by_trying_all, strict=True):
        assert 0 < len(found) <= change_beam.WIDTHS[-1]
        assert all(math.isclose(log, expected[change], abs_tol=1e-4) for change, log in found)
        best = max((change for change in expected if change), key=lambda change: expected[change])
        assert best in dict(found)


def test_the_table_of_a_vocabulary_folds(states: Tensor, batch: StepBatch) -> None:
    whole, folded = network(vectors=True), network(seed=4)
    folded.load_state_dict(whole.folded())
    found, expected = search(folded, states, batch), search(whole, states, batch)
    assert [[change for change, _ in own] for own in found] == [[change for change, _ in own] for own in expected]
    assert torch.equal(folded.counts(states, batch), whole.counts(states, batch))


def test_the_surprisal_of_changes_adds_up(tiny: ChangeNetwork, states: Tensor) -> None:
    step = INPUTS[0]
    parts = [parts for _, parts in all_changes(step)][3::50]
    alone = [surprisal(tiny, states[:1, : len(step.ids)], step, [one]) for one in parts]
    assert math.isclose(surprisal(tiny, states[:1, : len(step.ids)], step, parts), sum(alone), rel_tol=1e-5)


def test_parts_that_are_unknown_cost_nothing(tiny: ChangeNetwork, states: Tensor) -> None:
    unknown = ComposedChange((UNKNOWN,) * PARTS, (UNKNOWN,) * PARTS)
    assert surprisal(tiny, states[1:, :6], INPUTS[1], [unknown]) == 0.0
    assert surprisal(tiny, states[1:, :6], INPUTS[1], []) == 0.0


def test_the_loss_is_per_change_and_counts_them(
    tiny: ChangeNetwork, states: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = [parts for _, parts in all_changes(INPUTS[0])][3::60]
    examples = [ComposerExample(INPUTS[0], changes, 99, ""), ComposerExample(INPUTS[1], [], 0, "")]
    composed = ComposerData(Split(examples, examples), SETTINGS).collate(examples)
    assert composed.counts.tolist() == [MOST_COUNTED, 0]
    short = states[:, : composed.inputs.ids.shape[1]]
    monkeypatch.setattr(Bert, "forward", lambda *_: BertOutput(short))
    with torch.no_grad():
        loss = ComposerModule(tiny, tiny_bert(), SETTINGS).loss(composed)
        logs = tiny.counts(short, composed.inputs).log_softmax(-1)
    counted = -(logs[0, MOST_COUNTED] + logs[1, 0]) / 2
    each = surprisal(tiny, states[:1, : len(INPUTS[0].ids)], INPUTS[0], changes) / len(changes)
    assert loss.items == len(changes)
    assert math.isclose(float(loss.mean), each + 0.3 * float(counted), rel_tol=1e-5)


def test_batches_hold_shares_of_pieces(batch: StepBatch) -> None:
    weights = batch.weights[0]
    assert weights.shape == (MOST_NOUNS, PIECES)
    assert weights[0, [2, 5, 6]].tolist() == pytest.approx([1 / 3] * 3)
    assert Counter(weights.sum(dim=1).tolist()) == {1.0: 3, 0.0: MOST_NOUNS - 3}
    assert batch.features.shape == (2, MOST_NOUNS, FEATURES)
    assert batch.is_noun.sum(dim=1).tolist() == [3, 0]
    assert batch.attention.sum(dim=1).tolist() == [12, 6]
