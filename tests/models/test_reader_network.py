"""The network of the reader: shapes, scores without padding, and that the reader computes the same without torch."""

from __future__ import annotations

import numpy as np
import torch

from kgscripts.models.reader.heads import ReaderHeads
from kgscripts.models.reader.labels import GRAPH
from kgscripts.reproductions.torch_networks.bert import Bert, BertConfig
from lightning_modules.reader.network import ReaderNetwork, ReaderSettings, WindowBatch

_BERT = BertConfig(
    vocab_size=50,
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=32,
    max_position_embeddings=40,
    type_vocab_size=2,
)
_SETTINGS = ReaderSettings(
    pair_size=8, words={GRAPH: ["", "do"], "other": ["", "a", "b"]}, flags=["needed"], pairs={GRAPH: ["", "obj"]}
)


def _batch(padding: int) -> WindowBatch:
    ids = torch.zeros(1, 12 + padding, dtype=torch.int64)
    ids[0, :12] = torch.arange(1, 13)
    attention = torch.zeros_like(ids)
    attention[0, :12] = 1
    spans = torch.zeros(1, 5 + padding, 2, dtype=torch.int64)
    spans[0, :5] = torch.tensor([(1, 3), (3, 4), (4, 7), (7, 8), (8, 11)])
    return WindowBatch(ids, attention, spans)


@torch.inference_mode()
def test_scores_do_not_depend_on_padding() -> None:
    torch.manual_seed(1)
    network = ReaderNetwork(Bert(_BERT), _SETTINGS).train(False)
    row, place = torch.tensor([0, 0]), torch.tensor([0, 3])
    found = []
    for padding in (0, 7):
        batch = _batch(padding)
        assert (batch.spans[:, :, 1] > 0).sum() == 5
        states = network.states(batch)
        words, pairs = network.words(states, "other"), network.pairs(network.parts(states), row, place, GRAPH)
        assert words.shape == (1, 5 + padding, 3)
        assert pairs.shape == (2, 5 + padding, 2)
        found.append((words[:, :5], pairs[:, :5]))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


@torch.inference_mode()
def test_a_pair_knows_which_of_its_words_is_the_predicate() -> None:
    torch.manual_seed(1)
    network = ReaderNetwork(Bert(_BERT), _SETTINGS).train(False)
    states = network.states(_batch(0))
    scores = network.pairs(network.parts(states), torch.tensor([0, 0]), torch.tensor([0, 3]), GRAPH)
    assert not torch.allclose(scores[0, 3], scores[1, 0])


@torch.inference_mode()
def test_the_layers_of_the_reader_compute_the_same() -> None:
    torch.manual_seed(1)
    network = ReaderNetwork(Bert(_BERT), _SETTINGS).train(False)
    heads = ReaderHeads({name: value.numpy() for name, value in network.state_dict().items()})
    assert heads.fits(16, _SETTINGS.words, _SETTINGS.pairs)
    assert not heads.fits(8, _SETTINGS.words, _SETTINGS.pairs)
    assert heads.annotations == {GRAPH}
    states = torch.randn(1, 40, 16)
    own = states[0].numpy()
    for annotation in _SETTINGS.words:
        np.testing.assert_allclose(heads.words(own, annotation), network.words(states, annotation)[0], atol=1e-5)
    np.testing.assert_allclose(heads.flags(own), network.flags(states)[0], atol=1e-5)
    for place in (0, 7, 39):
        scores = network.pairs(network.parts(states), torch.tensor([0]), torch.tensor([place]), GRAPH)[0]
        np.testing.assert_allclose(heads.pairs(heads.parts(own), place, GRAPH), scores, atol=1e-5)
