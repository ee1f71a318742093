"""KidsCook's transducer, read plainly from the paper (appendix A): what the package's own is compared with. Frozen.

One output word after the other: states side by side, the whole vocabulary for every abstract token, a matrix of all
transitions. Viterbi takes one pair at a time and records gradients that nobody asks for, as the released code does.
About as fast as that code: 0.27 s a training batch of 32, and up to 22 ms a pair in Viterbi, on two cores.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class PlainTransducer(nn.Module):
    """LSTM encoder and decoder over frozen word vectors, fixed transitions; sizes as in the released code."""

    def __init__(
        self,
        vocabulary: int,
        embedding: int = 100,
        hidden: int = 128,
        emission: int = 100,
        dropout: float = 0.5,
        shift_probability: float = 0.5,
        longest: int = 50,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding).requires_grad_(False)
        self.encoder = nn.LSTM(embedding, hidden, batch_first=True)
        self.decoder = nn.LSTM(embedding, hidden, batch_first=True)
        self.emission_hidden = nn.Linear(2 * hidden, emission)
        self.emission_output = nn.Linear(emission, vocabulary)
        self.dropout = nn.Dropout(dropout)
        self.transitions = _transitions(longest, shift_probability)

    def read(self, x: Tensor, y: Tensor, start: int) -> tuple[Tensor, Tensor]:
        """Encoder states (batch, m, hidden), and decoder states (batch, n, hidden) from which y_1 ... y_n follow."""
        first = torch.full((len(y), 1), start)
        encoded, _ = self.encoder(self.embedding(x))
        decoded, _ = self.decoder(self.embedding(torch.cat((first, y[:, :-1]), dim=1)))
        return encoded, decoded

    def words(self, encoded: Tensor, state: Tensor) -> Tensor:
        """Equation (3): log probabilities of all words, from states of the same leading shape."""
        joint = torch.cat((encoded, state), dim=-1)
        hidden = self.dropout(torch.relu(self.emission_hidden(joint)))
        return torch.log_softmax(self.emission_output(hidden), dim=-1)

    def marginal(self, x: Tensor, y: Tensor, x_lengths: Tensor, y_lengths: Tensor, start: int) -> Tensor:
        """Equation (7): log p(y | x) with the last word at the last abstract token, (batch,)."""
        encoded, decoded = self.read(x, y, start)
        batch, m, size = encoded.shape
        transitions = self.transitions[:m, :m]
        alpha = torch.full((batch, m), -math.inf)
        alpha[:, 0] = 0.0
        for j in range(y.shape[1]):
            emissions = self.words(encoded, decoded[:, j, None, :].expand(batch, m, size))
            word = emissions.gather(2, y[:, j, None, None].expand(batch, m, 1))[:, :, 0]
            arriving = (alpha[:, :, None] + transitions).logsumexp(dim=1)
            alpha = torch.where((j < y_lengths)[:, None], arriving + word, alpha)
        return alpha[torch.arange(batch), x_lengths - 1]

    def viterbi(self, x: Tensor, y: Tensor, start: int) -> tuple[list[int], float]:
        """The best alignment of one pair of token ids (m,) and (n,), and its log probability (appendix A.4)."""
        encoded, decoded = self.read(x[None], y[None], start)
        m, n = len(x), len(y)
        transitions = self.transitions[:m, :m]
        best = torch.full((m,), -math.inf)
        best[0] = 0.0
        pointers = []
        for j in range(n):
            emissions = self.words(encoded[0], decoded[0, j].expand(m, -1))
            arriving, pointer = (best[:, None] + transitions).max(dim=0)
            best = arriving + emissions[:, y[j]]
            pointers.append(pointer)
        path = [m - 1]
        for pointer in reversed(pointers[1:]):
            path.append(int(pointer[path[-1]]))
        return path[::-1], best[m - 1].item()

    def aligned(self, x: Tensor, y: Tensor, y_lengths: Tensor, paths: Tensor, start: int) -> Tensor:
        """log p(y, a | x) for alignments `paths` (batch, n), (batch,): the objective of hard EM (appendix A.3)."""
        encoded, decoded = self.read(x, y, start)
        batch, m, _ = encoded.shape
        transitions = self.transitions[:m, :m]
        rows = torch.arange(batch)
        total = torch.zeros(batch)
        before = torch.zeros(batch, dtype=torch.int64)
        for j in range(y.shape[1]):
            here = paths[:, j]
            word = self.words(encoded[rows, here], decoded[:, j]).gather(1, y[:, j, None])[:, 0]
            total = total + torch.where(j < y_lengths, word + transitions[before, here], 0.0)
            before = here
        return total


def _transitions(m: int, shift_probability: float) -> Tensor:
    """Equation (4): log p(a_j = i | a_{j-1} = k) as a matrix [k, i]."""
    matrix = torch.full((m, m), -math.inf)
    for k in range(m):
        for i in range(k, m):
            matrix[k, i] = (i - k) * math.log(shift_probability) + math.log(1.0 - shift_probability)
    return matrix
