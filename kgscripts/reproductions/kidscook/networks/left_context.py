"""Cloze models that see the abstract sentence and the left side of a blank: the word-level networks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal, Self

import torch
from attrs import define
from torch import Tensor

from kgscripts.models.alignment.aligner import Tokens, tokens_of
from kgscripts.models.alignment.lattice import Alignment
from kgscripts.models.cloze import Cloze
from kgscripts.reproductions.kidscook.lattice import lattice
from kgscripts.reproductions.kidscook.networks.recurrent import PairNetwork
from kgscripts.reproductions.kidscook.networks.transducer import Transducer
from kgscripts.reproductions.kidscook.networks.vocabulary import PairBatch, Vocabulary
from kgscripts.reproductions.torch_networks.inference import grouped, run_side_by_side
from schemas.errors import InputError

_CELLS = 60_000
"""The most pairs of tokens, padding included, that are computed at once."""

MAX_CELLS = 4_000_000
"""The most pairs of tokens in one pair: sides of 2,000 tokens each, far beyond any instruction."""


@define
class _Row:
    """A concrete prefix of an abstract sentence, and the queries that read a part of it."""

    abstract: tuple[str, ...]
    prefix: tuple[str, ...]
    queries: list[int]


class LeftContextModel:
    """A network as a `ClozeModel`. Candidates outside its vocabulary have log probability -inf."""

    context: Literal["left", "both"] = "left"

    def __init__(self, name: str, network: PairNetwork, vocabulary: Vocabulary) -> None:
        self.name = name
        self.vocabulary = vocabulary
        self._network = network.eval()

    def to(self, device: str) -> Self:
        """This model, whose network is moved to another device."""
        self._network.to(device)
        return self

    @property
    def words(self) -> tuple[str, ...]:
        """Its vocabulary."""
        return self.vocabulary.words

    @torch.inference_mode()
    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> Tensor:
        """See `ClozeModel`. Raises InputError for a pair of enormous sides."""
        known = torch.tensor([word in self.vocabulary for word in candidates], dtype=torch.bool)
        ids = torch.tensor([*self.vocabulary.ids(candidates), self.vocabulary.unknown])
        allowed = torch.cat([known, torch.ones(1, dtype=torch.bool)])
        result = torch.empty(len(clozes), len(ids))
        for queries, batch, rows, positions in self._batches(clozes):
            logits = self._network.next_word(batch, rows, positions).float().cpu()[:, ids]
            result[queries] = logits.masked_fill(~allowed, float("-inf")).log_softmax(dim=1)
        return result

    @torch.inference_mode()
    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> Tensor:
        """log p(concrete | abstract) in nats, (pairs,). Raises InputError for a pair of enormous sides."""
        result = torch.empty(len(abstract))
        for rows, batch in self._pair_batches(abstract, concrete):
            result[rows] = self._network.log_likelihood(batch).float().cpu()
        return result

    def _pair_batches(
        self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]
    ) -> Iterator[tuple[list[int], PairBatch]]:
        """Batches of pairs of similar length, with the indices of the pairs."""
        sizes = [(len(a), len(c)) for a, c in zip(abstract, concrete, strict=True)]
        for rows in _groups(sizes):
            batch = PairBatch.of_words(
                [abstract[row] for row in rows], [concrete[row] for row in rows], self.vocabulary
            )
            yield rows, batch.to(self._network.embedding.weight.device)

    def _batches(self, clozes: Sequence[Cloze]) -> Iterator[tuple[list[int], PairBatch, Tensor, Tensor]]:
        """Batches of queries: their indices, the prefixes, and the row and the position of each query."""
        rows = _rows(clozes)
        for places, batch in self._pair_batches([row.abstract for row in rows], [row.prefix for row in rows]):
            queries = [query for place in places for query in rows[place].queries]
            row_of = [row for row, place in enumerate(places) for _ in rows[place].queries]
            device = batch.abstract.device
            positions = torch.tensor([clozes[query].position for query in queries], device=device)
            yield queries, batch, torch.tensor(row_of, device=device), positions


class TransducerModel(LeftContextModel):
    """The transducer as a cloze model that aligns pairs (`PairAligner`).

    A word is predicted from all alignments of the words before it, weighted by their probability, as in the marginal
    likelihood of training.
    """

    _network: Transducer

    def align(self, pairs: Sequence[Tokens | tuple[str, str]]) -> list[Alignment]:
        """See `PairAligner` (appendix A.4). Raises InputError for a pair of enormous sides."""

        def aligned(pair: Tokens) -> Alignment:
            # Alone, so that the last bits do not depend on other pairs.
            batch = PairBatch.of_words([pair.abstract], [pair.concrete], self.vocabulary)
            cells = [cell.cpu() for cell in self._network.lattice(batch.to(self._network.embedding.weight.device))]
            best = lattice.viterbi(*cells)
            at_path = lattice.posteriors(*cells).gather(2, best.path[:, :, None])[0, :, 0]
            return Alignment(
                path=tuple(best.path[0].tolist()),
                # Both terms are rounded, so that the difference may be a little above zero.
                log_probability=min(0.0, float(best.log_probability - lattice.log_marginal(*cells))),
                posterior=tuple(at_path.tolist()),
            )

        return run_side_by_side(aligned, tokens_of(pairs))


def _rows(clozes: Sequence[Cloze]) -> list[_Row]:
    """The prefixes of the queries; a prefix of another one has no row of its own."""
    by_abstract: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for query, cloze in enumerate(clozes):
        by_abstract[cloze.abstract].append(query)
    rows = []
    for abstract, queries in by_abstract.items():
        prefix = {query: clozes[query].concrete[: clozes[query].position] for query in queries}
        row: _Row | None = None
        # In descending order a prefix comes directly after the sequences that begin with it.
        for query in sorted(queries, key=prefix.__getitem__, reverse=True):
            words = prefix[query]
            if row is None or row.prefix[: len(words)] != words:
                row = _Row(abstract, words, [])
                rows.append(row)
            row.queries.append(query)
    return rows


def _groups(sizes: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Indices of pairs of similar size (abstract, concrete); their padded cells stay within the limits."""

    def fits(group: Sequence[int], place: int) -> bool:
        widest = max(sizes[each][0] for each in (*group, place))
        return (len(group) + 1) * widest * (sizes[place][1] + 1) <= _CELLS

    order = sorted(range(len(sizes)), key=lambda place: (sizes[place][1], sizes[place][0]))
    for place in order:
        abstract, concrete = sizes[place]
        if abstract * (concrete + 1) > MAX_CELLS:
            message = f"sides of {abstract:,} and {concrete:,} tokens"
            raise InputError(message, where=f"pair {place + 1}", remedy="give instructions, not whole documents")
    return grouped(order, fits)
