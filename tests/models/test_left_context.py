"""Cloze models over the networks: batching changes nothing, padding is never read, alignments are those of A.4."""

from __future__ import annotations

import itertools
import math
import random

import pytest
import torch

from kgscripts.models.alignment.aligner import PairAligner
from kgscripts.models.cloze import Cloze
from kgscripts.reproductions.kidscook.networks.transducer import Transducer
from kgscripts.reproductions.kidscook.networks.vocabulary import PairBatch
from schemas.errors import InputError
from tests.models.networks import SETTINGS, TRANSDUCERS, VOCABULARY, WORDS, clozes, model, on_its_own, text, transducer

CANDIDATES = [*WORDS[:6], "whisk"]


@pytest.mark.parametrize("name", SETTINGS)
def test_each_query_is_answered_as_if_it_were_alone(name: str) -> None:
    cloze_model = model(name)
    queries = clozes(random.Random(1), 12)
    together = cloze_model.predict(queries, CANDIDATES)
    for query, row in zip(queries, together, strict=True):
        alone = cloze_model.predict([on_its_own(query)], CANDIDATES)[0]
        torch.testing.assert_close(row, alone, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", SETTINGS)
def test_rows_are_normalised_and_words_it_does_not_know_have_no_share(name: str) -> None:
    rows = model(name).predict(clozes(random.Random(2), 5), CANDIDATES)
    assert rows.shape[1] == len(CANDIDATES) + 1
    assert rows.dtype == torch.float32
    torch.testing.assert_close(rows.exp().sum(dim=1), torch.ones(len(rows)))
    assert (rows[:, CANDIDATES.index("whisk")] == -math.inf).all()
    assert torch.isfinite(rows[:, [0, 1, -1]]).all()


@pytest.mark.parametrize("name", SETTINGS)
def test_nothing_right_of_the_word_is_read(name: str) -> None:
    cloze_model = model(name)
    known = ("chop", "the", "garlic", "with", "salt")
    queries = [
        Cloze(("chop", "."), (*known[:3], *rest), (False,) * 3 + (True,) * 2, 3)
        for rest in (("_", "_"), ("knife", "care"), ("salt", "."))
    ]
    first, *others = cloze_model.predict(queries, CANDIDATES)
    for other in others:
        torch.testing.assert_close(other, first)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_pair_scores_the_same_in_any_batch(name: str) -> None:
    draw = random.Random(3)
    cloze_model = model(name)
    abstracts, concretes = [text(draw, 1, 6) for _ in range(9)], [text(draw, 1, 9) for _ in range(9)]
    together = cloze_model.score(abstracts, concretes)
    alone = torch.cat([cloze_model.score([a], [c]) for a, c in zip(abstracts, concretes, strict=True)])
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["language-model", "seq2seq", "seq2seq-attention"])
def test_the_score_is_the_product_of_the_next_word_probabilities(name: str) -> None:
    cloze_model = model(name)
    abstract, concrete = ("chop", "garlic"), ("use", "a", "knife", ".")
    hidden = tuple(True for _ in concrete)
    queries = [Cloze(abstract, concrete, hidden, place) for place in range(len(concrete))]
    words = [word for word in VOCABULARY.words if word != "#UNK#"]
    rows = cloze_model.predict(queries, words)
    expected = sum(float(rows[place, words.index(word)]) for place, word in enumerate(concrete))
    assert float(cloze_model.score([abstract], [concrete])[0]) == pytest.approx(expected, abs=1e-4)


def test_the_language_model_alone_ignores_the_abstract_side() -> None:
    hidden = (False, False, True)
    queries = [Cloze(abstract, ("use", "a", "_"), hidden, 2) for abstract in (("chop", "."), ("salt",))]
    for name in SETTINGS:
        one, other = model(name).predict(queries, CANDIDATES[:6])
        assert torch.allclose(one, other, atol=1e-6) == (name == "language-model")


def _paths(abstract: int, concrete: int) -> list[tuple[int, ...]]:
    return [path for path in itertools.product(range(abstract), repeat=concrete) if list(path) == sorted(path)]


def _log_probabilities(network: Transducer, abstract: list[int], concrete: list[int]) -> dict[tuple[int, ...], float]:
    """Of all paths; equations (2) to (6), one factor after the other."""
    batch = PairBatch.of_ids([abstract], [concrete], VOCABULARY.padding)
    encoded = network.encoder(network.embedding(batch.abstract), batch.abstract_lengths).states
    decoded = network.decode(batch.concrete)
    shift, emit, words = [], [], []
    for j, word in enumerate(concrete):
        transitions = network.transitions(encoded, decoded[:, j : j + 1])
        shift.append(transitions.shift.expand(1, 1, len(abstract))[0, 0].tolist())
        emit.append(transitions.emit.expand(1, 1, len(abstract))[0, 0].tolist())
        cells = (network.emission.logits(encoded[:, place], decoded[:, j]) for place in range(len(abstract)))
        words.append([float(logits.log_softmax(1)[0, word]) for logits in cells])
    found = {}
    for path in _paths(len(abstract), len(concrete)):
        total, at = 0.0, 0
        for j, place in enumerate(path):
            total += sum(shift[j][at:place]) + emit[j][place] + words[j][place]
            at = place
        found[path] = total
    return found


