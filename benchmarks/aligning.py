"""The transducer's training steps and Viterbi decoding beside a plain reading of the paper; its share of the machine.

Both have the same weights, the same batches and the released code's sizes; their values are compared before anything
is measured. Batches are random words with the lengths of KidsCook's training pairs.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Iterator

import torch
from attrs import frozen

from benchmarks.measure import Row, at_least, at_most, measure
from benchmarks.plain_transducer import PlainTransducer
from kgscripts.reproductions.kidscook.networks.pair_batch import PairBatch
from kgscripts.reproductions.kidscook.networks.settings import TransducerSettings
from kgscripts.reproductions.kidscook.networks.transducer import Transducer

VOCABULARY = 2005
START = 1
BATCH = 32
BATCHES = 8
ROUNDS = 5
# Lengths of KidsCook's training pairs without the start symbol, cut to 50 with it: every twentieth part of the pairs.
ABSTRACT = (3, 5, 6, 6, 7, 7, 7, 8, 8, 9, 9, 10, 10, 11, 12, 12, 13, 14, 15, 18, 25)
CONCRETE = (7, 15, 18, 19, 21, 23, 25, 26, 28, 30, 32, 34, 37, 39, 41, 44, 47, 49, 49, 49, 49)
LARGEST = 50


@frozen
class Figures:
    """Seconds a batch of every kind of work, and floating point operations a second."""

    own: dict[str, float]
    plain: dict[str, float]
    marginal_rate: float
    """Of the vocabulary projection alone: whatever else a step does counts against it."""
    machine_rate: float


def rows() -> Iterator[Row]:
    """Measure and compare."""
    figures: Figures = measure(_work).value
    yield _comparison("marginal training step", figures, None)
    yield _comparison("hard EM step", figures, 8.0)
    yield _comparison("Viterbi decoding", figures, 12.0)
    operations = figures.marginal_rate * figures.own["marginal training step"]
    share = figures.marginal_rate / figures.machine_rate
    more = f"{operations / 1e9:.1f} GFLOP a batch, {figures.marginal_rate / 1e9:.0f} of "
    more += f"{figures.machine_rate / 1e9:.0f} GFLOP/s, {torch.get_num_threads()} threads"
    yield at_least(
        "marginal step: vocabulary projection against the machine's float32 rate", 100 * share, 60, "%", more
    )
    what = f"marginal step of {BATCH} pairs of {LARGEST} x {LARGEST}: memory of the process"
    yield at_most(what, measure(_largest_step).peak_mib, 1536, "MiB")


def _comparison(what: str, figures: Figures, goal: float | None) -> Row:
    own, plain = figures.own[what], figures.plain[what]
    what, more = (
        f"{what}, {BATCH} pairs, against the plain reading",
        f"{1000 * own:.0f} ms against {1000 * plain:.0f} ms",
    )
    if goal is None:
        return Row(what, f"{plain / own:.1f} x ({more})")
    return at_least(what, plain / own, goal, "x", more)


def _work() -> Callable[[], Figures]:
    network, plain, batches = _networks_and_batches()
    _check_agreement(network, plain, batches)
    sides = {"own": _own_work(network), "plain": _plain_work(plain)}

    def call() -> Figures:
        # All in turn, so that what else the machine does disturbs all alike.
        best = {(side, what): [math.inf] * len(batches) for side, works in sides.items() for what in works}
        rates = []
        for warm in range(ROUNDS + 1):
            for (side, what), seconds in best.items():
                found = [_seconds(sides[side][what], batch) for batch in batches]
                if warm:
                    seconds[:] = map(min, seconds, found)
            rates.append(_machine_rate())
        means = {key: statistics.fmean(seconds) for key, seconds in best.items()}
        own, other = ({what: means[side, what] for what in works} for side, works in sides.items())
        operations = _projection_operations(network, batches)
        return Figures(own, other, operations / own["marginal training step"], max(rates[1:]))

    return call


def _own_work(network: Transducer) -> dict[str, Callable[[PairBatch], object]]:
    optimizer = torch.optim.Adam([weight for weight in network.parameters() if weight.requires_grad], lr=1e-3)

    def marginal_step(batch: PairBatch) -> None:
        network.train()
        optimizer.zero_grad()
        torch.autograd.backward(-network.log_likelihood(batch).mean())
        optimizer.step()

    def viterbi(batch: PairBatch) -> torch.Tensor:
        network.eval()
        return network.viterbi(batch).path

    def hard_em_step(batch: PairBatch) -> None:
        path = viterbi(batch)
        network.train()
        optimizer.zero_grad()
        torch.autograd.backward(-network.path_log_likelihood(batch, path).mean())
        optimizer.step()

    return {"marginal training step": marginal_step, "hard EM step": hard_em_step, "Viterbi decoding": viterbi}


def _plain_work(plain: PlainTransducer) -> dict[str, Callable[[PairBatch], object]]:
    optimizer = torch.optim.Adam([weight for weight in plain.parameters() if weight.requires_grad], lr=1e-3)

    def marginal_step(batch: PairBatch) -> None:
        plain.train()
        optimizer.zero_grad()
        torch.autograd.backward(-_plain_marginal(plain, batch).mean())
        optimizer.step()

    def viterbi(batch: PairBatch) -> torch.Tensor:
        plain.eval()
        paths = torch.zeros_like(batch.concrete)
        for row, (path, _) in enumerate(_plain_viterbi(plain, batch)):
            paths[row, : len(path)] = torch.tensor(path)
        return paths

    def hard_em_step(batch: PairBatch) -> None:
        paths = viterbi(batch)
        plain.train()
        optimizer.zero_grad()
        likelihood = plain.aligned(batch.abstract, batch.concrete, batch.concrete_lengths, paths, START)
        torch.autograd.backward(-likelihood.mean())
        optimizer.step()

    return {"marginal training step": marginal_step, "hard EM step": hard_em_step, "Viterbi decoding": viterbi}


def _largest_step() -> Callable[[], None]:
    network, _, _ = _networks_and_batches()
    ids = [[word % VOCABULARY for word in range(LARGEST)]] * BATCH
    batch = PairBatch.of_ids(ids, ids, padding=0)

    def call() -> None:
        network.train()
        torch.autograd.backward(-network.log_likelihood(batch).mean())

    return call


def _networks_and_batches() -> tuple[Transducer, PlainTransducer, list[PairBatch]]:
    torch.manual_seed(1931)
    network = Transducer(TransducerSettings(), VOCABULARY, START, vectors=torch.randn(VOCABULARY, 100) / 10)
    plain = PlainTransducer(VOCABULARY)
    plain.load_state_dict(
        {
            name.replace("encoder.lstm.", "encoder.")
            .replace("emission.hidden.", "emission_hidden.")
            .replace("emission.vocabulary.", "emission_output."): weight
            for name, weight in network.state_dict().items()
        }
    )
    return network, plain, list(_batches())


def _batches() -> Iterator[PairBatch]:
    """Some of the batches that the released code makes of pairs sorted by their lengths, with random words."""
    generator = random.Random(1931)
    pairs = sorted((_length(ABSTRACT, generator), _length(CONCRETE, generator)) for _ in range(32 * BATCH))
    for start in range(0, len(pairs), len(pairs) // BATCHES):
        lengths = pairs[start : start + BATCH]
        abstract, concrete = (
            [[generator.randrange(2, VOCABULARY) for _ in range(length)] for length in side]
            for side in zip(*lengths, strict=True)
        )
        yield PairBatch.of_ids(abstract, concrete, padding=0)


def _length(quantiles: tuple[int, ...], generator: random.Random) -> int:
    place = generator.random() * (len(quantiles) - 1)
    below = int(place)
    return round(quantiles[below] + (place - below) * (quantiles[below + 1] - quantiles[below]))


def _plain_marginal(plain: PlainTransducer, batch: PairBatch) -> torch.Tensor:
    return plain.marginal(batch.abstract, batch.concrete, batch.abstract_lengths, batch.concrete_lengths, START)


def _plain_viterbi(plain: PlainTransducer, batch: PairBatch) -> Iterator[tuple[list[int], float]]:
    sides = (batch.abstract, batch.abstract_lengths, batch.concrete, batch.concrete_lengths)
    for abstract, tokens, concrete, words in zip(*sides, strict=True):
        yield plain.viterbi(abstract[:tokens], concrete[:words], START)


def _check_agreement(network: Transducer, plain: PlainTransducer, batches: list[PairBatch]) -> None:
    """Values, gradients and paths of both are the same; AssertionError where they are not."""
    network.eval()
    plain.eval()
    for batch in batches[:: BATCHES - 1]:
        own, other = network.log_likelihood(batch), _plain_marginal(plain, batch)
        torch.testing.assert_close(own, other, rtol=1e-5, atol=1e-3)
        gradients = (
            torch.autograd.grad(value.mean(), weight)[0]
            for value, weight in ((own, network.emission.vocabulary.weight), (other, plain.emission_output.weight))
        )
        torch.testing.assert_close(*gradients, rtol=1e-3, atol=1e-5)
        best = network.viterbi(batch)
        found = list(_plain_viterbi(plain, batch))
        torch.testing.assert_close(best.log_probability, torch.tensor([value for _, value in found]))
        torch.testing.assert_close(
            plain.aligned(batch.abstract, batch.concrete, batch.concrete_lengths, best.path, START),
            network.path_log_likelihood(batch, best.path),
        )


def _seconds(work: Callable[[PairBatch], object], batch: PairBatch) -> float:
    start = time.perf_counter()
    work(batch)
    return time.perf_counter() - start


def _projection_operations(network: Transducer, batches: list[PairBatch]) -> float:
    """Operations a batch: scores, their gradient to the hidden layer and to the weights, at each pair of tokens."""
    pairs = statistics.fmean(float((batch.abstract_lengths * batch.concrete_lengths).sum()) for batch in batches)
    return 3 * 2 * pairs * network.emission.vocabulary.weight.numel()


def _machine_rate(size: int = 2048) -> float:
    """Operations a second of one large product of float32 matrices, the better of two."""
    left, right, product = (torch.ones(size, size) for _ in range(3))
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        torch.mm(left, right, out=product)
        seconds.append(time.perf_counter() - start)
    return 2 * size**3 / min(seconds)
