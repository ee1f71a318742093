"""Word emission against the same network written plainly, its gradients, its dropout and its memory."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
import torch
from torch import Tensor

from kgscripts.reproductions.kidscook.networks import emission as module
from kgscripts.reproductions.kidscook.networks.emission import WordEmission, target_log_probabilities

SIZE = {"encoder": 3, "decoder": 2, "hidden": 5, "words": 11}
BATCH, ABSTRACT, CONCRETE = 3, 4, 6
TOKENS, WORDS = torch.tensor([4, 1, 3]), torch.tensor([6, 5, 1])
ABSTRACT_MASK = torch.arange(ABSTRACT) < TOKENS[:, None]
CONCRETE_MASK = torch.arange(CONCRETE) < WORDS[:, None]


def emission(dtype: torch.dtype = torch.float64, dropout: float = 0.0) -> WordEmission:
    torch.manual_seed(3)
    return WordEmission(SIZE["encoder"], SIZE["decoder"], SIZE["hidden"], SIZE["words"], dropout).to(dtype)


def states(dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(4)
    encoded = torch.randn(BATCH, ABSTRACT, SIZE["encoder"], generator=generator, dtype=dtype).requires_grad_()
    decoded = torch.randn(BATCH, CONCRETE, SIZE["decoder"], generator=generator, dtype=dtype).requires_grad_()
    return encoded, decoded, torch.randint(0, SIZE["words"], (BATCH, CONCRETE), generator=generator)


def plainly(network: WordEmission, encoded: Tensor, decoded: Tensor, targets: Tensor) -> Tensor:
    """Equation (3) cell by cell: states side by side, all words, then the target; 0 in padding."""
    shape = (BATCH, CONCRETE, ABSTRACT)
    joint = torch.cat((encoded[:, None].expand(*shape, -1), decoded[:, :, None].expand(*shape, -1)), dim=-1)
    words = network.vocabulary(network.hidden(joint).relu()).log_softmax(dim=-1)
    cells: Tensor = words.gather(-1, targets[:, :, None, None].expand(*shape, 1))[..., 0]
    return cells * (CONCRETE_MASK[:, :, None] & ABSTRACT_MASK[:, None, :])


@pytest.fixture(params=["all kept", "some kept", "none kept"])
def _chunks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of four cells, of which all, some or no probabilities outlive the forward pass."""
    row = SIZE["words"] * 8
    monkeypatch.setattr(module, "CHUNK_BYTES", 4 * row)
    kept = {"all kept": 100, "some kept": 18, "none kept": 0}[request.param]
    monkeypatch.setattr(module, "STORED_BYTES", kept * row)


@pytest.mark.usefixtures("_chunks")
def test_values_and_gradients_are_those_of_the_plain_network() -> None:
    network = emission()
    encoded, decoded, targets = states()
    leaves = [encoded, decoded, *network.parameters()]
    found = network(encoded, decoded, targets, ABSTRACT_MASK, CONCRETE_MASK)
    expected = plainly(network, encoded, decoded, targets)
    torch.testing.assert_close(found, expected)
    weights = torch.randn(found.shape, dtype=found.dtype)
    for own, plain in zip(
        torch.autograd.grad((found * weights).sum(), leaves),
        torch.autograd.grad((expected * weights).sum(), leaves),
        strict=True,
    ):
        torch.testing.assert_close(own, plain)
    with torch.no_grad():
        torch.testing.assert_close(network(encoded, decoded, targets, ABSTRACT_MASK, CONCRETE_MASK), expected)


@pytest.mark.usefixtures("_chunks")
@pytest.mark.parametrize("dropout", [0.0, 0.5, 0.2])
def test_numerical_gradients(dropout: float) -> None:
    network = emission(dropout=dropout)
    encoded, decoded, targets = states()

    def cells(encoded: Tensor, decoded: Tensor, *weights: Tensor) -> Tensor:
        torch.manual_seed(0)
        parameters = dict(zip(dict(network.named_parameters()), weights, strict=True))
        arguments = (encoded, decoded, targets, ABSTRACT_MASK, CONCRETE_MASK)
        found: Tensor = torch.func.functional_call(network, parameters, arguments)
        return found

    assert torch.autograd.gradcheck(cells, (encoded, decoded, *network.parameters()), fast_mode=True)


def test_gradients_can_be_asked_for_twice() -> None:
    network = emission()
    encoded, decoded, targets = states()
    total = network(encoded, decoded, targets, ABSTRACT_MASK, CONCRETE_MASK).sum()
    first, second = (torch.autograd.grad(total, encoded, retain_graph=True)[0] for _ in range(2))
    assert torch.equal(first, second)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_dropout_drops_its_share_and_scales_the_rest(share: float) -> None:
    width, pairs = 8, 2000
    # The score of word k is unit k of the hidden layer, which is 1 where it is kept, and the last word's score is 0.
    weight, bias = torch.cat((torch.eye(width), torch.zeros(1, width))), torch.zeros(width + 1)
    index = torch.zeros(pairs, dtype=torch.int64)

    def of_word(word: int) -> Tensor:
        torch.manual_seed(1)
        ones, zeros = torch.ones(1, width), torch.zeros(1, width)
        return target_log_probabilities(ones, zeros, index, index, index + word, weight, bias, dropout=share)

    units = torch.stack([of_word(word) - of_word(width) for word in range(width)])
    kept = units > 1e-4
    torch.testing.assert_close(units[kept], torch.full_like(units[kept], 1 / (1 - share)), rtol=1e-3, atol=0)
    assert kept.float().mean().item() == pytest.approx(1 - share, abs=0.02)
    assert kept.float().mean(dim=1).tolist() == pytest.approx([1 - share] * width, abs=0.05)