@pytest.mark.parametrize("name", TRANSDUCERS)
@pytest.mark.parametrize("seed", range(3))
@torch.no_grad()
def test_a_transducer_against_the_enumeration_of_all_alignments(name: str, seed: int) -> None:
    cloze_model = transducer(name, seed)
    network = cloze_model._network
    draw = random.Random(seed)
    abstract, concrete = text(draw, 3, 4), text(draw, 4, 5)
    a, c = VOCABULARY.ids(abstract), VOCABULARY.ids(concrete)
    scores = _log_probabilities(network, a, c)
    to_the_end = {path: score for path, score in scores.items() if path[-1] == len(a) - 1}
    marginal = torch.tensor(list(to_the_end.values())).logsumexp(0)
    assert float(cloze_model.score([abstract], [concrete])[0]) == pytest.approx(float(marginal), abs=1e-3)
    best = max(to_the_end, key=to_the_end.__getitem__)
    (alignment,) = cloze_model.align([(" ".join(abstract), " ".join(concrete))])
    assert alignment.path == best
    assert alignment.log_probability == pytest.approx(to_the_end[best] - float(marginal), abs=1e-3)
    for place, (found, token) in enumerate(zip(alignment.posterior, best, strict=True)):
        through = [score for path, score in to_the_end.items() if path[place] == token]
        assert found == pytest.approx(float((torch.tensor(through).logsumexp(0) - marginal).exp()), abs=1e-3)
    batch = PairBatch.of_ids([a], [c], VOCABULARY.padding)
    for path in (best, min(scores)):
        joint = network.path_log_likelihood(batch, torch.tensor([path]))
        assert float(joint[0]) == pytest.approx(scores[path], abs=1e-3)


@pytest.mark.parametrize("name", TRANSDUCERS)
@pytest.mark.parametrize("seed", range(3))
@torch.no_grad()
def test_a_word_is_predicted_from_all_alignments_of_what_stands_before_it(name: str, seed: int) -> None:
    cloze_model = transducer(name, seed)
    network = cloze_model._network
    draw = random.Random(seed)
    abstract, concrete = text(draw, 3, 4), text(draw, 4, 4)
    a, c = VOCABULARY.ids(abstract), VOCABULARY.ids(concrete)
    words = [word for word in VOCABULARY.words if word != "#UNK#"]
    ids = torch.tensor([*VOCABULARY.ids(words), VOCABULARY.unknown])
    for position in range(4):
        # Each word behind the same prefix, summed over all alignments of both.
        behind = [_log_probabilities(network, a, [*c[:position], word]) for word in ids.tolist()]
        totals = [torch.tensor(list(paths.values())).logsumexp(0) for paths in behind]
        query = Cloze(abstract, concrete, tuple(i >= position for i in range(4)), position)
        row = cloze_model.predict([query], words)[0]
        torch.testing.assert_close(row, torch.stack(totals).log_softmax(0), rtol=1e-4, atol=1e-4)


def test_which_models_have_alignments() -> None:
    for name in SETTINGS:
        made = model(name)
        assert isinstance(made, PairAligner) == (name in TRANSDUCERS)
        assert made.context == "left"


@pytest.mark.parametrize("name", TRANSDUCERS)
def test_alignments_are_monotonic_end_at_the_end_and_come_in_the_order_of_the_pairs(name: str) -> None:
    draw = random.Random(5)
    abstracts, concretes = [text(draw, 1, 6) for _ in range(20)], [text(draw, 1, 9) for _ in range(20)]
    pairs = [(" ".join(abstract), " ".join(concrete)) for abstract, concrete in zip(abstracts, concretes, strict=True)]
    paths = [list(alignment.path) for alignment in transducer(name).align(pairs)]
    for abstract, concrete, path in zip(abstracts, concretes, paths, strict=True):
        assert len(path) == len(concrete)
        assert path == sorted(path)
        assert path[-1] == len(abstract) - 1


@pytest.mark.parametrize("name", SETTINGS)
def test_long_sides_are_answered_and_enormous_ones_are_refused(name: str) -> None:
    cloze_model = model(name)
    long = ("knife",) * 700
    assert torch.isfinite(cloze_model.score([("chop", ".")], [long])).all()
    with pytest.raises(InputError, match="10,000 and 10,000"):
        cloze_model.score([("chop",) * 10_000], [("knife",) * 10_000])


@pytest.mark.parametrize("name", SETTINGS)
def test_texts_of_unknown_words_only(name: str) -> None:
    cloze_model = model(name)
    query = Cloze(("zarf", "zurf"), ("zirf", "_"), (False, True), 1)
    assert torch.isfinite(cloze_model.predict([query], ["knife"])).all()
    assert torch.isfinite(cloze_model.score([query.abstract], [query.concrete])).all()


def test_nothing_asked_is_nothing_answered() -> None:
    cloze_model = transducer("transducer-fixed")
    assert cloze_model.predict([], ["knife"]).shape == (0, 2)
    assert cloze_model.score([], []).shape == (0,)
    assert cloze_model.align([]) == []
