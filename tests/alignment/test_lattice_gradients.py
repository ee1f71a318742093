"""Gradients are posteriors; long and unbalanced lattices stay finite and exact."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from kgscripts.reproductions.kidscook.lattice.lattice import (
    fixed_transitions,
    log_marginal,
    parameterised_transitions,
    posteriors,
    viterbi,
)
from tests.alignment.enumeration import Batch, alignments, batches

LENGTHS = torch.tensor([4, 2, 1]), torch.tensor([5, 3, 2])


@settings(max_examples=60)
@given(batch=batches(), last_to_last=st.booleans())
def test_gradients_of_words_are_posteriors(batch: Batch, last_to_last: bool) -> None:
    emission, shift, emit = (cells.requires_grad_() for cells in batch.arguments[:3])
    marginal = log_marginal(*batch.arguments, last_to_last=last_to_last)
    gradients = torch.autograd.grad(marginal.sum(), (emission, shift, emit))
    expected = posteriors(*batch.arguments, last_to_last=last_to_last)
    for gradient in (gradients[0], gradients[2]):
        torch.testing.assert_close(gradient, expected, atol=1e-12, rtol=0)
    assert gradients[1].isfinite().all()


@settings(max_examples=60)
@given(batch=batches(), last_to_last=st.booleans())
def test_gradients_of_shifts_count_how_often_they_are_taken(batch: Batch, last_to_last: bool) -> None:
    shift = batch.shift.requires_grad_()
    marginal = log_marginal(*batch.arguments, last_to_last=last_to_last)
    (gradient,) = torch.autograd.grad(marginal.sum(), shift)
    for item in range(len(batch)):
        expected = torch.zeros_like(gradient[item])
        for path, value in alignments(batch, item, last_to_last=last_to_last).items():
            if value == -math.inf:
                continue
            share = math.exp(value - marginal[item].item())
            for word, (before, here) in enumerate(zip((0, *path), path, strict=False)):
                expected[word, before:here] += share
        torch.testing.assert_close(gradient[item], expected, atol=1e-9, rtol=0)


@pytest.mark.parametrize("last_to_last", [True, False])
def test_numerical_gradients(last_to_last: bool) -> None:
    generator = torch.Generator().manual_seed(11)
    emission = torch.randn(3, 5, 4, generator=generator, dtype=torch.float64).requires_grad_()
    logits = torch.randn(3, 5, 4, generator=generator, dtype=torch.float64).requires_grad_()

    def marginal(emission: Tensor, logits: Tensor) -> Tensor:
        transitions = parameterised_transitions(logits)
        return log_marginal(emission, transitions.shift, transitions.emit, *LENGTHS, last_to_last=last_to_last)

    assert torch.autograd.gradcheck(marginal, (emission, logits))


def test_numerical_gradients_of_transitions_that_broadcast() -> None:
    emission = torch.randn(3, 5, 4, dtype=torch.float64)
    logit = torch.tensor(0.4, dtype=torch.float64, requires_grad=True)
    by_token = torch.randn(4, dtype=torch.float64, requires_grad=True)

    def marginal(logit: Tensor, by_token: Tensor) -> Tensor:
        return log_marginal(emission, parameterised_transitions(by_token).shift, -logit.exp(), *LENGTHS)

    assert torch.autograd.gradcheck(marginal, (logit, by_token))


def test_an_impossible_pair_has_no_gradient_and_spoils_no_other() -> None:
    emission = torch.zeros(2, 3, 2)
    emission[0, 1, :] = -math.inf
    emission.requires_grad_()
    transitions = fixed_transitions(0.5)
    lengths = torch.tensor([2, 2]), torch.tensor([3, 3])
    marginal = log_marginal(emission, transitions.shift, transitions.emit, *lengths)
    assert marginal[0].item() == -math.inf
    (gradient,) = torch.autograd.grad(marginal.sum(), emission)
    assert not gradient[0].any()
    torch.testing.assert_close(gradient[1].sum(dim=1), torch.ones(3))


def _long(abstract: int, concrete: int, spread: float) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(abstract)
    emission = -spread * torch.rand(2, concrete, abstract, generator=generator)
    return emission, 3 * torch.randn(2, concrete, abstract, generator=generator)


@pytest.mark.parametrize("spread", [8.0, 80.0])
@pytest.mark.parametrize(("abstract", "concrete"), [(200, 400), (400, 200), (1, 400), (200, 1)])
def test_single_precision_is_enough_for_long_sides(abstract: int, concrete: int, spread: float) -> None:
    emission, logits = _long(abstract, concrete, spread)
    lengths = torch.tensor([abstract, (abstract + 1) // 2]), torch.tensor([concrete, (concrete + 1) // 2])
    results = []
    for dtype in (torch.float32, torch.float64):
        leaves = emission.to(dtype).requires_grad_(), logits.to(dtype).requires_grad_()
        transitions = parameterised_transitions(leaves[1])
        marginal = log_marginal(leaves[0], transitions.shift, transitions.emit, *lengths)
        gradients = torch.autograd.grad(marginal.sum(), leaves)
        best = viterbi(leaves[0], transitions.shift, transitions.emit, *lengths)
        results.append((marginal, best.log_probability, *gradients))
    for single, double in zip(*results, strict=True):
        assert single.dtype == torch.float32
        torch.testing.assert_close(single.double(), double, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("probability", [0.0, 1e-30, 1.0 - 1e-7, 1.0])
def test_shifts_that_are_all_but_certain(probability: float) -> None:
    emission = torch.zeros(1, 400, 200).requires_grad_()
    transitions = fixed_transitions(probability)
    lengths = torch.tensor([200]), torch.tensor([400])
    marginal = log_marginal(emission, transitions.shift, transitions.emit, *lengths)
    (gradient,) = torch.autograd.grad(marginal.sum(), emission)
    if probability in (0.0, 1.0):
        expected = -math.inf
    else:
        # All alignments pay 199 shifts and 400 emits, and the last of the 400 words is at the last token.
        ways = math.lgamma(599) - math.lgamma(400) - math.lgamma(200)
        expected = ways + 199 * math.log(probability) + 400 * math.log1p(-probability)
    assert marginal.item() == pytest.approx(expected, rel=1e-6)
    assert gradient.isfinite().all()