def test_dropout_is_for_training_and_follows_the_seed() -> None:
    network = emission(dropout=0.5)
    arguments = (*states(), ABSTRACT_MASK, CONCRETE_MASK)
    values = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        values.append(network(*arguments))
    assert torch.equal(values[0], values[1])
    assert not torch.equal(values[0], values[2])
    network.eval()
    torch.testing.assert_close(network(*arguments), plainly(network, *arguments[:3]))


def test_logits_of_single_cells_are_those_of_the_whole() -> None:
    network = emission().eval()
    encoded, decoded, targets = states()
    cells = network(encoded, decoded, targets, ABSTRACT_MASK, CONCRETE_MASK)
    logits = network.logits(encoded[:, 0], decoded[:, 0])
    assert logits.shape == (BATCH, SIZE["words"])
    at_target = logits.log_softmax(dim=1).gather(1, targets[:, :1])[:, 0]
    torch.testing.assert_close(at_target, cells[:, 0, 0])


def test_what_stands_in_padding_is_never_read() -> None:
    network = emission()
    encoded, decoded, targets = states()
    expected = network(encoded, decoded, targets, ABSTRACT_MASK, CONCRETE_MASK)
    rubbish = (
        encoded.masked_fill(~ABSTRACT_MASK[:, :, None], math.nan),
        decoded.masked_fill(~CONCRETE_MASK[:, :, None], math.inf),
        targets.masked_fill(~CONCRETE_MASK, -7),
    )
    found = network(*rubbish, ABSTRACT_MASK, CONCRETE_MASK)
    assert torch.equal(found, expected)
    gradients = torch.autograd.grad(found.sum(), (encoded, decoded))
    for gradient, mask in zip(gradients, (ABSTRACT_MASK, CONCRETE_MASK), strict=True):
        assert not gradient[~mask].any()
        assert gradient[mask].isfinite().all()


@pytest.mark.parametrize("differentiable", [True, False])
def test_hopeless_targets_keep_their_logarithm(differentiable: bool) -> None:
    # The target is 400 nats below the best word: its probability is no float any more, its logarithm is.
    first, second = torch.ones(1, 1), torch.zeros(1, 1)
    weight = torch.tensor([[400.0], [0.0], [-300.0]]).requires_grad_(differentiable)
    index = torch.zeros(3, dtype=torch.int64)
    found = target_log_probabilities(first, second, index, index, torch.tensor([0, 1, 2]), weight, torch.zeros(3))
    assert found.tolist() == [0.0, -400.0, -700.0]


def test_single_precision() -> None:
    encoded, decoded, targets = states()
    masks = ABSTRACT_MASK, CONCRETE_MASK
    single = emission(torch.float32)(encoded.float(), decoded.float(), targets, *masks)
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), emission()(encoded, decoded, targets, *masks), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["decoded", "targets", "abstract_mask", "concrete_mask"])
def test_shapes_that_do_not_belong_together_are_refused(name: str) -> None:
    encoded, decoded, targets = states()
    arguments = {
        "encoded": encoded,
        "decoded": decoded,
        "targets": targets,
        "abstract_mask": ABSTRACT_MASK,
        "concrete_mask": CONCRETE_MASK,
    }
    arguments[name] = arguments[name][:2]
    with pytest.raises(ValueError, match=rf"{name} begins with shape \(2, ."):
        emission()(**arguments)


@pytest.mark.parametrize("dropout", [-0.1, 1.0, math.nan])
def test_a_dropout_that_is_none_is_refused(dropout: float) -> None:
    with pytest.raises(ValueError, match="dropout lies in"):
        WordEmission(2, 2, 2, 2, dropout)


_LARGE_STEP = """
import re, torch
from pathlib import Path
from kgscripts.reproductions.kidscook.networks.emission import WordEmission
torch.set_num_threads(1)
network = WordEmission(128, 128, 100, 2005)
encoded, decoded = torch.randn(16, 50, 128, requires_grad=True), torch.randn(16, 50, 128, requires_grad=True)
mask = torch.ones(16, 50, dtype=torch.bool)
def peak():  # of this program alone; getrusage also counts the process that it was forked from
    return re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]
before = peak()
total = network(encoded, decoded, torch.randint(0, 2005, (16, 50)), mask, mask).sum()
torch.autograd.grad(total, [encoded, decoded, *network.parameters()])
print(before, peak())
"""


def test_a_step_of_16_pairs_of_50_by_50_stays_within_its_memory() -> None:
    command = [sys.executable, "-c", _LARGE_STEP]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    before, after = (int(value) / 1024 for value in output.split())
    # The scores of 40,000 pairs of tokens are 306 MiB; a plain network holds them four times.
    assert after < 1536 - 306
    assert after - before < 306 + 256


def test_steps_that_are_alive_together_share_no_memory() -> None:
    network = emission()
    both = []
    for seed in (4, 5):
        encoded, decoded, targets = states()
        encoded = (encoded.detach() * seed).requires_grad_()
        both.append((encoded, decoded, targets, network(encoded, decoded, targets, ABSTRACT_MASK, CONCRETE_MASK)))
    for encoded, decoded, targets, cells in reversed(both):
        expected = plainly(network, encoded, decoded, targets)
        torch.testing.assert_close(
            torch.autograd.grad(cells.sum(), encoded)[0], torch.autograd.grad(expected.sum(), encoded)[0]
        )
