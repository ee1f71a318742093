"""Answers that a language model draws: those of one plain forward after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from kgscripts.models.changes.causal import CausalChangeModel
from kgscripts.models.cloze.causal import CausalModel
from kgscripts.models.cloze.causal_loading import load_causal_model
from schemas.provenance import Model
from tests.models.test_causal import gpt2
from tests.models.tiny_gguf import llama_gguf

SETS, MOST = 5, 8
PROMPTS = [[3, 4, 5, 6, 7, 8], [9], [5, 4, 3]]
CARD = Model(name="tiny", version="1", digest="0" * 64, task="changes")


@pytest.mark.parametrize("make", [gpt2, llama_gguf])
def test_answers_of_several_prompts_are_those_of_each_alone(make: Callable[[Path], Path], tmp_path: Path) -> None:
    language_model = load_causal_model(str(make(tmp_path)))
    endless = CausalChangeModel(language_model, MOST, CARD)._drawn(PROMPTS, SETS)
    answers = Counter(piece for pieces in endless for piece in set(pieces))
    # What some answers have, and not all.
    language_model.end = next(piece for piece, times in answers.most_common() if times < len(endless))
    found = CausalChangeModel(language_model, MOST, CARD)._drawn(PROMPTS, SETS)
    noise = torch.rand(MOST, SETS, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert found == [_alone(language_model, prompt, noise[:, number]) for prompt in PROMPTS for number in range(SETS)]
    assert {len(pieces) == MOST for pieces in found} == {True, False}, "some end, and some are cut off"


@torch.inference_mode()
def _alone(language_model: CausalModel, prompt: list[int], noise: torch.Tensor) -> list[int]:
    """The pieces after a prompt, each drawn from the distribution that follows all before it."""
    pieces: list[int] = []
    for uniform in noise:
        logits = language_model.network(torch.tensor([[*prompt, *pieces]])).logits[0, -1]
        shares = logits.double().softmax(-1).cumsum(-1)
        piece = int((shares < uniform * shares[-1]).sum())
        if piece == language_model.end:
            break
        pieces.append(piece)
    return pieces
