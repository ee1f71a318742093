"""Candidates of several pieces as a tree, so that common prefixes are computed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from attrs import frozen
from torch import Tensor

from kgscripts.models.inference import TensorFields


@frozen(eq=False)
class CandidateTree(TensorFields):
    """The pieces of some candidates as a tree whose root is the text before them.

    Nodes are what a language model has to read: every proper prefix of a candidate. Edges are its predictions, of a
    piece after the root or a node. The sum over a candidate's edges is the log probability that a text goes on with its
    pieces.

    `pieces` (nodes,) int64 are the nodes' last pieces, `depths` (nodes,) int64 their distances from the root less one,
    `ancestors` (nodes, nodes) bool is true if the second is the first or its ancestor. `edge_rows` (edges,) int64, in
    rising order, are 0 for the root, else the node's number plus one; `edge_pieces` (edges,) int64 the pieces.
    `path_candidates` and `path_edges` (steps,) int64 are the edges that each candidate adds up.
    """

    candidates: tuple[int, ...]
    """Their places in the list that was given to `candidate_trees`."""
    pieces: Tensor
    depths: Tensor
    ancestors: Tensor
    edge_rows: Tensor
    edge_pieces: Tensor
    path_candidates: Tensor
    path_edges: Tensor

    def sums(self, edge_log_probabilities: Tensor) -> Tensor:
        """(batch, edges) -> (batch, candidates): the sum over the edges of each candidate."""
        result = edge_log_probabilities.new_zeros(len(edge_log_probabilities), len(self.candidates))
        return result.index_add(1, self.path_candidates, edge_log_probabilities[:, self.path_edges])


def longer_candidates(pieces: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Places of candidates of which the first's pieces are the beginning of the second's, such as "strain" of
    "strainer".

    Of several that a candidate begins with, only the longest is paired with it; of candidates with equal pieces, one is
    a second, and all are firsts.
    """
    places: dict[tuple[int, ...], list[int]] = {}
    for place, own in enumerate(pieces):
        places.setdefault(tuple(own), []).append(place)
    pairs = []
    for own, (place, *_) in places.items():
        beginnings = [own[:size] for size in range(1, len(own)) if own[:size] in places]
        pairs += [(shorter, place) for shorter in places[beginnings[-1]]] if beginnings else []
    return pairs


def without_longer(sums: Tensor, pairs: Sequence[tuple[int, int]]) -> Tensor:
    """(batch, candidates) -> (batch, candidates): log probabilities, of the sums of trees and `longer_candidates`.

    The sum of a candidate is the log probability that a text goes on with its pieces, whatever follows them; that of
    the longer candidates among this is taken away.
    """
    shorter, longer = torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2).unbind(1)
    # Neither is a number if both candidates are too long for a tree.
    shares = (sums[:, longer] - sums[:, shorter]).exp().nan_to_num(0.0)
    taken = torch.zeros_like(sums).index_add(1, shorter, shares)
    return sums + torch.log1p(-taken.clamp(max=1.0))


def candidate_trees(pieces: Sequence[Sequence[int]], most_nodes: int) -> list[CandidateTree]:
    """Trees over candidates' pieces, each of at most `most_nodes` nodes.

    Candidates without a piece, or of more than `most_nodes` and one, are in none.
    """
    return [_tree(group, [pieces[place] for place in group]) for group in _groups(pieces, most_nodes)]


def _groups(pieces: Sequence[Sequence[int]], most_nodes: int) -> Iterator[list[int]]:
    """Places of candidates in the order of their pieces, cut before a group has too many prefixes."""
    group: list[int] = []
    beginnings: set[tuple[int, ...]] = set()
    for place in sorted(range(len(pieces)), key=lambda place: tuple(pieces[place])):
        if not 0 < len(pieces[place]) <= most_nodes + 1:
            continue
        own = {tuple(pieces[place][:size]) for size in range(1, len(pieces[place]))}
        if group and len(beginnings | own) > most_nodes:
            yield group
            group, beginnings = [], set()
        group.append(place)
        beginnings |= own
    if group:
        yield group


def _tree(places: Sequence[int], pieces: Sequence[Sequence[int]]) -> CandidateTree:
    rows: dict[tuple[int, ...], int] = {(): 0}
    for own in pieces:
        for size in range(1, len(own)):
            rows.setdefault(tuple(own[:size]), len(rows))
    steps = sorted({(rows[tuple(own[:size])], own[size]) for own in pieces for size in range(len(own))})
    edges = {step: number for number, step in enumerate(steps)}
    path = [
        (candidate, edges[rows[tuple(own[:size])], own[size]])
        for candidate, own in enumerate(pieces)
        for size in range(len(own))
    ]
    nodes = list(rows)[1:]
    ancestors = torch.zeros(len(nodes), len(nodes), dtype=torch.bool)
    for number, beginning in enumerate(nodes):
        for size in range(1, len(beginning) + 1):
            ancestors[number, rows[beginning[:size]] - 1] = True
    return CandidateTree(
        candidates=tuple(places),
        pieces=torch.tensor([node[-1] for node in nodes], dtype=torch.int64),
        depths=torch.tensor([len(node) - 1 for node in nodes], dtype=torch.int64),
        ancestors=ancestors,
        edge_rows=torch.tensor([row for row, _ in steps]),
        edge_pieces=torch.tensor([piece for _, piece in steps]),
        path_candidates=torch.tensor([candidate for candidate, _ in path]),
        path_edges=torch.tensor([edge for _, edge in path]),
    )
