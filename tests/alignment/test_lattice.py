"""The lattice against an enumeration of all monotonic alignments."""

from __future__ import annotations

import math

import pytest
import torch
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from kgscripts.reproductions.kidscook.lattice.lattice import (
    Transitions,
    fixed_transitions,
    log_marginal,
    next_alignments,
    parameterised_transitions,
    posteriors,
    transition_log_probability,
    viterbi,
)
from tests.alignment.enumeration import Batch, alignments, batches, log_sum

CLOSE = 1e-9


@settings(max_examples=150)
@given(batch=batches(), last_to_last=st.booleans())
def test_marginal_is_the_sum_over_all_alignments(batch: Batch, last_to_last: bool) -> None:
    marginals = log_marginal(*batch.arguments, last_to_last=last_to_last)
    for item, marginal in enumerate(marginals.tolist()):
        paths = alignments(batch, item, last_to_last=last_to_last)
        assert marginal == pytest.approx(log_sum(list(paths.values())), abs=CLOSE)


@settings(max_examples=100)
@given(batch=batches(), last_to_last=st.booleans())
def test_posteriors_are_shares_of_alignments(batch: Batch, last_to_last: bool) -> None:
    found = posteriors(*batch.arguments, last_to_last=last_to_last)
    for item in range(len(batch)):
        expected = torch.zeros_like(found[item])
        paths = alignments(batch, item, last_to_last=last_to_last)
        total = log_sum(list(paths.values()))
        for path, value in paths.items():
            if value > -math.inf:
                expected[range(len(path)), path] += math.exp(value - total)
        torch.testing.assert_close(found[item], expected, atol=CLOSE, rtol=0)


@settings(max_examples=150)
@given(batch=batches(), last_to_last=st.booleans())
def test_viterbi_finds_the_best_alignment(batch: Batch, last_to_last: bool) -> None:
    found = viterbi(*batch.arguments, last_to_last=last_to_last)
    for item, length in enumerate(batch.concrete_lengths.tolist()):
        paths = alignments(batch, item, last_to_last=last_to_last)
        best = max(paths.values())
        assert found.log_probability[item].item() == pytest.approx(best, abs=CLOSE)
        path = found.path[item].tolist()
        assert path[length:] == [0] * (len(path) - length)
        if best > -math.inf:
            assert paths[tuple(path[:length])] == pytest.approx(best, abs=CLOSE)
        else:
            assert path == [0] * len(path)


@settings(max_examples=100)
@given(batch=batches())
def test_next_alignments_are_shares_of_the_alignments_of_every_prefix(batch: Batch) -> None:
    emission, shift, emit, tokens, words = batch.arguments
    found = next_alignments(emission[:, :-1], shift, emit, tokens, words - 1)
    assert found.shape == emission.shape
    for item, length in enumerate(words.tolist()):
        assert (found[item, length:] == -math.inf).all()
        for word in range(length):
            # The word itself has no part in it.
            unsaid = emission.clone()
            unsaid[item, word] = 0.0
            paths = alignments(evolve(batch, emission=unsaid), item, last_to_last=False, words=word + 1)
            total = log_sum(list(paths.values()))
            for token, value in enumerate(found[item, word].tolist()):
                ending = [probability for path, probability in paths.items() if path[-1] == token]
                expected = log_sum([*ending, -math.inf]) - total if total > -math.inf else -math.inf
                assert value == pytest.approx(expected, abs=CLOSE)


def test_before_any_word_the_next_is_where_the_shifts_lead() -> None:
    transitions = fixed_transitions(0.25)
    found = next_alignments(
        torch.zeros(2, 0, 3), transitions.shift, transitions.emit, torch.tensor([3, 2]), torch.tensor([0, 0])
    )
    shares = torch.tensor([[[1.0, 0.25, 0.0625]], [[1.0, 0.25, 0.0]]])
    torch.testing.assert_close(found.exp(), shares / shares.sum(dim=2, keepdim=True))


@settings(max_examples=100)
@given(batch=batches(), data=st.data())
def test_words_and_transitions_give_the_enumerated_probability(batch: Batch, data: st.DataObject) -> None:
    chosen = [
        data.draw(st.sampled_from(list(alignments(batch, item, last_to_last=False)))) for item in range(len(batch))
    ]
    padding = data.draw(st.integers(0, 9))
    path = torch.full(batch.emission.shape[:2], padding)
    for item, tokens in enumerate(chosen):
        path[item, : len(tokens)] = torch.tensor(tokens)
    emission, shift, emit, *lengths = batch.arguments
    transitions = transition_log_probability(shift, emit, path, *lengths)
    for item, tokens in enumerate(chosen):
        words = sum(emission[item, word, token].item() for word, token in enumerate(tokens))
        expected = alignments(batch, item, last_to_last=False)[tokens]
        assert transitions[item].item() + words == pytest.approx(expected, abs=CLOSE)


