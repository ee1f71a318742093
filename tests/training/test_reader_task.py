"""Training of the reader: batches hold what is labelled, and the loss falls."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import torch

from kgscripts.models.checkpoint import ModelCard
from kgscripts.models.reader.labels import GRAPH, NONE, PAIRS, WORDS
from kgscripts.models.reader.windows import ReaderText
from kgscripts.reproductions.reader.gold import LabelledText, labelled_passages, shipped_passages
from lightning_modules.reader.task import ReaderData, ReaderModule, ReaderTask, _of_referents
from lightning_modules.task_settings import ReaderTrainingSettings

SETTINGS = ReaderTrainingSettings(batch_size=4, pair_size=16)


@pytest.fixture(scope="module")
def prepared() -> tuple[ReaderModule, ReaderData]:
    """Twelve passages, and a text of another set, long enough for several windows."""
    torch.manual_seed(1)
    sentence = ["Scrub", "the", "floor", "with", "a", "brush", "."]
    text = ReaderText("Cleaning a floor", [sentence] * 40)
    scrubbing = range(0, text.words, len(sentence))
    other = LabelledText(
        set="wikihow-fg",
        id="floor",
        text=text,
        words=dict.fromkeys(scrubbing, "Ae"),
        pairs={place: {place + 2: "I Targ"} for place in scrubbing},
    )
    return ReaderTask("reader", [*labelled_passages(shipped_passages()[:1])[:12], other]).prepare(SETTINGS)


def test_small_sets_come_several_times() -> None:
    own = labelled_passages(shipped_passages()[:1])[:40]
    few = [LabelledText("wikihow-fg", "mop", ReaderText("", [["Mop", "it", "."]]), {0: "Ae"}, {0: {1: "I Targ"}})]
    _, data = ReaderTask("reader", [*own, *few]).prepare(ReaderTrainingSettings(pair_size=16, least_share=0.25))
    sets = Counter(example.text.set for examples in data.train_batches(random.Random(1)) for example in examples)
    assert 0.2 < sets["wikihow-fg"] / sets.total() < 0.35


def test_what_ships_alone_leaves_the_weights_free() -> None:
    own = labelled_passages(shipped_passages()[:1])[:12]
    other = LabelledText("wikihow-fg", "mop", ReaderText("", [["Mop", "it", "."]]), {0: "Ae"}, {0: {1: "I Targ"}})
    assert ReaderTask("reader", own).licence == "Apache-2.0"
    assert ReaderTask("reader", [*own, other]).licence == "CC-BY-NC-SA-3.0"


def test_a_reader_goes_on_where_it_started(prepared: tuple[ReaderModule, ReaderData]) -> None:
    module, _ = prepared
    texts = labelled_passages(shipped_passages()[:1])[:12]
    card = ModelCard(name="mine", version="1", task="", licence="", data="", command="", training={"run": "1"})
    start = ReaderTask("reader", texts).checkpoint(module, SETTINGS, card)
    again, _ = ReaderTask("reader", texts, start).prepare(SETTINGS)
    for name, value in module.trained_state().items():
        # The matrices of the encoder are stored as int8.
        torch.testing.assert_close(again.trained_state()[name], value, atol=5e-2, rtol=1e-2)
    assert ReaderTask("reader", texts, start).inputs != ReaderTask("reader", texts).inputs


def test_each_label_is_in_one_batch(prepared: tuple[ReaderModule, ReaderData]) -> None:
    _, data = prepared
    texts = {id(example.text): example.text for part in ("train", "held_out") for example in getattr(data._parts, part)}
    words = dict.fromkeys(WORDS, 0)
    pairs = dict.fromkeys(PAIRS, 0)
    for examples in (*data.train_batches(random.Random(1)), *data.held_out_batches()):
        batch = data.collate(examples)
        words[batch.set] += int((batch.words > 0).sum())
        pairs[batch.set] += int((batch.pairs > 0).sum())
        assert (batch.words[batch.row, batch.place] > 0).all()
        assert not (batch.words >= 0)[batch.windows.spans[:, :, 1] == 0].any()
    assert words["wikihow-fg"] == pairs["wikihow-fg"] == 40
    own = [text for text in texts.values() if text.set == GRAPH]
    assert words[GRAPH] == sum(label != NONE for text in own for label in text.words.values())
    assert pairs[GRAPH] == sum(len(things) for text in own for things in text.pairs.values())


def test_the_loss_falls_and_embeddings_stay(prepared: tuple[ReaderModule, ReaderData]) -> None:
    module, data = prepared
    embeddings = module.network.bert.embeddings.word_embeddings.weight.clone()
    batch = data.collate(data.train_batches(random.Random(1))[0])
    optimizer = torch.optim.AdamW(module.parameter_groups())
    losses = []
    for _ in range(6):
        loss = module.loss(batch).mean
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2
    assert torch.equal(embeddings, module.network.bert.embeddings.word_embeddings.weight)
    state = {name: value.clone() for name, value in module.trained_state().items()}
    assert not any("word_embeddings" in name for name in state)
    with torch.no_grad():
        module.network.flags.bias.add_(1)
    module.restore(state)
    torch.testing.assert_close(module.trained_state(), state)
    assert torch.equal(embeddings, module.network.bert.embeddings.word_embeddings.weight)


def test_things_that_a_pronoun_may_stand_for_compete() -> None:
    """The surprisal is that of the right ones among all words, by the odds of the label of each."""
    scores = torch.tensor([[[0.0, 1.0], [0.0, 3.0], [0.0, 2.0]], [[0.0, 1.0], [0.0, 5.0], [0.0, 2.0]]])
    gold = torch.tensor([[0, 1, 1], [0, 0, -1]])
    shares = torch.tensor([1.0, 3.0, 2.0]).softmax(dim=0)
    expected = -torch.log(shares[1] + shares[2])
    torch.testing.assert_close(_of_referents(scores, gold, 1), expected)
    # Behind the words of a row is nothing to choose.
    padded = torch.tensor([[0, 1, -1]])
    torch.testing.assert_close(_of_referents(scores[:1], padded, 1), -torch.log(torch.tensor([1.0, 3.0]).softmax(0)[1]))
    assert _of_referents(scores[:0], gold[:0], 1) == 0
