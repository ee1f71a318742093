"""Causal language models of Hugging Face (`openai-gpt`, `gpt2`, ...) as cloze models, zero-shot or fine-tuned.

The model reads the abstract sentence, a separator and the concrete side up to the blank (KidsCook, section 4.2 has
OpenAI GPT so), and ranks candidates by the sum of the log probabilities of their pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import torch
from attrs import frozen
from torch import Tensor

from kgscripts.models.checkpoint import TrainedModel
from kgscripts.models.cloze import Cloze
from kgscripts.models.inference import TensorFields, padded

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedModel

    from kgscripts.reproductions.kidscook.networks.causal_base import PretrainedFiles


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


SEPARATOR = ":"
"""Between the abstract and the concrete side."""

_MOST_NODES = 256
_BATCH = 8
_LOGITS = 1 << 25
"""The most unnormalised log probabilities that are held at once: 128 MiB."""


class CausalModel(TrainedModel):
    """A causal language model as a `ClozeModel`.

    Each token of a text is cut into pieces by itself, with a space before it. It has no unknown word: this has log
    probability -inf, and so has a candidate without pieces. Of a text that is too long for the model, the beginning is
    cut.
    """

    context: Literal["left", "both"] = "left"

    def __init__(
        self,
        name: str,
        network: PreTrainedModel,
        tokenizer: Tokenizer,
        start: int | None,
        base: PretrainedFiles | None = None,
        *,
        end: int | None = None,
    ) -> None:
        self.name = name
        self.network = network.train(False)
        self.tokenizer = tokenizer
        self.start = start
        """Id of the piece at the beginning of a text, if the model has one."""
        self.end = start if end is None else end
        """Id of the piece at the end of a text; as in GPT-2 the one at the beginning, if it has none of its own."""
        self.base = base
        """The files of its pretrained weights, if it was read from these."""
        self._most_nodes = min(_MOST_NODES, network.config.max_position_embeddings // 2)
        self._most_read = network.config.max_position_embeddings - self._most_nodes
        self._pieces: dict[str, list[int]] = {}
        self._asked: tuple[tuple[str, ...], list[CandidateTree], list[tuple[int, int]]] | None = None
        """The candidates of the last question."""

    def prompt(self, abstract: Sequence[str], concrete: Sequence[str]) -> list[int]:
        """Ids of a text that begins with these tokens of the two sides."""
        words = self.pieces([*abstract, SEPARATOR, *concrete])
        return words if self.start is None else [self.start, *words]

    def pieces(self, words: Sequence[str]) -> list[int]:
        """Ids of the pieces of tokens that follow one another."""
        for word in words:
            if word not in self._pieces:
                self._pieces[word] = self.tokenizer.encode(f" {word}", add_special_tokens=False).ids
        return [piece for word in words for piece in self._pieces[word]]

    @torch.inference_mode()
    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> Tensor:
        """See `ClozeModel`. Exact: common prefixes of candidates are computed once.

        A candidate that others begin with does not have their probability: "strain" is not "strainer".
        """
        if self._asked is None or self._asked[0] != tuple(candidates):
            pieces = [self.pieces([word]) for word in candidates]
            trees = [tree.to(self.network.device) for tree in candidate_trees(pieces, self._most_nodes)]
            self._asked = tuple(candidates), trees, longer_candidates(pieces)
        _, trees, longer = self._asked
        prompts = [
            self.prompt(cloze.abstract, cloze.concrete[: cloze.position])[-self._most_read :] for cloze in clozes
        ]
        sums = torch.full((len(clozes), len(candidates)), float("-inf"))
        for start in range(0, len(prompts), _BATCH):
            batch = prompts[start : start + _BATCH]
            for tree in trees:
                sums[start : start + len(batch), torch.tensor(tree.candidates)] = self._sums(batch, tree).float().cpu()
        unknown = torch.full((len(clozes), 1), float("-inf"))
        return torch.cat([without_longer(sums, longer), unknown], dim=1).log_softmax(dim=1)

    @torch.inference_mode()
    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> Tensor:
        """log p(concrete | abstract) in nats, (pairs,)."""
        prompts = [self.prompt(words, ()) for words in abstract]
        answers = [self.pieces(words) for words in concrete]
        texts = [(prompt + answer)[-self._most_read :] for prompt, answer in zip(prompts, answers, strict=True)]
        result = torch.zeros(len(texts))
        for start in range(0, len(texts), _BATCH):
            ids, lengths = self._padded(texts[start : start + _BATCH])
            causal = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool, device=ids.device).tril()
            positions = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
            states = self._states(ids, positions, causal.expand(len(ids), -1, -1))
            for row, length in enumerate(lengths.tolist()):
                read = min(len(answers[start + row]), length - 1)
                before = states[row, length - 1 - read : length - 1]
                result[start + row] = self._log_probabilities(before, ids[row, length - read : length]).sum().cpu()
        return result

    def _log_probabilities(self, states: Tensor, pieces: Tensor) -> Tensor:
        """Of the piece that follows each state: (places, size), (places,) -> (places,)."""
        logits: Tensor = self._output(states).float()
        return logits.log_softmax(dim=-1).gather(-1, pieces[:, None])[:, 0]

    def _sums(self, prompts: Sequence[Sequence[int]], tree: CandidateTree) -> Tensor:
        """Log probabilities of the tree's candidates after each prompt: (prompts, candidates).

        The tree's nodes follow the prompt in one input; each attends to the prompt and to its ancestors in the tree.
        """
        read, lengths = self._padded(prompts)
        rows, width, nodes = len(prompts), read.shape[1], len(tree.pieces)
        ids = torch.cat([read, tree.pieces.expand(rows, -1)], dim=1)
        positions = torch.cat(
            [torch.arange(width, device=ids.device).expand(rows, -1), lengths[:, None] + tree.depths], dim=1
        )
        sees = torch.zeros(rows, width + nodes, width + nodes, dtype=torch.bool, device=ids.device)
        sees[:, :width, :width] = torch.ones(width, width, dtype=torch.bool, device=ids.device).tril()
        sees[:, width:, :width] = (torch.arange(width, device=ids.device) < lengths[:, None])[:, None]
        sees[:, width:, width:] = tree.ancestors
        states = self._states(ids, positions, sees)
        root = states[torch.arange(rows, device=ids.device), lengths - 1]
        return tree.sums(self._edges(torch.cat([root[:, None], states[:, width:]], dim=1), tree))

    def _edges(self, states: Tensor, tree: CandidateTree) -> Tensor:
        """Log probabilities of the edges: (prompts, 1 + nodes, size) -> (prompts, edges)."""
        step = max(1, _LOGITS // (len(states) * self.network.config.vocab_size))
        parts = []
        for first in range(0, states.shape[1], step):
            logits = self._output(states[:, first : first + step]).float()
            inside = (tree.edge_rows >= first) & (tree.edge_rows < first + step)
            at, pieces = tree.edge_rows[inside] - first, tree.edge_pieces[inside]
            parts.append(logits[:, at, pieces] - logits.logsumexp(dim=-1)[:, at])
        return torch.cat(parts, dim=1)

    @property
    def _output(self) -> Callable[[Tensor], Tensor]:
        output: Callable[[Tensor], Tensor] = self.network.get_output_embeddings()
        return output

    def _padded(self, texts: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """(texts, longest) int64, padded behind with piece 0, and the lengths (texts,) int64."""
        ids, attention = padded(texts)
        return ids.to(self.network.device), attention.sum(dim=1).to(self.network.device)

    def _states(self, ids: Tensor, positions: Tensor, sees: Tensor) -> Tensor:
        """Last hidden states, (batch, length, size); `sees` (batch, length, length) is the attention mask.

        `ids` and `positions` are (batch, length) int64. No piece may attend to a later one.
        """
        from transformers import OpenAIGPTLMHeadModel

        bias = torch.zeros(sees.shape, device=ids.device).masked_fill(~sees, torch.finfo(torch.float32).min)[:, None]
        base = self.network.base_model
        if isinstance(self.network, OpenAIGPTLMHeadModel):
            # Its own forward takes no mask between pairs of pieces.
            states = base.tokens_embed(ids) + base.positions_embed(positions)
            for block in base.h:
                states = block(states, bias)[0]
        else:
            states = base(input_ids=ids, attention_mask=bias, position_ids=positions, use_cache=False).last_hidden_state
        result: Tensor = states
        return result