def test_the_best_path_has_its_own_probability() -> None:
    generator = torch.Generator().manual_seed(5)
    emission = torch.randn(4, 30, 12, generator=generator)
    transitions = parameterised_transitions(torch.randn(4, 30, 12, generator=generator))
    lengths = torch.tensor([12, 7, 1, 9]), torch.tensor([30, 4, 21, 1])
    best = viterbi(emission, transitions.shift, transitions.emit, *lengths)
    own = torch.arange(30) < lengths[1][:, None]
    words = emission.gather(2, best.path[:, :, None])[:, :, 0].masked_fill(~own, 0.0).sum(dim=1)
    moves = transition_log_probability(transitions.shift, transitions.emit, best.path, *lengths)
    torch.testing.assert_close(words + moves, best.log_probability)


@settings(max_examples=50)
@given(batch=batches(), last_to_last=st.booleans(), rubbish=st.sampled_from((0.0, math.nan, -math.inf, math.inf)))
def test_padding_is_never_read(batch: Batch, last_to_last: bool, rubbish: float) -> None:
    size, words, tokens = batch.emission.shape
    own = torch.arange(words)[None, :, None] < batch.concrete_lengths[:, None, None]
    own = own & (torch.arange(tokens) < batch.abstract_lengths[:, None, None])

    def padded(cells: Tensor) -> Tensor:
        wide = torch.full((size, words + 2, tokens + 3), rubbish, dtype=cells.dtype)
        wide[:, :words, :tokens] = torch.where(own, cells, rubbish)
        return wide

    lengths = batch.abstract_lengths, batch.concrete_lengths
    padded_batch = Batch(padded(batch.emission), padded(batch.shift), padded(batch.emit), *lengths)
    # Sums of other widths are added in another order, which shows in the last digits.
    torch.testing.assert_close(
        log_marginal(*batch.arguments, last_to_last=last_to_last),
        log_marginal(*padded_batch.arguments, last_to_last=last_to_last),
        rtol=1e-12,
        atol=1e-12,
    )
    shares = posteriors(*padded_batch.arguments)
    torch.testing.assert_close(shares[:, :words, :tokens], posteriors(*batch.arguments), rtol=1e-12, atol=1e-12)
    assert shares.sum() == shares[:, :words, :tokens].sum()
    wide_path = viterbi(*padded_batch.arguments).path
    assert torch.equal(wide_path[:, :words], viterbi(*batch.arguments).path)
    assert not wide_path[:, words:].any()


def test_a_pair_alone_is_worth_what_it_is_in_a_batch() -> None:
    generator = torch.Generator().manual_seed(2)
    emission = torch.randn(3, 8, 6, generator=generator)
    transitions = fixed_transitions(0.3)
    tokens, words = torch.tensor([6, 2, 4]), torch.tensor([3, 8, 5])
    together = log_marginal(emission, transitions.shift, transitions.emit, tokens, words)
    for item in range(3):
        own = emission[item : item + 1, : words[item], : tokens[item]]
        lengths = tokens[item : item + 1], words[item : item + 1]
        alone = log_marginal(own, transitions.shift, transitions.emit, *lengths)
        assert torch.equal(alone[0], together[item])


def test_no_words_align_in_one_way_that_ends_at_the_first_token() -> None:
    arguments = (
        torch.randn(2, 3, 4),
        torch.tensor(-0.7),
        torch.tensor(-0.7),
        torch.tensor([4, 1]),
        torch.tensor([0, 0]),
    )
    assert log_marginal(*arguments, last_to_last=False).tolist() == [0.0, 0.0]
    assert log_marginal(*arguments).tolist() == [-math.inf, 0.0]
    assert not posteriors(*arguments).any()


@pytest.mark.parametrize("probability", [0.0, 0.25, 1.0])
def test_fixed_transitions(probability: float) -> None:
    transitions = fixed_transitions(probability)
    assert transitions.shift.exp().item() == pytest.approx(probability)
    assert transitions.emit.exp().item() == pytest.approx(1.0 - probability)


def test_parameterised_transitions_sum_to_one_however_sure_they_are() -> None:
    logits = torch.tensor([-200.0, -3.0, 0.0, 3.0, 200.0])
    transitions: Transitions = parameterised_transitions(logits)
    torch.testing.assert_close(transitions.shift.exp() + transitions.emit.exp(), torch.ones(5))
    assert transitions.shift[0].item() == -200.0
    assert transitions.emit[-1].item() == -200.0
