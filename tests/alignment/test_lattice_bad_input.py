"""Invalid arguments are rejected with a message that describes them."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from kgscripts.reproductions.kidscook.lattice.lattice import (
    fixed_transitions,
    log_marginal,
    posteriors,
    transition_log_probability,
    viterbi,
)

EMISSION = torch.zeros(2, 5, 3)
SCALAR = torch.tensor(-0.7)
TOKENS, WORDS = torch.tensor([3, 2]), torch.tensor([5, 4])


@pytest.mark.parametrize("function", [log_marginal, posteriors, viterbi])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((EMISSION[0], SCALAR, SCALAR, TOKENS, WORDS), r"emission .* got \(5, 3\)"),
        ((EMISSION[None], SCALAR, SCALAR, TOKENS, WORDS), r"emission .* got \(1, 2, 5, 3\)"),
        ((EMISSION[:, :0], SCALAR, SCALAR, TOKENS, WORDS), r"not empty, got \(2, 0, 3\)"),
        ((EMISSION[:, :, :0], SCALAR, SCALAR, TOKENS, WORDS), r"not empty, got \(2, 5, 0\)"),
        ((EMISSION[:0], SCALAR, SCALAR, TOKENS[:0], WORDS[:0]), r"not empty, got \(0, 5, 3\)"),
        ((EMISSION, torch.zeros(5), SCALAR, TOKENS, WORDS), r"shift must broadcast .*\(2, 5, 3\), got \(5,\)"),
        ((EMISSION, torch.zeros(2, 1, 5, 3), SCALAR, TOKENS, WORDS), r"shift must broadcast .* got \(2, 1, 5, 3\)"),
        ((EMISSION, SCALAR, torch.zeros(2, 3, 5), TOKENS, WORDS), r"emit must broadcast .* got \(2, 3, 5\)"),
        ((EMISSION, SCALAR, torch.zeros(4, 5, 3), TOKENS, WORDS), r"emit must broadcast .* got \(4, 5, 3\)"),
        ((EMISSION, SCALAR, SCALAR, TOKENS[:1], WORDS), r"abstract_lengths .* \(2,\), got torch.int64 of shape \(1,\)"),
        ((EMISSION, SCALAR, SCALAR, TOKENS.int(), WORDS), r"abstract_lengths must be int64.* got torch.int32"),
        ((EMISSION, SCALAR, SCALAR, TOKENS, WORDS.double()), r"concrete_lengths must be int64.* got torch.float64"),
        ((EMISSION, SCALAR, SCALAR, TOKENS, WORDS[:, None]), r"concrete_lengths .* of shape \(2, 1\)"),
        ((EMISSION, SCALAR, SCALAR, TOKENS - 2, WORDS), r"abstract_lengths must lie between 1 and 3, got 0 to 1"),
        ((EMISSION, SCALAR, SCALAR, TOKENS + 1, WORDS), r"abstract_lengths must lie between 1 and 3, got 3 to 4"),
        ((EMISSION, SCALAR, SCALAR, TOKENS, WORDS + 1), r"concrete_lengths must lie between 0 and 5, got 5 to 6"),
        ((EMISSION, SCALAR, SCALAR, TOKENS, WORDS - 5), r"concrete_lengths must lie between 0 and 5, got -1 to 0"),
    ],
)
def test_wrong_shapes_are_rejected(function: object, arguments: tuple[Tensor, ...], message: str) -> None:
    assert callable(function)
    with pytest.raises(ValueError, match=message):
        function(*arguments)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            torch.zeros(2, 5, 1, dtype=torch.int64),
            r"path must be int64 \(batch, concrete\), got torch.int64 of shape \(2, 5, 1\)",
        ),
        (torch.zeros(2, 5), r"path must be int64 \(batch, concrete\), got torch.float32"),
        (torch.tensor([[0, 0, 1, 0, 0]] * 2), r"path must be monotonic"),
        (torch.tensor([[0, 0, 1, 1, 2]] * 2), r"path must be monotonic"),
        (torch.tensor([[-1, 0, 1, 1, 1]] * 2), r"path must be monotonic"),
    ],
)
def test_invalid_paths_are_rejected(path: Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        transition_log_probability(SCALAR, SCALAR, path, torch.tensor([2, 2]), torch.tensor([5, 5]))


@pytest.mark.parametrize("probability", [-0.1, 1.1, math.nan, math.inf])
def test_invalid_probabilities_are_rejected(probability: float) -> None:
    with pytest.raises(ValueError, match="shift probability must lie in"):
        fixed_transitions(probability)


def test_not_a_number_is_passed_on() -> None:
    emission = EMISSION.clone()
    emission[0, 2, 1] = math.nan
    marginal = log_marginal(emission, SCALAR, SCALAR, TOKENS, WORDS)
    assert marginal[0].isnan()
    assert marginal[1].isfinite()
